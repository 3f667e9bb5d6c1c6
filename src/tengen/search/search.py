"""A search of one position, as a player does it: with limits, a result to look at, and a tree that goes on."""

from __future__ import annotations

import functools
import math
import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tengen.errors import TengenError
from tengen.games.position import Position
from tengen.games.verbs import CHANCE, Game
from tengen.search.forest import Evaluator, Forest
from tengen.search.proving import Inquiry, Prover
from tengen.search.settings import SearchSettings

SLICE = 0.05
"""Seconds of search between two looks at the clock."""

SHOW_EVERY = 0.09
"""Seconds between two looks of somebody who watches: after every second slice."""

SHOWN_LINES = 8
"""Moves of which somebody who watches sees what is expected after them."""

LONGEST_LINE = 12
"""Moves of such a line, besides the first."""

LONGEST_SLICE = 20_000
"""Simulations between two looks when nobody waits for one (Ctrl-C does)."""


@dataclass(frozen=True)
class MoveStatistics:
    """What the search found about a move. `q` is in the mover's view: 1 a win, −1 a loss."""

    move: int
    name: str
    visits: int
    q: float
    prior: float
    proven: float | None = None
    """What it is worth, where that is proven."""


@dataclass(frozen=True)
class SearchResult:
    """What the search found. Arrays are by move [moves], zero where a move is illegal."""

    game: Game
    legal: tuple[int, ...]
    visits: NDArray[np.int32]
    q: NDArray[np.float64]
    prior: NDArray[np.float64]
    value: float
    """The mean value of the position in the mover's view."""
    line: tuple[int, ...]
    """The principal variation: the most visited moves, one after the other."""
    simulations: int
    """Simulations of this search, without those of a tree that was kept."""
    seconds: float
    nodes: int
    full: bool
    """Whether the tree has stopped growing for want of memory."""
    weights: NDArray[np.int32]
    """What moves are drawn from: visits, or gumbel's improved policy; 0 where the solver knows better [moves]."""
    chosen: int = -1
    """The move that the rule names (gumbel: the winner of the halving); −1: the one that weighs most."""
    proven: float | None = None
    """What the position is worth to its mover, where that is proven."""
    proofs: NDArray[np.float64] | None = None
    """What moves are worth, where that is proven, else not a number [moves]."""
    by_mean: bool = False
    """Whether the best mean decides (flat: visits only differ by where the search was stopped), not the visits."""
    lines: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """For the best moves, what is expected after each, itself the first; only for somebody who watches."""

    @functools.cached_property
    def moves(self) -> tuple[MoveStatistics, ...]:
        """The legal moves, those first that weigh most; of equals, the one with the larger Q, then the larger prior.

        `chosen` stands in front. `by_mean`: those that were tried, best Q first.
        """
        order = sorted(
            self.legal,
            key=lambda m: (m != self.chosen, -self.weights[m], -self.visits[m], -self.q[m], -self.prior[m], m),
        )
        if self.by_mean:
            order.sort(key=lambda m: (self.visits[m] == 0, -self.q[m]))
        return tuple(
            MoveStatistics(
                m, self.game.move_name(m), int(self.visits[m]), float(self.q[m]), float(self.prior[m]), self._proof(m)
            )
            for m in order
        )

    def _proof(self, move: int) -> float | None:
        return None if self.proofs is None or np.isnan(self.proofs[move]) else float(self.proofs[move])

    @property
    def best(self) -> int:
        """The move to play."""
        return self.moves[0].move


Progress = Callable[[float], None]
Stop = Callable[[], bool]
Watch = Callable[[SearchResult], None]
"""Shown what has been found so far, in the thread that searches; what it is given stays as it is."""


