"""Where a run's games come from: players in this thread, or in threads of their own. `cluster/` has a third.

A source gives the games one by one, each once, and hands the learner's newest network to its players.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Protocol

from tengen.evaluators.onnx import OnnxEvaluator
from tengen.games import Game
from tengen.records.record import GameRecord
from tengen.selfplay.worker import OnMove, Worker
from tengen.training.config import RunConfig

WAITING_GAMES = 64
"""Finished games that may wait for the learner before the players do."""

REFRESH_EVERY = 0.1
"""Seconds at least for which a player goes on with a network before it takes a newer one."""

REFRESH_STEPS = 8
"""The same for play and learning in turn, where minibatches go by cases: after so many, whatever a clock says."""

REFRESH_SHARE = 0.03
"""The share of a player's time that may go into newer networks: writing one in eight bits, or making it ready to play, takes as
long as a hundred games of 5×5 Hex."""


class Teacher(Protocol):
    """What players need to know of a learner."""

    game: Game
    steps: int

    @property
    def sigma(self) -> float:
        """The probability of a rollout, in the next game."""

    def onnx_for_selfplay(self) -> bytes:
        """The network as self-play runs it."""


@dataclass
class Order:
    """Games to be played."""

    teacher: Teacher
    config: RunConfig
    numbers: Iterator[int]
    """Those of the games that are wanted."""
    players: int
    """How many threads, or workers elsewhere; 0: as many as there is room for."""
    on_move: OnMove | None = None
    evaluations: int = 0
    """Positions that networks have been asked about so far."""


Source = Callable[[Order], Generator[GameRecord, None, None]]


class Refresh:
    """When a player may see to a newer network again: the longer that has taken, the later."""

    def __init__(self, least: float) -> None:
        self._least, self._due = least, time.monotonic() + least

    def is_due(self) -> bool:
        return time.monotonic() > self._due

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        begun = time.thread_time()  # of the processor, so that a busy machine does not count
        yield
        self._due = time.monotonic() + max(self._least, (time.thread_time() - begun) / REFRESH_SHARE)


class Published:
    """The network that players take when they next look."""

    def __init__(self, teacher: Teacher) -> None:
        self.teacher, self._refresh = teacher, Refresh(REFRESH_EVERY / 2)
        self.newest = (teacher.steps, teacher.onnx_for_selfplay())
        """Steps and network together: replaced in one step, since threads read it."""

    def look(self) -> None:
        """Publish the learner's network, where it is a newer one and the last is not too recent."""
        if self.newest[0] != self.teacher.steps and self._refresh.is_due():
            with self._refresh.at_work():
                self.newest = (self.teacher.steps, self.teacher.onnx_for_selfplay())


def _worker(order: Order, numbers: Callable[[], int | None], network: bytes, steps: int) -> Worker:
    config, game = order.config, order.teacher.game
    return Worker(game, config.search, config.selfplay, config.seed, numbers, OnnxEvaluator(network, game), steps)


def in_turn(order: Order) -> Generator[GameRecord, None, None]:
    """Play, then learn, then play on: the same games for the same seed."""
    teacher = order.teacher
    worker = _worker(order, lambda: next(order.numbers, None), teacher.onnx_for_selfplay(), teacher.steps)
    refresh = REFRESH_STEPS if order.config.training.uses else 1
    while not worker.is_done:
        if order.config.search.evaluation == "sigma":
            worker.set_sigma(teacher.sigma)
        for record in worker.play(order.on_move):
            order.evaluations = worker.evaluations
            yield record
        if teacher.steps - worker.network >= refresh:
            worker.evaluator = OnnxEvaluator(teacher.onnx_for_selfplay(), teacher.game)
            worker.network = teacher.steps


class Shelf:
    """Finished games on their way from players to the learner, who is waited for where it is behind."""

    def __init__(self, capacity: int = WAITING_GAMES) -> None:
        self.stopping = threading.Event()
        self._queue = queue.Queue[GameRecord | BaseException | None](capacity)

    def put(self, item: GameRecord | BaseException | None) -> None:
        """A game; or what has gone wrong; or None: this player is done. Not kept for a learner that has stopped listening."""
        while not self.stopping.is_set():
            with contextlib.suppress(queue.Full):
                self._queue.put(item, timeout=0.1)
                return

    def games(self, players: int) -> Iterator[GameRecord]:
        """Until so many players are done."""
        while players:
            item = self._queue.get()
            if item is None:
                players -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                yield item


def in_threads(order: Order) -> Generator[GameRecord, None, None]:
    """Threads play while the learner learns. The newest network is published; each thread takes it when it next looks."""
    lock, shelf, published = threading.Lock(), Shelf(), Published(order.teacher)
    counts = [0] * order.players

    def next_number() -> int | None:
        with lock:
            return None if shelf.stopping.is_set() else next(order.numbers, None)

    def play(index: int) -> None:
        try:
            steps, network = published.newest
            worker = _worker(order, next_number, network, steps)
            refresh = Refresh(REFRESH_EVERY)
            while not worker.is_done and not shelf.stopping.is_set():
                if order.config.search.evaluation == "sigma":
                    worker.set_sigma(order.teacher.sigma)
                records = worker.play(order.on_move)
                counts[index] = worker.evaluations
                for record in records:
                    shelf.put(record)
                if published.newest[0] != worker.network and refresh.is_due():
                    with refresh.at_work():
                        steps, network = published.newest
                        worker.evaluator, worker.network = OnnxEvaluator(network, order.teacher.game), steps
        except BaseException as error:  # told to the learner, which ends the run
            shelf.put(error)
        finally:
            shelf.put(None)

    players = [threading.Thread(target=play, args=(i,), daemon=True) for i in range(order.players)]
    for player in players:
        player.start()
    try:
        for record in shelf.games(order.players):
            order.evaluations = sum(counts)
            yield record
            published.look()
    finally:
        shelf.stopping.set()
        for player in players:
            player.join()
