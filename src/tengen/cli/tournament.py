"""``tengen tournament``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional, arg

from tengen.agents import parse_agent
from tengen.arena.topp import OPENING, Topp
from tengen.cli import screen
from tengen.cli.topp import show_table
from tengen.errors import SpecError
from tengen.games import parse_game


@dataclass(frozen=True)
class Tournament:
    """A round robin of agents, with ratings.

    Example: tengen tournament hex:7 random uct,simulations=100 uct,simulations=1000 flat
    """

    game: Annotated[Positional[str], arg(metavar="GAME")]
    """The game; see tengen list games."""
    agents: Annotated[Positional[tuple[str, ...]], arg(metavar="SPEC")]
    """Two agents or more; see tengen list agents."""
    games: int = 50
    """Games of each pair."""
    opening: int = OPENING
    """How many random moves each pair of games begins with."""
    seed: int = 0
    """The same seed gives the same games (unless an agent thinks by the clock)."""
    threads: int = 0
    """How many games are played at once; 0: one for each processor."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Play and print."""
        game, specs = parse_game(self.game), [parse_agent(text) for text in self.agents]
        if any(spec.text.partition(",")[0] == "human" for spec in specs):
            raise SpecError("a tournament is played by agents alone; to play yourself: tengen play")
        topp = Topp(game, specs, self.agents)
        screen.announce_compiling()
        with screen.progress_bar() as progress:
            task = progress.add_task("pairs", total=len(specs) * (len(specs) - 1) // 2)
            threads = self.threads or os.cpu_count() or 1
            result = topp.play(self.games, self.seed, threads, self.opening, lambda *_: progress.advance(task))
        if self.json:
            screen.print_json(result.as_json())
        else:
            show_table(result, self.games, "agent")
