"""The threat search as the slow prover asks it."""

from __future__ import annotations

from time import thread_time

import numpy as np

from tengen.agents.classic.engine import Engine
from tengen.games import Gomoku


class Asking:
    """Claims a win by fours, else, if allowed, by fours and threes."""

    def __init__(self, game: Gomoku, threes: bool, seconds: float) -> None:
        self.engine, self.threes, self.seconds = Engine(game), threes, seconds
        self.moves, self.by_threes = 0, False
        """How many moves of the attacker's the last win needed, and whether threes among them."""

    def __call__(self, cells: list[int], colour: int) -> int | None:
        start = thread_time()
        self.engine.set_up(np.array(cells, np.int32), colour - 1)
        for threes in (False, True) if self.threes else (False,):
            move = self.engine.seek_win(colour - 1, threes, lambda: thread_time() > start + self.seconds)
            if move is not None:
                self.moves, self.by_threes = self.engine.moves_to_win, threes
                return move
        return None


def asking(game: Gomoku, threes: bool, seconds: float = 2.0) -> Asking:
    return Asking(game, threes, seconds)
