"""``tengen bench``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from rich.table import Table
from tyro.conf import Positional, arg

from tengen import bench
from tengen.cli import screen
from tengen.errors import SpecError


@dataclass(frozen=True)
class Bench:
    """Measure speed on this machine, beside other programs, in turn.

    search/GAME: tree search beside OpenSpiel's.  threads/GAME: two threads beside one.  selfplay/NETWORK: self-play beside
    ONNX Runtime alone.  tetris/placements: random play beside the same rules as plain Python; tetris/search: a search of Tetris
    without a network beside random placements alone.  int8/NETWORK: self-play in eight bits beside thirty-two.

    Example: tengen bench

    Example: tengen bench "selfplay/*" --seconds 3 --rounds 9 --json

    Example: tengen bench --peer ../AlphaZero_Gomoku
    """

    only: Annotated[Positional[tuple[str, ...]], arg(metavar="NAME")] = ()
    """What to measure: names as above, * stands for anything; all, where none is given."""
    seconds: float = 1.0
    """How long each program runs in a round."""
    rounds: int = 5
    """How often the two take turns."""
    peer: Annotated[Path | None, arg(metavar="FOLDER")] = None
    """Your clone of github junxiaosong/AlphaZero_Gomoku: self-play with its network's shape runs beside it; needs PyTorch."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Measure and print."""
        if not 0 < self.seconds <= 3600 or self.rounds < 1:
            raise SpecError("seconds is above 0, at most 3600, and rounds at least 1")
        if not bench.names(self.only, self.peer):
            raise SpecError(f"nothing is called that; there are {', '.join(bench.names((), self.peer))}")
        screen.announce_compiling()
        figures = {}
        with screen.errors.status("measuring …") as status:
            for name, figure in bench.measure(self.seconds, self.rounds, self.only, self.peer):
                figures[name] = figure
                status.update(f"{name}: {figure.ratio:.2f}×")
        if self.json:
            screen.print_json({name: asdict(figure) for name, figure in figures.items()})
            return
        table = Table("what", "ours", "beside it", "ratio", "a second; beside")
        for name, figure in figures.items():
            speeds = f"{figure.ours:,.0f}", f"{figure.peer:,.0f}", f"{figure.ratio:.2f}×"
            table.add_row(name, *speeds, f"{figure.unit}; {figure.beside}")
        screen.console.print(table)
