"""The worker of self-play that a thread runs here, on a machine elsewhere. Ray makes an actor of it; it knows Ray only to fetch
a network.

It is asked to play for a moment, again and again, and answers with the games that have ended meanwhile. So nothing is sent
that nobody waits for, a newer network comes with the next question, and a driver that has gone is noticed by Ray.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tengen
from tengen.cluster.parcels import Parcel, note, read_note
from tengen.compiling import cache_root
from tengen.evaluators.format import rules_hash
from tengen.evaluators.onnx import OnnxEvaluator
from tengen.games import Game, parse_game
from tengen.games.types import IntArray
from tengen.records.record import GameRecord
from tengen.selfplay.worker import SelfPlaySettings, Worker
from tengen.training.config import config_from
from tengen.training.sources import REFRESH_EVERY, Refresh

Fetch = Callable[[Any], bytes]


def who_am_i(game: Game) -> bytes:
    """Says who plays here, so that nobody plays by other rules."""
    return note(version=tengen.__version__, rules=rules_hash(game), process=os.getpid(), machine=socket.gethostname())


class Player:
    """Plays games of a run."""

    def __init__(self, order: bytes, fetch: Fetch | None = None) -> None:
        """`order`: the run's settings. Nothing that could fail happens here: Ray tells of failures in a constructor with many
        words."""
        self._order, self._fetch = order, fetch or fetch_by_ray
        self._worker: Worker | None = None
        self._stock: deque[int] = deque()
        self._refresh = Refresh(REFRESH_EVERY)
        self._live: tuple[int, int, tuple[int, ...], bool] | None = None

    def hello(self) -> bytes:
        """Get ready: what has to be compiled is compiled once on each machine."""
        said = read_note(self._order)
        self._config = config_from(said["config"], "the run's settings")
        self._game = parse_game(self._config.game)
        with one_at_a_time():
            quick = dataclasses.replace(self._config.search, simulations=2)
            first = iter([0])
            settings = SelfPlaySettings(slots=1)
            Worker(self._game, quick, settings, 0, lambda: next(first, None), _anything).play()
        return who_am_i(self._game)

    def play(self, question: bytes, network: Sequence[Any]) -> bytes:
        """Go on for so many seconds, with more numbers and the network [one, to be fetched]; a parcel."""
        said = read_note(question)
        self._stock.extend(said["numbers"])
        steps = int(said["steps"])
        if self._worker is None or (steps != self._worker.network and self._refresh.is_due()):
            with self._refresh.at_work():
                evaluator = OnnxEvaluator(self._fetch(network[0]), self._game)
                if self._worker is None:
                    self._worker = self._new_worker(evaluator)
                self._worker.evaluator, self._worker.network = evaluator, steps
        worker = self._worker
        if said["sigma"] is not None:
            worker.set_sigma(said["sigma"])
        worker.wake()
        records: list[GameRecord] = []
        end = time.monotonic() + said["seconds"]
        while not worker.is_done and time.monotonic() < end:
            records += worker.step(self._look_on)
            if records and not self._stock and 4 * worker.idle > self._config.selfplay.slots and said["more"]:
                break  # too few games for a full batch, and there are others to be had
        if self._live is not None and any(record.number == self._live[0] for record in records):
            self._live = None  # it has ended, if only because a player gave it up
        return Parcel(
            tuple(records), worker.evaluations, len(self._stock), worker.idle, worker.network, self._live
        ).pack()

    def _new_worker(self, evaluator: OnnxEvaluator) -> Worker:
        config = self._config

        def next_number() -> int | None:
            return self._stock.popleft() if self._stock else None

        return Worker(self._game, config.search, config.selfplay, config.seed, next_number, evaluator)

    def _look_on(self, number: int, first: int, moves: list[int], is_over: bool) -> None:
        """Keep one game in mind until it is over."""
        if self._live is None or self._live[3] or self._live[0] == number:
            self._live = (number, first, tuple(moves), is_over)


def fetch_by_ray(reference: Any) -> bytes:
    """What lies in the object store."""
    import ray

    return ray.get(reference)  # type: ignore[no-any-return]


def _anything(game: Game, positions: IntArray) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The answers of somebody who has no opinion."""
    shape = len(positions), game.move_views().shape[1]
    return np.full(shape, 1 / shape[1], np.float32), np.zeros(len(positions), np.float32)


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """One process of this machine after the other: those that come later find what the first has compiled."""
    try:
        import fcntl

        cache_root().mkdir(parents=True, exist_ok=True)
        lock = (cache_root() / "compiling.lock").open("a")
    except (ImportError, OSError):  # Windows, or a cache that cannot be written: they all compile
        yield
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
