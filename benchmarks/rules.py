"""The rules of selection against each other, for the table in docs/search.md.

    python benchmarks/rules.py --simulations 500 --games 20           at equal simulations
    python benchmarks/rules.py --time 0.05 --games 20                 at equal time
    python benchmarks/rules.py --boards hex:5 gomoku:9 --rules uct rave

Every pair of rules on every board, random rollouts, openings of two random moves, both colours with each. Each cell is the share
of points of the rule in the row, with its 95 % interval. The same command gives the same games at equal simulations.
"""

from __future__ import annotations

import argparse
import itertools

from tengen.agents import parse_agent
from tengen.arena import play_match
from tengen.games import parse_game

BOARDS = ["hex:5", "hex:7", "hex:11", "gomoku:9", "gomoku:15"]
RULES = ["uct", "ucb1", "puct", "rave", "gumbel"]


def main() -> None:
    """Play, and print a Markdown table for each board."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", nargs="+", default=BOARDS)
    parser.add_argument("--rules", nargs="+", default=RULES, help="agents, with options if you like: uct,c=0.7")
    parser.add_argument("--simulations", type=int, default=500, help="for each move")
    parser.add_argument("--time", type=float, default=0.0, help="seconds for each move, in place of simulations")
    parser.add_argument("--games", type=int, default=20, help="for each pair")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    limit = f"time={given.time}" if given.time else f"simulations={given.simulations}"
    for board in given.boards:
        game = parse_game(board)
        shares = {}
        for first, second in itertools.combinations(given.rules, 2):
            agents = [parse_agent(f"{rule},{limit}") for rule in (first, second)]
            result = play_match(game, agents[0], agents[1], given.games, opening=2, seed=given.seed, threads=1)
            low, high = result.interval
            shares[first, second] = f"{result.total.score:.0%} ({low:.0%}–{high:.0%})"
            shares[second, first] = f"{1 - result.total.score:.0%} ({1 - high:.0%}–{1 - low:.0%})"
        print(f"\n{board}, {limit}, {given.games} games a pair\n")
        print("| | " + " | ".join(f"`{rule}`" for rule in given.rules) + " |")
        print("|---" * (len(given.rules) + 1) + "|")
        for row in given.rules:
            print(f"| `{row}` | " + " | ".join(shares.get((row, rule), "") for rule in given.rules) + " |", flush=True)


if __name__ == "__main__":
    main()
