"""``tengen export`` and ``tengen engine`` as people type them."""

from __future__ import annotations

import io
import json

import pytest

from tengen.cli.main import run
from tengen.protocols.sgf_games import read_game
from tengen.records.record import GameRecord
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory


def tengen(capsys, *arguments):
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def a_run(tmp_path, monkeypatch):
    """A run with two games: one played out, and one that black begins and red gives up."""
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))
    directory = RunDirectory.create("mine", {"game": "hex:3"})
    store = RecordStore(directory.games)
    moves = (4, 0, 2, 1, 6)
    visits = ({4: 30, 0: 10}, None, {2: 1}, {1: 5, 3: 4}, {6: 9})
    store.add(GameRecord(0, 7, 0, moves, visits, (0.5, 0.0, -1.0, 0.0, 1.0), (1.0, -1.0), 0, 12, 0.1))
    store.add(GameRecord(1, 8, 1, (4, 0), (None, None), (0.0, 0.0), (-1.0, 1.0), 1, 12, 0.1))
    store.close()
    return directory


def test_a_game_of_a_run_with_what_the_search_thought(capsys, a_run):
    code, out, _ = tengen(capsys, "export", "mine", "--game-number", 0)
    assert code == 0
    found = read_game(out)
    assert found.position.move_names == ["b2", "a1", "c1", "b1", "a3"]
    assert found.winner == 0
    assert found.comments[0] == "win rate 75%\nb2 75% (30 visits)\na1 25% (10 visits)"
    assert found.comments[1] == ""
    assert found.root.get("GN") == "mine, game 0"
    assert "RE[B+]" in out


def test_a_game_that_black_begins_and_red_gives_up(capsys, a_run):
    out = tengen(capsys, "export", "mine", "--game-number", 1)[1]
    found = read_game(out)
    assert (found.game.first, found.position.move_names, found.winner) == (1, ["b2", "a1"], 1)
    assert ";W[b2];B[a1];B[resign])" in out.replace("\n", "")


def test_formats_turn_into_each_other(capsys, a_run, tmp_path):
    file = tmp_path / "game.sgf"
    code, out, _ = tengen(capsys, "export", "mine", "--game-number", 0, "--output", file)
    assert code == 0
    assert f"tengen export {file} --format hexworld" in out
    link = tengen(capsys, "export", file, "--format", "hexworld")[1].strip()
    assert link == "https://hexworld.org/board/#3c1,b2a1c1b1a3"
    data = json.loads(tengen(capsys, "export", link, "--format", "json")[1])
    assert data == {"game": "hex:3", "moves": ["b2", "a1", "c1", "b1", "a3"], "winner": 0}
    assert read_game(tengen(capsys, "export", link)[1]).position.move_names == data["moves"]


def test_variations_and_comments_of_a_file_are_kept(capsys, tmp_path):
    file = tmp_path / "game.sgf"
    text = "(;GM[11]SZ[5]C[hello];B[c3](;W[b2]C[good])(;W[a1]C[bad]))\n"
    file.write_text(text)
    assert tengen(capsys, "export", file)[1].replace("\n", "") == text.strip()


def test_psq_and_sgf_turn_into_each_other(capsys, tmp_path):
    psq, sgf = tmp_path / "game.psq", tmp_path / "game.sgf"
    text = "Piskvorky 15x15, 0:0, 0\n8,8,340\n9,8,12\none\ntwo\n-1\n"
    psq.write_text(text)
    assert tengen(capsys, "export", psq, "--format", "psq")[1] == text
    code, out, _ = tengen(capsys, "export", psq, "--output", sgf)
    assert (code, f"tengen export {sgf} --format psq" in out) == (0, True)
    assert "PB[one]PW[two]" in sgf.read_text()
    assert ";B[hh];W[ih]" in sgf.read_text()
    assert tengen(capsys, "export", sgf, "--format", "psq")[1] == text.replace(",340", ",0").replace(",12", ",0")
    data = json.loads(tengen(capsys, "export", psq, "--format", "json")[1])
    assert data == {"game": "gomoku:15", "moves": ["h8", "i8"], "winner": None}


