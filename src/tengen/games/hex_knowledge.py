"""What Hex offers a search that asks for knowledge: replies that save bridges are urgent, all but inferior moves are likely.

*Bridges.* Two stones (or a stone and a side) that share two empty neighbours are as good as joined: if the opponent takes one of
these, the other still joins them. To take it is the urgent move after such an intrusion; seen from the intruder it is the middle
one of three neighbours that follow each other: own, empty, own. It is a habit that makes rollouts truer, no proof: now and then
another move is better.

*Inferior cells.* Two neighbours of a cell that follow each other around it are neighbours themselves. So if, however the empty
ones among the six are filled, each colour has them in one piece, the cell joins nothing that is not joined without it: it is
*dead*, its colour matters to nobody, now or later. Two neighbouring empty cells are *captured* by a player who, whichever of them
the opponent takes, makes it dead by taking the other. Dead and captured cells may be filled with stones, over and over, without
changing who wins. Of the others, a cell that the opponent can make dead with one stone is not worth a move while there is one
that he cannot; and a cell that the player could make dead by taking a neighbour is no better than that neighbour. So if any move
wins, a likely one does (Björnsson, Hayward, Johanson, van Rijswijck 2006; Hayward, van Rijswijck 2006).

The knowledge of a position is its board, filled in, and the cell of the last move. It is filled in when that is asked for: a
simulation makes many moves, and wants to know of the last position only.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import apart, constant, inner, wide
from tengen.games.randomness import below, next_bits
from tengen.games.types import IntArray, RandomState

NEAR, FAR = 4, 8
"""Flags of the board's cells: see `hex`."""
FILLED = 16
"""The flag of a cell of the knowledge's board on which no stone lies."""

# After the cells of the board: where the last move was (0: not known), and whether the board is that of a position before.
LAST, IS_OLD = 0, 1

DEAD, KILLERS = 0, 1
"""Rows of `ring_table`: whether the cell is dead; KILLERS + player: which neighbours kill it when the player takes them."""

_32 = np.uint64(32)


def _colours(ring: int) -> list[int]:
    return [ring >> 2 * slot & 3 for slot in range(6)]


@cache
def _is_dead(ring: int) -> bool:
    """Whether each colour is in one piece, however the empty neighbours are filled."""
    colours = _colours(ring)
    if 0 in colours:
        slot = colours.index(0)
        return all(_is_dead(ring | colour << 2 * slot) for colour in (1, 2))
    return sum(colours[i] != colours[i - 1] for i in range(6)) <= 2


@constant
def ring_table() -> NDArray[np.uint8]:
    """[DEAD or KILLERS + player, ring]: a ring has two bits for each of the six neighbours: 0 empty, 1 or 2 a stone."""
    table = np.zeros((3, 4096), np.uint8)
    for ring in range(4096):
        if 3 not in _colours(ring):
            table[DEAD, ring] = _is_dead(ring)
    for ring in range(4096):
        colours = _colours(ring)
        if 3 in colours or table[DEAD, ring]:
            continue
        for slot, colour in enumerate(colours):
            for player in (0, 1):
                if colour == 0 and table[DEAD, ring | (player + 1) << 2 * slot]:
                    table[KILLERS + player, ring] |= 1 << slot
    return table


@constant
def reply_table() -> NDArray[np.uint16]:
    """[player, ring]: how many of the player's bridges a stone in the middle breaks; then, four bits each, the places to save."""
    table = np.zeros((2, 4096), np.uint16)
    for ring in range(4096):
        colours = _colours(ring)
        for player in (0, 1):
            own = player + 1
            slots = [i for i in range(6) if colours[i] == 0 and colours[i - 1] == colours[i - 5] == own]
            table[player, ring] = len(slots) | sum(slot << 4 * (i + 1) for i, slot in enumerate(slots))
    return table


@inner
def step_to(slot: int, width: int) -> int:
    """The neighbours around a cell, each beside the one before."""
    if slot < 3:
        return -width if slot == 0 else 1 - width if slot == 1 else 1
    return width if slot == 3 else width - 1 if slot == 4 else -1


@inner
def ring_of(board: IntArray, cell: int, width: int) -> int:
    """The colours around a cell, two bits each."""
    return (
        int(board[cell - width] & 3)
        | int(board[cell + 1 - width] & 3) << 2
        | int(board[cell + 1] & 3) << 4
        | int(board[cell + width] & 3) << 6
        | int(board[cell + width - 1] & 3) << 8
        | int(board[cell - 1] & 3) << 10
    )


@inner
def knowledge_size(size: int) -> int:
    """How many numbers the knowledge is."""
    return (size + 2) * (size + 2) + 2


@inner
def study(size: int, knowledge: IntArray) -> None:
    """Begin the knowledge of a position; it does not say which move was the last."""
    end = (size + 2) * (size + 2)
    knowledge[end + LAST] = 0
    knowledge[end + IS_OLD] = 1


