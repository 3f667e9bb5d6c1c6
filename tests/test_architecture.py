"""One direction of imports, and nothing heavy where it is not needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tengen

PACKAGE = Path(tengen.__file__).parent

# What each part may import, besides itself. Kept in the order of ARCHITECTURE.md, lowest first.
FOUNDATION = {"errors", "compiling", "specs"}
MAY_IMPORT = {
    "errors": set(),
    "sources": set(),
    "linking": set(),
    "compiling": {"sources", "linking"},
    "specs": {"errors"},
    "games": FOUNDATION,
    "search": FOUNDATION | {"games"},
    "evaluators": FOUNDATION | {"games", "search"},
    "records": FOUNDATION | {"games"},
    "runs": FOUNDATION | {"games", "records"},
    "protocols": FOUNDATION | {"games"},
    "agents": FOUNDATION | {"games", "search", "evaluators", "records", "runs", "protocols"},
    "arena": FOUNDATION | {"games", "search", "evaluators", "runs", "protocols", "agents"},
    "selfplay": FOUNDATION | {"games", "search", "evaluators", "records", "runs"},
    "networks": FOUNDATION | {"games", "evaluators"},
    "training": FOUNDATION | {"games", "search", "evaluators", "records", "runs", "selfplay", "networks"},
    "cluster": FOUNDATION
    | {"games", "search", "evaluators", "records", "runs", "agents", "arena", "selfplay", "training"},
    "compare": FOUNDATION | {"games", "records", "runs", "agents", "arena", "training"},
    "bandits": FOUNDATION | {"games", "search"},
    "tuning": FOUNDATION | {"games", "search", "agents", "arena", "runs"},
    "lessons": FOUNDATION | {"games", "search"},
    "bench": FOUNDATION | {"games", "search", "evaluators", "agents", "arena", "records", "selfplay", "networks"},
}
MAY_IMPORT["web"] = set(MAY_IMPORT) - {"bench"}
MAY_IMPORT["cli"] = set(MAY_IMPORT)
NEED_KERAS = {
    "networks/network.py",
    "networks/quiet.py",
    "networks/starting.py",
    "networks/onnx_writer.py",
    "networks/quantization.py",
    "training/loop.py",
    "training/without_search.py",
}
SEARCH_KNOWS_OF_GAMES = {"encoding", "verbs", "types", "randomness", "position"}  # and of no game
TOPS = {"__init__", "__main__"}  # the table of contents and the entry point look down on everything


def imported_modules(file: Path) -> set[tuple[str, ...]]:
    """The modules of this package that a file imports, each as its path: ("games", "verbs")."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {tuple(name.split(".")[1:]) for name in names if name.split(".")[0] == "tengen"}
    return {path for path in found if path}


def parts() -> dict[str, list[Path]]:
    files: dict[str, list[Path]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        files.setdefault(file.relative_to(PACKAGE).with_suffix("").parts[0], []).append(file)
    return files


def test_every_part_has_its_place():
    assert set(parts()) - TOPS == set(MAY_IMPORT)


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_no_arrow_is_reversed(part):
    for file in parts()[part]:
        for path in imported_modules(file):
            assert path[0] == part or path[0] in MAY_IMPORT[part], f"{file} imports tengen.{'.'.join(path)}"


def test_only_networks_and_the_loop_load_keras():
    """Everything else, the settings of a run among it, is read without Keras."""
    loading = {"keras", "tensorflow", "onnx"}
    for file in PACKAGE.rglob("*.py"):
        name = file.relative_to(PACKAGE).as_posix()
        top = [
            node
            for node in ast.parse(file.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        modules = {node.module or "" for node in top if isinstance(node, ast.ImportFrom)}
        modules |= {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
        heavy = {m for m in modules if m.split(".")[0] in loading or m == "tengen.networks.network"}
        assert not heavy or name in NEED_KERAS, f"{name} imports {heavy}"


def test_the_search_knows_no_game():
    for file in parts()["search"]:
        for path in imported_modules(file):
            if path[0] == "games":
                assert path[1] in SEARCH_KNOWS_OF_GAMES, f"{file} imports tengen.{'.'.join(path)}"


def test_the_check_sees_a_reversed_arrow(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("from tengen.cli import screen\nimport tengen.games.hex\n")
    assert imported_modules(bad) == {("cli", "screen"), ("games", "hex")}


@pytest.mark.parametrize("command", [["list", "games"], ["watch", "hex:3", "random", "random", "--pause", "0"]])
def test_commands_that_do_not_train_leave_tensorflow_alone(command):
    code = (
        "import sys; from tengen.cli.main import run; code = run(sys.argv[1:]);"
        "heavy = {'tensorflow', 'keras', 'torch', 'jax', 'pyspiel'} & set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
