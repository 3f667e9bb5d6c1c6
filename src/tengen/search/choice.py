"""From visits to a move: π(a) = N(a)^(1/τ) / Σ N(b)^(1/τ)."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import ArrayLike, NDArray

COLD = 0.01
"""Temperatures below this mean the largest count."""


def move_probabilities(visits: ArrayLike, temperature: float) -> NDArray[np.float64]:
    """The distribution from which a move is drawn; τ = 0: the most visited moves share it equally."""
    counts = np.asarray(visits, np.float64)
    if counts.max(initial=0.0) <= 0:
        raise ValueError("no move has been visited")
    if temperature < COLD:
        weights = (counts == counts.max()).astype(np.float64)
    else:
        with np.errstate(divide="ignore"):  # log 0 = −∞ is what is meant
            weights = np.exp((np.log(counts) - np.log(counts.max())) / temperature)
    return np.asarray(weights / weights.sum())


def choose_move(visits: ArrayLike, temperature: float, chooser: random.Random) -> int:
    """Draw a move, by number, from its visits."""
    probabilities = move_probabilities(visits, temperature)
    return int(chooser.choices(range(len(probabilities)), probabilities.tolist())[0])
