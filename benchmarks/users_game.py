"""Gomoku as a user's game: the rules of the package, copied to a file outside of it, beside the built-in ones.

    python benchmarks/users_game.py

Both search the empty 15×15 board with 1,000 simulations, in turn; the ratio of simulations for each second of processor time is
the median of the rounds' ratios.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import tengen
from tengen.games import Game, Position, parse_game
from tengen.search import Search, SearchSettings

ROUNDS, SECONDS = 15, 0.5


def speed(search: Search) -> float:
    """Simulations for each second of processor time."""
    begun, done = time.process_time(), 0
    while time.process_time() - begun < SECONDS:
        done += search.run(Position(search.game)).simulations
    return done / (time.process_time() - begun)


def searching(game: Game) -> Search:
    search = Search(game, SearchSettings(simulations=1000, reuse=False))
    search.run(Position(game))  # which compiles it
    return search


def main() -> None:
    """Measure in turn; print the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "my_gomoku.py"
        shutil.copy(Path(tengen.__file__).parent / "games" / "gomoku.py", copy)
        theirs, ours = searching(parse_game(f"{copy}:Gomoku,size=15")), searching(parse_game("gomoku:15"))
        ratios = []
        for number in range(ROUNDS):
            order = (theirs, ours) if number % 2 else (ours, theirs)
            found = {id(search): speed(search) for search in order}
            ratios.append(found[id(theirs)] / found[id(ours)])
        print(f"user's file beside built-in: {statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
