"""Perfect play in Hex: the generic solver's questions, answered with what is special to Hex.

Depth-first search for the winner. Every answer comes with the winner's *carrier*, empty cells with which he wins even if all
others were the opponent's. At each position

1. dead and captured cells are filled (`hex_patterns`), so that positions that differ in nothing that matters are one;
2. the table may know the position, or the position turned by 180°;
3. virtual connections (`hex_links`) may show that the mover wins at once, or that the opponent does whatever happens;
4. else a move must meet every threat of the opponent, every semi link between his sides: it must lie in the cells that
   all of them share. A move that was tried and lost leaves the opponent's carrier, which is a threat as well;
5. the moves that are left are tried in the order of how much current flows through them, for both players together.

Where all moves lose, the threats used and the carriers of the refutations are, together, the winner's carrier.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tengen.arena.hex_links import Memory, currents, find_links, new_memory
from tengen.arena.hex_patterns import (
    Bits,
    Numbers,
    bit,
    fill_in,
    lowest,
    neighbour_bits,
    neighbour_table,
    side_bits,
)
from tengen.arena.solving import OUT_OF_NODES, SOLVED, TABLE_BITS, OnMove, check_limits, in_slices
from tengen.compiling import borrow, inner, kernel
from tengen.errors import SpecError, TengenError
from tengen.games.hex import Hex
from tengen.games.hex_knowledge import ring_table
from tengen.games.position import Position
from tengen.games.verbs import Game

LARGEST = 8
"""A board must fit into 64 bits."""
SLICE = 500
"""Nodes between two looks at the clock and the keyboard."""
BUCKET = 4
"""Entries of the table among which a position may lie. A new one takes the place of the one that cost the least work."""
LEAST_FLOW = 0.02
"""Added to a cell's current before the logarithm: how bad a cell is that leads nothing."""

# A frame of the stack: sets of cells, and numbers.
STONES, CAPTURED, MUST, CARRIER, SETS = 0, 2, 4, 5, 6
MOVER, WON, MOVES, NEXT, BEGUN, NUMBERS = range(6)

DEPTH, PHASE, NODES = range(3)
ENTER, GO_ON, LEAVE = range(3)

_0, _1, _2, _32 = (np.uint64(n) for n in (0, 1, 2, 32))
_ALL, _MIX, _MIX_TWO = (np.uint64(n) for n in (0xFFFFFFFFFFFFFFFF, 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F))
_SWAPS = tuple(
    (np.uint64(shift), np.uint64(mask))
    for shift, mask in (
        (1, 0x5555555555555555),
        (2, 0x3333333333333333),
        (4, 0x0F0F0F0F0F0F0F0F),
        (8, 0x00FF00FF00FF00FF),
        (16, 0x0000FFFF0000FFFF),
        (32, 0x00000000FFFFFFFF),
    )
)


@inner
def _turned(cells: np.uint64, count: int) -> Any:
    """A set of cells on the board turned by 180°."""
    for i in range(6):
        shift, mask = _SWAPS[i]
        cells = ((cells >> shift) & mask) | ((cells & mask) << shift)
    return cells >> np.uint64(64 - count)


@inner
def _key(one: np.uint64, two: np.uint64, count: int) -> Any:
    """The stones as the table knows them: turned or not, whichever is less, and whether they are turned."""
    turned_one, turned_two = _turned(one, count), _turned(two, count)
    if turned_one < one or (turned_one == one and turned_two < two):
        return turned_one, turned_two, True
    return one, two, False


