"""What must not change the search: turning the board, or exchanging the colours."""

from __future__ import annotations

import random

import numpy as np
import pytest
from evaluators import hashed

from tengen.games import Gomoku, Hex, Position
from tengen.search import Forest, SearchSettings

RULES = [
    {"selection": "uct", "c": 0.7},
    {"selection": "ucb1"},
    {"selection": "puct", "c": 1.5, "first_play": "parent", "first_play_value": -0.2},
]


def search(position, settings, evaluator):
    forest = Forest(position.game, settings)
    forest.reset(0, position.array)
    forest.begin(0, settings.simulations)
    forest.run(evaluator)
    return forest.visits(0), forest.values(0)


def random_position(game, seed, plies=5):
    chooser = random.Random(seed)
    while True:
        position = Position(game)
        for _ in range(plies):
            if not position.is_over:
                position.play(chooser.choice(position.legal_moves))
        if not position.is_over:
            return position


def image_of(position, table, colours=(0, 1, 2), to_move=None):
    """The position with every stone moved by `table`, and its colour by `colours`."""
    cells = position.cells()
    image = np.zeros_like(cells)
    image[table[: len(cells)]] = np.array(colours)[cells]
    return Position.from_cells(position.game, image.tolist(), position.to_move if to_move is None else to_move)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["selection"])
@pytest.mark.parametrize("game", [Gomoku(3, line=3), Gomoku(6, line=4), Hex(4), Hex(7)], ids=str)
def test_a_symmetry_permutes_the_visits(game, rule):
    settings = SearchSettings(simulations=200, evaluation="network", **rule)
    position = random_position(game, seed=1)
    visits, values = search(position, settings, hashed)
    for table in game.symmetries()[1:]:
        back = np.argsort(table)

        def turned(game, positions, table=table, back=back):
            """The same network for the turned board: turn back, ask, turn the answer."""
            policies, answers = [], []
            views = game.move_views()
            for array in positions:
                there = Position(game)
                there.array[:] = array
                here = image_of(there, back)
                policy, value = hashed(game, here.array[None])
                by_move = policy[0, views[game.move_view(here.array)]]
                answer = np.zeros_like(policy[0])
                answer[views[game.move_view(array)][table]] = by_move
                policies.append(answer)
                answers.append(value[0])
            return np.array(policies), np.array(answers)

        image_visits, image_values = search(image_of(position, table), settings, turned)
        assert image_visits[table].tolist() == visits.tolist()
        assert image_values[table] == pytest.approx(values)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["selection"])
@pytest.mark.parametrize("game", [Gomoku(3, line=3), Gomoku(6, line=4, exact=True)], ids=str)
def test_exchanged_colours_change_nothing_in_gomoku(game, rule):
    settings = SearchSettings(simulations=200, evaluation="network", **rule)
    position = random_position(game, seed=2)
    same = np.arange(game.move_count())
    exchanged = image_of(position, same, colours=(0, 2, 1), to_move=1 - position.to_move)
    a, b = search(position, settings, hashed), search(exchanged, settings, hashed)
    assert a[0].tolist() == b[0].tolist()
    assert a[1] == pytest.approx(b[1])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["selection"])
@pytest.mark.parametrize("size", [3, 5, 8])
def test_exchanged_colours_transpose_the_visits_in_hex(size, rule):
    """Red across is black along: the network sees the same board and the visits are mirrored."""
    game = Hex(size)
    settings = SearchSettings(simulations=200, evaluation="network", **rule)
    position = random_position(game, seed=3, plies=4)
    mirror = np.arange(size * size).reshape(size, size).T.ravel()
    exchanged = image_of(position, mirror, colours=(0, 2, 1), to_move=1 - position.to_move)
    a, b = search(position, settings, hashed), search(exchanged, settings, hashed)
    assert b[0][mirror].tolist() == a[0].tolist()
    assert b[1][mirror] == pytest.approx(a[1])


def test_who_begins_is_only_a_name():
    """Hex with black first is Hex with red first in a mirror."""
    settings = SearchSettings(selection="puct", simulations=300, evaluation="network")
    size = 4
    mirror = np.arange(size * size).reshape(size, size).T.ravel()
    red = search(Position(Hex(size)), settings, hashed)
    black = search(Position(Hex(size, first=1)), settings, hashed)
    assert black[0][mirror].tolist() == red[0].tolist()
