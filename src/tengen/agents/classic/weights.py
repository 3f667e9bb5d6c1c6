"""What patterns are worth to the evaluation: sixteenths of a point, by class and by kind, for the mover and for the opponent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.games.gomoku_patterns import KINDS, SCORES


@dataclass(frozen=True)
class Weights:
    """Of an evaluation."""

    mover: NDArray[np.int64]
    """[classes, then kinds]"""
    opponent: NDArray[np.int64]
    move: int
    """What it is worth to be the one to move."""


def _weights(mover: list[int], opponent: list[int], move: int) -> Weights:
    return Weights(np.array(mover, np.int64), np.array(opponent, np.int64), move)


UNIT = 100
"""Points of `CLASSIC` that are one unit of the logarithm of the odds to win."""

_REPORT = [int(score) for score in np.minimum(SCORES, 100_000)] + [0] * KINDS
REPORT = _weights([2 * w for w in _REPORT], _REPORT, 0)
"""The report's score table. The mover's patterns count twice: it is his turn to add to them."""

CLASSIC = _weights(
    [0, -4, -16, 7, 11, 109, 133, 263, 0, 0, 0, 127, 237, 558, 5797, 0, 0],
    [0, -6, -16, -1, 3, 94, 66, 126, 1172, 0, 0, 96, 382, 269, 1521, 466, 0],
    -398,
)
"""What `classic` plays with.

A logistic regression on the results of 2,871 quick games of `classic` against itself from random openings of three to seven
stones, over the 45,511 positions in which nobody could win at once.
"""
