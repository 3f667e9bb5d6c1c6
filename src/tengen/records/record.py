"""A game, as it is kept: its seed, its moves, and what the search found before each of them.

Positions, encodings and symmetries are not stored: they follow from the moves, in compiled code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NOT_SEARCHED = -1


@dataclass(frozen=True)
class GameRecord:
    """One game of self-play."""

    number: int
    seed: int
    first: int
    """Who began: 0 or 1."""
    moves: tuple[int, ...]
    visits: tuple[dict[int, int] | None, ...]
    """For each move: the visits of the legal moves at the root, or what they weigh where that is not the same (`Forest.decide`);
    None where there is nothing to learn from (an opening move, luck, a move made quickly)."""
    values: tuple[float, ...]
    """For each move: the search's value of the position, in its mover's view."""
    returns: tuple[float, float]
    winner: int | None
    network: int
    """The training steps that the network had made when the game ended."""
    seconds: float

    def pack(self) -> tuple[bytes, bytes, bytes]:
        """Moves, visits and values as bytes."""
        flat: list[int] = []
        for counts in self.visits:
            if counts is None:
                flat.append(NOT_SEARCHED)
            else:
                flat += [len(counts), *counts.keys(), *counts.values()]
        return _bytes(self.moves, np.int32), _bytes(flat, np.int32), _bytes(self.values, np.float32)


def unpack_visits(data: bytes) -> tuple[dict[int, int] | None, ...]:
    """The inverse of what `pack` does with visits."""
    flat = np.frombuffer(data, np.int32).tolist()
    visits: list[dict[int, int] | None] = []
    i = 0
    while i < len(flat):
        n = flat[i]
        i += 1
        if n == NOT_SEARCHED:
            visits.append(None)
        else:
            visits.append(dict(zip(flat[i : i + n], flat[i + n : i + 2 * n], strict=True)))
            i += 2 * n
    return tuple(visits)


def _bytes(numbers: object, kind: type) -> bytes:
    array: NDArray[np.generic] = np.asarray(numbers, kind)
    return array.tobytes()
