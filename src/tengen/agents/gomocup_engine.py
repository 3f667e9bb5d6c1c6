"""An agent as the brain of an engine for Gomocup: ready before the clock runs, and within its time and memory."""

from __future__ import annotations

import gc
import os
import random
import time
from collections.abc import Callable, Sequence

from tengen.agents.base import Agent
from tengen.agents.catalog import AgentSpec, parse_agent
from tengen.agents.engine import analysis_of, set_deadline
from tengen.compiling import on_compile
from tengen.errors import TengenError
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.protocols.analysis import Analysis
from tengen.protocols.gomocup import Budget

TURN = 5.0
"""Seconds of a move when neither the manager nor the agent's own text sets a limit: those of Gomocup's fast games."""

MARGIN, SHARE = 0.03, 0.02
"""What is not thought of a move's time: seconds, and a share of it. Pipes, the other thread and the answer take some."""

LEAST = 0.01
"""Seconds that any move is thought about: with none the tree is empty, and any cell is as good as another."""

GAME, FEWEST_MOVES = 25, 6
"""A game's clock is shared among the moves that are left of so many, or at least among so few."""

A_DAY = 86_400.0
TREE, LEAST_TREE = 512, 8
"""Megabytes for a tree: at most, and at least."""

MEGABYTE = 1_000_000
RESERVE = 30 * MEGABYTE
"""What the program itself may come to need during a game."""

PROGRAM = 300 * MEGABYTE
"""What the program takes without a tree, where the system does not tell."""

OPENINGS = 6
"""Openings that are compared when three stones are to be put (swap2)."""


class GomocupBrain:
    """Chooses moves for an engine. `tell` is given lines for whoever waits."""

    def __init__(self, text: str, seed: int = 0, tell: Callable[[str], None] | None = None) -> None:
        self._spec = parse_agent(text)
        self._seed, self._tell = seed, tell or (lambda line: None)
        self._agent: Agent | None = None
        self._memory: int | None = None
        self._warm: set[Game] = set()
        self._games = 0

    @property
    def name(self) -> str:
        return f"Tengen {self._spec.text}"

    def new_game(self, game: Game, memory: int | None) -> None:
        if self._agent is None or self._agent.game != game or memory != self._memory:
            self._agent = None  # its memory is free for the next one
            self._agent = self._make(game, memory)
            self._memory = memory
        self._games += 1
        self._agent.new_game(self._seed + self._games)

    def _make(self, game: Game, memory: int | None) -> Agent:
        if game not in self._warm:
            self._warm_up(game)
            self._warm.add(game)
        own = int(self._spec.options.get("memory", TREE))
        if memory is None:
            return self._with_tree(own).make(game)
        room = (memory - RESERVE - program_bytes()) // MEGABYTE
        if room < LEAST_TREE:
            needed = memory // MEGABYTE + LEAST_TREE - room
            raise TengenError(f"max_memory is {memory // MEGABYTE} MB, and {self._spec.text} needs {needed} MB")
        return self._with_tree(min(own, room)).make(game)

    def _with_tree(self, megabytes: int) -> AgentSpec:
        limits: dict[str, object] = {"memory": megabytes}
        if not self._has_own_limit:
            limits["time"] = A_DAY  # the manager's clock is the limit
        return parse_agent(self._spec.text, limits)

    @property
    def _has_own_limit(self) -> bool:
        return bool({"time", "simulations"} & set(self._spec.options))

    def _warm_up(self, game: Game) -> None:
        """Have everything compiled and loaded before a clock runs: two moves, of which the second goes on from the first."""
        self._tell(f"warming up: {self._spec.text}")
        told: list[str] = []

        def say(compiled: str | None) -> None:
            if compiled is not None and not told:
                told.append(compiled)
                self._tell(f"compiling the search for {compiled}, once; this takes up to a minute")

        end = on_compile(say)
        try:
            agent, position = self._with_tree(LEAST_TREE).make(game), Position(game)
            agent.new_game(self._seed)
            for _ in range(2):
                set_deadline(agent, time.monotonic() + 0.1)
                position.play(agent.choose(position))
                position.play(position.legal_moves[0])
        finally:
            end()
        gc.collect()
        gc.freeze()  # a compiler leaves much behind, and to look through it all takes as long as a move

    def choose(self, position: Position, budget: Budget) -> int:
        agent = self._ready(position.game)
        set_deadline(agent, self._deadline(position, budget), budget.stop)
        return agent.choose(position)

    def stay(self, position: Position, budget: Budget) -> int | None:
        move = self.choose(position, budget)
        return None if (self.outlook or 0.0) < 0 else move

    def opening(self, game: Game, budget: Budget) -> Sequence[int]:
        """Of some random openings, the one that the agent thinks most even; without an opinion, the first."""
        chooser, agent = random.Random(self._seed + self._games), self._ready(game)
        found: list[tuple[float, list[int]]] = []
        end = self._deadline(Position(game), budget) or budget.start + TURN
        for number in range(1, OPENINGS + 1):
            stones = chooser.sample(range(game.move_count()), 3)
            set_deadline(agent, budget.start + (end - budget.start) * number / OPENINGS, budget.stop)
            agent.choose(Position(game, stones))
            outlook = self.outlook
            found.append((abs(outlook or 0.0), stones))
            if outlook is None or budget.stop():
                break
        return min(found)[1]

    @property
    def outlook(self) -> float | None:
        return None if self._agent is None else self._agent.outlook

    @property
    def analysis(self) -> Analysis | None:
        thoughts = None if self._agent is None else self._agent.thoughts
        return None if thoughts is None else analysis_of(thoughts)

    def _ready(self, game: Game) -> Agent:
        if self._agent is None or self._agent.game != game:
            self.new_game(game, self._memory)
        assert self._agent is not None
        return self._agent

    def _deadline(self, position: Position, budget: Budget) -> float | None:
        turn = budget.turn
        if turn is None and budget.left is None:
            return None if self._has_own_limit else budget.start + TURN
        seconds = float("inf") if turn is None else turn - MARGIN - SHARE * turn
        if budget.left is not None:
            stones = int((position.cells() != 0).sum())
            share = budget.left / max(FEWEST_MOVES, GAME - stones // 2)
            seconds = min(seconds, share - MARGIN)
        return budget.start + max(LEAST, seconds)


def program_bytes() -> int:
    """What this process takes now."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):  # not Linux
        return PROGRAM
