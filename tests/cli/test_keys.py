"""Keys pressed while a run goes on, in a terminal of its own: they do what they say, and the terminal comes back."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("termios", reason="keys are read where there are terminals of this kind")

import termios

from tengen.cli.keys import Keys

# The child makes the terminal its own, as a shell would have done, and becomes the program.
BEGIN = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGINT, signal.SIG_DFL)  # tests that run in the background ignore it
terminal = os.open(sys.argv[1], os.O_RDWR)
fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
for i in range(3):
    os.dup2(terminal, i)
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""

# A run without a network: it reports the same game for ever.
ENDLESS = """
import sys, time
from types import SimpleNamespace as Made
from tengen.cli.liveview import LiveView
from tengen.training.config import RunConfig
game = Made(number=1, first=0, moves=(0, 1, 3, 4, 6), winner=0, returns=(1.0, -1.0))
stopped = []
with LiveView(RunConfig(game="hex:3", search=MCTS), "endless", False, lambda: stopped.append(1)) as view:
    for n in range(1, 2000):
        view.on_game(Made(record=game, games=n, steps=n, losses={"policy_loss": 1.0}, age=0.0, search_entropy=2.0,
            network_entropy=3.0, results=(n, 0, 0), evaluations=n, seconds=n / 100))
        if FAIL and n > 50:
            raise RuntimeError("as planned")
        if stopped:
            break
        time.sleep(0.02)
"""
NETWORK = "__import__('tengen.search').search.SearchSettings(rollouts='network', rollout_epsilon=0.1)"


class Terminal:
    """A process in a terminal, and what it has written there."""

    def __init__(self, *arguments: str) -> None:
        self.master, self.slave = os.openpty()
        termios.tcsetwinsize(self.slave, (50, 120))
        self.before = termios.tcgetattr(self.slave)
        self.written = b""
        self.process = subprocess.Popen(
            [sys.executable, "-c", BEGIN, os.ttyname(self.slave), *arguments],
            start_new_session=True,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def read(self, seconds: float) -> None:
        if select.select([self.master], [], [], seconds)[0]:
            self.written += os.read(self.master, 65536)

    def expect(self, text: str, seconds: float = 120) -> None:
        """Wait until the process has written this, from here on."""
        seen, deadline = len(self.written), time.monotonic() + seconds
        while text.encode() not in self.written[seen:]:
            assert time.monotonic() < deadline, f"no {text!r} in {self.written[-3000:].decode()}"
            self.read(0.2)

    def end(self, seconds: float = 60) -> int:
        """The exit code, when all has been read."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.1)
        self.read(0.2)
        return self.process.wait(0)

    @property
    def reads_key_by_key(self) -> bool:
        return not termios.tcgetattr(self.slave)[3] & (termios.ICANON | termios.ECHO)

    def assert_is_as_before(self) -> None:
        assert termios.tcgetattr(self.slave) == self.before
        assert self.written.rfind(b"\x1b[?25h") > self.written.rfind(b"\x1b[?25l"), "the cursor is hidden"


def endless(fail: bool = False) -> Terminal:
    return Terminal("-c", ENDLESS.replace("MCTS", NETWORK).replace("FAIL", str(fail)))


def test_a_run_is_shown_hidden_and_stopped_by_keys(tmp_path, monkeypatch):
    pytest.importorskip("keras", reason="networks are trained with the extra [train]")
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path))
    options = "train on-policy --game hex:3 --games 100000 --nets 3 --search-games 200 --layers 8 --threads 1 --slots 1"
    with Terminal("-m", "tengen", *options.split()) as terminal:
        for figure in ("games/min", "time left", "evaluations/s", "policy loss", "entropy of the search"):
            terminal.expect(figure)
        terminal.expect("s: show them")
        terminal.expect("won by black")
        assert terminal.reads_key_by_key
        assert "wins after" not in terminal.written.decode()
        terminal.press("s")
        terminal.expect("wins after")
        terminal.expect("╲")
        terminal.expect("s: hide them")
        terminal.press("s")
        terminal.expect("s: show them")
        time.sleep(0.5)  # a board may have been on its way
        terminal.read(0.1)
        shown = terminal.written.count(b"wins after")
        for _ in range(10):
            terminal.read(0.2)
        assert terminal.written.count(b"wins after") == shown
        terminal.press("q")
        assert terminal.end() == 130
        assert "nothing is lost: tengen resume on-policy" in terminal.written.decode()
        terminal.assert_is_as_before()


def test_the_view_counts_wins_by_the_names_of_the_players():
    with endless() as terminal:
        terminal.expect("won by red")
        terminal.press("xyz\x1b[As")  # other keys, and arrows, do nothing
        terminal.expect("boards of games are shown")
        terminal.press("q")
        assert terminal.end() == 0
        terminal.assert_is_as_before()
        text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.written.decode())
        assert re.search(r"won by red\s+(\d+), (\d+) of the last \2\b", text)
        assert "entropy of the network  3.0 moves" in text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_terminal_comes_back_after_a_signal(number):
    with endless() as terminal:
        terminal.expect("q or Ctrl-C")
        assert terminal.reads_key_by_key
        terminal.process.send_signal(number)
        assert terminal.end() == -number
        terminal.assert_is_as_before()


def test_the_terminal_comes_back_after_an_error():
    with endless(fail=True) as terminal:
        terminal.expect("as planned")
        assert terminal.end() == 1
        terminal.assert_is_as_before()


def test_without_a_terminal_there_are_no_keys(monkeypatch):
    reading, writing = os.pipe()
    with os.fdopen(reading) as pipe, os.fdopen(writing, "w"):
        for stdin in (pipe, None):
            monkeypatch.setattr("sys.stdin", stdin)
            with Keys(lambda key: pytest.fail(key)) as keys:
                assert not keys.are_read


def test_a_process_in_the_background_leaves_the_terminal_alone(monkeypatch):
    """It would be stopped if it did not."""
    master, slave = os.openpty()  # the terminal of nobody
    before = termios.tcgetattr(slave)
    with os.fdopen(slave) as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        with Keys(lambda key: pytest.fail(key)) as keys:
            assert not keys.are_read
            assert termios.tcgetattr(slave) == before
    os.close(master)
