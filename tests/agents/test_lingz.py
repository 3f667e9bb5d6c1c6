"""A foreign Gomoku program in Python 2: it plays as it would there, and whatever it does wrong loses the game."""

from __future__ import annotations

import gc
import os
import time

import pytest

from tengen.agents import parse_agent
from tengen.arena import play_game, play_match
from tengen.cli.main import run
from tengen.errors import AgentFailure, SpecError
from tengen.games import Gomoku, Hex, Position

# The shape of what such a program is: a class that extends Player, a method turn, divisions of whole numbers.
HEAD = """
from player import Player
import math, os, time

class AI(Player):
    def __init__(self, name, symbol):
        Player.__init__(self, name, symbol)
        self.share = 7

    def put(self, game, cell):
        self.replace(game, game.position_dict[cell])
        if cell in game.remaining:
            game.remaining.remove(cell)

    def turn(self, game):
"""
MIDDLE = """
        print("thinking")
        n = len(game.remaining) / 2
        self.share /= 2
        assert self.share == 3 and 7.0 / 2 == 3.5 and -7 / 2 == -4
        self.share = 7
        for i in xrange(1):
            self.put(game, game.remaining[n])
"""
REAL = os.environ.get("TENGEN_GOMOKUAI", "")


def clone(folder, turn, head=HEAD):
    (folder / "ai.py").write_text(head + turn)
    return f"lingz,time=20:{folder}"


def test_it_is_asked_with_a_board_and_divides_as_python_2_does(tmp_path):
    game = Gomoku(5, line=4)
    agent = parse_agent(clone(tmp_path, MIDDLE)).make(game)
    assert agent.choose(Position(game)) == 12  # the middle of 25 free cells
    assert agent.choose(Position(game, [0, 1, 2])) == 14  # of 22, the twelfth: cell number 15


def test_it_sees_lines_and_stones(tmp_path):
    turn = """
        lines = [line for n in range(1, game.length + 1) for line in game.pos_in_row(n) + game.pos_in_col(n)]
        lines += game.pos_in_dia(0) + game.pos_in_dia(1)
        assert len(lines) == len(set(map(tuple, lines))) == 4 * 2 * 2 + 4 * 2, len(lines)
        assert [1, 6, 11] in lines and [3, 6, 9] in lines and [9, 10, 11] in lines and [2, 6, 10] in lines
        assert game.count_row([1, 2, 3]) == {'O': 1, 'X': 1, 0: 1}, game.count_row([1, 2, 3])
        assert game.board[0] == ['X', 2, 'O', 4] and game.win_con == 3 and game.learning == 0
        assert self.symbol == 'O' and 1 not in game.remaining and len(game.remaining) == 13
        self.put(game, 2)
"""
    game = Gomoku(4, line=3)
    agent = parse_agent(clone(tmp_path, turn)).make(game)
    first, second = Position(game, [2, 0, 15]), Position(game, [0, 2, 15])
    assert second.to_move == first.to_move == 1
    with pytest.raises(AgentFailure, match="AssertionError"):  # here the corner is its own
        agent.choose(first.copy().play(14))
    assert agent.choose(first.from_cells(game, [2, 0, 1, *[0] * 12, 2], 0)) == 1
    assert agent.choose(second.from_cells(game, [1, 0, 2, *[0] * 12, 1], 1)) == 1  # it is O, whoever begins


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        ("        raise KeyError(3)\n", "KeyError: 3"),
        ("        self.put(game, [n for n in range(1, 26) if game.board[(n - 1) / 5][(n - 1) % 5] == 'X'][0])\n", "cannot be played"),
        ("        pass\n", "0 cells"),
        ("        [self.put(game, n) for n in game.remaining[:2]]\n", "2 cells"),
        ("        os._exit(0)\n", "stopped"),
        ("        self.put(game, 99)\n", "KeyError"),
    ],
)  # fmt: skip
def test_a_failure_loses_the_game_and_the_next_one_is_played(tmp_path, turn, reason):
    spec = parse_agent(clone(tmp_path, turn))
    result = play_match(Gomoku(5, line=4), spec, parse_agent("random"), 4, opening=2, seed=1)
    assert result.total.losses == len(result.forfeits) == 4
    assert all(reason in forfeit and spec.text in forfeit for forfeit in result.forfeits)


def test_a_program_that_hangs_loses_by_time(tmp_path, capsys):
    clone(tmp_path, "        while True: pass\n")
    begun = time.monotonic()
    assert run(["watch", "gomoku:5,line=4", f"lingz,time=0.3:{tmp_path}", "random"]) == 0
    assert time.monotonic() - begun < 15
    assert "no answer within 0.3 seconds" in " ".join(capsys.readouterr().out.split())


def test_the_reason_is_printed_by_match(tmp_path, capsys):
    spec = clone(tmp_path, "        raise KeyError(3)\n")
    assert run(["match", "gomoku:5,line=4", spec, "random", "--games", "2"]) == 0
    assert "forfeited 2 times" in capsys.readouterr().out


def test_a_person_wins_against_a_program_that_fails(tmp_path, capsys):
    spec = clone(tmp_path, "        raise KeyError('[3]')\n")
    assert run(["play", "gomoku:5,line=4", "--against", spec, "--side", "second", "--terminal"]) == 0
    assert "Your opponent has lost: KeyError: '[3]'" in capsys.readouterr().out


def test_the_process_ends_with_the_agent(tmp_path):
    agent = parse_agent(clone(tmp_path, MIDDLE)).make(Gomoku(5))
    process = agent._process
    assert process.poll() is None
    del agent
    gc.collect()
    assert process.poll() is not None


def test_what_cannot_be_used_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(SpecError, match=r"no ai\.py"):
        parse_agent(f"lingz:{tmp_path}")
    with pytest.raises(SpecError, match="gomoku alone"):
        parse_agent(clone(tmp_path, MIDDLE)).make(Hex(5))
    for broken, reason in (
        ("        print 3\n", "SyntaxError"),
        ("        pass\nimport game\n", "ModuleNotFoundError"),
    ):
        with pytest.raises(SpecError, match=reason):
            parse_agent(clone(tmp_path, broken)).make(Gomoku(5))
    for seconds in ("0", "nan", "-1"):
        with pytest.raises(SpecError, match="time"):
            parse_agent(clone(tmp_path, MIDDLE).replace("time=20", f"time={seconds}")).make(Gomoku(5))


@pytest.mark.skipif(not REAL, reason="TENGEN_GOMOKUAI names no clone of github lingz/gomokuai")
@pytest.mark.parametrize("size", [3, 9, 15, 19])
def test_the_real_one_beats_random_play(size):
    game = Gomoku(size, line=min(size, 5))
    result = play_match(game, parse_agent(f"lingz:{REAL}"), parse_agent("random"), 6, opening=2)
    assert not result.forfeits
    assert result.total.wins == 6 or size == 3
    # It is deterministic, so a game depends on its beginning alone.
    twice = [play_game(game, [parse_agent(f"lingz:{REAL}").make(game) for _ in "ab"], seed) for seed in (1, 2)]
    assert twice[0] == twice[1]
