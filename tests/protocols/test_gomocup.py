"""Gomocup's protocol: every command as a dialogue, the clock, a hundred thousand lines of rubbish, and the time of a move."""

from __future__ import annotations

import gc
import os
import random
import re
import subprocess
import sys
import threading
import time

import pytest

from tengen.agents.gomocup_engine import LEAST, MARGIN, TURN, GomocupBrain, program_bytes
from tengen.errors import TengenError
from tengen.games import Gomoku, Position
from tengen.protocols.analysis import Analysis, Candidate
from tengen.protocols.gomocup import Budget, Engine
from tengen.protocols.gomocup_loop import serve

ENGINE = [sys.executable, "-m", "tengen", "engine", "gomocup"]


class Script:
    """A brain that plays the first free cell and wants the other side when it has three stones before it."""

    name = 'Script "1"'
    analysis = outlook = None

    def __init__(self):
        self.games, self.budgets, self.memory = [], [], None

    def new_game(self, game, memory):
        self.games.append(game)
        self.memory = memory
        if game.size == 19:
            raise TengenError("not on 19x19")

    def choose(self, position, budget):
        self.budgets.append(budget)
        self.seen = position.copy()
        return position.legal_moves[0]

    def stay(self, position, budget):
        self.budgets.append(budget)
        return None if len(position.moves) == 3 else position.legal_moves[0]

    def opening(self, game, budget):
        return [0, 7, game.size]


@pytest.fixture
def engine():
    made = Engine(Script(), "1.2", seconds_now=lambda: 100.0)
    made.answer("START 5")
    return made


def dialogue(engine, text):
    """Lines with `>` are said, the lines under them are expected, all of them and nothing else."""
    said, expected = None, []
    for line in [*(raw.strip() for raw in text.strip().splitlines()), "> "]:
        if not line.startswith(">"):
            expected.append(line)
            continue
        if said is not None:
            answer = engine.answer(said + "\r\n")
            assert answer.splitlines() == expected, said
            assert answer == "" or answer.endswith("\n")
        said, expected = line[1:].strip(), []


def test_about_and_unknown(engine):
    dialogue(
        engine,
        """
        > ABOUT
        name="Script '1'", version="1.2", author="the authors of Tengen", country="none"
        > FROBNICATE 1 2
        UNKNOWN command FROBNICATE
        > 7,7
        UNKNOWN command 7,7
        >
        """,
    )
    assert engine.answer("\x00\t \x07\r\n") == ""
    assert engine.answer("x" * 1_000_000) == "ERROR the line is too long\n"
    assert not engine.is_over
    assert engine.answer("END\r\n") == ""
    assert engine.is_over


def test_start_rectstart_restart():
    engine = Engine(Script(), "1")
    dialogue(
        engine,
        """
        > START 20
        OK
        > start 5
        OK
        > START 4
        ERROR boards are 5 to 20 wide, not 4
        > START 21
        ERROR boards are 5 to 20 wide, not 21
        > START
        ERROR START takes the size of the board, not ''
        > START twenty
        ERROR START takes the size of the board, not 'twenty'
        > START 19
        ERROR not on 19x19
        > TURN 4,4
        0,0
        > RECTSTART 6,6
        OK
        > RECTSTART 6,7
        ERROR rectangular boards are not supported, only square ones
        > RECTSTART 6
        ERROR RECTSTART takes two numbers, X,Y, not '6'
        > BEGIN
        0,0
        > RESTART
        OK
        > BEGIN
        0,0
        """,
    )
    assert [game.size for game in engine.brain.games] == [20, 5, 19, 6, 6]


def test_a_manager_that_forgets_start():
    engine = Engine(Script(), "1")
    assert engine.answer("TURN 19,19") == "0,0\n"
    assert engine.brain.games == [Gomoku(size=20)]


