"""Every network that ships has a card, and the card says what the file says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tengen.agents.targets import SHIPPED, shipped_names

CARDS = Path(__file__).parent.parent.parent / "docs" / "models.md"


def cards(text: str) -> dict[str, str]:
    """The text of each card by the name in its heading."""
    parts = re.split(r"^## `([^`]+)`$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def facts(name: str) -> dict[str, str]:
    """What the last network of that name says of itself."""
    import onnxruntime

    file = max((SHIPPED / name).glob("*.onnx"))
    session = onnxruntime.InferenceSession(file.read_bytes(), providers=["CPUExecutionProvider"])
    return session.get_modelmeta().custom_metadata_map


def test_there_is_a_card_for_each_and_no_other():
    assert set(cards(CARDS.read_text(encoding="utf-8"))) == set(shipped_names())


@pytest.mark.parametrize("name", shipped_names())
def test_a_card_says_what_the_file_says(name):
    card, fact = cards(CARDS.read_text(encoding="utf-8"))[name], facts(name)
    assert f"| game | `{fact['game']}`" in card
    assert f"{int(fact['games']):,} games" in card
    assert f"{int(fact['steps']):,} minibatches" in card
    assert re.search(r"^\| preset \| `[\w-]+`", card, re.MULTILINE)
    assert "processor time" in card
    assert "**Known weaknesses.**" in card
    assert re.search(rf"^    tengen .*{name}", card, re.MULTILINE)


def test_presets_of_cards_exist():
    from tengen.training.config import load_preset

    for card in cards(CARDS.read_text(encoding="utf-8")).values():
        load_preset(re.search(r"^\| preset \| `([\w-]+)`", card, re.MULTILINE)[1])
