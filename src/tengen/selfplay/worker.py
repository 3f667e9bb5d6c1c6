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
from tengen.games.randomness import below, choose, random_state, uniform
from tengen.games.types import IntArray, Planes, RandomState
from tengen.games.verbs import CHANCE, NOBODY, Game
from tengen.records.record import GameRecord
from tengen.search import Evaluator, Forest, PlaneReader, SearchSettings

HOPELESS_MOVES = 2
"""Moves of a player in a row at which the search sees no hope, before they give up."""


@dataclass(frozen=True)
class SelfPlaySettings:
    """How games of self-play are made."""

    slots: int = 16
    """Games in progress in each thread; more make larger batches for the network. 1 is the literal algorithm."""

    threads: int = 0
    """Threads that play, or workers with --cluster; 0: one for each processor. With 1, a seed gives the same games."""

    random_start: float = 0.0
    """The share of games that begin with random moves, so that bad openings are learned too."""

    random_moves: int = 1
    """How many random moves they begin with at most: any number from one to this, each as likely."""

    alternate: bool = True
    """Whether every second game is begun by the other player (in games where that is a rule's parameter)."""

    full_share: float = 1.0
    """The share of moves that are searched in full and learned from (KataGo: 0.25). The others are made quickly, without
    noise, with `fast_simulations`, and serve to finish more games."""

    fast_simulations: int = 0
    """See `full_share`; KataGo's ratio to the full search is 1 to 6."""

    longest: int = 0
    """A game is broken off after so many moves, luck among them; for games of one that a good player hardly ends. What would
    have come is worth what the search said of it last. 0: never."""

    resign: float = 0.0
    """A player whose search says less than −this, twice in a row, gives up (AlphaGo Zero: 0.9); 0: never."""

    played_out: float = 0.1
    """With `resign`: the share of games in which nobody may give up, to see how often that would have been wrong."""

    int8: bool = False
    """Whether self-play runs the network in eight bits: two to three times as fast, a little less exact; residual, relu."""

    def __post_init__(self) -> None:
        if not (1 <= self.slots <= 4096 and 0 <= self.threads <= 1024 and 0 <= self.random_start <= 1):
            raise SpecError("slots is 1 to 4096, threads 0 to 1024, random_start from 0 to 1")
        if not (0 < self.full_share <= 1 and 0 <= self.resign <= 1 and 0 <= self.played_out <= 1):
            raise SpecError("full_share is above 0, resign and played_out are from 0 to 1, none above 1")
        if self.longest < 0:
            raise SpecError(f"longest is 0 (no limit) or more, not {self.longest}")
        if not 1 <= self.random_moves <= 1000:
            raise SpecError(f"random_moves is 1 to 1000, not {self.random_moves}")
        if self.random_moves > 1 and self.random_start == 0:
            raise SpecError("random_moves would do nothing without random_start")
        if (self.full_share < 1) != (self.fast_simulations > 0):
            raise SpecError("full_share below 1 and fast_simulations above 0 go together")
        if self.played_out != SelfPlaySettings.played_out and not self.resign:
            raise SpecError("played_out would do nothing without resign")


OnMove = Callable[[int, int, list[int], bool], None]
"""Told after each move: the number of its game, who began, all moves, and whether the game is over."""