def test_turns(engine):
    dialogue(
        engine,
        """
        > TURN 2,1
        0,0
        > TURN 2,1
        ERROR 2,1 is taken
        > TURN 0,0
        ERROR 0,0 is taken
        > TURN 5,0
        ERROR 5,0 is not on this board, which goes from 0,0 to 4,4
        > TURN -1,0
        ERROR TURN takes two numbers, X,Y, not '-1,0'
        > TURN
        ERROR TURN takes two numbers, X,Y, not ''
        > turn  2 , 2
        1,0
        """,
    )
    assert engine.position.cells().reshape(5, 5).tolist()[:3] == [[2, 2, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0]]


def test_a_finished_game(engine):
    for row in range(4):
        engine.answer(f"TURN 4,{row}")
    assert engine.answer("TURN 4,4") == "ERROR the game is over\n"
    assert engine.answer("BEGIN") == "ERROR the game is over\n"
    assert engine.answer("TAKEBACK 4,4") == "OK\n"
    assert engine.answer("TURN 3,4") == "0,1\n"


def test_board_in_any_order(engine):
    dialogue(
        engine,
        """
        > BOARD
        > 1,0,2
        > 2,0,2
        > 0,0,1
        > DONE
        3,0
        > TURN 4,4
        4,0
        > BOARD
        > DONE
        0,0
        > BOARD
        > 1,1,1
        > 2,2,2
        > DONE
        0,0
        """,
    )
    assert engine.brain.seen.move_names == ["b4", "c3"]  # in turn, own stones first
    assert engine.position.to_move == 1


def test_a_board_that_no_game_leads_to(engine):
    dialogue(
        engine,
        """
        > BOARD
        > 1,0,2
        > 2,0,2
        > 3,0,2
        > DONE
        0,0
        > TURN 4,4
        4,0
        """,
    )
    cells = engine.position.cells().reshape(5, 5)
    own = cells[0, 0]
    assert cells[0].tolist() == [own, 3 - own, 3 - own, 3 - own, own]
    assert cells[4, 4] == 3 - own


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["1,1"], "BOARD: 1,1 is not X,Y,field"),
        (["hello"], "BOARD: hello is not X,Y,field"),
        (["1,1,3"], "BOARD: 1,1,3: a field is 1 (own) or 2 (opponent's)"),
        (["5,0,1"], "5,0 is not on this board, which goes from 0,0 to 4,4"),
        (["1,1,1", "1,1,2"], "1,1,2: there is a stone already"),
        ([f"{x},0,2" for x in range(5)], "the game is over"),
    ],
)
def test_boards_that_cannot_be(engine, lines, said):
    for line in ("BOARD", *lines, *(["2,2,2"] if "over" not in said else [])):
        assert engine.answer(line) == ""
    assert engine.answer("DONE") == f"ERROR {said}\n"
    assert engine.answer("RESTART") == "OK\n"


def test_lists_that_are_broken_off(engine):
    dialogue(
        engine,
        """
        > DONE
        ERROR DONE ends a list that BOARD or SWAP2BOARD begins
        > BOARD
        > 1,1,2
        > INFO time_left 1000
        > DONE
        0,0
        > BOARD
        > 3,3,2
        > RESTART
        ERROR the list before this ended without DONE
        OK
        > BOARD
        > END
        """,
    )
    assert engine.is_over


def test_takeback(engine):
    dialogue(
        engine,
        """
        > TURN 2,2
        0,0
        > TAKEBACK 0,0
        OK
        > TAKEBACK 2,2
        OK
        > TAKEBACK 2,2
        ERROR there is no stone on 2,2
        > TAKEBACK 9,9
        ERROR 9,9 is not on this board, which goes from 0,0 to 4,4
        > TURN 1,1
        0,0
        > TURN 3,3
        1,0
        > TAKEBACK 1,1
        OK
        > TURN 4,4
        2,0
        """,
    )
    assert rows_of(engine) == ["22200", "00000", "00000", "00010", "00001"]  # the opponent began


