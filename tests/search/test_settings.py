"""Settings: bad ones are refused in a sentence, and none does nothing."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tengen.errors import SpecError
from tengen.search import SearchSettings, draw_move, move_probabilities


@pytest.mark.parametrize(
    "bad",
    [
        {"selection": "best"}, {"evaluation": "oracle"}, {"first_play": "never"},
        {"simulations": -1}, {"simulations": 0}, {"time": -1.0}, {"c": -0.1}, {"c": float("nan")}, {"c": float("inf")},
        {"epsilon": 1.5}, {"epsilon": float("nan")}, {"noise": 2.0}, {"discount": 0.0}, {"discount": 1.1}, {"memory": 0},
        {"temperature": -1.0}, {"first_play_value": 5.0}, {"rollout_moves": -3},
        {"time": float("inf")}, {"temperature": float("inf")}, {"rollout_moves": 10**30},
        {"selection": "puct", "noise": 0.25, "noise_alpha": float("inf")},
        # settings that the rule would not read
        {"selection": "uct", "noise": 0.25}, {"selection": "puct", "noise_alpha": 0.3}, {"selection": "flat", "c": 1.0},
        {"selection": "ucb1", "first_play": "parent"}, {"selection": "flat", "epsilon": 0.1}, {"temperature_moves": 5},
        {"evaluation": "network", "rollout_moves": 5}, {"evaluation": "network", "rollouts": "network"},
        {"rollout_epsilon": 0.1}, {"rollout_choice": "sample"}, {"mix": 0.3}, {"sigma": 0.5}, {"rollouts": "wild"},
        {"evaluation": "sigma", "sigma": 1.5}, {"selection": "flat", "reuse": False},
        {"selection": "flat", "temperature": 1.0},
        {"batch": 4}, {"evaluation": "network", "batch": 0}, {"evaluation": "network", "batch": 2000},
        {"solver": True, "candidates": "likely"}, {"batch": 4, "evaluation": "mix", "rollouts": "likely"},
        {"considered": 8}, {"c_visit": 10.0}, {"selection": "gumbel", "c_visit": -1.0}, {"selection": "gumbel", "considered": -1},
        {"selection": "gumbel", "noise": 1.0, "noise_alpha": 0.3}, {"selection": "gumbel", "first_play": "parent"},
        {"selection": "flat", "solver": True}, {"discount": 0.9, "solver": True},
        {"candidates": "best"}, {"rollouts": "knowledge", "evaluation": "network"}, {"most_likely": 5}, {"most_likely": -1},
        {"candidates": "urgent", "most_likely": 5}, {"rollouts": "urgent", "rollout_epsilon": 0.1},
    ],
    ids=str,
)  # fmt: skip
def test_bad_settings_are_refused_in_one_line(bad):
    with pytest.raises(SpecError) as caught:
        SearchSettings(**bad)
    assert "\n" not in str(caught.value)
    assert any(name in str(caught.value) for name in bad)


def test_temperature_schedule():
    settings = SearchSettings(temperature=1.0, temperature_moves=10)
    assert [settings.temperature_at(n) for n in (0, 9, 10, 50)] == [1.0, 1.0, 0.0, 0.0]
    assert SearchSettings(temperature=0.5).temperature_at(1000) == 0.5
    assert SearchSettings(temperature=1.0, temperature_moves=10, temperature_end=0.2).temperature_at(10) == 0.2


def test_a_move_with_a_single_visit_is_not_drawn_late():
    settings = SearchSettings(temperature=1.0, temperature_moves=10, temperature_end=1.0 / 2)
    assert settings.move_odds([6, 1, 3], 9) == pytest.approx([0.6, 0.1, 0.3])
    assert settings.move_odds([6, 1, 3], 10) == pytest.approx([0.8, 0, 0.2])
    assert settings.move_odds([1, 1, 0], 10) == pytest.approx([0.5, 0.5, 0])  # there is nothing better


def test_probabilities_do_not_overflow():
    visits = [1_000_000_000, 999_999_999, 0]
    p = move_probabilities(visits, 0.02)
    assert np.isfinite(p).all()
    assert p.sum() == pytest.approx(1)
    assert p[2] == 0
    with pytest.raises(ValueError, match="visited"):
        move_probabilities([0, 0], 1.0)


def test_moves_are_drawn_by_their_probabilities():
    chooser = random.Random(1)
    drawn = [draw_move(move_probabilities([30, 0, 10], 1.0), chooser) for _ in range(4000)]
    assert drawn.count(0) / 4000 == pytest.approx(0.75, abs=0.03)
    assert 1 not in drawn
