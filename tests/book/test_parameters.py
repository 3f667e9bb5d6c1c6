"""The page of all parameters says what the code says."""

from __future__ import annotations

import dataclasses

from tengen.agents import AGENTS
from tengen.search import SearchSettings
from tengen.training.config import PRESETS


def test_the_page_is_not_stale(script):
    parameters = script("parameters")
    assert parameters.PAGE.read_text(encoding="utf-8") == parameters.page(), "run: python book/parameters.py"


def test_nothing_is_missing(script):
    page = script("parameters").page()
    for one in dataclasses.fields(SearchSettings):
        assert f"| `{one.name}` |" in page
    for name, entry in AGENTS.items():
        assert f"| `{name}{':' + entry.target if entry.target else ''}` |" in page
    for file in PRESETS.glob("*.toml"):
        assert f"### `{file.stem}`" in page
    row = next(line for line in page.splitlines() if line.startswith("| `simulations` |"))
    assert row.endswith("| AlphaGo Zero: 1,600 |")
    assert row.count("1,600") == 1  # in the column of the papers, and not in the sentence too


def test_a_new_default_changes_the_page(script, monkeypatch):
    parameters = script("parameters")
    before = parameters.page()
    monkeypatch.setattr(SearchSettings.__dataclass_fields__["reuse"], "default", False)
    after = parameters.page()
    assert "| `reuse` | `true` |" in before
    assert "| `reuse` | `false` |" in after
    assert after != before
