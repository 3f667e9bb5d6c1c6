"""DQN and advantage actor-critic: what learning without search looks like, as something to compare with.

Both see what the search's network sees, have the same kind of network, and leave the same run directory. They play many games at
once, a move of each at a time. A kill loses the games in progress and, of DQN, what it remembers: it plays for a while before it
goes on learning.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.evaluators.encoding import encode
from tengen.games import parse_game
from tengen.games.types import FloatArray, IntArray
from tengen.networks.network import Network
from tengen.records.record import GameRecord
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory, RunError
from tengen.training.config import RunConfig
from tengen.training.environments import Ended, Environments
from tengen.training.transitions import TransitionRing

SAVE_EVERY = 10.0
"""Seconds between two saves of the learner."""


class BaselineLearner(ABC):
    """A network, games in progress, and counters."""

    def __init__(self, config: RunConfig, run: RunDirectory, store: RecordStore) -> None:
        self.config, self.run = config, run
        self.game = parse_game(config.game)
        config.check_fit(self.game)
        self.games = self.steps = self.moves = 0
        self.network = self._new_network()
        state = run.load_learner()
        if state is not None:
            try:
                self._load(state)
                self.steps, self.moves = int(state["steps"]), int(state["moves"])
            except (KeyError, ValueError) as error:
                raise RunError(f"{run.folder / 'learner.npz'} is not of this run: {error}") from None
        self.games = len(store)
        self._numbers = max(store.numbers(), default=-1) + 1
        seed = config.seed * 1_000_003 + self._numbers
        self.environments = Environments(self.game, config.baseline.environments, seed)
        self.chooser = np.random.default_rng([config.seed, self.moves])
        self._saved = time.monotonic()
        if self.games == 0:
            self.keep_net()

    def _new_network(self) -> Network:
        training = self.config.training
        return Network(self.game, self.config.network, self.config.seed, training.entropy_bonus, training.value_weight)

    def _load(self, state: Mapping[str, NDArray[Any]]) -> None:
        self.network.load_state(state)

    def _state(self) -> dict[str, NDArray[Any]]:
        return self.network.state()

    @abstractmethod
    def advance(self) -> tuple[list[Ended], dict[str, float]]:
        """Make some moves in each game and learn from them: the games that have ended, and the losses."""

    def _choose(self, weights: FloatArray) -> NDArray[np.int64]:
        """An output for each row, drawn by weights [n, outputs]."""
        sums = np.cumsum(weights, axis=1)
        drawn = self.chooser.random((len(weights), 1)) * sums[:, -1:]
        chosen: NDArray[np.int64] = (sums <= drawn).sum(axis=1).astype(np.int64)
        return chosen.clip(0, weights.shape[1] - 1)

    def _step(self, outputs: NDArray[np.int64]) -> tuple[FloatArray, NDArray[np.bool_], IntArray, list[Ended]]:
        rewards, over, after, ended = self.environments.step(outputs)
        self.moves += len(outputs)
        return rewards + self.config.baseline.living_reward, over, after, ended

    def _set_learning_rate(self) -> None:
        training = self.config.training
        if training.learning_rate_end < 1:
            fallen = (1 + math.cos(math.pi * min(1.0, self.games / training.games))) / 2
            share = training.learning_rate_end + (1 - training.learning_rate_end) * fallen
            self.network.set_learning_rate(self.config.network.learning_rate * share)

    def record(self, ended: Ended, seconds: float) -> GameRecord:
        """A game as it is kept: it was not searched."""
        number = self._numbers
        self._numbers += 1
        nothing = (None,) * len(ended.moves), (0.0,) * len(ended.moves)
        return GameRecord(
            number, ended.seed, 0, ended.moves, *nothing, (ended.total, 0.0), None, self.steps, seconds
        )  # fmt: skip

    def keep_net(self) -> None:
        """Keep the network as it is."""
        about: dict[str, Any] = {
            "games": self.games,
            "steps": self.steps,
            "moves": self.moves,
            "method": self.config.method,
        }
        self.run.save_net(self.games, self.network.onnx(None, **about))

    def save(self, always: bool = True) -> None:
        """Keep everything that is needed to go on."""
        if always or time.monotonic() - self._saved > SAVE_EVERY:
            counters = {"games": np.array(self.games), "steps": np.array(self.steps), "moves": np.array(self.moves)}
            self.run.save_learner({**self._state(), **counters})
            self._saved = time.monotonic()


class DqnLearner(BaselineLearner):
    """Double DQN: the network says what each move is worth; the move that it finds best after some moves is worth what an older
    copy of it, the target network, says."""

    def __init__(self, config: RunConfig, run: RunDirectory, store: RecordStore) -> None:
        training = config.training
        super().__init__(config, run, store)
        self._ring = TransitionRing(
            training.window, config.baseline.environments, self.game.position_size(), training.value_steps,
            training.value_discount,
        )  # fmt: skip
        self._owed = 0.0

    def _new_network(self) -> Network:
        self.target, network = super()._new_network(), super()._new_network()
        for each in (self.target, network):
            each.learn_values_of_moves()
        return network

    def _load(self, state: Mapping[str, NDArray[Any]]) -> None:
        super()._load(state)
        self.target.load_state({key[7:]: value for key, value in state.items() if key.startswith("target_")})

    def _state(self) -> dict[str, NDArray[Any]]:
        return {**super()._state(), **{f"target_{key}": value for key, value in self.target.state().items()}}

    @property
    def epsilon(self) -> float:
        """The share of random moves now."""
        settings = self.config.baseline
        return max(settings.epsilon, 1.0 - (1.0 - settings.epsilon) * self.moves / settings.epsilon_moves)

    def advance(self) -> tuple[list[Ended], dict[str, float]]:
        before = self.environments.positions.copy()
        legal = self.environments.legal(before)
        worth = np.where(legal > 0, self.network.values_of_moves(encode(self.game, before, False)), -np.inf)
        is_random = self.chooser.random(len(before)) < self.epsilon
        outputs = np.where(is_random, self._choose(legal.astype(np.float64)), worth.argmax(axis=1)).astype(np.int64)
        rewards, over, after, ended = self._step(outputs)
        self._ring.add(before, outputs, rewards, after, over)
        losses: dict[str, float] = {}
        training = self.config.training
        if len(self._ring) >= min(self.config.baseline.warm_up, training.window):
            self._owed += len(before) * training.uses / training.batch
            while self._owed >= 1:
                self._owed -= 1
                losses = self._learn()
        return ended, losses

    def _learn(self) -> dict[str, float]:
        self._set_learning_rate()
        cases = self._ring.sample(self.config.training.batch, self.chooser)
        planes = encode(self.game, cases.after, False)
        legal = self.environments.legal(cases.after) > 0
        mine = np.where(legal, self.network.values_of_moves(planes), -np.inf)
        best = mine.argmax(axis=1)
        theirs = self.target.values_of_moves(planes)[np.arange(len(best)), best]
        wanted = cases.reward + cases.weight * np.where(legal.any(axis=1), theirs, 0.0)
        loss = self.network.train_values_of_moves(encode(self.game, cases.before, False), cases.chosen, wanted)
        self.steps += 1
        if self.steps % self.config.baseline.target_every == 0:
            self.target.load_state(self.network.state())
        return {"value_loss": loss}


class ActorCriticLearner(BaselineLearner):
    """Advantage actor-critic: moves are drawn from the policy; what brought more than the critic expected becomes likelier."""

    def advance(self) -> tuple[list[Ended], dict[str, float]]:
        settings, training = self.config.baseline, self.config.training
        n, steps, discount = len(self.environments), settings.rollout, training.value_discount
        seen: list[Any] = []
        legals: list[Any] = []
        chosen: list[Any] = []
        values: list[Any] = []
        rewards: list[Any] = []
        overs: list[Any] = []
        ended: list[Ended] = []
        for _ in range(steps):
            planes = encode(self.game, self.environments.positions, False)
            legal = self.environments.legal(self.environments.positions)
            policy, value = self.network.predict(planes)
            outputs = self._choose(np.where(legal > 0, policy.astype(np.float64) + 1e-12, 0.0))
            reward, over, _, games = self._step(outputs)
            ended += games
            for kept, what in zip(
                (seen, legals, chosen, values, rewards, overs),
                (planes, legal, outputs, value, reward, over),
                strict=True,
            ):
                kept.append(what)
        _, following = self.network.predict(encode(self.game, self.environments.positions, False))
        advantages, trace = np.zeros((steps, n)), np.zeros(n)
        for t in range(steps - 1, -1, -1):
            goes_on = 1.0 - overs[t]
            error = rewards[t] + discount * goes_on * following - values[t]
            trace = error + discount * settings.trace * goes_on * trace
            advantages[t], following = trace, values[t]
        wanted = (advantages + np.stack(values)).reshape(-1).astype(np.float32)
        gains = advantages.reshape(-1)
        if training.normalise_advantage:
            gains = (gains - gains.mean()) / max(float(gains.std()), 1e-6)
        legal = np.concatenate(legals)
        target = np.zeros_like(legal)
        target[np.arange(len(target)), np.concatenate(chosen)] = gains
        self._set_learning_rate()
        figures = self.network.train(np.concatenate(seen), target, legal, wanted)
        self.steps += 1
        return ended, figures


LEARNERS: dict[str, type[BaselineLearner]] = {"dqn": DqnLearner, "ac": ActorCriticLearner}
