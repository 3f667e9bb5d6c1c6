"""HMCTS is ETC and UCT is UCB: on a Gomoku position, by the search's own statistics."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tengen.bandits.bounds import etc_bound, ucb_bound, ucb_bound_for_any_gaps
from tengen.bandits.root import FLAT, PLAYED, PROVEN, TREE, alpha_of, make_forest, root_bandit
from tengen.errors import TengenError
from tengen.games import Gomoku, Hex, Position
from tengen.search import SearchSettings

FIGHT = Position(Gomoku(9), ["e5", "e4", "d4", "f4", "f6", "d6"])


@pytest.fixture(scope="module")
def found():
    return root_bandit(FIGHT, 75 * 240 + 7, 2.1, 4, seed=3, threads=2, truth=400)


@pytest.mark.parametrize("c", [0.5, 0.2, math.sqrt(2.1)])
def test_ucb1_at_the_root_is_algorithm_8(c):
    """Simulation by simulation: the move visited is the argmax of mean + sqrt(2α ln t / S), of the search's own numbers."""
    moves = FIGHT.legal_moves
    forest = make_forest(FIGHT, SearchSettings(selection="ucb1", c=c), 5, has_tree=False)
    before, checked = forest.visits(0)[moves], 0
    for t in range(1, 400):
        means = (forest.values(0)[moves] + 1) / 2  # a loss pays 0, a win 1
        forest.begin(0, 1)
        forest.run()
        after = forest.visits(0)[moves]
        arm = int(np.argmax(after - before))
        assert (after - before).sum() == 1
        if t <= len(moves):
            assert before[arm] == 0  # an index of +∞
        else:
            index = means + np.sqrt(2 * c * c * math.log(t) / before)
            assert index[arm] >= index.max() - 1e-5
            checked += 1
        before = after
    assert checked > 300


def test_flat_is_the_exploration_of_etc(found):
    flat = found.searches[FLAT].visits
    assert found.checkpoints[-1] == 75 * 240  # rounded down, so that each gets as much
    assert (flat[:, -1] == 240).all()
    assert flat.sum(axis=2).tolist() == [found.checkpoints.tolist()] * 4
    assert (flat.max(axis=2) - flat.min(axis=2) <= 1).all()  # in turn, at any time
    regret = found.regret(FLAT)
    assert regret.mean[-1] == pytest.approx(240 * found.gaps.sum())
    assert regret.mean[-1] <= float(etc_bound(found.gaps, 18_000, 240)) + 1e-6


def test_the_bounds_hold_at_the_root(found):
    late = found.checkpoints > 1
    t, regret = found.checkpoints[late], found.regret(PROVEN).mean[late]
    assert alpha_of(found.searches[PROVEN].settings) == pytest.approx(2.1)
    assert (regret <= ucb_bound(found.gaps, t, 2.1)).all()
    assert (regret <= ucb_bound_for_any_gaps(found.gaps, t, 2.1)).all()


def test_ucb_finds_what_flat_pays_for(found):
    """White must break up three in a row: its ends are by far the best moves, and UCB spends its simulations there."""
    names = [found.position.game.move_name(found.arms[i]) for i in np.argsort(found.gaps)[:2]]
    assert set(names) == {"g7", "c3"}
    assert found.regret(PLAYED).mean[-1] < 0.75 * found.regret(FLAT).mean[-1]
    visits = found.searches[PLAYED].visits[:, -1].mean(axis=0)
    assert np.sort(visits)[-2:].sum() > 10 * 2 * np.median(visits)
    assert found.searches[TREE].visits.shape[0] == 1
    for name in (FLAT, PLAYED, PROVEN, TREE):
        assert (found.searches[name].visits[:, -1].sum(axis=1) == 18_000).all()


def test_without_a_tree_there_is_none():
    forest = make_forest(FIGHT, SearchSettings(selection="ucb1"), 1, has_tree=False)
    forest.begin(0, 500)
    forest.run()
    assert len(forest.trees.nodes[0]) <= 1 + FIGHT.game.move_count()


def test_threads_change_nothing():
    position = Position(Gomoku(3, line=3), ["a1"])
    one, many = (root_bandit(position, 80, 2.1, 6, 9, threads, truth=50) for threads in (1, 4))
    for name in (FLAT, PLAYED, PROVEN, TREE):
        np.testing.assert_array_equal(one.searches[name].visits, many.searches[name].visits)
    np.testing.assert_array_equal(one.means, many.means)


@pytest.mark.parametrize(
    ("position", "simulations", "complaint"),
    [
        (Position(Gomoku(3, line=3), ["a1", "b1", "a2", "b2", "a3"]), 100, "over"),
        (Position(Gomoku(3, line=3), ["a1", "b1", "a2", "b2", "b3", "a3", "c1", "c2"]), 100, "one move"),
        (Position(Hex(3)), 8, "from 9"),
        (Position(Hex(3)), 10**7, "1,000,000"),
    ],
)
def test_positions_that_are_no_bandit_are_refused(position, simulations, complaint):
    with pytest.raises(TengenError, match=complaint):
        root_bandit(position, simulations, 2.1, 1)
