"""Gomoku: the winner against a scan of all lines, tic-tac-toe in full, draws, symmetries and names."""

import functools
from collections import Counter

import numpy as np
import pytest
from random_play import positions_of_random_game, random_game, random_position

from tengen.errors import MalformedMove, TengenError
from tengen.games import NOBODY, Gomoku, Position
from tengen.games.randomness import random_state

BOARDS = [
    Gomoku(3, 3), Gomoku(4, 2), Gomoku(5, 4), Gomoku(6, 3), Gomoku(7, 5), Gomoku(9, 5), Gomoku(15, 5),
    Gomoku(4, 2, True), Gomoku(5, 3, True), Gomoku(6, 3, True), Gomoku(7, 4, True), Gomoku(9, 5, True),
]  # fmt: skip


def runs(cells, size):
    """(colour, length) of every longest row of stones of one colour, in all four directions."""
    board = np.reshape(cells, (size, size))
    lines = [*board, *board.T]
    for grid in (board, board[:, ::-1]):
        lines += [grid.diagonal(offset) for offset in range(1 - size, size)]
    for line in lines:
        length = 0
        for i, colour in enumerate(line):
            length += 1
            if i + 1 == len(line) or line[i + 1] != colour:
                if colour:
                    yield int(colour), length
                length = 0


def winner_by_scan(cells, game):
    winners = {
        colour - 1
        for colour, length in runs(cells, game.size)
        if length == game.line or (length > game.line and not game.exact)
    }
    assert len(winners) < 2
    return winners.pop() if winners else None


def stones(game, black, white=()):
    """A position with the named stones, black to move."""
    cells = [0] * game.move_count()
    for colour, names in ((1, black), (2, white)):
        for name in names:
            cells[game.parse_move(name)] = colour
    return Position.from_cells(game, cells, 0)


@pytest.mark.parametrize("game", BOARDS, ids=str)
def test_the_winner_of_random_games_is_the_one_found_by_scan(game):
    for seed in range(40 if game.size < 9 else 8):
        for position in positions_of_random_game(game, seed):
            assert position.winner == winner_by_scan(position.cells(), game)
            full = len(position.moves) == game.move_count()
            assert position.is_over == (full or position.winner is not None)
        assert position.returns == {0: [1.0, -1.0], 1: [-1.0, 1.0], None: [0.0, 0.0]}[position.winner]


@pytest.mark.parametrize(("right", "up"), [(1, 0), (0, 1), (1, 1), (1, -1)])
@pytest.mark.parametrize("gap", range(6))
def test_six_in_a_row_win_only_in_freestyle(right, up, gap):
    line = [f"{chr(ord('a') + right * i)}{up * i + (7 if up < 0 else 1)}" for i in range(6)]
    present = line[:gap] + line[gap + 1 :]
    free, exact = Gomoku(7), Gomoku(7, exact=True)
    if gap in (0, 5):  # the five others stand together and have won already
        assert stones(free, present).winner == stones(exact, present).winner == 0
        assert stones(free, line).winner == 0
        assert stones(exact, line).winner is None
        return
    assert stones(free, present).play(line[gap]).winner == 0
    long_row = stones(exact, present).play(line[gap])
    assert long_row.winner is None
    assert not long_row.is_over
    assert long_row.returns == [0.0, 0.0]


def test_a_long_row_and_an_exact_one_at_once_win():
    game = Gomoku(9, exact=True)
    long_row = ["a1", "b1", "c1", "d1", "e1", "f1"]
    column = ["c2", "c3", "c4", "c5"]
    position = stones(game, [*(name for name in long_row if name != "c1"), *column])
    assert position.play("c1").winner == 0


def test_rows_do_not_go_round_the_edge():
    game = Gomoku(5)
    assert stones(game, ["c5", "d5", "e5", "a4", "b4"]).winner is None
    assert stones(game, ["d5", "e4", "a3", "b2", "c1"]).winner is None


def test_a_full_board_without_a_row_is_a_draw():
    position = Position(Gomoku(3, 3), ["b2", "a1", "a3", "c1", "b1", "b3", "c2", "a2", "c3"])
    assert position.is_over
    assert position.game.outcome(position.array) == NOBODY
    assert position.winner is None
    assert position.returns == [0.0, 0.0]
    assert position.legal_moves == []


