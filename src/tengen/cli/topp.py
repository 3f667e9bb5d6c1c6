"""``tengen topp``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from rich.table import Table
from tyro.conf import Positional, arg

from tengen.agents import parse_agent
from tengen.arena.playing import PlayedGame
from tengen.arena.topp import OPENING, Topp, ToppResult
from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.errors import SpecError
from tengen.games import Position, parse_game
from tengen.runs.directory import RunDirectory


@dataclass(frozen=True)
class ToppCommand:
    """The Tournament of Progressive Policies: the networks of a run against each other, without learning.

    With all networks in it, each playing its best move, its winner is kept as the run's best: net:RUN and zero:RUN play it.

    Example: tengen topp on-policy

    Example: tengen topp on-policy --games 100 --move sample

    Example: tengen topp on-policy --nets 2 --games 4 --show
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
    show: bool = False
    """Print the board of every game when it has ended."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Play and print."""
        if self.show and self.json:
            raise SpecError("--show prints boards, --json one object: not both")
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
        names = [str(int(file.stem)) for file in files]
        sides = screen.side_names(game)

        def show_game(first: int, second: int, played: PlayedGame) -> None:
            position = Position(game, played.moves)
            players = f"{sides[0]} after {names[first]} games, {sides[1]} after {names[second]}"
            ending = f"forfeited: {played.forfeit}" if played.forfeit else screen.result_text(position)
            screen.console.print(f"{players}: {ending}", style="bold", markup=False)
            screen.show_board(position)

        interrupted, topp = False, Topp(game, specs, names)
        with screen.progress_bar() as progress:
            task = progress.add_task("games", total=max(0, pairs * games), visible=not self.show)

            def on_game(first: int, second: int, played: PlayedGame) -> None:
                progress.advance(task)
                if self.show:
                    show_game(first, second, played)

            threads = self.threads or os.cpu_count() or 1
            try:
                topp.play(games, self.seed, threads, self.opening, None, on_game)
            except KeyboardInterrupt:
                interrupted = True
        result = topp.result
        is_whole = not self.nets and self.move == "greedy" and not interrupted
        best = keep_best(run, files, result, games) if is_whole else None
        if self.json:
            screen.print_json({**result.as_json(), "best": best.name if best else None})
        else:
            show_table(result, games, "games trained")
            least = int(result.distinct[np.triu_indices(len(result.names), 1)].min())
            screen.console.print(
                f"rank correlation of rating with training: {result.rank_correlation:.2f}; "
                f"at least {least} distinct games a pair\n"
            )
            if best:
                screen.suggest(
                    f"best is {best.name}; play it:", f"tengen play {config['game']} --against net:{run.name}"
                )
            screen.suggest("against somebody else?", f"tengen curve {run.name} --against uct,simulations=100")
        if interrupted:
            raise Interrupted(f"stopped after {topp.games} of {pairs * games} games; the result counts these")


def keep_best(run: RunDirectory, files: Sequence[Path], result: ToppResult, games: int) -> Path:
    """Keep the network with the highest rating, or the last one trained longer whose interval reaches that rating."""
    top = max(result.rating)
    i = max(i for i in range(len(files)) if result.interval[i][1] >= top)
    figures = {
        "rating": round(float(result.rating[i]), 1),
        "interval": [round(float(bound), 1) for bound in result.interval[i]],
        "among": [file.name for file in files],
        "games_a_pair": games,
    }
    run.save_best(files[i], figures)
    return files[i]


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
