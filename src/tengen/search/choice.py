"""From visits to a move: π(a) = N(a)^(1/τ) / Σ N(b)^(1/τ)."""

from __future__ import annotations

import math
import random

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tengen.compiling import inner
from tengen.games.randomness import choose
from tengen.games.types import IntArray, RandomState

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


def draw_move(odds: ArrayLike, chooser: random.Random) -> int:
    """Draw a move, by number, from its probability."""
    weights = np.asarray(odds, np.float64)
    return int(chooser.choices(range(len(weights)), weights.tolist())[0])


@inner
def draw_visited(state: RandomState, visits: IntArray, n: int, temperature: float, tried_twice: bool) -> int:
    """An index drawn from visits[:n] by the same formula; −1 where there are none.

    `tried_twice` leaves out what has a single visit, unless there is nothing else.
    """
    largest = 0
    for i in range(n):
        largest = max(largest, int(visits[i]))
    if largest == 0:
        return -1
    least = 2 if tried_twice and largest > 1 else 1
    weights = np.zeros(n, np.float64)
    for i in range(n):
        if temperature < COLD:
            weights[i] = 1.0 if visits[i] == largest else 0.0
        elif visits[i] >= least:
            weights[i] = math.exp((math.log(visits[i]) - math.log(largest)) / temperature)
    return choose(state, weights, n)
