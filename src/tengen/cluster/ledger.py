"""Who plays what: each piece of work is done once and counted once, whatever becomes of the workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator


class Ledger:
    """Gives out numbers and takes the results: of each number the first one, and no other."""

    def __init__(self, numbers: Iterator[int]) -> None:
        self._new = numbers
        self._given_back: deque[int] = deque()
        self._out: dict[Hashable, set[int]] = {}
        self._waiting: set[int] = set()
        self._is_exhausted = False

    def lease(self, worker: Hashable, count: int) -> list[int]:
        """At most so many numbers for a worker: first those that others have left."""
        found: list[int] = []
        while len(found) < count:
            if self._given_back:
                number = self._given_back.popleft()
                if number not in self._waiting:  # the worker thought lost has finished it after all
                    continue
            else:
                new = next(self._new, None)
                if new is None:
                    self._is_exhausted = True
                    break
                number = new
                self._waiting.add(number)
            found.append(number)
        if found:
            self._out.setdefault(worker, set()).update(found)
        return found

    def accept(self, number: int) -> bool:
        """Whether this result is wanted: the first one of a number that was given out."""
        if number not in self._waiting:
            return False
        self._waiting.remove(number)
        return True

    def lose(self, worker: Hashable) -> int:
        """A worker has gone: what it has not finished will be given to others. How many numbers that are."""
        lost = sorted(self._out.pop(worker, set()) & self._waiting)
        self._given_back.extend(lost)
        return len(lost)

    @property
    def is_exhausted(self) -> bool:
        """Whether there is nothing to give out now; what is out may come back."""
        if not self._given_back and not self._is_exhausted:
            new = next(self._new, None)
            if new is None:
                self._is_exhausted = True
            else:
                self._waiting.add(new)
                self._given_back.append(new)
        return not self._given_back and self._is_exhausted

    @property
    def is_done(self) -> bool:
        """Whether every number has its result."""
        return self.is_exhausted and not self._waiting

    def finished(self, worker: Hashable, number: int) -> None:
        """A worker need not be remembered with this number any more."""
        self._out.get(worker, set()).discard(number)
