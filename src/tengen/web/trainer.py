"""Runs that the page starts, stops and lets go on: each is `tengen train` or `tengen resume` in a process of its own.

Presets and options are looked up in lists that are made here; what a browser sends becomes the value of a known option and
nothing else.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import IO, Any

from tengen.errors import TengenError
from tengen.runs.directory import RunDirectory, list_runs, runs_folder
from tengen.training.config import PRESETS, load_preset

OPTIONS = {
    "game": "--game", "games": "--games", "search_games": "--search-games", "lr": "--lr", "layers": "--layers",
    "activation": "--activation", "optimizer": "--optimizer", "nets": "--nets", "topp_games": "--topp-games",
    "batch": "--batch", "threads": "--threads", "seed": "--seed", "rating": "--rating",
}  # fmt: skip
"""What a form may set, and the command line's name for it."""

RESUMABLE = ("games", "search_games", "lr", "topp_games", "batch", "threads", "rating")
MOST_RUNNING = 2
"""Runs that train at once: there are only so many processors."""

PATIENCE = 30.0
"""Seconds in which a run should be there, or say why not."""

LONGEST_COMPLAINT = 300
_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.,:=x_-]{0,60}", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}", re.ASCII)


@dataclass
class _Training:
    process: subprocess.Popen[bytes]
    output: IO[bytes]

    def complaint(self) -> str:
        """The last line that it has said, once it has failed."""
        if self.process.poll() in (None, 0, 130, -signal.SIGINT):
            return ""
        self.output.seek(0)
        lines = [line for line in self.output.read()[-20_000:].decode(errors="replace").splitlines() if line.strip()]
        return (
            lines[-1].strip().removeprefix("tengen: ")[:LONGEST_COMPLAINT]
            if lines
            else "it has failed and said nothing"
        )


class Trainer:
    """The training processes that this server has started."""

    def __init__(self) -> None:
        self._running: dict[str, _Training] = {}
        self._lock = threading.Lock()

    def form(self) -> dict[str, Any]:
        """What a form shows: the presets with their values."""
        presets = []
        for file in sorted(PRESETS.glob("*.toml")):
            config = load_preset(file.stem)
            presets.append({
                "name": file.stem, "about": _first_line(file.read_text(encoding="utf-8")),
                "values": {
                    "game": config.game, "games": config.training.games, "search_games": config.search.simulations,
                    "lr": config.network.learning_rate, "layers": ",".join(str(n) for n in config.network.layers),
                    "activation": config.network.activation, "optimizer": config.network.optimizer,
                    "nets": config.training.nets, "topp_games": config.training.topp_games, "batch": config.training.batch,
                    "threads": config.selfplay.threads, "seed": config.seed, "rating": config.rating.share,
                },
            })  # fmt: skip
        return {"presets": presets, "resumable": list(RESUMABLE)}

    def start(self, preset: str, name: str, values: dict[str, str]) -> str:
        """Begin a run; its name."""
        if preset not in {file.stem for file in PRESETS.glob("*.toml")}:
            raise TengenError(f"there is no preset called {preset[:60]!r}")
        if not _NAME.fullmatch(name):
            raise TengenError("a run's name is letters, digits, dot, dash and underscore")
        with self._lock:
            name = _free_name(name)
            self._launch(name, ["train", preset, "--name", name, *_arguments(values, tuple(OPTIONS))])
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and not (runs_folder() / name / "config.json").is_file():
            if not self.is_running(name):
                raise TengenError(self.complaint(name) or "the run has ended before it began")
            time.sleep(0.1)
        return name

    def resume(self, run: RunDirectory, values: dict[str, str]) -> None:
        """Go on with a run."""
        with self._lock:
            if self.is_running(run.name):
                raise TengenError("this run is training already")
            self._launch(run.name, ["resume", run.name, *_arguments(values, RESUMABLE)])

    def stop(self, name: str) -> None:
        """Have a run end after the game in progress, with everything kept."""
        with self._lock:
            training = self._running.get(name)
            if training is None or training.process.poll() is not None:
                raise TengenError("this page has not started that run: stop it where it was started, with Ctrl-C")
            training.process.send_signal(signal.SIGINT)

    def is_running(self, name: str) -> bool:
        """Whether a run trains in a process of ours."""
        training = self._running.get(name)
        return training is not None and training.process.poll() is None

    def complaint(self, name: str) -> str:
        """What went wrong with a run of ours, in a line; nothing while all is well."""
        training = self._running.get(name)
        return training.complaint() if training else ""

    def close(self) -> None:
        """Have all of them end; nothing is lost, `tengen resume` goes on."""
        for training in self._running.values():
            if training.process.poll() is None:
                training.process.send_signal(signal.SIGINT)

    def _launch(self, name: str, arguments: list[str]) -> None:
        if sum(training.process.poll() is None for training in self._running.values()) >= MOST_RUNNING:
            raise TengenError(f"{MOST_RUNNING} runs are training already: stop one first")
        output = tempfile.TemporaryFile()  # noqa: SIM115  # it stays open as long as the run is remembered
        process = subprocess.Popen(
            [sys.executable, "-m", "tengen", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=output,
            env={**os.environ, "COLUMNS": "200"},
        )  # fmt: skip
        self._running[name] = _Training(process, output)


def _free_name(name: str) -> str:
    """A name that no run has."""
    taken, number, wanted = {run.name for run in list_runs()}, 1, name
    while wanted in taken or (runs_folder() / wanted).exists():
        number += 1
        wanted = f"{name}-{number}"
    return wanted


def _arguments(values: dict[str, str], allowed: tuple[str, ...]) -> list[str]:
    """Options for the command line, from a form."""
    words: list[str] = []
    for key, value in values.items():
        if key not in allowed:
            raise TengenError(f"{key[:40]!r} cannot be set here")
        if not _VALUE.fullmatch(value) or ".py" in value:
            raise TengenError(f"{key} cannot be {value[:40]!r}")
        words += [OPTIONS[key], value]
    return words


def _first_line(text: str) -> str:
    line = text.lstrip().splitlines()[0]
    return line.lstrip("# ").rstrip(".") if line.startswith("#") else ""
