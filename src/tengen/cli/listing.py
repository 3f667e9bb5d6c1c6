"""``tengen list``."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Literal

import docstring_parser
from rich.table import Table
from tyro.conf import Positional, arg

from tengen.agents import AGENTS
from tengen.cli import screen
from tengen.games.catalog import GAMES, parameter_kinds
from tengen.runs.directory import list_runs
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
            table.add_row(name, about, "see below" if self.what == "agents" and len(options) > 2 else shown)
        screen.console.print(table)
        if self.what == "agents":
            screen.console.print(_search_options())
        screen.console.print(f"\n{_NEXT[self.what].format(name=rows[-1][0])}")


_NEXT = {
    "games": "your own: [bold]my_game.py:Name,option=value[/bold]",
    "agents": "write an agent as [bold]uct,simulations=5000,c=0.7[/bold] or [bold]net,move=sample:FILE[/bold]",
    "presets": "train one: [bold]tengen train {name}[/bold]",
    "runs": "do later networks win? [bold]tengen topp {name}[/bold]",
}

Rows = list[tuple[str, str, dict[str, object]]]


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
        config = config_from(run.read_config(), run.name)
        nets = run.net_files()
        trained = int(nets[-1].stem) if nets else 0
        about = f"{len(nets)} networks, the last after {trained} games"
        rows.append((run.name, about, {"game": config.game, "games": config.training.games}))
    return rows


def _games() -> Rows:
    rows = []
    for name, entry in GAMES.items():
        defaults: dict[str, object] = getattr(entry.rules, "_field_defaults", {})
        rows.append((name, entry.about, {key: defaults.get(key) for key in parameter_kinds(entry.rules)}))
    return rows


def _agents() -> Rows:
    defaults = {field.name: field.default for field in fields(SearchSettings)}
    defaults |= {"move": "greedy", "epsilon": defaults["epsilon"]}
    return [(name, entry.about, {key: defaults[key] for key in entry.options}) for name, entry in AGENTS.items()]


def _search_options() -> Table:
    """The options of every agent that searches, each with its sentence from the settings themselves."""
    table = Table("option", "default", "what it does", title="options of uct, ucb1, puct and flat", show_lines=True)
    about = {p.arg_name: p.description for p in docstring_parser.parse_from_object(SearchSettings).params}
    searching = AGENTS["uct"].options
    for field in fields(SearchSettings):
        if field.name in searching:
            default = "by rule" if field.default is None else str(field.default)
            table.add_row(field.name, default, " ".join((about.get(field.name) or "").split()))
    return table
