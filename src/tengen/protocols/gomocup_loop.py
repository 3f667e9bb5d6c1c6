"""An engine for Gomocup on a pair of pipes: one thread thinks and answers, another listens, so that END is heard at any time."""

from __future__ import annotations

import atexit
import os
import queue
import threading
import time
from collections.abc import Callable

from tengen.protocols.gomocup import Engine
from tengen.protocols.lines import lines_of

PATIENCE = 0.6
"""Seconds after END in which a thought may end by itself. A manager waits one second."""


def serve(engine: Engine, read: Callable[[int], bytes], write: Callable[[str, str], None]) -> None:
    """Answer what `read(n)` gives until END or the end of the input; `write` is given each line with its answer."""
    listener = _Listener(engine, read)
    threading.Thread(target=listener.listen, daemon=True).start()
    free_at = 0.0  # a command that came before the last answer is counted from there
    try:
        while (heard := listener.heard.get()) is not None:
            line, came_at = heard
            answer = engine.answer(line, max(came_at, free_at))
            if engine.is_over:  # nothing is said after END
                break
            write(line, answer)
            if answer:
                free_at = time.monotonic()
            listener.heard.task_done()
    finally:
        listener.is_done.set()


class _Listener:
    def __init__(self, engine: Engine, read: Callable[[int], bytes]) -> None:
        self._engine, self._read = engine, read
        self.heard: queue.Queue[tuple[str, float] | None] = queue.Queue()
        self.is_done = threading.Event()

    def listen(self) -> None:
        """Pass lines on; what concerns a thought under way is told to the engine at once."""
        readings: list[int] = []  # of each line, with which reading it came
        for line, reading in lines_of(self._read):
            words = line.upper().split()
            waiting = self.heard.unfinished_tasks
            if words[:1] == ["END"] and not (waiting and readings[-waiting] == reading):
                self._engine.end()
                self.heard.put(None)
                self._leave()
                return
            # END that came together with unanswered commands breaks nothing off: that is a script, not a manager in a hurry
            if words == ["INFO", "TIMEOUT_TURN", "0"] and waiting:
                self._engine.hurry()  # how Piskvork asks for the move at once
            self.heard.put((line, time.monotonic()))
            readings.append(reading)
        self.heard.put(None)

    def _leave(self) -> None:
        """End the process if the thought does not: it may be in an agent that cannot be stopped, or in a compiler."""
        if not self.is_done.wait(PATIENCE):
            leave()


def leave() -> None:
    """End the process now. Python takes half a second to tidy up after a compiler, and a manager waits for one."""
    atexit._run_exitfuncs()  # children are ended there
    os._exit(0)
