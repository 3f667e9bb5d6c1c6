"""Boards as SVG: Gomoku on wood, Hex as a diamond or flat, and any other game from its diagram.

A board is drawn once. Every cell is a group with the number of its move; whose stone lies there is only a class, so that a
page changes classes and nothing is drawn again:

    <g class="cell p0 last" data-move="40"> … </g>      p0, p1: a stone; last; win: part of the winning line
"""

from __future__ import annotations

import math
from html import escape
from typing import Any

from tengen.games import Gomoku, Hex, Position
from tengen.games.diagram import Diagram

LAYOUTS = ("diamond", "flat")

# Of the SVG's own units; the page scales it.
PITCH = 40.0  # between two points of a Gomoku board
RADIUS = 24.0  # of a Hex cell
_WIDTH = math.sqrt(3) * RADIUS


def draw(position: Position, layout: str = "diamond") -> str:
    """The whole picture of a position."""
    game = position.game
    if isinstance(game, Gomoku):
        return _gomoku(position)
    if isinstance(game, Hex):
        return _hex(position, layout)
    return _generic(position)


def is_fixed(position: Position) -> bool:
    """Whether only the classes of cells change from move to move; else the board is drawn anew each time."""
    return isinstance(position.game, Gomoku | Hex)


def marks(position: Position) -> dict[str, Any]:
    """What lies on the board: 1 or 2 for each cell with a stone, the last move's cell, the winning line; and `buttons`:
    legal moves that are no cells (swap, heaps)."""
    diagram = position.game.diagram(position.array)
    cells = sorted(diagram.cells, key=lambda cell: cell.move)
    known = {cell.move for cell in cells}
    return {
        "cells": {cell.move: 1 + cell.owner for cell in cells if cell.owner is not None},
        "last": last_cell(position),
        "winning": [cell.move for cell in cells if cell.winning],
        "names": list(diagram.names),
        "buttons": [
            {"move": move, "name": position.game.move_name(move)} for move in position.legal_moves if move not in known
        ],
    }


def last_cell(position: Position) -> int | None:
    """Where the last stone lies. After a swap in Hex it is not where the last move's number says."""
    last = position.last_move
    if last is not None and isinstance(position.game, Hex) and last == position.game.size**2:
        return int(position.cells().argmax())
    return last


def _classes(position: Position) -> dict[int, str]:
    """The classes of each cell's group."""
    last = last_cell(position)
    found = {}
    for cell in position.game.diagram(position.array).cells:
        names = ["cell"]
        if cell.owner is not None:
            names.append(f"p{cell.owner}")
        if cell.move == last:
            names.append("last")
        if cell.winning:
            names.append("win")
        found[cell.move] = " ".join(names)
    return found


def _svg(width: float, height: float, kind: str, label: str, body: list[str]) -> str:
    return (
        f'<svg class="board {kind}" viewBox="0 0 {width:.1f} {height:.1f}" xmlns="http://www.w3.org/2000/svg" '
        f'role="grid" aria-label="{escape(label)}" tabindex="0">{_DEFINITIONS}{"".join(body)}</svg>'
    )


def _cell(move: int, classes: str, x: float, y: float, name: str, hit: str, stone: float) -> str:
    """A cell: what can be clicked, the stone, and the marks on it. The page shows and hides them by class."""
    return (
        f'<g class="{classes}" data-move="{move}" data-name="{escape(name)}" transform="translate({x:.2f} {y:.2f})" '
        f'role="gridcell" aria-label="{escape(name)}">{hit}<ellipse class="shade" cx="1.5" cy="3" rx="{stone:g}" ry="{stone:g}"/>'
        f'<circle class="stone" r="{stone:g}"/><circle class="ring" r="{stone - 2:g}"/>'
        f'<circle class="dot" r="{stone / 3.2:.1f}"/></g>'
    )


def _text(x: float, y: float, text: str, kind: str = "coordinate") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


# --- Gomoku


