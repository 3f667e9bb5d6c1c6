"""``tengen bench``."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from rich.table import Table

from tengen import bench
from tengen.cli import screen
from tengen.errors import SpecError


@dataclass(frozen=True)
class Bench:
    """Measure the search beside OpenSpiel's, in turn, on this machine.

    Example: tengen bench

    Example: tengen bench --seconds 3 --rounds 9 --json
    """

    seconds: float = 1.0
    """How long each program runs in a round."""
    rounds: int = 5
    """How often the two take turns."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Measure and print."""
        if not 0 < self.seconds <= 3600 or self.rounds < 1:
            raise SpecError("seconds is above 0, at most 3600, and rounds at least 1")
        screen.announce_compiling()
        figures = {}
        with screen.errors.status("measuring …") as status:
            for name, figure in bench.measure(self.seconds, self.rounds):
                figures[name] = figure
                status.update(f"{name}: {figure.ratio:.1f}×")
        if self.json:
            screen.print_json({name: asdict(figure) for name, figure in figures.items()})
            return
        table = Table("what", "ours, simulations/s", "beside it", "ratio")
        for name, figure in figures.items():
            table.add_row(name, f"{figure.ours:,.0f}", f"{figure.peer:,.0f}", f"{figure.ratio:.2f}×")
        screen.console.print(table)
        screen.console.print("search/…: beside OpenSpiel's C++ MCTSBot.  threads/…: two threads beside one.")
