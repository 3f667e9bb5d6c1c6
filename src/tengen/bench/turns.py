"""Two programs measured in turn, in one run: on a noisy machine only the ratio means something."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

Work = Callable[[], int]  # does a bit of work and returns how many it has made of what is counted


@dataclass(frozen=True)
class Figure:
    """Two speeds, in things per second, and their ratio: each the median of the rounds."""

    ours: float
    peer: float
    ratio: float
    unit: str = "simulations"
    beside: str = ""
    """What the peer is."""


def in_turn(ours: Work, peer: Work, seconds: float, rounds: int, unit: str, beside: str) -> Figure:
    """Let the two run by turns, `seconds` each."""
    ours()
    peer()  # both warm
    speeds = [(speed(ours, seconds), speed(peer, seconds)) for _ in range(rounds)]
    a, b = zip(*speeds, strict=True)
    ratio = statistics.median(x / y for x, y in speeds)
    return Figure(statistics.median(a), statistics.median(b), ratio, unit, beside)


def speed(work: Work, seconds: float) -> float:
    """How many a second."""
    start, done = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - start) < seconds:
        done += work()
    return done / elapsed
