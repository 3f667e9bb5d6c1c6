"""Ratings and the tournament of progressive policies."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.agents import parse_agent
from tengen.arena.ratings import elo_ratings
from tengen.arena.topp import Topp
from tengen.errors import SpecError
from tengen.games import Hex


def test_ratings_of_a_known_model_are_found():
    true = np.array([-300.0, -50.0, 100.0, 250.0])
    games = np.full((4, 4), 4000.0)
    np.fill_diagonal(games, 0)
    points = games / (1 + 10 ** ((true[None, :] - true[:, None]) / 400))
    rating, interval = elo_ratings(points, games)
    assert rating == pytest.approx(true - true.mean(), abs=3)
    assert (interval[:, 0] < rating).all()
    assert (interval[:, 1] - interval[:, 0]).max() < 25
    fewer = elo_ratings(points / 100, games / 100)[1]
    assert (fewer[:, 1] - fewer[:, 0] > interval[:, 1] - interval[:, 0]).all()


def test_intervals_cover_the_truth():
    """In 95 of 100 worlds the interval holds the true distance to the mean."""
    chooser = np.random.default_rng(1)
    true = np.array([-150.0, 0.0, 150.0])
    hits = 0
    for _ in range(300):
        games, points = np.zeros((3, 3)), np.zeros((3, 3))
        for i in range(3):
            for j in range(i + 1, 3):
                p = 1 / (1 + 10 ** ((true[j] - true[i]) / 400))
                won = chooser.binomial(60, p)
                points[i, j], points[j, i] = won, 60 - won
                games[i, j] = games[j, i] = 60
        interval = elo_ratings(points, games)[1]
        hits += ((interval[:, 0] <= true) & (true <= interval[:, 1])).sum()
    assert 0.91 < hits / 900 < 0.99


def test_a_clean_sweep_has_a_finite_rating():
    points = np.array([[0.0, 10.0], [0.0, 0.0]])
    games = np.array([[0.0, 10.0], [10.0, 0.0]])
    rating, interval = elo_ratings(points, games)
    assert np.isfinite(interval).all()
    assert rating[0] > 200
    assert rating.sum() == pytest.approx(0)


def test_a_round_robin_finds_the_order_of_strength():
    names = ["random", "uct,simulations=20", "uct,simulations=400"]
    pairs = []
    result = Topp(Hex(4), [parse_agent(name) for name in names], names).play(
        20, seed=1, on_pair=lambda i, j, r: pairs.append((i, j))
    )
    assert pairs == [(0, 1), (0, 2), (1, 2)]
    assert result.rank_correlation == 1.0
    assert result.score[2, 0] > 0.8
    assert result.score[0, 1] == pytest.approx(1 - result.score[1, 0])
    assert (result.distinct[np.triu_indices(3, 1)] == 20).all()
    data = result.as_json()
    assert set(data) >= {"names", "score", "rating", "interval"}
    with pytest.raises(SpecError):
        Topp(Hex(4), [parse_agent("random")], ["random"])
