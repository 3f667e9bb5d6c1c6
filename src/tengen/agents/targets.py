"""What stands behind the colon of ``net:…`` and ``zero:…``: from a text to the file of a network.

In this order: a file; a run, by name or folder: its best network if a tournament has found one, else its last; a name that
ships with the package (``hex-5``): its last.
"""

from __future__ import annotations

import os
from pathlib import Path

from tengen.errors import SpecError
from tengen.runs.directory import RunDirectory, RunError, list_runs
from tengen.specs import did_you_mean

SHIPPED = Path(__file__).parent.parent / "models"


def shipped_names() -> list[str]:
    """The networks that come with the package."""
    return sorted({file.parent.name for file in SHIPPED.glob("*/*.onnx")})


def find_network(text: str) -> Path:
    """The file that a target names; SpecError with one sentence when it names none."""
    file = Path(text)
    if os.path.isfile(file):  # Path.is_file raises for a name that is too long
        return file
    try:
        run = RunDirectory.find(text)
    except RunError:
        names = shipped_names()
        if text in names:
            return max((SHIPPED / text).glob("*.onnx"))
        if text.endswith(".onnx"):
            raise SpecError(f"there is no file {text}") from None
        known = list(dict.fromkeys([*(run.name for run in list_runs()), *names]))
        raise SpecError(f"there is no file, run or network called {text!r}{did_you_mean(text, known)}") from None
    best = run.best_net() or run.last_net()
    if best is None:
        raise SpecError(f"the run {run.name} has kept no network yet")
    return best
