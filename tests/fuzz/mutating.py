"""Inputs for the fuzzer: valid ones, changed at random. The same chooser gives the same inputs."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

NUMBERS = (
    b"0",
    b"-1",
    b"1",
    b"9999999999",
    b"1e309",
    b"NaN",
    b"-0",
    b"00",
    b"2147483648",
    b"1" * 400,
    b"\xd9\xa3",
    "²".encode(),
)
TOKENS = (
    b"", b" ", b"\n", b"\r\n", b"\t", b"\0", b"\x1b[31m", b"\xff\xfe", "\u2028".encode(), "\ufeff".encode(), b"(", b")", b"[" * 3000,
    b"]", b"{", b"}" * 50, b'"', b"'", b",", b":", b";", b"=", b"..", b"/", b"\\", b"%s", b"null", b"true", b"[]", b"{}", b"a" * 5000,
    "ſ".encode(), "é".encode(), b"\xed\xa0\x80", b'"\\ud800"',
)  # fmt: skip
MOST_CHANGES = 6
LONGEST = 200_000
_WORD = re.compile(rb"[A-Za-z_]+|-?\d+(?:\.\d+)?")
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


class Mutator:
    """Changes valid inputs of one parser; words of all of them may end up in each."""

    def __init__(self, seeds: Sequence[bytes], is_binary: bool = False) -> None:
        self.seeds, self.is_binary = list(seeds), is_binary
        found = {word for seed in seeds for word in _WORD.findall(seed[:20_000]) if len(word) < 40}
        self.words = sorted(found) or [b"x"]

    def make(self, chooser: random.Random) -> bytes:
        """One input."""
        kind = chooser.random()
        if kind < 0.03:
            return bytes(chooser.randrange(256) for _ in range(chooser.randrange(80)))
        if kind < 0.06:
            return "".join(chr(chooser.randrange(32, 0x2100)) for _ in range(chooser.randrange(60))).encode()
        data = chooser.choice(self.seeds)
        if kind < 0.12:
            return data
        for _ in range(chooser.randint(1, MOST_CHANGES)):
            data = self._change(data, chooser)
        return data[:LONGEST]

    def _change(self, data: bytes, chooser: random.Random) -> bytes:
        at = chooser.randrange(len(data) + 1)
        end = min(len(data), at + chooser.randint(1, max(1, min(len(data) // 2, 64))))
        kind = chooser.randrange(11)
        if kind == 0 and data:  # a bit
            at = min(at, len(data) - 1)
            return data[:at] + bytes([data[at] ^ 1 << chooser.randrange(8)]) + data[at + 1 :]
        if kind == 1 and data:  # a byte
            at = min(at, len(data) - 1)
            return data[:at] + bytes([chooser.randrange(256)]) + data[at + 1 :]
        if kind == 2:
            return data[:at] + data[end:]
        if kind == 3:
            return data[:at] + data[at:end] * chooser.choice((2, 2, 2, 50)) + data[end:]
        if kind == 4:
            return data[:at] + chooser.choice(TOKENS) + data[at:]
        if kind == 5:
            return data[:at] + chooser.choice(self.words) + data[at:]
        if kind == 6 and not self.is_binary and (numbers := list(_NUMBER.finditer(data))):
            number = chooser.choice(numbers)
            return data[: number.start()] + chooser.choice(NUMBERS) + data[number.end() :]
        if kind == 7 and not self.is_binary and (words := list(_WORD.finditer(data))):
            word = chooser.choice(words)
            return data[: word.start()] + chooser.choice(self.words) + data[word.end() :]
        if kind == 8:  # the head of one and the tail of another
            other = chooser.choice(self.seeds)
            return data[:at] + other[chooser.randrange(len(other) + 1) :]
        if kind == 9:
            return data[:at]
        other = data[at:end]
        to = chooser.randrange(len(data) + 1)
        return data[:to] + other + data[to:]
