"""Gumbel's plan, its noise, and what is learned from it. Node for node it is compared in test_agreement.py."""

from __future__ import annotations

import numpy as np
import pytest
from evaluators import hashed, uniform

from tengen.games import Hex, Position
from tengen.search import Forest, Search, SearchSettings
from tengen.search.gumbel import PARTS, visits_due
from tengen.selfplay.worker import SelfPlaySettings, Worker


@pytest.mark.parametrize(
    ("considered", "planned", "visits"),
    [
        (16, 16, [1] * 16),
        (8, 16, [4, 4, 2, 2, 1, 1, 1, 1]),
        (4, 32, [12, 12, 4, 4]),
        (4, 9, [4, 3, 1, 1]),
        (2, 5, [3, 2]),
        (1, 5, [5]),
        (3, 12, [5, 5, 2]),
        (8, 3, [1, 1, 1]),
    ],
)
def test_the_plan_halves_the_moves(considered, planned, visits):
    """Followed with moves that are always better the lower their number."""
    made = [0] * considered
    for turn in range(planned):
        due = visits_due(considered, planned, turn)
        made[next(move for move in range(considered) if made[move] == due)] += 1
    assert [n for n in made if n] == visits


def search(evaluator=hashed, seed=1, **settings):
    chosen = SearchSettings(selection="gumbel", evaluation="network", **settings)
    forest = Forest(Hex(4), chosen, seed=seed)
    forest.begin(0, chosen.simulations)
    forest.run(evaluator)
    return forest


def test_no_more_moves_are_tried_than_are_considered():
    for considered in (1, 3, 8):
        assert np.count_nonzero(search(simulations=60, considered=considered).visits(0)) == considered


def test_noise_changes_what_is_considered_and_without_it_nothing_is_random():
    def considered(**settings):
        return [
            tuple(np.flatnonzero(search(simulations=8, considered=3, seed=n, **settings).visits(0))) for n in range(8)
        ]

    assert len(set(considered())) == 1
    assert len(set(considered(noise=1.0))) > 4


def test_noise_with_two_simulations_draws_moves_by_their_priors():
    """Gumbel's trick: argmax of g + log P is a draw from P."""
    prior = search(simulations=2).priors(0)
    drawn = np.zeros(16)
    forest = Forest(Hex(4), SearchSettings(selection="gumbel", evaluation="network", simulations=2, noise=1.0), 600, 1)
    for tree in range(600):
        forest.begin(tree, 2)
    forest.run(hashed)
    for tree in range(600):
        drawn[forest.visits(tree).argmax()] += 1
    assert np.abs(drawn / 600 - prior).max() < 0.06


def test_the_improved_policy_prefers_better_moves_and_adds_up():
    forest = search(uniform, simulations=1)
    assert forest.weights(0)[0].sum() == pytest.approx(PARTS, abs=16)
    assert np.ptp(forest.weights(0)[0]) == 0  # nothing is known but the prior
    forest = search(simulations=64)
    weights, q = forest.weights(0)[0], forest.values(0)
    ratio = weights / np.maximum(forest.priors(0), 1e-9)
    tried = np.flatnonzero(forest.visits(0))
    best, worst = tried[q[tried].argmax()], tried[q[tried].argmin()]
    assert ratio[best] > ratio[worst]


def test_a_search_that_goes_on_after_its_plan_looks_at_the_other_moves_too():
    forest = search(simulations=10, considered=2, c=0.02)
    assert np.count_nonzero(forest.visits(0)) == 2
    forest.begin(0, 300, fresh_noise=False)
    forest.run(hashed)
    assert np.count_nonzero(forest.visits(0)) > 8


def test_limits_by_time_are_kept():
    settings = SearchSettings(selection="gumbel", simulations=0, time=0.2)
    result = Search(Hex(4), settings, seed=1).run(Position(Hex(4)))
    assert result.simulations > 10
    assert result.best == result.chosen


def test_self_play_keeps_the_improved_policy():
    settings = SearchSettings(selection="gumbel", evaluation="network", simulations=12, noise=1.0, reuse=False)
    numbers = iter(range(6))
    worker = Worker(Hex(4), settings, SelfPlaySettings(slots=2), 1, lambda: next(numbers, None), hashed)
    records = []
    while not worker.is_done:
        records += worker.play()
    assert len(records) == 6
    for record in records:
        for weights in record.visits:
            assert sum(weights.values()) == pytest.approx(PARTS, abs=16)
    assert len({record.moves for record in records}) == 6
