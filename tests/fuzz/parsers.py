"""Every way in which something from outside comes in: who reads it, and some valid inputs to begin with.

`read` of a parser takes any bytes. It may refuse them with one of the project's own errors, in one line; anything else is a bug.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import io
import json
import logging
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np

import tengen
from tengen.agents import parse_agent
from tengen.agents.levels import parse_opponent
from tengen.agents.oht import AgentActor
from tengen.arena.audit import AuditSet
from tengen.compare.running import entrants
from tengen.compare.settings import COMPARISONS, load_comparison
from tengen.errors import TengenError
from tengen.evaluators.onnx import OnnxEvaluator
from tengen.games import Gomoku, Hex, Position, game_spec, parse_game
from tengen.protocols import gomocup, gomocup_client, htp, htp_client
from tengen.protocols.analysis import Analysis, Candidate
from tengen.protocols.child import ChildStopped, EngineError
from tengen.protocols.hexworld import read_link, write_link
from tengen.protocols.lines import lines_of
from tengen.protocols.oht.visitor import JsonVisitor, NoCell, TextVisitor
from tengen.protocols.oht.wire import LineBroken
from tengen.protocols.psq import read_psq, write_psq
from tengen.protocols.queries import position_at, read_query
from tengen.protocols.sgf import decode, parse_sgf, write_sgf
from tengen.protocols.sgf_games import read_game, write_game
from tengen.records.record import GameRecord
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory
from tengen.runs.live import read_live
from tengen.training.config import PRESETS, config_from, load_preset
from tengen.tuning.folder import TuneFolder
from tengen.web import connection, sharing, tetris
from tengen.web.offers import Offers
from tengen.web.room import Room
from tengen.web.runs import Runs
from tengen.web.trainer import Trainer

MODELS = Path(tengen.__file__).parent / "models"
OURS = (TengenError, EngineError, ChildStopped, LineBroken, NoCell, tetris.BadMessage)
"""What may come out of a parser."""


@dataclass(frozen=True)
class Parser:
    """A reader of things from outside."""

    read: Callable[[bytes], object]
    seeds: Callable[[], Sequence[bytes]]
    share: float = 1.0
    """Of the inputs of a run; slow ones get fewer."""
    is_binary: bool = False


def check(parser: Parser, data: bytes) -> bool:
    """Read something; whether it was accepted. AssertionError when it was refused in more than one line."""
    try:
        parser.read(data)
    except OURS as error:
        if isinstance(error, TengenError):  # the others are told by way of one
            assert error.args, "refused without a word"  # noqa: PT017  # this is not a test
            assert str(error).isprintable(), f"refused in several lines: {error}"  # noqa: PT017
        return False
    return True


def text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    """A reader of text as a reader of bytes; what is not UTF-8 becomes lone surrogates, as in a command line."""
    return lambda data: read(data.decode("utf-8", "surrogateescape"))


def lines(*texts: str) -> Callable[[], list[bytes]]:
    return lambda: [one.encode() for one in texts]


@functools.cache
def folder() -> Path:
    """Where files are written that are read by name; the runs of this process are there, too."""
    path = Path(tempfile.mkdtemp(prefix="tengen-fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    os.environ["TENGEN_RUNS"] = str(path / "runs")
    return path


def clean_up() -> None:
    shutil.rmtree(folder(), ignore_errors=True)


# ---------------------------------------------------------------------------------------------------------- specs

GAMES = ("hex:3", "gomoku:5,line=4", "tetris:6x6,preview=0", "pig:2", "nim:2")


def read_game_spec(text: str) -> None:
    game = parse_game(text)
    assert parse_game(game_spec(game)) == game


def read_agent_spec(text: str) -> None:
    parse_agent(text)
    parse_opponent(text, parse_game("hex:5"))


def read_moves(text: str) -> None:
    """A game's name in the first word, moves in the others."""
    name, *moves = text.split(" ")
    if name in GAMES:
        position = Position(parse_game(name))
        for move in moves:
            position.play(move)
        str(position)


