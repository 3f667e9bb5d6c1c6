"""Algorithms 7 and 8, step by step, beside values by hand and beside plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tengen.bandits import playing
from tengen.bandits.arms import Arms
from tengen.bandits.experiment import BLIND, KNOWING, MEASURED, run_experiment
from tengen.bandits.playing import play_etc, play_ucb
from tengen.errors import TengenError

CERTAIN = Arms((1.0, 0.0))
"""One arm pays always and one never: nothing is left to chance but which of them is tried first."""


def test_ucb_by_hand():
    """With α = ½ the index is mean + sqrt(ln t / S). Each arm once; then the good one, until its certainty costs more than
    it pays: sqrt(ln t)·(1 − 1/sqrt(t − 2)) > 1, which is 0.981 at t = 10 and 1.032 at t = 11."""
    steps = np.arange(1, 12)
    result = play_ucb(CERTAIN, 0.5, 11, 8, steps)
    assert (result.regret[:, 1:10] == 1).all()  # of the first two steps, one
    assert (result.regret[:, 10] == 2).all()
    assert (result.pulls == [9, 2]).all()
    assert {0.0, 1.0} == set(result.regret[:, 0])  # either arm is tried first, in some repetition


def test_etc_by_hand():
    """m = 3: six pulls in turn, three of them wrong; then never again."""
    steps = np.array([2, 4, 6, 7, 50])
    regret = play_etc(CERTAIN, np.array([3]), 50, 8).regret(3, steps)
    assert (regret == [1, 2, 3, 3, 3]).all()


def test_etc_commits_to_the_wrong_arm_as_often_as_it_must():
    """After one pull of each: wrong alone 0.5·0.2, a tie 0.8·0.5 + 0.2·0.5, broken by chance. Together 0.35."""
    arms, n = Arms((0.8, 0.5)), 20_000
    wrong = (play_etc(arms, np.array([1]), 100, n).chosen == 1).mean()
    assert wrong == pytest.approx(0.35, abs=4 * math.sqrt(0.35 * 0.65 / n))


def slow_ucb(means, alpha, steps):
    """Algorithm 8 as the report prints it, with +∞, for arms that always pay their mean; no two indices are ever equal."""
    pulls, sums, regret, order = [0] * len(means), [0.0] * len(means), [], list(range(len(means)))
    for t in range(1, steps + 1):
        index = [
            sums[i] / pulls[i] + math.sqrt(2 * alpha * math.log(t) / pulls[i]) if pulls[i] else math.inf for i in order
        ]
        arm = index.index(max(index))
        pulls[arm] += 1
        sums[arm] += means[arm]
        regret.append((regret[-1] if regret else 0.0) + max(means) - means[arm])
    return regret, pulls


@pytest.mark.parametrize("alpha", [0.25, 2.1, 5.0])
def test_ucb_is_algorithm_8(alpha):
    means, steps = (0.31, 0.9, 0.5, 0.2), 600
    result = play_ucb(Arms(means, "gaussian", 1e-12), alpha, steps, 5, np.arange(1, steps + 1))
    regret, pulls = slow_ucb(means, alpha, steps)
    assert (result.pulls == pulls).all()
    np.testing.assert_allclose(result.regret[:, len(means) - 1 :], np.tile(regret[len(means) - 1 :], (5, 1)), atol=1e-6)


def test_regret_is_of_means_not_of_luck():
    arms = Arms((0.8, 0.5, 0.3))
    result = play_ucb(arms, 2.1, 500, 30, np.array([500]))
    np.testing.assert_allclose(result.regret[:, 0], result.pulls @ arms.gaps)
    assert (result.pulls.sum(axis=1) == 500).all()


def test_etc_for_several_m_is_etc_for_each():
    arms, m, steps = Arms((0.0, 0.1, -0.3), "gaussian"), np.array([1, 4, 30]), np.array([1, 5, 20, 100])
    together = play_etc(arms, m, 100, 50, 7)
    for k in m:
        alone = play_etc(arms, np.array([k]), 100, 50, 7)
        np.testing.assert_array_equal(together.regret(int(k), steps), alone.regret(int(k), steps))


@pytest.mark.parametrize("kind", ["bernoulli", "gaussian"])
def test_threads_and_chunks_change_nothing_and_seeds_do(kind, monkeypatch):
    arms, at = Arms((0.6, 0.5, 0.1), kind), np.array([10, 300])
    one = play_ucb(arms, 2.1, 300, 70, at, 3, 1)
    monkeypatch.setattr(playing, "CHUNK", 7)
    many = play_ucb(arms, 2.1, 300, 70, at, 3, 4)
    other = play_ucb(arms, 2.1, 300, 70, at, 4, 1)
    np.testing.assert_array_equal(one.regret, many.regret)
    assert not np.array_equal(one.regret, other.regret)


def test_payments_have_the_distribution_that_is_asked_for():
    """A gaussian arm with a deviation of 2 misleads ETC as often as the normal distribution says: Φ(−Δ·sqrt(m/2)/2)."""
    arms, n = Arms((0.5, 0.0), "gaussian", 2.0), 20_000
    wrong = (play_etc(arms, np.array([8]), 100, n).chosen == 1).mean()
    expected = 0.5 * math.erfc(0.5 * math.sqrt(8 / 2) / 2 / math.sqrt(2))
    assert wrong == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / n))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"steps": 2}, "as many as arms"), ({"steps": 10**8}, "at most"), ({"repetitions": 0}, "repetitions are"),
        ({"repetitions": 10**7}, "repetitions are"), ({"alpha": math.nan}, "alpha"), ({"m": 0}, "m is from"),
        ({"m": 1000}, "m is from"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_refused(change, complaint):
    asked = {"alpha": 2.1, "steps": 300, "repetitions": 2, "m": None, **change}
    with pytest.raises(TengenError, match=complaint):
        run_experiment(Arms((0.5, 0.2, 0.1)), **asked)


def test_what_would_take_for_ever_or_all_memory_is_refused():
    many = Arms(tuple(i / 2000 for i in range(2000)))
    with pytest.raises(TengenError, match="steps × arms"):
        play_ucb(many, 2.1, 1_000_000, 1, np.array([1]))
    with pytest.raises(TengenError, match="repetitions × arms"):
        play_ucb(many, 2.1, 2000, 100_000, np.array([1]))


def test_the_experiment_shows_what_the_page_says():
    """ETC that knows the gaps beats ETC that does not; UCB, which knows nothing, is near the better of them everywhere."""
    shares = []
    found = run_experiment(Arms((0.8, 0.5, 0.3, 0.1)), steps=5000, repetitions=100, advance=shares.append)
    assert sum(shares) == pytest.approx(1)
    assert found.checkpoints[-1] == 5000
    at_end = {name: sample.mean[-1] for name, (_, sample) in found.etc.items()}
    assert at_end[MEASURED] <= at_end[KNOWING] < at_end[BLIND]
    assert at_end[MEASURED] == found.over_m.mean.min()
    over = found.over_gaps
    assert (over.ucb.mean < 2 * over.etc_knowing.mean + 1).all()
    assert over.etc.mean[-1] > 3 * over.ucb.mean[-1]  # a large gap, and an m for small ones
    assert found.pulls.sum() == pytest.approx(5000)


@pytest.mark.jit
def test_a_hundred_thousand_steps_a_thousand_times_is_a_matter_of_seconds():
    """No absolute time: a step costs what it costs a compiled loop, thousands of times less than plain Python's."""
    import time

    arms, at = Arms((0.8, 0.5, 0.3, 0.1)), np.array([1000])
    play_ucb(arms, 2.1, 1000, 1, at)  # compiled
    start = time.process_time()
    play_ucb(arms, 2.1, 10_000, 100, np.array([10_000]))
    compiled = (time.process_time() - start) / 1_000_000
    start = time.process_time()
    slow_ucb(arms.means, 2.1, 10_000)
    plain = (time.process_time() - start) / 10_000
    assert compiled < plain / 20
