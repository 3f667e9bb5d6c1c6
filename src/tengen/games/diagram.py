"""A picture of a position, free of any screen: cells with places, labels, and an owner for each.

Games make it (`diagram`), `to_text` draws it in a terminal, a page can draw it in its own way.
Places are in characters of a terminal: x to the right, y down.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

FIRST, SECOND = 0, 1


@dataclass(frozen=True)
class Cell:
    """A place where a stone can lie."""

    x: int
    y: int
    move: int
    """The move that plays here."""
    owner: int | None = None
    """The player whose stone lies here."""
    winning: bool = False
    """Part of the line that won."""


@dataclass(frozen=True)
class Label:
    """A text beside the board; of a player's colour when it marks that player's side."""

    x: int
    y: int
    text: str
    owner: int | None = None


@dataclass(frozen=True)
class Diagram:
    """A whole position."""

    cells: tuple[Cell, ...] = ()
    labels: tuple[Label, ...] = ()
    colours: tuple[str, str] = ("red", "blue")
    names: tuple[str, str] = ("first", "second")
    """What people call the two sides."""


@dataclass(frozen=True)
class Glyphs:
    """The characters of a text board."""

    stones: tuple[str, str]
    winning: tuple[str, str]
    empty: str
    last: tuple[str, str] = ("(", ")")
    sides: dict[str, str] = field(default_factory=dict)


UNICODE = Glyphs(stones=("●", "○"), winning=("◉", "◎"), empty="·", sides={"/": "╱", "\\": "╲"})
ASCII = Glyphs(stones=("X", "O"), winning=("#", "@"), empty=".")

STAR = "*"

_ANSI = {"red": "31;1", "blue": "34;1", "yellow": "33;1", "cyan": "36;1", "grey": "90"}


def plain_diagram(text: str) -> Diagram:
    """A picture that is only text."""
    return Diagram(labels=tuple(Label(0, y, line) for y, line in enumerate(text.splitlines())))


def grid_diagram(
    board: NDArray[np.int32],
    moves: NDArray[np.int32] | None = None,
    names: tuple[str, str] = ("first", "second"),
    colours: tuple[str, str] = ("red", "blue"),
) -> Diagram:
    """A board of squares: `board` [rows, columns] holds 0 (empty), 1 and 2, from the top; `moves` the move that plays there.

    Without `moves` they are numbered row by row.
    """
    rows, columns = board.shape
    numbers = np.arange(board.size).reshape(board.shape) if moves is None else moves
    cells = tuple(
        Cell(2 * column, row, int(numbers[row, column]), int(board[row, column]) - 1 if board[row, column] else None)
        for row in range(rows)
        for column in range(columns)
    )
    return Diagram(cells, (), colours, names)


def to_text(
    diagram: Diagram,
    last: int | None = None,
    colour: bool = False,
    ascii: bool = False,
    starred: Collection[int] = (),
) -> str:
    """Draw a diagram as text: `last` move in brackets, the winning line with stones of their own, empty cells starred."""
    glyphs = ASCII if ascii else UNICODE
    canvas: dict[tuple[int, int], tuple[str, str | None]] = {}  # (y, x) → character, style

    def put(x: int, y: int, text: str, style: str | None) -> None:
        for i, character in enumerate(text):
            canvas[y, x + i] = (character, style)

    for label in diagram.labels:
        text = "".join(glyphs.sides.get(c, c) for c in label.text)
        put(label.x, label.y, text, None if label.owner is None else diagram.colours[label.owner])
    for cell in diagram.cells:
        if cell.owner is None:
            star = cell.move in starred
            put(cell.x, cell.y, STAR if star else glyphs.empty, "yellow" if star else "grey")
            continue
        style = diagram.colours[cell.owner]
        put(cell.x, cell.y, (glyphs.winning if cell.winning else glyphs.stones)[cell.owner], style)
        if cell.move == last:
            put(cell.x - 1, cell.y, glyphs.last[0], style)
            put(cell.x + 1, cell.y, glyphs.last[1], style)

    lines = []
    for y in range(max((y for y, _ in canvas), default=-1) + 1):
        row = {x: mark for (line, x), mark in canvas.items() if line == y}
        text = ""
        for x in range(max(row, default=-1) + 1):
            character, shade = row.get(x, (" ", None))
            text += f"\x1b[{_ANSI[shade]}m{character}\x1b[0m" if colour and shade else character
        lines.append(text)
    return "\n".join(lines)