def read_preset(data: bytes) -> None:
    file = folder() / "preset.toml"
    file.write_bytes(data)
    config = load_preset(str(file))
    config.check_fit(parse_game(config.game))


def read_comparison(data: bytes) -> None:
    file = folder() / "comparison.toml"
    file.write_bytes(data)
    settings = load_comparison(str(file))
    entrants(settings, "fuzz")
    for learner in settings.learners:
        settings.config(learner, settings.boards[0], 0)


# ---------------------------------------------------------------------------------------------------------- files


def read_sgf(data: bytes) -> None:
    said = decode(data)
    written = write_sgf(parse_sgf(said))
    assert write_sgf(parse_sgf(written)) == written
    found = read_game(said)
    write_game(found.position, found.winner, comments=found.comments)


def read_psq_file(text: str) -> None:
    found = read_psq(text)
    again = read_psq(write_psq(found.position, found.winner, found.names, found.milliseconds, found.code))
    assert again.position.moves == found.position.moves


def read_hexworld(text: str) -> None:
    position, resigned = read_link(text)
    assert read_link(write_link(position, resigned))[0].moves == position.moves


@functools.cache
def run_directory(name: str = "mine") -> RunDirectory:
    """A run with three games and no network."""
    folder()
    config = load_preset("on-policy")
    run = RunDirectory.create(name, {**config.as_dict(), "game": "hex:3"})
    store = RecordStore(run.games)
    for number in range(3):
        moves = (4, 0, 1, 2, 7)
        visits = tuple({m: 3 for m in range(9) if m not in moves[:i]} for i in range(5))
        store.add(GameRecord(number, 7, 0, moves, visits, (0.1,) * 5, (1.0, -1.0), 0, 5 * number, 0.5))
        store.add_metrics(number + 1, {"policy_loss": 1.5, "seconds": 3.0, "evaluations": 100})
    store.close()
    with contextlib.closing(sqlite3.connect(run.games)) as db:  # in one file
        db.execute("pragma journal_mode=delete")
    run.save_curves([{"against": "random", "points": [{"net": "000000.onnx", "score": 0.5}]}])
    run.write("best.json", json.dumps({"format": 1, "net": "000000.onnx", "among": ["000000.onnx"]}).encode())
    run.write("live.json", json.dumps({"number": 3, "first": 0, "moves": [4, 0]}).encode())
    run.save_learner({"games": np.array(3), "steps": np.array(6), "weights": np.zeros((3, 2), np.float32)})
    return run


def of_run(*names: str) -> Callable[[], list[bytes]]:
    return lambda: [(run_directory().folder / name).read_bytes() for name in names]


@functools.cache
def other_run() -> RunDirectory:
    return RunDirectory.create("other", load_preset("on-policy").as_dict())


def read_run_file(name: str, read: Callable[[RunDirectory], object]) -> Callable[[bytes], None]:
    def from_bytes(data: bytes) -> None:
        run_directory()
        (other_run().folder / name).write_bytes(data)
        read(other_run())

    return from_bytes


def read_config(run: RunDirectory) -> None:
    config_from(run.read_config(), run.name)


def read_results(run: RunDirectory) -> None:
    run.read_curves()
    run.read_best()
    read_live(run)


def read_json_of_run(data: bytes) -> None:
    run_directory()
    for name in ("best.json", "curve.json", "live.json"):
        (other_run().folder / name).write_bytes(data)
    net = other_run().nets / "000000.onnx"
    if not net.exists():
        net.write_bytes(b"")
    refused: TengenError | None = None
    for read in (RunDirectory.read_curves, RunDirectory.read_best, RunDirectory.best_net, read_live):
        try:
            read(other_run())
        except TengenError as error:
            refused = error
    if refused is not None:
        raise refused


def read_games(data: bytes) -> None:
    file = folder() / "games.sqlite"
    for end in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + end).unlink(missing_ok=True)
    file.write_bytes(data)
    store = RecordStore(file)
    try:
        store.numbers(), len(store), store.results(), store.metrics(), store.last_metrics(), store.game_results()
        for record in [*store.all_after(0), *store.latest(2)]:
            record.pack()
    finally:
        store.close()


