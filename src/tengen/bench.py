"""The speed of the search, measured beside OpenSpiel's in one run, the two taking turns.

Both search the empty board with 1,000 simulations of one random rollout each, in one thread: ours by ``uct``, OpenSpiel's by its
C++ `MCTSBot` with `RandomRolloutEvaluator`. Each figure is the median of the rounds, each ratio the median of the rounds' ratios.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tengen.errors import TengenError
from tengen.games import Position, parse_game
from tengen.search import Search, SearchSettings

SIMULATIONS = 1000
PEER_GAMES = {
    "hex:11": "hex(board_size=11)",
    "gomoku:15": "gomoku(size=15)",
    "hex:5": "hex(board_size=5)",
}


@dataclass(frozen=True)
class Figure:
    """Two speeds, in simulations per second, and their ratio."""

    ours: float
    peer: float
    ratio: float


def measure(seconds: float, rounds: int) -> Iterator[tuple[str, Figure]]:
    """All figures by name: ``search/GAME`` beside OpenSpiel, ``threads/GAME`` two threads beside one."""
    for spec, peer_spec in PEER_GAMES.items():
        yield f"search/{spec}", _alternate(our_search(spec), openspiel_search(peer_spec), seconds, rounds)
    yield "threads/hex:11", _alternate(our_search("hex:11", threads=2), our_search("hex:11"), seconds, rounds)


Work = Callable[[], int]  # does a bit of work and returns the simulations it has made


def _alternate(ours: Work, peer: Work, seconds: float, rounds: int) -> Figure:
    ours()
    peer()  # both warm
    speeds = [(_speed(ours, seconds), _speed(peer, seconds)) for _ in range(rounds)]
    a, b = zip(*speeds, strict=True)
    return Figure(statistics.median(a), statistics.median(b), statistics.median(x / y for x, y in speeds))


def _speed(work: Work, seconds: float) -> float:
    start, done = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - start) < seconds:
        done += work()
    return done / elapsed


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
