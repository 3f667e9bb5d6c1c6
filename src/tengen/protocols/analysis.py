"""What an engine can say about a position. Whoever has searched fills it in; protocols and files write it down."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A move that was looked at. `value` is in the mover's view: 1 a win, −1 a loss."""

    move: int
    visits: int
    value: float
    prior: float

    @property
    def win_rate(self) -> float:
        """The value as a share of games won, 0 to 1."""
        return min(1.0, max(0.0, (self.value + 1) / 2))


@dataclass(frozen=True)
class Analysis:
    """Candidate moves, best first, and the line that is expected."""

    candidates: tuple[Candidate, ...]
    line: tuple[int, ...]
    value: float
    """Of the position, in the mover's view."""

    @property
    def visits(self) -> int:
        return max(1, sum(candidate.visits for candidate in self.candidates))
