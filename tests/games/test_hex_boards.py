"""Hex: positions from cells, what a network sees of them, and the names of moves."""

import numpy as np
import pytest
from random_play import positions_of_random_game, random_position

from tengen.errors import MalformedMove, TengenError
from tengen.games import CHANCE, Hex, Position

# --- positions that others send


@pytest.mark.parametrize("game", [Hex(3), Hex(5, swap=True), Hex(5, first=1), Hex(4, True, 1), Hex(11)], ids=str)
def test_a_position_from_cells_is_the_position_with_these_stones(game):
    for seed in range(8):
        for position in positions_of_random_game(game, seed):
            copy = Position.from_cells(game, position.cells().tolist(), position.to_move)
            assert copy.cells().tolist() == position.cells().tolist()
            assert (copy.to_move, copy.is_over, copy.winner) == (position.to_move, position.is_over, position.winner)
            assert copy.legal_moves == position.legal_moves
        late = random_position(game, seed, plies=len(position.moves) - 2)
        copy = Position.from_cells(game, late.cells().tolist(), late.to_move)
        for move in position.moves[-2:]:  # what is joined to what has been understood as well
            copy.play(move)
        assert copy.winner == position.winner


@pytest.mark.parametrize(
    ("cells", "to_move"),
    [([0] * 8, 0), ([0] * 10, 0), ([0] * 8 + [3], 0), ([0] * 8 + [-1], 0), ([0] * 9, 2), ([0] * 9, CHANCE)],
)
def test_cells_that_are_no_position_are_refused(cells, to_move):
    with pytest.raises(TengenError, match="a position of this game is 9 cells, each 0, 1 or 2, and to_move 0 or 1"):
        Position.from_cells(Hex(3), cells, to_move)


# --- what a network sees


def planes_of(position):
    planes = np.full((2, position.game.size, position.game.size), np.nan, np.float32)
    position.game.encode(position.array, planes)
    return planes


@pytest.mark.parametrize("first", [0, 1])
def test_a_network_sees_the_mover_join_top_and_bottom(first):
    game = Hex(5, swap=True, first=first)
    for seed in range(5):
        for position in positions_of_random_game(game, seed):
            board, mover = position.cells().reshape(5, 5), position.to_move
            if mover == 1:
                board = board.T
            assert np.array_equal(planes_of(position), [board == mover + 1, board == 2 - mover])


def test_outputs_lie_where_the_network_sees_the_cells():
    game = Hex(5, swap=True)
    for position in positions_of_random_game(game, 3):
        outputs = game.move_views()[game.move_view(position.array)]
        occupied = planes_of(position).sum(axis=0).ravel()
        for move, cell in enumerate(position.cells()):
            assert occupied[outputs[move]] == (cell != 0)
        assert outputs[25] == 25


def transposed(move, size):
    return move % size * size + move // size


def test_positions_that_are_the_same_to_the_mover_look_the_same():
    for seed in range(5):
        image = Position(Hex(6, first=1))
        for position in positions_of_random_game(Hex(6), seed):
            if position.moves:
                image.play(transposed(position.last_move, 6))
            assert np.array_equal(planes_of(position), planes_of(image))


# --- names


def test_moves_are_named_by_column_and_row():
    game = Hex(11)
    names = {"a1": 0, "b1": 1, "k1": 10, "a2": 11, "c2": 13, "k11": 120}
    assert {name: game.parse_move(name) for name in names} == names
    assert {game.move_name(move): move for move in names.values()} == names
    assert game.parse_move(" C2\n") == 13


@pytest.mark.parametrize("text", ["", "a", "1", "a0", "a01", "l1", "a12", "aa1", "a1b", "1a", "a-1", "é1", "swap"])
def test_texts_that_are_no_cell_are_refused(text):
    with pytest.raises(MalformedMove):
        Position(Hex(11)).play(text)
