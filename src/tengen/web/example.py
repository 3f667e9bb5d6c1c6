"""The worked example of the slides as a tree that one can step through, every number from the real search."""

from __future__ import annotations

from html import escape
from typing import Any

from tengen.lessons import slides
from tengen.lessons.slides import Branch, Simulation

NODE_WIDTH, LEVEL = 78.0, 148.0
_BOARD = 42.0

INTRODUCTION = (
    "Three in a row on 3×3; white is to move. Cells are numbered 7 8 9 / 4 5 6 / 1 2 3. Each move keeps N visits, W total "
    f"value, Q = W/N and the prior P, in the view of the player who chooses it; U = {slides.C_PUCT:g}·P·√N(parent)/(1+N)."
)


def steps() -> list[dict[str, Any]]:
    """The start, and for each simulation where it went and what came of it: titles, sentences, pictures."""
    simulations = slides.four_simulations()
    found = [_step("The position", [("", INTRODUCTION)], simulations[0].before, ())]
    for simulation in simulations:
        lines = slides.explain(simulation)
        chosen = [line for line in lines if line[0] == "select"]
        others = [line for line in lines if line[0] != "select"]
        name = f"Simulation {simulation.number} of {len(simulations)}"
        found.append(_step(f"{name}: select", chosen, simulation.before, simulation.path))
        found.append(_step(f"{name}: {_what_happened(simulation)}", others, simulation.after, simulation.path))
    return found


def _what_happened(simulation: Simulation) -> str:
    return "the game is over, backup" if simulation.answer is None else "expand, evaluate, backup"


def _step(title: str, lines: list[tuple[str, str]], tree: Branch, path: tuple[int, ...]) -> dict[str, Any]:
    return {"title": title, "lines": [list(line) for line in lines], "svg": draw_tree(tree, path)}


def draw_tree(tree: Branch, path: tuple[int, ...]) -> str:
    """The tree with a small board at each node; the path of the simulation stands out."""
    parts: list[str] = []
    width, depth = _leaves(tree) * NODE_WIDTH, _depth(tree)
    _draw(tree, path, 0.0, 8.0, parts)
    total = max(width, 2 * NODE_WIDTH)
    return (
        f'<svg class="tree" viewBox="{(width - total) / 2:g} 0 {total:g} {depth * LEVEL:g}" width="{total:g}" '
        f'xmlns="http://www.w3.org/2000/svg" role="img" aria-label="the search tree">{"".join(parts)}</svg>'
    )


def _leaves(tree: Branch) -> int:
    return sum(_leaves(child) for child in tree.children) or 1


def _depth(tree: Branch) -> int:
    return 1 + max((_depth(child) for child in tree.children), default=0)


def _draw(tree: Branch, path: tuple[int, ...], left: float, top: float, parts: list[str]) -> float:
    """Draw a subtree from `left` on, edges first; the x of its root."""
    x = left + _leaves(tree) * NODE_WIDTH / 2
    here = left
    for child in tree.children:
        on_path = "edge path" if child.cells == path[: len(child.cells)] else "edge"
        middle = here + _leaves(child) * NODE_WIDTH / 2
        start = top + LEVEL - 54 if tree.cells else top + _BOARD + 18
        parts.append(f'<path class="{on_path}" d="M{x:g} {start:g}L{middle:g} {top + LEVEL:g}"/>')
        _draw(child, path, here, top + LEVEL, parts)
        here += _leaves(child) * NODE_WIDTH
    parts.append(_node(tree, path, x, top))
    return x


def _node(tree: Branch, path: tuple[int, ...], x: float, top: float) -> str:
    kind = "node"
    if tree.cells == path[: len(tree.cells)]:
        kind += " leaf" if tree.cells == path else " path"
    position = slides.position_after(tree.cells)
    cell, left = _BOARD / 3, x - _BOARD / 2
    grid = f'<rect class="mini" x="{left:g}" y="{top:g}" width="{_BOARD:g}" height="{_BOARD:g}" rx="3"/>'
    grid += "".join(
        f'<path class="mini-line" d="M{left + cell * i:g} {top:g}v{_BOARD:g}M{left:g} {top + cell * i:g}h{_BOARD:g}"/>'
        for i in (1, 2)
    )
    for move, owner in enumerate(position.cells().tolist()):
        if owner:
            new = " new" if tree.cells and move == position.last_move else ""
            cx, cy = left + cell * (move % 3 + 0.5), top + cell * (move // 3 + 0.5)
            grid += f'<circle class="mini-stone p{owner - 1}{new}" cx="{cx:g}" cy="{cy:g}" r="5"/>'
    texts = [f"N={tree.visits}"]
    if tree.cells:
        texts = [f"{tree.cells[-1]}", f"N={tree.visits} W={tree.w:.1f}", f"Q={tree.q:.2f}", f"P={tree.prior:.2f}"]
    for i, text in enumerate(texts):
        weight = "number strong" if tree.cells and i == 0 else "number"
        grid += f'<text class="{weight}" x="{x:g}" y="{top + _BOARD + 12 + 11.5 * i:g}">{escape(text)}</text>'
    return f'<g class="{kind}">{grid}</g>'
