"""`tengen bandits` and `tengen tune` as people type them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_cli import tengen

from tengen.agents import parse_agent
from tengen.tuning import evolution

TUNE = [
    "tune",
    "hex:3",
    "uct,simulations=8,c=5",
    "--vary",
    "c=0.1..10",
    "epsilon=0..0.5",
    "--players",
    "6",
    "--battles",
    "4",
]


@pytest.fixture(autouse=True)
def in_its_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        "bandits --arms 0.5", "bandits --arms 0.5 0.5", "bandits --arms 0.5 x", "bandits --arms 0.5 1.5",
        "bandits --arms 0.5 nan --kind gaussian", "bandits --steps 3", "bandits --steps 99999999", "bandits --steps x",
        "bandits --repetitions 0", "bandits --repetitions 99999999", "bandits --m 0", "bandits --m 25001", "bandits --alpha 0",
        "bandits --alpha nan", "bandits --alpha inf", "bandits --kind poisson", "bandits --deviation 2", "bandits --threads -1",
        "bandits --kind gaussian --deviation -1", "bandits --moves e5", "bandits --output picture.jpg", "bandits --output .",
        "bandits --output nowhere/picture.png", "bandits hex:3 --m 5", "bandits hex:3 --arms 0.1 0.2", "bandits hex:99",
        "bandits hex:3 --moves z9", "bandits hex:3 --moves a1 a1", "bandits hex:3 --steps 5", "bandits pig:2", "bandits nothing",
        "bandits hex:3 --repetitions 0", "bandits hex:3 --deviation 1", "bandits hex:3 --moves a1 b1 a2 c1 a3",
        "tune hex:3", "tune hex:3 uct", "tune hex:3 uct --vary c", "tune hex:3 uct --vary c=1", "tune hex:3 uct --vary c=2..1",
        "tune hex:3 uct --vary c=1..x", "tune hex:3 uct --vary c=-1..3", "tune hex:3 uct --vary sims=1..9",
        "tune hex:3 uct --vary reuse=0..1", "tune hex:3 uct --vary noise=0..1", "tune hex:3 uct,c=9 --vary c=1..2",
        "tune hex:3 human --vary c=1..2", "tune hex:3 nobody --vary c=1..2", "tune hex:99 uct --vary c=0.1..2",
        "tune pig:2 uct --vary c=0.1..2", "tune hex:3 alphabeta --vary depth=1..3", "tune hex:3 uct --vary c=0.1..2 --players 3",
        "tune hex:3 uct --vary c=0.1..2 --generations 0", "tune hex:3 uct --vary c=0.1..2 --battles 0",
        "tune hex:3 uct --vary c=0.1..2 --pressure 1", "tune hex:3 uct --vary c=0.1..2 --variation -1",
        "tune hex:3 uct --vary c=0.1..2 --opening 99", "tune hex:3 uct --vary c=0.1..2 --opening -1",
        "tune hex:3 uct --vary c=0.1..2 --check -1", "tune hex:3 uct --vary c=0.1..2 --name ../up",
        "tune hex:3 uct --vary c=0.1..2 --threads -1", "tune hex:3 uct --vary c=0.1..2 --players 1000 --generations 1000",
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_line_and_changes_nothing(capsys, tmp_path, line):
    code, out, err = tengen(capsys, *line.split())
    assert code == 2
    assert err.startswith("tengen: ")
    assert len(err.strip().splitlines()) == 1, err
    assert out == ""
    assert not list(tmp_path.rglob("*.*"))


# --- bandits


def test_regret_as_a_table_and_a_picture(capsys):
    line = ["bandits", "--arms", "0.7", "0.4", "--steps", "500", "--repetitions", "20", "--m", "9"]
    code, out, err = tengen(capsys, *line)
    assert code == 0, err
    assert "UCB, α = 2.1" in out
    assert "knowing" in out
    assert "as given" in out
    assert Path("bandits.png").read_bytes().startswith(b"\x89PNG")


def test_json_is_one_object_and_has_what_the_table_has(capsys):
    line = ["bandits", "--kind", "gaussian", "--arms", "1", "0", "--steps", "500", "--repetitions", "20", "--json"]
    code, out, err = tengen(capsys, *line, "--output", "mine.png")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["picture"] == "mine.png"
    assert Path("mine.png").exists()
    assert found["ucb"]["regret"] < min(found["ucb"]["bounds"])
    assert sum(found["ucb"]["pulls"]) == pytest.approx(500)
    assert {"knowing the gaps", "without the gaps", "best m measured"} == set(found["etc"])
    assert all(etc["regret"] <= etc["bound"] + 5 * etc["error"] + 1e-6 for etc in found["etc"].values())


def test_where_no_bound_is_proven_none_is_shown(capsys):
    line = ["bandits", "--kind", "gaussian", "--deviation", "2", "--steps", "200", "--repetitions", "5"]
    _, out, _ = tengen(capsys, *line, "--json")
    found = json.loads(out)
    assert found["ucb"]["bounds"] is None
    assert {etc["bound"] for etc in found["etc"].values()} == {None}
    _, out, _ = tengen(capsys, *line)
    assert "no bound" in out
    _, out, _ = tengen(capsys, "bandits", "--alpha", "1", "--steps", "200", "--repetitions", "5", "--json")
    found = json.loads(out)
    assert found["ucb"]["bounds"] is None
    assert found["etc"]["knowing the gaps"]["bound"] > 0


def test_a_position_as_a_bandit(capsys):
    line = ["bandits", "gomoku:3,line=3", "--moves", "b2", "a1", "--steps", "700", "--repetitions", "3"]
    code, out, err = tengen(capsys, *line, "--json")
    found = json.loads(out)
    assert code == 0, err
    assert found["simulations"] == 700
    assert {move["simulations"]["flat"] for move in found["moves"]} == {100.0}
    assert sum(move["simulations"]["ucb1 with its tree"] for move in found["moves"]) == 700
    assert found["moves"][0]["pays"] == max(move["pays"] for move in found["moves"])
    assert Path("bandits-gomoku-3-line-3.png").exists()
    code, out, err = tengen(capsys, *line)
    assert code == 0, err
    assert "ETC, m = 100" in out
    assert "±" in out


# --- tune


def test_the_winner_is_a_spec_to_paste(capsys):
    code, out, err = tengen(capsys, *TUNE, "--generations", "2", "--check", "6", "--json", "--name", "mine")
    found = json.loads(out)
    assert code == 0, err
    assert dict(parse_agent(found["winner"]).options).items() >= found["values"].items()
    assert found["generations"] == 2
    assert found["games"] == 2 * 3 * 4 * 2
    assert found["check"] is None or found["check"]["wins"] + found["check"]["losses"] == 6
    assert Path(found["picture"]).read_bytes().startswith(b"\x89PNG")
    code, out, _ = tengen(capsys, *TUNE, "--generations", "2", "--check", "6", "--name", "mine")
    assert code == 0
    assert f"the winner: {found['winner']}" in out
    assert f"tengen match hex:3 {found['winner']}" in out


def test_more_generations_go_on_and_fewer_are_refused(capsys):
    tengen(capsys, *TUNE, "--generations", "1", "--check", "0", "--name", "mine")
    first = json.loads(Path(os.environ["TENGEN_RUNS"], "mine/tune.json").read_text())
    code, _, _ = tengen(capsys, *TUNE, "--generations", "2", "--check", "0", "--name", "mine")
    second = json.loads(Path(os.environ["TENGEN_RUNS"], "mine/tune.json").read_text())
    assert code == 0
    assert [p["genes"] for p in second["players"][: len(first["players"])]] == [p["genes"] for p in first["players"]]
    code, _, err = tengen(capsys, *TUNE, "--generations", "1", "--check", "0", "--name", "mine")
    assert code == 2
    assert "2 generations" in err
    code, _, err = tengen(capsys, *TUNE, "--generations", "3", "--seed", "8", "--name", "mine")
    assert code == 2
    assert "seed: 0 there, 8 here" in err


def test_ctrl_c_keeps_the_generations_that_are_over(capsys, monkeypatch):
    real, played = evolution.play_match, 0

    def interrupted(*arguments, **options):
        nonlocal played
        played += 1
        if played == 20:  # 12 battles in a generation
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(evolution, "play_match", interrupted)
    code, out, err = tengen(capsys, *TUNE, "--generations", "3", "--check", "0", "--name", "mine")
    assert code == 130
    assert out == ""
    assert "1 of 3 generations are kept" in err
    assert tengen(capsys, *TUNE, "--generations", "3", "--check", "0", "--name", "mine")[0] == 0
    whole = tengen(capsys, *TUNE, "--generations", "3", "--check", "0", "--name", "other")
    assert whole[0] == 0
    one, other = (Path(os.environ["TENGEN_RUNS"], name, "tune.json").read_text() for name in ("mine", "other"))
    assert one == other


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_killed_at_any_moment_it_goes_on(capsys, how):
    file = Path(os.environ["TENGEN_RUNS"], "mine/tune.json")
    slow = [*TUNE, "--generations", "4", "--battles", "40", "--check", "0"]
    slow[2] = "uct,simulations=100,c=5"
    process = subprocess.Popen([sys.executable, "-m", "tengen.cli", *slow, "--name", "mine"], stderr=subprocess.PIPE)
    while not file.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(how)
    complaint = process.communicate()[1].decode()
    if how == signal.SIGINT and process.returncode == 130:
        assert "are kept in" in complaint
    assert "Traceback" not in complaint
    kept = json.loads(file.read_text())
    assert kept["generation"] >= 1
    assert tengen(capsys, *slow, "--name", "mine")[0] == 0
    assert tengen(capsys, *slow, "--name", "other")[0] == 0
    assert file.read_text() == (file.parent.parent / "other" / "tune.json").read_text()


def test_two_at_once_are_one_too_many(capsys):
    from tengen.tuning.folder import TuneFolder

    tengen(capsys, *TUNE, "--generations", "1", "--check", "0", "--name", "mine")
    file = Path(os.environ["TENGEN_RUNS"], "mine/tune.json")
    other = TuneFolder("mine", json.loads(file.read_text())["question"])
    other.open()
    code, _, err = tengen(capsys, *TUNE, "--generations", "2", "--check", "0", "--name", "mine")
    other.close()
    assert code == 2
    assert "another process" in err


def test_other_commands_do_not_take_a_tuning_for_a_run(capsys):
    tengen(capsys, *TUNE, "--generations", "1", "--check", "0", "--name", "mine")
    code, out, _ = tengen(capsys, "list", "runs")
    assert code == 0
    assert "mine" not in out
    for line in (["resume", "mine"], ["topp", "mine"], ["watch", "mine"], ["curve", "mine", "--against", "random"]):
        code, _, err = tengen(capsys, *line)
        assert code == 2
        assert len(err.strip().splitlines()) == 1
