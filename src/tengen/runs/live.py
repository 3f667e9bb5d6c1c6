"""One game of a run while it is being played, for whoever watches: ``live.json`` in the run directory.

It is a courtesy, not a record: written a few times a second at most, without waiting for the disk, and allowed to be lost.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from dataclasses import dataclass

from tengen.runs.directory import RunDirectory

FILE = "live.json"
WRITE_EVERY = 0.4
"""Seconds between two looks at the game."""

FRESH = 5.0
"""Seconds after which a game that has not gone on is not live any more."""


@dataclass(frozen=True)
class LiveGame:
    """A game in progress."""

    number: int
    first: int
    moves: tuple[int, ...]


class LiveWriter:
    """Follows one game at a time; called by all threads after each of their moves."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run
        self._number: int | None = None
        self._written = 0.0
        self._lock = threading.Lock()

    def ended(self, number: int) -> None:
        """A game has ended, by its rules or because a player gave it up: another one may be followed."""
        with self._lock:
            if self._number == number:
                self._number = None

    def __call__(self, number: int, first: int, moves: list[int], is_over: bool) -> None:
        now = time.monotonic()
        ends = number == self._number and is_over  # or it would be waited for
        if (now - self._written < WRITE_EVERY and not ends) or not self._lock.acquire(blocking=ends):
            return
        try:
            is_stale = now - self._written > FRESH
            if self._number is not None and self._number != number and not is_stale:
                return
            self._number = None if is_over else number
            self._written = now
            data = {"number": number, "first": first, "moves": moves}
            file = self._run.folder / FILE
            with contextlib.suppress(OSError):  # a full disk is somebody else's to report
                file.with_suffix(".part").write_text(json.dumps(data), encoding="utf-8")
                os.replace(file.with_suffix(".part"), file)
        finally:
            self._lock.release()


def read_live(run: RunDirectory) -> LiveGame | None:
    """The game that is being played, if there is one."""
    file = run.folder / FILE
    try:
        if abs(time.time() - file.stat().st_mtime) > FRESH:  # a clock that was set back must not keep it alive
            return None
        data = json.loads(file.read_text(encoding="utf-8"))
        return LiveGame(int(data["number"]), int(data["first"]), tuple(int(move) for move in data["moves"]))
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
