"""HTP: every command as a dialogue, the clock, and a hundred thousand lines of rubbish."""

from __future__ import annotations

import random
import re
import time

import pytest

from tengen.agents import parse_agent
from tengen.agents.engine import AgentBrain
from tengen.errors import AgentFailure, TengenError
from tengen.games import Hex, Position
from tengen.protocols.analysis import Analysis, Candidate
from tengen.protocols.htp import ANALYZE_COMMANDS, Engine


class Script:
    """A brain that plays the first legal move and has three thoughts."""

    name = "Script"
    seconds: float | None = -1.0
    gives_up = False

    def __init__(self):
        self.games = []

    def new_game(self, game):
        self.games.append(game)

    def choose(self, position, seconds):
        self.seconds = seconds
        return None if self.gives_up else position.legal_moves[0]

    def think(self, position, seconds):
        first, second, third, *_ = position.legal_moves
        moves = (Candidate(second, 60, 0.5, 0.3), Candidate(first, 40, -1.0, 0.7), Candidate(third, 0, 0.0, 0.0))
        return Analysis(moves, (second, first), 0.2)


@pytest.fixture
def engine():
    return Engine(Script(), "1.2", size=3)


def dialogue(engine, text):
    """Lines with `>` are said, the lines under them are expected."""
    said, expected = None, []
    for line in [*(raw.strip() for raw in text.strip().splitlines()), "> "]:
        if not line.startswith(">"):
            expected.append(line)
            continue
        if said is not None:
            answer = engine.answer(said)
            assert answer.endswith("\n\n"), said
            assert [part.strip() for part in answer.strip().splitlines()] == expected, said
        said, expected = line[1:].strip(), []


def test_about_itself(engine):
    dialogue(
        engine,
        """
        > name
        = Script
        > 7 version
        =7 1.2
        > protocol_version
        = 2
        > known_command genmove
        = true
        > known_command frobnicate
        = false
        > known_command
        ? this takes 1 arguments, not 0
        > 12 frobnicate a b
        ?12 unknown command: frobnicate
        > 12
        ?12 there is no command
        """,
    )
    commands = engine.answer("list_commands").removeprefix("= ").split()
    assert {"boardsize", "play", "genmove", "reg_genmove", "undo", "showboard", "all_legal_moves", "final_score", "time_left",
            "time_settings", "loadsgf", "param_game", "hexgui-analyze_commands", "clear_board", "quit"} <= set(commands)  # fmt: skip
    assert not engine.is_over
    assert engine.answer("3 quit # bye") == "=3 \n\n"
    assert engine.is_over


def test_lines_that_want_no_answer(engine):
    for line in ("", "   ", "\t", "# interrupt", "\r\n", "\x07"):
        assert engine.answer(line) == ""
    assert engine.answer("\x07na\x00me\t#comment\r\n") == "= Script\n\n"


def test_the_board(engine):
    dialogue(
        engine,
        """
        > boardsize 4 4
        =
        > boardsize 3
        =
        > boardsize 4 5
        ? boards are square
        > boardsize 2
        ? hex is played on boards of 3 to 19, not 2
        > boardsize x x
        ? x is not a whole number
        > boardsize
        ? this takes 1 to 2 arguments, not 0
        > play black b2
        =
        > play w B2
        ? b2 cannot be played here
        > play green a1
        ? green is not a colour: black or white
        > play black d1
        ? 'd1' is not on this board, which goes from a1 to c3
        > play W a1
        =
        > all_legal_moves
        = b1 c1 a2 c2 a3 b3 c3
        > showboard
        =
        1 /   \\ a
        2 /  (O)  \\ b
        3 /   .   .   \\ c
        .   X   .
        \\   .   .   /
        \\   .   /
        \\   /
        > undo
        =
        > undo
        =
        > undo
        ? there is no move to take back
        > all_legal_moves
        = a1 b1 c1 a2 b2 c2 a3 b3 c3
        """,
    )
    assert engine.brain.games[0] == Hex(size=3)
    engine.answer("play b a1")
    assert engine.answer("clear_board") == "= \n\n"
    assert engine.position.legal_moves == list(range(9))


