"""``tengen match``."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import Annotated

from rich.table import Table
from tyro.conf import Positional, arg

from tengen.agents import parse_agent
from tengen.arena import MatchResult, PlayedGame, Tally, play_match
from tengen.arena.match import OPENING
from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.errors import SpecError
from tengen.games import parse_game


@dataclass(frozen=True)
class Match:
    """Play games between two agents and say who is stronger.

    Games come in pairs: the same random opening, played once from each side.

    Example: tengen match hex:5 uct,simulations=2000 random --games 50

    Example: tengen match gomoku:9 uct,time=0.1 flat --games 20 --seed 7 --json
    """

    game: Annotated[Positional[str], arg(metavar="GAME")]
    """The game: hex:7, gomoku:15, my_game.py:Name; see tengen list games."""
    first: Annotated[Positional[str], arg(metavar="SPEC")]
    """An agent: uct,simulations=1000; see tengen list agents."""
    second: Annotated[Positional[str], arg(metavar="SPEC")]
    """The other agent."""
    games: int = 100
    """How many games."""
    opening: int = OPENING
    """How many random moves each pair of games begins with."""
    judge: Annotated[str, arg(metavar="SPEC")] = ""
    """An agent that searches: of several random openings, each pair of games gets the one that it finds most even."""
    seed: int = 0
    """The same seed gives the same games (unless an agent thinks by the clock)."""
    threads: int = 0
    """How many games are played at once; 0: one for each processor."""
    json: bool = False
    """Print the result as one JSON object."""

    def run(self) -> None:
        """Play and print."""
        game, first, second = parse_game(self.game), parse_agent(self.first), parse_agent(self.second)
        judge = parse_agent(self.judge) if self.judge else None
        for spec in (first, second, *([judge] if judge else [])):
            if spec.text.partition(",")[0] == "human":
                raise SpecError("a match is played by agents alone; to play yourself: tengen play")
        result = MatchResult((first.text, second.text))
        screen.announce_compiling()
        threads = self.threads or os.cpu_count() or 1
        with screen.progress_bar() as progress:
            task = progress.add_task(f"{first.text} – {second.text}", total=self.games)

            def on_game(so_far: MatchResult, played: PlayedGame) -> None:
                total = so_far.total
                progress.update(task, advance=1, description=f"{total.wins} – {total.losses}, {total.draws} drawn")

            interrupted = False
            try:
                play_match(game, first, second, self.games, self.seed, threads, self.opening, on_game, result, judge)
            except KeyboardInterrupt:
                interrupted = True
        sides = screen.side_names(game)
        if self.json:
            screen.print_json(result.as_json(sides))
        else:
            _show(result, sides)
            screen.suggest("\nwatch one:", shlex.join(["tengen", "watch", self.game, self.first, self.second]))
        if interrupted:
            raise Interrupted(f"stopped after {result.total.games} of {self.games} games; the result counts these")


def _show(result: MatchResult, sides: tuple[str, str]) -> None:
    table = Table(title=f"{result.names[0]}  against  {result.names[1]}")
    for column in ("", "games", "wins", "losses", "draws", "score"):
        table.add_column(column, justify="left" if not column else "right")

    def row(name: str, tally: Tally) -> None:
        counts = (str(n) for n in (tally.games, tally.wins, tally.losses, tally.draws))
        table.add_row(name, *counts, f"{tally.score:.1%}" if tally.games else "")

    for name, tally in zip(sides, result.by_side, strict=True):
        row(f"as {name}", tally)
    row("together", result.total)
    screen.console.print(table)
    low, high = result.interval
    verdict = "the first is stronger" if low > 0.5 else "the second is stronger" if high < 0.5 else "undecided"
    screen.console.print(
        f"score {result.total.score:.1%}, 95 % interval {low:.1%} to {high:.1%}: {verdict}; "
        f"{result.distinct_games} distinct games"
    )
    screen.show_forfeits(result.forfeits)
