"""Tetris, with the rules of MaTris: a well, falling pieces, full rows disappear.

The grain here is the placement: a turn of the piece and the column in which it is dropped. Those can be chosen that the keys
reach before the piece has fallen at all, kicks included; so a placement is a few key presses and the space bar. Which piece
comes next is luck and stands in no position before it is drawn. The reward is the number of rows that a placement clears.
`tetris_keys` is the same game press by press.

Above the rows that are seen there are two hidden ones. A piece may come to rest there, and full hidden rows disappear as well:
the game is over only when the next piece does not fit where it appears.

With `from_above` it is the game of published results instead: a piece comes from above the well, in any turn and over any column,
and the game is over when, full rows gone, something lies above the rows that are seen.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import inner
from tengen.games.diagram import Diagram, plain_diagram
from tengen.games.randomness import below
from tengen.games.tetris_pieces import (
    BOX,
    HEIGHT,
    KICKS,
    LEFT,
    MASKS,
    MIRRORED,
    MIRRORED_TURN,
    NAMES,
    SHAPES,
    TOP,
    WIDTH,
)
from tengen.games.types import AnyGame, FloatArray, IntArray, Planes, RandomState
from tengen.games.verbs import CHANCE, NOBODY, game

HIDDEN = 2
"""Rows above those that are seen, as MaTris has them."""
ROOM_ABOVE = 4
"""With `from_above`: room for the longest piece on a full column. Only a move that ends the game leaves something there."""
PIECES = 7
SPAWN_ROWS = 4
"""Rows that a piece which has just appeared can touch, in any turn."""

# The numbers of a position, in front of the rows of the well. A row is a number, its lowest bit the leftmost cell.
PIECE, NEXT, BAG, OVER, PLACED, LINES, COMBO, SCORE, WELL = range(9)
NONE = -1
LARGEST_SCORE = 2_000_000_000


@game
class Tetris(NamedTuple):
    """The rules. Moves 0–6 are luck: which piece comes; 7 + turns · columns + column places it, column: its leftmost cell."""

    columns: int = 10
    rows: int = 20
    """Rows that are seen; there are two more."""
    preview: int = 1
    """Pieces that are known beyond the one that falls: 0 or 1."""
    bag: bool = False
    """Whether the seven pieces come in shuffled sevens, rather than each with the same probability at any time."""
    pieces: int = 0
    """The game ends after so many placements; 0: only when a piece finds no place."""
    from_above: bool = False
    """Whether pieces are dropped from above the well, into any column, as in published results, rather than as keys allow."""

    def check(self) -> None:
        """Refuse parameters that make no game."""
        if not (4 <= self.columns <= 30 and 4 <= self.rows <= 60):
            raise ValueError(f"tetris has 4 to 30 columns and 4 to 60 rows, not {self.columns}x{self.rows}")
        if self.preview not in (0, 1):
            raise ValueError(f"preview is 0 or 1, not {self.preview}")
        if not 0 <= self.pieces <= 1_000_000_000:
            raise ValueError(f"pieces is 0 (no limit) to 1000000000, not {self.pieces}")

    def players(self) -> int:
        return 1

    def is_bounded(self) -> bool:
        return False

    def position_size(self) -> int:
        return WELL + self.rows + rows_above(self)

    def move_count(self) -> int:
        return PIECES + 4 * self.columns

    def start(self, position: IntArray) -> None:
        position[:] = 0
        position[PIECE] = position[NEXT] = NONE
        position[COMBO] = 1

    def to_move(self, position: IntArray) -> int:
        return CHANCE if position[PIECE] == NONE or (self.preview == 1 and position[NEXT] == NONE) else 0

    def legal_moves(self, position: IntArray, out: IntArray) -> int:
        n = 0
        if self.to_move(position) == CHANCE:
            for piece in range(PIECES):
                if not position[BAG] >> piece & 1:
                    out[n] = piece
                    n += 1
            return n
        piece = int(position[PIECE])
        if self.from_above or spawn_is_free(position):
            for rotation in range(SHAPES[piece]):
                first = PIECES + rotation * self.columns
                for column in range(self.columns + 1 - WIDTH[piece, rotation]):
                    out[n] = first + column
                    n += 1
            return n
        seen = reachable(self, position)
        for rotation in range(SHAPES[piece]):
            for column in range(self.columns + 1 - WIDTH[piece, rotation]):
                if seen[rotation, column]:
                    out[n] = PIECES + rotation * self.columns + column
                    n += 1
        return n

    def chance_odds(self, position: IntArray, out: FloatArray) -> None:
        n = 0
        for piece in range(PIECES):
            n += 1 - (int(position[BAG]) >> piece & 1)
        for i in range(n):
            out[i] = 1.0 / n

    def play(self, position: IntArray, move: int) -> float:
        if move < PIECES:
            reveal(self, position, int(move))
            return 0.0
        placed = int(move) - PIECES
        return float(place(self, position, placed // self.columns, placed % self.columns))

    def is_over(self, position: IntArray) -> bool:
        return bool(position[OVER])

    def outcome(self, position: IntArray) -> int:
        return NOBODY

    def playout(self, position: IntArray, viewer: int, random: RandomState) -> float:
        moves = np.empty(4 * self.columns, np.int32)
        total = 0
        while not position[OVER]:
            if self.to_move(position) == CHANCE:
                reveal(self, position, drawn_piece(position, random))
                continue
            piece = int(position[PIECE])
            if self.from_above or spawn_is_free(position):  # every placement: no list is needed
                rotation, column = any_placement(self, piece, random)
            else:
                n = self.legal_moves(position, moves)
                move = int(moves[below(random, n)]) - PIECES
                rotation, column = move // self.columns, move % self.columns
            total += place(self, position, rotation, column)
        return float(total)

    def plane_count(self) -> int:
        return self.rows + rows_above(self) + PIECES * (1 + self.preview)

    def plane_rows(self) -> int:
        return 1

    def plane_columns(self) -> int:
        return self.columns

    def encode(self, position: IntArray, planes: Planes) -> None:
        """Each row of the well is a plane of its own, one cell high, and each piece that may be known another. What matters is
        how columns stand beside each other: so a convolution goes along the columns and sees each of them whole. A position and
        its mirror image look the same: of the two, one is shown (`is_mirrored`)."""
        piece, following = int(position[PIECE]), int(position[NEXT])
        rows = self.rows + rows_above(self)
        mirrored = is_mirrored(self, position)
        last = self.columns - 1
        if mirrored:
            piece = int(MIRRORED[piece]) if piece != NONE else NONE
            following = int(MIRRORED[following]) if following != NONE else NONE
        for row in range(rows):
            for column in range(self.columns):
                seen = last - column if mirrored else column
                planes[row, 0, seen] = position[WELL + row] >> column & 1
        for plane in range(rows, planes.shape[0]):
            number = plane - rows
            known = number == piece or (number >= PIECES and number - PIECES == following)
            for column in range(self.columns):
                planes[plane, 0, column] = 1.0 if known else 0.0

    def move_views(self) -> NDArray[np.int32]:
        """Placements first, turn by turn and column by column, so that they are cells of a network's outputs; then luck. Behind
        that view those of mirrored positions, one for each piece that falls."""
        moves = self.move_count()
        plain = (np.arange(moves, dtype=np.int32) - PIECES) % moves
        views = [plain]
        for piece in range(PIECES):
            view = plain.copy()
            for rotation in range(4):
                to, columns = int(MIRRORED_TURN[piece, rotation]), np.arange(self.columns)
                seen = (self.columns - int(WIDTH[piece, rotation]) - columns) % self.columns
                view[PIECES + rotation * self.columns + columns] = to * self.columns + seen
            views.append(view)
        return np.stack(views)

    def move_view(self, position: IntArray) -> int:
        return 1 + int(position[PIECE]) if position[PIECE] != NONE and is_mirrored(self, position) else 0

    def move_name(self, move: int) -> str:
        if move < PIECES:
            return NAMES[move]
        rotation, column = divmod(move - PIECES, self.columns)
        return f"{'abcd'[rotation]}{column + 1}"

    def parse_move(self, text: str) -> int:
        name = text.strip()
        if name.upper() in tuple(NAMES):
            return NAMES.index(name.upper())
        turn, column = name[:1].lower(), name[1:]
        if turn in tuple("abcd") and column.isascii() and column.isdigit() and 1 <= int(column[:4]) <= self.columns:
            return PIECES + "abcd".index(turn) * self.columns + int(column) - 1
        raise ValueError(f"no move is called {text!r}: write the turn, a to d, and the column, 1 to {self.columns}: b3")

    def diagram(self, position: IntArray) -> Diagram:
        lines = []
        above = rows_above(self)
        for row in range(self.rows + above):
            edge = ":" if row < above else "|"
            lines.append(
                edge + "".join(".#"[position[WELL + row] >> column & 1] for column in range(self.columns)) + edge
            )
        lines.append("+" + "-" * self.columns + "+")
        falls, follows = (f"{NAMES[p]}" if p != NONE else "?" for p in (int(position[PIECE]), int(position[NEXT])))
        lines.append(f"falls: {falls}" + (f", next: {follows}" if self.preview else ""))
        lines.append(f"lines: {position[LINES]}, score: {position[SCORE]}, combo: {position[COMBO]}")
        return plain_diagram("\n".join(lines))


def well(game: Tetris, position: IntArray) -> NDArray[np.bool_]:
    """The cells of the well, hidden rows first: True where something lies [rows, columns]."""
    rows = np.asarray(position[WELL : WELL + game.rows + rows_above(game)])
    return (rows[:, None] >> np.arange(game.columns) & 1).astype(bool)


# --- what the verbs are made of


@inner
def rows_above(game: AnyGame) -> int:
    """Rows above those that are seen."""
    return ROOM_ABOVE if game.from_above else HIDDEN


@inner
def is_mirrored(game: AnyGame, position: IntArray) -> bool:
    """Whether a network is shown the mirror image: of each pair of pieces it sees one falling, and of other positions the one
    whose well has more on the left."""
    piece = int(position[PIECE])
    if piece != NONE and MIRRORED[piece] != piece:
        return bool(MIRRORED[piece] < piece)
    left, right = 0, 0
    for row in range(WELL, len(position)):
        cells = int(position[row])
        for column in range(game.columns // 2):
            left += cells >> column & 1
            right += cells >> (game.columns - 1 - column) & 1
    return right > left


@inner
def spawn_is_free(position: IntArray) -> bool:
    """Whether nothing lies where a new piece can be turned and moved."""
    filled = 0
    for row in range(SPAWN_ROWS):
        filled |= position[WELL + row]
    return filled == 0


@inner
def fits(position: IntArray, piece: int, rotation: int, row: int, column: int) -> bool:
    """Whether a piece inside the walls, its first cells in that row and column, meets nothing."""
    met = 0
    for i in range(HEIGHT[piece, rotation]):
        met |= position[WELL + row + i] & (MASKS[piece, rotation, i] << column)
    return bool(met == 0)


@inner
def spawn_column(game: AnyGame, piece: int) -> int:
    """The column of the box of a piece that appears."""
    return int(game.columns - BOX[piece]) // 2


@inner
def reachable(game: AnyGame, position: IntArray) -> NDArray[np.bool_]:
    """Which [rotation, column of the leftmost cell] the falling piece can be brought to in the row where it appears."""
    piece, columns = int(position[PIECE]), game.columns
    seen = np.zeros((4, columns), np.bool_)
    waiting = np.empty((4 * columns, 2), np.int64)
    start = spawn_column(game, piece) + int(LEFT[piece, 0])
    seen[0, start] = True
    waiting[0, 0], waiting[0, 1] = 0, start
    n = 1
    while n > 0:
        n -= 1
        rotation, column = int(waiting[n, 0]), int(waiting[n, 1])
        for step in range(3):
            to, aim = rotation, column + 1 - 2 * step
            if step == 2:
                to, aim = turn(game, position, piece, rotation, column, 0)
            if aim < 0 or aim + WIDTH[piece, to] > columns or seen[to, aim]:
                continue
            if fits(position, piece, to, int(TOP[piece, to]), aim):
                seen[to, aim] = True
                waiting[n, 0], waiting[n, 1] = to, aim
                n += 1
    return seen


@inner
def turn(game: AnyGame, position: IntArray, piece: int, rotation: int, column: int, box_row: int) -> tuple[int, int]:
    """The rotation and column after a turn clockwise at a height; the same ones where it cannot be turned.

    The first of five places inside the walls and above the floor is the one that counts, whether it is free or not.
    """
    to = (rotation + 1) % 4
    box = column - int(LEFT[piece, rotation])
    row = box_row + int(TOP[piece, to])
    if row < 0 or row + HEIGHT[piece, to] > game.rows + rows_above(game):
        return rotation, column
    for i in range(len(KICKS)):
        aim = box + int(KICKS[i]) + int(LEFT[piece, to])
        if aim >= 0 and aim + WIDTH[piece, to] <= game.columns:
            if fits(position, piece, to, row, aim):
                return to, aim
            return rotation, column
    return rotation, column


@inner
def reveal(game: AnyGame, position: IntArray, piece: int) -> None:
    """Luck has drawn a piece."""
    if game.bag:
        position[BAG] |= 1 << piece
        if position[BAG] == (1 << PIECES) - 1:
            position[BAG] = 0
    if position[PIECE] == NONE:
        bring(game, position, piece)
    else:
        position[NEXT] = piece


@inner
def bring(game: AnyGame, position: IntArray, piece: int) -> None:
    """A piece appears; the game is over where it does not fit."""
    position[PIECE] = piece
    if game.from_above:
        return
    column = spawn_column(game, piece) + int(LEFT[piece, 0])
    if not fits(position, piece, 0, int(TOP[piece, 0]), column):
        position[OVER] = 1


@inner
def landing_row(game: AnyGame, position: IntArray, piece: int, rotation: int, column: int, row: int) -> int:
    """The row of a piece's first cells when it has fallen from `row` until something stops it."""
    first = WELL
    end = WELL + game.rows + rows_above(game)
    while first < end and position[first] == 0:
        first += 1
    height = int(HEIGHT[piece, rotation])
    if game.from_above:
        row = 0
    row = max(row, first - WELL - height)
    lowest = game.rows + rows_above(game) - height
    while row < lowest and fits(position, piece, rotation, row + 1, column):
        row += 1
    return row


