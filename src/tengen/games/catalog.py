"""From a text to a game: ``hex:7``, ``hex:11,swap``, ``gomoku:15,exact``, ``tetris:10x20``, ``my_game.py:Connect4,rows=6``."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import sys
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.errors import SpecError
from tengen.games.gomoku import Gomoku
from tengen.games.hex import Hex
from tengen.games.nim import Nim
from tengen.games.pig import Pig
from tengen.games.tetris import Tetris
from tengen.games.tetris_presses import TetrisKeys
from tengen.games.verbs import Game
from tengen.specs import did_you_mean, read_options, split_options


@dataclass(frozen=True)
class Entry:
    """A game of the package."""

    rules: type
    main: str
    """The parameter that stands after the colon."""
    about: str
    second: str = ""
    """The parameter that stands behind an x after the first: 10x20."""


GAMES = {
    "hex": Entry(Hex, "size", "join your two sides; hex:11 · hex:11,swap · hex:5,first=1 (black begins)"),
    "gomoku": Entry(Gomoku, "size", "five in a row; gomoku:15 · gomoku:15,exact · gomoku:3,line=3"),
    "nim": Entry(Nim, "heaps", "take the last stone; nim:3 · nim:3,misere"),
    "pig": Entry(Pig, "turns", "roll or bank, with luck; pig:2 · pig:2,seats=2"),
    "tetris": Entry(
        Tetris,
        "columns",
        "one player, falling pieces; tetris:10x20 · tetris:10x20,bag · tetris:10x10,preview=0,from_above",
        "rows",
    ),
    "tetris-keys": Entry(
        TetrisKeys,
        "columns",
        "the same key by key, without a clock; tetris-keys:10x20 · tetris-keys:10x10,preview=0",
        "rows",
    ),
}


def parse_game(text: str) -> Game:
    """The game that a text names; SpecError with one clear sentence when it names none."""
    text = text.strip()
    if not text.isprintable():  # it would break the one line that says what is wrong
        raise SpecError(f"there is no game called {text!r}")
    file, is_file, rest = text.partition(".py:")  # not the first colon: a path may contain one
    if is_file or text.endswith(".py"):
        return _game_of_file(Path(file + ".py" if is_file else text), rest, text)
    name, _, rest = text.partition(":")
    if name not in GAMES:
        raise SpecError(f"there is no game called {name!r}{did_you_mean(name, GAMES)}")
    entry = GAMES[name]
    first, comma, others = rest.partition(",")
    if first and "=" not in first and first not in getattr(entry.rules, "_fields", ()):
        size, _, more = first.partition("x")
        if entry.second and not (size and more):
            raise SpecError(f"{text}: write {entry.main} and {entry.second} as {name}:10x20")
        first = f"{size},{entry.second}={more}" if entry.second else first
        rest = f"{entry.main}={first}{comma}{others}"
    return _make(entry.rules, rest, text)


def game_spec(game: Game) -> str:
    """The text that names a game, in its shortest form: the inverse of `parse_game`."""
    defaults: dict[str, Any] = getattr(game, "_field_defaults", {})
    values: dict[str, Any] = game._asdict()  # type: ignore[attr-defined]
    for name, entry in GAMES.items():
        if type(game) is entry.rules:
            text = f"{name}:{values.pop(entry.main)}" + (f"x{values.pop(entry.second)}" if entry.second else "")
            break
    else:
        module = sys.modules[type(game).__module__]
        text = f"{module.__file__}:{type(game).__qualname__}"
    for key, value in values.items():
        if value != defaults.get(key):
            text += f",{key}" if value is True else f",{key}={value}"
    return text


def parameter_kinds(rules: type) -> dict[str, type]:
    """The names and types of a game's parameters."""
    hints = typing.get_type_hints(rules)
    return {field: hints[field] for field in getattr(rules, "_fields", ())}


def _make(rules: type, options: str, text: str) -> Game:
    kinds = parameter_kinds(rules)
    values = read_options(split_options(options, text), kinds, text)
    defaults = getattr(rules, "_field_defaults", {})
    missing = [f"{name}=…" for name in kinds if name not in values and name not in defaults]
    if missing:
        raise SpecError(f"{text} needs {', '.join(missing)}")
    game = rules(**values)
    check = getattr(game, "check", None)
    if check is not None:
        try:
            check()
        except ValueError as error:
            raise SpecError(f"{text}: {error}") from None
    return game  # type: ignore[no-any-return]


def _game_of_file(file: Path, rest: str, text: str) -> Game:
    """A game that a user wrote: its file is imported, once, under a name of its own."""
    name, _, options = rest.partition(",")
    if not name:
        raise SpecError(f"{text}: which game of that file? Write {file}:Name")
    if not os.path.isfile(file):  # Path.is_file raises for a name that is too long
        raise SpecError(f"there is no file {file}")
    module = _import_file(file)
    rules = getattr(module, name, None)
    if not isinstance(rules, type) or not hasattr(rules, "legal_moves"):
        games = [n for n, v in vars(module).items() if isinstance(v, type) and hasattr(v, "legal_moves")]
        raise SpecError(f"{file} has no game called {name!r}{did_you_mean(name, games)}")
    return _make(rules, options, text)


def _import_file(file: Path) -> Any:
    path = file.resolve()
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _neighbours(path.parent):
            spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        why = " ".join(str(error).split())  # in one line
        raise SpecError(f"{file} cannot be imported: {type(error).__name__}: {why}") from None
    return module


@contextlib.contextmanager
def _neighbours(folder: Path) -> Iterator[None]:
    """Let a file import its neighbours, and no others of the same name: in another folder `helper` is another module."""
    local = {entry.parent.name for entry in folder.glob("*/__init__.py")} | {
        entry.stem for entry in folder.glob("*.py")
    }
    local -= {"tengen", *sys.stdlib_module_names}
    others = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in local}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] in local]:
            origin = getattr(sys.modules[name], "__file__", None)
            if origin is None or Path(origin).resolve().is_relative_to(folder):
                del sys.modules[name]
        sys.modules.update(others)
