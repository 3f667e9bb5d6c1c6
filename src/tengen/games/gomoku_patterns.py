"""What a stone would make on every empty cell of a Gomoku board, kept up to date as stones come and go.

For each empty cell, each of the four directions and each colour: the *class* of the row that a stone of that colour would
make there. Classes are defined by what one more stone makes, so that gaps, edges and overlines need no list of shapes:

    FIVE           wins                                     BLOCKED_FOUR   can become FIVE on one cell
    FOUR           can become FIVE on two cells or more     BLOCKED_THREE  can become BLOCKED_FOUR, and no FOUR
    THREE          can become FOUR                          BLOCKED_TWO    can become BLOCKED_THREE, and no THREE
    TWO, ONE       can become THREE, TWO                    BLOCKED_ONE    can become BLOCKED_TWO, and no TWO

``X.XXX.X`` is a FOUR, then, and ``.XX.`` between two white stones is nothing at all. With another `line` the names stay: FIVE
is what wins. A row that wins through a cell lies within line − 1 cells of it; in the exact game, the next one tells
whether the row is too long. What lies further away, within a radius of 6 or not, changes no class.

All of it is one flat int32 array, the *board*: a head, then a record for each cell of a board with a margin around it, then
lists of cells. What the cells to both sides of a cell hold is a number in base 3 (0 empty, 1 own, 2 the opponent's or outside),
one for each direction and colour. A stone adds a power of 3 to its neighbours' numbers; a table says which class they mean.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import inner, kernel
from tengen.errors import SpecError
from tengen.games.types import IntArray

if TYPE_CHECKING:
    from tengen.games.gomoku import Gomoku

Bytes = NDArray[np.uint8]

NONE, BLOCKED_ONE, ONE, BLOCKED_TWO, TWO, BLOCKED_THREE, THREE, BLOCKED_FOUR, FOUR, FIVE = range(10)
CLASSES = 10
SCORES = np.array([0, 1, 10, 10, 100, 100, 1_000, 10_000, 100_000, 10_000_000], np.int64)
"""The score table of the report: the score of a point is the sum over the four directions."""

_WEAKER = np.array([NONE, BLOCKED_ONE, ONE, BLOCKED_ONE, ONE, BLOCKED_TWO, TWO, BLOCKED_THREE, THREE], np.int64)
"""The class of a row whose best successor is of a class. With long lines ONE is all that is far away."""

# What the four classes of a cell mean together for one colour.
QUIET, ONE_THREE, ONE_FOUR, TWO_THREES, FOUR_AND_THREE, WINNING_FOUR, WINS = range(7)
KINDS = 7
"""A WINNING_FOUR is a FOUR or two BLOCKED_FOURs: the opponent cannot meet both threats."""

_COUNTED = np.array([0, 0, 0, 0, 0, 0, 1, 8, 64, 512], np.int64)
"""How much a class adds to the number that a cell's kind is looked up by: an octal digit each for THREE, BLOCKED_FOUR, …"""
KINDS_SIZE = 1 << 12

SHORTEST, LONGEST = 3, 6
"""Lines for which there are patterns: the table has 3 ** (2 · radius) entries."""
NEAR = 2
"""A cell is active when a stone lies at most this far from it, in rows and columns."""

# The head.
WIDTH, RADIUS, RECORDS, STONES, CELLS, ACTIVE = range(6)
"""Cells in a row with its margin; how far a cell looks; records in all; stones; cells of the board; active cells."""
THREATS = 6  # + colour: the length of the list of cells of kind ONE_THREE and above
STEPS = 8  # + direction: from a cell to the next
KIND_COUNTS = 12  # + KINDS · colour + kind: how many empty cells are of a kind
CLASS_COUNTS = KIND_COUNTS + 2 * KINDS  # + CLASSES · colour + class: how many (empty cell, direction) are of a class
POWERS = CLASS_COUNTS + 2 * CLASSES  # of 3
HEAD = POWERS + 2 * LONGEST + 4

# A record: a cell.
KEYS = 0  # + 2 · direction + colour: what lies along the direction, in base 3
ROWS = 8  # + 2 · direction + colour: the class; NONE under a stone
COUNTED = 16  # + colour: the classes that matter for the kind, counted
KIND = 18  # + colour
SCORE = 20  # + colour: the point's score for the colour
STONE = 22  # 0 empty, 1, 2: player 0, 1; 3 outside
STONES_NEAR = 23
ACTIVE_PLACE = 24  # in the list of active cells, -1 outside
THREAT_PLACE = 25  # + colour: in the list of threats, -1 outside
RECORD = 28
OUTSIDE = 3


