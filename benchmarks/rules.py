"""The rules of selection against each other, for the table in docs/search.md.

    python benchmarks/rules.py --simulations 500 --games 20           at equal simulations
    python benchmarks/rules.py --time 0.002 --games 20                at equal time
    python benchmarks/rules.py --boards hex:5 gomoku:9 --rules uct rave

Every pair of rules on every board, random rollouts, openings of two random moves, both colours with each. Each cell is the share
of points of the rule in the row, with its 95 % interval. The same command gives the same games at equal simulations.

At equal time each rule gets as many simulations for a move as it makes in that much of the processor's time on the empty board,
which is measured beforehand, the rules in turn: what else goes on in the machine then takes nothing away from one side only.
"""

from __future__ import annotations

import argparse
import itertools
import time

from tengen.agents import parse_agent
from tengen.arena import play_match
from tengen.games import Position, parse_game
from tengen.games.verbs import Game

BOARDS = ["hex:5", "hex:7", "hex:11", "gomoku:9", "gomoku:15"]
RULES = ["uct", "ucb1", "puct", "rave", "gumbel"]
TRIED = 1000
"""Simulations of a search whose time is taken; `TIMES` of them, the quickest counts."""
TIMES = 20


def simulations_in(seconds: float, game: Game, rules: list[str]) -> dict[str, int]:
    """How many simulations each rule makes in so many seconds of the processor's time."""
    agents = {rule: parse_agent(f"{rule},simulations={TRIED}").make(game) for rule in rules}
    quickest = dict.fromkeys(rules, float("inf"))
    for turn in range(TIMES):
        for rule, agent in agents.items():
            agent.new_game(turn)
            begun = time.process_time()
            agent.choose(Position(game))
            quickest[rule] = min(quickest[rule], time.process_time() - begun)
    return {rule: max(2, round(TRIED * seconds / quickest[rule])) for rule in rules}


def main() -> None:
    """Play, and print a Markdown table for each board."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", nargs="+", default=BOARDS)
    parser.add_argument("--rules", nargs="+", default=RULES, help="agents, with options if you like: uct,c=0.7")
    parser.add_argument("--simulations", type=int, default=500, help="for each move")
    parser.add_argument("--time", type=float, default=0.0, help="processor seconds a move, in place of simulations")
    parser.add_argument("--games", type=int, default=20, help="for each pair")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for board in given.boards:
        game = parse_game(board)
        simulations = dict.fromkeys(given.rules, given.simulations)
        if given.time:
            simulations = simulations_in(given.time, game, given.rules)
        shares = {}
        for first, second in itertools.combinations(given.rules, 2):
            agents = [parse_agent(f"{rule},simulations={simulations[rule]}") for rule in (first, second)]
            result = play_match(game, agents[0], agents[1], given.games, opening=2, seed=given.seed, threads=1)
            low, high = result.interval
            shares[first, second] = f"{result.total.score:.0%} ({low:.0%}–{high:.0%})"
            shares[second, first] = f"{1 - result.total.score:.0%} ({1 - high:.0%}–{1 - low:.0%})"
        each = ", ".join(f"{rule} {number:,}" for rule, number in simulations.items())
        print(f"\n{board}, simulations a move: {each}; {given.games} games a pair\n")
        print("| | " + " | ".join(f"`{rule}`" for rule in given.rules) + " |")
        print("|---" * (len(given.rules) + 1) + "|")
        for row in given.rules:
            print(f"| `{row}` | " + " | ".join(shares.get((row, rule), "") for rule in given.rules) + " |", flush=True)


if __name__ == "__main__":
    main()
