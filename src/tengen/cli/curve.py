"""``tengen curve``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Literal

from rich.table import Table
from tyro.conf import Positional, arg

from tengen.agents import parse_agent
from tengen.arena.curve import Point, draw_curve, learning_curve
from tengen.cli import screen
from tengen.errors import SpecError
from tengen.games import parse_game
from tengen.runs.directory import RunDirectory


@dataclass(frozen=True)
class Curve:
    """The learning curve of a run: each kept network, alone, against one opponent; a table and a PNG.

    Example: tengen curve on-policy --against uct,simulations=100
    """

    name: Annotated[Positional[str], arg(metavar="RUN")]
    """A run, by name or folder."""
    against: Annotated[str, arg(metavar="SPEC")] = "uct,simulations=100"
    """The opponent; see tengen list agents."""
    games: int = 100
    """Games of each network."""
    move: Literal["greedy", "epsilon", "sample"] = "greedy"
    """How a network chooses: its best move; a random one with probability 0.1; one drawn from its policy."""
    opening: int = 2
    """How many random moves each pair of games begins with."""
    seed: int = 0
    """The same seed gives the same games."""
    threads: int = 0
    """How many games are played at once; 0: one for each processor."""
    json: bool = False
    """Print one JSON object; the PNG is drawn all the same."""

    def run(self) -> None:
        """Play, print and draw."""
        run = RunDirectory.find(self.name)
        game, opponent = parse_game(str(run.read_config()["game"])), parse_agent(self.against)
        files = run.net_files()
        if not files:
            raise SpecError(f"{run.name} has kept no network yet")
        nets = [(str(file), int(file.stem), parse_agent(f"net,move={self.move}:{file}")) for file in files]
        screen.announce_compiling()
        with screen.progress_bar() as progress:
            task = progress.add_task("networks", total=len(nets))
            threads = self.threads or os.cpu_count() or 1

            def on_point(point: Point) -> None:
                progress.advance(task)

            points = learning_curve(game, nets, opponent, self.games, self.seed, threads, self.opening, on_point)
        picture = run.folder / "curve.png"
        draw_curve(points, f"{run.name}: {run.read_config()['game']}", self.against, picture)
        if self.json:
            screen.print_json({"points": [point.as_json() for point in points], "picture": str(picture)})
            return
        table = Table("games trained", "score", "95 % interval", "distinct games", title=f"against {self.against}")
        for point in points:
            low, high = point.interval
            table.add_row(str(point.games), f"{point.score:.1%}", f"{low:.1%} to {high:.1%}", str(point.distinct_games))
        screen.console.print(table)
        screen.suggest("the curve:", str(picture))
