"""The speed of the search beside OpenSpiel's.

Both search the empty board with 1,000 simulations of one random rollout each, in one thread: ours by ``uct``, OpenSpiel's by its
C++ `MCTSBot` with `RandomRolloutEvaluator`.
"""

from __future__ import annotations

import threading
from typing import Any

from tengen.bench.turns import Work
from tengen.errors import TengenError
from tengen.games import Position, parse_game
from tengen.search import Search, SearchSettings

SIMULATIONS = 1000
PEER_GAMES = {
    "hex:11": "hex(board_size=11)",
    "gomoku:15": "gomoku(size=15)",
    "hex:5": "hex(board_size=5)",
}


def our_search(spec: str, threads: int = 1) -> Work:
    """A search of the empty board from scratch; with several threads, one search in each."""
    game = parse_game(spec)
    settings = SearchSettings(selection="uct", simulations=SIMULATIONS, reuse=False)
    searches = [Search(game, settings, seed=seed) for seed in range(threads)]
    repeats = 1 if threads == 1 else 50

    def search(one: Search) -> None:
        for _ in range(repeats):
            one.run(Position(game))

    def work() -> int:
        others = [threading.Thread(target=search, args=(one,)) for one in searches[1:]]
        for other in others:
            other.start()
        search(searches[0])
        for other in others:
            other.join()
        return SIMULATIONS * repeats * threads

    return work


def openspiel_search(spec: str) -> Work:
    """The same by OpenSpiel."""
    try:
        import pyspiel
    except ImportError:
        raise TengenError("OpenSpiel is not installed: make bench, or pip install 'tengen[peers]'") from None
    game: Any = pyspiel.load_game(spec)
    bot: Any = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 1.0, SIMULATIONS, 1000, False, 1, False)
    state: Any = game.new_initial_state()

    def work() -> int:
        bot.step(state)
        return SIMULATIONS

    return work
