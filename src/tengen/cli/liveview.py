"""What the terminal shows while a run goes on, and the keys that change it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tengen.cli import screen
from tengen.cli.keys import Keys
from tengen.cli.recorded import end_of, show_end
from tengen.games import parse_game
from tengen.training.config import RunConfig

if TYPE_CHECKING:  # the loop needs Keras, its settings do not
    from tengen.training.loop import Progress

RECENT = 50
"""Games over which speeds and means are taken."""

REDRAW_EVERY = 0.25  # seconds


class LiveView:
    """A context in which a run is shown. Without a terminal it is silent, but for the boards that were asked for."""

    def __init__(self, config: RunConfig, name: str, show: bool, stop: Callable[[], object]) -> None:
        self.config, self.name, self.show = config, name, show
        self.game = parse_game(config.game)
        self.recent: deque[Progress] = deque(maxlen=RECENT)
        self._stop = stop
        self._is_stopping = False
        self._drawn = 0.0
        self._live: Live | None = None
        self._keys = Keys(self._on_key)
        self._open = contextlib.ExitStack()

    def __enter__(self) -> LiveView:
        if screen.errors.is_terminal:
            with contextlib.ExitStack() as opening:  # what is open already is closed if the rest fails
                opening.enter_context(_told_to_end(self._give_terminal_back))
                opening.enter_context(self._keys)
                opening.callback(screen.errors.show_cursor, True)  # hidden by the view, even if it does not come up
                live = Live(self.table(), console=screen.errors, refresh_per_second=4, redirect_stdout=False)
                self._live = opening.enter_context(live)
                self._open = opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._draw()
        self._live = None
        self._open.close()

    def on_game(self, progress: Progress) -> None:
        """Take note of a game that has ended."""
        self.recent.append(progress)
        if self.show:
            self._show(progress)
        if time.monotonic() - self._drawn > REDRAW_EVERY:
            self._draw()

    def stop(self) -> None:
        """Have the run end after the game in progress."""
        self._is_stopping = True
        self._stop()
        self._draw()

    def table(self) -> Group:
        """The figures, and what can be pressed."""
        recent = list(self.recent)  # a copy: a key may have it drawn while a game is added
        grid = Table.grid(padding=(0, 2))
        for name, value in self._figures(recent).items() if recent else ():
            grid.add_row(name, value)
        shown = f"the boards of games are {'shown' if self.show else 'hidden'}"
        if self._is_stopping:
            footer = "stopping after the game in progress …"
        elif self._keys.are_read:
            footer = f"{shown} · s: {'hide' if self.show else 'show'} them · q or Ctrl-C: stop, everything is kept"
        else:
            footer = "Ctrl-C: stop, everything is kept"
        return Group(f"[bold]{self.name}[/bold]  {self.config.game}", grid, Text(footer, style="dim"))

    def _figures(self, recent: list[Progress]) -> dict[str, str]:
        first, last, total = recent[0], recent[-1], self.config.training.games
        span = last.seconds - first.seconds
        rate = (len(recent) - 1) / span if span > 0 else 0.0
        speed = f"{(last.evaluations - first.evaluations) / span:,.0f}" if span > 0 else "…"
        rows = {
            "games": f"{last.games} of {total}",
            "games/min": f"{60 * rate:.0f}" if rate else "…",
            "time left": screen.duration_text((total - last.games) / rate) if rate else "…",
            "evaluations/s": speed,
        }
        taught = next((progress for progress in reversed(recent) if progress.losses), None)
        if taught:  # some runs do not learn after every game
            rows |= {name.replace("_", " "): f"{value:.3f}" for name, value in taught.losses.items()}
            rows["entropy of the search"] = f"{taught.search_entropy:.1f} moves"
            rows["entropy of the network"] = f"{taught.network_entropy:.1f} moves"
            rows["age of replayed cases"] = f"{taught.age:.0f} steps"
        rows["game length"] = f"{sum(len(p.record.moves) for p in recent) / len(recent):.1f} moves"
        return rows | self._results(recent)

    def _results(self, recent: list[Progress]) -> dict[str, str]:
        if self.game.players() == 1:
            return {"points": f"{sum(p.record.returns[0] for p in recent) / len(recent):.1f}"}
        winners = [p.record.winner for p in recent]
        lately = f"of the last {len(recent)}"
        names = screen.side_names(self.game)
        rows = {
            f"won by {name}": f"{recent[-1].results[player]}, {winners.count(player)} {lately}"
            for player, name in enumerate(names)
        }
        if recent[-1].results[2]:
            rows["drawn"] = f"{recent[-1].results[2]}, {winners.count(None)} {lately}"
        if self.config.selfplay.resign:
            seen = recent[-1].resignations
            rows["given up"] = f"{seen.given_up}; would have been wrong in {seen.wrong} of {seen.checked} played out"
        return rows

    def _on_key(self, key: str) -> None:
        if key == "s":
            self.show = not self.show
            self._draw()
        elif key == "q":
            self.stop()

    def _draw(self) -> None:
        if self._live:
            self._live.update(self.table(), refresh=False)
            self._drawn = time.monotonic()

    def _show(self, progress: Progress) -> None:
        if self._live and sys.stdout.isatty():  # above the figures, not into them
            title, position = end_of(progress.record, self.game)
            self._live.console.print(Text(title, style="bold"), Text.from_ansi(screen.board_text(position)), sep="\n")
        else:
            show_end(progress.record, self.game)

    def _give_terminal_back(self) -> None:
        self._keys.restore()
        screen.errors.show_cursor(True)


@contextlib.contextmanager
def _told_to_end(clean_up: Callable[[], None]) -> Iterator[None]:
    """Clean up when the process is told to end (SIGTERM), which it then does as it would have done."""

    def end(number: int, frame: FrameType | None) -> None:
        clean_up()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    previous = signal.getsignal(signal.SIGTERM)
    if previous != signal.SIG_DFL:  # somebody else sees to it
        yield
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