def rows_of(engine):
    return ["".join(str(cell) for cell in row) for row in engine.position.cells().reshape(5, 5).tolist()]


def test_play(engine):
    dialogue(
        engine,
        """
        > PLAY 2,2
        2,2
        > TURN 3,3
        0,0
        > PLAY 0,0
        ERROR 0,0 is taken
        > PLAY 1
        ERROR PLAY takes two numbers, X,Y, not '1'
        """,
    )
    assert rows_of(engine)[0] == "10000"
    assert rows_of(engine)[2:4] == ["00100", "00020"]


def test_swap2(engine):
    dialogue(
        engine,
        """
        > SWAP2BOARD
        > DONE
        0,0 2,1 0,1
        > SWAP2BOARD
        > 2,2
        > 3,2
        > 4,4
        > DONE
        SWAP
        > SWAP2BOARD
        > 2,2
        > 3,2
        > 4,4
        > 3,3
        > 3,1
        > DONE
        0,0
        > SWAP2BOARD
        > 2,2
        > DONE
        ERROR SWAP2BOARD lists 0, 3 or 5 stones, not 1
        > SWAP2BOARD
        > 2,2,1
        > DONE
        ERROR SWAP2BOARD takes two numbers, X,Y, not '2,2,1'
        > BOARD
        > 2,2,2
        > 3,2,1
        > 4,4,2
        > DONE
        0,0
        """,
    )


def test_info_is_never_answered_and_obeyed(engine):
    script = engine.brain
    for line in (
        "timeout_turn 1500", "timeout_match 60000", "time_left 30000", "max_memory 350000000", "game_type 2", "rule 0",
        "evaluate 1,1", "folder C:\\tmp", "frobnicate 7", "timeout_turn", "timeout_turn soon", "rule 1e9", "", "max_memory -x",
    ):  # fmt: skip
        assert engine.answer(f"INFO {line}") == ""
    assert script.memory == 350_000_000
    engine.answer("BEGIN", 99.0)  # it came a second ago
    budget = script.budgets[-1]
    assert (budget.start, budget.turn, budget.left, budget.stop()) == (99.0, 1.5, 30.0, False)
    engine.answer("BEGIN")
    assert script.budgets[-1].left == 29.0  # if the manager does not say
    for text, left in (("2147483647", None), ("-5", 0.0), ("500", 0.5)):
        engine.answer(f"INFO time_left {text}")
        engine.answer("BEGIN")
        assert script.budgets[-1].left == left
    engine.answer("RESTART")
    engine.answer("BEGIN")
    assert script.budgets[-1].left == 60
    engine.answer("INFO timeout_match 0")
    engine.answer("BEGIN")
    assert script.budgets[-1].left is None


def test_rules(engine):
    dialogue(
        engine,
        """
        > TURN 2,2
        0,0
        > INFO rule 1
        > TURN 3,3
        1,0
        > INFO rule 4
        > TURN 4,4
        ERROR rule 4 (renju) is not played here: 0 (five or more win) and 1 (exactly five) are
        > BEGIN
        ERROR rule 4 (renju) is not played here: 0 (five or more win) and 1 (exactly five) are
        > INFO rule 3
        > START 6
        ERROR rule 3 (continuous game) is not played here: 0 (five or more win) and 1 (exactly five) are
        > INFO rule 12
        > RESTART
        ERROR rule 12 (renju, caro) is not played here: 0 (five or more win) and 1 (exactly five) are
        > INFO rule 16
        > RESTART
        ERROR rule 16 is not played here: 0 (five or more win) and 1 (exactly five) are
        > INFO rule 0
        > TURN 4,4
        2,0
        """,
    )
    assert [game.exact for game in engine.brain.games] == [False, True, False]


