"""``tengen list``."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Literal

import docstring_parser
from rich.table import Table
from tyro.conf import Positional, arg

from tengen.agents import AGENTS
from tengen.agents.targets import shipped_names
from tengen.cli import screen
from tengen.errors import TengenError
from tengen.games.catalog import GAMES, parameter_kinds
from tengen.runs.directory import RunDirectory, list_runs
from tengen.search import SearchSettings
from tengen.training.config import PRESETS, config_from, load_preset


@dataclass(frozen=True)
class List:
    """The games, agents, presets and runs there are.

    Example: tengen list agents

    Example: tengen list runs
    """

    what: Annotated[Positional[Literal["games", "agents", "presets", "runs"]], arg(metavar="games|agents|presets|runs")]
    """What to list."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Print the list."""
        rows = {"games": _games, "agents": _agents, "presets": _presets, "runs": _runs}[self.what]()
        if self.json:
            screen.print_json({name: {"about": about, "options": options} for name, about, options in rows})
            return
        if not rows:
            screen.console.print("there are none yet: [bold]tengen train on-policy[/bold] makes one")
            return
        table = Table(
            "name", "what it is", "settings" if self.what in ("presets", "runs") else "options", show_lines=True
        )
        for name, about, options in rows:
            shown = ", ".join(f"{key}={value}" for key, value in options.items())
            if self.what == "agents":
                name += f":{AGENTS[name].target}" if AGENTS[name].target else ""
                shown = "see below" if len(options) > 2 else shown
            table.add_row(name, about, shown)
        screen.console.print(table)
        if self.what == "agents":
            screen.console.print(_search_options())
        screen.console.print(f"\n{_NEXT[self.what].format(name=rows[-1][0], shipped=', '.join(shipped_names()))}")


_NEXT = {
    "games": "your own: [bold]my_game.py:Name,option=value[/bold]",
    "agents": "write an agent as [bold]uct,simulations=5000,c=0.7[/bold] or [bold]net,move=sample:NETWORK[/bold]; NETWORK is a "
    "file, a run (its best network, else its last), or one that ships: {shipped}",
    "presets": "train one: [bold]tengen train {name}[/bold]",
    "runs": "do later networks win? [bold]tengen topp {name}[/bold]",
}

Row = tuple[str, str, dict[str, object]]
Rows = list[Row]


def _presets() -> Rows:
    rows: Rows = []
    for file in sorted(PRESETS.glob("*.toml")):
        config = load_preset(file.stem)
        about = file.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
        rows.append((file.stem, about, {"game": config.game, "games": config.training.games}))
    return rows


def _runs() -> Rows:
    rows: Rows = []
    for run in list_runs():
        try:
            rows.append(_run(run))
        except TengenError as error:  # the others are still there
            rows.append((run.name, f"cannot be read: {error}", {}))
    return rows


def _run(run: RunDirectory) -> Row:
    config = config_from(run.read_config(), run.name)
    nets = run.net_files()
    trained = int(nets[-1].stem) if nets else 0
    about = f"{len(nets)} networks, the last after {trained} games"
    best = run.read_best()
    if best:
        low, high = best["interval"]
        games = int(str(best["net"]).partition(".")[0])
        about += f"; the best after {games}: rating {best['rating']:+.0f}, 95 % interval {low:+.0f} to {high:+.0f}"
    return run.name, about, {"game": config.game, "games": config.training.games}


def _games() -> Rows:
    rows = []
    for name, entry in GAMES.items():
        defaults: dict[str, object] = getattr(entry.rules, "_field_defaults", {})
        rows.append((name, entry.about, {key: defaults.get(key) for key in parameter_kinds(entry.rules)}))
    return rows


def _agents() -> Rows:
    defaults: dict[str, object] = {field.name: field.default for field in fields(SearchSettings)}
    return [
        (name, entry.about, {key: entry.defaults.get(key, defaults.get(key)) for key in entry.options})
        for name, entry in AGENTS.items()
    ]


def _search_options() -> Table:
    """The options of every agent that searches, each with its sentence from the settings themselves."""
    title = "options of uct, ucb1, puct, flat and zero"
    table = Table("option", "default", "what it does", title=title, show_lines=True)
    about = {p.arg_name: p.description for p in docstring_parser.parse_from_object(SearchSettings).params}
    zero = AGENTS["zero"].defaults
    for field in fields(SearchSettings):
        default = "by rule" if field.default is None else str(field.default)
        if field.name in zero:
            default += f" (zero: {zero[field.name]})"
        only = "" if field.name in AGENTS["uct"].options else "zero alone. "
        table.add_row(field.name, default, only + " ".join((about.get(field.name) or "").split()))
    return table
