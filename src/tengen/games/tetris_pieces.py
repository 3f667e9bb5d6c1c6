"""The seven pieces of Tetris as MaTris has them, as tables that compiled code reads.

A piece lies in a square box (I: 4×4, O: 2×2, the others 3×3) that is turned clockwise. A row of cells is a number whose
lowest bit is the leftmost cell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NAMES = "IOTSZJL"

PICTURES = {
    "I": ("....", "####", "....", "...."),
    "O": ("##", "##"),
    "T": (".#.", "###", "..."),
    "S": (".##", "##.", "..."),
    "Z": ("##.", ".##", "..."),
    "J": ("#..", "###", "..."),
    "L": ("..#", "###", "..."),
}

KICKS = np.array([0, 1, -1, 2, -2], np.int64)
"""How far to the side a turned piece is tried, in this order."""


def turned(box: NDArray[np.bool_], turns: int) -> NDArray[np.bool_]:
    """A box after so many quarter turns clockwise."""
    return np.rot90(box, -turns)


def box_of(piece: int, rotation: int) -> NDArray[np.bool_]:
    """The box of a piece after `rotation` quarter turns: True where there is a cell."""
    rows = PICTURES[NAMES[piece]]
    return turned(np.array([[cell == "#" for cell in row] for row in rows]), rotation)


BOX = np.array([len(PICTURES[name]) for name in NAMES], np.int64)  # [pieces] width of the box
SHAPES = np.array([{"I": 2, "O": 1, "S": 2, "Z": 2}.get(name, 4) for name in NAMES], np.int64)
"""Rotations in which a piece looks different: the others are the same cells, one step aside in the box."""

MIRRORED = np.array([NAMES.index({"S": "Z", "Z": "S", "J": "L", "L": "J"}.get(name, name)) for name in NAMES], np.int64)
"""The piece that is seen in a mirror."""
MIRRORED_TURN = np.array([[(-turn) % 4 if n == 4 else turn for turn in range(4)] for n in SHAPES], np.int64)
"""The turn in which it is seen there [pieces, rotations]; those that look the same stay."""

TOP, LEFT, HEIGHT, WIDTH = (np.zeros((7, 4), np.int64) for _ in range(4))
"""Where in the box the cells begin, and how far they reach [pieces, rotations]."""
MASKS = np.zeros((7, 4, 4), np.int64)
"""The rows of cells, from the first that has any, the leftmost cell in bit 0 [pieces, rotations, rows]."""

for _piece in range(7):
    for _rotation in range(4):
        _box = box_of(_piece, _rotation)
        _rows, _columns = np.flatnonzero(_box.any(axis=1)), np.flatnonzero(_box.any(axis=0))
        TOP[_piece, _rotation], LEFT[_piece, _rotation] = _rows[0], _columns[0]
        HEIGHT[_piece, _rotation], WIDTH[_piece, _rotation] = np.ptp(_rows) + 1, np.ptp(_columns) + 1
        for _i, _row in enumerate(_rows):
            MASKS[_piece, _rotation, _i] = sum(1 << int(c - _columns[0]) for c in np.flatnonzero(_box[_row]))
