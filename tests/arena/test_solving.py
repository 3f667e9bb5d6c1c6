"""The generic solver: right beside plain minimax and published results, whatever it leaves out and however little it remembers."""

from __future__ import annotations

import json
import random
from functools import cache

import pytest

from tengen.arena.solving import BudgetExhausted, Solver
from tengen.cli.main import run
from tengen.errors import SpecError, TengenError
from tengen.games import Gomoku, Hex, Nim, Pig, Position, parse_game

# Winning first moves, as solved by others.
HEX_3 = "a2 a3 b2 c1 c2"
HEX_4 = "a4 b3 c2 d1"


def minimax(game):
    """The value of a position in its mover's view, by the definition."""

    @cache
    def value(array):
        position = Position(game)
        position.array[:] = array
        mover, best = position.to_move, -2
        for move in position.legal_moves:
            before = position.returns[mover]
            position.play(move)
            if position.is_over:
                worth = round(position.returns[mover] - before)
            else:
                worth = value(tuple(position.array.tolist())) * (1 if position.to_move == mover else -1)
            position.undo()
            best = max(best, worth)
        return best

    return lambda position: value(tuple(position.array.tolist()))


def random_positions(game, count, seed, fewest=0):
    chooser, found = random.Random(seed), []
    while len(found) < count:
        position = Position(game)
        for _ in range(fewest + chooser.randrange(7)):
            if not position.is_over:
                position.play(chooser.choice(position.legal_moves))
        if not position.is_over:
            found.append(position)
    return found


@pytest.mark.parametrize(
    "spec",
    ["hex:3", "hex:3,first=1", "hex:3,swap=true", "gomoku:3,line=3", "gomoku:3,line=2", "nim:3", "nim:4,misere=true"],
)
def test_agrees_with_minimax(spec):
    game = parse_game(spec)
    value, solver = minimax(game), Solver(game, table_bits=14)
    seen = set()
    for position in random_positions(game, 60, seed=3):
        worth = value(position)
        seen.add(worth)
        assert solver.value(position) == worth, position
        keeping = []
        for move in position.legal_moves:
            after = position.copy().play(move)
            gain = after.returns[position.to_move] if after.is_over else -value(after)
            if gain == worth:
                keeping.append(move)
        assert solver.best_moves(position) == keeping, position
    assert len(seen) >= 2  # the sample has both, or all three, kinds


def first_moves(game, solver=None):
    return sorted(game.move_name(move) for move in (solver or Solver(game)).best_moves(Position(game)))


def test_first_moves_of_hex():
    assert first_moves(Hex(3)) == HEX_3.split()
    assert first_moves(Hex(4)) == HEX_4.split()


def test_the_second_player_wins_where_swapping_is_allowed():
    assert Solver(Hex(3, swap=True)).value(Position(Hex(3, swap=True))) == -1


def test_a_table_of_four_entries_changes_nothing_but_the_time():
    game = Hex(3)
    small, large = Solver(game, table_bits=2), Solver(game)
    assert first_moves(game, small) == HEX_3.split()
    large.best_moves(Position(game))
    assert small.nodes > large.nodes


def test_what_is_left_out_in_hex_does_not_matter():
    """Without the must-play region the result is the same and takes longer."""
    game = Hex(4)
    narrow, wide = Solver(game), Solver(game)
    wide._narrow = False
    for position in random_positions(game, 40, seed=5, fewest=2):
        assert narrow.best_moves(position) == wide.best_moves(position)
    assert narrow.nodes < wide.nodes


def test_draws():
    game = Gomoku(3, line=3)
    assert Solver(game).value(Position(game)) == 0
    assert len(first_moves(game)) == 9
    after_corner = Position(game, ["a1"])
    assert [game.move_name(move) for move in Solver(game).best_moves(after_corner)] == ["b2"]


def test_nim_by_its_theory():
    for heaps in range(1, 6):
        total = 0
        for heap in range(1, heaps + 1):
            total ^= heap
        assert Solver(Nim(heaps)).value(Position(Nim(heaps))) == (1 if total else -1)


def test_the_budget_is_kept_and_the_search_can_be_asked_again():
    game, told = Hex(4), []
    solver = Solver(game, nodes=500, on_slice=told.append)
    with pytest.raises(BudgetExhausted, match="500"):
        solver.value(Position(game))
    assert solver.nodes == 500 == told[-1]
    solver.limit = 0
    assert solver.value(Position(game)) == 1


def test_games_that_cannot_be_solved():
    with pytest.raises(SpecError, match="two players"):
        Solver(Pig(2))
    with pytest.raises(SpecError, match="luck"):
        Solver(Pig(2, seats=2)).value(Position(Pig(2, seats=2)))
    with pytest.raises(SpecError, match="table"):
        Solver(Hex(3), table_bits=1)
    with pytest.raises(TengenError, match="over"):
        Solver(Hex(3)).value(Position(Hex(3), ["a1", "b1", "a2", "b2", "a3"]))


@pytest.mark.parametrize(
    ("command", "winner", "moves"),
    [
        (["hex:3"], 0, HEX_3),
        (["hex:3,swap=true"], 1, ""),
        (["hex:4,first=1", "--moves", "d2"], 0, "a4 b3 c2"),
        (["gomoku:3,line=3", "--moves", "a1"], None, "b2"),
        (["nim:3"], 1, ""),
    ],
)
def test_the_command(capsys, command, winner, moves):
    assert run(["solve", *command, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["winner"], sorted(data["winning_moves"])) == (winner, moves.split())


def test_the_command_says_it_in_words(capsys):
    assert run(["solve", "hex:3"]) == 0
    said = capsys.readouterr().out
    assert "Red, to move, wins with: c1 a2 b2 c2 a3" in said
    assert said.count("*") == 5  # on the board
    assert run(["solve", "hex:3", "--moves", "b2"]) == 0
    assert "Red wins, whatever black plays" in capsys.readouterr().out
    assert run(["solve", "gomoku:3,line=3"]) == 0
    assert "A draw" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["pig:2"], "two players"),
        (["pig:2,seats=2"], "without luck"),
        (["hex:11"], "too large"),
        (["hex:5", "--nodes", "30"], "30 positions"),
        (["gomoku:4,line=3", "--nodes", "50"], "50 positions"),
        (["hex:4", "--nodes", "-1"], "nodes"),
        (["hex:3", "--moves", "z9"], "z9"),
    ],
)
def test_the_command_refuses(capsys, command, said):
    assert run(["solve", *command]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("compiling")]
    assert len(lines) == 1
    assert said in lines[0]