def test_moves_and_results(engine):
    dialogue(
        engine,
        """
        > final_score
        = cannot score
        > reg_genmove black
        = a1
        > genmove black
        = a1
        > genmove
        = b1
        > genmove b
        = c1
        > genmove b
        = a2
        > play b a3
        =
        > final_score
        = B+
        > genmove w
        = resign
        > play w b2
        ? the game is over
        > undo
        =
        > undo
        =
        > final_score
        = cannot score
        > play w resign
        =
        > final_score
        = B+
        > genmove b
        = resign
        """,
    )


def test_stones_out_of_turn_are_put_where_they_are_said(engine):
    for line in ("play w a1", "play w b1", "play b c3", "play w c1"):
        assert engine.answer(line) == "= \n\n"
    assert engine.answer("final_score") == "= W+\n\n"


def test_swap(engine):
    dialogue(
        engine,
        """
        > param_game
        =
        [bool] allow_swap 0
        > play b a2
        =
        > play w swap
        ? swap is off: param_game allow_swap 1
        > param_game allow_swap 1
        =
        > param_game allow_swap maybe
        ? allow_swap is 0 or 1
        > param_game colour 1
        ? there is no parameter colour; there is allow_swap
        > param_game
        =
        [bool] allow_swap 1
        > all_legal_moves
        = a1 b1 c1 b2 c2 a3 b3 c3 swap-pieces
        > play w swap-pieces
        =
        > all_legal_moves
        = a1 c1 a2 b2 c2 a3 b3 c3
        > undo
        =
        > play w swap
        =
        > play b swap
        ? swap cannot be played here
        """,
    )
    assert engine.position.cells().tolist() == [0, 2, 0, 0, 0, 0, 0, 0, 0]


def test_the_clock(engine):
    dialogue(
        engine,
        """
        > time_left
        = black unlimited, white unlimited
        > time_settings 60 5 1
        =
        > time_left
        = black 65.0, white 65.0
        > time_left white 10 0
        =
        > time_left w
        = white 10.0
        > time_settings -1
        ? -1 is not a number of seconds
        > time_left white nan
        ? nan is not a number of seconds
        > param_game game_time 100
        =
        > time_left b
        = black 100.0
        """,
    )
    ticks = iter([0.0, 3.5])
    engine._now = lambda: next(ticks)
    engine.answer("genmove b")
    assert engine.brain.seconds == 100
    assert engine.answer("time_left b") == "= black 96.5\n\n"


def test_files(engine, tmp_path):
    good, bad, gomoku = tmp_path / "a game.sgf", tmp_path / "bad.sgf", tmp_path / "gomoku.sgf"
    good.write_text("(;GM[11]SZ[5];B[c3](;W[b2];B[a4])(;W[a1]))")
    bad.write_text("(;GM[11]SZ[5]\n;B[c3")
    gomoku.write_text("(;GM[4]SZ[9])")
    assert engine.answer(f"loadsgf {good}") == "= \n\n"
    assert engine.position.move_names == ["c3", "b2", "a4"]
    assert engine.answer("undo") == "= \n\n"
    assert engine.position.move_names == ["c3", "b2"]
    engine.answer(f"loadsgf {good} 1")
    assert engine.position.move_names == ["c3"]
    assert engine.brain.games[-1] == Hex(size=5)
    assert engine.answer(f"loadsgf {bad}") == f"? {bad}: line 2, column 3: the file ends before this '[' is closed\n\n"
    assert engine.answer(f"loadsgf {gomoku}").endswith("is not a game of Hex\n\n")
    assert engine.answer(f"loadsgf {tmp_path}/none").startswith("? cannot load file")
    assert engine.answer(f"loadsgf {tmp_path}").startswith("? cannot load file")
    assert engine.answer("loadsgf").startswith("? ")
    assert engine.position.move_names == ["c3"]  # nothing was lost


def test_what_hexgui_analyses(engine):
    dialogue(
        engine,
        """
        > tengen-candidates b
        = b1 60% a1 40%
        > tengen-visits b
        = b1 60 a1 40
        > tengen-winrates b
        = b1 75% a1 0%
        > tengen-pv w
        = W b1 B a1
        > tengen-heatmap black
        = uct
        VAR B b1 W a1
        INFLUENCE b1 0.750 a1 0.000
        LABEL b1 60% a1 40%
        TEXT 100 visits
        > tengen-thoughts
        = black to move: b1 60% of the visits, wins 75%; a1 40% of the visits, wins 0%; expected: B b1 W a1
        """,
    )
    lines = engine.answer("hexgui-analyze_commands").strip().splitlines()[1:]
    known = engine.answer("list_commands").split()
    assert "\n".join(lines) == ANALYZE_COMMANDS
    for line in lines:  # what HexGui's own reader asks for: three parts, labels that differ, commands that exist
        assert line.count("/") == 2
        assert line.split("/")[2].split()[0] in known
    assert len({line.split("/")[1] for line in lines}) == len(lines)
    engine.answer("play b resign")
    assert engine.answer("tengen-pv") == "? the game is over\n\n"


