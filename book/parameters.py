"""Writes docs/parameters.md: every parameter with its default, its sentence and the papers' value, read from the code itself.

    python book/parameters.py

`tests/book/test_parameters.py` fails when the page no longer says what the code says.
"""

from __future__ import annotations

import itertools
import re
import tomllib
import typing
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any

import docstring_parser

from tengen.agents import AGENTS
from tengen.agents.levels import LEVELS
from tengen.arena.ladder import LADDERS
from tengen.games.catalog import GAMES, parameter_kinds
from tengen.search import SearchSettings
from tengen.search.settings import DEFAULT_C
from tengen.training.config import PRESETS, RunConfig, load_preset

PAGE = Path(__file__).parent.parent / "docs" / "parameters.md"

SECTIONS = {name: kind for name, kind in typing.get_type_hints(RunConfig).items() if is_dataclass(kind)}
"""The tables of a run's settings, as they are in TOML."""

_PAPERS = re.compile(
    r" ?\(((?:AlphaGo|AlphaZero|KataGo|the slides|the report|the paper|the assignment)[^()]*: ?[^()]*)\)"
)


def page() -> str:
    """The whole page."""
    parts = [
        "# Every parameter\n",
        "This page is generated from the code by `python book/parameters.py`; a test fails when the two differ. Where a paper or",
        "one of the documents behind the project states a value, it stands in the last column. `tengen list agents`,",
        "`tengen train PRESET --help` and `tengen list presets` show the same in the terminal. A setting that would do nothing",
        "beside the others is refused.",
        "",
        "An agent takes the settings of the search as `uct,simulations=5000,c=0.7`; a run takes all of them on its command line,",
        "`tengen train PRESET --search.c 0.7 --training.games 400`, or from a TOML file with the tables `[search]`,",
        "`[training]`, `[network]`, `[selfplay]` and `[rating]`.\n",
    ]
    for name, settings in SECTIONS.items():
        about = " ".join((settings.__doc__ or "").split())
        parts += [f"## `[{name}]`\n", f"{about}\n", *_settings_table(settings), ""]
        if settings is SearchSettings:
            by_rule = ", ".join(f"`{rule}` {c:g}" for rule, c in DEFAULT_C.items() if rule != "flat")
            parts += [f"The default of `c` by rule: {by_rule}; `flat` has none.\n"]
    parts += _agents() + _ladders() + _games() + _presets()
    return "\n".join(parts).rstrip() + "\n"


def _settings_table(settings: Any) -> list[str]:
    about = {p.arg_name: p.description or "" for p in docstring_parser.parse_from_object(settings).params}
    rows = []
    for one in fields(settings):
        sentence, papers = _split_papers(about[one.name])
        rows.append((f"`{one.name}`", _default(one), sentence, papers))
    return _table(("setting", "default", "what it does", "in the papers"), rows)


def _split_papers(text: str) -> tuple[str, str]:
    """A sentence, and what it says of papers in brackets."""
    text = " ".join(text.split())
    papers = [match.strip() for match in _PAPERS.findall(text)]
    return _PAPERS.sub("", text), "; ".join(papers)


def _default(one: Field[Any]) -> str:
    value = one.default if one.default is not MISSING else one.default_factory()  # type: ignore[misc]
    return "by rule" if value is None else f"`{_written(value)}`"


def _written(value: object) -> str:
    """A value as it is typed on the command line or in TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(str, value)) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]


def _agents() -> list[str]:
    usual = {one.name: one.default for one in fields(SearchSettings)}
    rows = []
    for name, entry in AGENTS.items():
        written = f"{name}:{entry.target}" if entry.target else name
        own = {key: entry.defaults.get(key, usual.get(key)) for key in entry.options}
        if len(own) > len(usual) // 2:  # it searches: what differs from the table above
            only = [f"`{key}={_written(value)}`" for key, value in entry.defaults.items()]
            left_out = [key for key in usual if key not in own and key != "selection"]
            options = "all of `[search]`" + (f", with {', '.join(only)}" if only else "")
            if left_out:
                options += "; but not " + ", ".join(f"`{key}`" for key in left_out) + ", which need a network"
        else:
            options = ", ".join(f"`{key}={_written(value)}`" for key, value in own.items()) or "none"
        rows.append((f"`{written}`", entry.about, options))
    searching = [row for row in rows if "need a network" in row[2]]
    if len({row[2].split(";")[1] for row in searching}) == 1:  # said once
        note = searching[0][2].split("; but not ")[1].partition(", which")[0]
        rows = [(name, about, options.split("; but not")[0]) for name, about, options in rows]
        told = [f"Agents without a network have no {note}.\n"]
    else:
        told = []
    levels = [
        (
            f"`{level.name}`",
            level.about,
            f"{level.simulations:g}" if level.simulations else "by the clock: 4 seconds a move",
        )
        for level in LEVELS.values()
    ]
    return [
        "## Agents\n", "Written `name,option=value,…` or `name,option=value,…:TARGET`.\n",
        *_table(("agent", "what it is", "options and their defaults"), rows), "", *told,
        "### Levels\n", "Where a person plays, these names stand for a `uct` of their strength.\n",
        *_table(("level", "what it is", "simulations for each move of the game"), levels), "",
    ]  # fmt: skip


def _ladders() -> list[str]:
    rows = [(f"`{name}`", " · ".join(f"`{rung}`" for rung in rungs)) for name, rungs in LADDERS.items()]
    return [
        "## Ladders\n",
        "The graded opponents of `tengen tournament GAME SPEC --against ladder`, weakest first; see [the ladder](ladder.md).\n",
        *_table(("game", "rungs"), rows), "",
    ]  # fmt: skip


def _games() -> list[str]:
    rows = []
    for name, entry in GAMES.items():
        defaults: dict[str, Any] = getattr(entry.rules, "_field_defaults", {})
        own = ", ".join(f"`{key}={_written(defaults[key])}`" for key in parameter_kinds(entry.rules) if key in defaults)
        rows.append((f"`{name}`", entry.about.replace(" · ", ", "), own))
    return ["## Games\n", *_table(("game", "what it is", "parameters and their defaults"), rows), ""]


def _presets() -> list[str]:
    parts = [
        "## Presets\n",
        "What each preset sets, where that is not the default. The comment is the preset's own line.\n",
    ]
    for file in sorted(PRESETS.glob("*.toml")):
        text = file.read_text(encoding="utf-8")
        config = load_preset(file.stem)
        lines = itertools.takewhile(lambda line: line.startswith("#"), text.splitlines())
        title = " ".join(line.lstrip("# ") for line in lines)
        parts += [f"### `{file.stem}`\n", f"{title} Game: `{config.game}`.\n"]
        rows = []
        for section, values in tomllib.loads(text).items():
            if not isinstance(values, dict):
                continue
            usual = {one.name: _default(one) for one in fields(SECTIONS[section])}
            for key, value in values.items():
                if f"`{_written(value)}`" != usual[key]:
                    rows.append(
                        (f"`{section}.{key}`", usual[key], f"`{_written(value)}`", _comment(text, section, key))
                    )
        parts += [*_table(("setting", "default", "here", "why"), rows), ""]
    return parts


def _comment(text: str, section: str, key: str) -> str:
    """What stands behind a setting in a preset."""
    part = text.partition(f"[{section}]")[2].partition("\n[")[0]
    match = re.search(rf"^{key} *=[^#\n]*#([^\n]*)", part, re.MULTILINE)
    return " ".join(match[1].split()).rstrip(";,") if match else ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
