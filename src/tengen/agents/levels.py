"""Strengths that people can choose by name, from beginner to full strength, for any game."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.agents.base import Agent
from tengen.agents.catalog import AgentSpec, parse_agent
from tengen.games.gomoku import Gomoku
from tengen.games.gomoku_patterns import LONGEST, SHORTEST
from tengen.games.verbs import Game

MEMORY = 128
"""Megabytes for the tree of a level."""

SECONDS = 4
"""What the highest level takes for a move."""


@dataclass(frozen=True)
class Level:
    """A strength."""

    name: str
    about: str
    simulations: float
    """For each move of the game: larger boards need more for the same strength. 0: by the clock."""

    def spec(self, game: Game) -> str:
        """The agent of this level."""
        if self.simulations == 0:
            rules: object = game
            if isinstance(rules, Gomoku) and SHORTEST <= rules.line <= LONGEST:
                return f"classic,time={SECONDS}"  # wins every game against `hard`: threats are what Gomoku is about
            return f"uct,time={SECONDS},memory={2 * MEMORY}"
        return f"uct,simulations={max(4, round(self.simulations * game.move_count()))},memory={MEMORY}"


LEVELS = {
    level.name: level
    for level in (
        Level("beginner", "plays almost at random", 1),
        Level("easy", "looks a little ahead", 10),
        Level("medium", "for most people", 100),
        Level("hard", "looks far ahead", 1000),
        Level("full", "four seconds a move, full strength", 0),
    )
}


def parse_opponent(text: str, game: Game) -> AgentSpec:
    """An agent by its spec, or by the name of a level."""
    level = LEVELS.get(text.strip())
    if level is None:
        return parse_agent(text)
    spec = parse_agent(level.spec(game))

    def make(game: Game) -> Agent:
        agent = spec.make(game)
        agent.name = level.name
        return agent

    return AgentSpec(level.name, make)
