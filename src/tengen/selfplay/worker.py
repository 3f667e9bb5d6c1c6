"""Self-play: a forest with a tree for each game in progress, and one batch of questions for all of them.

The worker is what a thread runs. Given the same numbers, seed and networks, it plays the same games.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tengen.errors import SpecError
from tengen.games.position import Position
from tengen.games.randomness import choose, random_state, uniform
from tengen.games.types import IntArray, RandomState
from tengen.games.verbs import CHANCE, Game
from tengen.records.record import GameRecord
from tengen.search import Evaluator, Forest, SearchSettings, move_probabilities


@dataclass(frozen=True)
class SelfPlaySettings:
    """How games of self-play are made."""

    slots: int = 16
    """Games in progress in each thread; more make larger batches for the network. 1 is the literal algorithm."""

    threads: int = 0
    """Threads that play; 0: one for each processor. With 1, the same seed gives the same games."""

    random_start: float = 0.0
    """The share of games that begin with a random move, so that bad openings are learned too."""

    alternate: bool = True
    """Whether every second game is begun by the other player (in games where that is a rule's parameter)."""

    def __post_init__(self) -> None:
        if not (1 <= self.slots <= 4096 and 0 <= self.threads <= 1024 and 0 <= self.random_start <= 1):
            raise SpecError("slots is 1 to 4096, threads 0 to 1024, random_start from 0 to 1")


@dataclass
class _Slot:
    """A game in progress."""

    number: int
    seed: int
    first: int
    position: Position
    random: RandomState
    began: float
    visits: list[dict[int, int] | None] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


def start_position(game: Game, first: int) -> Position:
    """The first position of a game that player `first` begins."""
    if first and "first" in getattr(game, "_fields", ()):
        game = game._replace(first=first)  # type: ignore[attr-defined]
    return Position(game)


class Worker:
    """Plays games. `evaluator` may be exchanged at any time; the games go on with the new one."""

    def __init__(
        self,
        game: Game,
        search: SearchSettings,
        settings: SelfPlaySettings,
        seed: int,
        next_number: Callable[[], int | None],
        evaluator: Evaluator,
        network: int = 0,
    ) -> None:
        self.game, self.search, self.settings, self.seed = game, search, settings, seed
        self.evaluator, self.network = evaluator, network
        self.evaluations = 0
        self._next_number = next_number
        self._forest = Forest(game, search, settings.slots, seed)
        self._slots: list[_Slot | None] = [None] * settings.slots
        self._can_begin = "first" in getattr(game, "_fields", ())
        for tree in range(settings.slots):
            self._begin_game(tree)

    @property
    def is_done(self) -> bool:
        """Whether there is no game left to play."""
        return all(slot is None for slot in self._slots)

    def set_sigma(self, sigma: float) -> None:
        """The probability of a rollout from now on."""
        self._forest.set_sigma(sigma)

    def play(self, on_move: Callable[[int, Position], None] | None = None) -> list[GameRecord]:
        """Go on until at least one game has ended; those that have. None when no game is left."""
        finished: list[GameRecord] = []
        while not finished and not self.is_done:
            asked = self._forest.ask()
            if len(asked):
                self.evaluations += len(asked)
                self._forest.tell(asked, *self.evaluator(self.game, self._forest.leaves(asked)))
            states = self._forest.trees.state
            for tree in np.flatnonzero((states["done"] >= states["target"]) & (states["phase"] == 0)):
                if self._slots[tree] is not None:
                    record = self._make_move(int(tree), on_move)
                    if record is not None:
                        finished.append(record)
        return finished

    def _begin_game(self, tree: int) -> None:
        number = self._next_number()
        if number is None:
            self._slots[tree] = None
            self._forest.begin(tree, 0)
            return
        seed = self.seed * 1_000_003 + number
        first = number % 2 if self.settings.alternate and self._can_begin else getattr(self.game, "first", 0)
        position = start_position(self.game, first)
        slot = _Slot(number, seed, first, position, random_state(seed), time.monotonic())
        self._slots[tree] = slot
        self._forest.reset(tree, position.array)
        self._forest.trees.random[tree] = slot.random
        slot.random = self._forest.trees.random[tree]  # from here on the tree and the game draw from one generator
        if uniform(slot.random) < self.settings.random_start and position.to_move != CHANCE:
            moves = position.legal_moves
            self._play(tree, slot, moves[choose(slot.random, np.ones(len(moves)), len(moves))], None, 0.0)
        self._luck(tree, slot)
        self._forest.begin(tree, self.search.simulations)

    def _make_move(self, tree: int, on_move: Callable[[int, Position], None] | None) -> GameRecord | None:
        """Choose the actual move from D; the record when it ended the game."""
        slot = self._slots[tree]
        assert slot is not None
        visits = self._forest.visits(tree)
        legal = self._forest.moves(tree) or slot.position.legal_moves
        temperature = self.search.temperature_at(len(slot.position.moves))
        counts = {move: int(visits[move]) for move in legal}
        move = choose(slot.random, move_probabilities(visits, temperature), len(visits))
        self._play(tree, slot, int(move), counts, self._forest.value(tree))
        self._luck(tree, slot)
        if on_move:
            on_move(slot.number, slot.position)
        if not slot.position.is_over:
            self._forest.begin(tree, self.search.simulations)
            return None
        record = GameRecord(
            slot.number, slot.seed, slot.first, tuple(slot.position.moves), tuple(slot.visits), tuple(slot.values),
            (slot.position.returns[0], slot.position.returns[1]), slot.position.winner, self.network,
            time.monotonic() - slot.began,
        )  # fmt: skip
        self._begin_game(tree)
        return record

    def _play(self, tree: int, slot: _Slot, move: int, counts: dict[int, int] | None, value: float) -> None:
        slot.position.play(move)
        slot.visits.append(counts)
        slot.values.append(value)
        self._forest.advance(tree, move)
        if not self.search.reuse:
            self._forest.reset(tree, slot.position.array)

    def _luck(self, tree: int, slot: _Slot) -> None:
        while not slot.position.is_over and slot.position.to_move == CHANCE:
            moves, odds = slot.position.legal_moves, np.array(slot.position.odds)
            self._play(tree, slot, moves[choose(slot.random, odds, len(moves))], None, 0.0)


def start_array(game: Game, first: int) -> IntArray:
    """The array of `start_position`."""
    return start_position(game, first).array