def refuse_lines(game: Gomoku, who: str) -> None:
    """SpecError for a game of which there are no patterns."""
    if not SHORTEST <= game.line <= LONGEST:
        raise SpecError(f"{who} knows rows of {SHORTEST} to {LONGEST}, not line={game.line}")


def board_size(game: Gomoku) -> int:
    """How many numbers a board is."""
    radius = game.line - 1 + game.exact
    records = (game.size + 2 * radius + 1) * (game.size + radius)
    return HEAD + records * RECORD + 3 * game.size * game.size


@cache
def pattern_tables(line: int, exact: bool) -> Bytes:
    """Kinds by what is counted, then classes by what lies to both sides."""
    tables = np.zeros(KINDS_SIZE + int(3 ** (2 * (line - 1 + exact))), np.uint8)
    for counted in range(KINDS_SIZE):
        threes, fours, open_fours, fives = (counted >> shift & 7 for shift in (0, 3, 6, 9))
        if fives:
            kind = WINS
        elif open_fours or fours > 1:
            kind = WINNING_FOUR
        elif fours:
            kind = FOUR_AND_THREE if threes else ONE_FOUR
        elif threes:
            kind = TWO_THREES if threes > 1 else ONE_THREE
        else:
            kind = QUIET
        tables[counted] = kind
    fill_classes(tables[KINDS_SIZE:], line, exact)
    tables.flags.writeable = False
    return tables


@kernel
def fill_classes(classes: Bytes, line: int, exact: bool) -> None:
    """The class of the row that a stone makes, for everything that can lie to both sides of it.

    One more own stone makes a larger number, so that going downwards all successors are known.
    """
    radius = line - 1 + int(exact)
    digits = 2 * radius
    for key in range(len(classes) - 1, -1, -1):
        length, i, rest = 1, 0, key
        before = 0  # own stones that end next to the stone, on the lower side
        while i < radius:
            before = before + 1 if rest % 3 == 1 else 0
            rest //= 3
            i += 1
        length += before
        while i < digits and rest % 3 == 1:
            length += 1
            rest //= 3
            i += 1
        if length == line or (length > line and not exact):
            classes[key] = FIVE
            continue
        wins, best, power, rest = 0, 0, 1, key
        for _ in range(digits):
            if rest % 3 == 0:
                successor = int(classes[key + power])
                wins += successor == FIVE
                best = max(best, successor)
            rest //= 3
            power *= 3
        if wins > 0:
            classes[key] = FOUR if wins > 1 else BLOCKED_FOUR
        else:
            classes[key] = _WEAKER[best]


