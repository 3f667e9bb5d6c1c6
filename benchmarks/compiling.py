"""How long the first search of each game compiles, in seconds of processor time.

    python benchmarks/compiling.py                       hex:5 gomoku:9 tetris:10x20 pig
    python benchmarks/compiling.py hex:5 my_game.py:Connect4

Each game has a process and an empty cache of its own. `ask` searches with rollouts, `turn` with a network.
"""

import os
import subprocess
import sys
import tempfile

ONE = """
import sys, time
import numpy as np
from tengen.games import Position, parse_game
from tengen.games.verbs import CHANCE
from tengen.search import Search, SearchSettings

def answers(game, positions):
    n = len(positions)
    return np.full((n, game.move_views().shape[1]), 0.5, np.float32), np.zeros(n, np.float32)

position = Position(parse_game(sys.argv[1]))
while position.to_move == CHANCE:
    position.push(position.legal_moves[0])
for settings in SearchSettings(simulations=100), SearchSettings(simulations=100, selection="puct", evaluation="network"):
    begun = time.process_time()
    Search(position.game, settings, answers if settings.asks else None).run(position)
    print(f"{time.process_time() - begun:.1f}", end=" ")
"""


def main() -> None:
    print(f"{'game':<24}{'rollouts':>10}{'network':>10}")
    for game in sys.argv[1:] or ["hex:5", "gomoku:9", "tetris:10x20", "pig"]:
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(
                [sys.executable, "-c", ONE, game],
                env={**os.environ, "TENGEN_CACHE": cache},
                capture_output=True,
                text=True,
                check=True,
            )
        print(f"{game:<24}" + "".join(f"{seconds:>10}" for seconds in done.stdout.split()))


if __name__ == "__main__":
    main()
