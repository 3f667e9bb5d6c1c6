"""The number of move sequences of each length ("perft"), for every game, against stored counts and against theory."""

import functools
from math import perm
from pathlib import Path

import numpy as np
import pytest

from tengen.compiling import kernel
from tengen.games import GAMES, Gomoku, Hex, Nim, Pig, parse_game

COUNTS = [line.split() for line in Path(__file__).with_name("perft.txt").read_text().splitlines() if line[0] != "#"]
SLOW_AS_PLAIN_PYTHON = 50_000


@kernel
def count_sequences(game, depth):
    """The number of sequences of `depth` moves, outcomes of luck among them; games that end earlier have none."""
    # A stack of our own: one position, and one list of moves still to be tried, for each ply.
    positions = np.zeros((depth + 1, game.position_size()), np.int32)
    moves = np.zeros((depth + 1, game.move_count()), np.int32)
    left = np.zeros(depth + 1, np.int64)
    game.start(positions[0])
    left[0] = game.legal_moves(positions[0], moves[0])
    count, ply = 0, 0
    while ply >= 0:
        if left[ply] == 0:
            ply -= 1
            continue
        left[ply] -= 1
        if ply == depth - 1:
            count += 1
            continue
        positions[ply + 1] = positions[ply]
        game.play(positions[ply + 1], int(moves[ply, left[ply]]))
        if game.is_over(positions[ply + 1]):
            continue
        ply += 1
        left[ply] = game.legal_moves(positions[ply], moves[ply])
    return count


def test_every_game_is_counted():
    assert {spec.partition(":")[0] for spec, _, _ in COUNTS} == set(GAMES)


@pytest.mark.parametrize(
    ("spec", "depth", "count"),
    [
        pytest.param(spec, int(depth), int(count), marks=[pytest.mark.jit] * (int(count) > SLOW_AS_PLAIN_PYTHON))
        for spec, depth, count in COUNTS
    ],
)
def test_the_number_of_sequences_is_the_stored_one(spec, depth, count):
    assert count_sequences(parse_game(spec), depth) == count


# --- what theory says


def stored(spec):
    """The stored counts of a game by depth."""
    return {int(depth): int(count) for name, depth, count in COUNTS if name == spec}


@pytest.mark.parametrize(
    "game", [Hex(3), Hex(3, first=1), Hex(5), Gomoku(3, 3), Gomoku(6, 4), Gomoku(6, 4, True)], ids=str
)
def test_until_somebody_can_have_won_every_empty_cell_is_a_move(game):
    needed = game.size if isinstance(game, Hex) else game.line
    for depth in range(1, 2 * needed):  # the last of these moves may win, it is still a move
        if perm(game.size**2, depth) < SLOW_AS_PLAIN_PYTHON:
            assert count_sequences(game, depth) == perm(game.size**2, depth)


def test_the_shortest_wins_leave_fewer_sequences():
    # A win with three stones: one of the lines, its stones in any order, and any two stones of the other side.
    chains = 8  # from side to side on 3×3 cells, one step down or down-left at a time: 1 + 3 + 4
    assert stored("hex:3")[6] == (perm(9, 5) - chains * 6 * perm(6, 2)) * 4
    rows = 4 * 2 + 4 * 2 + 2 * 4  # of three on 4×4 cells: along, across, on both diagonals
    assert stored("gomoku:4,line=3")[6] == (perm(16, 5) - rows * 6 * perm(13, 2)) * 11


def test_the_swap_adds_one_answer():
    cells = 16
    game = Hex(4, swap=True)
    assert count_sequences(game, 1) == cells
    assert count_sequences(game, 2) == cells * (cells - 1 + 1)
    # Without a swap there are two stones; after one there is one stone.
    assert count_sequences(game, 3) == cells * (cells - 1) * (cells - 2) + cells * (cells - 1)


def test_tic_tac_toe_has_its_known_counts():
    known = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert stored("gomoku:3,line=3") == dict(enumerate(known, start=1))


@functools.cache
def sequences_of_nim(heaps, depth):
    """Sequences of moves, counted by heaps alone: who moves and who wins does not matter."""
    if depth == 0:
        return 1
    return sum(
        sequences_of_nim(tuple(sorted((*heaps[:i], heap - taken, *heaps[i + 1 :]))), depth - 1)
        for i, heap in enumerate(heaps)
        for taken in range(1, heap + 1)
    )


@pytest.mark.parametrize("misere", [False, True])
def test_nim_is_counted_by_its_heaps(misere):
    for depth in range(1, 7):
        assert count_sequences(Nim(3, misere), depth) == sequences_of_nim((1, 2, 3), depth)
    assert count_sequences(Nim(3, misere), 7) == 0  # there are six stones


def test_pig_branches_by_its_moves_and_its_faces():
    game = Pig(turns=10)
    assert count_sequences(game, 1) == 2  # bank or roll
    assert count_sequences(game, 2) == 2 + 6  # after banking the next turn, after rolling the faces
    assert count_sequences(game, 3) == 2 + 6 + 6 * 2
    assert count_sequences(Pig(turns=1), 2) == 6  # banking ended the game
    assert count_sequences(Pig(turns=1, sides=6, limit=4), 3) == 2 + 2 + 1 + 1 + 1  # faces 2 3 4 5 6; a one ended it


def test_the_placements_of_tetris_are_the_columns_that_each_turn_leaves():
    widths = {"I": (4, 1), "O": (2,), "T": (3, 2, 3, 2), "S": (3, 2), "Z": (3, 2), "J": (3, 2, 3, 2), "L": (3, 2, 3, 2)}
    for spec, columns in (("tetris:10x10,preview=0", 10), ("tetris:4x4,preview=0", 4)):
        assert stored(spec)[1] == 7
        assert stored(spec)[2] == sum(columns + 1 - width for turns in widths.values() for width in turns)
    assert stored("tetris:10x10,preview=0")[3] == 7 * 162
    assert stored("tetris:10x20")[3] == 7 * 162  # two pieces are drawn before the first is placed
    assert stored("tetris:5x6,bag")[2] == 7 * 6
