"""DQN and actor-critic: the games that they play, what they are taught, and that they learn a small game and go on after an end."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")

from tengen.agents import parse_agent
from tengen.arena.solo import play_solo
from tengen.errors import SpecError
from tengen.games import CHANCE, Pig, Position
from tengen.networks.settings import NetworkSettings
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory
from tengen.search import SearchSettings
from tengen.training.config import BaselineSettings, RunConfig, TrainingSettings, config_from
from tengen.training.environments import Environments
from tengen.training.loop import Events, train
from tengen.training.transitions import TransitionRing

PIG = Pig(2, limit=12)


@pytest.fixture(autouse=True)
def runs_in_a_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


def test_games_side_by_side_are_games_of_the_rules():
    environments, chooser, gained, records = Environments(PIG, 5, 100), np.random.default_rng(1), np.zeros(5), []
    for _ in range(60):
        legal = environments.legal(environments.positions)
        assert all(PIG.to_move(position) == 0 for position in environments.positions)
        outputs = np.array([chooser.choice(np.flatnonzero(row)) for row in legal])
        rewards, over, after, ended = environments.step(outputs)
        gained += rewards
        assert [PIG.is_over(position) for position in after] == over.tolist()
        assert [game.total for game in ended] == gained[over].tolist()
        gained[over] = 0
        records += ended
    assert len(records) > 10
    assert len({game.seed for game in records}) == len(records)
    for game in records:  # its moves, luck among them, are a game that brings as much
        position = Position(PIG)
        for move in game.moves:
            position.play(move)
        assert position.is_over
        assert position.returns[0] == game.total


def test_a_transition_is_some_rewards_and_where_they_led():
    ring, discount = TransitionRing(100, 2, 1, 3, 0.5), 0.5
    rewards = [1.0, 2.0, 4.0, 8.0, 16.0]
    for t, reward in enumerate(rewards):
        ends = np.array([t == 4, False])
        after, before = np.full((2, 1), t + 1, np.int32), np.full((2, 1), t, np.int32)
        ring.add(before, np.array([t, 0]), np.array([reward, 0.0]), after, ends)
    kept = {int(ring._before[i, 0]): i for i in range(len(ring)) if ring._reward[i] > 0}
    assert sorted(kept) == [0, 1, 2, 3, 4]
    for t, i in kept.items():
        end = min(t + 3, 5)
        assert ring._reward[i] == sum(discount ** (j - t) * rewards[j] for j in range(t, end))
        assert ring._after[i, 0] == end
        assert ring._weight[i] == (0.0 if end == 5 else discount**3)
        assert ring._chosen[i] == t


def config(method, **baseline):
    dqn = method == "dqn"
    training = {"uses": 4.0, "batch": 64, "value_steps": 2, "window": 5000} if dqn else {"normalise_advantage": True}
    few = {"warm_up": 100, "epsilon_moves": 3000, "target_every": 50} if dqn else {"rollout": 4}
    return RunConfig(
        game="pig:2,limit=12",
        method=method,
        training=TrainingSettings(games=1500, nets=2, **training),
        network=NetworkSettings(
            layers=(32,), indicator=False, learning_rate=0.005,
            **({} if dqn else {"critic": True, "value_low": -5.0, "value_high": 40.0}),
        ),
        baseline=BaselineSettings(environments=16, **few, **baseline),
    )  # fmt: skip


@pytest.mark.parametrize("method", ["dqn", "ac"])
def test_it_learns_a_small_game_and_goes_on_after_an_end(method):
    settings = config(method)
    run = RunDirectory.create(method, settings.as_dict())
    assert config_from(run.read_config(), "run") == settings
    seen = []
    learner = train(run, settings, Events(seen.append, stop=lambda: len(seen) >= 700))
    assert 700 <= learner.games < 1500
    steps, moves = learner.steps, learner.moves
    learner = train(run, settings)  # it goes on
    assert learner.games == 1500
    assert learner.steps > steps
    assert learner.moves > moves
    store = RecordStore(run.games)
    assert len(store) == 1500
    assert store.last_metrics()["evaluations"] == pytest.approx(learner.moves, abs=200)
    store.close()
    assert [int(file.stem) for file in run.net_files()] == [0, 1500]
    result = play_solo(PIG, [parse_agent("random"), parse_agent(f"{method}:{method}")], 200).games
    random, learned = (np.mean([game.total for game in games]) for games in result)
    assert learned > random + 1.5
    with pytest.raises(SpecError, match="has not been trained by"):
        parse_agent(f"{'ac' if method == 'dqn' else 'dqn'}:{method}").make(PIG)


def test_what_does_nothing_without_search_is_refused():
    dqn, ac = config("dqn"), config("ac")
    for wrong in (
        dataclasses.replace(dqn.training, entropy_bonus=0.1),
        dataclasses.replace(dqn.training, uses=0.0),
        dataclasses.replace(dqn.training, value_steps=0),
        dataclasses.replace(dqn.training, symmetries=True),
    ):
        with pytest.raises(SpecError):
            dataclasses.replace(dqn, training=wrong)
    with pytest.raises(SpecError, match="search, selfplay and rating would do nothing"):
        dataclasses.replace(ac, search=SearchSettings(simulations=5))
    with pytest.raises(SpecError, match="epsilon would do nothing"):
        dataclasses.replace(ac, baseline=BaselineSettings(epsilon=0.5))
    with pytest.raises(SpecError, match="ac has a critic, dqn has none"):
        dataclasses.replace(ac, method="dqn", training=dqn.training, baseline=dqn.baseline)
    with pytest.raises(SpecError, match="method cannot be 'dqm'; did you mean 'dqn'"):
        dataclasses.replace(dqn, method="dqm")
    with pytest.raises(SpecError, match="baseline would do nothing"):
        RunConfig(baseline=BaselineSettings(environments=3), search=SearchSettings(evaluation="network"))
    with pytest.raises(SpecError, match="one player"):
        dqn.check_fit(Pig(2, seats=2))


def test_luck_moves_by_itself():
    environments = Environments(PIG, 3, 7)
    assert not any(PIG.to_move(position) == CHANCE for position in environments.positions)
