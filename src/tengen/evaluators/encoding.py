"""Positions to network inputs, many at once, in compiled code."""

from __future__ import annotations

import numpy as np

from tengen.compiling import kernel
from tengen.games.encoding import encode_position
from tengen.games.types import AnyGame, IntArray, Planes
from tengen.games.verbs import Game


@kernel
def encode_batch(game: AnyGame, positions: IntArray, planes: Planes) -> None:
    """Encode positions [n, position] into planes [n, planes, rows, columns]."""
    for i in range(len(positions)):
        encode_position(game, positions[i], planes[i])


def empty_planes(game: Game, positions: int, indicator: bool) -> Planes:
    """Room for what a network sees of so many positions."""
    count = game.plane_count() + (1 if indicator else 0)
    return np.zeros((positions, count, game.plane_rows(), game.plane_columns()), np.float32)


def encode(game: Game, positions: IntArray, indicator: bool) -> Planes:
    """What a network sees of positions [n, position]."""
    planes = empty_planes(game, len(positions), indicator)
    encode_batch(game, np.ascontiguousarray(positions), planes)
    return planes
