"""Games for one whose rewards are no wins: the critic's range, targets that look some moves ahead, games broken off, minibatches by cases."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")

from tengen.errors import SpecError
from tengen.evaluators.encoding import encode
from tengen.evaluators.onnx import OnnxEvaluator
from tengen.games import CHANCE, Pig, Position
from tengen.networks.network import Network
from tengen.networks.settings import NetworkSettings
from tengen.records.record import GameRecord
from tengen.records.replay import ReplayWindow
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory
from tengen.search import SearchSettings
from tengen.selfplay.worker import SelfPlaySettings, Worker
from tengen.training.config import RunConfig, TrainingSettings
from tengen.training.loop import Learner, train

PIG = Pig(6)


def played(game, seed, moves=None):
    """A random game, or its beginning; values rise by one from move to move, so that each can be told."""
    chooser, position = np.random.default_rng(seed), Position(game)
    rewards, visits = [], []
    while not position.is_over and (moves is None or len(position.moves) < moves):
        luck, legal = position.to_move == CHANCE, position.legal_moves
        visits.append(None if luck else dict.fromkeys(legal, 1))
        before = position.returns[0]
        position.play(int(chooser.choice(legal)))
        rewards.append(position.returns[0] - before)
    values = tuple(100.0 + i for i in range(len(rewards)))
    record = GameRecord(0, 0, 0, tuple(position.moves), tuple(visits), values, (sum(rewards), 0.0), None, 0, 0.0)
    return record, rewards


def targets(game, record, discount, steps):
    window = ReplayWindow(game, 1000, discount, steps=steps)
    start = np.zeros(game.position_size(), np.int32)
    game.start(start)
    cases = window.add(record, start)
    return window._values[:cases].tolist()


@pytest.mark.parametrize("steps", [0, 1, 3, 7, 10_000])
def test_a_target_is_some_rewards_and_then_what_the_search_said(steps):
    record, rewards = played(PIG, 1)
    expected, discount = [], 0.9
    for t, visits in enumerate(record.visits):
        if visits is None:
            continue
        ends = [j for j in range(t + steps, len(rewards)) if record.visits[j] is not None] if steps else []
        end = ends[0] if ends else len(rewards)
        value = sum(discount ** (i - t) * rewards[i] for i in range(t, end))
        expected.append(value + (discount ** (end - t) * record.values[end] if ends else 0.0))
    assert targets(PIG, record, discount, steps) == pytest.approx(expected)


@pytest.mark.parametrize("steps", [0, 3])
def test_what_a_move_leaves_to_luck_is_a_case_of_its_own(steps):
    """With afterstates; and a living reward counts for moves of the player alone."""
    record, rewards = played(PIG, 1)
    discount, living = 0.9, 0.5
    window = ReplayWindow(PIG, 1000, discount, steps=steps, afterstates=True, living=living)
    start = np.zeros(PIG.position_size(), np.int32)
    PIG.start(start)
    cases = window.add(record, start)
    luck = [visits is None for visits in record.visits]
    expected = [t for t in range(len(luck)) if not luck[t] or (t > 0 and not luck[t - 1])]
    assert cases == len(expected) > sum(not is_luck for is_luck in luck)
    for case, t in enumerate(expected):
        ends = [j for j in range(t + steps, len(rewards)) if not luck[j]] if steps else []
        end = ends[0] if ends else len(rewards)
        brought = [rewards[i] + (0.0 if luck[i] else living) for i in range(len(rewards))]
        value = sum(discount ** (i - t) * brought[i] for i in range(t, end))
        value += discount ** (end - t) * record.values[end] if ends else 0.0
        assert window._values[case] == pytest.approx(value)
    batch = window.sample(cases, np.random.default_rng(0))
    no_choice = ~batch.legal.any(axis=1)
    assert no_choice.sum() == sum(luck[t] for t in expected)
    assert not batch.policy[no_choice].any()
    assert [PIG.to_move(position) == CHANCE for position in batch.positions] == no_choice.tolist()


def test_cases_without_a_choice_teach_the_critic_alone():
    settings = NetworkSettings(critic=True, layers=(16,), value_low=-10.0, value_high=50.0, indicator=False)
    planes = encode(PIG, np.array([[0, 0, pot, 0, 0, 0] for pot in range(8)], np.int32), False)
    policy = np.full((8, PIG.move_count()), 1 / PIG.move_count(), np.float32)
    legal = np.ones_like(policy)
    whole = Network(PIG, settings, seed=1).train(planes, policy, legal, np.zeros(8, np.float32))
    policy[4:], legal[4:] = 0.0, 0.0
    half = Network(PIG, settings, seed=1).train(planes, policy, legal, np.zeros(8, np.float32))
    assert half["value_loss"] == pytest.approx(whole["value_loss"])
    alone = Network(PIG, settings, seed=1).train(planes[:4], policy[:4], legal[:4], np.zeros(4, np.float32))
    assert half["policy_loss"] == pytest.approx(alone["policy_loss"], rel=1e-5)
    assert half["entropy"] == pytest.approx(alone["entropy"], rel=1e-5)


@pytest.mark.parametrize("steps", [0, 4])
def test_a_game_broken_off_goes_on_as_the_search_said(steps):
    whole, _ = played(PIG, 1)
    record, rewards = played(PIG, 1, moves=len(whole.moves) - 6)
    last = max(i for i, visits in enumerate(record.visits) if visits is not None)
    found, discount = targets(PIG, record, 0.9, steps), 0.9
    assert found[-1] == pytest.approx(record.values[last])
    searched = [i for i, visits in enumerate(record.visits) if visits is not None]
    t = searched[-3]
    end = last if steps == 0 else min([j for j in searched if j >= t + steps] or [last])
    value = sum(discount ** (i - t) * rewards[i] for i in range(t, end)) + discount ** (end - t) * record.values[end]
    assert found[-3] == pytest.approx(value)


def test_the_critic_speaks_of_its_range():
    settings = NetworkSettings(
        critic=True, layers=(16,), value_low=-10.0, value_high=50.0, indicator=False, learning_rate=0.02
    )
    network = Network(PIG, settings, seed=1)
    positions = np.array([[0, 0, pot, 0, 0, 0] for pot in range(0, 20, 2)], np.int32)
    planes, wanted = encode(PIG, positions, False), 12.0 + 2.0 * np.arange(10, dtype=np.float32)
    policy = np.full((10, PIG.move_count()), 1 / PIG.move_count(), np.float32)
    for _ in range(400):
        network.train(planes, policy, np.ones_like(policy), wanted)
    _, said = network.predict(planes)
    assert np.abs(said - wanted).max() < 3.0
    _, by_file = OnnxEvaluator(network.onnx(), PIG)(PIG, positions)
    assert by_file == pytest.approx(said, abs=1e-3)


def config(**training):
    return RunConfig(
        game="pig:6",
        training=TrainingSettings(games=12, nets=2, batch=8, window=500, **training),
        search=SearchSettings(selection="puct", evaluation="network", simulations=8, discount=0.95),
        network=NetworkSettings(critic=True, layers=(8,), value_low=-5.0, value_high=60.0),
        selfplay=SelfPlaySettings(slots=2, threads=1),
    )


def test_what_does_not_fit_is_refused():
    fine = config()
    fine.check_fit(PIG)
    with pytest.raises(SpecError, match=r"not in \[−1, 1\]"):
        dataclasses.replace(fine, network=NetworkSettings(critic=True)).check_fit(PIG)
    with pytest.raises(SpecError, match="games with other rewards"):
        fine.check_fit(Pig(2, seats=2))
    long = dataclasses.replace(fine, selfplay=SelfPlaySettings(longest=5), network=NetworkSettings(critic=True))
    with pytest.raises(SpecError, match="longest is for games of one player"):
        long.check_fit(Pig(2, seats=2))
    for wrong in ({"value_low": 2.0, "critic": True}, {"value_high": 2.0}, {"value_low": -2.0}):
        with pytest.raises(SpecError, match="value_"):
            NetworkSettings(**wrong)
    for wrong in ({"uses": -1.0}, {"value_steps": -1}, {"uses": 1.0, "steps": 3}, {"uses": 1.0, "every": 2}):
        with pytest.raises(SpecError, match=r"uses|value_steps"):
            TrainingSettings(**wrong)


class Even:
    """An evaluator that has no opinion."""

    def __call__(self, game, positions):
        return np.full((len(positions), game.move_count()), 1.0, np.float32), np.zeros(len(positions), np.float32)


def test_games_are_broken_off_where_a_player_moves():
    game, numbers = Pig(50), iter(range(2))
    settings = SelfPlaySettings(slots=2, longest=9)
    search = SearchSettings(selection="puct", evaluation="network", simulations=4, discount=0.9)
    worker = Worker(game, search, settings, 1, lambda: next(numbers, None), Even())
    records = []
    while not worker.is_done:
        records += worker.play()
    assert len(records) == 2
    for record in records:
        position = Position(game, record.moves)
        assert not position.is_over
        assert position.to_move == 0
        assert 9 <= len(record.moves) <= 10


def test_minibatches_go_by_cases_and_a_resumed_run_makes_the_same_ones():
    chosen = config(uses=3.0, value_steps=4, value_discount=0.95)
    run = _run("one", chosen)
    learner = train(run, chosen)
    store = RecordStore(run.games)
    cases = sum(visits is not None for record in store.all_after(0) for visits in record.visits)
    store.close()
    assert learner.steps == int(cases * 3.0 / 8)
    other = _run("two", chosen)
    halves = RecordStore(run.games)
    store = RecordStore(other.games)
    first = Learner(chosen, other, store)
    for number, record in enumerate(halves.all_after(0)):
        if number == 5:
            first.save()
            first = Learner(chosen, other, store)
        store.add(record)
        first.learn(record)
    assert first.steps == learner.steps
    for name, array in learner.network.state().items():
        assert np.array_equal(array, first.network.state()[name]), name


@pytest.fixture(autouse=True)
def runs_in_a_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


def _run(name, chosen):
    return RunDirectory.create(name, chosen.as_dict())
