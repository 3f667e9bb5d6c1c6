"""The speed of Tetris: random placements by the compiled rules, and a search without a network."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.bench.turns import Work
from tengen.compiling import kernel
from tengen.games import Position, Tetris
from tengen.games.randomness import random_state
from tengen.games.tetris import PLACED
from tengen.games.types import AnyGame, RandomState
from tengen.search import Search, SearchSettings

GAME: Any = Tetris(10, 20, 0)
SIMULATIONS = 1000
ROLLOUT_MOVES = 20
"""Of a rollout, luck among them: ten placements. Random play to the end would say as little of a placement."""


@kernel
def _play_random_games(game: AnyGame, games: int, random: RandomState) -> int:
    """Play so many games at random; how many placements they were."""
    position, placed = np.zeros(game.position_size(), np.int32), 0
    for _ in range(games):
        game.start(position)
        game.playout(position, 0, random)
        placed += position[PLACED]
    return placed


def random_placements(games: int = 2000) -> Work:
    """Games at random on 10×20, in one thread."""
    random = random_state(1)
    return lambda: int(_play_random_games(GAME, games, random))


def as_plain_python() -> Work:
    """The same rules, run by Python."""
    random, position = random_state(1), np.zeros(GAME.position_size(), np.int32)

    def work() -> int:
        GAME.start(position)
        GAME.playout(position, 0, random)
        return int(position[PLACED])

    return work


def search() -> Work:
    """A search of the first piece, with short random rollouts, in one thread."""
    settings = SearchSettings(selection="uct", simulations=SIMULATIONS, rollout_moves=ROLLOUT_MOVES, reuse=False)
    searching, position = Search(GAME, settings, seed=1), Position(GAME, ["T"])

    def work() -> int:
        searching.run(position)
        return SIMULATIONS

    return work