def test_a_network(capsys, tmp_path):
    file = tmp_path / "net.onnx"
    code, out, _ = tengen(capsys, "export", "hex-5", "--format", "onnx", "--output", file)
    assert code == 0
    assert f"net:{file}" in out
    source = tengen(capsys, "export", "hex-5", "--format", "onnx")[1].strip()
    with open(source, "rb") as original:
        assert file.read_bytes() == original.read()


def test_bad_input_is_one_clear_line_and_exit_code_2(capsys, a_run, tmp_path):
    broken = tmp_path / "broken.sgf"
    broken.write_text("(;GM[11]SZ[5]\n;B[c3];W[c3])")
    psq = tmp_path / "broken.psq"
    psq.write_text("Piskvorky 15x15, 0:0, 0\n8,8,340\n8,8,12\n")
    for line, said in {
        "export nothing": "nothing", "export none.sgf": "there is no file", "export mine": "which game", "export #5c1,zz": "zz",
        "export mine --game-number 9": "has no game 9", "export mine --format pgn": "format is", f"export {broken}": "line 2, column 7",
        "export mine --format onnx": "mine", f"export mine --game-number 0 --output {tmp_path}/no/dir.sgf": "cannot be written",
        "export mine --game-number 1 --format hexworld": "red begins", f"export {tmp_path}": str(tmp_path),
        f"engine htp --logfile-name {tmp_path}/no/log": "cannot be written",
        f"export {psq}": "broken.psq, line 3: 8,8 cannot be played", "export none.psq": "there is no file",
        "export #5c1,c3 --format psq": "psq is written for gomoku", "engine chess": "there are: gomocup, htp",
        "engine gomocup --agent human": "not by a person", "engine gomocup --size 4": "size is 5 to 20",
        "engine htp --size 20": "size is 3 to 19", "engine gomocup --agent nobody": "nobody",
    }.items():  # fmt: skip
        code, out, err = tengen(capsys, *line.split())
        assert (code, out) == (2, ""), line
        assert err.startswith("tengen: ")
        assert len(err.strip().splitlines()) == 1
        assert said in err


def test_an_engine_on_stdin_and_stdout(capsys, monkeypatch, tmp_path):
    said = b"name\n\n# nothing\n5 boardsize 3 3\ngenmove b\n\xff\xfe\nquit\nname\n"

    class Stdin:
        buffer = io.BytesIO(said)

    monkeypatch.setattr("sys.stdin", Stdin())
    code, out, _ = tengen(capsys, "engine", "htp", "--agent", "random", "--logfile-name", tmp_path / "log")
    assert code == 0
    answers = out.split("\n\n")[:-1]
    assert answers[:2] == ["= Tengen random", "=5 "]
    assert answers[2][:2] == "= "
    assert answers[3].startswith("? unknown command")
    assert answers[4:] == ["= "]  # and nothing after quit
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert "> genmove b\n= " in log


def test_a_gomoku_engine_on_stdin_and_stdout(capsys, monkeypatch, tmp_path):
    class Stdin:
        buffer = io.BytesIO(b"ABOUT\r\nSTART 5\r\nTURN 2,2\r\n\xff\r\nEND\r\nBEGIN\r\n")

    monkeypatch.setattr("sys.stdin", Stdin())
    code, out, err = tengen(capsys, "engine", "gomocup", "--agent", "random", "--logfile-name", tmp_path / "log")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith('name="Tengen random"')
    assert lines[1:3] == ["MESSAGE warming up: random", "OK"]
    assert lines[3].count(",") == 1
    assert lines[4].startswith("UNKNOWN")
    assert len(lines) == 5  # nothing after END
    assert "> TURN 2,2\n" in (tmp_path / "log").read_text(encoding="utf-8")