QUESTION = {"game": "hex:3", "agent": "uct", "vary": ["c=0..2"]}


def tune_file() -> list[bytes]:
    return [
        json.dumps({
            "format": 1, "question": QUESTION, "generation": 2, "results": [[0, 1, 1.5, 2.0]], "forfeits": 0,
            "players": [{"genes": [0.5], "born": 0, "died": None, "parents": []}, {"genes": [0.1], "born": 1, "died": 2, "parents": [0, 0]}],
        }).encode()
    ]  # fmt: skip


def read_tuning(data: bytes) -> None:
    run_directory()
    tuning = TuneFolder("tuning", QUESTION)
    tuning.path.mkdir(exist_ok=True)
    (tuning.path / "tune.json").write_bytes(data)
    tuning.load()


def read_audit(data: bytes) -> None:
    file = folder() / "set.npz"
    file.write_bytes(data)
    found = AuditSet.load(file)
    found.position(parse_game("hex:3"), 0)


def small_audit() -> list[bytes]:
    buffer = io.BytesIO()
    np.savez(buffer, cells=np.zeros((2, 9), np.int8), to_move=np.zeros(2, np.int8), winning=np.ones(2, np.uint64))
    return [buffer.getvalue()]


def read_network(data: bytes) -> None:
    evaluator = OnnxEvaluator(data)
    evaluator(evaluator.game, Position(evaluator.game).array[None])


def networks() -> list[bytes]:
    """A small one and one that ships."""
    from tengen.bench.selfplay import random_network

    return [random_network("mlp1x4@3"), random_network("res1x4@5")]


# ---------------------------------------------------------------------------------------------------------- engines


class FirstMove:
    """A brain for engines."""

    name = "first move"

    def new_game(self, game, memory=None):
        self.game = game

    def choose(self, position, budget):
        return position.legal_moves[0]

    def stay(self, position, budget):
        return None

    def opening(self, game, budget):
        return [0, 1, 2]

    def think(self, position, seconds):
        move = position.legal_moves[0]
        return Analysis((Candidate(move, 10, 0.5, 1.0),), (move,), 0.5)

    analysis = None


def read_htp(data: bytes) -> None:
    engine = htp.Engine(FirstMove(), "1", size=3)
    chunks = [data, b""]
    for line, _ in lines_of(lambda n: chunks.pop(0)):
        answer = engine.answer(line)
        assert not answer or (answer[0] in "=?" and answer.endswith("\n\n") and "\n\n" not in answer[:-2])


def read_gomocup(data: bytes) -> None:
    engine = gomocup.Engine(FirstMove(), "1", size=5)
    chunks = [data, b""]
    for line, _ in lines_of(lambda n: chunks.pop(0)):
        answer = engine.answer(line)
        assert not answer or answer.endswith("\n")


class Scripted:
    """In place of a child process: says these lines, then nothing."""

    def __init__(self, data: bytes) -> None:
        chunks = [data, b""]
        self._lines = [line for line, _ in lines_of(lambda n: chunks.pop(0))][::-1]

    def send(self, line: str) -> None:
        line.encode()

    def read(self, deadline: float) -> str:
        if not self._lines:
            raise ChildStopped("no answer in time")
        return self._lines.pop()

    def end(self) -> None:
        pass


def read_htp_engine(data: bytes) -> None:
    game = Hex(3)
    with mock.patch.object(htp_client, "Child", return_value=Scripted(data)):
        engine = htp_client.EngineConnection(["x"], game)
        position = Position(game)
        while not position.is_over:
            position.play(engine.choose(position, 1.0))


def read_gomocup_engine(data: bytes) -> None:
    game = Gomoku(5, line=5)
    with mock.patch.object(gomocup_client, "Child", return_value=Scripted(data)):
        engine = gomocup_client.EngineConnection(["x"], game)
        position = Position(game)
        while not position.is_over:
            position.play(engine.choose(position, 1.0))


