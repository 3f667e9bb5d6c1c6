"""Foreign Gomoku engines as agents: good ones, slow ones, noisy ones, and those that lie."""

from __future__ import annotations

import shlex
import sys
import time

import pytest

from tengen.agents import RandomAgent, parse_agent
from tengen.arena import play_game
from tengen.errors import AgentFailure, SpecError
from tengen.games import Gomoku, Hex, Position

OURS = f"{shlex.quote(sys.executable)} -m tengen engine gomocup --agent random"

PROGRAM = """
import sys, time
size, stones, listing = 20, set(), False
heard = open({heard!r}, "a")
def answer(text):
    print(text, flush=True)
for line in sys.stdin:
    heard.write(line)
    heard.flush()
    words = line.split()
    thinks = False
    if listing:
        if words[0] == "DONE":
            listing, thinks = False, True
        else:
            stones.add(tuple(int(n) for n in words[0].split(",")[:2]))
    elif words[0] == "START":
        size, stones = int(words[1]), set()
        {start}
        answer("OK")
    elif words[0] == "RESTART":
        stones = set()
        {restart}
    elif words[0] == "BOARD":
        listing = True
    elif words[0] == "END":
        break
    elif words[0] == "TURN":
        stones.add(tuple(int(n) for n in words[1].split(",")))
        thinks = True
    elif words[0] == "BEGIN":
        thinks = True
    elif words[0] == "PLAY":
        answer(words[1])
    if thinks:
        x, y = next((x, y) for y in range(size) for x in range(size) if (x, y) not in stones)
        stones.add((x, y))
        {move}
"""


HELLO, UNKNOWN, TOO_SMALL = "answer('MESSAGE hello')", "answer('UNKNOWN')", "answer('ERROR too small')"


@pytest.fixture
def heard(tmp_path):
    return tmp_path / "heard.txt"


@pytest.fixture
def program(tmp_path, heard):
    def make(move="answer(f'{x},{y}')", start="pass", restart="answer('OK')"):
        file = tmp_path / "engine.py"
        file.write_text(PROGRAM.format(move=move, start=start, restart=restart, heard=str(heard)))
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(file))}"

    return make


def said(heard):
    """What the engine heard, without INFO."""
    return [line for line in heard.read_text().splitlines() if not line.startswith("INFO")]


def test_whole_games_against_our_own_engine():
    game = Gomoku(size=7)
    agent = parse_agent(f"gomocup,time=5:{OURS}").make(game)
    for seed in range(3):
        for pair in ((agent, RandomAgent(game)), (RandomAgent(game), agent)):
            played = play_game(game, pair, seed)
            assert played.forfeit is None


def test_the_dialogue_is_a_managers(program, heard):
    game = Gomoku(size=5, exact=True)
    agent = parse_agent(f"gomocup,time=2.5:{program()}").make(game)
    assert agent.choose(Position(game)) == 0
    assert agent.choose(Position(game, [0, 7])) == 1
    assert said(heard) == ["START 5", "BEGIN", "TURN 2,1"]
    info = [line for line in heard.read_text().splitlines() if line.startswith("INFO")]
    assert info == [
        "INFO max_memory 0", "INFO timeout_match 0", "INFO game_type 1", "INFO rule 1", "INFO timeout_turn 2500",
        "INFO time_left 2147483647", "INFO time_left 2147483647",
    ]  # fmt: skip
    heard.write_text("")
    assert agent.choose(Position(game, [24])) == 0  # another game
    assert said(heard) == ["RESTART", "BOARD", "4,4,2", "DONE"]
    heard.write_text("")
    assert agent.choose(Position(game, [24, 0, 1, 2])) == 3  # not what it had played: 2 came from elsewhere
    assert said(heard) == ["RESTART", "BOARD", "4,4,1", "0,0,2", "1,0,1", "2,0,2", "DONE"]
    heard.write_text("")
    assert agent.choose(Position(game, [24, 0, 1, 2, 3, 4])) == 5
    assert said(heard) == ["TURN 4,0"]
    heard.write_text("")
    assert agent.choose(Position.from_cells(game, [2, 1, 1] + [0] * 22, 1)) == 3
    assert agent.choose(Position.from_cells(game, [2, 1, 1] + [0] * 22, 1).play(3).play(4)) == 5
    assert said(heard)[:6] == ["RESTART", "BOARD", "1,0,2", "0,0,1", "2,0,2", "DONE"]
    assert agent.choose(Position(game)) == 0


