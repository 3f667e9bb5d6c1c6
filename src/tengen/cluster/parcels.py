"""What is sent between machines, as bytes: JSON, and arrays behind it. Nothing in it is run by whoever opens it.

A parcel of games: the length of its head, 4 bytes; the head, JSON; then moves, visits and values of all games, compressed.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tengen.errors import TengenError
from tengen.records.record import GameRecord, unpack_visits

LARGEST = 1 << 30
"""Bytes in which the games of a parcel must fit."""


class DamagedParcel(TengenError):
    """Bytes that are no parcel."""


@dataclass(frozen=True)
class Parcel:
    """Finished games, and how its sender is doing."""

    records: tuple[GameRecord, ...]
    evaluations: int
    """Positions the network has been asked about since the worker began."""
    waiting: int
    """Games for which it has numbers and no room yet."""
    idle: int
    """Places for games in which none is played."""
    network: int
    """The training steps of the network that it plays with."""
    live: tuple[int, int, tuple[int, ...], bool] | None = None
    """A game in progress, for whoever watches: its number, who began, the moves, and whether it is over."""

    def pack(self) -> bytes:
        """As bytes."""
        heads: list[list[Any]] = []
        parts: list[bytes] = []
        for record in self.records:
            packed = record.pack()
            heads.append([
                record.number, record.seed, record.first, *record.returns, record.winner, record.network, record.seconds,
                *map(len, packed),
            ])  # fmt: skip
            parts += packed
        about = [self.evaluations, self.waiting, self.idle, self.network, self.live]
        body = b"".join(parts)
        head = json.dumps({"games": heads, "about": about, "size": len(body)}).encode()
        return len(head).to_bytes(4, "little") + head + zlib.compress(body, 1)


def unpack(data: bytes) -> Parcel:
    """The inverse of `Parcel.pack`; DamagedParcel when it is something else."""
    try:
        end = 4 + int.from_bytes(data[:4], "little")
        head = json.loads(data[4:end])
        size = int(head["size"])
        if not 0 <= size <= LARGEST:
            raise ValueError("too large")
        opener = zlib.decompressobj()
        body = opener.decompress(data[end:], size + 1)
        if len(body) != size or not opener.eof or opener.unused_data:
            raise ValueError("of another length than it says")
        records, at = [], 0
        for row in head["games"]:
            record, at = _record(row, body, at)
            records.append(record)
        evaluations, waiting, idle, network, live = head["about"]
        seen = None if live is None else (int(live[0]), int(live[1]), tuple(map(int, live[2])), bool(live[3]))
        return Parcel(tuple(records), int(evaluations), int(waiting), int(idle), int(network), seen)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError, zlib.error) as error:
        raise DamagedParcel(f"a worker has sent what is no parcel of games: {error}") from None


def _record(row: Sequence[Any], body: bytes, at: int) -> tuple[GameRecord, int]:
    number, seed, first, return0, return1, winner, network, seconds, *lengths = row
    parts = []
    for length in map(int, lengths):
        if not 0 <= length <= len(body) - at:
            raise ValueError("a game is longer than its parcel")
        parts.append(body[at : at + length])
        at += length
    moves, visits, values = parts
    record = GameRecord(
        int(number), int(seed), int(first), tuple(np.frombuffer(moves, np.int32).tolist()), unpack_visits(visits),
        tuple(np.frombuffer(values, np.float32).tolist()), (float(return0), float(return1)),
        None if winner is None else int(winner), int(network), float(seconds),
    )  # fmt: skip
    if not len(record.moves) == len(record.visits) == len(record.values):
        raise ValueError("moves, visits and values do not go together")
    return record, at


def note(**said: Any) -> bytes:
    """A few words as JSON."""
    return json.dumps(said).encode()


def read_note(data: bytes) -> dict[str, Any]:
    """The inverse of `note`."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DamagedParcel(f"a note cannot be read: {error}") from None
    if not isinstance(said, dict):
        raise DamagedParcel("a note cannot be read: it is no object")
    return said
