"""A foreign program as a child process: lines in, lines out, and a clock. Whatever it does, the parent goes on."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Sequence

from tengen.errors import SpecError

LONGEST_LINE = 100_000
FAREWELL = 0.2
"""Seconds for a program that has been asked to end."""

MOST_LINES = 10_000
"""Lines that may wait to be read; a program that floods the pipe has to wait."""


class ChildStopped(Exception):
    """The program has ended, or says nothing within the time; the message says which."""


class EngineError(Exception):
    """The program says no, or nothing that could be understood."""


def split_command(text: str) -> list[str]:
    """A command line as a list, as a shell would split it; SpecError when a quote is left open."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise SpecError(f"{text!r} is not a command: {error}") from None
    if not words:
        raise SpecError("name the command to start")
    return words


class Child:
    """A running program. What it writes to stderr is thrown away."""

    def __init__(self, command: Sequence[str], farewell: str = "") -> None:
        """`farewell`: a line that asks it to end; it is killed a little later, if it has not."""
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        try:
            # in a session of its own, so that a script's own children end with it
            self._process = subprocess.Popen(
                list(command), stdin=pipe, stdout=pipe, stderr=nowhere, start_new_session=os.name == "posix"
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise SpecError(f"{command[0]} cannot be started: {why}") from None
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_LINES)
        self._stop = weakref.finalize(self, _end, self._process, farewell)
        threading.Thread(target=_read, args=(self._process, self._lines), daemon=True).start()

    def send(self, line: str) -> None:
        """Write a line; ChildStopped when nobody reads any more."""
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(line.encode() + b"\n")
            stdin.flush()
        except (OSError, ValueError):
            raise ChildStopped(self._how_it_ended()) from None

    def read(self, deadline: float) -> str:
        """The next line, without its end; ChildStopped when there is none until `deadline` (on `time.monotonic`)."""
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise ChildStopped("no answer in time") from None
        if line is None:
            self._lines.put(None)
            raise ChildStopped(self._how_it_ended())
        return line

    def end(self) -> None:
        """Stop it, whatever it is doing."""
        self._stop()

    def _how_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        code = self._process.poll()
        return "it has stopped" if code is None else f"it has stopped with exit code {code}"


def _read(process: subprocess.Popen[bytes], lines: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):
        while data := process.stdout.readline(LONGEST_LINE):
            lines.put(data.decode("utf-8", "replace").rstrip("\r\n"))
    lines.put(None)


def _end(process: subprocess.Popen[bytes], farewell: str = "") -> None:
    if farewell and process.stdin is not None:
        with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
            process.stdin.write(farewell.encode() + b"\n")
            process.stdin.flush()
            process.wait(FAREWELL)
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()
