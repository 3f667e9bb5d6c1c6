"""A position as PNG, a game as GIF: the boards of `board`, drawn in pixels."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from tengen.errors import TengenError
from tengen.games import Gomoku, Hex, Position
from tengen.web.board import PITCH, RADIUS, corners_of, hex_centre, hex_sides, last_cell, star_points

FINE = 2
"""Drawn so many times larger, then made smaller: edges become smooth."""

PNG_SIZE, GIF_SIZE = 900, 480
"""Pixels of the longer side."""

MOST_FRAMES = 400
FRAME, LAST_FRAME = 600, 3000
"""Milliseconds."""

_WOOD, _INK, _CELL, _EDGE, _GLOW, _PAPER = "#e0b672", "#4c3415", "#f3e9d4", "#b9a888", "#f2b632", "#fffdf9"
_STONES = {
    "gomoku": (("#1c1c1f", "#000000"), ("#fbfaf6", "#8d877b")),
    "hex": (("#d8352a", "#8f130f"), ("#2b2b2e", "#000000")),
}
_SIDES = ("#cf3328", "#2a2a2e")


def png(position: Position, layout: str = "diamond", size: int = PNG_SIZE) -> bytes:
    """A picture of a position."""
    out = io.BytesIO()
    _draw(position, layout, size).save(out, "PNG", optimize=True)
    return out.getvalue()


def gif(position: Position, layout: str = "diamond", size: int = GIF_SIZE) -> bytes:
    """The game that led to a position, move by move."""
    moves: Sequence[int] = position.moves
    if len(moves) > MOST_FRAMES:
        raise TengenError(f"a GIF shows {MOST_FRAMES} moves at most")
    now, frames = Position(position.game), []
    for move in [None, *moves]:
        if move is not None:
            now.push(move)
        frames.append(_draw(now, layout, size).quantize(64))
    out = io.BytesIO()
    times = [FRAME] * (len(frames) - 1) + [LAST_FRAME]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=False)
    return out.getvalue()


class _Canvas:
    """Draws in the units of the boards."""

    def __init__(self, width: float, height: float, ground: str, size: int) -> None:
        self.scale = FINE * size / max(width, height)
        self.size = (round(width * self.scale / FINE), round(height * self.scale / FINE))
        self.image = Image.new("RGB", (round(width * self.scale), round(height * self.scale)), ground)
        self.pen = ImageDraw.Draw(self.image)

    def _at(self, *points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x * self.scale, y * self.scale) for x, y in points]

    def line(self, a: tuple[float, float], b: tuple[float, float], colour: str, width: float) -> None:
        self.pen.line(self._at(a, b), fill=colour, width=max(1, round(width * self.scale)), joint="curve")

    def disc(
        self, x: float, y: float, radius: float, fill: str | None, edge: str | None = None, width: float = 1.0
    ) -> None:
        box = self._at((x - radius, y - radius), (x + radius, y + radius))
        self.pen.ellipse([*box[0], *box[1]], fill=fill, outline=edge, width=max(1, round(width * self.scale)))

    def polygon(self, points: Sequence[tuple[float, float]], fill: str, edge: str) -> None:
        self.pen.polygon(self._at(*points), fill=fill, outline=edge, width=max(1, round(1.4 * self.scale)))

    def text(self, x: float, y: float, text: str, colour: str, size: float = 13) -> None:
        font = ImageFont.load_default(size * self.scale)
        self.pen.text(self._at((x, y))[0], text, fill=colour, font=font, anchor="mm")

    def finished(self) -> Image.Image:
        return self.image.resize(self.size, Image.Resampling.LANCZOS)


def _draw(position: Position, layout: str, size: int) -> Image.Image:
    rules: object = position.game
    if isinstance(rules, Gomoku):
        return _gomoku(position, rules.size, size)
    if isinstance(rules, Hex):
        return _hex(position, rules.size, layout, size)
    raise TengenError("pictures are made of Gomoku and Hex")


def _stones(
    canvas: _Canvas, position: Position, kind: str, places: dict[int, tuple[float, float]], radius: float
) -> None:
    last = last_cell(position)
    winning = {cell.move for cell in position.game.diagram(position.array).cells if cell.winning}
    for cell, owner in enumerate(position.cells().tolist()):
        if not owner:
            continue
        x, y = places[cell]
        canvas.disc(x, y, radius, *_STONES[kind][owner - 1], width=1.2)
        if cell in winning:
            canvas.disc(x, y, radius - 2, None, _GLOW, 4)
        if cell == last:
            canvas.disc(x, y, radius / 3.2, _GLOW)


def _gomoku(position: Position, size: int, pixels: int) -> Image.Image:
    edge, side = PITCH * 1.25, PITCH * (size - 1)
    whole = side + 2 * edge
    canvas = _Canvas(whole, whole, _WOOD, pixels)
    for i in range(size):
        at, width = edge + PITCH * i, 2.2 if i in (0, size - 1) else 1.2
        canvas.line((edge, at), (edge + side, at), _INK, width)
        canvas.line((at, edge), (at, edge + side), _INK, width)
        for there in (edge * 0.36, whole - edge * 0.36):
            canvas.text(there, at, str(size - i), _INK)
            canvas.text(at, there, chr(ord("a") + i), _INK)
    for row, column in star_points(size):
        canvas.disc(edge + PITCH * column, edge + PITCH * row, 4, _INK)
    places = {cell: (edge + PITCH * (cell % size), edge + PITCH * (cell // size)) for cell in range(size * size)}
    _stones(canvas, position, "gomoku", places, PITCH * 0.46)
    return canvas.finished()


def _hex(position: Position, size: int, layout: str, pixels: int) -> Image.Image:
    centres = {(r, c): hex_centre(r, c, layout) for r in range(size) for c in range(size)}
    room = RADIUS * 2.1
    left, top = min(x for x, _ in centres.values()) - room - RADIUS, min(y for _, y in centres.values()) - room
    width = max(x for x, _ in centres.values()) + room + RADIUS - left
    height = max(y for _, y in centres.values()) + room - top
    centres = {key: (x - left, y - top) for key, (x, y) in centres.items()}
    canvas = _Canvas(width, height, _PAPER, pixels)
    for owner, a, b in hex_sides(size, centres, layout):
        canvas.line(a, b, _SIDES[owner], 13)
        for x, y in (a, b):
            canvas.disc(x, y, 6.5, _SIDES[owner])
    for i in range(size):
        for row, column, text in ((-1.25, i, chr(ord("a") + i)), (i, -1.25, str(i + 1))):
            x, y = hex_centre(row, column, layout)
            canvas.text(x - left, y - top, text, "#6d665b")
    outline = corners_of(RADIUS)
    for x, y in centres.values():
        canvas.polygon([(x + dx, y + dy) for dx, dy in outline], _CELL, _EDGE)
    places = {row * size + column: at for (row, column), at in centres.items()}
    _stones(canvas, position, "hex", places, RADIUS * 0.68)
    return canvas.finished()
