"""The loop: play games, keep them, learn from them, keep the network. It emits events and prints nothing.

The algorithm is that of section 4.1 of the Hex project; docs/on-policy.md ties each line to its place. With one thread
and one slot it is that algorithm literally. With more, games are played by threads while the learner goes on, each with
the newest network that it has looked for.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray

from tengen.evaluators.encoding import encode
from tengen.games import Game, Position, parse_game
from tengen.games.types import IntArray, Planes
from tengen.games.verbs import CHANCE
from tengen.networks.network import Network
from tengen.networks.starting import start_from
from tengen.records.record import GameRecord
from tengen.records.replay import Batch, ReplayWindow
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory, RunError
from tengen.selfplay.resigning import Resignations
from tengen.selfplay.worker import OnMove, start_array
from tengen.training.config import RunConfig
from tengen.training.sources import Order, Source, in_threads, in_turn
from tengen.training.without_search import LEARNERS, BaselineLearner

SAVE_EVERY = 2.0
"""Seconds between two saves of the learner. What was learned after the last one is learned again from the games."""

STARTING_POSITIONS = 128
"""Positions in which a network that starts from another sees how large its numbers are."""

CALIBRATION = 64
"""Positions in which an eight-bit network's ranges are seen."""


@dataclass(frozen=True)
class Progress:
    """What has happened when a game has been learned from."""

    record: GameRecord
    games: int
    steps: int
    losses: dict[str, float]
    age: float
    """Mean number of training steps since the replayed cases were played."""
    search_entropy: float
    network_entropy: float
    """How undecided the visits of the search are in the replayed cases, and the network about them, each as a number of
    moves: e to the power of the mean entropy. 1 is a player who is sure, k one who finds k moves equally good."""
    results: tuple[int, int, int]
    """Games of the run that player 0 has won, that player 1 has won, and that were drawn."""
    resignations: Resignations
    evaluations: int
    seconds: float
    """Of the whole run, like all that is counted here: what was before a resumption counts too."""

    def figures(self) -> dict[str, float]:
        """What is kept of it beside the game; what only a step of training tells, where there was one."""
        first, second, drawn = self.results
        taught = {"age": self.age, "search_entropy": self.search_entropy, "network_entropy": self.network_entropy}
        given_up = {name: value for name, value in asdict(self.resignations).items() if value}
        return {
            **self.losses, **(taught if self.losses else {}), **given_up, "length": len(self.record.moves), "won_first": first,
            "won_second": second, "drawn": drawn, "evaluations": self.evaluations, "seconds": self.seconds,
        }  # fmt: skip


@dataclass
class Events:
    """What a front end may listen to."""

    on_game: Callable[[Progress], None] = lambda progress: None
    on_move: OnMove | None = None
    stop: Callable[[], bool] = field(default=lambda: False)


@dataclass(frozen=True)
class Lesson:
    """What a game's minibatches said: see `Progress`. All zero, and no losses, where there were none."""

    losses: dict[str, float] = field(default_factory=dict)
    age: float = 0.0
    search_entropy: float = 0.0
    network_entropy: float = 0.0


