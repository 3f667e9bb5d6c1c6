"""What a search thinks of a position, as a page shows it. Rates are shares of games won, 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tengen.games import CHANCE, Game, Position
from tengen.search import SearchResult

MOST_CANDIDATES = 12
"""Moves that are shown with their figures."""

FEW = 100
"""Visits below which a rate is marked as doubtful."""

EVEN = 1e-6
"""Priors that differ by less say nothing: no network gave them."""


def suits(game: Game) -> bool:
    """Whether rates of winning make sense in a game."""
    return game.players() == 2 and game.is_bounded()


def rate_of(value: float) -> float:
    """A value from −1 to 1 as a share of games won."""
    return min(1.0, max(0.0, (value + 1) / 2))


@dataclass(frozen=True)
class Candidate:
    """A move that was looked at; its rate is in the view of the one who would make it."""

    move: int
    visits: int
    rate: float | None
    """None: the search kept visits only."""
    line: tuple[int, ...] = ()
    """What is expected to follow, the move itself first."""


@dataclass(frozen=True)
class Insight:
    """What was found about a position."""

    player: int
    """Who is to move."""
    rate: float
    """In the view of the player to move."""
    visits: int
    candidates: tuple[Candidate, ...]
    """Best first."""
    policy: Mapping[int, float] = field(default_factory=dict)
    """What a network thinks of each move before any search; empty where no network was asked."""
    by: str = ""
    """Who thought so."""
    seconds: float = 0.0

    @property
    def best(self) -> Candidate | None:
        return self.candidates[0] if self.candidates else None

    @property
    def best_rate(self) -> float:
        """What the best move is worth: the mean over all moves that were tried is a little less."""
        best = self.best
        return self.rate if best is None or best.rate is None else best.rate

    def first_rate(self) -> float:
        """The rate always from the first player's side."""
        return self.best_rate if self.player == 0 else 1.0 - self.best_rate

    def as_json(self, game: Game) -> dict[str, Any]:
        def shown(candidate: Candidate) -> dict[str, Any]:
            rate = None if candidate.rate is None else round(candidate.rate, 3)
            names = " ".join(game.move_name(move) for move in candidate.line)
            return {"move": candidate.move, "name": game.move_name(candidate.move), "visits": candidate.visits,
                    "rate": rate, "line": list(candidate.line), "text": names}  # fmt: skip

        return {
            "player": self.player, "rate": round(self.best_rate, 3), "visits": self.visits, "by": self.by,
            "seconds": round(self.seconds, 1), "few": self.visits < FEW,
            "moves": [shown(candidate) for candidate in self.candidates],
            "policy": {move: round(share, 4) for move, share in self.policy.items() if share >= 0.0005},
        }  # fmt: skip


def from_search(result: SearchResult, player: int, by: str) -> Insight:
    """What a search has found so far."""
    candidates = tuple(
        Candidate(m.move, m.visits, rate_of(m.q), result.lines.get(m.move, (m.move,)))
        for m in result.moves[:MOST_CANDIDATES]
        if m.visits
    )
    priors = {move: float(result.prior[move]) for move in result.legal}
    is_even = not priors or max(priors.values()) - min(priors.values()) < EVEN
    visits = int(result.visits.sum())
    return Insight(
        player, rate_of(result.value), visits, candidates, {} if is_even else priors, by, result.seconds
    )  # fmt: skip


def from_record(position: Position, visits: Mapping[int, int] | None, value: float, by: str) -> Insight | None:
    """What a recorded search has found: it kept the visits of each move and the value of the position."""
    if not visits or position.to_move == CHANCE or not suits(position.game):
        return None
    order = sorted(visits.items(), key=lambda item: -item[1])[:MOST_CANDIDATES]
    candidates = tuple(Candidate(move, n, None, (move,)) for move, n in order if n)
    return Insight(position.to_move, rate_of(value), sum(visits.values()), candidates, {}, by)


def key_after(moves: Sequence[int]) -> list[int]:
    """For each position of a game, the first included, a number by which it is found: of the moves that led there."""
    keys = [0]
    for move in moves:
        keys.append(hash((keys[-1], move)))
    return keys