def test_talk_and_suggestions_are_tolerated(program):
    talk = "answer('MESSAGE I think\\n\\nDEBUG 7,7\\nmessage so'); answer(f'SUGGEST {x},{y}')"
    agent = parse_agent(f"gomocup:{program(talk, start=HELLO)}").make(Gomoku(size=5))
    assert agent.choose(Position(Gomoku(size=5))) == 0


def test_an_engine_that_does_not_know_restart_is_started_anew(program, heard):
    game = Gomoku(size=5)
    agent = parse_agent(f"gomocup:{program(restart=UNKNOWN)}").make(game)
    assert agent.choose(Position(game)) == 0
    assert agent.choose(Position(game)) == 0
    assert said(heard) == ["START 5", "BEGIN", "RESTART", "END", "START 5", "BEGIN"]


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("sys.exit(3)", "it has stopped with exit code 3"),
        ("time.sleep(60)", "no answer in time (0.2 seconds)"),
        ("pass", "no answer in time (0.2 seconds)"),
        ("answer('ERROR I will not')", "'ERROR I will not' is no move"),
        ("answer('UNKNOWN')", "'UNKNOWN' is no move"),
        ("answer('OK')", "'OK' is no move"),
        ("answer('hello')", "'hello' is no move"),
        ("answer('1;1')", "'1;1' is no move"),
        ("answer('-1,0')", "'-1,0' is no move"),
        ("answer('1,1,1')", "'1,1,1' is no move"),
        ("answer('5,0')", "5,0 is not on the board"),
        ("answer('SUGGEST x')", "'x' is no move"),
        ("answer('MESSAGE x\\n' * 20000)", "it talks and does not answer"),
        ("sys.stdout.write('y' * 1000000); sys.stdout.flush(); time.sleep(60)", "is no move"),
        ("sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()", "is no move"),
        ("answer('4,4' if (4, 4) in stones else '4,4')", "cannot be played here"),
    ],
)
def test_what_goes_wrong_loses_the_game_with_its_reason(program, move, reason):
    game = Gomoku(size=5)
    seconds = 0.2 if "in time" in reason else 30
    agent = parse_agent(f"gomocup,time={seconds}:{program(move)}").make(game)
    for seed in range(2):  # it is started anew for the second game
        played = play_game(game, (RandomAgent(game), agent), seed)
        assert played.winner == 0
        assert played.forfeit is not None
        assert reason in played.forfeit


def test_a_late_engine_does_not_live_on(program, tmp_path):
    mark = tmp_path / "late"
    agent = parse_agent(f"gomocup,time=0.1:{program(f'time.sleep(2.5); open({str(mark)!r}, chr(119))')}").make(
        Gomoku(size=5)
    )
    with pytest.raises(AgentFailure, match="no answer in time"):
        agent.choose(Position(Gomoku(size=5)))
    time.sleep(1.8)
    assert not mark.exists()


def test_the_engine_is_asked_to_end(program, heard):
    agent = parse_agent(f"gomocup:{program()}").make(Gomoku(size=5))
    del agent
    assert said(heard) == ["START 5", "END"]


def test_a_deadline_is_passed_on(program, heard):
    agent = parse_agent(f"gomocup,time=9:{program()}").make(Gomoku(size=5))
    agent.deadline = time.monotonic() + 2
    agent.choose(Position(Gomoku(size=5)))
    turn = next(line for line in heard.read_text().splitlines() if "timeout_turn" in line)
    assert 1000 < int(turn.split()[2]) <= 2000


@pytest.mark.parametrize(
    "spec",
    [
        "gomocup:", "gomocup:/no/such/program", "gomocup:'", "gomocup,time=0:cat", "gomocup,time=x:cat", "gomocup:false",
        "gomocup,speed=3:cat", "gomocup:cat",
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_one_clear_line(spec):
    with pytest.raises(SpecError) as error:
        parse_agent(spec).make(Gomoku(size=9))
    assert "\n" not in str(error.value)


def test_an_engine_that_refuses_the_board(program):
    with pytest.raises(SpecError, match="START 5: 'ERROR too small' instead of OK"):
        parse_agent(f"gomocup:{program(start=TOO_SMALL)}").make(Gomoku(size=5))


def test_it_plays_five_in_a_row_alone():
    with pytest.raises(SpecError, match="gomoku alone"):
        parse_agent("gomocup:cat").make(Hex(size=3))
    with pytest.raises(SpecError, match="5 in a row alone"):
        parse_agent("gomocup:cat").make(Gomoku(size=9, line=4))
