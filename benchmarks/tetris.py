"""How fast Tetris is: placements of random play, and simulations of the search without a network, in one thread.

    python benchmarks/tetris.py [GAME]

Counted by the processor's time, so that other programs on the machine change little.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from tengen.compiling import kernel
from tengen.games import Position, parse_game
from tengen.games.randomness import random_state
from tengen.games.tetris import PLACED
from tengen.games.verbs import random_game
from tengen.search import Search, SearchSettings

GAMES, SIMULATIONS = 50_000, 100_000


@kernel
def random_play(game, games, random, plain):
    """Placements in so many random games, by the game's own playout or by the plain verbs."""
    position = np.zeros(game.position_size(), np.int32)
    placed = 0
    for _ in range(games):
        game.start(position)
        if plain:
            random_game(game, position, 0, 1.0, 1 << 40, random)
        else:
            game.playout(position, 0, random)
        placed += position[PLACED]
    return placed


def main() -> None:
    spec = sys.argv[1] if len(sys.argv) > 1 else "tetris:10x20,preview=0"
    game = parse_game(spec)
    for plain, name in ((False, "playout"), (True, "verbs")):
        random_play(game, 1, random_state(1), plain)
        start = time.process_time()
        placed = random_play(game, GAMES, random_state(2), plain)
        print(f"{spec}: {placed / (time.process_time() - start):,.0f} random placements/s ({name})")
    position = Position(game)
    while position.to_move < 0:
        position.play(position.legal_moves[0])
    search = Search(game, SearchSettings(selection="uct", simulations=SIMULATIONS, reuse=False))
    search.run(position)
    start = time.process_time()
    done = search.run(position).simulations
    print(f"{spec}: {done / (time.process_time() - start):,.0f} simulations/s (uct, random rollouts)")


if __name__ == "__main__":
    main()
