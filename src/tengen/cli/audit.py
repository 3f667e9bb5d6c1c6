"""``tengen audit``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rich.table import Table
from tyro.conf import Positional, arg

from tengen.agents import parse_agent
from tengen.arena.audit import AuditResult, AuditSet, audit, load_set
from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.errors import SpecError
from tengen.games import parse_game
from tengen.games.position import Position


@dataclass(frozen=True)
class Audit:
    """How close to perfect is an agent? In how many positions that can be won and can be spoilt does it keep the win?

    Example: tengen audit hex:4 uct,simulations=200

    Example: tengen audit hex:5 random --positions 1000 --json
    """

    game: Annotated[Positional[str], arg(metavar="GAME")]
    """A game of which there are solved positions: hex:4, hex:5, hex:6."""
    agent: Annotated[Positional[str], arg(metavar="SPEC")]
    """An agent: uct,simulations=1000; see tengen list agents."""
    positions: int = 0
    """How many positions, spread evenly over the set; 0: all."""
    seed: int = 0
    """The same seed gives the same choices."""
    set: Path | None = None
    """A file of positions, made by python -m tengen.arena.audit, instead of the package's own."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Ask for a move in each position, and print."""
        game, spec = parse_game(self.game), parse_agent(self.agent)
        if spec.text.partition(",")[0] == "human":
            raise SpecError("an audit is for agents: it would ask you for thousands of moves")
        solved = AuditSet.load(self.set) if self.set else load_set(game, self.game)
        if solved.cells.shape[1] != len(game.cells(Position(game).array)):
            raise SpecError(f"{self.set} has positions of another board than that of {self.game}")
        screen.announce_compiling()
        with screen.progress_bar() as progress:
            task = progress.add_task(spec.text, total=self.positions or len(solved))
            try:
                result = audit(spec.make(game), solved, self.positions, self.seed, lambda: progress.advance(task))
            except (
                KeyboardInterrupt
            ):  # the positions come by the number of stones: the first ones say nothing of the others
                raise Interrupted("stopped; an audit that is not complete says nothing") from None
        if self.json:
            screen.print_json(result.as_json())
        else:
            _show(result, spec.text, self.game)


def _show(result: AuditResult, name: str, game: str) -> None:
    table = Table(title=f"wins kept in critical positions of {game}")
    for column in ("stones", "positions", name, "random"):
        table.add_column(column, justify="right")
    for row in result.by_ply():
        table.add_row(f"{row['ply']}", f"{row['positions']}", f"{row['perfect']:.1%}", f"{row['random']:.1%}")
    table.add_section()
    table.add_row("all", str(len(result.kept)), f"{result.perfect:.1%}", f"{result.random:.1%}")
    screen.console.print(table)
    low, high = result.interval
    screen.console.print(f"95 % interval {low:.1%} to {high:.1%}")
