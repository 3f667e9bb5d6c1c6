"""``tengen train`` and ``tengen resume``."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.table import Table

from tengen.cli import screen
from tengen.cli.main import Interrupted, one_line
from tengen.cli.recorded import show_end
from tengen.errors import SpecError, TengenError
from tengen.games import parse_game
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory
from tengen.training.config import RunConfig, config_from, load_preset

# The names of the settings that people change every minute.
SHORT = {
    "--games": "--training.games", "--nets": "--training.nets", "--topp-games": "--training.topp-games",
    "--batch": "--training.batch", "--search-games": "--search.simulations", "--lr": "--network.learning-rate",
    "--layers": "--network.layers", "--activation": "--network.activation", "--optimizer": "--network.optimizer",
    "--threads": "--selfplay.threads", "--slots": "--selfplay.slots",
}  # fmt: skip

TRAIN_HELP = f"""\
usage: tengen train PRESET [--name NAME] [--show] [settings]

Train a network by self-play. A new run is made under runs/; it can be interrupted, and goes on with tengen resume NAME.

Example: tengen train on-policy

Example: tengen train on-policy --game hex:4 --games 100 --search-games 50 --layers 64,64 --activation tanh --lr 0.01

short names: {", ".join(["--game", "--seed", *SHORT])}
every setting: --training.… --search.… --network.… --selfplay.…  (tengen train PRESET --help lists them with their values)
"""

RESUME_HELP = """\
usage: tengen resume RUN [--show] [settings]

Go on with a run that was stopped, killed or interrupted. Settings given here are changed from now on, and the change is recorded.

Example: tengen resume on-policy