@inner
def learn(size: int, knowledge: IntArray, move: int) -> None:
    """Note a stone."""
    width = size + 2
    end = width * width
    knowledge[end + LAST] = move + 2 * (move // size) + width + 1
    knowledge[end + IS_OLD] = 1


@apart
def fill_in(size: int, position: IntArray, knowledge: IntArray) -> None:
    """Fill dead and captured cells of the position, if that has not been done; dead ones become player 0's."""
    width, rings = size + 2, ring_table()
    end = width * width
    if knowledge[end + IS_OLD] == 0:
        return
    knowledge[end + IS_OLD] = 0
    for cell in range(end):
        knowledge[cell] = position[cell]
    todo, n = np.empty(8 * size * size, np.int32), 0
    for row in range(size, 0, -1):
        for cell in range(row * width + size, row * width, -1):
            knowledge[cell] = position[cell] & 3
            todo[n] = cell
            n += knowledge[cell] == 0
    while n > 0:
        n -= 1
        cell = wide(todo[n])
        if knowledge[cell] != 0:
            continue
        ring = ring_of(knowledge, cell, width)
        if rings[DEAD, ring] != 0:
            knowledge[cell] = 1 | FILLED
            n = _push_around(knowledge, width, cell, todo, n)
            continue
        for player in range(2):
            killers = int(rings[KILLERS + player, ring])
            for slot in range(6):
                if killers >> slot & 1 == 0 or knowledge[cell] != 0:
                    continue
                other = cell + step_to(slot, width)
                back = int(rings[KILLERS + player, ring_of(knowledge, other, width)])
                if back >> ((slot + 3) % 6) & 1:
                    knowledge[cell] = knowledge[other] = player + 1 | FILLED
                    n = _push_around(knowledge, width, cell, todo, n)
                    n = _push_around(knowledge, width, other, todo, n)


@apart
def _push_around(board: IntArray, width: int, cell: int, todo: IntArray, n: int) -> int:
    """Have the empty neighbours of a cell looked at."""
    for slot in range(6):
        other = cell + step_to(slot, width)
        if board[other] == 0:
            todo[n] = other
            n += 1
    return n


@apart
def urgent_moves(size: int, position: IntArray, knowledge: IntArray, mover: int, out: IntArray) -> int:
    """List the moves that save a bridge from the last move."""
    width = size + 2
    last = int(knowledge[width * width + LAST])
    if last == 0 or position[last] & 3 != 2 - mover:
        return 0
    replies = int(reply_table()[mover, ring_of(position, last, width)])
    n = replies & 15
    for i in range(n):
        cell = last + step_to(replies >> 4 * (i + 1) & 15, width)
        out[i] = (cell // width - 1) * size + cell % width - 1
    return n


@apart
def likely_moves(size: int, position: IntArray, knowledge: IntArray, mover: int, most: int, out: IntArray) -> int:
    """List the moves that are not inferior; where all are, those on cells that are not filled.

    With `most`, those nearest to the middle.
    """
    fill_in(size, position, knowledge)
    width, rings = size + 2, ring_table()
    stays = np.zeros(width * width, np.uint8)
    n, all_empty = 0, 0
    for row in range(1, size + 1):
        for cell in range(row * width + 1, row * width + 1 + size):
            if knowledge[cell] == 0:
                out[all_empty] = cell
                all_empty += 1
                if rings[KILLERS + 1 - mover, ring_of(knowledge, cell, width)] == 0:
                    stays[cell] = 1
                    n += 1
    if n == 0:
        n = all_empty
    else:
        n = 0
        for i in range(all_empty):
            cell = int(out[i])
            if stays[cell] != 0 and not _is_dominated(knowledge, width, cell, mover, stays, rings):
                out[n] = cell
                n += 1
            else:
                stays[cell] = 0
    if 0 < most < n:
        _bring_middle_to_front(width, most, out, n)
        n = most
    for i in range(n):
        cell = int(out[i])
        out[i] = (cell // width - 1) * size + cell % width - 1
    return n


@apart
def _bring_middle_to_front(width: int, most: int, cells: IntArray, n: int) -> None:
    """Sort the first `most` of n cells: those nearest to the middle, of equals the first in the list."""
    for i in range(most):
        best, least = i, 1 << 30
        for j in range(i, n):
            down, right = 2 * (cells[j] // width) - width + 1, 2 * (cells[j] % width) - width + 1
            away = max(abs(down), abs(right), abs(down + right)) * 4096 + cells[j]
            if away < least:
                best, least = j, away
        cells[i], cells[best] = cells[best], cells[i]


@apart
def _is_dominated(
    board: IntArray, width: int, cell: int, mover: int, stays: NDArray[np.uint8], rings: NDArray[np.uint8]
) -> bool:
    """Whether the mover could make a cell dead by a move that is still in the list."""
    killers = int(rings[KILLERS + mover, ring_of(board, cell, width)])
    if killers != 0:
        for slot in range(6):
            if killers >> slot & 1 and stays[cell + step_to(slot, width)] != 0:
                return True
    return False


@apart
def fill_by_knowledge(board: IntArray, size: int, mover: int, last: int, random: RandomState) -> None:
    """Fill a board with stones in turn, the mover first: each saves a bridge from the one before, or lies on a random cell.

    `last` is the cell of the move before; 0: none. It goes on when somebody has won: who that was does not change.
    """
    width, replies = size + 2, reply_table()
    empty, n = np.empty(size * size, np.int32), 0
    for row in range(1, size + 1):
        start = row * width + 1
        for cell in range(start, start + size):
            empty[n] = cell
            n += board[cell] == 0
    drawn, colour, cell = 0, mover + 1, last
    for _ in range(n):
        reply = int(replies[colour - 1, ring_of(board, cell, width)]) if cell != 0 else 0
        if reply != 0:
            choice = int(below(random, reply & 15)) if reply & 15 > 1 else 0
            cell += step_to(reply >> 4 * (choice + 1) & 15, width)
        else:
            while True:
                j = drawn + np.int64(((next_bits(random) >> _32) * np.uint64(n - drawn)) >> _32)
                cell = int(empty[j])
                empty[j] = empty[drawn]
                drawn += 1
                if board[cell] == 0:  # no reply was made there
                    break
        board[cell] = colour
        colour = 3 - colour
