"""The right solver for a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tengen.arena.hex_solving import LARGEST, HexSolver
from tengen.arena.solving import Solver
from tengen.games.hex import Hex
from tengen.games.verbs import Game

AnySolver: TypeAlias = Solver | HexSolver


def solver_for(game: Game, nodes: int = 0, on_slice: Callable[[int], None] | None = None) -> AnySolver:
    """The solver that is made for Hex where it can be used, the generic one for everything else. See `Solver`."""
    if isinstance(game, Hex) and not game.swap and game.size <= LARGEST:
        return HexSolver(game, nodes, on_slice=on_slice)
    return Solver(game, nodes, on_slice=on_slice)
