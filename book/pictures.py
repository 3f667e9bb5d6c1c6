"""Draws the book's pictures by the program itself, and writes the chapter of the worked example with the search's own numbers.

    python book/pictures.py

`tests/book/test_pictures.py` fails when the worked example no longer says what the search does.
"""

from __future__ import annotations

import math
from pathlib import Path

from tengen.games import parse_game
from tengen.games.naming import cell_name
from tengen.games.position import Position
from tengen.lessons import slides
from tengen.search import Search, SearchSettings
from tengen.web.example import INTRODUCTION, draw_tree

DOCS = Path(__file__).parent.parent / "docs"
PICTURES = DOCS / "pictures"

STYLE = """<style>
.edge { stroke: #8a7a66; stroke-width: 1.5; fill: none } .edge.path { stroke: #b3541e; stroke-width: 3 }
.mini { fill: #f1d9a7; stroke: #4b3a22; stroke-width: 1 }
.mini-line { stroke: #4b3a22; stroke-width: .7; opacity: .6; fill: none }
.leaf .mini { stroke: #d9a400; stroke-width: 4 } .path .mini { stroke: #b3541e; stroke-width: 3 }
.mini-stone.p0 { fill: #222 } .mini-stone.p1 { fill: #fff; stroke: #222 } .mini-stone.new { stroke: #b3541e; stroke-width: 2 }
text { font: 10.5px monospace; text-anchor: middle; fill: #55483a } text.strong { font-weight: 700; fill: #222; font-size: 12px }
</style>"""
PAPER = '<rect x="-1000" y="-1000" width="4000" height="4000" fill="#fffaf0"/>'

WORDS = {
    1: "The root has no children, so it is the leaf itself. The network's priors become its children's P.",
    2: "All Q are 0 and nothing has been tried, so the largest prior wins. The value −0.1 is black's, who is to move there; "
    "white, who chose the move, sees +0.1.",
    3: "Move 2 still has the largest Q + U. Below it black answers at 9 and has three in a row, 1-5-9: the rules say what that "
    "is worth, and no network is asked.",
    4: "The loss has made Q of move 2 so bad that another move is tried: the one with the next largest prior.",
}


def example_pictures() -> dict[str, str]:
    """The trees of the worked example: before the first simulation it has one node, then one picture after each."""
    return {
        f"example-{simulation.number}.svg": _standing_alone(draw_tree(simulation.after, simulation.path))
        for simulation in slides.four_simulations()
    }


def example_page() -> str:
    """The chapter: each simulation with its four steps, its numbers, its tree."""
    parts = [
        "# The worked example, stepped\n",
        "This page is written by `python book/pictures.py`: every number comes from the search of this package, given only",
        "what the network of the AlphaZero slides says. A test holds them to the slides, another one this page to the search.\n",
        "    tengen watch example        the same in the terminal, a step at a time",
        "    tengen serve                in the browser, under Lesson: the tree grows as you click\n",
        f"{INTRODUCTION}\n",
        "The code is `lessons/slides.py`; it asks and tells the same `Forest` (`search/forest.py`) that trains networks.\n",
    ]
    for simulation in slides.four_simulations():
        parts.append(f"## Simulation {simulation.number}\n")
        parts.append(f"{WORDS[simulation.number]}\n")
        for what, sentence in slides.explain(simulation):
            parts.append(f"- **{what}** {sentence}")
        parts.append(f"\n![The tree after simulation {simulation.number}](pictures/example-{simulation.number}.svg)\n")
    parts += [
        "## And then?\n",
        "After so many simulations as it is given, the search plays from the visits of the root: the most visited move, or one",
        "drawn with probability N^(1/τ) / Σ N^(1/τ). The slides' root after 400 visits of this position has N = 40, 10, 5, 10,",
        "15 and 320, which makes π = 0.1, 0.025, 0.0125, 0.025, 0.0375 and 0.8 at τ = 1 (`search/choice.py:move_probabilities`).",
    ]
    return "\n".join(parts) + "\n"


def _standing_alone(svg: str) -> str:
    head, _, rest = svg.partition(">")
    return f"{head}>{STYLE}{PAPER}{rest}\n"


def visits_picture() -> str:
    """Where a search of the empty 5×5 Hex board spends its simulations, after 30, 300, 3,000 and 30,000 of them."""
    game = parse_game("hex:5")
    parts, width = [], 250.0
    for i, simulations in enumerate((30, 300, 3_000, 30_000)):
        search = Search(game, SearchSettings(simulations=simulations), seed=1)
        visits = search.run(Position(game)).visits
        parts.append(f'<g transform="translate({i * width:g} 0)">{_hex_visits(visits.tolist(), simulations)}</g>')
    return f'<svg viewBox="0 0 {4 * width:g} 190" xmlns="http://www.w3.org/2000/svg">{STYLE}{PAPER}{"".join(parts)}</svg>\n'


def _hex_visits(visits: list[int], simulations: int) -> str:
    size, side = 5, 17.0
    step = side * math.sqrt(3)
    parts = [f'<text class="strong" x="120" y="16">{simulations:,} simulations</text>']
    for move, count in enumerate(visits):
        row, column = divmod(move, size)
        x, y = 30 + step * (column + row / 2), 45 + 1.5 * side * row
        corners = " ".join(
            f"{x + side * math.sin(a):.1f},{y - side * math.cos(a):.1f}" for a in (k * math.pi / 3 for k in range(6))
        )
        parts.append(f'<polygon class="mini" points="{corners}"/>')
        radius = side * math.sqrt(count / max(visits)) * 0.8
        if radius > 0.3:
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#b3541e" opacity=".75"/>')
    best = visits.index(max(visits))
    name = cell_name(*divmod(best, size))
    parts.append(f'<text x="120" y="182">{name}: {max(visits) / sum(visits):.0%} of the visits</text>')
    return "".join(parts)


if __name__ == "__main__":
    for name, svg in example_pictures().items():
        (PICTURES / name).write_text(svg, encoding="utf-8")
    (DOCS / "example.md").write_text(example_page(), encoding="utf-8")
    (PICTURES / "visits.svg").write_text(visits_picture(), encoding="utf-8")
