"""What a network sees of a position."""

from __future__ import annotations

from tengen.compiling import inner
from tengen.games.types import AnyGame, IntArray, Planes


@inner
def encode_position(game: AnyGame, position: IntArray, planes: Planes) -> None:
    """Encode a position into planes [planes, rows, columns]; a plane more than the game has is the mover's: zeros or ones."""
    count = game.plane_count()
    game.encode(position, planes[:count])
    if planes.shape[0] > count:
        player = game.to_move(position)
        for row in range(planes.shape[1]):
            for column in range(planes.shape[2]):
                planes[count, row, column] = player
