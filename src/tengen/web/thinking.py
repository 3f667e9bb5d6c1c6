"""Threads for what takes long, as many as may think at once, and a clock for what comes later.

A search leaves Python's lock while it works, so threads share the processors fairly: a slow agent in one tab delays the
others by its share and no more. Beyond `PLACES` jobs wait in line.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from tengen import compiling

PLACES = 16
"""Jobs that run at once."""

T = TypeVar("T")
Job = Callable[[], None]
log = logging.getLogger("tengen.web")


class Thinkers:
    """Runs jobs in the background."""

    def __init__(self, places: int = PLACES) -> None:
        self.compiling: str | None = None
        """The game that is being compiled at the moment."""
        self.is_closed = False
        self.on_compiling: list[Job] = []
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._later: list[tuple[float, int, Job]] = []
        self._numbers = itertools.count()
        self._clock = threading.Condition()
        self._forget = compiling.on_compile(self._note)
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(places)]
        self._threads.append(threading.Thread(target=self._watch_the_clock, daemon=True))
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job) -> None:
        """Run a job when a place is free, in the order of submission."""
        self._jobs.put(job)

    def ask(self, function: Callable[[], T]) -> Future[T]:
        """Run a function when a place is free, and have its result."""
        answer: Future[T] = Future()

        def job() -> None:
            try:
                answer.set_result(function())
            except Exception as error:
                answer.set_exception(error)

        self.submit(job)
        return answer

    def later(self, seconds: float, job: Job) -> None:
        """Run a short job after some time, by the clock's own thread."""
        with self._clock:
            heapq.heappush(self._later, (time.monotonic() + seconds, next(self._numbers), job))
            self._clock.notify()

    def close(self, patience: float = 2.0) -> None:
        """Take no more jobs, and wait a little for those that run: they see `is_closed`."""
        if self.is_closed:
            return
        self.is_closed = True
        self._forget()
        for _ in self._threads:
            self._jobs.put(None)
        with self._clock:
            self._clock.notify()
        end = time.monotonic() + patience
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _note(self, game: str | None) -> None:
        self.compiling = game
        for listener in list(self.on_compiling):
            listener()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None and not self.is_closed:
            _run(job)

    def _watch_the_clock(self) -> None:
        while not self.is_closed:
            with self._clock:
                wait = self._later[0][0] - time.monotonic() if self._later else None
                if wait is None or wait > 0:
                    self._clock.wait(wait)
                    continue
                job = heapq.heappop(self._later)[2]
            _run(job)


def _run(job: Job) -> None:
    try:
        job()
    except Exception:  # a job that fails must not take its thread with it
        log.exception("a job has failed")