def star_points(size: int) -> list[tuple[int, int]]:
    """Where a board has its points: three or four from the edge, and the middle."""
    if size < 9:
        return [(size // 2, size // 2)] if size % 2 and size >= 5 else []
    near = 3 if size >= 12 else 2
    far, middle = size - 1 - near, size // 2
    points = [(near, near), (near, far), (far, near), (far, far)]
    if size % 2:
        points.append((middle, middle))
        if size >= 19:
            points += [(near, middle), (middle, near), (far, middle), (middle, far)]
    return points


def _gomoku(position: Position) -> str:
    size = int(position.game.size)  # type: ignore[attr-defined]
    edge, side = PITCH * 1.25, PITCH * (size - 1)
    whole = side + 2 * edge
    body = [f'<rect class="wood" width="{whole:g}" height="{whole:g}" rx="10"/>']
    for i in range(round(whole / 13)):  # the grain: long, slightly bent lines
        y = 13 * i + 5 * math.sin(i * 2.4)
        bend, back = 7 * math.sin(i * 0.9), 7 * math.cos(i * 1.3)
        body.append(
            f'<path class="grain" d="M0 {y:.1f} C {whole / 3:.0f} {y + bend:.1f} {2 * whole / 3:.0f} {y - back:.1f} '
            f'{whole:.0f} {y + bend / 2:.1f}" stroke-width="{1 + (i % 3) * 0.8:.1f}"/>'
        )
    lines = "".join(
        f"M{edge:g} {edge + PITCH * i:g}h{side:g}M{edge + PITCH * i:g} {edge:g}v{side:g}" for i in range(size)
    )
    body.append(f'<path class="line" d="{lines}"/>')
    body.append(f'<rect class="frame" x="{edge:g}" y="{edge:g}" width="{side:g}" height="{side:g}"/>')
    for row, column in star_points(size):
        body.append(f'<circle class="star" cx="{edge + PITCH * column:g}" cy="{edge + PITCH * row:g}" r="4"/>')
    for i in range(size):
        there, number, letter = edge + PITCH * i, str(size - i), chr(ord("a") + i)
        body += [_text(edge * 0.36, there, number), _text(whole - edge * 0.36, there, number)]
        body += [_text(there, edge * 0.36, letter), _text(there, whole - edge * 0.36, letter)]
    classes, half = _classes(position), PITCH / 2
    hit = f'<rect class="hit" x="{-half:g}" y="{-half:g}" width="{PITCH:g}" height="{PITCH:g}"/>'
    for move in range(size * size):
        x, y = edge + PITCH * (move % size), edge + PITCH * (move // size)
        body.append(_cell(move, classes[move], x, y, position.game.move_name(move), hit, PITCH * 0.46))
    return _svg(whole, whole, "gomoku", f"Gomoku board, {size} by {size}", body)


# --- Hex

_NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1))  # rows and columns


def hex_centre(row: float, column: float, layout: str) -> tuple[float, float]:
    if layout == "flat":
        return (column + row / 2) * _WIDTH, row * 1.5 * RADIUS
    return (column - row) * _WIDTH / 2, (column + row) * 1.5 * RADIUS


def corners_of(radius: float) -> list[tuple[float, float]]:
    """Of a cell that stands on a point, from the top, clockwise."""
    angles = [math.radians(60 * i - 90) for i in range(6)]
    return [(radius * math.cos(a), radius * math.sin(a)) for a in angles]


def _hex(position: Position, layout: str) -> str:
    size = int(position.game.size)  # type: ignore[attr-defined]
    centres = {(r, c): hex_centre(r, c, layout) for r in range(size) for c in range(size)}
    room = RADIUS * 2.1
    left, top = min(x for x, _ in centres.values()) - room - RADIUS, min(y for _, y in centres.values()) - room
    width = max(x for x, _ in centres.values()) + room + RADIUS - left
    height = max(y for _, y in centres.values()) + room - top
    centres = {key: (x - left, y - top) for key, (x, y) in centres.items()}
    body = []
    for owner, (x1, y1), (x2, y2) in hex_sides(size, centres, layout):
        body.append(f'<line class="side p{owner}" x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}"/>')
    for i in range(size):
        for row, column, text in ((-1.25, i, chr(ord("a") + i)), (i, -1.25, str(i + 1))):
            x, y = hex_centre(row, column, layout)
            body.append(_text(x - left, y - top, text))
    outline = " ".join(f"{x:.2f},{y:.2f}" for x, y in corners_of(RADIUS))
    hit = f'<polygon class="hit" points="{outline}"/>'
    classes = _classes(position)
    for (row, column), (x, y) in centres.items():
        move = row * size + column
        body.append(_cell(move, classes[move], x, y, position.game.move_name(move), hit, RADIUS * 0.68))
    return _svg(width, height, f"hex {layout}", f"Hex board, {size} by {size}", body)


def hex_sides(
    size: int, centres: dict[tuple[int, int], tuple[float, float]], layout: str
) -> list[tuple[int, tuple[float, float], tuple[float, float]]]:
    """The edges of the board, cell by cell: player 0 owns the first and last row, player 1 the columns."""
    corners, found = corners_of(RADIUS), []
    for (row, column), (x, y) in centres.items():
        for down, right in _NEIGHBOURS:
            r, c = row + down, column + right
            if 0 <= r < size and 0 <= c < size:
                continue
            dx, dy = hex_centre(down, right, layout)
            first = round((math.degrees(math.atan2(dy, dx)) + 60) / 60) % 6  # the edge that faces this neighbour
            a, b = (tuple(p + q for p, q in zip((x, y), corners[(first + i) % 6])) for i in (0, 1))
            if 0 <= c < size:
                found.append((0, a, b))
            elif 0 <= r < size:
                found.append((1, a, b))
            else:  # the corner belongs to both: to each the half beside its own side
                middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
                along_row = hex_centre(0, -right, layout)  # where the row goes on
                towards_a = (a[0] - b[0]) * along_row[0] + (a[1] - b[1]) * along_row[1] > 0
                found += [(0 if towards_a else 1, a, middle), (1 if towards_a else 0, middle, b)]
    return found  # type: ignore[return-value]  # tuple(generator) has no length for the checker


# --- any other game


def _generic(position: Position) -> str:
    """From the diagram that the game makes for terminals: its cells as discs, its labels as text."""
    diagram: Diagram = position.game.diagram(position.array)
    across, down = 22.0, 40.0  # a character of the diagram
    right = [cell.x + 2.0 for cell in diagram.cells] + [label.x + len(label.text) + 1.0 for label in diagram.labels]
    lines = [cell.y for cell in diagram.cells] + [label.y for label in diagram.labels]
    width, height = across * (max(right, default=10) + 1), down * (max(lines, default=0) + 1.5)
    body = [f'<rect class="plain" width="{width:g}" height="{height:g}" rx="10"/>']
    for label in diagram.labels:
        owner = "" if label.owner is None else f" p{label.owner}"
        x, y = across * (label.x + 1), down * (label.y + 0.75)
        body.append(f'<text class="label{owner}" x="{x:g}" y="{y:g}" xml:space="preserve">{escape(label.text)}</text>')
    classes = _classes(position)
    hit = '<circle class="hit" r="19"/>'
    for cell in diagram.cells:
        x, y = across * (cell.x + 1.5), down * (cell.y + 0.75)
        body.append(_cell(cell.move, classes[cell.move], x, y, position.game.move_name(cell.move), hit, 16))
    return _svg(width, height, "generic", type(position.game).__name__, body)


def _gradient(name: str, light: str, middle: str, dark: str) -> str:
    return (
        f'<radialGradient id="{name}" cx="0.35" cy="0.3" r="0.75"><stop offset="0" stop-color="{light}"/>'
        f'<stop offset="0.45" stop-color="{middle}"/><stop offset="1" stop-color="{dark}"/></radialGradient>'
    )


_DEFINITIONS = (
    "<defs>"
    + _gradient("stone-black", "#777", "#2b2b2e", "#0b0b0d")
    + _gradient("stone-white", "#fff", "#f3f1ec", "#bdb8ad")
    + _gradient("stone-red", "#ff9c8d", "#d8352a", "#8f130f")
    + '<linearGradient id="wood" x1="0" y1="0" x2="0.25" y2="1"><stop offset="0" class="wood-light"/>'
    '<stop offset="1" class="wood-dark"/></linearGradient>'
    "</defs>"
)