# ---------------------------------------------------------------------------------------------------------- wires


class Wire:
    """In place of a socket: each element is what one `recv` gives."""

    def __init__(self, records: Sequence[bytes]) -> None:
        self._records = list(records)[::-1]

    def recv(self, most: int) -> bytes:
        if not self._records:
            return b""
        data = self._records.pop()
        if len(data) > most:
            self._records.append(data[most:])
        return data[:most]

    def sendall(self, data: bytes) -> None:
        pass

    settimeout = setsockopt = shutdown = lambda self, *_: None

    def close(self) -> None:
        pass


def read_oht(edition: str) -> Callable[[bytes], None]:
    """The client's side, an agent behind it; in the text edition a line stands for a record."""

    def read(data: bytes) -> None:
        wire = Wire(data.split(b"\n") if edition == "text" else [data])
        actor = AgentActor(
            parse_agent("random"), verbose=False, edition=edition, user="a", player_name="b", official=False
        )
        with (
            mock.patch("tengen.protocols.oht.client.connect", return_value=wire),
            mock.patch("getpass.getpass", return_value="secret"),
            mock.patch("builtins.input", return_value="y"),
        ):
            actor.connect_to_server()

    return read


def json_records(*messages: object) -> bytes:
    found = b""
    for message in messages:
        data = json.dumps(message).encode()
        found += len(data).to_bytes(4, "little") + data
    return found


def read_visitor(data: bytes) -> None:
    """The server's side, in both editions; the first byte says in which."""
    visitor = TextVisitor(Wire(data[1:].split(b"\n")), 1.0) if data[:1] != b"j" else JsonVisitor(Wire([data[1:]]), 1.0)
    visitor.sign_in(1.0)
    visitor.ask_player_name(1.0)
    visitor.ask_official(3, 1.0)
    for _ in range(3):
        visitor.get_action((1, 0, 0, 0, 0), 1.0)


def read_json_query(text: str) -> None:
    query = read_query(text)
    game = parse_game(query.game) if query.game in GAMES else parse_game("hex:3")
    for turn in query.turns[:3]:
        position_at(query, game, turn)


# ---------------------------------------------------------------------------------------------------------- the page


class Nobody:
    """In place of the threads that think: what is wanted is forgotten, what is asked for is there, and empty."""

    def __init__(self) -> None:
        self.on_compiling: list[Callable[[], None]] = []
        self.compiling, self.is_closed = None, False

    def submit(self, job: object) -> None:
        pass

    def later(self, seconds: float, job: object) -> None:
        pass

    def ask(self, function: object) -> Future[tuple[object, ...]]:
        answer: Future[tuple[object, ...]] = Future()
        answer.set_result(())
        return answer


class NoTrainer(Trainer):
    """Checks what it is asked for, and starts nothing."""

    def _launch(self, name: str, arguments: list[str]) -> None:
        raise TengenError("nothing is started here")


class Failures(logging.Handler):
    """Keeps the first traceback that the page would have written into its log."""

    def __init__(self) -> None:
        super().__init__()
        self.first: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and self.first is None:
            self.first = record.exc_info[1]


@functools.cache
def page() -> tuple[Runs, Offers, asyncio.Runner, Failures]:
    run_directory()
    runs = Runs(Nobody())
    runs.trainer = NoTrainer()
    failures, log = Failures(), logging.getLogger("tengen.web")
    log.addHandler(failures)
    log.propagate = False
    return runs, Offers(), asyncio.Runner(), failures


