"""``tengen topp``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from rich.table import Table
from tyro.conf import Positional, arg

from tengen.agents import parse_agent
from tengen.arena.topp import OPENING, Topp, ToppResult
from tengen.cli import screen
from tengen.errors import SpecError
from tengen.games import parse_game
from tengen.runs.directory import RunDirectory


@dataclass(frozen=True)
class ToppCommand:
    """The Tournament of Progressive Policies: the networks of a run against each other, without learning.

    Example: tengen topp on-policy

    Example: tengen topp on-policy --games 100 --move sample
    """

    name: Annotated[Positional[str], arg(metavar="RUN")]
    """A run, by name or folder."""
    nets: int = 0
    """How many of the networks take part, at equal distances; 0: all."""
    games: int = 0
    """Games of each pair; 0: as many as the run's settings say."""
    move: Literal["greedy", "epsilon", "sample"] = "greedy"
    """How a network chooses: its best move; a random one with probability 0.1; one drawn from its policy."""
    opening: int = OPENING
    """How many random moves each pair of games begins with."""
    seed: int = 0
    """The same seed gives the same games."""
    threads: int = 0
    """How many games are played at once; 0: one for each processor."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Play and print."""
        run = RunDirectory.find(self.name)
        config = run.read_config()
        game, files = parse_game(str(config["game"])), run.net_files()
        if self.nets < 0 or self.nets == 1 or self.nets > len(files):
            raise SpecError(f"{run.name} has {len(files)} networks: --nets is 2 to {len(files)}")
        if self.nets:
            files = [files[i] for i in np.linspace(0, len(files) - 1, self.nets).round().astype(int)]
        specs = [parse_agent(f"net,move={self.move}:{file}") for file in files]
        games = self.games or int(config["training"]["topp_games"])
        screen.announce_compiling()
        pairs = len(files) * (len(files) - 1) // 2
        with screen.progress_bar() as progress:
            task = progress.add_task("pairs", total=pairs)
            topp = Topp(game, specs, [str(int(file.stem)) for file in files])
            threads = self.threads or os.cpu_count() or 1
            result = topp.play(games, self.seed, threads, self.opening, lambda *_: progress.advance(task))
        if self.json:
            screen.print_json(result.as_json())
        else:
            show_table(result, games, "games trained")
            least = int(result.distinct[np.triu_indices(len(result.names), 1)].min())
            screen.console.print(
                f"rank correlation of rating with training: {result.rank_correlation:.2f}; "
                f"at least {least} distinct games a pair\n"
            )
            screen.suggest("against somebody else?", f"tengen curve {run.name} --against uct,simulations=100")


def show_table(result: ToppResult, games: int, what: str) -> None:
    """Everyone against everyone, with ratings."""
    table = Table(title=f"share of points against each other, {games} games a pair")
    table.add_column(what, justify="right")
    for name in result.names:
        table.add_column(name, justify="right")
    table.add_column("rating", justify="right")
    table.add_column("95 % interval", justify="right")
    for i, name in enumerate(result.names):
        shares = ["" if np.isnan(s) else f"{s:.0%}" for s in result.score[i]]
        low, high = result.interval[i]
        table.add_row(name, *shares, f"{result.rating[i]:+.0f}", f"{low:+.0f} to {high:+.0f}")
    screen.console.print(table)