class Search:
    """Monte-Carlo tree search. It knows the game only by its verbs.

    >>> from tengen import Hex, Position, Search, SearchSettings
    >>> search = Search(Hex(size=3), SearchSettings(simulations=2000), seed=1)
    >>> search.run(Position(Hex(size=3))).moves[0].name
    'b2'
    """

    def __init__(
        self,
        game: Game,
        settings: SearchSettings | None = None,
        evaluator: Evaluator | None = None,
        seed: int = 0,
        prover: Prover | None = None,
    ) -> None:
        """`prover`: somebody who knows the game, and is shown what the solver may make use of (`proving`)."""
        self.game = game
        self.settings = settings or SearchSettings()
        if (evaluator is None) == self.settings.asks:
            raise TengenError("settings that ask a network and an evaluator go together")
        if prover and not self.settings.solver:
            raise TengenError("what a prover proves is used by the solver alone: solver=True")
        self._inquiry = Inquiry(prover) if prover else None
        self.evaluator = evaluator
        self.forest = Forest(game, self.settings, 1, seed)
        self._root: Position | None = None
        self._speed = 600.0  # simulations a second: a careful guess, learned at once

    def run(
        self,
        position: Position,
        progress: Progress | None = None,
        stop: Stop | None = None,
        deadline: float | None = None,
        watch: Watch | None = None,
    ) -> SearchResult:
        """Search a position until a limit is reached or `stop()` says so; `progress` is told the share done, `watch` is shown
        what has been found so far.

        `deadline`, on `time.monotonic`, is one more limit: unlike `stop`, it is known beforehand, so the last slices are cut
        to fit. If the position has come from the last one by moves, the tree goes on from there.
        """
        if (type(position.game), position.game) != (type(self.game), self.game):  # its arrays would not fit
            raise TengenError(f"this is a search of {self.game}, not of {position.game}")
        if position.is_over:
            raise TengenError("the game is over: there is nothing to search")
        if position.to_move == CHANCE:
            raise TengenError("here luck moves, not a player: there is nothing to search")
        self._go_to(position)
        start, done = clock.monotonic(), 0
        is_flat = self.settings.selection == "flat"
        wanted = 1 << 40 if is_flat else self.settings.simulations or 1 << 40
        planned = self._planned(wanted)
        before = self.forest.simulations(0)
        end = min(start + (self.settings.time or math.inf), math.inf if deadline is None else deadline)
        is_watched = end < math.inf or not (progress is None and stop is None and watch is None)
        shown = start
        while done < wanted and self.forest.proven(0) is None and not (done and stop and stop()):
            left = (end - clock.monotonic()) / 2  # half of it: a machine that slows down in a slice is noticed in time
            step = max(1, int(self._speed * min(SLICE, left))) if is_watched else LONGEST_SLICE
            if is_flat and done == 0:
                step = 2  # one for the position itself, another that finds out which moves are looked at
            if self._inquiry:
                step = min(step, self._inquiry.until_next(self.forest))
            step = min(step, wanted - done)
            self.forest.begin(0, step, fresh_noise=done == 0, planned=planned)
            self.forest.run(self.evaluator)
            done = self.forest.simulations(0) - before
            if self._inquiry:
                self._inquiry.look(self.forest, position, lambda: clock.monotonic() >= end)
            if is_flat and done == 2 and self.settings.simulations:
                wanted = self.settings.simulations * len(self.forest.moves(0)) + 1
            seconds = clock.monotonic() - start
            self._speed = min(done / max(seconds, 1e-6), 4 * self._speed)  # the first slices may have been lucky
            if start + seconds >= end:
                break
            if progress:
                progress(min(1.0, max(done / wanted, seconds / self.settings.time if self.settings.time else 0.0)))
            if watch and start + seconds - shown >= SHOW_EVERY and done < wanted:
                watch(self._result(done, seconds, with_lines=True))
                shown = clock.monotonic()
        return self._result(done, clock.monotonic() - start, with_lines=watch is not None)

    def unfold(self, line: Sequence[int] = ()) -> tuple[MoveStatistics, ...]:
        """What the tree knows of the moves after some moves from the last position searched, most visited first; nothing
        where it has not grown. Not to be called while the search runs, but from `watch`."""
        forest, node = self.forest, 0
        for move in line:
            tried = forest.children(0, node)
            found = np.flatnonzero(forest.trees.edges[0, tried]["move"] == move)
            if not len(found):
                return ()
            node = tried.start + int(found[0])
        visits, q, prior = forest.visits(0, node), forest.values(0, node), forest.priors(0, node)
        moves = np.flatnonzero(visits).tolist()
        moves.sort(key=lambda m: (-visits[m], -q[m]))
        return tuple(
            MoveStatistics(m, self.game.move_name(m), int(visits[m]), float(q[m]), float(prior[m])) for m in moves
        )

    def _planned(self, wanted: int) -> int:
        """How many simulations the search will probably have."""
        by_time = int(self._speed * self.settings.time) if self.settings.time else wanted
        return max(1, min(wanted, by_time))

    def _go_to(self, position: Position) -> None:
        """Bring the tree to a position: along the moves since the last one, or as a new tree."""
        root, moves = self._root, position.moves
        follows = root is not None and self.settings.reuse and moves[: len(root.moves)] == root.moves
        if root is not None and follows:
            for move in moves[len(root.moves) :]:
                self.forest.advance(0, move)
            follows = np.array_equal(self.forest.trees.root[0], position.array)
        if not follows:
            self.forest.reset(0, position.array)
        self._root = position.copy()

    def _lines(self) -> dict[int, tuple[int, ...]]:
        """The lines after the most visited moves."""
        forest = self.forest
        tried = forest.children(0)
        order = np.argsort(-forest.trees.nodes[0, tried]["visits"], kind="stable")[:SHOWN_LINES]
        found = {}
        for node in (tried.start + order).tolist():
            move = int(forest.trees.edges[0, node]["move"])
            found[move] = (move, *forest.principal_variation(0, node, LONGEST_LINE))
        return found

    def _result(self, done: int, seconds: float, with_lines: bool = False) -> SearchResult:
        forest = self.forest
        assert self._root is not None
        weights, chosen = forest.weights(0)
        low, high = forest.bounds(0)
        return SearchResult(
            game=self.game,
            legal=tuple(forest.moves(0) or self._root.legal_moves),
            visits=forest.visits(0),
            q=forest.values(0),
            prior=forest.priors(0),
            value=forest.value(0),
            line=tuple(forest.principal_variation(0)),
            simulations=done,
            seconds=seconds,
            nodes=forest.used(0),
            full=forest.is_full(0) and self.settings.selection != "flat",
            weights=weights,
            chosen=chosen,
            proven=forest.proven(0),
            proofs=np.where(low == high, low, np.nan) if self.settings.solver else None,
            by_mean=self.settings.selection == "flat",
            lines=self._lines() if with_lines else {},
        )
