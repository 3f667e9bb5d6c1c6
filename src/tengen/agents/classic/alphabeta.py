"""Alpha-beta in Gomoku: principal variation search with a transposition table, over the patterns of the board.

At each position, in this order: a five of the mover's wins; two fives of the opponent's lose; one has to be taken, and costs no
depth; a four that cannot be met wins. Where the opponent has one, only what may meet it is tried (`threats.replies`: nothing else
can save the game). Else the active moves, the best first: what the table says, then by the report's point scores of
both colours and by how often a move has cut. Late moves are searched less deep first, very late ones not at all.

At depth 0, and a little deeper while such a threat of the opponent's stands, the position's worth is a sum over its patterns
(`evaluate`), in the mover's view. A short search for a win by fours in its place was tried: it costs more than it finds.

Values are in the view of the player to move. A win n plies from the root is worth WIN − n.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.agents.classic.threats import UNFINISHED, Hashes, Numbers, find_kind, kind_count, put, replies, take
from tengen.compiling import borrow, inner, kernel
from tengen.games.gomoku import Gomoku
from tengen.games.gomoku_patterns import (
    ACTIVE,
    CELLS,
    CLASS_COUNTS,
    CLASSES,
    KIND_COUNTS,
    KINDS,
    SCORE,
    STONES,
    WINNING_FOUR,
    WINS,
    Bytes,
    active_list,
    record_of,
)
from tengen.games.types import IntArray

WIN = 30_000
PROVEN = WIN - 1_000
"""From here on a value is a forced win."""
MOST_PLIES = 96
MOST_EXTRA = 4
"""How much deeper a line is searched while the opponent threatens a four that cannot be met."""

# The state of a search: numbers, the weights of the evaluation, banned cells, history.
PLY, PHASE, NODES, ROOT_MOVER, ROOT_MOVE, WIDEST, BANNED = range(7)
"""`WIDEST`: moves tried at a position, at most; `BANNED`: how many moves of the root are left out."""
WEIGHTS = 16  # + (CLASSES + KINDS) · (0 the mover, 1 the opponent) + class, then kind; the last one: the move itself
BANNED_CELLS = WEIGHTS + 2 * (CLASSES + KINDS) + 2
HISTORY = BANNED_CELLS + 400  # + 2 · cell + colour

# A frame of the stack: numbers, then the cells to try and their order.
DEPTH, LOW, HIGH, BEST, CHOICE, COUNT, NEXT, MOVE, MODE, FIRST_LOW, FORCED, FIELDS = range(12)

ENTER, GO_ON, DESCEND, LEAVE = range(4)
FULL, NARROW, REDUCED = range(3)
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
DONE = 1

_8, _16, _24, _40 = (np.uint64(n) for n in (8, 16, 24, 40))


def new_state(records: int) -> Numbers:
    return np.zeros(HISTORY + 2 * records, np.int64)


def new_frames(cells: int) -> Numbers:
    """The stack [plies, fields and cells and their order]."""
    return np.zeros((MOST_PLIES + 2, FIELDS + 2 * cells), np.int64)


def new_table(bits: int) -> Hashes:
    """The transposition table [entries, hash and what is known]."""
    return np.zeros((1 << bits, 2), np.uint64)


@inner
def evaluate(board: IntArray, state: Numbers, me: int) -> Any:
    """What the patterns are worth, in the view of `me`, who is to move."""
    total = state[WEIGHTS + 2 * (CLASSES + KINDS)]
    for i in range(1, CLASSES):
        total += state[WEIGHTS + i] * int(board[CLASS_COUNTS + CLASSES * me + i])
        total -= state[WEIGHTS + CLASSES + KINDS + i] * int(board[CLASS_COUNTS + CLASSES * (1 - me) + i])
    for i in range(1, KINDS):
        total += state[WEIGHTS + CLASSES + i] * int(board[KIND_COUNTS + KINDS * me + i])
        total -= state[WEIGHTS + 2 * CLASSES + KINDS + i] * int(board[KIND_COUNTS + KINDS * (1 - me) + i])
    return max(-20_000, min(20_000, total >> 4))


@inner
def _list_moves(board: IntArray, state: Numbers, frame: Numbers, me: int, ply: int, known: int) -> None:
    """List the active moves with their order; `known`: the move that the table holds."""
    room = (len(frame) - FIELDS) // 2
    start, count = active_list(board), 0
    for i in range(int(board[ACTIVE])):
        cell = int(board[start + i])
        if ply == 0 and is_banned(state, cell):
            continue
        frame[FIELDS + count] = cell
        frame[FIELDS + room + count] = _promise(board, state, cell, me, known)
        count += 1
    frame[COUNT] = count


@inner
def _promise(board: IntArray, state: Numbers, cell: int, me: int, known: int) -> Any:
    record = record_of(cell)
    promise = 3 * int(board[record + SCORE + me]) + 2 * int(board[record + SCORE + 1 - me])
    promise += state[HISTORY + 2 * cell + me] >> 4
    return promise + (1 << 40) if cell == known else promise


@inner
def is_banned(state: Numbers, cell: int) -> Any:
    """Whether a move of the root is left out."""
    banned = False
    for i in range(state[BANNED]):
        banned |= state[BANNED_CELLS + i] == cell
    return banned


@inner
def _choose(frame: Numbers) -> Any:
    """Bring the most promising of the moves that are left to the front of them."""
    room = (len(frame) - FIELDS) // 2
    first = FIELDS + frame[NEXT]
    best = first
    for i in range(first + 1, FIELDS + frame[COUNT]):
        if frame[i + room] > frame[best + room]:
            best = i
    cell = frame[best]
    frame[best], frame[best + room] = frame[first], frame[first + room]
    frame[first] = cell
    return cell


@inner
def _store(table: Hashes, key: Any, value: int, ply: int, depth: int, bound: int, cell: int) -> None:
    if value >= PROVEN:
        value += ply  # from here, not from the root
    elif value <= -PROVEN:
        value -= ply
    entry = np.int64(key & np.uint64(len(table) - 1))
    table[entry, 0] = key
    packed = np.uint64(value + 65_536) | np.uint64(max(depth, 0)) << _24
    table[entry, 1] = packed | np.uint64(bound) << np.uint64(32) | np.uint64(cell + 1) << _40


@kernel
def search_slice(
    game: Gomoku,
    board: IntArray,
    tables: Bytes,
    hashes: Hashes,
    table: Hashes,
    frames: Numbers,
    state: Numbers,
    budget: int,
) -> int:
    """Go on with the search until it is DONE or has visited `budget` more nodes.

    What is learnt: `table`. The stack: `frames`. Where it is: `state`.
    """
    board, tables, hashes, table = borrow(board), borrow(tables), borrow(hashes), borrow(table)
    frames, state = borrow(frames), borrow(state)
    ply, phase, last = int(state[PLY]), int(state[PHASE]), state[NODES] + budget
    value: Any = 0
    result = UNFINISHED
    while True:
        frame = frames[ply]
        me = int(state[ROOT_MOVER]) ^ (ply & 1)
        you = 1 - me
        if phase == ENTER:
            if state[NODES] >= last:
                break
            state[NODES] += 1
            frame[BEST], frame[CHOICE], frame[NEXT], frame[COUNT] = -WIN, -1, 0, 0
            frame[FIRST_LOW], frame[FORCED] = frame[LOW], 0
            depth = frame[DEPTH]
            known: Any = -1
            phase = LEAVE
            if kind_count(board, me, WINS) > 0:
                value, frame[CHOICE] = WIN - ply - 1, find_kind(board, me, WINS)
                continue
            if int(board[STONES]) == int(board[CELLS]):
                value = 0
                continue
            fives = kind_count(board, you, WINS)
            if fives > 1:
                value, frame[CHOICE] = ply + 2 - WIN, find_kind(board, you, WINS)
                continue
            if fives == 0 and kind_count(board, me, WINNING_FOUR) > 0:
                value, frame[CHOICE] = WIN - ply - 3, find_kind(board, me, WINNING_FOUR)
                continue
            if ply > 0:
                key = hashes[0] ^ np.uint64(me)
                entry = np.int64(key & np.uint64(len(table) - 1))
                if table[entry, 0] == key:
                    packed = table[entry, 1]
                    known = np.int64(packed >> _40) - 1
                    stored = np.int64(packed & np.uint64(0xFFFFFF)) - 65_536
                    bound = np.int64((packed >> np.uint64(32)) & np.uint64(255))
                    if stored >= PROVEN:
                        stored -= ply
                    elif stored <= -PROVEN:
                        stored += ply
                    if np.int64((packed >> _24) & np.uint64(255)) >= depth and (
                        bound == EXACT
                        or (bound == AT_LEAST and stored >= frame[HIGH])
                        or (bound == AT_MOST and stored <= frame[LOW])
                    ):
                        value = stored
                        continue
                is_threatened = depth > -MOST_EXTRA and kind_count(board, you, WINNING_FOUR) > 0
                if (fives == 0 and depth <= 0 and not is_threatened) or ply >= MOST_PLIES:
                    value = evaluate(board, state, me)
                    continue
            else:
                known = int(state[ROOT_MOVE])  # the best move of the last iteration
            phase = GO_ON
            if fives == 1:
                frame[COUNT], frame[FIELDS], frame[FORCED] = 1, find_kind(board, you, WINS), 1
            elif kind_count(board, you, WINNING_FOUR) > 0:
                room = (len(frame) - FIELDS) // 2
                found, frame[FORCED] = replies(board, tables, you, frame, FIELDS), 1
                for i in range(FIELDS, FIELDS + found):
                    if ply > 0 or not is_banned(state, frame[i]):
                        frame[FIELDS + frame[COUNT]] = frame[i]
                        frame[FIELDS + room + frame[COUNT]] = _promise(board, state, frame[i], me, known)
                        frame[COUNT] += 1
                if found == 0:
                    value, frame[CHOICE], phase = ply + 4 - WIN, find_kind(board, you, WINNING_FOUR), LEAVE
            else:
                _list_moves(board, state, frame, me, ply, known)
        elif phase == GO_ON:
            i = frame[NEXT]
            if i >= frame[COUNT] or (i >= state[WIDEST] and not frame[FORCED]):
                value, phase = frame[BEST], LEAVE
                if ply > 0:
                    kind = EXACT if frame[BEST] > frame[FIRST_LOW] else AT_MOST
                    _store(table, hashes[0] ^ np.uint64(me), value, ply, frame[DEPTH], kind, frame[CHOICE])
                continue
            frame[MOVE] = _choose(frame)
            frame[NEXT] = i + 1
            frame[MODE] = FULL if i == 0 else NARROW
            if i >= 3 and frame[DEPTH] >= 2 and not frame[FORCED]:
                frame[MODE] = REDUCED
            phase = DESCEND
        elif phase == DESCEND:
            put(board, tables, hashes, frame[MOVE], me)
            below = frames[ply + 1]
            below[DEPTH] = frame[DEPTH] - 1
            if frame[COUNT] == 1 and frame[FORCED]:
                below[DEPTH] = frame[DEPTH]
            elif frame[MODE] == REDUCED:
                below[DEPTH] -= 1 + (frame[NEXT] > 10) + (frame[NEXT] > 20 and frame[DEPTH] > 5)
            below[HIGH] = -frame[LOW]
            below[LOW] = -frame[HIGH] if frame[MODE] == FULL else -frame[LOW] - 1
            ply += 1
            phase = ENTER
        else:
            if ply == 0:
                if frame[CHOICE] >= 0 and frame[COUNT] == 0:
                    frame[BEST] = value
                result = DONE
                break
            ply -= 1
            frame = frames[ply]
            take(board, tables, hashes, frame[MOVE], you)
            value = -value
            if frame[MODE] == REDUCED and value > frame[LOW]:
                frame[MODE], phase = NARROW, DESCEND
            elif frame[MODE] == NARROW and frame[LOW] < value < frame[HIGH]:
                frame[MODE], phase = FULL, DESCEND
            else:
                phase = GO_ON
                if value > frame[BEST]:
                    frame[BEST], frame[CHOICE] = value, frame[MOVE]
                    frame[LOW] = max(frame[LOW], value)
                if value >= frame[HIGH]:
                    phase = LEAVE
                    state[HISTORY + 2 * frame[MOVE] + you] += frame[DEPTH] * frame[DEPTH]
                    key = hashes[0] ^ np.uint64(you)
                    _store(table, key, value, ply, frame[DEPTH], AT_LEAST, frame[MOVE])
    state[PLY], state[PHASE] = ply, phase
    return result
