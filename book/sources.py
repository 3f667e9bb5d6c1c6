"""Where the book's text speaks of code: `search/kernel.py`, `search/kernel.py:descend`, `kernel.descend`, and listings.

A listing is a remark that only the website shows: ``<!-- source: search/selection.py:best_child -->``.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "tengen"

FILE = re.compile(r"(?<!`)`((?:[\w-]+/)*\w+\.py)(?::(\w+(?:\.\w+)*))?`(?!`)(?!\])")
DOTTED = re.compile(r"(?<!`)`(\w+)\.(\w+(?:\.\w+)?)`(?!`)(?!\])")
LISTING = re.compile(r"<!-- source: ([\w/]+\.py):(\w+(?:\.\w+)*) -->")


@cache
def find_file(text: str) -> Path | None:
    """The file that a text names: below the package, or below the project."""
    for folder in (PACKAGE, ROOT):
        if (folder / text).is_file():
            return folder / text
    return None


@cache
def definitions(file: Path) -> dict[str, tuple[int, int]]:
    """The first and the last line of every function, method and class, decorators included."""
    found: dict[str, tuple[int, int]] = {}

    def walk(nodes: list[ast.stmt], prefix: str) -> None:
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                found[prefix + node.name] = (first, node.end_lineno or first)
                if isinstance(node, ast.ClassDef):
                    walk(node.body, f"{prefix}{node.name}.")

    walk(ast.parse(file.read_text(encoding="utf-8")).body, "")
    return found


@cache
def module_called(name: str) -> Path | None:
    """The one module of the package with this name; none where there are several."""
    found = list(PACKAGE.rglob(f"{name}.py"))
    return found[0] if len(found) == 1 else None


def dotted(module: str, name: str) -> Path | None:
    """The file of `kernel.descend`, where it is a function there."""
    file = module_called(module)
    return file if file is not None and name in definitions(file) else None


def listing(file: str, name: str) -> tuple[str, int]:
    """The lines of a definition and the number of the first; LookupError with a sentence when there is none."""
    path = find_file(file)
    if path is None:
        raise LookupError(f"there is no file {file}")
    if name not in definitions(path):
        raise LookupError(f"{file} defines no {name}")
    first, last = definitions(path)[name]
    return "\n".join(path.read_text(encoding="utf-8").splitlines()[first - 1 : last]), first


def references(text: str) -> tuple[set[Path], list[str]]:
    """The files that a text speaks of, and what is wrong with its references."""
    files: set[Path] = set()
    wrong = []
    for found in FILE.finditer(text):
        file, name = find_file(found[1]), found[2]
        if file is None:
            if "/" in found[1]:  # a name without a folder may be a reader's own file
                wrong.append(f"there is no file {found[1]}")
        elif name and name not in definitions(file):
            wrong.append(f"{found[1]} defines no {name}")
        else:
            files.add(file)
    for found in DOTTED.finditer(text):
        file = dotted(found[1], found[2])
        if file is not None:
            files.add(file)
    for found in LISTING.finditer(text):
        try:
            listing(found[1], found[2])
        except LookupError as error:
            wrong.append(str(error))
        else:
            files.add(find_file(found[1]) or ROOT)
    return files, wrong
