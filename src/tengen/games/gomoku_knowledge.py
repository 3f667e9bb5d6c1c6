"""What Gomoku offers a search that asks for knowledge: the verbs `urgent_moves` and `likely_moves`, over the patterns.

The knowledge of a position is the board of `gomoku_patterns`, so a stone costs the cells on its four lines and nothing is
scanned. Urgent is, in the order of the report that the rule comes from,

1. to win;                           3. to make a four that wins: FOUR, or two BLOCKED_FOURs;
2. to block a win;                   4. to block such a four.

Against a four yet to be made it may be as good to take a cell on which that four would win, or to make a four of one's own
first; these replies are among the urgent moves too (see `agents/classic/threats.py` for why there are no others). So looking at
urgent moves only never changes who wins. Likely are the cells near a stone; on the empty board, the one in the middle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.compiling import apart, constant, inner
from tengen.games.gomoku_patterns import (
    ACTIVE,
    BLOCKED_FOUR,
    FIVE,
    KEYS,
    KIND,
    KIND_COUNTS,
    KINDS,
    KINDS_SIZE,
    LONGEST,
    ONE_FOUR,
    POWERS,
    RADIUS,
    ROWS,
    SCORE,
    SHORTEST,
    STEPS,
    STONE,
    STONES,
    THREATS,
    TWO_THREES,
    WINNING_FOUR,
    WINS,
    Bytes,
    active_list,
    board_size,
    cell_of,
    look,
    move_of,
    pattern_tables,
    place,
    record_of,
    threat_list,
)
from tengen.games.types import IntArray

if TYPE_CHECKING:
    from tengen.games.gomoku import Gomoku

OFFERED = [(line, exact) for line in range(SHORTEST, LONGEST + 1) for exact in (False, True) if line + exact <= LONGEST]
"""The lines there is knowledge of: the table of the last one (6, exact) would be larger than all others together."""


@inner
def knowledge_size(game: Gomoku) -> int:
    """How many numbers the knowledge is; 0 for lines there is none of."""
    if game.line < SHORTEST or game.line + game.exact > LONGEST:
        return 0
    return int(board_size(game))


@constant
def all_tables() -> Bytes:
    """The pattern tables of all lines, one behind the other."""
    tables = np.concatenate([pattern_tables(line, exact) for line, exact in OFFERED])
    tables.flags.writeable = False  # as compiled code sees it
    return tables


@constant
def table_starts() -> Any:
    """Where the tables of a line begin and end: [2 · line + exact, 2]."""
    starts, at = np.zeros((2 * LONGEST + 2, 2), np.int64), 0
    for line, exact in OFFERED:
        end = at + len(pattern_tables(line, exact))
        starts[2 * line + exact] = at, end
        at = end
    return starts


@inner
def tables_of(game: Gomoku) -> Bytes:
    """The tables of a game."""
    i = 2 * game.line + int(game.exact)
    starts = table_starts()
    return all_tables()[starts[i, 0] : starts[i, 1]]


@inner
def study(game: Gomoku, stones: IntArray, knowledge: IntArray) -> None:
    """Write the knowledge of a board, given by moves."""
    look(game, knowledge, tables_of(game), stones)


@inner
def learn(game: Gomoku, knowledge: IntArray, move: int, colour: int) -> None:
    """Add a stone."""
    place(knowledge, tables_of(game), cell_of(knowledge, game.size, move), colour)


@apart
def likely_moves(game: Gomoku, board: IntArray, most: int, out: IntArray) -> int:
    """List the active moves; with `most`, those with the best scores for both colours together, of equals the lowest."""
    if board[STONES] == 0:
        out[0] = (game.size + 1) * (game.size // 2)
        return 1
    active, count = active_list(board), int(board[ACTIVE])
    if most <= 0 or count <= most:
        for i in range(count):
            out[i] = move_of(board, game.size, int(board[active + i]))
        return count
    scores, n = np.empty(most, np.int64), 0
    for i in range(count):
        cell = int(board[active + i])
        record, move = record_of(cell), move_of(board, game.size, cell)
        score = int(board[record + SCORE]) + int(board[record + SCORE + 1])
        if n == most:
            if score < scores[n - 1] or (score == scores[n - 1] and move > out[n - 1]):
                continue
            n -= 1
        j = n
        while j > 0 and (scores[j - 1] < score or (scores[j - 1] == score and out[j - 1] > move)):
            scores[j], out[j] = scores[j - 1], out[j - 1]
            j -= 1
        scores[j], out[j] = score, move
        n += 1
    return n


@inner
def urgent_moves(game: Gomoku, board: IntArray, player: int, out: IntArray) -> int:
    """List the moves among which the player must choose; 0 where nothing is urgent."""
    opponent = 1 - player
    colour, kind = player, WINS
    if not _has(board, player, WINS):
        if _has(board, opponent, WINS):
            colour = opponent
        elif _has(board, player, WINNING_FOUR):
            kind = WINNING_FOUR
        elif _has(board, opponent, WINNING_FOUR):
            colour, kind = opponent, WINNING_FOUR
            n = _replies(game, board, tables_of(game), opponent, out)
            if n > 0:
                return n
        else:
            return 0
    threats, n = threat_list(board, colour), 0
    for i in range(int(board[THREATS + colour])):
        cell = int(board[threats + i])
        if board[record_of(cell) + KIND + colour] == kind:
            out[n] = move_of(board, game.size, cell)
            n += 1
    return n


@inner
def _has(board: IntArray, colour: int, kind: int) -> bool:
    return bool(board[KIND_COUNTS + KINDS * colour + kind] > 0)


@apart
def _replies(game: Gomoku, board: IntArray, tables: Bytes, attacker: int, out: IntArray) -> int:
    """List the cells that meet every WINNING_FOUR of the attacker, and those on which the defender makes a four.

    A four is met on its own cell and on those on which it would win.
    """
    met, fours, radius = np.zeros(game.size * game.size, np.int32), 0, int(board[RADIUS])
    threats = threat_list(board, attacker)
    for i in range(int(board[THREATS + attacker])):
        four = int(board[threats + i])
        if board[record_of(four) + KIND + attacker] != WINNING_FOUR:
            continue
        fours += 1
        met[move_of(board, game.size, four)] += 1
        for near in range(4 * (2 * radius + 1)):
            direction, away = near & 3, (near >> 2) - radius
            other = record_of(four + away * int(board[STEPS + direction]))
            makes_four = board[record_of(four) + ROWS + 2 * direction + attacker] >= BLOCKED_FOUR
            if makes_four and away != 0 and board[other + STONE] == 0:
                # Seen from there, the new stone lies on the other side.
                power = int(board[POWERS + (radius - away if away > 0 else radius - away - 1)])
                if tables[KINDS_SIZE + int(board[other + KEYS + 2 * direction + attacker]) + power] == FIVE:
                    met[move_of(board, game.size, four + away * int(board[STEPS + direction]))] += 1
    threats = threat_list(board, 1 - attacker)
    for i in range(int(board[THREATS + 1 - attacker])):
        cell = int(board[threats + i])
        kind = int(board[record_of(cell) + KIND + 1 - attacker])
        if kind >= ONE_FOUR and kind != TWO_THREES:
            met[move_of(board, game.size, cell)] = fours
    n = 0
    for move in range(len(met)):
        if met[move] == fours:
            out[n] = move
            n += 1
    return n