def test_what_it_thinks_is_told_to_people_only(engine):
    engine.brain.analysis = Analysis((Candidate(7, 60, 0.5, 0.1), Candidate(8, 40, 0.0, 0.1)), (7, 8), 0.2)
    assert engine.answer("BEGIN") == "0,0\n"
    for game_type in (0, 1):
        engine.answer(f"INFO game_type {game_type}")
        engine.answer("RESTART")
        assert engine.answer("BEGIN") == "MESSAGE wins 75%, 100 visits, expects 2,1 3,1\n0,0\n"
    engine.brain.analysis, engine.brain.outlook = None, -0.5
    engine.answer("RESTART")
    assert engine.answer("BEGIN") == "MESSAGE wins 25%\n0,0\n"
    engine.answer("INFO game_type 2")
    engine.answer("RESTART")
    assert engine.answer("BEGIN") == "0,0\n"


def test_hurry_and_end_are_heard_while_it_thinks(engine):
    heard = []

    def think(position, budget):
        heard.append(budget.stop())
        engine.hurry()
        heard.append(budget.stop())
        return position.legal_moves[0]

    engine.brain.choose = think
    engine.answer("BEGIN")
    engine.answer("TURN 4,4")
    assert heard == [False, True] * 2  # the next move is not hurried
    engine.end()
    engine.answer("TURN 3,3")
    assert heard[-2:] == [True, True]


# --- an agent as the brain


def a_budget(turn=None, left=None, stop=lambda: False):
    return Budget(time.monotonic(), turn, left, stop)


def test_an_agent_gets_ready_and_says_so():
    told = []
    brain = GomocupBrain("uct", tell=told.append)
    brain.new_game(Gomoku(size=7), None)
    assert told[0] == "warming up: uct"
    told.clear()
    brain.new_game(Gomoku(size=7), None)
    brain.new_game(Gomoku(size=7), 4_000_000_000)
    assert told == []  # it is warm
    start = time.monotonic()
    brain.choose(Position(Gomoku(size=7)), a_budget(turn=0.2))
    assert time.monotonic() - start < 5  # a busy machine adds something; compiling would take longer


def test_deadlines():
    brain, position = GomocupBrain("uct"), Position(Gomoku())
    said = GomocupBrain("uct,simulations=50")

    def seconds(who, **limits):
        budget = Budget(1000.0, limits.get("turn"), limits.get("left"), lambda: False)
        end = who._deadline(position, budget)
        return None if end is None else end - 1000

    assert seconds(brain) == TURN
    assert seconds(said) is None  # it has a limit of its own
    assert 0.06 <= seconds(brain, turn=0.1) <= 0.1 - MARGIN
    assert seconds(brain, turn=0.0) == pytest.approx(LEAST)
    assert 28 < seconds(brain, turn=30.0) < 30
    assert seconds(brain, turn=30.0, left=50.0) == pytest.approx(2 - MARGIN)
    assert seconds(brain, left=0.0) == pytest.approx(LEAST)
    assert seconds(said, turn=1.0) < 1


def test_a_search_uses_all_of_its_time_and_no_more():
    brain, game = GomocupBrain("uct"), Gomoku(size=9)
    brain.new_game(game, None)
    brain.choose(Position(game), a_budget(turn=0.3))
    assert 0.2 < brain._agent.thoughts.seconds < 0.3
    brain.choose(Position(game), a_budget(turn=3.0, stop=lambda: True))
    assert brain._agent.thoughts.seconds < 0.3
    limited = GomocupBrain("uct,simulations=20")
    limited.new_game(game, None)
    limited.choose(Position(game), a_budget(turn=5.0))
    assert limited._agent.thoughts.simulations == 20