@inner
def put(position: IntArray, piece: int, rotation: int, row: int, column: int) -> None:
    """Make the cells of a piece part of the well."""
    for i in range(HEIGHT[piece, rotation]):
        position[WELL + row + i] |= MASKS[piece, rotation, i] << column


@inner
def clear_rows(game: AnyGame, position: IntArray, first: int, count: int) -> int:
    """Take full rows out of `count` rows from `first` on; those above come down. How many they were."""
    full = (1 << game.columns) - 1
    to = WELL + first + count - 1
    for row in range(WELL + first + count - 1, WELL - 1, -1):
        if position[row] != full:
            position[to] = position[row]
            to -= 1
    for row in range(WELL, to + 1):
        position[row] = 0
    return to - WELL + 1


@inner
def lock(game: AnyGame, position: IntArray, rotation: int, row: int, column: int) -> int:
    """The falling piece comes to rest; the rows that it clears. The next one appears if it is known."""
    piece = int(position[PIECE])
    put(position, piece, rotation, row, column)
    full, lines = (1 << game.columns) - 1, 0
    for i in range(HEIGHT[piece, rotation]):
        if position[WELL + row + i] == full:
            lines += 1
    if lines > 0:
        clear_rows(game, position, row, int(HEIGHT[piece, rotation]))
        add_score(position, 100 * lines * lines * int(position[COMBO]))
        position[LINES] += lines
        position[COMBO] += 1
    else:
        position[COMBO] = 1
    position[PLACED] += 1
    following = int(position[NEXT])
    position[PIECE] = position[NEXT] = NONE
    if (game.pieces > 0 and position[PLACED] >= game.pieces) or is_above(game, position):
        position[OVER] = 1
    elif following != NONE:
        bring(game, position, following)
    return lines


