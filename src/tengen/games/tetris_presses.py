"""Tetris at the grain of key presses, without a clock: for learners that press keys and see the well after each.

The rules are those of `tetris`. A piece stays in the row where it appears; a press moves it a column, turns it, or drops it. So a
piece is some presses, it comes to rest in one of the placements of `tetris`, and the same pieces make the same game there.
A piece that has been pressed `presses` times can only be dropped.
"""

from typing import NamedTuple

from tengen.compiling import inner
from tengen.games.diagram import Diagram, plain_diagram
from tengen.games.tetris import NONE, PIECE, PIECES, WELL, Tetris, fits, rows_above, spawn_column, turn
from tengen.games.tetris_pieces import HEIGHT, LEFT, MASKS, NAMES, SHAPES, TOP, WIDTH
from tengen.games.types import AnyGame, FloatArray, IntArray, Planes
from tengen.games.verbs import CHANCE, NOBODY, game

LEFT_KEY, RIGHT_KEY, TURN_KEY, DROP_KEY = range(PIECES, PIECES + 4)
KEY_NAMES = ("left", "right", "turn", "drop")
SEEN_ROWS = 4
"""Rows of the falling piece that a network is shown: it reaches no farther down before it is dropped."""

# Behind the numbers of a position of `tetris`, counted from the end.
ROTATION, COLUMN, PRESSED = -3, -2, -1


@game
class TetrisKeys(NamedTuple):
    """The rules. Moves 0–6 are luck: which piece comes; then left, right, turn and drop."""

    columns: int = 10
    rows: int = 20
    """Rows that are seen; there are two more."""
    preview: int = 1
    """Pieces that are known beyond the one that falls: 0 or 1."""
    bag: bool = False
    """Whether the seven pieces come in shuffled sevens, rather than each with the same probability at any time."""
    pieces: int = 0
    """The game ends after so many placements; 0: only when a piece finds no place."""
    presses: int = 16
    """Presses of a piece before it can only be dropped."""

    def check(self) -> None:
        """Refuse parameters that make no game."""
        Tetris(self.columns, self.rows, self.preview, self.bag, self.pieces).check()
        if not 1 <= self.presses <= 1000:
            raise ValueError(f"presses is 1 to 1000, not {self.presses}")

    def players(self) -> int:
        return 1

    def is_bounded(self) -> bool:
        return False

    def position_size(self) -> int:
        return rules_of(self).position_size() + 3

    def move_count(self) -> int:
        return PIECES + len(KEY_NAMES)

    def start(self, position: IntArray) -> None:
        rules_of(self).start(position)

    def to_move(self, position: IntArray) -> int:
        return rules_of(self).to_move(position)

    def legal_moves(self, position: IntArray, out: IntArray) -> int:
        rules = rules_of(self)
        if rules.to_move(position) == CHANCE:
            return rules.legal_moves(position, out)
        n = 0
        if position[PRESSED] < self.presses:
            for key in range(LEFT_KEY, DROP_KEY):
                rotation, column = pressed(self, position, key)
                if rotation != position[ROTATION] or column != column_of(self, position):
                    out[n] = key
                    n += 1
        out[n] = DROP_KEY
        return n + 1

    def chance_odds(self, position: IntArray, out: FloatArray) -> None:
        rules_of(self).chance_odds(position, out)

    def play(self, position: IntArray, move: int) -> float:
        rules = rules_of(self)
        if move < PIECES:
            return rules.play(position, move)
        if move != DROP_KEY:
            rotation, column = pressed(self, position, int(move))
            position[ROTATION], position[PRESSED] = rotation, position[PRESSED] + 1
            position[COLUMN] = column + 1
            return 0.0
        dropped = placement(self, position)
        position[ROTATION] = position[COLUMN] = position[PRESSED] = 0
        return rules.play(position, dropped)

    def is_over(self, position: IntArray) -> bool:
        return rules_of(self).is_over(position)

    def outcome(self, position: IntArray) -> int:
        return NOBODY

    def plane_count(self) -> int:
        return self.rows + rows_above(rules_of(self)) + SEEN_ROWS + PIECES * (1 + self.preview)

    def plane_rows(self) -> int:
        return 1

    def plane_columns(self) -> int:
        return self.columns

    def encode(self, position: IntArray, planes: Planes) -> None:
        """As in `tetris`, rows as planes, without the mirror; and rows of the falling piece, where it is now."""
        piece, following = int(position[PIECE]), int(position[PIECE + 1])
        rows = self.rows + rows_above(rules_of(self))
        planes[:] = 0.0
        for row in range(rows):
            for column in range(self.columns):
                planes[row, 0, column] = position[WELL + row] >> column & 1
        known = rows + SEEN_ROWS
        if piece != NONE:
            rotation, left = int(position[ROTATION]), column_of(self, position)
            for row in range(HEIGHT[piece, rotation]):
                for column in range(WIDTH[piece, rotation]):
                    cell = MASKS[piece, rotation, row] >> column & 1
                    planes[rows + TOP[piece, rotation] + row, 0, left + column] = cell
            planes[known + piece] = 1.0
        if following != NONE and self.preview:
            planes[known + PIECES + following] = 1.0

    def moves_are_cells(self) -> bool:
        """A network's outputs are keys."""
        return False

    def move_name(self, move: int) -> str:
        return NAMES[move] if move < PIECES else KEY_NAMES[move - PIECES]

    def parse_move(self, text: str) -> int:
        name = text.strip()
        if name.upper() in tuple(NAMES):
            return NAMES.index(name.upper())
        if name.lower() in KEY_NAMES:
            return PIECES + KEY_NAMES.index(name.lower())
        raise ValueError(f"no key is called {text!r}: {', '.join(KEY_NAMES)}")

    def diagram(self, position: IntArray) -> Diagram:
        lines = [label.text for label in rules_of(self).diagram(position).labels]
        if position[PIECE] != NONE:
            where = f"turned: {position[ROTATION]}, column: {column_of(self, position) + 1}"
            lines.append(f"{where}, pressed: {position[PRESSED]}")
        return plain_diagram("\n".join(lines))


@inner
def rules_of(game: AnyGame) -> Tetris:
    """The game of placements."""
    return Tetris(game.columns, game.rows, game.preview, game.bag, game.pieces, False)


@inner
def column_of(game: AnyGame, position: IntArray) -> int:
    """Where the leftmost cell of the falling piece is. Zero is kept for a piece that has not been moved."""
    if position[COLUMN] > 0:
        return int(position[COLUMN]) - 1
    piece = int(position[PIECE])
    return int(spawn_column(game, piece) + LEFT[piece, 0])


@inner
def pressed(game: AnyGame, position: IntArray, key: int) -> tuple[int, int]:
    """The turn and column of the falling piece after a key; the same where it does not move."""
    piece, rotation, column = int(position[PIECE]), int(position[ROTATION]), column_of(game, position)
    if key == TURN_KEY:
        return turn(rules_of(game), position, piece, rotation, column, 0)
    aim = column - 1 if key == LEFT_KEY else column + 1
    if aim < 0 or aim + WIDTH[piece, rotation] > game.columns:
        return rotation, column
    return rotation, aim if fits(position, piece, rotation, int(TOP[piece, rotation]), aim) else column


@inner
def placement(game: AnyGame, position: IntArray) -> int:
    """The move of `tetris` that dropping the piece now makes: of turns that look the same, the first."""
    piece, rotation = int(position[PIECE]), int(position[ROTATION])
    return PIECES + rotation % int(SHAPES[piece]) * int(game.columns) + column_of(game, position)
