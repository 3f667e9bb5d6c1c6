"""``tengen match``."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import Annotated

from rich.table import Table
from tyro.conf import Positional, arg

from tengen.agents import AgentSpec, parse_agent
from tengen.arena import MatchResult, PlayedGame, Tally, play_match
from tengen.arena.match import OPENING
from tengen.arena.solo import SoloGame, SoloResult, new_result, play_solo
from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.errors import SpecError
from tengen.games import Game, parse_game


@dataclass(frozen=True)
class Match:
    """Play games between two agents and say who is stronger; in a game for one, have agents play the same games.

    Games of two come in pairs: the same random opening, played once from each side.

    Example: tengen match hex:5 uct,simulations=2000 random --games 50

    Example: tengen match gomoku:9 uct,time=0.1 flat --games 20 --seed 7 --json

    Example: tengen match tetris:10x10,preview=0 greedy dellacherie bcts --games 200
    """

    game: Annotated[Positional[str], arg(metavar="GAME")]
    """The game: hex:7, gomoku:15, my_game.py:Name; see tengen list games."""
    agents: Annotated[Positional[tuple[str, ...]], arg(metavar="SPEC")]
    """The two agents, as uct,simulations=1000; in a game for one, any number of them; see tengen list agents."""
    games: int = 100
    """How many games; in a game for one, of each agent."""
    opening: int | None = None
    """How many random moves each pair of games begins with (1)."""
    cap: int = 0
    """In a game for one: a game is broken off after so many moves of the player (in Tetris: pieces); 0: never."""
    judge: Annotated[str, arg(metavar="SPEC")] = ""
    """An agent that searches, or classic: of several random openings, each pair of games gets the one that it finds most even."""
    seed: int = 0
    """The same seed gives the same games (unless an agent thinks by the clock)."""
    threads: int = 0
    """How many games are played at once; 0: one for each processor."""
    json: bool = False
    """Print the result as one JSON object."""

    def run(self) -> None:
        """Play and print."""
        game, agents = parse_game(self.game), [parse_agent(text) for text in self.agents]
        judge = parse_agent(self.judge) if self.judge else None
        if any(spec.text.partition(",")[0] == "human" for spec in (*agents, *([judge] if judge else []))):
            raise SpecError("a match is played by agents alone; to play yourself: tengen play")
        if game.players() == 1:
            self._play_alone(game, agents)
            return
        if len(agents) != 2:
            raise SpecError(f"a match is between two agents, not {len(agents)}; for more: tengen tournament")
        if self.cap:
            raise SpecError("--cap is for games for one: a game of two is played to its end")
        first, second = agents
        opening = OPENING if self.opening is None else self.opening
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
                play_match(game, first, second, self.games, self.seed, threads, opening, on_game, result, judge)
            except KeyboardInterrupt:
                interrupted = True
        sides = screen.side_names(game)
        if self.json:
            screen.print_json(result.as_json(sides))
        else:
            _show(result, sides)
            screen.suggest("\nwatch one:", shlex.join(["tengen", "watch", self.game, *self.agents]))
        if interrupted:
            raise Interrupted(f"stopped after {result.total.games} of {self.games} games; the result counts these")

    def _play_alone(self, game: Game, agents: list[AgentSpec]) -> None:
        if self.judge or self.opening is not None:
            raise SpecError("--judge and --opening are for games of two")
        if not agents:
            raise SpecError("name an agent at least; see tengen list agents")
        result = new_result(game, agents)
        screen.announce_compiling()
        interrupted = False
        with screen.progress_bar() as progress:
            task = progress.add_task(self.game, total=self.games * len(agents))

            def on_game(so_far: SoloResult, played: SoloGame) -> None:
                progress.update(task, advance=1, description=f"{so_far.names[played.agent]}: {played.total:g}")

            try:
                play_solo(
                    game, agents, self.games, self.seed, self.threads or os.cpu_count() or 1, self.cap, on_game, result
                )
            except KeyboardInterrupt:
                interrupted = True
        if self.json:
            screen.print_json(result.as_json())
        else:
            _show_alone(result)
        if interrupted:
            done = sum(len(games) for games in result.games)
            raise Interrupted(f"stopped after {done} of {self.games * len(agents)} games; the result counts these")


def _show_alone(result: SoloResult) -> None:
    table = Table(title="the same games for each agent")
    for column in ("", "games", f"mean {result.unit}", "95 % interval", "mean score", "mean moves", "broken off"):
        table.add_column(column, justify="left" if not column else "right")
    forfeits: list[str] = []
    for name, row in result.as_json().items():
        low, high = row["interval"]  # type: ignore[misc]
        table.add_row(
            name, str(row["games"]), f"{row[f'mean_{result.unit}']:,.1f}", f"{low:,.1f} to {high:,.1f}",  # type: ignore[has-type]
            f"{row['mean_score']:,.0f}", f"{row['mean_moves']:,.0f}", f"{row['capped']:.0%}",
        )  # fmt: skip
        forfeits += row["forfeits"]  # type: ignore[arg-type]
    screen.console.print(table)
    screen.show_forfeits(forfeits)


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
