"""Positions to network inputs, many at once, in compiled code."""

from __future__ import annotations

import numpy as np

from tengen.compiling import kernel
from tengen.games.types import AnyGame, IntArray, Planes
from tengen.games.verbs import Game


@kernel
def encode_batch(game: AnyGame, positions: IntArray, planes: Planes) -> None:
    """Encode positions [n, position] into planes [n, planes, rows, columns]; a plane more than the game has is the mover's."""
    count = game.plane_count()
    for i in range(len(positions)):
        game.encode(positions[i], planes[i, :count])
        if planes.shape[1] > count:
            player = game.to_move(positions[i])
            for row in range(planes.shape[2]):
                for column in range(planes.shape[3]):
                    planes[i, count, row, column] = player


def encode(game: Game, positions: IntArray, indicator: bool) -> Planes:
    """What a network sees of positions [n, position]."""
    count = game.plane_count() + (1 if indicator else 0)
    planes = np.zeros((len(positions), count, game.plane_rows(), game.plane_columns()), np.float32)
    encode_batch(game, np.ascontiguousarray(positions), planes)
    return planes
