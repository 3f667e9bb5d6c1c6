"""How good each move of a game was: what it gave away, and what would have been better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tengen.games import Position
from tengen.web.insight import Insight

# The class of a move by the share of games that it gives away: below the figure.
CLASSES = ((0.03, "good"), (0.08, "inexact"), (0.18, "mistake"), (2.0, "blunder"))
BEST = "best"

BAD = 0.10
"""In teaching mode, a move that gives away as much is named."""


@dataclass(frozen=True)
class Verdict:
    """What a move was worth."""

    player: int
    move: int
    loss: float
    """The share of games given away, in the view of the one who moved."""
    kind: str
    better: int | None
    """The move that would have been better, where there is one."""
    line: tuple[int, ...] = ()
    """What would have followed it."""


def judge(before: Insight, move: int, after: Insight | float) -> Verdict:
    """A move, by what was known before it and what is known after it, or the mover's rate where that is certain."""
    worth = after if isinstance(after, float) else _rate_for(after, before.player)
    best = before.best
    known = next((c.rate for c in before.candidates if c.move == move and c.rate is not None), None)
    if best is not None and best.move == move:
        return Verdict(before.player, move, 0.0, BEST, None)
    if known is not None and not isinstance(after, float) and after.visits < before.visits // 20:
        worth = known  # it was looked at more closely from before
    loss = max(0.0, before.best_rate - worth)
    kind = next(name for limit, name in CLASSES if loss < limit)
    if best is None or kind == CLASSES[0][1]:
        return Verdict(before.player, move, loss, kind, None)
    return Verdict(before.player, move, loss, kind, best.move, best.line)


def _rate_for(insight: Insight, player: int) -> float:
    return insight.best_rate if insight.player == player else 1.0 - insight.best_rate


def certain_rate(position: Position, player: int) -> float | None:
    """The share of a game that is over."""
    if not position.is_over:
        return None
    return 0.5 if position.winner is None else float(position.winner == player)


def review(moves: Sequence[int], insights: Sequence[Insight | None], end: float | None = None) -> list[Verdict | None]:
    """For each move its verdict, or None where not enough is known. `insights`: of the position before each move, and after
    the last; `end`: where the game ends for certain, the first player's share."""
    found = []
    for ply, move in enumerate(moves):
        before = insights[ply]
        after: Insight | float | None = insights[ply + 1]
        if end is not None and ply == len(moves) - 1 and before is not None:
            after = end if before.player == 0 else 1.0 - end
        found.append(judge(before, move, after) if before is not None and after is not None else None)
    return found