def read_page(data: bytes) -> None:
    """The messages of a tab, one a line, at a table of Hex 3×3, and what it is then shown."""
    runs, offers, runner, failures = page()

    async def talk() -> None:
        room = Room(Nobody())
        tab = connection.Connection(connection.Hall(room, runs, offers), None)
        for line in [b'{"do":"new","game":"hex:3","seats":["human","human"]}', *data.split(b"\n")[:30]]:
            await tab._handle({"type": "websocket.receive", "text": line.decode("utf-8", "replace")})
            for reply in tab._replies:
                json.dumps(reply)
            tab._replies.clear()
            if tab.table is not None:
                json.dumps(tab._state(tab.table))
        room.close()

    failures.first = None
    runner.run(talk())
    if failures.first is not None:
        raise failures.first


def read_tetris(data: bytes) -> None:
    tab = tetris.TetrisTab()
    for line in [b'{"do":"new","columns":6,"rows":6,"seed":1}', *data.split(b"\n")[:30]]:
        message = tetris.read(line.decode("utf-8", "replace"))
        if message.get("do") != "hint" and message.get("columns", 0) in (0, 6):
            tab.hear(message)
            tab.tick(0.02)
            json.dumps(tab.state())


def read_shared(text: str) -> None:
    """What people paste, and what stands behind the # of an address."""
    try:
        sharing.read(text)
    finally:
        spec, _, moves = text.partition("/")
        if spec in GAMES:
            sharing.from_link(parse_game(spec), moves)


# ---------------------------------------------------------------------------------------------------------- all

