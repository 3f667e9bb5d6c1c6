"""What compiled code is made from: a file and all that it imports, as far as it is ours or the user's.

Found by reading, not by running, and quickly, since every process that searches does it: the word `import` in a text is
taken for an import, so a file too many may be found, but none too few.
"""

from __future__ import annotations

import functools
import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent

_FROM = re.compile(r"\bfrom\s+(\.*)([\w.]*)\s+import\s+(\([^)]*\)|[^\n;]*)")
_IMPORT = re.compile(r"(?:^|[;:])[ \t]*import\s+([^\n;#]*)", re.MULTILINE)
_NAME = re.compile(r"(?:^|,)\s*([\w.]+)")


@functools.cache
def key_of(origin: type | Callable[..., object]) -> str | None:
    """A hash of what a game or a kernel is made from; None where that cannot be found again (typed into a session)."""
    if isinstance(origin, type):
        file = getattr(sys.modules.get(origin.__module__), "__file__", None)
    else:  # a neighbour of a user's game is no longer listed among the modules
        file = origin.__globals__.get("__file__")
    if origin.__module__ == "__main__" or file is None:
        return None
    key = hashlib.sha256()
    for source in sources(Path(file)):
        key.update(source.name.encode() + b"\0" + _bytes(source))
    return key.hexdigest()[:16]


def sources(file: Path) -> list[Path]:
    """`file` and every module it imports, directly or not, that lies in its folder or below, or in this package."""
    first = file.resolve()
    folder, found, waiting = first.parent, set(), [first]
    while waiting:
        source = waiting.pop()
        if source in found or not source.is_file():
            continue
        found.add(source)
        if PACKAGE in source.parents:
            waiting += _in_package(source)
        else:
            waiting += _in_package(source) + list(_beside(source, folder))
    return sorted(found)


@functools.cache
def _bytes(source: Path) -> bytes:
    return source.read_bytes()


def _imports(source: Path) -> Iterator[tuple[str, list[str]]]:
    """Of each import in a file the module (with its dots, where it is relative) and the names taken from it."""
    text = _bytes(source).decode("utf-8", "replace").replace("\\\n", " ")
    for dots, base, names in _FROM.findall(text):
        yield dots + base, _NAME.findall(names.strip("()"))
    for names in _IMPORT.findall(text):
        for name in _NAME.findall(names):
            yield name, []


@functools.cache
def _in_package(source: Path) -> list[Path]:
    """The files of this package that a file imports. `__init__.py` counts only where something is taken from it."""
    found = []
    for base, names in _imports(source):
        if base.startswith("."):
            if PACKAGE not in source.parents:
                continue
            path = source.parents[len(base) - len(base.lstrip(".")) - 1].joinpath(*filter(None, base.split(".")))
        elif base.split(".")[0] == PACKAGE.name:
            path = PACKAGE.parent.joinpath(*base.split("."))
        else:
            continue
        modules = [path / f"{name}.py" for name in names]
        found += [module for module in modules if module.is_file()]
        if not names or not all(module.is_file() for module in modules):
            found += [path.with_name(path.name + ".py"), path / "__init__.py"]
    return [file for file in found if file.is_file()]


def _beside(source: Path, folder: Path) -> Iterator[Path]:
    """The files that a user's file may import from its own folder, or from the one of the file that all began with."""
    for base, names in _imports(source):
        inside = base.lstrip(".")
        for name in filter(None, [inside, *(f"{inside}.{name}".strip(".") for name in names)]):
            for path in {folder, source.parent}:
                for part in name.split("."):  # import a.b.c runs a and a.b as well
                    path = path / part
                    yield from (path.with_name(part + ".py"), path / "__init__.py")
