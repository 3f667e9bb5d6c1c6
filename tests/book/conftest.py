"""The book's own scripts, by name."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="session")
def script():
    """A module of the folder book/."""

    def load(name: str):
        spec = importlib.util.spec_from_file_location(f"book_{name}", ROOT / "book" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
