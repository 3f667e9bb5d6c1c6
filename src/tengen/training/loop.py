"""The loop: play games, keep them, learn from them, keep the network. It emits events and prints nothing.

The algorithm is that of section 4.1 of the Hex project; docs/on-policy.md ties each line to its place. With one thread
and one slot it is that algorithm literally. With more, games are played by threads while the learner goes on, each with
the newest network that it has looked for.
"""

from __future__ import annotations

import itertools
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from tengen.evaluators.encoding import encode
from tengen.evaluators.onnx import OnnxEvaluator
from tengen.games import Position, parse_game
from tengen.networks.network import Network
from tengen.records.record import GameRecord
from tengen.records.replay import ReplayWindow
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory, RunError
from tengen.selfplay.worker import Worker, start_array
from tengen.training.config import RunConfig

SAVE_EVERY = 2.0
"""Seconds between two saves of the learner. What was learned after the last one is learned again from the games."""

REFRESH_EVERY = 0.1
"""Seconds for which a thread plays on with a network before it takes a newer one."""


@dataclass(frozen=True)
class Progress:
    """What has happened when a game has been learned from."""

    record: GameRecord
    games: int
    steps: int
    losses: dict[str, float]
    age: float
    """Mean number of training steps since the replayed cases were played."""
    evaluations: int
    seconds: float
    """In this process."""


@dataclass
class Events:
    """What a front end may listen to."""

    on_game: Callable[[Progress], None] = lambda progress: None
    on_move: Callable[[int, Position], None] | None = None
    stop: Callable[[], bool] = field(default=lambda: False)


class Learner:
    """The network, the replay buffer, and the counters: what learns from one game after the other."""

    def __init__(self, config: RunConfig, run: RunDirectory, store: RecordStore) -> None:
        self.config, self.run, self.store = config, run, store
        self.game = parse_game(config.game)
        self.network = Network(self.game, config.network, config.seed)
        self.window = ReplayWindow(self.game, config.training.window, config.training.value_discount)
        self.games = self.steps = 0
        self._saved = time.monotonic()
        state = run.load_learner()
        if state is not None:
            try:
                self.network.load_state(state)
                self.games, self.steps = int(state["games"]), int(state["steps"])
            except (KeyError, ValueError) as error:
                raise RunError(f"{run.folder / 'learner.npz'} is not of this run: {error}") from None
        self._catch_up()

    def _catch_up(self) -> None:
        """Fill the window from the games kept, and learn from those that were played after the last save."""
        kept = self.store.latest(max(self.config.training.window, len(self.store) - self.games))
        known = len(kept) - (len(self.store) - self.games)
        for record in kept[: max(0, known)]:
            self.window.add(record, start_array(self.game, record.first))
        for record in kept[max(0, known) :]:
            self.learn(record)
        if self.games == 0:
            self._keep_net()

    def learn(self, record: GameRecord) -> tuple[dict[str, float], float]:
        """Add a game to the replay buffer and train on random minibatches; the mean losses and the age of the cases."""
        self.window.add(record, start_array(self.game, record.first))
        losses: dict[str, list[float]] = {}
        ages = []
        for _ in range(self.config.training.steps):
            chooser = np.random.default_rng([self.config.seed, self.steps])  # so that a step can be made again
            batch = self.window.sample(self.config.training.batch, chooser)
            planes = encode(self.game, batch.positions, self.config.network.indicator)
            for name, loss in self.network.train(planes, batch.policy, batch.legal, batch.value).items():
                losses.setdefault(name, []).append(loss)
            ages.append(float(np.mean(self.steps - batch.steps)))
            self.steps += 1
        self.games += 1
        if self.config.training.is_saved_after(self.games):
            self._keep_net()
        if time.monotonic() - self._saved > SAVE_EVERY:
            self.save()
        return {name: float(np.mean(values)) for name, values in losses.items()}, float(np.mean(ages)) if ages else 0.0

    def _keep_net(self) -> None:
        self.run.save_net(self.games, self.network.onnx(games=self.games, steps=self.steps))

    def save(self) -> None:
        """Keep everything that is needed to go on."""
        counters = {"games": np.array(self.games), "steps": np.array(self.steps)}
        self.run.save_learner({**self.network.state(), **counters})
        self._saved = time.monotonic()

    @property
    def sigma(self) -> float:
        """σ for the next game: from 1 in equal steps to `sigma_end` at the last one."""
        done = min(1.0, self.games / self.config.training.games)
        return 1.0 + done * (self.config.training.sigma_end - 1.0)


