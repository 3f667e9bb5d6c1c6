"""Ratings from a table of results: the Bradley–Terry model on the Elo scale, with 95 % intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tengen.arena.statistics import Z95

SCALE = 400 / math.log(10)
PRIOR = 1.0
"""Drawn games that everyone is thought to have played against an average player: keeps a rating finite after a clean sweep."""


def elo_ratings(
    points: NDArray[np.float64], games: NDArray[np.float64], anchor: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ratings [n], the mean of all being 0, and their intervals [n, 2], from points and games of each against each [n, n].

    A draw is half a point. The intervals are of the distance to that mean: no game tells where all of them stand. With an
    `anchor`, its rating is 0, and the intervals are of the distance to it.
    """
    n = len(points)
    rating = np.zeros(n)
    information = np.eye(n)
    for _ in range(100):  # Newton's method; the likelihood is concave
        expected = 1 / (1 + np.exp(rating[None, :] - rating[:, None]))
        alone = 1 / (1 + np.exp(-rating))
        gradient = (points - games * expected).sum(axis=1) + PRIOR * (0.5 - alone)
        weights = games * expected * (1 - expected)
        information = np.diag(weights.sum(axis=1) + PRIOR * alone * (1 - alone)) - weights
        step = np.linalg.solve(information, gradient)
        rating += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-9:
            break
    centre = np.eye(n) - (1 / n if anchor is None else np.eye(n)[anchor])
    error = np.sqrt(np.diag(centre @ np.linalg.inv(information) @ centre))
    rating = centre @ rating
    low, high = rating - Z95 * error, rating + Z95 * error
    return rating * SCALE, np.stack([low, high], axis=1) * SCALE
