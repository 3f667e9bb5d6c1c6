"""An agent as the brain of an engine: made anew for each board, given its share of the clock, asked what it thinks."""

from __future__ import annotations

import time

from tengen.agents.base import Agent
from tengen.agents.catalog import AgentSpec
from tengen.errors import AgentFailure, TengenError
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.protocols.analysis import Analysis, Candidate
from tengen.search import SearchResult
from tengen.search.search import Stop

FEWEST_MOVES = 6
"""The clock is shared among at least so many moves to come."""


class AgentBrain:
    """Chooses moves for an engine."""

    def __init__(self, spec: AgentSpec, seed: int = 0) -> None:
        self._spec, self._seed = spec, seed
        self._agent: Agent | None = None
        self._games = 0

    @property
    def name(self) -> str:
        return f"Tengen {self._spec.text}"

    def new_game(self, game: Game) -> None:
        if self._agent is not None and self._agent.game != game:
            self._agent = None
        self._games += 1
        if self._agent is not None:
            self._agent.new_game(self._seed + self._games)

    def choose(self, position: Position, seconds: float | None) -> int | None:
        try:
            return self._ready(position, seconds).choose(position)
        except AgentFailure:
            return None

    def think(self, position: Position, seconds: float | None) -> Analysis:
        agent = self._ready(position, seconds)
        agent.choose(position)
        if agent.thoughts is None:
            raise TengenError(
                f"{self._spec.text} does not say what it thinks: start the engine with an agent that searches"
            )
        return analysis_of(agent.thoughts)

    def _ready(self, position: Position, seconds: float | None) -> Agent:
        if self._agent is None or self._agent.game != position.game:
            self._agent = self._spec.make(position.game)
            self._agent.new_game(self._seed + self._games)
        share = None if seconds is None else seconds / max(FEWEST_MOVES, len(position.legal_moves) // 4)
        set_deadline(self._agent, None if share is None else time.monotonic() + share)
        return self._agent


def set_deadline(agent: Agent, end: float | None, stop: Stop | None = None) -> None:
    """Have an agent move until `end`, on `time.monotonic`, or when `stop()` says so; an agent that only asks `stop` does too."""
    agent.deadline, agent.stop = end, stop
    if end is not None:
        agent.stop = lambda: time.monotonic() >= end or (stop is not None and stop())


def analysis_of(result: SearchResult) -> Analysis:
    """What a search found, as protocols and files write it."""
    candidates = tuple(Candidate(m.move, m.visits, m.q, m.prior) for m in result.moves)
    return Analysis(candidates, result.line, result.value)
