"""Keys that are pressed while a command works, without Enter and without waiting for them.

The terminal is given back as it was: at the end, after an error, and when the process is told to end (SIGTERM). Where
there is no terminal to read from, in the background, and on Windows, there are no keys, and nothing is changed.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

try:
    import termios
except ImportError:  # Windows
    termios = None  # type: ignore[assignment]

LOOK_EVERY = 0.2  # seconds


class Keys:
    """Calls `on_key` with each key, in a thread of its own, as long as the context lasts."""

    def __init__(self, on_key: Callable[[str], None]) -> None:
        self._on_key = on_key
        self._saved: list[Any] | None = None
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._terminal = -1
        self._changing = threading.RLock()  # a handler of signals may come while its own thread holds it

    @property
    def are_read(self) -> bool:
        """Whether there is a terminal to read keys from."""
        return self._saved is not None

    def __enter__(self) -> Keys:
        try:
            self._terminal = sys.stdin.fileno()
        except (AttributeError, OSError, ValueError):  # none, closed, or a stand-in
            return self
        if termios is None or not os.isatty(self._terminal) or not self._is_ours():
            return self
        self._saved = termios.tcgetattr(self._terminal)
        self._take()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        self.restore()

    def restore(self) -> None:
        """Give the terminal back as it was. May be called twice, and from a handler of signals."""
        with self._changing:
            self._ended.set()
            if self._saved is not None and self._is_ours():
                termios.tcsetattr(self._terminal, termios.TCSANOW, self._saved)
                self._saved = None

    def _is_ours(self) -> bool:
        """Whether this process is in the foreground: one that is not would be stopped for touching the terminal."""
        try:
            return os.tcgetpgrp(self._terminal) == os.getpgrp()
        except OSError:  # the terminal of another session, or one that has gone
            return False

    def _take(self) -> None:
        """Have keys come one by one and unseen. Ctrl-C and Ctrl-Z still do what they do."""
        modes = termios.tcgetattr(self._terminal)
        modes[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(self._terminal, termios.TCSANOW, modes)

    def _listen(self) -> None:
        while not self._ended.is_set():
            try:
                if not self._is_ours():  # put into the background: it may come back
                    self._ended.wait(LOOK_EVERY)
                    continue
                with self._changing:
                    if not self._ended.is_set() and termios.tcgetattr(self._terminal)[3] & termios.ICANON:
                        self._take()  # the shell has changed it meanwhile
                if not select.select([self._terminal], [], [], LOOK_EVERY)[0]:
                    continue
                typed = os.read(self._terminal, 1024)
            except (OSError, termios.error):  # the terminal has gone
                return
            if not typed:
                return
            for key in typed.decode(errors="ignore"):
                self._on_key(key)
