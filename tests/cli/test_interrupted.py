"""Ctrl-C in the middle of a tournament: exit code 130, and what has been played counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli import tengen

from tengen.arena import match as match_module
from tengen.arena import topp as topp_module
from tengen.arena.match import begin_match
from tengen.runs.directory import RunDirectory


@pytest.fixture
def interrupted(monkeypatch):
    """Ctrl-C after eleven games of a tournament."""
    real, games = match_module.play_game, 0

    def play(*arguments, **options):
        nonlocal games
        games += 1
        if games > 11:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(match_module, "play_game", play)
    assert topp_module.begin_match is begin_match


@pytest.mark.parametrize("how", [["--json"], []])
def test_a_round_robin_shows_and_keeps_what_was_played(capsys, interrupted, how):
    line = ["tournament", "hex:3", "random", "random", "random", "--games", "8", "--threads", "1"]
    code, out, err = tengen(capsys, *line, *how)
    assert code == 130
    assert "stopped after 11 of 24 games" in err
    [folder] = Path(os.environ["TENGEN_RUNS"], "tournaments").iterdir()
    assert len(list(folder.glob("*.sgf"))) == 11
    kept = json.loads((folder / "result.json").read_text())
    assert [[share is None for share in row] for row in kept["score"]] == [
        [True, False, False],
        [False, True, True],  # the third pair has not begun
        [False, True, True],
    ]
    assert kept["score"][0][1] + kept["score"][1][0] == pytest.approx(1)
    if how:
        assert json.loads(out) == {**kept, "folder": str(folder)}
    else:
        assert str(folder) in out.replace("\n", "")


def test_before_the_first_game_nothing_is_kept(capsys, monkeypatch):
    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(match_module, "play_game", stop)
    code, out, err = tengen(capsys, "tournament", "hex:3", "random", "random", "--json")
    assert (code, json.loads(out)["folder"]) == (130, None)
    assert "0 of 50" in err
    assert not Path(os.environ["TENGEN_RUNS"]).exists()


def test_the_topp_of_a_run_counts_what_was_played_and_names_no_best(capsys, interrupted, monkeypatch):
    for name in ("net:hex-5", "net,move=sample:hex-5"):
        assert tengen(capsys, "list", "agents")[0] == 0, name
    run = RunDirectory.create("mine", {"game": "hex:5", "training": {"topp_games": 8}})
    shipped = sorted((Path(match_module.__file__).parent.parent / "models" / "hex-5").glob("*.onnx"))
    for file in shipped[:3]:
        run.save_net(int(file.stem), file.read_bytes())
    code, out, err = tengen(capsys, "topp", "mine", "--json", "--threads", "1")
    found = json.loads(out)
    assert code == 130, err
    assert "stopped after 11 of 24 games" in err
    assert found["best"] is None
    assert found["score"][1][2] is None
    assert found["score"][0][1] is not None
    assert not (run.folder / "best.json").exists()


def test_an_audit_that_was_stopped_says_so(capsys, monkeypatch):
    from tengen.agents.base import RandomAgent

    def stop(self, position):
        raise KeyboardInterrupt

    monkeypatch.setattr(RandomAgent, "choose", stop)
    code, out, err = tengen(capsys, "audit", "hex:4", "random", "--json")
    assert (code, out) == (130, "")
    assert "not complete" in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize("line", ["audit hex:4 random --set FILE", "audit hex:4 random --set nofile"])
def test_a_file_that_is_no_set_is_refused_in_plain_words(capsys, tmp_path, line):
    file = tmp_path / "text.npz"
    file.write_text("no set")
    code, out, err = tengen(capsys, *line.replace("FILE", str(file)).split())
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert "pickle" not in err
    assert "Errno" not in err


def test_bad_options_are_one_line_on_a_terminal_without_unicode():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:replace", "PYTHONUTF8": "0", "LC_ALL": "C"}
    for options in (["--games", "x"], ["--gams", "3"], ["--seed"]):
        done = subprocess.run(
            [sys.executable, "-m", "tengen.cli", "match", "hex:3", "random", "random", *options],
            capture_output=True, text=True, env=environment,
        )  # fmt: skip
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1
        assert "---" not in done.stderr
        assert options[0].strip("-") in done.stderr
