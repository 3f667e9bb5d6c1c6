"""Foreign HTP engines as agents: good ones, slow ones, noisy ones, and those that lie."""

from __future__ import annotations

import shlex
import sys
import time

import pytest

from tengen.agents import RandomAgent, parse_agent
from tengen.arena import play_game
from tengen.errors import AgentFailure, SpecError
from tengen.games import Gomoku, Hex, Position
from tengen.protocols.htp_client import stones

OURS = f"{shlex.quote(sys.executable)} -m tengen engine htp --agent random"

PROGRAM = """
import sys, time
size, stones = 11, set()
for line in sys.stdin:
    words = line.split()
    if words[0] == "boardsize" and {one} and len(words) > 2:
        print("? one number, please\\n", flush=True)
        continue
    if words[0] == "boardsize":
        size = int(words[1])
    if words[0] == "clear_board":
        stones = set()
    if words[0] == "play":
        stones.add(words[2])
    if words[0] == "genmove":
        {genmove}
        free = [c + str(r) for r in range(1, size + 1) for c in "abcdefghijk"[:size] if c + str(r) not in stones]
        stones.add(free[0])
        print("= " + free[0] + "\\n", flush=True)
    else:
        print("= \\n", flush=True)
"""


@pytest.fixture
def program(tmp_path):
    def make(genmove="pass", one=False):
        file = tmp_path / "engine.py"
        file.write_text(PROGRAM.format(genmove=genmove, one=one))
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(file))}"

    return make


def test_a_whole_game_against_our_own_engine():
    game = Hex(size=4, swap=True)
    agent = parse_agent(f"htp,time=60:{OURS}").make(game)
    for seed in range(3):
        for pair in ((agent, RandomAgent(game)), (RandomAgent(game), agent)):
            played = play_game(game, pair, seed)
            assert played.forfeit is None
            assert played.winner in (0, 1)


def test_an_engine_sees_the_same_board(program):
    """It plays the first free cell, so every stone it did not hear of would be an illegal move."""
    game = Hex(size=3, swap=True)
    agent = parse_agent(f"htp:{program()}").make(game)
    for moves in (["a1"], ["b1", "a1", "c1"], ["a2", "swap"], [], ["a1", "swap", "b1", "c1"]):
        position = Position(game, moves)
        first = next(cell for cell in range(9) if position.cells()[cell] == 0)
        assert agent.choose(position) == first
    assert agent.choose(Position.from_cells(game, [1, 2, 1, 0, 0, 0, 0, 0, 0], 1)) == 3


def test_stones_of_a_position():
    game = Hex(size=3, swap=True)
    assert stones(Position(game, ["a2", "b2"])) == [(0, "a2"), (1, "b2")]
    assert stones(Position(game, ["a2", "swap", "c3"])) == [(1, "b1"), (0, "c3")]
    assert stones(Position.from_cells(game, [1, 2, 0, 0, 0, 0, 0, 0, 0], 0).play("c3")) == [
        (0, "a1"),
        (1, "b1"),
        (0, "c3"),
    ]


def test_noise_and_one_argument_boardsize(program):
    noise = "print('thinking about = and ?\\n\\nINFO x', flush=True)"
    agent = parse_agent(f"htp:{program(noise, one=True)}").make(Hex(size=3))
    assert agent.choose(Position(Hex(size=3))) == 0


@pytest.mark.parametrize(
    ("genmove", "reason"),
    [
        ("sys.exit(3)", "it has stopped with exit code 3"),
        ("time.sleep(60)", "no answer in time (0.5 seconds)"),
        ("print('? I will not\\n', flush=True); continue", "genmove: I will not"),
        ("print('= resign\\n', flush=True); continue", "it resigns"),
        ("print('= \\n', flush=True); continue", "genmove: an empty answer"),
        ("print('= q99\\n', flush=True); continue", "'q99' is not on this board"),
        ("print('x\\n' * 20000, flush=True); continue", "it writes lines that are no answer"),
        ("print('= a1', flush=True); time.sleep(60)", "no answer in time"),
        ("sys.stdout.write('y' * 1000000); sys.stdout.flush(); time.sleep(60)", "no answer in time"),
    ],
)
def test_what_goes_wrong_loses_the_game_with_its_reason(program, genmove, reason):
    game = Hex(size=3)
    seconds = 0.5 if "in time" in reason else 30
    agent = parse_agent(f"htp,time={seconds}:{program(genmove)}").make(game)
    for seed in range(2):  # it is started anew for the second game
        played = play_game(game, (RandomAgent(game), agent), seed)
        assert played.winner == 0
        assert played.forfeit is not None
        assert reason in played.forfeit


def test_an_illegal_move_loses_the_game(program):
    game = Hex(size=3)
    agent = parse_agent(
        f"htp:{program('print(chr(61), chr(97) + chr(49), end=chr(10) * 2, flush=True); continue')}"
    ).make(game)
    played = play_game(game, (agent, RandomAgent(game)), 1)
    assert (played.winner, played.forfeit is not None and "a1 cannot be played here" in played.forfeit) == (1, True)


def test_a_late_engine_does_not_live_on(program, tmp_path):
    mark = tmp_path / "late"
    agent = parse_agent(f"htp,time=0.3:{program(f'time.sleep(1.5); open({str(mark)!r}, chr(119))')}").make(Hex(size=3))
    with pytest.raises(AgentFailure):
        agent.choose(Position(Hex(size=3)))
    time.sleep(1.6)
    assert not mark.exists()


@pytest.mark.parametrize(
    "spec",
    ["htp:", "htp:/no/such/program", "htp:'", "htp,time=0:cat", "htp,time=x:cat", "htp:false", "htp,speed=3:cat"],
)
def test_what_cannot_be_used_is_one_clear_line(spec):
    with pytest.raises(SpecError) as error:
        parse_agent(spec).make(Hex(size=3))
    assert "\n" not in str(error.value)


def test_it_plays_hex_alone():
    with pytest.raises(SpecError, match="hex alone"):
        parse_agent("htp:cat").make(Gomoku())


def test_setup_commands_are_sent_first():
    agent = parse_agent(f"htp,setup=time_settings 9 ; play b a1:{OURS}").make(Hex(size=3))
    assert agent._engine.ask("time_left b") == "black 9.0"
    assert agent.choose(Position(Hex(size=3))) in range(9)  # and then the board is cleared
    with pytest.raises(SpecError, match="sing: "):
        parse_agent(f"htp,setup=sing:{OURS}").make(Hex(size=3))
