"""Explore-then-commit and UCB, compiled: algorithms 7 and 8 of the report on HMCTS and UCT.

    ETC   pull every arm m times, then only the one with the best mean
    UCB   in step t pull the arm with the largest  mean + sqrt(2α ln t / S),  S: how often it has been pulled

An arm that has not been pulled has the index +∞ (the report prints −∞, with which the first arm would be pulled for ever).
Regret is what the best arm would have paid more, T·μ* − Σ μ(arm pulled): the expected payments, not those that were drawn,
so that its mean is the regret and its noise is only that of the choices.

Every repetition has a random state of its own, so threads change nothing, and sees the arms in an order of its own, so
that ties, which go to the first, favour no arm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.bandits.arms import Arms
from tengen.compiling import inner, kernel
from tengen.errors import TengenError
from tengen.games.randomness import below, normal, random_state, uniform
from tengen.games.types import FloatArray, RandomState

MOST_STEPS = 10_000_000
MOST_REPETITIONS = 100_000
MOST_WORK = 1_000_000_000
"""Steps times arms of a repetition: some seconds."""
MOST_NUMBERS = 10_000_000
"""Repetitions times arms, of which there are several tables."""
CHUNK = 20
"""Repetitions that a thread plays, at most, before it looks up: Ctrl-C waits no longer than that."""
CHUNK_WORK = 40_000_000
"""Steps times arms of them together, unless one alone has more."""

Advance = Callable[[int], None]


@dataclass(frozen=True)
class UcbResult:
    """What UCB did."""

    regret: NDArray[np.float64]
    """[repetitions, checkpoints]"""
    pulls: NDArray[np.int64]
    """[repetitions, arms] in all steps."""


@dataclass(frozen=True)
class EtcResult:
    """Which arm ETC commits to, for several m at once: the first pulls are the same for all of them."""

    gaps: NDArray[np.float64]
    m: NDArray[np.int64]
    chosen: NDArray[np.int64]
    """[repetitions, m]"""
    order: NDArray[np.int64]
    """[repetitions, arms] in which they are pulled, over and over."""

    def regret(self, m: int, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """[repetitions, steps] of ETC with this m, which is one of those explored."""
        arms, total = len(self.gaps), self.gaps.sum()
        committed = self.gaps[self.chosen[:, int(np.flatnonzero(self.m == m)[0])]]
        begun = np.cumsum(self.gaps[self.order], axis=1)  # the first arms of a round of pulls
        begun = np.concatenate([np.zeros((len(begun), 1)), begun], axis=1)
        exploring = (steps // arms) * total + begun[:, steps % arms]
        after = m * total + (steps - m * arms) * committed[:, None]
        return np.asarray(np.where(steps <= m * arms, exploring, after))


def play_ucb(
    arms: Arms, alpha: float, steps: int, repetitions: int, checkpoints: NDArray[np.int64],
    seed: int = 0, threads: int = 1, advance: Advance | None = None,
) -> UcbResult:  # fmt: skip
    """Play UCB, `repetitions` times; the regret is noted at the checkpoints, rising numbers of steps."""
    _check(arms, steps, repetitions)
    if not 0 <= alpha < math.inf:
        raise TengenError(f"alpha is 0 or more, and finite, not {alpha}")
    factor = np.sqrt(2 * alpha * np.log(np.arange(steps + 1), where=np.arange(steps + 1) > 0, out=np.zeros(steps + 1)))
    regret, pulls = np.zeros((repetitions, len(checkpoints))), np.zeros((repetitions, len(arms.means)), np.int64)
    random, means = _states(seed, repetitions), np.array(arms.means)

    def play(low: int, high: int) -> None:
        ucb(
            means, arms.kind == "gaussian", float(arms.deviation), factor, checkpoints, random[low:high],
            regret[low:high], pulls[low:high],
        )  # fmt: skip

    _in_chunks(play, repetitions, steps * len(arms.means), threads, advance)
    return UcbResult(regret, pulls)


def play_etc(
    arms: Arms, m: NDArray[np.int64], steps: int, repetitions: int,
    seed: int = 0, threads: int = 1, advance: Advance | None = None,
) -> EtcResult:  # fmt: skip
    """Explore, `repetitions` times, for every m given (rising, from 1 to steps / arms)."""
    _check(arms, steps, repetitions)
    d = len(arms.means)
    if not len(m) or m[0] < 1 or m[-1] * d > steps or (np.diff(m) <= 0).any():
        raise TengenError(f"m is from 1 to steps / arms = {steps // d}")
    chosen, order = np.zeros((repetitions, len(m)), np.int64), np.zeros((repetitions, d), np.int64)
    random, means = _states(seed, repetitions), np.array(arms.means)

    def play(low: int, high: int) -> None:
        explore(
            means,
            arms.kind == "gaussian",
            float(arms.deviation),
            m,
            random[low:high],
            chosen[low:high],
            order[low:high],
        )

    _in_chunks(play, repetitions, steps * len(arms.means), threads, advance)
    return EtcResult(arms.gaps, m, chosen, order)


def _check(arms: Arms, steps: int, repetitions: int) -> None:
    if not len(arms.means) <= steps <= MOST_STEPS:
        raise TengenError(f"steps are at least as many as arms, {len(arms.means)}, and at most {MOST_STEPS:,}")
    if not 1 <= repetitions <= MOST_REPETITIONS:
        raise TengenError(f"repetitions are 1 to {MOST_REPETITIONS:,}, not {repetitions}")
    if steps * len(arms.means) > MOST_WORK:
        raise TengenError(f"steps × arms are at most {MOST_WORK:,}: a step of UCB looks at every arm")
    if repetitions * len(arms.means) > MOST_NUMBERS:
        raise TengenError(f"repetitions × arms are at most {MOST_NUMBERS:,}")


def _states(seed: int, repetitions: int) -> NDArray[np.uint64]:
    """[repetitions, 1]"""
    return np.stack([random_state(seed * 1_000_003 + number) for number in range(repetitions)])


def _in_chunks(
    play: Callable[[int, int], None], repetitions: int, work: int, threads: int, advance: Advance | None
) -> None:
    """All repetitions, some at a time; the first chunk alone, so that its code is compiled once."""
    chunk = max(1, min(CHUNK, CHUNK_WORK // work))
    starts = range(0, repetitions, chunk)

    def one(low: int) -> int:
        high = min(low + chunk, repetitions)
        play(low, high)
        return high - low

    def tell(done: int) -> None:
        if advance:
            advance(done)

    tell(one(0))
    with ThreadPoolExecutor(threads) as pool:
        try:
            for done in pool.map(one, starts[1:]):
                tell(done)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


@inner
def pay(random: RandomState, mean: float, is_gaussian: bool, deviation: float) -> float:
    """What an arm pays."""
    if is_gaussian:
        return mean + deviation * normal(random)
    return 1.0 if uniform(random) < mean else 0.0


@inner
def shuffle(random: RandomState, order: NDArray[np.int64]) -> None:
    """The numbers 0, 1, 2 … in a random order (Fisher and Yates)."""
    for i in range(len(order)):
        j = int(below(random, i + 1))
        order[i] = order[j]
        order[j] = i


@kernel
def ucb(
    means: FloatArray,
    is_gaussian: bool,
    deviation: float,
    factor: FloatArray,  # [steps + 1] sqrt(2α ln t)
    checkpoints: NDArray[np.int64],
    random: NDArray[np.uint64],  # [repetitions, 1]
    regret: FloatArray,  # [repetitions, checkpoints]
    pulls: NDArray[np.int64],  # [repetitions, arms]
) -> None:
    """UCB. As in the tree search, a step costs one multiplication an arm: what belongs to an arm changes when it is pulled."""
    d, best_mean = len(means), means.max()
    order = np.empty(d, np.int64)
    average, bonus, count = np.empty(d), np.empty(d), np.empty(d, np.int64)
    for r in range(len(random)):
        shuffle(random[r], order)
        lost, noted = 0.0, 0
        for t in range(1, len(factor)):
            if t <= d:  # an index of +∞
                i = t - 1
                average[i] = 0.0
                count[i] = 0
            else:
                i, best = 0, -np.inf
                for j in range(d):
                    index = average[j] + factor[t] * bonus[j]
                    if index > best:
                        i, best = j, index
            mean = means[order[i]]
            count[i] += 1
            average[i] += (pay(random[r], mean, is_gaussian, deviation) - average[i]) / count[i]
            bonus[i] = 1.0 / math.sqrt(count[i])
            lost += best_mean - mean
            if noted < len(checkpoints) and checkpoints[noted] == t:
                regret[r, noted] = lost
                noted += 1
        for j in range(d):
            pulls[r, order[j]] = count[j]


@kernel
def explore(
    means: FloatArray,
    is_gaussian: bool,
    deviation: float,
    m: NDArray[np.int64],  # rising
    random: NDArray[np.uint64],  # [repetitions, 1]
    chosen: NDArray[np.int64],  # [repetitions, m]
    order: NDArray[np.int64],  # [repetitions, arms]
) -> None:
    """ETC's exploration. What it is paid after that it never looks at, so nothing more has to be drawn."""
    d = len(means)
    total = np.empty(d)
    for r in range(len(random)):
        shuffle(random[r], order[r])
        for i in range(d):
            total[i] = 0.0
        done = 0
        for k in range(len(m)):
            while done < m[k]:
                for i in range(d):
                    total[i] += pay(random[r], means[order[r, i]], is_gaussian, deviation)
                done += 1
            best = 0
            for i in range(1, d):
                if total[i] > total[best]:
                    best = i
            chosen[r, k] = order[r, best]
