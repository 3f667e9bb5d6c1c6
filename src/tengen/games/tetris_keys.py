"""Tetris press by press, in real time, as MaTris plays it: the same rules as `tetris`, at the grain of a person's keys.

    game = KeyTetris(Tetris(10, 20), seed=1)
    game.press("left")      # then hold it: it repeats
    game.tick(0.02)         # twenty milliseconds pass
    game.release("left")

Nothing here knows a screen or a clock: whoever owns them calls `tick`, some fifty times a second.
"""

from __future__ import annotations

import random

import numpy as np

from tengen.games.tetris import (
    BAG,
    COMBO,
    HIDDEN,
    LINES,
    NEXT,
    NONE,
    PIECE,
    PIECES,
    SCORE,
    Tetris,
    add_score,
    fits,
    landing_row,
    lock,
    reveal,
    spawn_column,
    turn,
)
from tengen.games.tetris_pieces import HEIGHT, LEFT, MASKS, NAMES, TOP, WIDTH
from tengen.games.types import IntArray
from tengen.games.verbs import CHANCE

KEYS = ("left", "right", "down", "rotate", "drop", "pause")

FALL_SECONDS = 0.4
"""A piece falls a row in this to the power of 1 + level/10 seconds."""
SOFT_DROP = 0.1
"""What share of that time is left while the key for it is held."""
REPEAT_SECONDS = 0.05
"""A key to the side that is held moves the piece as often, after twice this time more at first."""

Cell = tuple[int, int]


class KeyTetris:
    """A game in progress, with a clock."""

    def __init__(self, game: Tetris, seed: int = 0) -> None:
        if game.from_above:
            raise ValueError("with from_above pieces are not moved by keys")
        self.rules = game
        self.array: IntArray = start_of(game)
        self.cells: list[list[str]] = [["" for _ in range(game.columns)] for _ in range(game.rows + HIDDEN)]
        """What lies in the well: the piece that each cell came from, hidden rows first."""
        self.level = 1
        self.paused = False
        self.pieces = 0
        self._luck = random.Random(seed)
        self._held: set[str] = set()
        self._fall = 0.0
        self._repeat = -2 * REPEAT_SECONDS
        self._piece = self._rotation = self._row = self._column = 0
        self._draw()

    # --- what there is to see

    @property
    def is_over(self) -> bool:
        return bool(self.rules.is_over(self.array))

    @property
    def score(self) -> int:
        return int(self.array[SCORE])

    @property
    def lines(self) -> int:
        return int(self.array[LINES])

    @property
    def piece(self) -> str:
        """The name of the piece that falls."""
        return NAMES[self._piece]

    @property
    def following(self) -> str:
        """The name of the next one; empty where there is no preview."""
        following = int(self.array[NEXT])
        return "" if following == NONE else NAMES[following]

    @property
    def falling(self) -> list[Cell]:
        """The cells of the piece that falls, as (row, column), hidden rows first."""
        return self._cells_at(self._row)

    @property
    def ghost(self) -> list[Cell]:
        """Where it would come to rest."""
        return self._cells_at(self._lowest())

    def cells_if_dropped(self, rotation: int, column: int) -> list[Cell]:
        """Where the piece would come to rest if it were dropped from the top, turned and in that column."""
        piece, first = self._piece, int(TOP[self._piece, rotation])
        row = int(landing_row(self.rules, self.array, piece, rotation, column, first))
        return _cells_of(piece, rotation, row, column)

    @property
    def combo(self) -> int:
        """By how much the next rows will count more."""
        return int(self.array[COMBO])

    @property
    def seconds_a_row(self) -> float:
        """How long the piece stays in a row by itself."""
        return float(FALL_SECONDS ** (1 + self.level / 10))

    # --- what a person does

    def press(self, key: str) -> bool:
        """A key goes down; whether anything has changed. ValueError for a key that there is none of."""
        if key not in KEYS:
            raise ValueError(f"the keys are {', '.join(KEYS)}, not {key!r}")
        if self.is_over:
            return False
        if key == "pause":
            self.paused = not self.paused
            return True
        if self.paused:
            return False
        if key in ("left", "right", "down"):
            self._held.add(key)
        if key in ("left", "right"):
            return self._move(-1 if key == "left" else 1)
        if key == "rotate":
            return self._rotate()
        if key == "drop":
            to = self._lowest()
            add_score(self.array, 10 * (to - self._row))
            self._row = to
            self._lock()
            return True
        return False

    def release(self, key: str) -> None:
        """A key goes up."""
        self._held.discard(key)
        if key in ("left", "right"):
            self._repeat = -2 * REPEAT_SECONDS

    def tick(self, seconds: float) -> bool:
        """Time passes; whether anything has changed. In one call a piece falls a row at most."""
        if self.is_over or self.paused:
            return False
        changed = False
        interval = self.seconds_a_row * (SOFT_DROP if "down" in self._held else 1.0)
        self._fall += seconds
        if self._fall > interval:
            if not self._step_down():
                self._lock()
            self._fall %= interval
            changed = True
        if self._held & {"left", "right"}:
            self._repeat += seconds
            if self._repeat > REPEAT_SECONDS:
                changed |= not self.is_over and self._move(1 if "right" in self._held else -1)
                self._repeat %= REPEAT_SECONDS
        return changed

    # --- the piece that falls

    def _draw(self) -> None:
        """Luck draws what is to be known, and the piece that falls now appears."""
        while self.rules.to_move(self.array) == CHANCE and not self.is_over:
            bag = int(self.array[BAG])
            reveal(self.rules, self.array, self._luck.choice([p for p in range(PIECES) if not bag >> p & 1]))
        self._appear()

    def _appear(self) -> None:
        if int(self.array[PIECE]) == NONE:  # after the last of a limited number
            return
        self._piece, self._rotation = int(self.array[PIECE]), 0
        self._row = int(TOP[self._piece, 0])
        self._column = int(spawn_column(self.rules, self._piece) + LEFT[self._piece, 0])

    def _move(self, by: int) -> bool:
        aim = self._column + by
        if aim < 0 or aim + WIDTH[self._piece, self._rotation] > self.rules.columns:
            return False
        if not fits(self.array, self._piece, self._rotation, self._row, aim):
            return False
        self._column = aim
        return True

    def _rotate(self) -> bool:
        box_row = self._row - int(TOP[self._piece, self._rotation])
        to, column = turn(self.rules, self.array, self._piece, self._rotation, self._column, box_row)
        if to == self._rotation:
            return False
        self._rotation, self._column, self._row = int(to), int(column), box_row + int(TOP[self._piece, to])
        return True

    def _step_down(self) -> bool:
        row = self._row + 1
        if row + HEIGHT[self._piece, self._rotation] > self.rules.rows + HIDDEN:
            return False
        if not fits(self.array, self._piece, self._rotation, row, self._column):
            return False
        self._row = row
        return True

    def _lowest(self) -> int:
        """The row in which the piece comes to rest if it falls now."""
        row = self._row
        last = self.rules.rows + HIDDEN - int(HEIGHT[self._piece, self._rotation])
        while row < last and fits(self.array, self._piece, self._rotation, row + 1, self._column):
            row += 1
        return row

    def _cells_at(self, row: int) -> list[Cell]:
        return _cells_of(self._piece, self._rotation, row, self._column)

    def _lock(self) -> None:
        for row, column in self.falling:
            self.cells[row][column] = self.piece
        kept = [row for row in self.cells if not all(row)]
        self.cells = [["" for _ in range(self.rules.columns)] for _ in range(len(self.cells) - len(kept))] + kept
        lock(self.rules, self.array, self._rotation, self._row, self._column)
        self.pieces += 1
        if self.lines >= 10 * self.level:
            self.level += 1
        if not self.is_over:
            self._draw()


