"""Hex: the winner against a search of the whole board, in games and in playouts, and the swap."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from random_play import positions_of_random_game, random_game, random_position

from tengen.errors import IllegalMove, MalformedMove
from tengen.games import Hex, Position
from tengen.games.hex import _fill_at_random, _winner_of_full_board
from tengen.games.randomness import random_state

SIZES = [3, 4, 5, 6, 7, 9, 11]


def is_joined(cells, size, player):
    """Whether a player's stones join the two sides: a search from the first side that knows nothing of the rules."""
    board = np.reshape(cells, (size, size))
    if player == 1:
        board = board.T  # black joins columns: seen along the diagonal it joins rows
    reached = {(0, column) for column in range(size) if board[0, column] == player + 1}
    waiting = list(reached)
    while waiting:
        r, c = waiting.pop()
        for cell in ((r - 1, c), (r - 1, c + 1), (r, c - 1), (r, c + 1), (r + 1, c - 1), (r + 1, c)):
            inside = 0 <= cell[0] < size and 0 <= cell[1] < size
            if inside and cell not in reached and board[cell] == player + 1:
                reached.add(cell)
                waiting.append(cell)
    return any(row == size - 1 for row, _ in reached)


def winner_by_search(cells, size):
    winners = [player for player in (0, 1) if is_joined(cells, size, player)]
    assert len(winners) < 2
    return winners[0] if winners else None


def full_board(size, seed):
    """Cells at random, half of them of each colour."""
    colours = [1 + i % 2 for i in range(size * size)]
    Random(seed).shuffle(colours)
    return colours


def as_position(game, cells):
    """The array of a board whose stones carry no flags, as the inside of a playout has them."""
    position = Position(game).array
    width = game.size + 2
    position[: width * width].reshape(width, width)[1:-1, 1:-1] = np.reshape(cells, (game.size, game.size))
    return position


def transposed(move, size):
    return move if move == size * size else move % size * size + move // size


# --- the winner


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_the_winner_of_random_games_is_the_one_found_by_search(size, swap, first):
    for seed in range(20 if size < 7 else 4):
        for position in positions_of_random_game(Hex(size, swap, first), seed):
            assert position.winner == winner_by_search(position.cells(), size)
            assert position.is_over == (position.winner is not None)
        assert position.returns == ([1.0, -1.0] if position.winner == 0 else [-1.0, 1.0])


@pytest.mark.parametrize("size", [*SIZES, 19])
def test_a_full_board_has_the_one_winner_that_playouts_find(size):
    for seed in range(40 if size < 7 else 8):
        cells = full_board(size, seed)
        winner = winner_by_search(cells, size)
        assert winner is not None
        assert _winner_of_full_board(as_position(Hex(size), cells), size + 2) == winner


def test_every_full_board_of_size_3_has_the_one_winner_that_playouts_find():
    for number in range(2**9):
        cells = [1 + (number >> i & 1) for i in range(9)]
        assert _winner_of_full_board(as_position(Hex(3), cells), 5) == winner_by_search(cells, 3)


@pytest.mark.parametrize("size", SIZES)
def test_a_playout_fills_the_board_and_names_its_winner(size):
    for seed in range(20 if size < 7 else 4):
        before = random_position(Hex(size), seed, plies=seed)
        if before.is_over:
            continue
        position, mover = before.array.copy(), before.to_move
        winner = _fill_at_random(position, size, mover + 1, random_state(seed))
        cells = before.game.cells(position)
        assert winner == winner_by_search(cells, size)
        stones, empty = before.cells() != 0, int(np.sum(before.cells() == 0))
        assert np.array_equal(cells[stones], before.cells()[stones])
        assert np.sum(cells[~stones] == mover + 1) == (empty + 1) // 2
        assert np.sum(cells[~stones] == 2 - mover) == empty // 2


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("plies", [0, 1, 2, 5, 30])
def test_a_playout_tells_each_player_whether_it_was_won(plies, swap):
    for seed in range(10):
        before = random_position(Hex(4, swap), seed, plies)
        for viewer in (0, 1):
            position = before.array.copy()
            result = before.game.playout(position, viewer, random_state(seed))
            winner = winner_by_search(before.game.cells(position), 4)
            # The rewards of a finished game have been given: nothing more is to be won.
            assert result == (0.0 if before.is_over else 1.0 if winner == viewer else -1.0)


