"""Agents that choose by tree search."""

from __future__ import annotations

import random

from tengen.agents.base import Agent
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.search import Search, SearchSettings, choose_move
from tengen.search.search import Progress, Stop


class SearchAgent(Agent):
    """Searches the position and plays what the visits say."""

    def __init__(self, game: Game, settings: SearchSettings, name: str) -> None:
        super().__init__(game, name)
        self.settings = settings
        self.progress: Progress | None = None
        self.stop: Stop | None = None
        self.new_game(0)

    def new_game(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._search = Search(self.game, self.settings, seed=seed)

    def choose(self, position: Position) -> int:
        self.thoughts = result = self._search.run(position, self.progress, self.stop)
        temperature = self.settings.temperature_at(len(position.moves))
        if temperature == 0 or not result.visits.any():  # a single simulation visits no move
            return result.best
        return choose_move(result.visits, temperature, self._random)
