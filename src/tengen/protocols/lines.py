"""Lines of text as programs send them to each other: taken out of what a pipe gives, cleaned, and made fit to send."""

from __future__ import annotations

from collections.abc import Callable, Iterator

CHUNK = 65_536
LONGEST = 100_000
"""Bytes of a line that are kept; the rest of it is dropped."""


def without_controls(line: str) -> str:
    """The line without control characters; a tab is a blank."""
    return "".join(" " if char == "\t" else char for char in line if char == "\t" or ord(char) >= 32)


def printable(text: str) -> str:
    """The text in one line that any program can show."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def lines_of(read: Callable[[int], bytes]) -> Iterator[tuple[str, int]]:
    """The lines that `read(n)` gives until it gives nothing, each with the number of the reading that ended it.

    `read` is a plain function, such as that of an unbuffered file: a thread that waits in a buffered one holds its lock, and
    Python then cannot end.
    """
    rest, number = b"", 0
    while data := read(CHUNK):
        number += 1
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            yield _text(line), number
        rest = rest[:LONGEST]
    if rest:
        yield _text(rest), number


def _text(line: bytes) -> str:
    return line[:LONGEST].decode("utf-8", "replace").rstrip("\r")
