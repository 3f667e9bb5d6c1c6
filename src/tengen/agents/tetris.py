"""Players of Tetris that have learnt nothing: they look at every placement and take the best by a sum of features."""

from __future__ import annotations

import numpy as np

from tengen.agents.base import Agent
from tengen.compiling import kernel
from tengen.errors import SpecError
from tengen.games.position import Position
from tengen.games.randomness import choose
from tengen.games.tetris import Tetris
from tengen.games.tetris_features import best_placement, weights_of
from tengen.games.types import AnyGame, FloatArray, IntArray, RandomState
from tengen.games.verbs import CHANCE, Game


class LinearAgent(Agent):
    """`greedy`, `dellacherie` or `bcts`."""

    def __init__(self, game: Game, player: str, name: str) -> None:
        super().__init__(game, name)
        rules: object = game
        if not isinstance(rules, Tetris):
            raise SpecError(f"{name} plays tetris alone")
        self.weights = weights_of(player)

    def choose(self, position: Position) -> int:
        return int(best_placement(self.game, position.array, self.weights))

    def play_through(self, position: IntArray, random: RandomState, cap: int) -> int:
        """Go on from a position to the end or to `cap` placements, in compiled code; how many there were."""
        return int(_play_through(self.game, position, self.weights, random, cap))


@kernel
def _play_through(game: AnyGame, position: IntArray, weights: FloatArray, random: RandomState, cap: int) -> int:
    moves, odds = np.empty(game.move_count(), np.int32), np.empty(game.move_count(), np.float64)
    placed = 0
    while not game.is_over(position):
        if game.to_move(position) == CHANCE:
            n = int(game.legal_moves(position, moves))
            game.chance_odds(position, odds)
            game.play(position, int(moves[choose(random, odds, n)]))
        elif placed == cap:
            break
        else:
            game.play(position, int(best_placement(game, position, weights)))
            placed += 1
    return placed
