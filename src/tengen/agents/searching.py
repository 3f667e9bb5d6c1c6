"""Agents that choose by tree search."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tengen.agents.base import Agent
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.search import Evaluator, Prover, Search, SearchSettings, draw_move
from tengen.search.search import MoveStatistics


class SearchAgent(Agent):
    """Searches the position and plays what the visits say."""

    def __init__(
        self,
        game: Game,
        settings: SearchSettings,
        name: str,
        evaluator: Evaluator | None = None,
        prover: Prover | None = None,
    ) -> None:
        super().__init__(game, name)
        self.settings = settings
        self.evaluator, self._prover = evaluator, prover
        self.new_game(0)

    def new_game(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._search = Search(self.game, self.settings, self.evaluator, seed, self._prover)

    def memory(self) -> int:
        return sum(array.nbytes for array in self._search.forest.trees)

    def unfold(self, line: Sequence[int] = ()) -> tuple[MoveStatistics, ...]:
        """What its tree knows of the moves after some moves from the position last searched."""
        return self._search.unfold(line)

    def choose(self, position: Position) -> int:
        self.thoughts = result = self._search.run(position, self.progress, self.stop, self.deadline, self.watch)
        made = len(position.moves)
        if self.settings.temperature_at(made) == 0 or not result.weights.any():  # a single simulation visits no move
            return result.best
        return draw_move(self.settings.move_odds(result.weights, made), self._random)
