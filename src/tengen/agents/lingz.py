"""The opponent that the Gomoku assignment names: github lingz/gomokuai, from a clone that the user has.

Its ``ai.py`` is Python 2. It runs in a process of its own (`lingz_host`), which gives it what it expects, so that nothing it
does can stop or harm a match: a move that is illegal, late, or not made at all loses the game.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

from tengen.agents.base import Agent
from tengen.errors import AgentFailure, SpecError
from tengen.games.gomoku import Gomoku
from tengen.games.position import Position
from tengen.games.verbs import Game

SECONDS = 30.0
"""What a move may take."""

HOST = Path(__file__).parent / "lingz_host.py"


def program_file(folder: str) -> Path:
    """The program in a clone; SpecError when there is none."""
    file = Path(os.path.expanduser(folder)) / "ai.py"
    if not os.path.isfile(file):  # Path.is_file raises for a name that is too long
        raise SpecError(f"there is no ai.py in {folder}: name a clone of github lingz/gomokuai")
    return file


class LingzAgent(Agent):
    """A heuristic that looks one move ahead; the same position always gets the same move."""

    def __init__(self, game: Game, file: Path, seconds: float = SECONDS, name: str = "lingz") -> None:
        super().__init__(game, name)
        rules: object = game
        if not isinstance(rules, Gomoku):
            raise SpecError(f"{name} plays gomoku alone")
        if not 0 < seconds <= 86_400:
            raise SpecError(f"time is above 0 and at most 86400 seconds, not {seconds}")
        self._rules, self._file, self._seconds = rules, file, seconds
        self._process: subprocess.Popen[str] | None = None
        try:
            self._start()
        except AgentFailure as failure:
            raise SpecError(f"{file} cannot be used: {failure}") from None

    def choose(self, position: Position) -> int:
        if self._process is None:  # it has failed in an earlier game
            self._start()
        cells = [int(cell) for cell in position.cells()]
        question = {"size": self._rules.size, "line": self._rules.line, "cells": cells, "me": position.to_move + 1}
        return int(self._talk(question, self._seconds)["move"])

    def _start(self) -> None:
        # isolated (-I): the folder's other files, in Python 2, are not to be found by an import
        command = [sys.executable, "-I", str(HOST), str(self._file)]
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, text=True, encoding="utf-8")
        self._stop = weakref.finalize(self, _end, self._process)
        self._talk(None, SECONDS)

    def _talk(self, question: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
        """Ask (None: only listen) and wait for the answer; AgentFailure when it says why not, dies, or takes too long."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, give_up)
        timer.start()
        try:
            if question is not None:
                process.stdin.write(json.dumps(question) + "\n")
                process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        finally:
            timer.cancel()
        if not line.endswith("\n"):
            self._stop()
            self._process = None
            raise AgentFailure(f"no answer within {seconds:g} seconds" if late.is_set() else "it has stopped")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise AgentFailure(answer["error"])
        return answer


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
