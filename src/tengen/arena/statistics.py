"""Figures of a match, with their uncertainty."""

from __future__ import annotations

import math

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
