"""Dead and captured cells, as `games.hex_knowledge` explains them, on boards that are sets of bits.

Boards are sets of cells as bits (cell = row · size + column) and, for the look around a cell, arrays of colours.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import inner
from tengen.games.hex_knowledge import DEAD, KILLERS

Bits = NDArray[np.uint64]
Numbers = NDArray[np.int64]

_AROUND = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))
"""The neighbours of a cell, each beside the one before."""

_0, _1, _2, _4, _56 = (np.uint64(n) for n in (0, 1, 2, 4, 56))
_ODD, _PAIRS, _NIBBLES, _BYTES = (
    np.uint64(n) for n in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x0101010101010101)
)


@cache
def neighbour_table(size: int) -> Numbers:
    """[cell, 6]: the neighbours around a cell. Beyond the board lie size² (a stone of player 0) and size² + 1."""
    table = np.zeros((size * size, 6), np.int64)
    for row in range(size):
        for column in range(size):
            for slot, (down, right) in enumerate(_AROUND):
                r, c = row + down, column + right
                # A corner beyond the board lies between stones of both players: its colour changes nothing.
                outside = size * size if not 0 <= r < size else size * size + 1
                inside = 0 <= r < size and 0 <= c < size
                table[row * size + column, slot] = r * size + c if inside else outside
    return table


@cache
def neighbour_bits(size: int) -> Bits:
    """[cell]: its neighbours on the board."""
    rows = neighbour_table(size).tolist()
    return np.array([sum(1 << cell for cell in row if cell < size * size) for row in rows], np.uint64)


@cache
def side_bits(size: int) -> Bits:
    """[player, end]: the cells along the player's two sides."""
    row, column = (1 << size) - 1, sum(1 << (size * i) for i in range(size))
    return np.array(
        [[row, row << (size * (size - 1))], [column, column << (size - 1)]],
        np.uint64,
    )


@inner
def count_bits(cells: np.uint64) -> Any:
    cells -= (cells >> _1) & _ODD
    cells = (cells & _PAIRS) + ((cells >> _2) & _PAIRS)
    cells = (cells + (cells >> _4)) & _NIBBLES
    return np.int64((cells * _BYTES) >> _56)


@inner
def lowest(cells: np.uint64) -> Any:
    """The first cell of a set that is not empty."""
    return count_bits((cells & (~cells + _1)) - _1)


@inner
def bit(cell: int) -> Any:
    return _1 << np.uint64(cell)


@inner
def ring_of(colours: Numbers, around: Numbers) -> Any:
    ring = 0
    for slot in range(6):
        ring |= colours[around[slot]] << (2 * slot)
    return ring


@inner
def fill_in(stones: Bits, captured: Bits, colours: Numbers, neighbours: Numbers, rings: NDArray[np.uint8]) -> None:
    """Put stones on dead and captured cells, over and over until there are none.

    `stones` [player] and `captured` [player] are sets, `colours` [cell, with two more for the sides] is scratch.
    Dead cells become player 0's. Who wins is the same as before: if the winner then needs the cells of a
    set, he needs those and his captured ones before (the loser's captured cells only help the loser).
    """
    cells = len(neighbours)
    captured[0], captured[1] = _0, _0
    for cell in range(cells):
        colours[cell] = np.int64((stones[0] >> np.uint64(cell)) & _1) + 2 * np.int64(
            (stones[1] >> np.uint64(cell)) & _1
        )
    colours[cells], colours[cells + 1] = 1, 2
    again = True
    while again:
        again = False
        for cell in range(cells):
            if colours[cell] != 0:
                continue
            ring = ring_of(colours, neighbours[cell])
            if rings[DEAD, ring]:
                colours[cell], again = 1, True
                stones[0] |= bit(cell)
                continue
            for player in range(2):
                killers = np.int64(rings[KILLERS + player, ring])
                for slot in range(6):
                    other = neighbours[cell, slot]
                    if killers >> slot & 1 == 0 or other < cell or colours[cell] != 0:
                        continue
                    back = rings[KILLERS + player, ring_of(colours, neighbours[other])]
                    if np.int64(back) >> ((slot + 3) % 6) & 1:
                        colours[cell], colours[other], again = player + 1, player + 1, True
                        pair = bit(cell) | bit(other)
                        stones[player] |= pair
                        captured[player] |= pair