def test_memory():
    brain, game = GomocupBrain("uct"), Gomoku(size=9)
    with pytest.raises(TengenError, match=r"max_memory is 20 MB, and uct needs \d+ MB"):
        brain.new_game(game, 20_000_000)
    free = program_bytes() + 100_000_000
    brain.new_game(game, free)
    assert brain._agent.memory() < 75_000_000
    brain.new_game(game, None)
    assert brain._agent.memory() > 400_000_000
    small = GomocupBrain("uct,memory=9")
    small.new_game(game, free)
    assert small._agent.memory() < 10_000_000
    GomocupBrain("random").new_game(game, free)  # it has no tree
    engine = Engine(brain, "1")
    engine.answer("START 9")
    assert engine.answer("INFO max_memory 1000") == ""
    assert re.match(r"ERROR max_memory is 0 MB, and uct needs \d+ MB\n", engine.answer("BEGIN"))
    engine.answer("INFO max_memory 0")
    assert re.fullmatch(r"\d,\d\n", engine.answer("BEGIN"))


def test_swap2_by_what_the_search_finds():
    game = Gomoku(size=9)
    brain = GomocupBrain("uct,simulations=3000")
    brain.new_game(game, None)
    opening = brain.opening(game, a_budget())
    assert len(set(opening)) == 3
    black_wins = Position(game, ["e5", "a1", "f5", "a9", "g5", "i1", "h5"])  # nothing holds an open four
    assert brain.stay(black_wins, a_budget()) is None
    assert brain.stay(Position(game, ["e5", "a1", "f5", "a9", "g5", "i1", "h5", "i9"]), a_budget()) is not None
    classic = GomocupBrain("classic")
    classic.new_game(game, None)
    assert len(set(classic.opening(game, a_budget(turn=0.3)))) == 3
    assert 0 < abs(classic.outlook) < 1  # it has looked at them
    assert classic.stay(black_wins, a_budget(turn=0.3)) is None
    plain = GomocupBrain("random")
    plain.new_game(game, None)
    assert len(plain.opening(game, a_budget())) == 3
    assert plain.stay(black_wins, a_budget()) is not None


def test_an_agent_that_fails_is_an_error(monkeypatch):
    engine = Engine(GomocupBrain("random"), "1")
    engine.answer("START 9")

    def fail(agent, position):
        raise TengenError("gone")

    monkeypatch.setattr("tengen.agents.base.RandomAgent.choose", fail)
    assert engine.answer("BEGIN") == "ERROR gone\n"


# --- rubbish


def rubbish(chooser):
    """A line: noise, a known command with wrong words, or nearly right."""
    kind = chooser.randrange(4)
    if kind == 0:
        return "".join(
            chr(chooser.choice([*range(32, 127), 0, 7, 9, 13, 233, 0x5929])) for _ in range(chooser.randrange(30))
        )
    commands = [
        "START", "RECTSTART", "RESTART", "BEGIN", "TURN", "PLAY", "TAKEBACK", "INFO", "ABOUT", "BOARD", "SWAP2BOARD", "DONE",
        "DONE", "START 5", "INFO rule", "INFO timeout_turn", "INFO time_left", "INFO rule 0", "",
    ]  # fmt: skip
    words = [
        "1,1", "4,4", "0,3", "2,2", "1,1,1", "2,3,2", "3,3,3", "5,5", "6", "7,7", "-1", "1e9", "2147483647", "9" * 30, "nan", ",",
        "1,", "é" * 9, "0", "1", "1 , 2",
    ]  # fmt: skip
    line = " ".join([chooser.choice(commands), *chooser.choices(words, k=chooser.choice([0, 1, 1, 1, 2]))])
    if kind == 1 and line:
        cut = chooser.randrange(len(line))
        line = line[:cut] + chooser.choice(["", " ", "\t", "\x00", "9" * 20]) + line[cut:]
    return line


ANSWER = re.compile(
    r"(MESSAGE .*\n)*(ERROR the list .*\n)?(OK|SWAP|UNKNOWN .*|ERROR .*|name=.*|\d+,\d+( \d+,\d+)*)\n|(ERROR the list .*\n)?"
)


