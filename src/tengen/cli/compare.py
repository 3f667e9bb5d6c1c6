"""``tengen compare``."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass, replace
from typing import Annotated

from rich.markdown import Markdown
from tyro.conf import Positional, arg

from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.compare.figures import as_markdown, curves, table
from tengen.compare.folder import CompareFolder, GamePlayed
from tengen.compare.pictures import draw_curves, draw_simulations
from tengen.compare.running import Watching, play_all, train_all
from tengen.compare.settings import CompareSettings, load_comparison
from tengen.errors import SpecError


@dataclass(frozen=True)
class Compare:
    """Train methods that learn, play all of them and those that learn nothing on the same games, and make one table.

    Everything is kept as it comes: after Ctrl-C, or worse, the same command goes on. With more games, seeds or minutes it goes on
    longer.

    Example: tengen compare tetris

    Example: tengen compare tetris --minutes 5 --seeds 1 --games 100 --name quick
    """

    comparison: Annotated[Positional[str], arg(metavar="COMPARISON")]
    """Its name, or a TOML file of the same form."""
    minutes: float | None = None
    """Processor time of each training."""
    seeds: int | None = None
    """Trainings of each method on each board."""
    games: int | None = None
    """Games of each player; of a method, with the networks of each of its trainings."""
    cap: int | None = None
    """Placements after which a game is broken off."""
    boards: tuple[str, ...] = ()
    """The games, in place of the comparison's."""
    only: tuple[str, ...] = ()
    """Only these methods and players; the games of others stay in the folder."""
    name: str = ""
    """The folder is runs/compare-NAME; by default named as the comparison."""
    json: bool = False
    """Print the table as one JSON object."""

    def run(self) -> None:
        """Train, play, print and draw."""
        settings = self._settings()
        folder = CompareFolder(self.name or self.comparison.rpartition("/")[2].removesuffix(".toml"))
        screen.announce_compiling()
        stopped: list[bool] = []
        previous = signal.signal(signal.SIGINT, lambda *_: stopped.append(True))
        try:
            with screen.progress_bar() as progress:
                task = progress.add_task("", total=1.0)

                def on_training(run: str, seconds: float, wanted: float) -> None:
                    progress.update(task, completed=seconds / wanted, description=f"training {run}")

                def on_game(game: GamePlayed, wanted: int) -> None:
                    description = f"{game.who}: {game.lines:g}"
                    progress.update(task, completed=(game.number + 1) / wanted, description=description)

                watching = Watching(on_training, on_game, lambda: bool(stopped))
                if settings.minutes > 0:
                    train_all(settings, folder, watching)
                if not stopped:
                    play_all(settings, folder, watching)
        finally:
            signal.signal(signal.SIGINT, previous)
        self._show(settings, folder)
        if stopped:
            raise Interrupted("stopped, nothing is lost: the same command goes on")

    def _settings(self) -> CompareSettings:
        settings = load_comparison(self.comparison)
        given = {
            name: getattr(self, name)
            for name in ("minutes", "seeds", "games", "cap")
            if getattr(self, name) is not None
        }
        if self.boards:
            given["boards"] = self.boards
        if self.only:
            names = [learner.label for learner in settings.learners] + list(settings.players)
            for name in self.only:
                if name not in names:
                    raise SpecError(f"{name} is not one of {', '.join(names)}")
            wanted = {settings.owner(one).label for one in settings.learners if one.label in self.only} | {*self.only}
            given["learners"] = tuple(one for one in settings.learners if one.label in wanted)
            given["players"] = tuple(one for one in settings.players if one in self.only)
        return replace(settings, **given)

    def _show(self, settings: CompareSettings, folder: CompareFolder) -> None:
        rows, drawn = table(settings, folder), curves(settings, folder)
        text = as_markdown(rows)
        folder.write("table.md", text)
        folder.write("table.json", json.dumps({"rows": rows}, indent=1))
        for by in ("placements", "minutes"):
            draw_curves(drawn, rows, by, folder.folder / f"lines-{by}.png")
        if any(row["simulations"] for row in rows):
            draw_simulations(rows, folder.folder / "lines-simulations.png")
        if self.json:
            screen.print_json({"rows": rows})
        else:
            screen.console.print(Markdown(text))
            screen.console.print(f"table and plots: {folder.folder}", soft_wrap=True)