@inner
def is_above(game: AnyGame, position: IntArray) -> bool:
    """Whether, with `from_above`, something lies above the rows that are seen: the game is lost."""
    return bool(game.from_above and position[WELL + ROOM_ABOVE - 1] != 0)


@inner
def add_score(position: IntArray, points: int) -> None:
    """Points, up to a number that a position can hold."""
    position[SCORE] = min(LARGEST_SCORE, int(position[SCORE]) + points)


@inner
def place(game: AnyGame, position: IntArray, rotation: int, column: int) -> int:
    """Drop the falling piece, turned and in that column; the rows that it clears. Ten points for each row that it falls."""
    piece = int(position[PIECE])
    start = 0 if game.from_above else int(TOP[piece, rotation])
    row = landing_row(game, position, piece, rotation, column, start)
    add_score(position, 10 * (row - start))
    return lock(game, position, rotation, row, column)


@inner
def drawn_piece(position: IntArray, random: RandomState) -> int:
    """A piece drawn by luck."""
    if position[BAG] == 0:
        return int(below(random, PIECES))
    while True:
        piece = int(below(random, PIECES))
        if not position[BAG] >> piece & 1:
            return piece


@inner
def any_placement(game: AnyGame, piece: int, random: RandomState) -> tuple[int, int]:
    """A rotation and a column, each pair as likely as any other, where all can be reached."""
    count = 0
    for rotation in range(SHAPES[piece]):
        count += game.columns + 1 - int(WIDTH[piece, rotation])
    left = int(below(random, count))
    for rotation in range(SHAPES[piece] - 1):
        here = game.columns + 1 - int(WIDTH[piece, rotation])
        if left < here:
            return rotation, left
        left -= here
    return int(SHAPES[piece]) - 1, left
