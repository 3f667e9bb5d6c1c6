"""Self-play: quick moves, giving up, and what of it is learned from."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tengen.errors import SpecError
from tengen.games import Hex, Position, parse_game
from tengen.records.replay import ReplayWindow
from tengen.search import SearchSettings
from tengen.selfplay.resigning import Resignations
from tengen.selfplay.worker import SelfPlaySettings, Worker, start_array
from tengen.training.config import load_preset

PUCT = SearchSettings(selection="puct", evaluation="network", simulations=20, c=1.5, temperature=1.0)


def saying(value):
    """A network without a preference that finds every position worth `value` to the player to move."""

    def evaluate(game, positions):
        policy = np.ones((len(positions), game.move_views().shape[1]), np.float32)
        return policy, np.array([value(position) for position in positions], np.float32)

    return evaluate


def play(games, settings, search=PUCT, value=lambda position: 0.0, game=None):
    numbers = iter(range(games))
    worker = Worker(game or Hex(4), search, settings, 1, lambda: next(numbers, None), saying(value))
    return list(itertools.chain.from_iterable(iter(worker.play, [])))


def test_quick_moves_are_made_with_fewer_simulations_and_not_learned_from():
    full = play(8, SelfPlaySettings(slots=4))
    mixed = play(30, SelfPlaySettings(slots=4, full_share=0.25, fast_simulations=5))
    assert all(visits is not None for record in full for visits in record.visits)
    searched = [visits is not None for record in mixed for visits in record.visits]
    assert 0.15 < np.mean(searched) < 0.35
    assert all(sum(visits.values()) >= 19 for record in mixed for visits in record.visits if visits is not None)
    window = ReplayWindow(Hex(4), 1000)
    for record in mixed:
        expected = sum(visits is not None for visits in record.visits)
        assert window.add(record, start_array(Hex(4), record.first)) == expected


def test_quick_moves_have_no_noise():
    """The network has no preference: only noise can make visits differ from move to move at the root."""
    forests = {}
    for full_share, fast in ((1.0, 0), (1e-9, 20)):
        noisy = SearchSettings(selection="puct", evaluation="network", simulations=20, c=1.5, noise=0.5)
        settings = SelfPlaySettings(slots=1, full_share=full_share, fast_simulations=fast)
        worker = Worker(Hex(4), noisy, settings, 1, lambda: 0, saying(lambda position: 0.0))
        for _ in range(10):
            worker.step()
        edges = worker._forest.trees.edges[0]
        forests[full_share] = np.ptp([edges[1 + i]["prior"] for i in range(16)])
    assert forests[1.0] > 0.01
    assert forests[1e-9] == 0


def test_games_begin_with_random_moves():
    games = play(60, SelfPlaySettings(slots=4, random_start=1.0, random_moves=6))
    begun = [next(ply for ply, visits in enumerate(record.visits) if visits is not None) for record in games]
    assert set(begun) == {1, 2, 3, 4, 5, 6}
    assert len({record.moves[0] for record in games}) > 10
    some = play(60, SelfPlaySettings(slots=4, random_start=0.5))
    assert 10 < sum(record.visits[0] is None for record in some) < 50
    assert all(record.visits[1] is not None for record in some)


def test_random_moves_leave_something_to_decide():
    games = play(40, SelfPlaySettings(slots=4, random_start=1.0, random_moves=40), game=Hex(3))
    for record in games:
        assert any(visits is not None for visits in record.visits)
        assert Position(Hex(3, first=record.first), record.moves).is_over


def test_a_hopeless_game_is_given_up_and_counts_as_lost():
    def white_wins(position):
        return 0.99 if Hex(4).to_move(position) == 1 else -0.99

    records = play(10, SelfPlaySettings(slots=2, resign=0.5, played_out=0.0), value=white_wins)
    for record in records:
        assert record.winner == 1
        assert record.returns == (-1.0, 1.0)
        position = Position(Hex(4, first=record.first), record.moves)
        assert not position.is_over
        assert position.to_move == 0  # who saw no hope, at two moves in a row
        assert len(record.moves) in (2, 3)
        window = ReplayWindow(Hex(4), 100)
        window.add(record, start_array(Hex(4), record.first))
        movers = [(record.first + ply) % 2 for ply in range(len(record.moves))]
        assert window._values[: len(movers)].tolist() == [1.0 if mover == 1 else -1.0 for mover in movers]


def test_a_share_of_games_is_played_out():
    settings = SelfPlaySettings(slots=4, resign=0.5, played_out=0.5)
    hopeless = play(60, settings, value=lambda position: 0.99 if Hex(4).to_move(position) == 1 else -0.99)
    finished = [Position(Hex(4, first=record.first), record.moves).is_over for record in hopeless]
    assert 0.25 < np.mean(finished) < 0.75
    balanced = play(10, SelfPlaySettings(slots=4, resign=0.5, played_out=0.0))
    assert all(Position(Hex(4, first=record.first), record.moves).is_over for record in balanced)


def test_wrong_resignations_are_counted():
    settings = SelfPlaySettings(slots=4, resign=0.5, played_out=0.5)
    game = Hex(4)
    records = play(60, settings, value=lambda position: 0.99 if game.to_move(position) == 1 else -0.99)
    counts = Resignations()
    for record in records:
        counts = counts.after(game, record, 0.5)
    finished = [r for r in records if Position(Hex(4, first=r.first), r.moves).is_over]
    assert counts.given_up == 60 - len(finished)
    assert counts.checked == len(finished)  # red saw no hope in any of them
    assert counts.wrong == sum(record.winner == 0 for record in finished) > 0


@pytest.mark.parametrize(
    "bad",
    [
        {"full_share": 0.5}, {"fast_simulations": 5}, {"full_share": 0.0, "fast_simulations": 5}, {"resign": 1.5},
        {"played_out": 0.3}, {"random_moves": 3}, {"random_start": 0.5, "random_moves": 0}, {"slots": 0}, {"threads": -1}, {"random_start": 2.0},
    ],
)  # fmt: skip
def test_bad_settings_are_refused(bad):
    with pytest.raises(SpecError):
        SelfPlaySettings(**bad)


@pytest.mark.parametrize(
    ("game", "settings"), [("pig:2", {"resign": 0.9}), ("gomoku:5", {"alternate": False})], ids=str
)
def test_what_a_game_cannot_use_is_refused(game, settings):
    config = replace(load_preset("on-policy"), game=game)
    config.check_fit(parse_game(game))
    with pytest.raises(SpecError, match=next(iter(settings))):
        replace(config, selfplay=SelfPlaySettings(**settings)).check_fit(parse_game(game))
