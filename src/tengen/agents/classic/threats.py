"""Wins by force in Gomoku: continuous fours, then fours and threes; each win is proven against every defence.

The attacker makes nothing but threats; the defender has to answer each. A *four* threatens to win at once: one reply. A
*three* threatens a four that cannot be met. Whatever the defender does then must

- take the cell on which that four would be made, or one on which it would win. If there are several such fours, the reply must
  meet all of them: only the cells that they share will do;
- or be a four of the defender's own.

Any other reply leaves the attacker's four and the cells on which it wins as they are and threatens nothing, so it loses. These
replies are therefore all that have to be tried (`replies`): a win found here is a win against every defence. What is
*not* found may still be won: the attacker may have quiet moves, and the depth is bounded.

An and-or search with an explicit stack. Even plies are the attacker's. The depth counts the attacker's moves. What is won, or has
failed with as many moves or more, is remembered in `proofs`, a word each: 48 bits of the position's hash, plies, depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import borrow, inner, kernel
from tengen.games.gomoku_patterns import (
    FOUR_AND_THREE,
    KIND,
    KIND_COUNTS,
    KINDS,
    ONE_FOUR,
    SCORE,
    THREATS,
    TWO_THREES,
    WINNING_FOUR,
    WINS,
    Bytes,
    lift,
    place,
    record_of,
    threat_list,
)
from tengen.games.types import IntArray

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.int64]

DEEPEST = 64
"""Plies of a threat sequence, at most."""

# The state of a search for a win.
PLY, PHASE, NODES, ATTACKER, THREES, MOVES_LEFT, KEEPS, WINNER, WAS_CUT, WORK = range(10)
"""`THREES`: whether threes are allowed; `MOVES_LEFT`: of the attacker, at the root; `KEEPS`: whether a search that has used up
its budget can go on, or else takes its stones back; `WINNER`: the first cell of the win; `WAS_CUT`: whether more moves might
find a win where these have not."""

# A frame of the stack: numbers, then the cells to try and their order.
COUNT, NEXT, LEFT, MOVE, FOUND, CUT, FIELDS = range(7)
FOR_EVER = 255
"""The depth of what fails however many moves there are."""

ENTER, GO_ON, LEAVE = range(3)
UNFINISHED, FAILED = -1, 0
"""What a search returns; a win is its length in plies, above 0."""

_0, _16, _LOW = np.uint64(0), np.uint64(16), np.uint64(0xFFFF)
_SALTS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64)


def new_hashes(records: int, seed: int) -> Hashes:
    """The hash of the present position, then a number for each cell and colour."""
    hashes = np.random.default_rng(seed).integers(0, 1 << 64, 1 + 2 * records, np.uint64)
    hashes[0] = 0
    return hashes


def new_paths(cells: int) -> Numbers:
    """The stack [plies, fields and cells and their order]."""
    return np.zeros((DEEPEST + 2, FIELDS + 2 * cells), np.int64)


@inner
def kind_count(board: IntArray, colour: int, kind: int) -> Any:
    """How many empty cells are of a kind for a colour."""
    return int(board[KIND_COUNTS + KINDS * colour + kind])


@kernel
def put(board: IntArray, tables: Bytes, hashes: Hashes, cell: int, colour: int) -> None:
    """Put a stone and change the hash."""
    board, tables, hashes = borrow(board), borrow(tables), borrow(hashes)
    hashes[0] ^= hashes[1 + 2 * cell + colour]
    place(board, tables, cell, colour)


@kernel
def take(board: IntArray, tables: Bytes, hashes: Hashes, cell: int, colour: int) -> None:
    """Take a stone back and change the hash."""
    board, tables, hashes = borrow(board), borrow(tables), borrow(hashes)
    hashes[0] ^= hashes[1 + 2 * cell + colour]
    lift(board, tables, cell)


@inner
def find_kind(board: IntArray, colour: int, kind: int) -> Any:
    """A cell of a kind (ONE_THREE or above) for a colour; there must be one."""
    start, i = threat_list(board, colour), 0
    while int(board[record_of(int(board[start + i])) + KIND + colour]) != kind:
        i += 1
    return int(board[start + i])


@inner
def makes_a_four(kind: int) -> Any:
    """Whether a cell of that kind makes a four, at least."""
    return kind >= ONE_FOUR and kind != TWO_THREES


@kernel
def replies(board: IntArray, tables: Bytes, attacker: int, out: Numbers, start: int) -> Any:
    """List, from `out[start]`, all moves that may save a defender from the attacker's WINNING_FOURs; how many.

    There is at least one such cell, and nobody can win at once.
    """
    board, tables, out = borrow(board), borrow(tables), borrow(out)
    defender, count, is_first = 1 - attacker, 0, True
    threats = threat_list(board, attacker)
    number = int(board[THREATS + attacker])
    four = np.empty(number, np.int64)
    fours = 0
    for i in range(number):
        cell = int(board[threats + i])
        if int(board[record_of(cell) + KIND + attacker]) == WINNING_FOUR:
            four[fours] = cell
            fours += 1
    for f in range(fours):
        cell = four[f]
        place(board, tables, cell, attacker)
        if is_first:
            out[start], count, is_first = cell, 1, False
            for i in range(int(board[THREATS + attacker])):
                other = int(board[threats + i])
                if int(board[record_of(other) + KIND + attacker]) == WINS:
                    out[start + count] = other
                    count += 1
        else:
            kept = 0
            for i in range(count):
                other = out[start + i]
                if other == cell or int(board[record_of(other) + KIND + attacker]) == WINS:
                    out[start + kept] = other
                    kept += 1
            count = kept
        lift(board, tables, cell)
        if count == 0:
            break
    threats = threat_list(board, defender)
    for i in range(int(board[THREATS + defender])):
        cell = int(board[threats + i])
        if makes_a_four(int(board[record_of(cell) + KIND + defender])):
            is_new = True
            for j in range(count):
                is_new &= out[start + j] != cell
            if is_new:
                out[start + count] = cell
                count += 1
    return count


@inner
def _attacks(board: IntArray, attacker: int, threes: int, frame: Numbers) -> None:
    """List the attacker's threats, the most promising first."""
    room = (len(frame) - FIELDS) // 2
    threats, count = threat_list(board, attacker), 0
    for i in range(int(board[THREATS + attacker])):
        cell = int(board[threats + i])
        record = record_of(cell)
        kind = int(board[record + KIND + attacker])
        if makes_a_four(kind) or threes:
            promise = int(board[record + SCORE + attacker]) + int(board[record + SCORE + 1 - attacker])
            if kind == TWO_THREES:
                promise += 12_000  # it wins unless a four meets it: before a four that leads nowhere
            elif kind == FOUR_AND_THREE:
                promise += 20_000
            j = count
            while j > 0 and frame[FIELDS + room + j - 1] < promise:
                frame[FIELDS + j] = frame[FIELDS + j - 1]
                frame[FIELDS + room + j] = frame[FIELDS + room + j - 1]
                j -= 1
            frame[FIELDS + j] = cell
            frame[FIELDS + room + j] = promise
            count += 1
    frame[COUNT] = count