def test_a_hundred_thousand_lines_neither_crash_nor_hang_it():
    engine = Engine(GomocupBrain("random"), "1", size=5)
    chooser = random.Random(9)
    moves = errors = 0
    start = time.monotonic()
    for _ in range(100_000):
        line = rubbish(chooser)
        answer = engine.answer(line)
        assert ANSWER.fullmatch(answer), (line, answer)
        moves += bool(re.fullmatch(r"\d+,\d+\n", answer))
        errors += answer.startswith("ERROR")
    assert moves > 1_000  # many were right after all
    assert errors > 10_000
    assert time.monotonic() - start < 300
    engine.answer("INFO rule 0")
    assert engine.answer("START 15")[-3:] == "OK\n"
    assert engine.answer("TURN 14,14").count(",") == 1


# --- the loop, and the program as a manager runs it


def said_by(engine, *chunks):
    waiting, out = list(chunks), []
    serve(engine, lambda size: waiting.pop(0) if waiting else b"", lambda line, answer: out.append(answer))
    return "".join(out)


def test_the_loop():
    assert said_by(Engine(Script(), "1"), b"START 5\r", b"\nBEGIN\nTU", b"RN 4,4\n", b"ABOUT").startswith(
        "OK\n0,0\n1,0\nname="
    )
    assert said_by(Engine(Script(), "1"), b"START 5\nBEGIN\n\xff\xfe\nEND\nBEGIN\n") == "OK\n0,0\nUNKNOWN command ��\n"
    assert (
        said_by(Engine(Script(), "1"), b"y" * 300_000, b"z" * 300_000 + b"\nSTART 5\n")
        == "ERROR the line is too long\nOK\n"
    )


def test_the_loop_hears_end_and_hurry_at_once():
    brain, thinking, lines = Script(), threading.Event(), [b"START 5\n", b"BEGIN\n"]
    engine = Engine(brain, "1")

    def think(position, budget):
        thinking.set()
        while not budget.stop():
            time.sleep(0.01)
        return position.legal_moves[0]

    def read(size):
        if lines:
            return lines.pop(0)
        thinking.wait(10)
        thinking.clear()
        said.append(1)
        return b"INFO timeout_turn 0\nTURN 4,4\n" if len(said) == 1 else b"END\n"

    brain.choose, said, out = think, [], []
    serve(engine, read, lambda line, answer: out.append(answer))
    assert "".join(out) == "OK\n0,0\n"  # the first move was hurried; nothing is said after END