def train(run: RunDirectory, config: RunConfig, events: Events | None = None) -> Learner:
    """Train until all games are played or `events.stop()` says so. Everything is kept when it returns, or is killed."""
    events = events or Events()
    run.lock()
    store = RecordStore(run.games)
    try:
        learner = Learner(config, run, store)
        done = set(store.numbers())
        numbers = (n for n in itertools.count() if n not in done)
        remaining = max(0, config.training.games - len(done))
        threads = config.selfplay.threads or os.cpu_count() or 1
        source = _in_turn if threads == 1 else _in_threads
        began, evaluations = time.monotonic(), [0]
        for record in source(learner, config, itertools.islice(numbers, remaining), threads, events, evaluations):
            store.add(record)
            losses, age = learner.learn(record)
            seconds = time.monotonic() - began
            store.add_metrics(learner.games, {**losses, "age": age, "length": len(record.moves), "seconds": seconds})
            events.on_game(Progress(record, learner.games, learner.steps, losses, age, evaluations[0], seconds))
            if events.stop():
                break
        learner.save()
        return learner
    finally:
        store.close()
        run.unlock()


Source = Iterator[GameRecord]


def _worker(
    learner: Learner, config: RunConfig, seed: int, numbers: Callable[[], int | None], network: bytes, steps: int
) -> Worker:
    evaluator = OnnxEvaluator(network, learner.game)
    return Worker(learner.game, config.search, config.selfplay, seed, numbers, evaluator, steps)


def _in_turn(
    learner: Learner, config: RunConfig, numbers: Iterator[int], threads: int, events: Events, evaluations: list[int]
) -> Source:
    """Play, then learn, then play on: the same games for the same seed."""
    worker = _worker(learner, config, config.seed, lambda: next(numbers, None), learner.network.onnx(), learner.steps)
    while not worker.is_done:
        if config.search.evaluation == "sigma":
            worker.set_sigma(learner.sigma)
        for record in worker.play(events.on_move):
            evaluations[0] = worker.evaluations
            yield record
        worker.evaluator, worker.network = OnnxEvaluator(learner.network.onnx(), learner.game), learner.steps


def _in_threads(
    learner: Learner, config: RunConfig, numbers: Iterator[int], threads: int, events: Events, evaluations: list[int]
) -> Source:
    """Threads play while the learner learns. The newest network is published; each thread takes it when it next looks."""
    lock, finished = threading.Lock(), queue.Queue[GameRecord | BaseException | None]()
    published = [(learner.steps, learner.network.onnx())]
    counts, stopping = [0] * threads, threading.Event()

    def next_number() -> int | None:
        with lock:
            return None if stopping.is_set() else next(numbers, None)

    def play(index: int) -> None:
        try:
            steps, network = published[0]
            worker = _worker(learner, config, config.seed, next_number, network, steps)
            looked = time.monotonic()
            while not worker.is_done and not stopping.is_set():
                if config.search.evaluation == "sigma":
                    worker.set_sigma(learner.sigma)
                for record in worker.play(events.on_move):
                    finished.put(record)
                counts[index] = worker.evaluations
                if published[0][0] != worker.network and time.monotonic() - looked > REFRESH_EVERY:
                    steps, network = published[0]
                    worker.evaluator, worker.network = OnnxEvaluator(network, learner.game), steps
                    looked = time.monotonic()
        except BaseException as error:  # told to the learner, which ends the run
            finished.put(error)
        finally:
            finished.put(None)

    players = [threading.Thread(target=play, args=(i,), daemon=True) for i in range(threads)]
    for player in players:
        player.start()
    playing, last = threads, time.monotonic()
    try:
        while playing:
            item = finished.get()
            if item is None:
                playing -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                evaluations[0] = sum(counts)
                yield item
                if time.monotonic() - last > REFRESH_EVERY / 2:
                    published[0] = (learner.steps, learner.network.onnx())
                    last = time.monotonic()
    finally:
        stopping.set()
        for player in players:
            player.join()