@kernel
def seek_win(
    board: IntArray, tables: Bytes, hashes: Hashes, proofs: Hashes, paths: Numbers, work: Numbers, budget: int
) -> int:
    """Look for a win of `work[ATTACKER]`, who is to move, for `budget` nodes: plies to the win, FAILED or UNFINISHED."""
    board, tables, hashes = borrow(board), borrow(tables), borrow(hashes)
    proofs, paths, work = borrow(proofs), borrow(paths), borrow(work)
    attacker, threes = int(work[ATTACKER]), int(work[THREES])
    defender = 1 - attacker
    salt = _SALTS[2 * attacker + threes]
    ply, phase, last = int(work[PLY]), int(work[PHASE]), int(work[NODES]) + budget
    value: Any = 0
    if ply == 0 and phase == ENTER:
        paths[0, LEFT] = work[MOVES_LEFT]
    while True:
        frame = paths[ply]
        is_attack = ply & 1 == 0
        if phase == ENTER:
            if work[NODES] >= last:
                value = UNFINISHED
                break
            work[NODES] += 1
            frame[NEXT], frame[FOUND], frame[COUNT], frame[CUT] = 0, 0, 0, 0
            phase = LEAVE
            if is_attack:
                value = FAILED
                fives = kind_count(board, defender, WINS)
                if kind_count(board, attacker, WINS) > 0:
                    value, frame[MOVE] = 1, find_kind(board, attacker, WINS)
                elif fives == 0 and kind_count(board, attacker, WINNING_FOUR) > 0:
                    value, frame[MOVE] = 3, find_kind(board, attacker, WINNING_FOUR)
                elif fives <= 1 and (frame[LEFT] == 0 or ply >= DEEPEST):
                    frame[CUT] = 1
                elif fives <= 1:
                    key = hashes[0] ^ salt
                    entry = proofs[np.int64(key & np.uint64(len(proofs) - 1))]
                    is_known = entry >> _16 == key >> _16 and ply > 0
                    plies, left = np.int64((entry & _LOW) >> np.uint64(8)), np.int64(entry & np.uint64(255))
                    if is_known and (plies > 0 or left >= frame[LEFT]):
                        value, frame[CUT] = plies, left != FOR_EVER
                    else:
                        phase = GO_ON
                        if fives == 1:
                            frame[COUNT], frame[FIELDS] = 1, find_kind(board, defender, WINS)
                        else:
                            _attacks(board, attacker, threes, frame)
            else:
                fives = kind_count(board, attacker, WINS)
                if kind_count(board, defender, WINS) > 0:
                    value = FAILED
                elif fives > 1:
                    value = 2
                elif fives == 1:
                    phase, frame[COUNT], frame[FIELDS] = GO_ON, 1, find_kind(board, attacker, WINS)
                elif threes and kind_count(board, attacker, WINNING_FOUR) > 0:
                    phase, frame[COUNT] = GO_ON, replies(board, tables, attacker, frame, FIELDS)
                    frame[FOUND] = 4  # if there is no reply
                else:
                    value = FAILED
        elif phase == GO_ON:
            i = frame[NEXT]
            if i >= frame[COUNT]:
                value, phase = frame[FOUND], LEAVE
                if is_attack:
                    value = FAILED
                    _remember(proofs, hashes[0] ^ salt, FAILED, frame[LEFT] if frame[CUT] else FOR_EVER)
            else:
                frame[NEXT] = i + 1
                frame[MOVE] = frame[FIELDS + i]
                put(board, tables, hashes, frame[MOVE], attacker if is_attack else defender)
                paths[ply + 1, LEFT] = frame[LEFT] - 1 if is_attack else frame[LEFT]
                ply += 1
                phase = ENTER
        else:
            if ply == 0:
                work[WINNER], work[WAS_CUT] = frame[MOVE], frame[CUT]
                break
            was_cut = frame[CUT]
            ply -= 1
            frame = paths[ply]
            take(board, tables, hashes, frame[MOVE], defender if is_attack else attacker)
            phase = GO_ON
            if is_attack:  # the defender's reply has been answered
                if value == FAILED:
                    phase, frame[CUT] = LEAVE, was_cut
                else:
                    frame[FOUND] = max(frame[FOUND], value + 1)
            elif value == FAILED:
                frame[CUT] |= was_cut
            else:
                value += 1
                _remember(proofs, hashes[0] ^ salt, value, 0)
                phase = LEAVE
    work[PLY], work[PHASE] = ply, phase
    if value == UNFINISHED and not work[KEEPS]:
        while ply > 0:
            ply -= 1
            take(board, tables, hashes, paths[ply, MOVE], attacker if ply & 1 == 0 else defender)
    return int(value)


@inner
def _remember(proofs: Hashes, key: Any, plies: int, left: int) -> None:
    entry = key >> _16 << _16 | np.uint64(min(plies, 255)) << np.uint64(8) | np.uint64(min(left, 255))
    proofs[np.int64(key & np.uint64(len(proofs) - 1))] = entry