Example: tengen resume on-policy --games 400
"""


@dataclass(frozen=True)
class Train:
    """A run to be made."""

    config: RunConfig
    name: str
    show: bool

    def run(self) -> None:
        parse_game(self.config.game)  # before anything is made
        run = RunDirectory.create(self.name, self.config.as_dict())
        _train(run, self.config, self.show)


@dataclass(frozen=True)
class Resume:
    """A run that goes on."""

    directory: RunDirectory
    config: RunConfig
    show: bool

    def run(self) -> None:
        before = config_from(self.directory.read_config(), self.directory.name)
        if self.config != before:
            rate = before.network.learning_rate  # the only part of the network that may change
            fixed: dict[str, tuple[object, object]] = {
                "game": (before.game, self.config.game),
                "seed": (before.seed, self.config.seed),
                "network": (before.network, replace(self.config.network, learning_rate=rate)),
            }
            for name, (old, new) in fixed.items():
                if old != new:
                    raise SpecError(f"{name} cannot change in a run that has begun: make a new one with tengen train")
            self.directory.change_config(self.config.as_dict(), self._games_so_far())
        _train(self.directory, self.config, self.show)

    def _games_so_far(self) -> int:
        if not self.directory.games.exists():
            return 0
        store = RecordStore(self.directory.games)
        try:
            return len(store)
        finally:
            store.close()


def read_train(arguments: Sequence[str]) -> Train:
    """From the command line."""
    preset, rest = _subject(arguments, TRAIN_HELP, "train")
    rest, name, show = _own_options(rest)
    config = _override(load_preset(preset), rest, f"tengen train {preset}")
    return Train(config, name or preset.rpartition("/")[2].removesuffix(".toml"), show)


def read_resume(arguments: Sequence[str]) -> Resume:
    """From the command line."""
    text, rest = _subject(arguments, RESUME_HELP, "resume")
    rest, name, show = _own_options(rest)
    if name:
        raise SpecError("a run keeps its name: leave out --name")
    directory = RunDirectory.find(text)
    config = config_from(directory.read_config(), directory.name)
    return Resume(directory, _override(config, rest, f"tengen resume {text}"), show)


def _subject(arguments: Sequence[str], text: str, command: str) -> tuple[str, list[str]]:
    if not arguments or arguments[0] in ("-h", "--help"):
        if arguments:
            print(text)
            sys.exit(0)
        raise SpecError(f"{'which preset' if command == 'train' else 'which run'}? see tengen {command} --help")
    return arguments[0], list(arguments[1:])


def _own_options(arguments: list[str]) -> tuple[list[str], str, bool]:
    rest, name, show = [], "", False
    words = iter(arguments)
    for word in words:
        if word == "--show":
            show = True
        elif word == "--name":
            name = next(words, "")
        else:
            rest.append(word)
    return rest, name, show


def _override(config: RunConfig, arguments: list[str], prog: str) -> RunConfig:
    """Settings from the command line over those of a preset or run; unknown ones are errors."""
    import tyro

    words: list[str] = []
    for word in arguments:
        option, equals, value = word.partition("=")
        option = SHORT.get(option, option)
        is_layers = bool(words) and words[-1] == "--network.layers" and not word.startswith("--")
        words += word.replace(",", " ").split() if is_layers else [option + equals + value]
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.cli(RunConfig, prog=prog, args=words, default=config, config=(tyro.conf.FlagCreatePairsOff,))
    except SystemExit as end:
        if end.code in (0, None):
            raise
        raise TengenError(f"{one_line(complaint.getvalue())}; see {prog} --help") from None


class _View:
    """What the terminal shows while a run goes on."""

    def __init__(self, config: RunConfig, run: RunDirectory, show: bool) -> None:
        self.config, self.run, self.show = config, run, show
        self.game = parse_game(config.game)
        self.recent: deque[Any] = deque(maxlen=50)
        self.began = time.monotonic()
        self.live: Live | None = None

    def on_game(self, progress: Any) -> None:
        self.recent.append(progress)
        if self.live:
            self.live.update(self.table())
        if self.show:
            show_end(progress.record, self.game)

    def table(self) -> Group:
        last = self.recent[-1]
        total = self.config.training.games
        seconds = max(last.seconds, 1e-9)
        first = self.recent[0]
        span = max(last.seconds - first.seconds, 1e-9)
        rate = (len(self.recent) - 1) / span if len(self.recent) > 1 else 0.0
        grid = Table.grid(padding=(0, 2))
        rows = {
            "games": f"{last.games} of {total}",
            "games/min": f"{60 * rate:.0f}",
            "time left": f"{(total - last.games) / rate:.0f} s" if rate else "…",
            "evaluations/s": f"{last.evaluations / seconds:,.0f}",
            **{name.replace("_", " "): f"{value:.3f}" for name, value in last.losses.items()},
            "game length": f"{sum(len(p.record.moves) for p in self.recent) / len(self.recent):.1f}",
            "first player won": f"{sum(p.record.winner == p.record.first for p in self.recent) / len(self.recent):.0%}",
            "age of replayed cases": f"{last.age:.0f} steps",
        }
        for name, value in rows.items():
            grid.add_row(name, value)
        return Group(f"[bold]{self.run.name}[/bold]  {self.config.game}", grid)


def _train(run: RunDirectory, config: RunConfig, show: bool) -> None:
    with screen.errors.status("loading the network library …"):
        from tengen.training.loop import Events, train

    screen.announce_compiling()
    view = _View(config, run, show)
    stopped = []
    previous = signal.signal(signal.SIGINT, lambda *_: stopped.append(True))  # the loop ends after the next game
    try:
        events = Events(view.on_game, None, lambda: bool(stopped))
        if screen.errors.is_terminal and not show:
            with Live(console=screen.errors, refresh_per_second=4) as live:
                view.live = live
                learner = train(run, config, events)
        else:
            learner = train(run, config, events)
    finally:
        signal.signal(signal.SIGINT, previous)
    nets = run.net_files()
    screen.console.print(
        f"{learner.games} games, {learner.steps} steps; {len(nets)} networks in {run.nets}\n", soft_wrap=True
    )
    if stopped and learner.games < config.training.games:
        raise Interrupted(f"stopped after {learner.games} games, nothing is lost: tengen resume {run.name}")
    screen.suggest("how good are they? ", f"tengen topp {run.name}")
    screen.suggest("watch it play:     ", f"tengen watch {config.game} net:{nets[-1]} uct,simulations=1000")
    screen.suggest("play against it:   ", f"tengen play {config.game} --against net:{nets[-1]}")