def _cells_of(piece: int, rotation: int, row: int, column: int) -> list[Cell]:
    return [
        (row + i, column + c)
        for i in range(HEIGHT[piece, rotation])
        for c in range(WIDTH[piece, rotation])
        if int(MASKS[piece, rotation, i]) >> c & 1
    ]


def start_of(game: Tetris) -> IntArray:
    """The first position."""
    array = np.zeros(game.position_size(), np.int32)
    game.start(array)
    return array


def keys_for(game: Tetris, position: IntArray, move: int) -> list[str]:
    """The presses that make a placement of `tetris`, the hard drop among them; the fewest, from where the piece appears."""
    piece = int(position[PIECE])
    wanted = divmod(move - PIECES, game.columns)
    start = (0, int(spawn_column(game, piece) + LEFT[piece, 0]))
    found: dict[tuple[int, int], list[str]] = {start: []}
    waiting = [start]
    for rotation, column in waiting:
        if (rotation, column) == wanted:
            return [*found[wanted], "drop"]
        to, aim = turn(game, position, piece, rotation, column, 0)
        for key, place in (
            ("left", (rotation, column - 1)), ("right", (rotation, column + 1)), ("rotate", (int(to), int(aim))),
        ):  # fmt: skip
            at, leftmost = place
            inside = 0 <= leftmost <= game.columns - WIDTH[piece, at]
            if place not in found and inside and fits(position, piece, at, int(TOP[piece, at]), leftmost):
                found[place] = [*found[rotation, column], key]
                waiting.append(place)
    raise ValueError(f"{game.move_name(move)} cannot be reached here")
