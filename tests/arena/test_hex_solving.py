"""The solver for Hex beside the generic one, with its patterns and its carriers; and beside itself where that is too slow."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tengen.arena.hex_patterns import fill_in, neighbour_table, ring_of
from tengen.arena.hex_solving import HexSolver
from tengen.arena.solvers import solver_for
from tengen.arena.solving import BudgetExhausted, Solver
from tengen.errors import SpecError, TengenError
from tengen.games import Gomoku, Hex, Position
from tengen.games.hex_knowledge import DEAD, ring_table

# Winning first moves, as solved by others.
FIRST_MOVES = {
    3: "a2 a3 b2 c1 c2",
    4: "a4 b3 c2 d1",
    5: "a4 a5 b2 b3 b4 c2 c3 c4 d2 d3 d4 e1 e2",
    6: "a3 a4 a5 a6 b2 b3 b4 b5 c2 c3 c4 c5 d2 d3 d4 d5 e2 e3 e4 e5 f1 f2 f3 f4",
}


def random_positions(game, count, fewest, most, seed):
    """Boards with stones in turn, and, four times in ten, with as many of each as luck will have it; either to move."""
    chooser, cells, found = random.Random(seed), game.size**2, []
    while len(found) < count:
        board, in_turn, share = [0] * cells, chooser.random() < 0.6, chooser.random()
        for number, cell in enumerate(chooser.sample(range(cells), chooser.randint(fewest, most))):
            board[cell] = 1 + number % 2 if in_turn else 1 + (chooser.random() < share)
        position = Position.from_cells(game, board, chooser.randrange(2))
        if not position.is_over:
            found.append(position)
    return found


def with_all_else_lost(position, carrier, winner):
    """The position with every empty cell outside the carrier given to the loser."""
    cells = [int(c) or (0 if carrier >> i & 1 else 2 - winner) for i, c in enumerate(position.cells())]
    return Position.from_cells(position.game, cells, position.to_move)


def check_beside_the_generic_solver(game, count, fewest, most, seed):
    ours, generic = HexSolver(game), Solver(game)
    generic._narrow = False  # plain search with a table: nothing in common with the other
    values = set()
    for position in random_positions(game, count, fewest, most, seed):
        value = generic.value(position)
        values.add(value)
        assert ours.value(position) == value, position
        assert ours.best_moves(position) == generic.best_moves(position), position
        won, carrier = ours._solve(*ours._read(position))
        winner = position.to_move if won else 1 - position.to_move
        harder = with_all_else_lost(position, carrier, winner)
        assert harder.winner == winner if harder.is_over else generic.value(harder) == value, (position, carrier)
    assert values == {-1, 1}


@pytest.mark.parametrize(
    ("game", "count", "fewest", "most"),
    [
        (Hex(3), 300, 0, 7),
        (Hex(3, first=1), 100, 0, 7),
        (Hex(4), 300, 3, 12),
        (Hex(4, first=1), 100, 3, 12),
        (Hex(5), 100, 12, 20),
    ],
    ids=str,
)
def test_agrees_with_the_generic_solver(game, count, fewest, most):
    """In value, in all winning moves, and the carrier is enough to win with."""
    check_beside_the_generic_solver(game, count, fewest, most, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "fewest", "most"), [(Hex(3), 0, 7), (Hex(4), 0, 12), (Hex(5), 11, 20)], ids=str)
def test_agrees_with_the_generic_solver_in_thousands_of_positions(game, fewest, most):
    check_beside_the_generic_solver(game, 5000, fewest, most, seed=2)


@pytest.mark.parametrize("size", FIRST_MOVES)
def test_first_moves(size):
    game = Hex(size)
    assert (
        sorted(game.move_name(move) for move in HexSolver(game).best_moves(Position(game))) == FIRST_MOVES[size].split()
    )


def test_black_s_first_moves_are_red_s_in_the_mirror():
    game = Hex(5, first=1)
    mirrored = {move % 5 * 5 + move // 5 for move in HexSolver(Hex(5)).best_moves(Position(Hex(5)))}
    assert set(HexSolver(game).best_moves(Position(game))) == mirrored


def test_colours_exchanged_and_the_board_turned():
    """On 6×6, where the generic solver is too slow: what it finds for a position holds for its images."""
    game, solver = Hex(6), HexSolver(Hex(6))
    for position in random_positions(game, 60, 8, 24, seed=4):
        best, other = solver.best_moves(position), HexSolver(game)  # another one, whose table is empty
        grid = position.cells().reshape(6, 6)
        exchanged = Position.from_cells(game, ((3 - grid.T) % 3).ravel().tolist(), 1 - position.to_move)
        turned = Position.from_cells(game, grid[::-1, ::-1].ravel().tolist(), position.to_move)
        assert other.value(exchanged) == other.value(turned) == solver.value(position)
        assert sorted(move % 6 * 6 + move // 6 for move in other.best_moves(exchanged)) == best
        assert sorted(35 - move for move in other.best_moves(turned)) == best


def test_a_position_is_won_if_and_only_if_a_move_leads_to_a_lost_one():
    solver, values = HexSolver(Hex(6)), set()
    for position in random_positions(Hex(6), 60, 6, 24, seed=5):
        after = [position.copy().play(move) for move in position.legal_moves]
        some_move_wins = any(p.is_over or solver.value(p) == -1 for p in after)
        values.add(solver.value(position))
        assert (solver.value(position) == 1) == some_move_wins, position
    assert values == {-1, 1}


def completions(cells, empty, chooser, count):
    for _ in range(count):
        full = cells.copy()
        for cell in empty:
            full[cell] = chooser.randint(1, 2)
        yield full


def test_a_dead_cell_never_matters():
    """However the board is filled, a dead cell may change its colour and the winner stays."""
    game, chooser, dead = Hex(4), random.Random(6), 0
    neighbours, rings = neighbour_table(4), ring_table()
    for position in random_positions(game, 150, 4, 12, seed=6):
        cells = position.cells().astype(np.int64)
        empty = np.flatnonzero(cells == 0)
        for cell in empty:
            if rings[DEAD, ring_of(np.append(cells, [1, 2]), neighbours[cell])]:
                dead += 1
                for full in completions(cells, empty, chooser, 10):
                    winners = set()
                    for colour in (1, 2):
                        full[cell] = colour
                        winners.add(Position.from_cells(game, full.tolist(), 0).winner)
                    assert len(winners) == 1
    assert dead > 50


def test_filling_in_changes_no_value():
    game, generic, filled = Hex(4), Solver(Hex(4)), [0, 0]
    generic._narrow = False
    for position in random_positions(game, 200, 4, 10, seed=7):
        cells = position.cells()
        stones = np.array([sum(1 << int(i) for i in np.flatnonzero(cells == c)) for c in (1, 2)], np.uint64)
        captured, colours = np.zeros(2, np.uint64), np.zeros(18, np.int64)
        with np.errstate(over="ignore"):
            fill_in(stones, captured, colours, neighbour_table(4), ring_table())
        after = Position.from_cells(game, colours[:16].tolist(), position.to_move)
        winner = after.winner if after.is_over else after.to_move if generic.value(after) == 1 else 1 - after.to_move
        assert winner == (position.to_move if generic.value(position) == 1 else 1 - position.to_move), position
        for player in (0, 1):
            filled[player] += int(captured[player]).bit_count()
    assert min(filled) > 50


def test_a_turned_position_is_known():
    solver = HexSolver(Hex(5))
    solver.value(Position(Hex(5), ["a2"]))
    before = solver.nodes
    assert before > 1
    solver.value(Position(Hex(5), ["e4"]))
    assert solver.nodes == before + 1


def test_a_table_of_four_entries_changes_nothing_but_the_time():
    small, large = HexSolver(Hex(5), table_bits=2), HexSolver(Hex(5))
    assert small.best_moves(Position(Hex(5))) == large.best_moves(Position(Hex(5)))
    assert small.nodes > large.nodes


def test_the_table_tells_apart_who_moves():
    """Also where all positions share one bucket: on each board one player moves, then the other."""
    small, differing = HexSolver(Hex(4), table_bits=2), 0
    for position in random_positions(Hex(4), 100, 2, 6, seed=8):
        other = Position.from_cells(Hex(4), position.cells().tolist(), 1 - position.to_move)
        values = [small.value(p) for p in (position, other)]
        assert values == [HexSolver(Hex(4), table_bits=10).value(p) for p in (position, other)]
        differing += values[0] != values[1]
    assert differing > 10


def test_the_budget_is_kept_and_the_search_can_be_asked_again():
    told, decided = [], []
    solver = HexSolver(Hex(5), nodes=40, on_slice=told.append)
    position = Position(Hex(5))
    with pytest.raises(BudgetExhausted, match="40"):
        solver.best_moves(position)
    assert solver.nodes == 40 == told[-1]
    solver.limit = 0
    assert len(solver.best_moves(position, lambda done, of: decided.append((done, of)))) == 13
    assert decided == [(i, 25) for i in range(25)]


def test_each_game_gets_its_solver():
    assert isinstance(solver_for(Hex(5)), HexSolver)
    assert isinstance(solver_for(Hex(8, first=1)), HexSolver)
    for game in (Hex(3, swap=True), Hex(9), Gomoku(3, line=3)):
        assert isinstance(solver_for(game), Solver)


def test_what_it_refuses():
    for game in (Hex(9), Hex(3, swap=True)):
        with pytest.raises(SpecError, match="without swap"):
            HexSolver(game)
    with pytest.raises(SpecError, match="table"):
        HexSolver(Hex(3), table_bits=1)
    with pytest.raises(TengenError, match="over"):
        HexSolver(Hex(3)).value(Position(Hex(3), ["a1", "b1", "a2", "b2", "a3"]))
