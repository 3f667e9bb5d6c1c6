"""Figures of a match, with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

RESAMPLES = 4000
Z95 = 1.959963984540054  # the normal distribution's 97.5 % point


def wilson_interval(score: float, games: int, z: float = Z95) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); `score` counts a draw as half, which makes it a little too wide."""
    if games == 0:
        return 0.0, 1.0
    p, n = score / games, games
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if score == 0 else max(0.0, middle - half)
    high = 1.0 if score == games else min(1.0, middle + half)
    return low, high


def bootstrap_interval(values: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of a mean, by drawing as many of the values, with repetition, again and again (Efron 1979).

    For figures whose distribution is not known, or lopsided, as the length of a game of Tetris.
    """
    sample = np.asarray(values, np.float64)
    if len(sample) == 0:
        raise ValueError("no values, no mean")
    chooser = np.random.default_rng(seed)
    means = [chooser.choice(sample, len(sample)).mean() for _ in range(RESAMPLES)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