class Program:
    """The engine in a process of its own."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [*ENGINE, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )

    def say(self, line):
        self.process.stdin.write(line.encode() + b"\r\n")

    def ask(self, line):
        """The answer, without messages before it, and how long it took."""
        start = time.monotonic()
        self.say(line)
        while (answer := self.process.stdout.readline().decode()).startswith("MESSAGE"):
            pass
        return answer.strip(), time.monotonic() - start


@pytest.fixture
def program():
    started = []

    def start(*options):
        started.append(Program(*options))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()


@pytest.mark.jit
@pytest.mark.parametrize("agent", ["uct", "classic"])
def test_end_while_it_thinks(program, agent):
    engine = program("--agent", agent)
    assert engine.ask("START 15")[0] == "OK"
    engine.say("INFO timeout_turn 60000")
    engine.say("TURN 7,7")
    time.sleep(0.5)
    start = time.monotonic()
    engine.say("END")
    assert engine.process.wait(10) == 0
    assert time.monotonic() - start < 5
    assert engine.process.stdout.read() == b""


@pytest.mark.jit
def test_end_while_it_does_not_listen(program, tmp_path):
    """An agent that cannot be stopped does not keep the manager waiting, and does not live on."""
    file = tmp_path / "sleeper.py"
    file.write_text(
        "import sys, time\nfor line in sys.stdin:\n    if line[:5] == 'START': print('OK', flush=True)\n    if line[:4] == 'TURN':"
        " time.sleep(60)\n    if line[:5] == 'BEGIN': print('0,0', flush=True)\n    if line[:5] == 'BOARD': print('1,0', flush=True)\n"
        "    if line[:7] == 'RESTART': print('OK', flush=True)\n"
    )
    engine = program("--agent", f"gomocup,time=50:{sys.executable} {file}")
    engine.say("START 9")
    time.sleep(3)
    start = time.monotonic()
    engine.say("END")
    assert engine.process.wait(10) == 0
    assert time.monotonic() - start < 8  # a second, and what a busy machine adds; the agent sleeps for 60


@pytest.mark.jit
def test_a_script_is_answered_to_its_end():
    said = b"ABOUT\nSTART 9\nINFO timeout_turn 200\nBEGIN\nEND\n"
    done = subprocess.run(ENGINE, input=said, capture_output=True, timeout=300)
    lines = [line for line in done.stdout.decode().splitlines() if not line.startswith("MESSAGE")]
    assert lines[0].startswith('name="Tengen classic"')
    assert lines[1] == "OK"
    assert re.fullmatch(r"\d,\d", lines[2])
    assert (len(lines), done.returncode) == (3, 0)


@pytest.mark.jit
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the system does not tell what a process takes")
@pytest.mark.parametrize("agent", ["uct", "classic"])
def test_it_stays_within_gomocups_memory(program, agent):
    limit = 367_001_600  # 350 MB, as Gomocup has it
    engine = program("--agent", agent)
    assert engine.ask("START 20")[0] == "OK"
    engine.say(f"INFO max_memory {limit}")
    engine.say("INFO timeout_turn 2000")
    assert re.fullmatch(r"\d+,\d+", engine.ask("TURN 9,9")[0])
    with open(f"/proc/{engine.process.pid}/statm") as file:
        assert int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") < limit


def late_moves(engine, waited, games, milliseconds, longest=400):
    """Games of the engine against random moves: by how many seconds each answer was later than the limit allows.

    Twice: by the wall's clock, and without the time for which the system gave the two programs no processor.
    """
    chooser, late, to_blame = random.Random(1), [], []
    gc.collect()
    gc.freeze()  # the engine's time is measured, not a pause of this process
    assert engine.ask("START 15")[0] == "OK"
    engine.say(f"INFO timeout_turn {milliseconds}")
    for number in range(games):
        position = Position(Gomoku(size=15))
        if number:
            assert engine.ask("RESTART")[0] == "OK"
        if number % 2:
            position.play(chooser.choice(position.legal_moves))
        while not position.is_over and len(position.moves) < longest:
            last = position.last_move
            before = waited() + waited(engine.process.pid)
            answer, seconds = engine.ask("BEGIN" if last is None else f"TURN {last % 15},{last // 15}")
            late.append(seconds - (milliseconds / 1000 * 1.05 + 0.03))
            to_blame.append(late[-1] - (waited() + waited(engine.process.pid) - before))
            column, row = map(int, answer.split(","))
            position.play(row * 15 + column)
            if not position.is_over:
                position.play(chooser.choice(position.legal_moves))
    print(
        f"{len(late)} moves, {sum(seconds > 0 for seconds in late)} of them late by the wall's clock, by {max(late):.3f} s at most; "
        f"{max(to_blame):.3f} s without the time in which there was no processor for them"
    )
    return to_blame


@pytest.mark.jit
@pytest.mark.parametrize("agent", ["uct", "classic"])
def test_moves_of_100_ms_are_made_in_time(program, waited, agent):
    late = late_moves(program("--agent", agent), waited, games=2, milliseconds=100, longest=30)
    assert len(late) > 8
    assert sum(seconds > 0 for seconds in late) <= 1, max(late)  # one for whatever else this machine is doing


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("agent", ["uct", "classic"])
def test_a_hundred_games_of_100_ms_a_move(program, waited, agent):
    late = late_moves(program("--agent", agent), waited, games=100, milliseconds=100)
    assert max(late) <= 0, f"{sum(seconds > 0 for seconds in late)} of {len(late)} moves were late"