@pytest.mark.parametrize(("plies", "share"), [(0, 1 / 9), (1, 1 / 9), (2, 0)])
def test_a_playout_swaps_as_often_as_random_moves_do(plies, share):
    before, random, runs = random_position(Hex(3, swap=True), 1, plies), random_state(4), 3000
    swaps = 0
    for _ in range(runs):
        position = before.array.copy()
        before.game.playout(position, 0, random)
        swaps += int(np.sum(before.game.cells(position) == 2) == 5)  # black has the odd stone only after a swap
    assert abs(swaps - share * runs) <= 5 * (share * runs) ** 0.5


def test_a_playout_gives_each_side_every_choice_of_cells_equally_often():
    before = Position(Hex(3), ["a1", "b1", "c1", "b2", "a2"])
    random, seen, runs = random_state(5), Counter(), 3000
    for _ in range(runs):
        position = before.array.copy()
        _fill_at_random(position, 3, 2, random)
        seen[tuple(before.game.cells(position))] += 1
    assert len(seen) == 6  # two of four cells
    # Each count is binomial with a standard deviation of about 20 around 500.
    assert all(abs(count - runs / 6) < 100 for count in seen.values())


@pytest.mark.parametrize("first", [0, 1])
def test_with_colours_exchanged_and_the_board_mirrored_the_other_player_wins(first):
    for size in (3, 5, 8):
        for seed in range(6):
            game = random_game(Hex(size, True, first), seed)
            image = Position(Hex(size, True, 1 - first))
            for move in game.moves:
                assert not image.is_over
                image.play(transposed(move, size))
            assert image.winner == 1 - game.winner


# --- the swap


@pytest.mark.parametrize("first", [0, 1])
def test_the_swap_mirrors_the_stone_and_changes_its_colour(first):
    game = Hex(4, swap=True, first=first)
    for move in range(16):
        position = Position(game, [move, "swap"])
        expected = np.zeros(16, int)
        expected[transposed(move, 4)] = 2 - first
        assert position.cells().tolist() == expected.tolist()
        assert position.to_move == first
        assert position.move_names[-1] == "swap"
        # Flags of sides must be those of a stone that was put there, or later wins would be missed.
        assert np.array_equal(position.array[:36], Position(Hex(4, first=1 - first), [transposed(move, 4)]).array[:36])


@pytest.mark.parametrize("first", [0, 1])
def test_the_swap_is_legal_only_as_the_first_answer(first):
    for seed in range(10):
        for position in positions_of_random_game(Hex(4, True, first), seed):
            assert (16 in position.legal_moves) == (len(position.moves) == 1)
            if len(position.moves) != 1:
                with pytest.raises(IllegalMove):
                    position.play("swap")


def test_a_record_with_a_swap_replays_and_is_taken_back():
    position = Position(Hex(4, swap=True), ["b1", "swap-pieces", "c3", "d4"])
    assert position.move_names == ["b1", "swap", "c3", "d4"]
    assert np.array_equal(Position(position.game, position.move_names).array, position.array)
    assert position.undo().undo().undo().cells().tolist() == [0, 1] + [0] * 14
    assert position.to_move == 1


def test_without_the_option_there_is_no_swap():
    with pytest.raises(MalformedMove):
        Position(Hex(4), ["a1", "swap"])
    with pytest.raises(IllegalMove):
        Position(Hex(4), ["a1", 16])
