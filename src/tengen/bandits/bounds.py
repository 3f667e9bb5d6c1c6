"""What regret can be at most, as the report on HMCTS and UCT states it, and what follows for ETC's m.

All three bounds are for expected regret, with payments that are 1-subgaussian around their means: normal ones with a
deviation of at most 1, or any in [0, 1]. Proofs: Orabona, *A Modern Introduction to Online Learning*, chapter 10.

    ETC, 1 ≤ m ≤ T/d   m·ΣΔ + (T − m·d)·Σ Δ·exp(−m·Δ²/4)
    UCB, α > 2         α/(α−2)·ΣΔ + Σ 8α·ln T / Δ         over the arms with Δ > 0
    UCB, α > 2         4·sqrt(2α·d·T·ln T) + α/(α−2)·ΣΔ   whatever the gaps are
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tengen.bandits.arms import Arms

Array = NDArray[np.float64]


def bounds_hold(arms: Arms, alpha: float | None = None) -> bool:
    """Whether the assumptions are met: of ETC, or of UCB with this α."""
    return arms.subgaussian <= 1 and (alpha is None or alpha > 2)


def etc_bound(gaps: Array, steps: NDArray[np.int64] | int, m: NDArray[np.int64] | int) -> Array:
    """For T = `steps` and `m`, numbers or arrays that fit together; 1 ≤ m ≤ T/d."""
    t, rounds = np.asarray(steps, float), np.asarray(m, float)
    wrong = np.sum(gaps * np.exp(-rounds[..., None] * gaps**2 / 4), axis=-1)
    return np.asarray(rounds * gaps.sum() + (t - rounds * len(gaps)) * wrong)


def ucb_bound(gaps: Array, steps: NDArray[np.int64] | int, alpha: float) -> Array:
    """The one that knows the gaps."""
    positive = gaps[gaps > 0]
    return np.asarray(
        alpha / (alpha - 2) * gaps.sum() + np.log(np.asarray(steps, float)) * np.sum(8 * alpha / positive)
    )


def ucb_bound_for_any_gaps(gaps: Array, steps: NDArray[np.int64] | int, alpha: float) -> Array:
    """The one in which the gaps hardly count: it holds, and stays useful, when they are tiny."""
    t = np.asarray(steps, float)
    return np.asarray(4 * np.sqrt(2 * alpha * len(gaps) * t * np.log(t)) + alpha / (alpha - 2) * gaps.sum())


def m_for_gaps(gaps: Array, steps: int) -> int:
    """The m that makes the bound of ETC smallest: only who knows the gaps can choose it."""
    m = np.arange(1, steps // len(gaps) + 1)
    return int(m[np.argmin(etc_bound(gaps, steps, m))])


def m_for_any_gaps(arms: int, steps: int) -> int:
    """The m for someone who knows only that gaps are at most 1: it makes the bound smallest where that is largest.

    Δ·exp(−m·Δ²/4) is at most sqrt(2/(e·m)), whatever Δ is, and m·Δ at most m. The sum m + T·sqrt(2/(e·m)), once for
    each worse arm, is smallest at m = (T / sqrt(2e))^(2/3). Regret then grows as T^(2/3).
    """
    best: float = (steps / math.sqrt(2 * math.e)) ** (2 / 3)
    return max(1, min(round(best), steps // arms))
