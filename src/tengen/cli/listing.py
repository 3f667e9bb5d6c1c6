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
from tengen.search import SearchSettings


@dataclass(frozen=True)
class List:
    """The games and agents there are, with their options.

    Example: tengen list agents
    """

    what: Annotated[Positional[Literal["games", "agents"]], arg(metavar="games|agents")]
    """What to list."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Print the list."""
        rows = _games() if self.what == "games" else _agents()
        if self.json:
            screen.print_json({name: {"about": about, "options": options} for name, about, options in rows})
            return
        table = Table("name", "what it is", "options", show_lines=self.what == "games")
        for name, about, options in rows:
            shown = ", ".join(f"{key}={value}" for key, value in options.items())
            table.add_row(name, about, shown if self.what == "games" else "see below" if options else "")
        screen.console.print(table)
        if self.what == "agents":
            screen.console.print(_search_options())
            screen.console.print("\nwrite an agent as [bold]uct,simulations=5000,c=0.7[/bold]")
        else:
            screen.console.print("\nyour own: [bold]my_game.py:Name,option=value[/bold]")


def _games() -> list[tuple[str, str, dict[str, object]]]:
    rows = []
    for name, entry in GAMES.items():
        defaults: dict[str, object] = getattr(entry.rules, "_field_defaults", {})
        rows.append((name, entry.about, {key: defaults.get(key) for key in parameter_kinds(entry.rules)}))
    return rows


def _agents() -> list[tuple[str, str, dict[str, object]]]:
    defaults = {field.name: field.default for field in fields(SearchSettings)}
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