@inner
def _bucket(table: Bits, one: np.uint64, two: np.uint64, mover: int) -> Any:
    mixed = (one * _MIX) ^ ((two + np.uint64(mover)) * _MIX_TWO)
    mixed = (mixed ^ (mixed >> _32)) * _MIX
    return np.int64(mixed >> _32) % (len(table) // BUCKET) * BUCKET


@inner
def _find(table: Bits, one: np.uint64, two: np.uint64, mover: int) -> Any:
    start = _bucket(table, one, two, mover)
    for i in range(start, start + BUCKET):
        if table[i, 0] == one and table[i, 1] == two and table[i, 2] != 0 and np.int64(table[i, 2] & _1) == mover:
            return i
    return -1


@inner
def _store(table: Bits, one: np.uint64, two: np.uint64, mover: int, won: int, carrier: np.uint64, work: int) -> None:
    start = _bucket(table, one, two, mover)
    place, least = start, table[start, 2]
    for i in range(start + 1, start + BUCKET):
        if table[i, 2] < least:
            place, least = i, table[i, 2]
    table[place, 0], table[place, 1], table[place, 3] = one, two, carrier
    table[place, 2] = (np.uint64(work) << _2) | (np.uint64(won) << _1) | np.uint64(mover)


@inner
def _in_order(cells: np.uint64, scores: NDArray[np.float64], out: Numbers) -> Any:
    """List the cells, the best score first; how many there are."""
    count = 0
    while cells:
        cell = lowest(cells)
        cells &= cells - _1
        i = count
        while i > 0 and scores[out[i - 1]] < scores[cell]:
            out[i] = out[i - 1]
            i -= 1
        out[i] = cell
        count += 1
    return count


@kernel
def search_slice(
    game: Hex,
    sets: Bits,
    numbers: Numbers,
    moves: Numbers,
    scores: NDArray[np.float64],
    colours: Numbers,
    memory: Memory,
    neighbours: Numbers,
    near: Bits,
    sides: Bits,
    rings: NDArray[np.uint8],
    table: Bits,
    state: Numbers,
    budget: int,
) -> int:
    """Go on with the search until it is done or has entered `budget` more nodes; how it ended.

    By depth: `sets`, `numbers`, and the `moves` to try. Scratch: `scores`, `colours`, `memory`. The board: `neighbours`,
    `near`, `sides`, `rings`. Learnt on the way: `table`.
    """
    sets, numbers, moves, scores, colours = (
        borrow(sets),
        borrow(numbers),
        borrow(moves),
        borrow(scores),
        borrow(colours),
    )
    neighbours, near, sides, rings, table = (
        borrow(neighbours),
        borrow(near),
        borrow(sides),
        borrow(rings),
        borrow(table),
    )
    state = borrow(state)
    memory = Memory(
        borrow(memory.carriers),
        borrow(memory.counts),
        borrow(memory.waiting),
        borrow(memory.bits),
        borrow(memory.beside),
        borrow(memory.numbers),
        borrow(memory.wires),
        borrow(memory.volts),
    )
    cells = game.size * game.size
    board = _ALL >> np.uint64(64 - cells)
    depth, phase, last = int(state[DEPTH]), int(state[PHASE]), state[NODES] + budget
    result = OUT_OF_NODES
    while True:
        here, frame = sets[depth], numbers[depth]
        mover = frame[MOVER]
        if phase == ENTER:
            if state[NODES] >= last:
                break
            state[NODES] += 1
            frame[BEGUN], frame[MOVES], frame[NEXT] = state[NODES], 0, 0
            fill_in(here[STONES : STONES + 2], here[CAPTURED : CAPTURED + 2], colours, neighbours, rings)
            one, two, turned = _key(here[STONES], here[STONES + 1], cells)
            known = _find(table, one, two, mover)
            if known >= 0:
                frame[WON] = np.int64((table[known, 2] >> _1) & _1)
                here[CARRIER] = _turned(table[known, 3], cells) if turned else table[known, 3]
                phase = LEAVE
                continue
            empty = board & ~(here[STONES] | here[STONES + 1])
            here[MUST], here[CARRIER] = empty, _0
            for cell in range(cells):
                scores[cell] = 0.0
            for turn_of in range(2):
                player = mover if turn_of == 0 else 1 - mover
                points, wins, carrier, must, used = find_links(
                    memory, near, sides[player], here[STONES + player], empty, turn_of == 0
                )
                if wins:
                    frame[WON], here[CARRIER], phase = 1 - turn_of, carrier, LEAVE
                    break
                if turn_of == 1:
                    here[MUST] &= must
                    here[CARRIER] = used
                currents(memory, points, scores[cells:])
                rest = empty
                while rest:
                    cell = lowest(rest)
                    rest &= rest - _1
                    scores[cell] += np.log(scores[cells + memory.numbers[cell]] + LEAST_FLOW)
            if phase == ENTER:
                frame[MOVES], frame[WON], phase = _in_order(here[MUST], scores, moves[depth]), 0, GO_ON
        elif phase == GO_ON:
            i = frame[NEXT]
            while i < frame[MOVES] and (here[MUST] >> np.uint64(moves[depth, i])) & _1 == _0:
                i += 1
            frame[NEXT] = i + 1
            if frame[WON] or i >= frame[MOVES]:
                one, two, turned = _key(here[STONES], here[STONES + 1], cells)
                carrier = _turned(here[CARRIER], cells) if turned else here[CARRIER]
                _store(table, one, two, mover, frame[WON], carrier, state[NODES] - frame[BEGUN] + 1)
                phase = LEAVE
            else:
                sets[depth + 1, STONES] = here[STONES]
                sets[depth + 1, STONES + 1] = here[STONES + 1]
                sets[depth + 1, STONES + mover] |= bit(moves[depth, i])
                numbers[depth + 1, MOVER] = 1 - mover
                depth += 1
                phase = ENTER
        else:
            winner = mover if frame[WON] else 1 - mover
            carrier = here[CARRIER] | here[CAPTURED + winner]
            if depth == 0:
                here[CARRIER] = carrier
                result = SOLVED
                break
            depth -= 1
            parent, above = sets[depth], numbers[depth]
            if winner == above[MOVER]:
                above[WON] = 1
                parent[CARRIER] = carrier | bit(moves[depth, above[NEXT] - 1])
            else:
                parent[MUST] &= carrier
                parent[CARRIER] |= carrier
            phase = GO_ON
    state[DEPTH], state[PHASE] = depth, phase
    return result


class HexSolver:
    """Knows what perfect play leads to in Hex without swap, on boards up to 8×8. The same questions as `Solver`."""

    def __init__(
        self, game: Hex, nodes: int = 0, table_bits: int = TABLE_BITS, on_slice: Callable[[int], None] | None = None
    ) -> None:
        """`nodes`: how many positions may be looked at in all, 0 as many as it takes; `on_slice` is told how many were."""
        if game.swap or game.size > LARGEST:
            raise SpecError(f"this solver is for hex without swap on boards up to {LARGEST}")
        check_limits(nodes, table_bits)
        self.game, self.limit, self._on_slice = cast(Game, game), nodes, on_slice
        self._hex = game
        size, cells = game.size, game.size * game.size
        self._sets = np.zeros((cells + 2, SETS), np.uint64)
        self._numbers = np.zeros((cells + 2, NUMBERS), np.int64)
        self._moves = np.zeros((cells + 2, cells), np.int64)
        self._scores = np.zeros(2 * cells + 2)
        self._colours = np.zeros(cells + 2, np.int64)
        self._memory = new_memory(size)
        self._tables = neighbour_table(size), neighbour_bits(size), side_bits(size), ring_table()
        self._table = np.zeros((1 << table_bits, 4), np.uint64)
        self._state = np.zeros(3, np.int64)

    @property
    def nodes(self) -> int:
        """How many positions have been looked at so far."""
        return int(self._state[NODES])

    def value(self, position: Position) -> int:
        """What the mover gets if both play perfectly: 1 a win, −1 a loss. The game must not be over."""
        if position.is_over:
            raise TengenError("the game is over: there is nothing to solve")
        won, _ = self._solve(*self._read(position))
        return 1 if won else -1

    def best_moves(self, position: Position, on_move: OnMove | None = None) -> list[int]:
        """All moves that keep what the position is worth: in a won position, those that win. See `Solver.best_moves`."""
        legal = position.legal_moves
        if self.value(position) == -1:
            return legal
        stones, mover = self._read(position)
        can_win, best = -1, []
        for number, move in enumerate(legal):
            if on_move:
                on_move(number, len(legal))
            if can_win >> move & 1:
                after = list(stones)
                after[mover] |= 1 << move
                lost, carrier = self._solve(after, 1 - mover)
                if lost:
                    can_win &= carrier  # with these cells the opponent wins, against any move elsewhere as well
                else:
                    best.append(move)
        return best

    def _read(self, position: Position) -> tuple[list[int], int]:
        cells = position.cells()
        stones = [sum(1 << int(cell) for cell in np.flatnonzero(cells == colour)) for colour in (1, 2)]
        return stones, position.to_move

    def _solve(self, stones: list[int], mover: int) -> tuple[bool, int]:
        """Whether the mover wins, and the winner's carrier."""
        self._sets[0, STONES : STONES + 2] = stones
        self._numbers[0, MOVER] = mover
        self._state[[DEPTH, PHASE]] = 0, ENTER
        in_slices(
            SLICE,
            lambda budget: search_slice(
                self._hex, self._sets, self._numbers, self._moves, self._scores, self._colours, self._memory,
                *self._tables, self._table, self._state, budget,
            ),
            self.limit, lambda: self.nodes, self._on_slice,
        )  # fmt: skip
        return bool(self._numbers[0, WON]), int(self._sets[0, CARRIER])
