"""Runs that the page starts: what may be set, and what may not."""

from __future__ import annotations

import sys
import time

import pytest

from tengen.errors import TengenError
from tengen.runs.directory import RunDirectory
from tengen.web import trainer as module
from tengen.web.trainer import OPTIONS, Trainer


@pytest.fixture
def started(monkeypatch, tmp_path):
    """The command lines that would have been run; in their place a process that waits for Ctrl-C."""
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path))
    monkeypatch.setattr(module, "PATIENCE", 0.0)  # nothing will be there
    lines, real = [], module.subprocess.Popen

    def instead(command, **settings):
        lines.append(command[3:])
        script = "import signal, sys; signal.signal(signal.SIGINT, lambda *_: sys.exit(130)); print('x', flush=True); signal.pause()"
        if "fails" in command:
            script = "import sys; print('one'); sys.exit('tengen: it cannot be')"
        settings["stdout"] = module.subprocess.PIPE
        process = real([sys.executable, "-c", script], **settings)
        process.stdout.readline()
        return process

    monkeypatch.setattr(module.subprocess, "Popen", instead)
    return lines


def test_a_form_with_the_values_of_every_preset():
    loaded = "tensorflow" in sys.modules  # by another test
    form = Trainer().form()
    by_name = {preset["name"]: preset for preset in form["presets"]}
    assert by_name["on-policy"]["values"]["games"] == 200
    assert by_name["on-policy"]["values"]["layers"] == "128,64"
    assert all(set(preset["values"]) == set(OPTIONS) for preset in form["presets"])
    assert all(preset["about"] for preset in form["presets"])
    assert loaded or "tensorflow" not in sys.modules


def test_a_run_is_started_and_stopped(started):
    trainer = Trainer()
    values = {"game": "hex:4", "layers": "32,16", "lr": "0.01", "activation": "tanh"}
    name = trainer.start("on-policy", "mine", values)
    assert started == [["train", "on-policy", "--name", "mine", "--game", "hex:4", "--layers", "32,16", "--lr", "0.01", "--activation", "tanh"]]  # fmt: skip
    assert name == "mine"
    assert trainer.is_running("mine")
    trainer.stop("mine")
    trainer._running["mine"].process.wait(30)
    assert not trainer.is_running("mine")
    assert trainer.complaint("mine") == ""
    with pytest.raises(TengenError, match="not started that run"):
        trainer.stop("mine")


def test_a_name_that_is_taken_gets_a_number_and_a_run_goes_on(started):
    trainer = Trainer()
    run = RunDirectory.create("mine", {})
    assert trainer.start("on-policy", "mine", {}) == "mine-2"
    trainer.resume(run, {"games": "400"})
    assert started[-1] == ["resume", "mine", "--games", "400"]
    with pytest.raises(TengenError, match="training already"):
        trainer.resume(run, {})
    with pytest.raises(TengenError, match="2 runs are training already"):
        trainer.start("on-policy", "third", {})
    trainer.close()
    for training in trainer._running.values():
        assert training.process.wait(30) == 130


def test_what_went_wrong_is_told_in_a_line(started, monkeypatch):
    trainer = Trainer()
    monkeypatch.setattr(module, "PATIENCE", 60.0)
    with pytest.raises(TengenError, match="it cannot be"):
        trainer.start("on-policy", "fails", {})
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    trainer.start("on-policy", "fails", {})
    trainer._running["fails"].process.wait(30)
    end = time.monotonic() + 30
    while not trainer.complaint("fails"):
        assert time.monotonic() < end
    assert trainer.complaint("fails") == "it cannot be"


@pytest.mark.parametrize(
    ("preset", "name", "values"),
    [
        ("../../etc/passwd", "a", {}),
        ("on-policy.toml", "a", {}),
        ("on-policy", "../a", {}),
        ("on-policy", "-rf", {}),
        ("on-policy", "", {}),
        ("on-policy", "a", {"--show": "1"}),
        ("on-policy", "a", {"games": "--help"}),
        ("on-policy", "a", {"games": "1 --show"}),
        ("on-policy", "a", {"game": "my_game.py:Name"}),
        ("on-policy", "a", {"game": "/etc/passwd"}),
        ("on-policy", "a", {"lr": ""}),
    ],
)
def test_nothing_from_a_browser_becomes_a_path_or_an_option(started, preset, name, values):
    with pytest.raises(TengenError):
        Trainer().start(preset, name, values)
    assert started == []