def test_an_agent_as_the_brain():
    engine = Engine(AgentBrain(parse_agent("uct,simulations=300"), seed=1), "1", size=3)
    assert engine.answer("genmove b") == "= b2\n\n"
    assert re.fullmatch(r"= ([a-c][1-3] \d+ ?)+\n\n", engine.answer("tengen-visits w"))
    engine.answer("boardsize 4 4")
    assert re.fullmatch(r"= [a-d][1-4]\n\n", engine.answer("genmove w"))
    engine.answer("param_game allow_swap 1")
    assert engine.answer("genmove b").startswith("= ")


def test_an_agent_without_thoughts_says_so():
    engine = Engine(AgentBrain(parse_agent("random")), "1", size=3)
    assert "does not say what it thinks" in engine.answer("tengen-visits b")


def test_an_agent_that_fails_resigns(monkeypatch):
    brain = AgentBrain(parse_agent("random"))

    def fail(agent, position):
        raise AgentFailure("gone")

    monkeypatch.setattr("tengen.agents.base.RandomAgent.choose", fail)
    assert Engine(brain, "1", size=3).answer("genmove b") == "= resign\n\n"


def test_a_search_keeps_to_the_clock():
    brain = AgentBrain(parse_agent("uct,simulations=100000000"))
    position = Position(Hex(size=5))
    brain.new_game(position.game)
    brain.choose(position, 0.1)  # compiled now
    start = time.monotonic()
    brain.choose(position, 1.2)
    assert time.monotonic() - start < 20  # a sixth of it, and what a busy machine adds; all simulations take minutes


def rubbish(chooser, commands):
    """A line: noise, a known command with wrong words, or nearly right."""
    kind = chooser.randrange(4)
    if kind == 0:
        return "".join(
            chr(chooser.choice([*range(32, 127), 0, 7, 9, 233, 0x5929])) for _ in range(chooser.randrange(30))
        )
    words = [
        "black",
        "white",
        "b",
        "w",
        "a1",
        "c3",
        "z9",
        "swap",
        "resign",
        "-1",
        "1e9",
        "3",
        "4 4",
        "nan",
        "#",
        "%c",
        "\\",
        "é" * 9,
    ]
    line = " ".join([chooser.choice(commands), *chooser.choices(words, k=chooser.randrange(4))])
    if kind == 1:
        cut = chooser.randrange(len(line))
        line = line[:cut] + chooser.choice(["", " ", "\t", "\x00", "9" * 20]) + line[cut:]
    return f"{chooser.randrange(10**6)} {line}" if kind == 2 else line


def test_a_hundred_thousand_lines_neither_crash_nor_hang_it():
    engine = Engine(AgentBrain(parse_agent("random")), "1", size=3)
    commands = [c for c in engine.answer("list_commands").removeprefix("= ").split() if c != "loadsgf"] + [
        "boardsize 3"
    ] * 3
    chooser = random.Random(9)
    answers = failures = 0
    start = time.monotonic()
    for _ in range(100_000):
        line = rubbish(chooser, commands)
        answer = engine.answer(line)
        if answer:
            answers += 1
            assert answer[0] in "=?"
            assert answer.endswith("\n\n")
            assert "\n\n" not in answer[:-2]
            failures += answer[0] == "?"
    assert answers - failures > 10_000  # many were right after all
    assert failures > 10_000
    assert time.monotonic() - start < 300
    assert engine.answer("name").startswith("= ")
    assert engine.answer("x" * 1_000_000).startswith("? the line is too long")


def test_a_brain_that_cannot_play_a_board_is_a_refusal():
    class Small(Script):
        def new_game(self, game):
            if game.size > 5:
                raise TengenError("only small boards")

    engine = Engine(Small(), "1", size=5)
    assert engine.answer("boardsize 11 11") == "? only small boards\n\n"
    assert engine.position.game == Hex(size=5)
