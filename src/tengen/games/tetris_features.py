"""What people have found worth looking at in a well of Tetris, and the linear players made of it.

A player is a weight for each feature; it looks at every placement, at the well after it, and takes the best sum. Sources of the
features and of the weights: Dellacherie (as described by Fahey 2003); BCTS: Thiery and Scherrer, "Building controllers for
Tetris" (2009); the four-feature greedy player: Yiyuan Lee (2013).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import inner, kernel
from tengen.games.tetris import (
    NEXT,
    NONE,
    OVER,
    PIECE,
    PIECES,
    WELL,
    bring,
    clear_rows,
    is_above,
    landing_row,
    put,
    rows_above,
)
from tengen.games.tetris_pieces import HEIGHT, MASKS, TOP
from tengen.games.types import AnyGame, FloatArray, IntArray

FEATURES = (
    "landing_height", "eroded", "row_transitions", "column_transitions", "holes", "wells", "hole_depth", "rows_with_holes",
    "total_height", "bumpiness", "lines",
)  # fmt: skip
(
    LANDING_HEIGHT,  # of the middle of the piece above the floor, where it came to rest
    ERODED,  # rows cleared × cells of the piece in them
    ROW_TRANSITIONS,  # changes between filled and empty along the rows, the walls filled
    COLUMN_TRANSITIONS,  # the same down the columns, the floor filled
    HOLES,  # empty cells with a filled one anywhere above
    WELLS,  # for each empty cell between two filled ones (or walls): it and the empty cells right below
    HOLE_DEPTH,  # filled cells right above the holes
    ROWS_WITH_HOLES,
    TOTAL_HEIGHT,  # of all columns
    BUMPINESS,  # differences in height between neighbouring columns
    CLEARED,  # rows
) = range(len(FEATURES))

LINEAR_PLAYERS: dict[str, dict[str, float]] = {
    "greedy": {"total_height": -0.510066, "lines": 0.760666, "holes": -0.35663, "bumpiness": -0.184483},
    "dellacherie": {
        "landing_height": -1, "eroded": 1, "row_transitions": -1, "column_transitions": -1, "holes": -4, "wells": -1,
    },
    "bcts": {
        "landing_height": -12.63, "eroded": 6.60, "row_transitions": -9.22, "column_transitions": -19.77, "holes": -13.08,
        "wells": -10.49, "hole_depth": -1.61, "rows_with_holes": -24.04,
    },
}  # fmt: skip

LOST = 1e9
"""Worse than anything that a well can look like."""


def weights_of(player: str) -> NDArray[np.float64]:
    """The weights of a linear player, in the order of `FEATURES`."""
    named = LINEAR_PLAYERS[player]
    return np.array([named.get(feature, 0.0) for feature in FEATURES])


@kernel
def best_placement(game: AnyGame, position: IntArray, weights: FloatArray) -> int:
    """The placement with the best sum; of equals the first. Where the next piece is known, both are placed, in the best way.
    One that is seen to end the game is taken only where there is no other."""
    width = len(position)
    first, second = np.empty(width, np.int32), np.empty(width, np.int32)
    moves, replies = np.empty(game.move_count(), np.int32), np.empty(game.move_count(), np.int32)
    features = np.zeros(len(weights), np.float64)
    best, best_score = -1, -np.inf
    for i in range(game.legal_moves(position, moves)):
        move = int(moves[i])
        copy(position, first)
        if first[NEXT] == NONE:
            try_out(game, first, move, features, True)
            score = weigh(weights, features) - (LOST if first[OVER] else 0.0)
        else:
            try_out(game, first, move, features, False)
            own = weigh(weights, features)
            score = own - 2 * LOST  # the next piece does not fit
            if not first[OVER]:
                for j in range(game.legal_moves(first, replies)):
                    copy(first, second)
                    try_out(game, second, int(replies[j]), features, True)
                    score = max(score, own + weigh(weights, features) - (LOST if second[OVER] else 0.0))
        if score > best_score:
            best, best_score = move, score
    return best


@kernel
def placement_features(game: AnyGame, position: IntArray, move: int, features: FloatArray) -> None:
    """All features of a placement."""
    copied = position.copy()
    try_out(game, copied, move, features, True)


@inner
def copy(source: IntArray, target: IntArray) -> None:
    for i in range(len(source)):
        target[i] = source[i]


@inner
def weigh(weights: FloatArray, features: FloatArray) -> float:
    total = 0.0
    for i in range(len(weights)):
        total += weights[i] * features[i]
    return total


@inner
def try_out(game: AnyGame, position: IntArray, move: int, features: FloatArray, whole: bool) -> None:
    """Place the falling piece and say what came of it; of the well only if the `whole` is wanted, else the rest is zero."""
    rotation, column = (move - PIECES) // game.columns, (move - PIECES) % game.columns
    piece, following = int(position[PIECE]), int(position[NEXT])
    row = landing_row(game, position, piece, rotation, column, int(TOP[piece, rotation]))
    height = int(HEIGHT[piece, rotation])
    put(position, piece, rotation, row, column)
    full, lines, eroded = (1 << game.columns) - 1, 0, 0
    for i in range(height):
        if position[WELL + row + i] == full:
            lines += 1
            eroded += ones(int(MASKS[piece, rotation, i]))
    if lines > 0:
        clear_rows(game, position, row, height)
    for i in range(len(features)):
        features[i] = 0.0
    features[LANDING_HEIGHT] = game.rows + rows_above(game) - row - (height + 1) / 2
    features[ERODED] = lines * eroded
    features[CLEARED] = lines
    if whole:
        look(game, position, features)
    position[PIECE], position[NEXT] = NONE, NONE
    if is_above(game, position):
        position[OVER] = 1
    elif following != NONE:
        bring(game, position, following)


@inner
def look(game: AnyGame, position: IntArray, features: FloatArray) -> None:
    """The features of a well."""
    columns, rows = game.columns, game.rows + rows_above(game)
    full = (1 << columns) - 1
    covered, above = 0, 0
    for row in range(rows):
        here = int(position[WELL + row])
        walled = here << 1 | 1 | 1 << (columns + 1)
        features[ROW_TRANSITIONS] += ones((walled ^ walled >> 1) & ((1 << (columns + 1)) - 1))
        features[COLUMN_TRANSITIONS] += ones(here ^ above)
        covered |= here
        features[TOTAL_HEIGHT] += ones(covered)
        holes = covered & ~here
        if holes:
            features[HOLES] += ones(holes)
            features[ROWS_WITH_HOLES] += 1
            over = row - 1
            filled = holes & above
            while filled:
                features[HOLE_DEPTH] += ones(filled)
                over -= 1
                filled &= int(position[WELL + over]) if over >= 0 else 0
        empty = ~here & walled & (walled >> 2) & full  # between two filled cells
        below = row
        while empty:
            features[WELLS] += ones(empty)
            below += 1
            empty &= ~int(position[WELL + below]) if below < rows else 0
        above = here
    features[COLUMN_TRANSITIONS] += ones(above ^ full)
    features[BUMPINESS] = bumpiness(game, position)


@inner
def bumpiness(game: AnyGame, position: IntArray) -> int:
    """Each row in which, of two neighbouring columns, one has begun and the other has not is one step between them."""
    covered, total = 0, 0
    for row in range(game.rows + rows_above(game)):
        covered |= int(position[WELL + row])
        total += ones((covered ^ covered >> 1) & ((1 << (game.columns - 1)) - 1))
    return total


@inner
def ones(x: int) -> int:
    """How many bits of x are set."""
    n = 0
    while x:
        x &= x - 1
        n += 1
    return n
