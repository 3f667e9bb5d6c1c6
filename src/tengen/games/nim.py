"""Nim: heaps of stones, take any number from one heap; whoever takes the last stone wins (misère: loses).

A toy with a known theory (Bouton 1901), in which the search and its signs are tested.
"""

from typing import NamedTuple

import numpy as np

from tengen.games.types import IntArray
from tengen.games.verbs import NOBODY, game


@game
class Nim(NamedTuple):
    """The rules of Nim with heaps of 1, 2, 3, … stones. A position is the heaps, the player to move, 1 + the winner."""

    heaps: int = 3
    """How many heaps; the last is the largest, with as many stones."""
    misere: bool = False
    """Whether taking the last stone loses."""

    def check(self) -> None:
        """Refuse parameters that make no game."""
        if not 1 <= self.heaps <= 20:
            raise ValueError(f"nim has 1 to 20 heaps, not {self.heaps}")

    def position_size(self) -> int:
        return self.heaps + 2

    def move_count(self) -> int:
        return self.heaps * self.heaps

    def start(self, position: IntArray) -> None:
        for heap in range(self.heaps):
            position[heap] = heap + 1
        position[self.heaps] = 0
        position[self.heaps + 1] = 0

    def to_move(self, position: IntArray) -> int:
        return int(position[self.heaps])

    def legal_moves(self, position: IntArray, out: IntArray) -> int:
        n = 0
        for heap in range(self.heaps):
            for taken in range(position[heap]):
                out[n] = heap * self.heaps + taken
                n += 1
        return n

    def play(self, position: IntArray, move: int) -> float:
        player = int(position[self.heaps])
        position[move // self.heaps] -= move % self.heaps + 1
        position[self.heaps] = 1 - player
        if np.any(position[: self.heaps] != 0):
            return 0.0
        position[self.heaps + 1] = 1 + (1 - player if self.misere else player)
        return -1.0 if self.misere else 1.0

    def is_over(self, position: IntArray) -> bool:
        return bool(position[self.heaps + 1] != 0)

    def outcome(self, position: IntArray) -> int:
        return int(position[self.heaps + 1]) - 1 if position[self.heaps + 1] else NOBODY

    def move_name(self, move: int) -> str:
        return f"{move % self.heaps + 1}from{move // self.heaps + 1}"
