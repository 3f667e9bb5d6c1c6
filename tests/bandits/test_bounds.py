"""The three bounds: values computed by hand, and measured regret below them wherever their assumptions hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tengen.bandits.arms import Arms
from tengen.bandits.bounds import (
    bounds_hold,
    etc_bound,
    m_for_any_gaps,
    m_for_gaps,
    ucb_bound,
    ucb_bound_for_any_gaps,
)
from tengen.bandits.playing import play_etc, play_ucb
from tengen.errors import TengenError

TWO = np.array([0.0, 0.5])
THREE = np.array([0.0, 0.1, 0.4])


def test_values_by_hand():
    # 10·0.5 + (100 − 20)·0.5·exp(−10·0.25/4) = 5 + 40·0.5352614 = 26.41046
    assert float(etc_bound(TWO, 100, 10)) == pytest.approx(26.410457)
    # 7·0.5 + (1000 − 21)·(0.1·exp(−0.0175) + 0.4·exp(−0.28)) = 3.5 + 979·(0.09826522 + 0.3023135) = 395.6663
    assert float(etc_bound(THREE, 1000, 7)) == pytest.approx(395.6663, rel=1e-6)
    # 2.5/0.5·0.5 + 8·2.5·ln 100/0.5 = 2.5 + 40·4.605170 = 186.7068
    assert float(ucb_bound(TWO, 100, 2.5)) == pytest.approx(186.706807)
    # 4·sqrt(2·2.5·2·100·4.605170) + 2.5 = 4·67.861404 + 2.5 = 273.9456
    assert float(ucb_bound_for_any_gaps(TWO, 100, 2.5)) == pytest.approx(273.945616)
    # 3/1·0.5 + 24·ln 1000·(1/0.1 + 1/0.4) = 1.5 + 24·6.9077553·12.5 = 2073.827
    assert float(ucb_bound(THREE, 1000, 3.0)) == pytest.approx(2073.82659)


def test_several_steps_or_m_at_once():
    m = np.array([1, 5, 20])
    assert etc_bound(TWO, 100, m).tolist() == [float(etc_bound(TWO, 100, int(k))) for k in m]
    steps = np.array([2, 10, 100])
    assert ucb_bound(THREE, steps, 3.0).tolist() == [float(ucb_bound(THREE, int(t), 3.0)) for t in steps]


def test_the_m_chosen_makes_the_bound_smallest():
    for gaps in (TWO, THREE, np.array([0.3, 0.0, 0.3, 0.01])):
        best = m_for_gaps(gaps, 10_000)
        bound = [float(etc_bound(gaps, 10_000, m)) for m in range(1, 10_000 // len(gaps) + 1)]
        assert bound[best - 1] == min(bound)


def test_the_m_for_any_gaps_is_best_where_the_bound_is_worst():
    steps, gaps = 20_000, np.linspace(0.001, 1, 300)

    def worst(m):  # the two parts of the bound at their largest, as the docstring has them
        return m + max(steps * gap * math.exp(-m * gap * gap / 4) for gap in gaps)

    chosen = m_for_any_gaps(2, steps)
    assert chosen == round((steps / math.sqrt(2 * math.e)) ** (2 / 3))
    assert all(worst(chosen) <= worst(round(chosen * factor)) for factor in (0.5, 0.8, 1.25, 2))
    assert m_for_any_gaps(100, 200) == 2  # never more than steps / arms
    assert m_for_any_gaps(2, 2) == 1


def test_where_the_bounds_hold():
    wide, narrow = Arms((0.0, 1.0), "gaussian", 1.5), Arms((0.0, 1.0), "gaussian", 1.0)
    assert not bounds_hold(wide)
    assert bounds_hold(narrow)
    assert bounds_hold(Arms((0.1, 0.9)), 2.1)
    assert not bounds_hold(narrow, 2.0)


ARM_SETS = [
    Arms((0.9, 0.1)),
    Arms((0.55, 0.5)),
    Arms((0.8, 0.5, 0.3, 0.1)),
    Arms(tuple(0.2 + 0.03 * i for i in range(20))),
    Arms((0.5, 0.5, 0.2)),
    Arms((0.0, 0.3), "gaussian"),
    Arms((2.0, 1.0, -1.0), "gaussian"),
    Arms((0.1, 0.0, 0.0, 0.0, 0.0), "gaussian", 0.5),
]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("arms", ARM_SETS, ids=lambda arms: f"{arms.kind}-{len(arms.means)}-{max(arms.gaps):.1g}")
def test_regret_stays_below_the_bounds(arms, seed):
    steps, repetitions, d = 3000, 200, len(arms.means)
    assert bounds_hold(arms, 2.1)
    checkpoints = np.unique(np.geomspace(1, steps, 30).round().astype(np.int64))
    for alpha in (2.1, 3.0):
        regret = play_ucb(arms, alpha, steps, repetitions, checkpoints, seed).regret.mean(axis=0)
        assert (regret <= ucb_bound(arms.gaps, checkpoints, alpha)).all()
        assert (regret <= ucb_bound_for_any_gaps(arms.gaps, checkpoints, alpha)).all()
    m = np.unique(np.geomspace(1, steps // d, 25).round().astype(np.int64))
    etc = play_etc(arms, m, steps, repetitions, seed)
    for k in m:
        at = np.append(checkpoints[checkpoints >= k * d], steps)
        regret = etc.regret(int(k), at)
        noise = (
            4 * regret.std(axis=0) / math.sqrt(repetitions) + 1e-9
        )  # at large m, ETC pays its bound nearly to the full
        assert (regret.mean(axis=0) <= etc_bound(arms.gaps, at, int(k)) + noise).all()


def test_the_bound_of_etc_is_no_wild_guess():
    """Where most mistakes are made it is within a factor of ten, so a wrong exponent would break it."""
    arms = Arms((0.3, 0.0), "gaussian")
    regret = float(play_etc(arms, np.array([40]), 3000, 2000).regret(40, np.array([3000])).mean())
    assert regret > float(etc_bound(arms.gaps, 3000, 40)) / 10
    doubled = 40 * 0.3 + (3000 - 80) * 0.3 * math.exp(-40 * 0.09)  # with mΔ² in place of mΔ²/4
    assert regret > doubled


@pytest.mark.parametrize(
    ("means", "kind", "deviation", "complaint"),
    [
        ((0.5,), "bernoulli", 1.0, "2 to"),
        ((0.5, 0.5), "bernoulli", 1.0, "equally good"),
        ((0.5, 1.5), "bernoulli", 1.0, "0 to 1"),
        ((0.5, math.nan), "gaussian", 1.0, "finite"),
        ((0.5, 1.5), "gaussian", 0.0, "deviation"),
        ((0.5, 0.6), "bernoulli", 2.0, "do nothing"),
        ((0.5, 0.6), "poisson", 1.0, "bernoulli or gaussian"),
    ],
)
def test_arms_that_make_no_sense_are_refused(means, kind, deviation, complaint):
    with pytest.raises(TengenError, match=complaint):
        Arms(means, kind, deviation)
