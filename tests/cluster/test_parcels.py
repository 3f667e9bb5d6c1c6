"""What is sent between machines comes out as it went in, or is refused in a line."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.cluster.parcels import DamagedParcel, Parcel, note, read_note, unpack
from tengen.records.record import GameRecord

RECORD = GameRecord(
    3, 5_000_018, 1, (4, 0, 2), (None, {0: 7, 2: 1}, {2: 3}), (0.0, 0.5, -0.25), (-1.0, 1.0), 1, 12, 0.123456789
)


def test_games_come_out_as_they_went_in():
    parcel = Parcel((RECORD, RECORD), 1234, 5, 2, 12, (3, 1, (4, 0), False))
    assert unpack(parcel.pack()) == parcel
    assert unpack(Parcel((), 0, 0, 0, 0).pack()) == Parcel((), 0, 0, 0, 0)


def test_a_parcel_cut_short_or_lengthened_is_refused():
    whole = Parcel((RECORD,), 0, 0, 0, 0).pack()
    for wrong in [*(whole[:end] for end in range(len(whole))), whole + b"x"]:
        with pytest.raises(DamagedParcel) as caught:
            unpack(wrong)
        assert "\n" not in str(caught.value)


@given(st.binary(max_size=60), st.integers(0, 400), st.integers(0, 255))
def test_nonsense_is_refused_in_a_line(data, at, byte):
    changed = bytearray(Parcel((RECORD,), 1, 0, 0, 4).pack())
    changed[at % len(changed)] = byte
    for wrong in (data, bytes(changed)):
        with contextlib.suppress(DamagedParcel):  # and nothing else
            unpack(wrong)


def test_a_parcel_cannot_fill_the_memory():
    import zlib

    bomb = zlib.compress(bytes(50_000_000))
    for size in (3, 1 << 40):
        head = b'{"games": [], "about": [0,0,0,0,null], "size": %d}' % size
        with pytest.raises(DamagedParcel):
            unpack(len(head).to_bytes(4, "little") + head + bomb)


def test_notes():
    assert read_note(note(numbers=[1, 2], sigma=None)) == {"numbers": [1, 2], "sigma": None}
    for wrong in (b"", b"[]", b"\xff", b"[" * 100_000):
        with pytest.raises(DamagedParcel):
            read_note(wrong)
