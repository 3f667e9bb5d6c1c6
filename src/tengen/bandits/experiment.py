"""The whole comparison: UCB, and ETC with and without knowledge of the gaps, over time, over m, and over the gap itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.bandits.arms import Arms
from tengen.bandits.bounds import m_for_any_gaps, m_for_gaps
from tengen.bandits.playing import MOST_STEPS, play_etc, play_ucb
from tengen.errors import TengenError

Array = NDArray[np.float64]

ALPHA = 2.1
"""Just above the 2 that the bounds ask for: the larger α, the more is explored."""

GAPS = np.geomspace(0.02, 1.0, 12)
"""Of the two arms in the comparison over the gap."""

GAP_SHARE = 10
"""There UCB has so many times fewer repetitions at each gap. ETC has all: it is quick, and loses seldom, but much."""


@dataclass(frozen=True)
class Sample:
    """Regret over repetitions, at several places: its mean, how sure that is, and the band in which most of them lie."""

    mean: Array
    error: Array
    """The standard error of the mean."""
    low: Array
    """Ten percent of the repetitions are below."""
    high: Array
    """Ten percent are above."""

    @classmethod
    def of(cls, regret: Array) -> Sample:
        """From [repetitions, places]."""
        n = len(regret)
        error = regret.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else np.zeros(regret.shape[1])
        low, high = np.quantile(regret, [0.1, 0.9], axis=0)
        return cls(regret.mean(axis=0), error, low, high)

    def last(self) -> dict[str, object]:
        """The last place, as JSON."""
        return {"regret": float(self.mean[-1]), "error": float(self.error[-1]),
                "band": [float(self.low[-1]), float(self.high[-1])]}  # fmt: skip


@dataclass(frozen=True)
class OverGaps:
    """Two arms: regret after all steps, for every gap between them."""

    gaps: Array
    ucb: Sample
    etc_knowing: Sample
    etc: Sample


@dataclass(frozen=True)
class Experiment:
    """What was measured."""

    arms: Arms
    alpha: float
    steps: int
    repetitions: int
    checkpoints: NDArray[np.int64]
    """Steps at which the curves over time have points; the last is `steps`."""
    ucb: Sample
    pulls: Array
    """Of each arm by UCB, the mean over repetitions."""
    etc: dict[str, tuple[int, Sample]]
    """By what m was chosen from: its m, and its curve over time."""
    m: NDArray[np.int64]
    over_m: Sample
    """ETC's regret after all steps, for every m."""
    over_gaps: OverGaps


KNOWING, BLIND, MEASURED, GIVEN = "knowing the gaps", "without the gaps", "best m measured", "m as given"


def run_experiment(
    arms: Arms,
    alpha: float = ALPHA,
    steps: int = 100_000,
    repetitions: int = 1000,
    m: int | None = None,
    seed: int = 0,
    threads: int = 1,
    advance: Callable[[float], None] | None = None,
) -> Experiment:
    """Measure everything; `advance` is told what share of the work each piece was."""
    d = len(arms.means)
    if not d <= steps <= MOST_STEPS:
        raise TengenError(f"steps are at least as many as arms, {d}, and at most {MOST_STEPS:,}")
    if m is not None and not 1 <= m <= steps // d:
        raise TengenError(f"m is from 1 to steps / arms = {steps // d}, not {m}")
    fewer = max(1, min(repetitions, max(20, repetitions // GAP_SHARE)))
    work = 2 * repetitions + (repetitions + fewer) * len(GAPS)

    def tell(done: int) -> None:
        if advance:
            advance(done / work)

    checkpoints = np.unique(np.geomspace(1, steps, 100).round().astype(np.int64))
    ucb = play_ucb(arms, alpha, steps, repetitions, checkpoints, seed, threads, tell)
    choices = {KNOWING: m_for_gaps(arms.gaps, steps), BLIND: m_for_any_gaps(d, steps)}
    if m is not None:
        choices[GIVEN] = m
    grid = np.geomspace(1, steps // d, 60).round().astype(np.int64)
    grid = np.unique(np.concatenate([grid, np.array(list(choices.values()), np.int64)]))
    etc = play_etc(arms, grid, steps, repetitions, seed + 1, threads, tell)
    at_end = np.array([steps])
    over_m = Sample.of(np.concatenate([etc.regret(int(k), at_end) for k in grid], axis=1))
    choices[MEASURED] = int(grid[np.argmin(over_m.mean)])
    return Experiment(
        arms, alpha, steps, repetitions, checkpoints, Sample.of(ucb.regret), ucb.pulls.mean(axis=0),
        {name: (k, Sample.of(etc.regret(k, checkpoints))) for name, k in choices.items()},
        grid, over_m, _over_gaps(arms, alpha, steps, (fewer, repetitions), seed + 2, threads, tell),
    )  # fmt: skip


def _over_gaps(
    arms: Arms,
    alpha: float,
    steps: int,
    repetitions: tuple[int, int],
    seed: int,
    threads: int,
    tell: Callable[[int], None],
) -> OverGaps:
    """Two arms of the same kind; the m that knows the gap is another one for every gap. Repetitions: of UCB, and of ETC."""
    at_end = np.array([steps])
    ucb, knowing, blind = [], [], []
    blind_m = m_for_any_gaps(2, steps)
    for gap in GAPS:
        two = Arms((0.5 + gap / 2, 0.5 - gap / 2), arms.kind, arms.deviation)
        ucb.append(play_ucb(two, alpha, steps, repetitions[0], at_end, seed, threads, tell).regret)
        known_m = m_for_gaps(two.gaps, steps)
        etc = play_etc(two, np.unique([known_m, blind_m]), steps, repetitions[1], seed, threads, tell)
        knowing.append(etc.regret(known_m, at_end))
        blind.append(etc.regret(blind_m, at_end))
    samples = (Sample.of(np.concatenate(parts, axis=1)) for parts in (ucb, knowing, blind))
    return OverGaps(GAPS, *samples)
