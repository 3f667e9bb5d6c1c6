"""Has the rungs of the ladder play each other and writes their ratings into src/tengen/arena/ladder_ratings.py.

    python benchmarks/ladder.py hex:5 hex:7 gomoku:9 --games 10

Every pair plays, from random openings in pairs; games of a board that is not named keep the ratings they have.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tengen.agents import parse_agent
from tengen.arena import ladder_ratings
from tengen.arena.ladder import ladder_of
from tengen.arena.topp import OPENING, Topp
from tengen.games import parse_game

FILE = Path(ladder_ratings.__file__)
HEAD = '''\
"""Ratings of the ladder's rungs: Elo above their mean, and the 95 % interval of it. Written by `python benchmarks/ladder.py`."""

from __future__ import annotations

from collections.abc import Mapping

RATINGS: Mapping[str, Mapping[str, tuple[float, float, float]]] = {{
{games}}}
"""By game, then by rung: rating, low, high."""
'''


def measure(text: str, games: int, seed: int, threads: int) -> dict[str, tuple[float, float, float]]:
    """The rungs' ratings in a game."""
    game = parse_game(text)
    rungs, refusals = ladder_of(game)
    for reason in refusals:
        print(f"left out: {reason}")
    topp = Topp(game, [parse_agent(rung) for rung in rungs], rungs)

    def told(i: int, j: int, match: object) -> None:
        print(f"{text}: {rungs[i]} against {rungs[j]} is played", flush=True)

    result = topp.play(games, seed, threads, OPENING, told)
    figures = zip(rungs, result.rating, result.interval, strict=True)
    return {rung: (round(rating), round(low), round(high)) for rung, rating, (low, high) in figures}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="+")
    parser.add_argument("--games", type=int, default=10, help="games of each pair")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    ratings = {game: dict(rungs) for game, rungs in ladder_ratings.RATINGS.items()}
    for game in options.game:
        ratings[game] = measure(game, options.games, options.seed, options.threads)
        text = ""
        for name, rungs in sorted(ratings.items()):
            inside = "".join(f'        "{rung}": ({low}, {a}, {b}),\n' for rung, (low, a, b) in rungs.items())
            text += f'    "{name}": {{\n{inside}    }},\n'
        FILE.write_text(HEAD.format(games=text), encoding="utf-8")


if __name__ == "__main__":
    main()
