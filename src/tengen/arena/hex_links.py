"""Virtual connections in Hex: what a player can join whatever the opponent does, found without looking ahead.

A *link* joins two points, which are a player's chains of stones, his sides and the empty cells. A **full** link is a
set of empty cells, its carrier, within which he joins the points even if the opponent moves first; a **semi** link, if
he moves first. Neighbours have a full link without cells. Two rules make links of links (Anshelevich 2002):

* *and*: full links from x to m and from m to y that share no cell, neither running over the other's end, make a link
  from x to y: a full one if m is a chain, a semi one, with m in its carrier, if m is empty;
* *or*: semi links of the same two points that have no cell in common make a full one, whose carrier is all their cells:
  the opponent's move misses at least one of them.

Not every link is found: each pair of points keeps the smallest few, and the sides are never in the middle. What is
found is true, which is all that the solver needs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen.arena.hex_patterns import Bits, Numbers, bit, count_bits, lowest
from tengen.compiling import inner

FULL, SEMI = 0, 1
MOST = (10, 24)
"""Carriers that two points keep at most, of full and of semi links."""
WAITING = 1 << 15
"""Full links that may be found in one position, with those found twice."""
TINY = 1e-9

_0, _1, _8, _ALL = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(0xFFFFFFFFFFFFFFFF)
_BYTE = np.uint64(0xFF)


class Memory(NamedTuple):
    """Scratch of `find_links`. The points are numbered: the two sides, other chains, empty cells."""

    carriers: Bits  # [FULL or SEMI, point, point, MOST]
    counts: Numbers  # [FULL or SEMI, point, point]
    waiting: Bits  # [WAITING, (points, carrier)]
    bits: Bits  # [point]: an empty cell as a set, nothing for a chain
    beside: Bits  # [point]: the empty cells beside it
    numbers: Numbers  # [cell]: the point of an empty cell
    wires: NDArray[np.float64]  # [point, point]
    volts: NDArray[np.float64]  # [point]


def new_memory(size: int) -> Memory:
    """Memory for boards of one size."""
    points = size * size + 2
    return Memory(
        np.zeros((2, points, points, max(MOST)), np.uint64),
        np.zeros((2, points, points), np.int64),
        np.zeros((WAITING, 2), np.uint64),
        np.zeros(points, np.uint64),
        np.zeros(points, np.uint64),
        np.zeros(size * size, np.int64),
        np.zeros((points, points)),
        np.zeros(points),
    )


@inner
def _chain(seed: np.uint64, stones: np.uint64, near: Bits) -> Any:
    """All stones joined to those of `seed`, and all cells beside them."""
    chain, edge, around = seed, seed, _0
    while edge:
        cell = lowest(edge)
        edge &= edge - _1
        around |= near[cell]
        more = near[cell] & stones & ~chain
        chain |= more
        edge |= more
    return chain, around


@inner
def _keep(carriers: Bits, count: int, most: int, carrier: np.uint64) -> Any:
    """Keep a carrier among those of two points; the new count, or −1 when it is not wanted."""
    i = 0
    while i < count:
        if carriers[i] & ~carrier == _0:
            return -1
        if carrier & ~carriers[i] == _0:
            count -= 1
            carriers[i] = carriers[count]
        else:
            i += 1
    if count == most:
        largest, size = -1, count_bits(carrier)
        for i in range(count):
            if count_bits(carriers[i]) > size:
                largest, size = i, count_bits(carriers[i])
        if largest < 0:
            return -1
        carriers[largest] = carrier
    else:
        carriers[count] = carrier
        count += 1
    return count


@inner
def _pair(x: int, y: int) -> Any:
    return (np.uint64(x) << _8) | np.uint64(y)


@inner
def _or_rule(semi: Bits, count: int, new: np.uint64, pair: np.uint64, waiting: Bits, tail: int) -> Any:
    """Have full links wait that are made of the new semi link and one to three others; how many wait now."""
    for i in range(count):
        two = new & semi[i]
        if two == new:  # the new one itself
            continue
        if two == _0:
            tail = _wait(waiting, tail, pair, new | semi[i])
            continue
        for j in range(i + 1, count):
            three = two & semi[j]
            if three == two or new & semi[j] == _0:  # of no use, or enough without the other
                continue
            if three == _0:
                tail = _wait(waiting, tail, pair, new | semi[i] | semi[j])
                continue
            for k in range(j + 1, count):
                if three & semi[k] == _0:
                    tail = _wait(waiting, tail, pair, new | semi[i] | semi[j] | semi[k])
    return tail


@inner
def _wait(waiting: Bits, tail: int, pair: np.uint64, carrier: np.uint64) -> Any:
    if tail < len(waiting):  # else it is forgotten, which is allowed
        waiting[tail, 0], waiting[tail, 1] = pair, carrier
        tail += 1
    return tail


@inner
def find_links(memory: Memory, near: Bits, sides: Bits, stones: np.uint64, empty: np.uint64, to_move: bool) -> Any:
    """Find a player's links. (points, whether he wins, the carrier; without a win the cells that all semi links between
    his sides share, the cells that these links have together).
    """
    carriers, counts, waiting = memory.carriers, memory.counts, memory.waiting
    bits, beside, numbers = memory.bits, memory.beside, memory.numbers
    # The points.
    first, around_first = _chain(stones & sides[0], stones, near)
    last, around_last = _chain(stones & sides[1], stones, near)
    if first & sides[1]:
        return 0, True, _0, _ALL, _0
    bits[0], beside[0] = _0, (sides[0] | around_first) & empty
    bits[1], beside[1] = _0, (sides[1] | around_last) & empty
    points, rest = 2, stones & ~first & ~last
    while rest:
        chain, around = _chain(rest & (~rest + _1), rest, near)
        rest &= ~chain
        bits[points], beside[points] = _0, around & empty
        points += 1
    rest = empty
    while rest:
        cell = lowest(rest)
        rest &= rest - _1
        bits[points], beside[points] = bit(cell), near[cell] & empty
        numbers[cell] = points
        points += 1
    for x in range(points):
        for y in range(points):
            counts[FULL, x, y] = 0
            counts[SEMI, x, y] = 0
    # Neighbours.
    head, tail = 0, 0
    for x in range(points):
        rest = beside[x]
        while rest:
            y = numbers[lowest(rest)]
            rest &= rest - _1
            if x < y:
                tail = _wait(waiting, tail, _pair(x, y), _0)
    must, used = _ALL, _0
    while head < tail:
        pair, carrier = waiting[head, 0], waiting[head, 1]
        head += 1
        a, b = int(np.int64(pair >> _8)), int(np.int64(pair & _BYTE))
        count = _keep(carriers[FULL, a, b], counts[FULL, a, b], MOST[FULL], carrier)
        if count < 0:
            continue
        if a == 0 and b == 1:
            return points, True, carrier, must, used
        counts[FULL, a, b] = count
        counts[FULL, b, a] = count
        for i in range(count):
            carriers[FULL, b, a, i] = carriers[FULL, a, b, i]
        for end in range(2):
            middle, x = (a, b) if end == 0 else (b, a)
            if middle < 2:
                continue
            over = bits[middle]
            for y in range(points):
                if y in (x, middle) or bits[y] & carrier:
                    continue
                low, high = min(x, y), max(x, y)
                for i in range(counts[FULL, middle, y]):
                    other = carriers[FULL, middle, y, i]
                    if other & (carrier | bits[x]):
                        continue
                    joined = carrier | other | over
                    if over == _0:
                        tail = _wait(waiting, tail, _pair(low, high), joined)
                        continue
                    known = False
                    for k in range(counts[FULL, low, high]):
                        known = known or carriers[FULL, low, high, k] & ~joined == _0
                    if known:
                        continue
                    found = carriers[SEMI, low, high]
                    count = _keep(found, counts[SEMI, low, high], MOST[SEMI], joined)
                    if count < 0:
                        continue
                    counts[SEMI, low, high] = count
                    if low == 0 and high == 1:
                        if to_move:
                            return points, True, joined, must, used
                        if must & ~joined:
                            must &= joined
                            used |= joined
                    tail = _or_rule(found, count, joined, _pair(low, high), waiting, tail)
    return points, False, _0, must, used


@inner
def _conductance(links: int, x: np.uint64, y: np.uint64) -> Any:
    """Of the wire between two points, given as `bits`."""
    return 0.0 if links == 0 else 1.0 / (0.1 + (x != _0) + (y != _0))


@inner
def currents(memory: Memory, points: int, out: NDArray[np.float64]) -> None:
    """Which part of a current between the player's sides flows through each point. `out` [point].

    Full links are wires, empty cells resist, chains hardly do. Good moves are where much flows for both players
    (Anshelevich 2002).
    """
    counts, bits, wires, volts = memory.counts, memory.bits, memory.wires, memory.volts
    for x in range(points):
        total = TINY
        for y in range(points):
            wires[x, y] = -_conductance(counts[FULL, x, y], bits[x], bits[y])
            total -= wires[x, y]
        wires[x, x] = total
        volts[x] = -wires[x, 0]
    # Elimination. The sides (0 at one volt, 1 at none) are known. The matrix is positive definite: it needs no pivots.
    for x in range(points - 1, 1, -1):
        for y in range(2, x):
            factor = wires[y, x] / wires[x, x]
            if factor != 0.0:
                for z in range(2, x):
                    wires[y, z] -= factor * wires[x, z]
                volts[y] -= factor * volts[x]
    for x in range(2, points):
        for y in range(2, x):
            volts[x] -= wires[x, y] * volts[y]
        volts[x] /= wires[x, x]
    volts[0], volts[1] = 1.0, 0.0
    for x in range(points):
        out[x] = 0.0
        for y in range(points):
            out[x] += abs(volts[x] - volts[y]) * _conductance(counts[FULL, x, y], bits[x], bits[y])
    for x in range(2, points):
        out[x] /= 2.0 * (out[0] + TINY)