class Learner:
    """The network, the replay buffer, and the counters: what learns from one game after the other."""

    def __init__(self, config: RunConfig, run: RunDirectory, store: RecordStore) -> None:
        self.config, self.run, self.store = config, run, store
        self.game = parse_game(config.game)
        config.check_fit(self.game)
        training = config.training
        self.network = Network(self.game, config.network, config.seed, training.entropy_bonus, training.value_weight)
        self.window = ReplayWindow(
            self.game,
            training.window,
            training.value_discount,
            training.symmetries,
            training.value_steps,
            config.search.afterstates,
            config.search.living_reward,
        )
        self.games = self.steps = 0
        self.owed = 0.0
        """With `uses`: minibatches, and a part of one, that the cases seen so far still have to come."""
        self._saved = time.monotonic()
        state = run.load_learner()
        if state is not None:
            try:
                self.network.load_state(state)
                self.games, self.steps = int(state["games"]), int(state["steps"])
                self.owed = float(state.get("owed", np.zeros(())))
            except (KeyError, ValueError) as error:
                raise RunError(f"{run.folder / 'learner.npz'} is not of this run: {error}") from None
        elif training.start:
            self._start(run.read_start())
        self._catch_up()

    def _start(self, file: bytes) -> None:
        """Begin with what another network knows."""
        chooser = np.random.default_rng(self.config.seed)
        seen = [_after_random_moves(self.game, chooser) for _ in range(STARTING_POSITIONS)]
        start_from(self.network, file, encode(self.game, np.stack(seen), self.config.network.indicator))

    def _catch_up(self) -> None:
        """Fill the window from the games kept, and learn from those that were played after the last save."""
        learned = self.games
        skipped = max(0, min(learned, len(self.store) - self.config.training.window))
        for number, record in enumerate(self.store.all_after(skipped), skipped):  # one by one: they fill the memory
            if number < learned:
                self._add(record)
            else:
                self.learn(record)
        if self.games == 0:
            self.keep_net()

    def learn(self, record: GameRecord) -> Lesson:
        """Add a game to the replay buffer and train on random minibatches; the means of what they said."""
        cases = self._add(record)
        said: dict[str, list[float]] = {}
        self.games += 1
        for _ in range(self._minibatches(cases) if len(self.window) else 0):
            for name, figure in self._step().items():
                said.setdefault(name, []).append(figure)
        if self.config.training.is_saved_after(self.games):
            self.keep_net()
        elif self.config.is_rated(self.game) and self.config.is_rated_after(self.games):
            self.run.save_net(self.games, self._file(), "rated")
        if time.monotonic() - self._saved > SAVE_EVERY:
            self.save()
        if not said:
            return Lesson()
        means = {name: float(np.mean(figures)) for name, figures in said.items()}
        age, search, network = means.pop("age"), means.pop("target_entropy"), means.pop("entropy")
        return Lesson(means, age, math.exp(search), math.exp(network))

    def _minibatches(self, cases: int) -> int:
        """How many minibatches a game with so many cases is followed by."""
        training = self.config.training
        if training.uses == 0:
            return training.steps if self.games % training.every == 0 else 0
        self.owed += cases * training.uses / training.batch
        now = int(self.owed)
        self.owed -= now
        return now

    def _add(self, record: GameRecord) -> int:
        try:
            return self.window.add(record, start_array(self.game, record.first))
        except ValueError as error:
            raise RunError(f"{self.run.games} does not fit the rules of {self.config.game}: {error}") from None

    def _step(self) -> dict[str, float]:
        """Train on a random minibatch."""
        training = self.config.training
        chooser = np.random.default_rng([self.config.seed, self.steps])  # so that a step can be made again
        batch = self.window.sample(training.batch, chooser)
        planes = encode(self.game, batch.positions, self.config.network.indicator)
        if training.learning_rate_end < 1:
            fallen = (1 + math.cos(math.pi * min(1.0, self.games / training.games))) / 2
            share = training.learning_rate_end + (1 - training.learning_rate_end) * fallen
            self.network.set_learning_rate(self.config.network.learning_rate * share)
        policy = batch.policy if training.target == "visits" else self._policy_gradient(planes, batch)
        figures = self.network.train(planes, policy, batch.legal, batch.value)
        figures |= {"age": float(np.mean(self.steps - batch.steps)), "target_entropy": _mean_entropy(batch.policy)}
        self.steps += 1
        return figures

    def _policy_gradient(self, planes: Planes, batch: Batch) -> NDArray[np.float32]:
        """(z − v(s)) for the move played, so that cross-entropy becomes −log π(a|s)·(z − v(s)); v is a constant in it."""
        _, values = self.network.predict(planes)
        advantage = batch.value - values
        if self.config.training.normalise_advantage:
            advantage = (advantage - advantage.mean()) / max(float(advantage.std()), 1e-6)
        target = np.zeros_like(batch.policy)
        target[np.arange(len(target)), batch.played] = advantage
        return target

    def onnx_for_selfplay(self) -> bytes:
        """The network as self-play runs it."""
        planes = None
        if self.config.selfplay.int8 and len(self.window):
            seen = self.window.sample(CALIBRATION, np.random.default_rng(self.steps))
            planes = encode(self.game, seen.positions, self.config.network.indicator)
        return self._file(planes)

    def _file(self, calibration: Planes | None = None) -> bytes:
        taught = self.config.search.what_values_mean
        about = {"games": self.games, "steps": self.steps, **({"search": taught} if taught else {})}
        return self.network.onnx(calibration, **about)

    def keep_net(self) -> None:
        """Keep the network as it is."""
        self.run.save_net(self.games, self._file())
        if self.config.selfplay.int8 and len(self.window):
            self.run.save_net(self.games, self.onnx_for_selfplay(), "int8")

    def save(self) -> None:
        """Keep everything that is needed to go on."""
        counters = {"games": np.array(self.games), "steps": np.array(self.steps), "owed": np.array(self.owed)}
        self.run.save_learner({**self.network.state(), **counters})
        self._saved = time.monotonic()

    @property
    def sigma(self) -> float:
        """σ for the next game: from 1 in equal steps to `sigma_end` at the last one."""
        done = min(1.0, self.games / self.config.training.games)
        return 1.0 + done * (self.config.training.sigma_end - 1.0)


