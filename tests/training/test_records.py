"""Records and the replay buffer: nothing lost on the way, values in the right view, bounded memory."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from tengen.games import CHANCE, Gomoku, Hex, Pig, Position
from tengen.records.record import GameRecord
from tengen.records.replay import ReplayWindow
from tengen.records.store import DamagedStore, RecordStore


def random_record(game, number=0):
    chooser = random.Random(number)
    position, visits = Position(game), []
    while not position.is_over:
        luck = position.to_move == CHANCE
        legal = position.legal_moves
        visits.append(None if luck else {move: chooser.randrange(1, 50) for move in legal})
        position.play(chooser.choice(legal))
    values = tuple(0.25 for _ in visits)
    returns = (position.returns[0], position.returns[1])
    return GameRecord(
        number, number * 7, 0, tuple(position.moves), tuple(visits), values, returns, position.winner, 3, 0.5
    )


@pytest.mark.parametrize("game", [Hex(4), Gomoku(4, line=3), Pig(2)], ids=str)
def test_a_store_gives_back_what_it_was_given(game, tmp_path):
    store = RecordStore(tmp_path / "games.sqlite")
    records = [random_record(game, number) for number in (3, 1, 2)]
    for record in records:
        store.add(record)
    store.close()
    store = RecordStore(tmp_path / "games.sqlite")
    assert store.numbers() == [1, 2, 3]
    assert store.get(1) == records[1]
    assert store.get(9) is None
    assert len(store) == 3
    with pytest.raises(Exception, match="UNIQUE"):
        store.add(records[0])
    store.add_metrics(5, {"loss": 0.5})
    assert store.metrics() == [{"step": 5, "loss": 0.5}]


def test_the_latest_games_come_in_the_order_they_were_added(tmp_path):
    store = RecordStore(tmp_path / "games.sqlite")
    for number in (5, 2, 9, 1):
        store.add(random_record(Hex(3), number))
    assert [record.number for record in store.latest(3)] == [2, 9, 1]
    assert [record.number for record in store.all_after(1)] == [
        record.number for record in store.latest(len(store) - 1)
    ]


@pytest.mark.parametrize("data", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\x00" * 200])
def test_a_foreign_file_is_refused_and_left_alone(data, tmp_path):
    file = tmp_path / "games.sqlite"
    file.write_bytes(data)
    with pytest.raises(DamagedStore):
        RecordStore(file)
    assert file.read_bytes() == data


def test_values_are_in_the_movers_view():
    game = Hex(4)
    record = random_record(game, 4)
    window = ReplayWindow(game, 100)
    assert window.add(record, Position(game).array) == len(record.moves)
    values = window._values[: len(record.moves)]
    expected = [1.0 if ply % 2 == record.winner else -1.0 for ply in range(len(record.moves))]
    assert values.tolist() == expected
    discounted = ReplayWindow(game, 100, discount=0.9)
    discounted.add(record, Position(game).array)
    n = len(record.moves)
    assert discounted._values[:n] == pytest.approx([v * 0.9 ** (n - 1 - i) for i, v in enumerate(expected)], rel=1e-5)


def test_values_of_a_game_for_one_are_what_was_still_to_come():
    game = Pig(2)
    record = random_record(game, 5)
    window = ReplayWindow(game, 100)
    cases = window.add(record, Position(game).array)
    position, seen = Position(game), []
    for move, visits in zip(record.moves, record.visits):
        if visits is not None:
            seen.append(record.returns[0] - position.returns[0])
        position.play(move)
    assert window._values[:cases].tolist() == seen


def test_policies_are_the_normalised_visits_in_the_networks_order():
    game = Hex(4)
    record = random_record(game, 6)
    window = ReplayWindow(game, 100)
    window.add(record, Position(game).array)
    ply = 3  # black to move: the network sees the board mirrored
    visits = record.visits[ply]
    total = sum(visits.values())
    outputs = game.move_views()[1]
    batch = window._cases(np.array([ply]), np.array([0]))
    for move in range(16):
        share = visits.get(move, 0) / total
        assert batch.policy[0, outputs[move]] == pytest.approx(share, abs=1e-6)
        assert batch.legal[0, outputs[move]] == (move in visits)
    assert batch.played[0] == outputs[record.moves[ply]]


@pytest.mark.parametrize("game", [Hex(4), Hex(3, swap=True), Gomoku(4, line=3), Pig(2)], ids=str)
def test_a_case_is_seen_in_every_symmetry(game):
    """Each is the position after the turned moves, with the turned visits; and drawing meets all of them."""
    record = random_record(game, 7)
    window = ReplayWindow(game, 100, symmetries=True)
    cases = window.add(record, Position(game).array)
    turns = game.symmetries()
    searched = [ply for ply, visits in enumerate(record.visits) if visits is not None]
    for case in range(cases):
        for s, turn in enumerate(turns):
            position = Position(game, [int(turn[move]) for move in record.moves[: searched[case]]])
            batch = window._cases(np.array([case]), np.array([s]))
            assert np.array_equal(batch.positions[0], position.array)
            outputs = game.move_views()[game.move_view(position.array)]
            visits = record.visits[searched[case]]
            for move, count in visits.items():
                assert batch.policy[0, outputs[turn[move]]] == pytest.approx(count / sum(visits.values()), abs=1e-6)
            assert set(np.flatnonzero(batch.legal[0])) == {outputs[move] for move in position.legal_moves}
            assert batch.played[0] == outputs[turn[record.moves[searched[case]]]]
    chooser = np.random.default_rng(1)
    seen = {tuple(map(tuple, window.sample(cases, chooser).positions)) for _ in range(60)}
    assert len(seen) > 1


def test_a_game_given_up_is_worth_its_result():
    game = Hex(4)
    record = random_record(game, 8)
    cut = replace(record, moves=record.moves[:5], visits=record.visits[:5], values=record.values[:5])
    window = ReplayWindow(game, 100)
    window.add(cut, Position(game).array)
    assert window._values[:5].tolist() == [1.0 if ply % 2 == record.winner else -1.0 for ply in range(5)]


def test_a_game_that_breaks_the_rules_is_not_learned_from():
    game = Hex(4)
    record = random_record(game, 9)
    with pytest.raises(ValueError, match="game 9"):
        ReplayWindow(game, 100).add(replace(record, moves=(record.moves[0], *record.moves[:-1])), Position(game).array)


def test_the_window_is_bounded_and_keeps_the_newest():
    game = Hex(3)
    window = ReplayWindow(game, 10)
    for number in range(20):
        window.add(random_record(game, number), Position(game).array)
    assert len(window) == 10
    batch = window.sample(64, np.random.default_rng(1))
    assert len(batch.value) == 10
    assert len(np.unique(window.sample(5, np.random.default_rng(1)).positions, axis=0)) >= 4


def test_a_window_that_is_not_full_gives_only_what_it_was_given():
    game = Hex(4)
    record = random_record(game, 7)
    window = ReplayWindow(game, 1000)
    window.add(record, Position(game).array)
    batch = window.sample(64, np.random.default_rng(1))
    assert len(batch.value) == len(record.moves)
    assert batch.policy.sum(axis=1) == pytest.approx(1)
    assert sorted(batch.legal.sum(axis=1)) == sorted(len(visits) for visits in record.visits)


def test_the_oldest_cases_are_forgotten_first():
    game = Hex(3)
    records = [random_record(game, number) for number in range(6)]
    window = ReplayWindow(game, sum(len(record.moves) for record in records[4:]))
    for number, record in enumerate(records):
        window.add(replace(record, network=number), Position(game).array)
    assert set(window.sample(1000, np.random.default_rng(1)).steps) == {4, 5}
