"""The worked example in the book is what the search does."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree


def test_the_chapter_is_not_stale(script):
    pictures = script("pictures")
    assert (pictures.DOCS / "example.md").read_text(encoding="utf-8") == pictures.example_page(), (
        "run: python book/pictures.py"
    )
    for name, svg in pictures.example_pictures().items():
        assert (pictures.PICTURES / name).read_text(encoding="utf-8") == svg, "run: python book/pictures.py"


def test_the_numbers_are_those_of_the_slides(script):
    page = script("pictures").example_page()
    assert "2: +0.00+2.00" in page  # 5 · 0.4 · √1 / 1, before anything was tried
    assert "2–9: the view switches, +1 is added: N=1, W=1.00, Q=1.00" in page


def test_pictures_are_well_formed(script):
    pictures = script("pictures")
    for file in pictures.PICTURES.glob("*.svg"):
        ElementTree.fromstring(file.read_text(encoding="utf-8"))