SGF = (
    "(;FF[4]GM[11]CA[UTF-8]SZ[5]PB[one]PW[two]RE[B+R];B[c3]C[a good move];W[swap-pieces](;B[a1];W[resign])(;B[b2]))",
    "(;GM[4]SZ[15]RU[exact,line=5]AB[aa][bb:cc]AW[dd]AE[bb]PL[W];W[hh];B[ii])", "(;GaMe[11]SiZe[3];Black[a1]White[b2])",
    "(;GM[11]SZ[3];B[a1];W[swap-sides];B[b2];W[c3];B[])",
)  # fmt: skip
PSQ = (
    "Piskvorky 15x15, 11:11, 0\n8,8,340\n9,9,12\n8,9,5\nfirst.zip\nsecond.zip\n-1\n1,Freestyle\n",
    "Piskvorky 5x5, 0:0, 1\n1,1,0\n2,2,0\n1,2,0\n2,3,0\n1,3,0\n2,4,0\n1,4,0\n2,5,0\n1,5,0\n0\n",
)
PAGE = (
    '{"do":"play","move":4,"ply":0}\n{"do":"play","move":0,"ply":1}\n{"do":"undo"}\n{"do":"redo"}\n{"do":"goto","ply":1}',
    '{"do":"hello"}\n{"do":"layout","layout":"flat"}\n{"do":"new","game":"gomoku:9","seats":["human","uct,simulations=100"]}',
    '{"do":"new","game":"tetris:6x6","seats":["human"]}\n{"do":"play","move":0,"ply":0}\n{"do":"resign"}\n{"do":"again","exchange":true}',
    '{"do":"runs"}\n{"do":"run","name":"mine","axis":"hours","beside":""}\n{"do":"replay","run":"mine","number":1}\n{"do":"topp","name":"mine","games":2}',
    '{"do":"analyse","on":true}\n{"do":"engines"}\n{"do":"engine","name":"uct"}\n{"do":"hint"}\n{"do":"unfold","line":[0,1]}\n{"do":"stop"}',
    '{"do":"review","seconds":0.5}\n{"do":"teach","on":true}\n{"do":"ponder","on":true}\n{"do":"pause","seconds":1.5}\n{"do":"run-on","on":true}\n{"do":"now"}',
    '{"do":"share","kind":"sgf"}\n{"do":"share","kind":"hexworld"}\n{"do":"share","kind":"link"}\n{"do":"bring","text":"(;GM[11]SZ[3];B[a1])"}',
    '{"do":"shown","game":"hex:3","moves":"a1.b2"}\n{"do":"open","table":"x"}\n{"do":"leave"}\n{"do":"example"}',
    '{"do":"train-form"}\n{"do":"train","preset":"on-policy","name":"new","values":{"game":"hex:4","lr":"0.01"}}\n{"do":"resume","name":"mine","values":{"games":"300"}}\n{"do":"stop-run","name":"mine"}',
)  # fmt: skip
HTP = (
    "name\nversion\n5 boardsize 3 3\nclear_board\nplay black a1\nplay w b2\ngenmove black\nundo\nshowboard\nall_legal_moves\nfinal_score",
    "param_game allow_swap 1\nplay b c2\nplay w swap-pieces\ngenmove b\ntime_settings 60 0 0\ntime_left b 10 0\nreg_genmove w\nloadsgf x.sgf 2",
    "hexgui-analyze_commands\ntengen-heatmap b\ntengen-candidates\ntengen-pv w\ntengen-visits\ntengen-winrates\ntengen-thoughts\nknown_command play\nquit",
)
GOMOCUP = (
    "START 15\nINFO timeout_turn 1000\nINFO rule 1\nBEGIN\nTURN 3,3\nTAKEBACK 3,3\nPLAY 5,5\nRESTART\nABOUT\nEND",
    "START 5\nBOARD\n1,1,1\n2,2,2\nDONE\nINFO max_memory 1000000\nINFO time_left 2147483647\nTURN 4,4\nRECTSTART 6,6",
    "START 7\nSWAP2BOARD\nDONE\nSWAP2BOARD\n1,1\n2,2\n3,3\nDONE\nSWAP2BOARD\n1,1\n2,2\n3,3\n4,4\n5,5\nDONE",
)
HTP_SAYS = (
    "= MoHex\n\n=\n\n= \n\n=1 a1\n\n= \n\n= b2\n\n",
    "= x\n\n? unknown\n\n=\n\n=\n\n= swap-pieces\n\n",
    "= x\n\n=\n\n=\n\n= RESIGN\n\n",
)
GOMOCUP_SAYS = (
    "OK\nMESSAGE hello\n2,2\nDEBUG x\n3,3\n",
    "OK - fine\nSUGGEST 1,1\n1,1\n0,0\n",
    "ERROR no\n",
    "MESSAGE\nOK\nUNKNOWN\n",
)
OHT_TEXT = (
    "Please enter your username: \nYour password\nWelcome!\nSeries start\n7\n[(7, 1), (8, 2)]\n2\n[3]\nGame start\n1\n(1, 0, 0, 0, 0, 0, 0, 0, 0, 0)\n"
    "(1, 1, 2, 0, 0, 0, 0, 0, 0, 0)\nGame end\n1\n(1, 1, 1, 1, 0, 2, 0, 2, 0, 0)\nSeries end\n[(7, 1, 2, 0), (8, 2, 0, 2)]\nTournament end\n100.0",
    "player-name?\nqualify\nstress\nWelcome\nMain start\n1\n[(1,1)]\n1\n[3]\nIllegal action\n(1, 0, 0, 0, 0, 0, 0, 0, 0, 0)\n(9, 9)", "Sorry, no",
)  # fmt: skip
OHT_JSON = json_records(
    {"topic": "authentication"}, {"topic": "question", "question": "qualify", "prompt": "?"}, {"topic": "message", "message": "hello"},
    {"topic": "series_start", "unique_player_id": 7, "player_id_map": [[7, 1], [8, 2]], "num_games": 2, "game_params": [3]},
    {"topic": "game_start", "start_player": 1}, {"topic": "request_action", "state": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]},
    {"topic": "game_over", "winner": 1, "end_state": [1, 0]}, {"topic": "series_over", "stats": [[7, 1, 2, 0]]},
    {"topic": "tournament_over", "score": 50.0}, {"topic": "finish"},
)  # fmt: skip
QUERIES = (
    '{"id": "a1", "game": "hex:3", "moves": ["b2", "c1"], "maxVisits": 2000, "analyzeTurns": [0, 2], "includePolicy": true}',
    '{"id": "x", "game": "gomoku:5,line=4", "moves": [["B", "c3"], ["W", "a1"]]}', '{"id": "y"}',
)  # fmt: skip
TETRIS = (
    '{"do": "new", "columns": 6, "rows": 6, "preview": 1, "bag": false, "seed": 3, "player": "person"}\n{"do": "press", "key": "left"}\n'
    '{"do": "release", "key": "left"}\n{"do": "press", "key": "drop"}\n{"do": "press", "key": "pause"}\n{"do": "hint"}',
)  # fmt: skip

