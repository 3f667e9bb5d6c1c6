"""The Gomoku players without a network: `alphabeta`, as the report was compared with one, and `classic`."""

from __future__ import annotations

import math
import time as clock
from functools import partial

from tengen.agents.base import Agent
from tengen.agents.classic.alphabeta import PROVEN, WIN
from tengen.agents.classic.engine import MOST_DEPTH, Engine
from tengen.agents.classic.weights import CLASSIC, REPORT, UNIT, Weights
from tengen.errors import SpecError
from tengen.games.gomoku import Gomoku
from tengen.games.gomoku_patterns import refuse_lines
from tengen.games.position import Position
from tengen.games.verbs import Game

SECONDS = 1.0
"""What a move takes, unless told otherwise."""
LONGEST = 86_400.0

END = 0.97
"""The share of the time after which the move is made: the clock of whoever asks has begun earlier."""

# Shares of the time after which the parts of a move of `classic` have to be done.
SEEK_FOURS, SEEK_THREES = 0.1, 0.2
SHARES = ((0.5, 0.58), (0.9, END))
"""Twice: alpha-beta, then a look whether the opponent would have a win by threats against its move."""


def check_seconds(seconds: float) -> None:
    """SpecError for a time that cannot be."""
    if not 0 < seconds <= LONGEST:
        raise SpecError(f"time is above 0 and at most {LONGEST:.0f} seconds, not {seconds:g}")


def check_limits(seconds: float, depth: int) -> None:
    """SpecError for a time (0: none) or a depth (0: none) that cannot be."""
    if not 0 <= seconds <= LONGEST:
        raise SpecError(f"time is 0 to {LONGEST:.0f} seconds, not {seconds:g}")
    if not 0 <= depth <= MOST_DEPTH:
        raise SpecError(f"depth is 0 to {MOST_DEPTH}, not {depth}")
    if seconds == 0 and depth == 0:
        raise SpecError("there must be a limit: time or depth")


class _GomokuPlayer(Agent):
    """What the two have in common: an engine, a clock, and the first moves."""

    def __init__(self, game: Game, name: str, seconds: float, weights: Weights) -> None:
        super().__init__(game, name)
        rules: object = game
        if not isinstance(rules, Gomoku):
            raise SpecError(f"{name} plays gomoku alone")
        refuse_lines(rules, name)
        self.engine = Engine(rules, weights)
        self._rules, self._seconds = rules, seconds
        self._allowed = seconds  # for the present move
        self._start = self._told = 0.0

    def new_game(self, seed: int) -> None:
        """There is no luck in these players: all games from the same position are alike, but for the clock."""
        self.engine.forget()

    def memory(self) -> int:
        return self.engine.memory()

    def choose(self, position: Position) -> int:
        self._start, self._told, self._allowed = clock.perf_counter(), 0.0, self._seconds
        if self.deadline is not None:  # all parts of a move share what is left until then
            left = max(0.001, self.deadline - clock.monotonic())
            self._allowed = min(self._seconds or left, left)
        self.engine.set_up(position.cells(), position.to_move)
        if self.engine.is_empty:
            self._see(0)
            return self._rules.size // 2 * (self._rules.size + 1)
        return self._think(position)

    def _think(self, position: Position) -> int:
        raise NotImplementedError

    def _see(self, value: int) -> None:
        """Keep what the position has been found to be worth."""

    def _used(self, share: float) -> bool:
        """Whether that share of the time has passed, or somebody wants the move now."""
        passed = clock.perf_counter() - self._start
        if self.progress and passed >= self._told + 0.05:
            self._told = passed
            self.progress(min(1.0, passed / self._allowed) if self._allowed else 0.0)
        if self.stop and self.stop():
            return True
        return 0 < self._allowed * share <= passed


class AlphaBetaAgent(_GomokuPlayer):
    """Iterative deepening with a transposition table; the report's score table orders the moves and evaluates."""

    def __init__(self, game: Game, seconds: float, depth: int, name: str = "alphabeta") -> None:
        """`seconds`, `depth`: 0 for no limit; there must be one."""
        check_limits(seconds, depth)
        super().__init__(game, name, seconds, REPORT)
        self._depth = depth or MOST_DEPTH

    def _think(self, position: Position) -> int:
        move = self.engine.search(partial(self._used, END), self._depth)
        assert move is not None  # none is banned
        return move


class ClassicAgent(_GomokuPlayer):
    """Threats first: wins by force for itself, then alpha-beta, then a look whether its move lets the opponent win by force."""

    def __init__(self, game: Game, seconds: float, name: str = "classic") -> None:
        check_seconds(seconds)
        super().__init__(game, name, seconds, CLASSIC)
        self._outlook: float | None = None

    @property
    def outlook(self) -> float | None:
        return self._outlook

    def _see(self, value: int) -> None:
        self._outlook = math.copysign(1.0, value) if abs(value) >= PROVEN else math.tanh(value / (2 * UNIT))

    def _think(self, position: Position) -> int:
        engine, me = self.engine, position.to_move
        if not engine.can_win_at_once(1 - me) or engine.can_win_at_once(me):
            for threes, share in ((False, SEEK_FOURS), (True, SEEK_THREES)):
                move = engine.seek_win(me, threes, partial(self._used, share))
                if move is not None:
                    self._see(WIN)
                    return move
        lost: list[int] = []
        sound: list[int] = []
        choice = -1
        for search_until, check_until in SHARES:
            until = partial(self._used, search_until)
            move = engine.search(until)
            while move is not None and abs(engine.value) < PROVEN and move not in sound:
                (lost if self._is_refuted(position, move, check_until) else sound).append(move)
                engine.set_up(position.cells(), me)
                for other in lost:
                    engine.ban(other)
                if move not in sound:
                    move = engine.search(until)
            if move is None:  # whatever one does loses; the first choice may be the hardest to see through
                self._see(-WIN)
                return lost[0]
            choice = move
            self._see(engine.value)
            if abs(engine.value) >= PROVEN:
                break
        return choice

    def _is_refuted(self, position: Position, move: int, until: float) -> bool:
        """Whether the opponent is seen to win by force after a move, within the time."""
        engine, me = self.engine, position.to_move
        stones = position.cells()
        stones[move] = me + 1
        engine.set_up(stones, 1 - me)
        return engine.seek_win(1 - me, True, partial(self._used, until)) is not None