@dataclass
class _Slot:
    """A game in progress. Its position is the root of its tree."""

    number: int
    seed: int
    first: int
    random: RandomState
    began: float
    mover: int
    """The player to move; where luck moves or the game is over, the one who moved last."""
    is_full: bool = True
    """Whether the search under way is one to learn from."""
    may_resign: bool = False
    hopeless: list[int] = field(default_factory=lambda: [0, 0])
    """For each player, at how many of their moves in a row the search saw no hope."""
    moves: list[int] = field(default_factory=list)
    visits: list[dict[int, int] | None] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    returns: list[float] = field(default_factory=lambda: [0.0, 0.0])


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
        self._asked = np.zeros(0, np.int64)
        self._planes: Planes | None = None
        self._slots: list[_Slot | None] = [None] * settings.slots
        self._can_begin = "first" in getattr(game, "_fields", ())
        self._starts = [start_array(game, first) for first in (0, 1)]
        self._two = game.players() == 2
        for tree in range(settings.slots):
            self._begin_game(tree)

    @property
    def evaluator(self) -> Evaluator:
        """The network that is asked."""
        return self._evaluator

    @evaluator.setter
    def evaluator(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._reader = evaluator if isinstance(evaluator, PlaneReader) else None

    @property
    def is_done(self) -> bool:
        """Whether there is no game left to play."""
        return all(slot is None for slot in self._slots)

    @property
    def idle(self) -> int:
        """Places for games in which none is played."""
        return sum(slot is None for slot in self._slots)

    def wake(self) -> None:
        """Begin games where there was no number for one; there may be more numbers now."""
        idle = [tree for tree, slot in enumerate(self._slots) if slot is None]
        for tree in idle:
            self._begin_game(tree)
        if any(self._slots[tree] is not None for tree in idle):
            self._asked = np.zeros(0, np.int64)  # all are asked anew for their questions, the new ones among them

    def set_sigma(self, sigma: float) -> None:
        """The probability of a rollout from now on."""
        self._forest.set_sigma(sigma)

    def play(self, on_move: OnMove | None = None) -> list[GameRecord]:
        """Go on until at least one game has ended; those that have. None when no game is left."""
        finished: list[GameRecord] = []
        while not finished and not self.is_done:
            finished = self.step(on_move)
        return finished

    def step(self, on_move: OnMove | None = None) -> list[GameRecord]:
        """Answer a batch of questions and make the moves that are decided then; the games that have ended."""
        if self._reader is not None and self._planes is None:  # a network of the same game sees the same planes
            self._planes = self._reader.empty_planes(self.settings.slots)
        if not len(self._asked):
            self._asked = self._forest.ask(self._planes)
        asked = self._asked
        if len(asked):
            self.evaluations += len(asked)
            if self._reader is not None and self._planes is not None:
                answers = self._reader.run(self._planes[: len(asked)])
            else:
                answers = self._evaluator(self.game, self._forest.leaves(asked))
            self._asked = self._forest.exchange(asked, *answers, self._planes)
        finished = []
        ready = self._trees_without_questions() if len(self._asked) < len(self._slots) else []
        for tree in ready:
            record = self._make_move(tree, on_move)
            if record is not None:
                finished.append(record)
        if ready:  # what has just begun has questions, too: no row of the batch stays empty
            self._asked = self._forest.ask(self._planes)
        return finished

    def _trees_without_questions(self) -> list[int]:
        """The trees in which a move can be decided: what asks nothing has been searched to its end."""
        waiting = set(self._asked.tolist())
        return [tree for tree, slot in enumerate(self._slots) if slot is not None and tree not in waiting]

    def _begin_game(self, tree: int) -> None:
        number = self._next_number()
        if number is None:
            self._slots[tree] = None
            self._forest.begin(tree, 0)
            return
        seed = self.seed * 1_000_003 + number
        first = number % 2 if self.settings.alternate and self._can_begin else getattr(self.game, "first", 0)
        self._forest.reset(tree, self._starts[first])
        self._forest.trees.random[tree] = random_state(seed)
        random = self._forest.trees.random[tree]  # the tree and the game draw from one generator
        player = self.game.to_move(self._starts[first])
        slot = _Slot(number, seed, first, random, time.monotonic(), max(player, 0))
        self._slots[tree] = slot
        if player == CHANCE:
            self._luck(tree, slot)
        self._play_random_moves(tree, slot)
        if self.settings.resign > 0:
            slot.may_resign = uniform(slot.random) >= self.settings.played_out
        self._begin_search(tree, slot)

    def _play_random_moves(self, tree: int, slot: _Slot) -> None:
        if not uniform(slot.random) < self.settings.random_start:
            return
        count = 1 + below(slot.random, self.settings.random_moves) if self.settings.random_moves > 1 else 1
        for _ in range(count):
            legal = self._legal(tree)
            before, kept = self._forest.trees.root[tree].copy(), (len(slot.moves), slot.mover, list(slot.returns))
            move = legal[choose(slot.random, np.ones(len(legal)), len(legal))]
            if self._play(tree, slot, int(move), None, 0.0):  # nobody could learn from a game that is over:
                made, slot.mover, slot.returns = kept  # it begins where it was not yet decided
                del slot.moves[made:], slot.visits[made:], slot.values[made:]
                self._forest.reset(tree, before)
                return

    def _begin_search(self, tree: int, slot: _Slot) -> None:
        slot.is_full = self.settings.full_share >= 1 or uniform(slot.random) < self.settings.full_share
        simulations = self.search.simulations if slot.is_full else self.settings.fast_simulations
        self._forest.begin(tree, simulations, noise=slot.is_full)

    def _make_move(self, tree: int, on_move: OnMove | None) -> GameRecord | None:
        """Choose the actual move from D; the record when it ended the game."""
        slot = self._slots[tree]
        assert slot is not None
        value = self._forest.believed_value(tree)
        if self._gives_up(slot, value):
            return self._finish(tree, slot, 1 - slot.mover)
        move, counts = self._forest.decide(tree, len(slot.moves))
        is_over = self._play(tree, slot, move, counts if slot.is_full else None, value)
        if on_move:
            on_move(slot.number, slot.first, slot.moves, is_over)
        if is_over or 0 < self.settings.longest <= len(slot.moves):
            return self._finish(tree, slot)
        self._begin_search(tree, slot)
        return None

    def _gives_up(self, slot: _Slot, value: float) -> bool:
        slot.hopeless[slot.mover] = slot.hopeless[slot.mover] + 1 if value < -self.settings.resign else 0
        return slot.may_resign and slot.hopeless[slot.mover] >= HOPELESS_MOVES

    def _finish(self, tree: int, slot: _Slot, given_to: int | None = None) -> GameRecord:
        """The record of a game that has ended, or was given to the other player; a new one begins in its place."""
        returns = (slot.returns[0], slot.returns[1])
        outcome = self.game.outcome(self._forest.trees.root[tree])
        winner = None if outcome == NOBODY else outcome
        if given_to is not None:
            winner, returns = given_to, (1.0, -1.0) if given_to == 0 else (-1.0, 1.0)
        record = GameRecord(
            slot.number, slot.seed, slot.first, tuple(slot.moves), tuple(slot.visits), tuple(slot.values), returns, winner,
            self.network, time.monotonic() - slot.began,
        )  # fmt: skip
        self._begin_game(tree)
        return record

    def _play(self, tree: int, slot: _Slot, move: int, counts: dict[int, int] | None, value: float) -> bool:
        """Make a move, and luck after it; whether the game is over."""
        slot.moves.append(move)
        slot.visits.append(counts)
        slot.values.append(value)
        reward, is_over, player = self._forest.advance(tree, move)
        slot.returns[slot.mover] += reward
        if self._two:
            slot.returns[1 - slot.mover] -= reward
        if not self.search.reuse:
            self._forest.reset(tree, self._forest.trees.root[tree].copy())
        if is_over:
            return True
        if player == CHANCE:
            return self._luck(tree, slot)
        slot.mover = player
        return False

    def _luck(self, tree: int, slot: _Slot) -> bool:
        """Have luck move; whether the game is over."""
        legal, odds = self._legal(tree), np.zeros(self.game.move_count())
        self.game.chance_odds(self._forest.trees.root[tree], odds)
        return self._play(tree, slot, int(legal[choose(slot.random, odds, len(legal))]), None, 0.0)

    def _legal(self, tree: int) -> IntArray:
        out = np.empty(self.game.move_count(), np.int32)
        return out[: self.game.legal_moves(self._forest.trees.root[tree], out)]


def start_array(game: Game, first: int) -> IntArray:
    """The array of `start_position`."""
    return start_position(game, first).array