PARSERS: dict[str, Parser] = {
    "game": Parser(text(read_game_spec), lines(
        "hex:7", "hex:11,swap", "hex:5,first=1", "gomoku:15,exact", "gomoku:3,line=3", "tetris:10x20,preview=0", "tetris-keys:10x10,presses=9", "pig:2,seats=2", "nim:3,misere",
        "my_game.py:Connect4,rows=6",
    ), 2),
    "agent": Parser(text(read_agent_spec), lines(
        "random", "uct,simulations=1000,c=0.7", "gumbel,simulations=16", "hmcts", "alphabeta,depth=3", "classic,time=1", "net,move=sample:hex-5",
        "zero,simulations=400:hex-7", "gomocup,time=1:pbrain x", "htp,setup=a;b:mohex 'x y'", "lingz:folder", "medium", "adaptive", "puct,solver,memory=64",
    ), 1),
    "moves": Parser(text(read_moves), lines("hex:3 a1 b2 c3", "gomoku:5,line=4 c3 a1", "tetris:6x6,preview=0 I a1", "pig:2 roll 3 bank", "nim:2 1x2"), 2),
    "preset": Parser(read_preset, lambda: [file.read_bytes() for file in sorted(PRESETS.glob("*.toml"))], 0.5),
    "comparison": Parser(read_comparison, lambda: [file.read_bytes() for file in sorted(COMPARISONS.glob("*.toml"))], 0.5),
    "sgf": Parser(read_sgf, lines(*SGF), 2),
    "psq": Parser(text(read_psq_file), lines(*PSQ), 2),
    "hexworld": Parser(text(read_hexworld), lines("https://hexworld.org/board/#5c1,a1b2:sc3:rb", "#3,a1:pb2,c3", "11c1,"), 2),
    "shared": Parser(text(read_shared), lines(*SGF, *PSQ, "hexworld.org/#3c1,a1b2", "hex:3/a1.b2"), 1),
    "htp": Parser(read_htp, lines(*HTP), 1),
    "gomocup": Parser(read_gomocup, lines(*GOMOCUP), 1),
    "htp-engine": Parser(read_htp_engine, lines(*HTP_SAYS), 2),
    "gomocup-engine": Parser(read_gomocup_engine, lines(*GOMOCUP_SAYS), 2),
    "oht-text": Parser(read_oht("text"), lines(*OHT_TEXT), 1),
    "oht-json": Parser(read_oht("json"), lambda: [OHT_JSON], 1, is_binary=True),
    "oht-visitor": Parser(read_visitor, lambda: [
        b"tuser\npassword\nname\nn\n(1, 0)\n1,1", b"j" + json_records("token", True, [0, 1], [1, 1]),
    ], 2),
    "query": Parser(text(read_json_query), lines(*QUERIES), 2),
    "page": Parser(read_page, lines(*PAGE), 0.3),
    "tetris-page": Parser(read_tetris, lines(*TETRIS), 0.5),
    "config": Parser(read_run_file("config.json", read_config), of_run("config.json"), 0.5),
    "run-json": Parser(read_json_of_run, of_run("best.json", "curve.json", "live.json"), 0.5),
    "learner": Parser(read_run_file("learner.npz", RunDirectory.load_learner), of_run("learner.npz"), 0.5, is_binary=True),
    "games": Parser(read_games, of_run("games.sqlite"), 0.1, is_binary=True),
    "tuning": Parser(read_tuning, tune_file, 0.5),
    "audit-set": Parser(read_audit, small_audit, 0.5, is_binary=True),
    "network": Parser(read_network, networks, 0.1, is_binary=True),
}  # fmt: skip