def _after_random_moves(game: Game, chooser: np.random.Generator) -> IntArray:
    """A position of a game played at random in which a player moves, at some time before the end."""
    position, wanted = Position(game), int(chooser.integers(0, game.move_count()))
    last = position.array.copy()
    while not position.is_over and (len(position.moves) <= wanted or position.to_move == CHANCE):
        if position.to_move != CHANCE:
            last = position.array.copy()
        position.push(int(chooser.choice(position.legal_moves)))
    return last


def _mean_entropy(distributions: NDArray[np.float32]) -> float:
    """In nats, of distributions [n, outputs]; rows of zeros, where nobody chooses, are none."""
    distributions = distributions[distributions.any(axis=1)]
    if not len(distributions):
        return 0.0
    return float(-(distributions * np.log(np.maximum(distributions, 1e-30))).sum(axis=1).mean())


def train(
    run: RunDirectory, config: RunConfig, events: Events | None = None, source: Source | None = None
) -> Learner | BaselineLearner:
    """Train until all games are played or `events.stop()` says so. Everything is kept when it returns, or is killed.

    The games are played by `source`; else in this thread or in threads of their own, by the settings. Without search there is no
    source: games are played by who learns.
    """
    events = events or Events()
    if config.method != "search":
        return _train_without_search(run, config, events)
    run.lock()
    store = RecordStore(run.games)
    try:
        learner = Learner(config, run, store)
        done = set(store.numbers())
        numbers = (n for n in itertools.count() if n not in done)
        remaining = max(0, config.training.games - len(done))
        threads = config.selfplay.threads
        if source is None:
            threads = threads or os.cpu_count() or 1
            source = in_turn if threads == 1 else in_threads
        order = Order(learner, config, itertools.islice(numbers, remaining), threads, events.on_move)
        before, results = store.last_metrics(), list(store.results())
        resignations = Resignations(*(int(before.get(name, 0)) for name in ("given_up", "checked", "wrong")))
        began = time.monotonic() - before.get("seconds", 0.0)
        with contextlib.closing(source(order)) as games:
            for record in games:
                store.add(record)
                lesson = learner.learn(record)
                results[2 if record.winner is None else record.winner] += 1
                if config.selfplay.resign:
                    resignations = resignations.after(learner.game, record, config.selfplay.resign)
                progress = Progress(
                    record, learner.games, learner.steps, lesson.losses, lesson.age, lesson.search_entropy,
                    lesson.network_entropy, (results[0], results[1], results[2]), resignations,
                    int(before.get("evaluations", 0)) + order.evaluations, time.monotonic() - began,
                )  # fmt: skip
                store.add_metrics(learner.games, progress.figures())
                events.on_game(progress)
                if events.stop():
                    break
        learner.save()
        return learner
    finally:
        store.close()
        run.unlock()


def _train_without_search(run: RunDirectory, config: RunConfig, events: Events) -> BaselineLearner:
    run.lock()
    store = RecordStore(run.games)
    try:
        learner = LEARNERS[config.method](config, run, store)
        before = store.last_metrics()
        began = last = time.monotonic()
        while learner.games < config.training.games and not events.stop():
            ended, losses = learner.advance()
            for game in ended:
                if learner.games == config.training.games:
                    break
                record = learner.record(game, time.monotonic() - last)
                last = time.monotonic()
                store.add(record)
                learner.games += 1
                progress = Progress(
                    record, learner.games, learner.steps, losses, 0.0, 0.0, 0.0, (0, 0, learner.games), Resignations(),
                    learner.moves, before.get("seconds", 0.0) + time.monotonic() - began,
                )  # fmt: skip
                store.add_metrics(learner.games, progress.figures())
                if config.training.is_saved_after(learner.games):
                    learner.keep_net()
                events.on_game(progress)
            learner.save(always=False)
        learner.save()
        return learner
    finally:
        store.close()
        run.unlock()