@inner
def cell_of(board: IntArray, size: int, move: int) -> Any:
    """The cell that a move of the game plays on."""
    radius = int(board[RADIUS])
    return (move // size + radius) * int(board[WIDTH]) + move % size + radius


@inner
def move_of(board: IntArray, size: int, cell: int) -> Any:
    """The move of the game that plays on a cell."""
    radius, width = int(board[RADIUS]), int(board[WIDTH])
    return (cell // width - radius) * size + cell % width - radius


@inner
def record_of(cell: int) -> Any:
    """Where the record of a cell begins."""
    return HEAD + cell * RECORD


@inner
def active_list(board: IntArray) -> Any:
    """Where the list of active cells begins."""
    return HEAD + int(board[RECORDS]) * RECORD


@inner
def threat_list(board: IntArray, colour: int) -> Any:
    """Where the list of a colour's cells of kind ONE_THREE and above begins."""
    return HEAD + int(board[RECORDS]) * RECORD + (1 + colour) * int(board[CELLS])


@inner
def _enter(board: IntArray, start: int, length: int, place: int, cell: int) -> None:
    """Put a cell at the end of a list. `length` and `place`: where the list's length and the cell's place are kept."""
    n = int(board[length])
    board[start + n] = cell
    board[place] = n
    board[length] = n + 1


@inner
def _withdraw(board: IntArray, start: int, length: int, field: int, cell: int) -> None:
    """Take a cell out of a list; the last one takes its place. `field`: of a record, where the place is kept."""
    n = int(board[length]) - 1
    last, place = int(board[start + n]), int(board[record_of(cell) + field])
    board[start + place] = last
    board[record_of(last) + field] = place
    board[record_of(cell) + field] = -1
    board[length] = n


@inner
def _set_kind(board: IntArray, cell: int, colour: int, kind: int) -> None:
    """Give an empty cell a kind (−1: it is empty no more)."""
    record = record_of(cell)
    old = int(board[record + KIND + colour])
    if old == kind:
        return
    counts = KIND_COUNTS + KINDS * colour
    if old >= 0:
        board[counts + old] -= 1
    if kind >= 0:
        board[counts + kind] += 1
    board[record + KIND + colour] = kind
    if old < ONE_THREE and kind >= ONE_THREE:
        _enter(board, threat_list(board, colour), THREATS + colour, record + THREAT_PLACE + colour, cell)
    elif old >= ONE_THREE and kind < ONE_THREE:
        _withdraw(board, threat_list(board, colour), THREATS + colour, THREAT_PLACE + colour, cell)


@inner
def _refresh(board: IntArray, tables: Bytes, cell: int, direction: int, colour: int) -> None:
    """Look up the class of an empty cell anew."""
    record = record_of(cell)
    slot = record + 2 * direction + colour
    row, old = int(tables[KINDS_SIZE + int(board[slot + KEYS])]), int(board[slot + ROWS])
    if row == old:
        return
    board[slot + ROWS] = row
    board[CLASS_COUNTS + CLASSES * colour + old] -= 1
    board[CLASS_COUNTS + CLASSES * colour + row] += 1
    board[record + SCORE + colour] += SCORES[row] - SCORES[old]
    if row >= THREE or old >= THREE:
        counted = int(board[record + COUNTED + colour]) + _COUNTED[row] - _COUNTED[old]
        board[record + COUNTED + colour] = counted
        _set_kind(board, cell, colour, int(tables[counted]))


@inner
def _change(board: IntArray, tables: Bytes, cell: int, colour: int, sign: int) -> None:
    """Tell all cells around that a stone has come (sign 1) or gone (−1)."""
    width, radius = int(board[WIDTH]), int(board[RADIUS])
    for turn in range(8):
        direction = turn >> 1
        step = int(board[STEPS + direction])
        if turn & 1:
            step = -step
        other = cell
        sees = 3  # bit c: no stone that stops a row of colour c lies in between
        for away in range(1, radius + 1):
            other += step
            record = record_of(other)
            stone = int(board[record + STONE])
            if stone == OUTSIDE:
                break
            # Seen from there, the stone lies on the other side.
            power = sign * int(board[POWERS + (radius + away - 1 if turn & 1 else radius - away)])
            slot = record + KEYS + 2 * direction
            board[slot + colour] += power
            board[slot + 1 - colour] += 2 * power
            if stone != 0:
                sees &= stone
            else:
                for side in range(2):
                    if sees >> side & 1:
                        _refresh(board, tables, other, direction, side)
    active = active_list(board)
    for down in range(-NEAR, NEAR + 1):
        for right in range(-NEAR, NEAR + 1):
            other = cell + down * width + right
            record = record_of(other)
            stone = int(board[record + STONE])
            if stone == OUTSIDE:
                continue
            near = int(board[record + STONES_NEAR]) + sign
            board[record + STONES_NEAR] = near
            if stone == 0 and other != cell:
                if sign > 0 and near == 1:
                    _enter(board, active, ACTIVE, record + ACTIVE_PLACE, other)
                elif sign < 0 and near == 0:
                    _withdraw(board, active, ACTIVE, ACTIVE_PLACE, other)
    board[STONES] += sign


@kernel
def place(board: IntArray, tables: Bytes, cell: int, colour: int) -> None:
    """Put a stone on an empty cell."""
    record = record_of(cell)
    if int(board[record + ACTIVE_PLACE]) >= 0:
        _withdraw(board, active_list(board), ACTIVE, ACTIVE_PLACE, cell)
    for side in range(2):
        for direction in range(4):
            slot = record + ROWS + 2 * direction + side
            board[CLASS_COUNTS + CLASSES * side + int(board[slot])] -= 1
            board[slot] = NONE
        board[record + COUNTED + side] = 0
        board[record + SCORE + side] = 0
        _set_kind(board, cell, side, -1)
    board[record + STONE] = colour + 1
    _change(board, tables, cell, colour, 1)


@kernel
def lift(board: IntArray, tables: Bytes, cell: int) -> None:
    """Take a stone away: the inverse of `place`."""
    record = record_of(cell)
    colour = int(board[record + STONE]) - 1
    board[record + STONE] = 0
    _change(board, tables, cell, colour, -1)
    for side in range(2):
        _set_kind(board, cell, side, QUIET)
        board[CLASS_COUNTS + CLASSES * side + NONE] += 4
        for direction in range(4):
            _refresh(board, tables, cell, direction, side)
    if int(board[record + STONES_NEAR]) > 0:
        _enter(board, active_list(board), ACTIVE, record + ACTIVE_PLACE, cell)


@kernel
def look(game: Gomoku, board: IntArray, tables: Bytes, stones: IntArray) -> None:
    """Write the whole board from its cells (0 empty, 1, 2: player 0, 1), looking at each of them.

    What `place` and `lift` keep up to date is defined here; the tests compare the two.
    """
    size, radius = game.size, game.line - 1 + int(game.exact)
    width = size + radius
    for i in range(len(board)):
        board[i] = 0
    board[WIDTH], board[RADIUS], board[CELLS] = width, radius, size * size
    board[RECORDS] = (size + 2 * radius + 1) * width
    for direction in range(4):
        board[STEPS + direction] = (1, width, width + 1, width - 1)[direction]
    power = 1
    for i in range(2 * radius):
        board[POWERS + i] = power
        power *= 3
    for cell in range(int(board[RECORDS])):
        record = record_of(cell)
        board[record + STONE] = OUTSIDE
        board[record + ACTIVE_PLACE] = -1
        for colour in range(2):
            board[record + THREAT_PLACE + colour] = -1
            board[record + KIND + colour] = -1
    for move in range(size * size):
        board[record_of(cell_of(board, size, move)) + STONE] = stones[move]
        board[STONES] += stones[move] != 0
    for move in range(size * size):
        cell = cell_of(board, size, move)
        record = record_of(cell)
        for colour in range(2):
            for direction in range(4):
                step, key = int(board[STEPS + direction]), 0
                for away in range(radius, -radius - 1, -1):
                    stone = int(board[record_of(cell + away * step) + STONE])
                    if away != 0:
                        key = 3 * key + (0 if stone == 0 else 1 if stone == colour + 1 else 2)
                board[record + KEYS + 2 * direction + colour] = key
        row, column = move // size, move % size
        for other_row in range(max(0, row - NEAR), min(size, row + NEAR + 1)):
            for other_column in range(max(0, column - NEAR), min(size, column + NEAR + 1)):
                board[record + STONES_NEAR] += stones[other_row * size + other_column] != 0
        if stones[move] != 0:
            continue
        for colour in range(2):
            _set_kind(board, cell, colour, QUIET)
            board[CLASS_COUNTS + CLASSES * colour + NONE] += 4
            for direction in range(4):
                _refresh(board, tables, cell, direction, colour)
        if int(board[record + STONES_NEAR]) > 0:
            _enter(board, active_list(board), ACTIVE, record + ACTIVE_PLACE, cell)


class Patterns:
    """The patterns of a game in progress, for people and tools; moves are those of the game."""

    def __init__(self, game: Gomoku, stones: IntArray | None = None) -> None:
        refuse_lines(game, "the pattern table")
        self.game = game
        self.tables = pattern_tables(game.line, game.exact)
        self.board: IntArray = np.zeros(board_size(game), np.int32)
        if stones is None:
            stones = np.zeros(game.size * game.size, np.int32)
        look(game, self.board, self.tables, np.ascontiguousarray(stones, np.int32))

    def play(self, move: int, colour: int) -> None:
        place(self.board, self.tables, cell_of(self.board, self.game.size, move), colour)

    def undo(self, move: int) -> None:
        lift(self.board, self.tables, cell_of(self.board, self.game.size, move))

    def row(self, move: int, direction: int, colour: int) -> int:
        """The class of the row that a stone makes, or that the stone that is there has made: its own colour's."""
        record = record_of(cell_of(self.board, self.game.size, move))
        return int(self.tables[KINDS_SIZE + int(self.board[record + KEYS + 2 * direction + colour])])

    def score(self, move: int, colour: int) -> int:
        """The score of a point: of an empty one for either colour, of a stone for its own."""
        return sum(int(SCORES[self.row(move, direction, colour)]) for direction in range(4))

    def kind(self, move: int, colour: int) -> int:
        """What a stone of the colour means on an empty cell, −1 where there is a stone."""
        return int(self.board[record_of(cell_of(self.board, self.game.size, move)) + KIND + colour])

    def active(self) -> list[int]:
        """The active moves: empty cells near a stone, in rising order."""
        start = active_list(self.board)
        cells = self.board[start : start + int(self.board[ACTIVE])]
        return sorted(int(move_of(self.board, self.game.size, int(cell))) for cell in cells)