def test_a_row_with_the_last_stone_is_a_win_and_no_draw():
    position = Position(Gomoku(3, 3), ["a1", "c1", "c3", "a2", "b1", "a3", "c2", "b3"])
    assert not position.is_over
    assert position.play("b2").winner == 0
    assert position.returns == [1.0, -1.0]


@pytest.mark.parametrize("game", [Gomoku(3, 3), Gomoku(5, 4), Gomoku(6, 4, True), Gomoku(5, 5, True)], ids=str)
def test_a_playout_tells_each_player_whether_it_was_won(game):
    results = set()
    for seed in range(30):
        before = random_position(game, seed, plies=seed % 8)
        for viewer in (0, 1):
            position = before.array.copy()
            results.add(result := game.playout(position, viewer, random_state(seed)))
            cells = game.cells(position)
            winner = winner_by_scan(cells, game)
            over = before.is_over or winner is None
            assert result == (0.0 if over else 1.0 if winner == viewer else -1.0)
            assert before.is_over or winner is not None or np.all(cells != 0)
            assert 0 <= np.sum(cells == 1) - np.sum(cells == 2) <= 1  # moves were made in turn
    assert results >= {1.0, -1.0}


def test_tic_tac_toe_has_the_known_number_of_games():
    game = Gomoku(3, 3)

    @functools.cache
    def count(position):
        array = np.frombuffer(position, np.int32)
        if game.is_over(array):
            return Counter({game.outcome(array): 1})
        moves, total = np.empty(9, np.int32), Counter()
        for move in moves[: game.legal_moves(array, moves)]:
            after = array.copy()
            game.play(after, int(move))
            total += count(after.tobytes())
        return total

    assert count(Position(game).array.tobytes()) == {0: 131184, 1: 77904, NOBODY: 46080}
    assert count.cache_info().currsize == 5478  # positions that can arise, also known


# --- symmetries, cells, planes, names


def test_a_square_has_eight_symmetries():
    tables = Gomoku(4, 4).symmetries()
    assert len({tuple(table) for table in tables}) == 8
    corners, neighbours = {0, 3, 12, 15}, {(a, b) for a in range(16) for b in range(16) if are_neighbours(a, b, 4)}
    for table in tables:
        assert {int(table[corner]) for corner in corners} == corners
        assert {(int(table[a]), int(table[b])) for a, b in neighbours} == neighbours


def are_neighbours(a, b, size):
    return abs(a // size - b // size) + abs(a % size - b % size) == 1


@pytest.mark.parametrize("game", [Gomoku(3, 3), Gomoku(6, 4), Gomoku(6, 3, True), Gomoku(9)], ids=str)
def test_a_position_from_cells_is_the_position_with_these_stones(game):
    for seed in range(5):
        for position in positions_of_random_game(game, seed):
            copy = Position.from_cells(game, position.cells().tolist(), position.to_move)
            assert np.array_equal(copy.array, position.array)


@pytest.mark.parametrize(("cells", "to_move"), [([0] * 8, 0), ([0] * 8 + [3], 0), ([0] * 9, 2)])
def test_cells_that_are_no_position_are_refused(cells, to_move):
    with pytest.raises(TengenError, match="a position of this game is 9 cells"):
        Position.from_cells(Gomoku(3, 3), cells, to_move)


def test_a_network_sees_the_movers_stones_first():
    for position in positions_of_random_game(Gomoku(6, 4), 1):
        planes = np.full((2, 6, 6), np.nan, np.float32)
        position.game.encode(position.array, planes)
        board, mover = position.cells().reshape(6, 6), position.to_move
        assert np.array_equal(planes, [board == mover + 1, board == 2 - mover])
        assert position.game.move_view(position.array) == 0


def test_a1_is_bottom_left():
    game = Gomoku(15)
    names = {"a15": 0, "o15": 14, "a14": 15, "h8": 112, "a1": 210, "o1": 224}
    assert {name: game.parse_move(name) for name in names} == names
    assert {game.move_name(move): move for move in names.values()} == names


@pytest.mark.parametrize("text", ["", "a0", "a16", "p1", "15a", "h", "a1 ,"])
def test_texts_that_are_no_cell_are_refused(text):
    with pytest.raises(MalformedMove):
        Position(Gomoku(15)).play(text)


def test_black_begins_and_players_alternate():
    for i, position in enumerate(positions_of_random_game(Gomoku(5, 4), 2)):
        if not position.is_over:
            assert position.to_move == i % 2
    assert random_game(Gomoku(5, 4), 2).moves == position.moves
