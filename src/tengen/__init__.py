"""Tengen: train, measure and play self-taught game players.

The parts, lowest first; each may use only those before it.

    games       the rules: the generic verbs, Hex, Gomoku, toys, your own; `Position` for people
    search      the compiled tree search, which knows the verbs and no game
    agents      everything that chooses a move, by a text such as ``uct,simulations=1000``
    arena       games between agents: matches and their statistics
    lessons     worked examples, computed by the real search
    cli         the command ``tengen``
"""

from tengen.errors import IllegalMove, MalformedMove, SpecError, TengenError
from tengen.games import Gomoku, Hex, Nim, Pig, Position, check_game, game, parse_game
from tengen.search import Search, SearchSettings

__version__ = "0.1.0"

__all__ = [
    "Gomoku", "Hex", "IllegalMove", "MalformedMove", "Nim", "Pig", "Position", "Search",
    "SearchSettings", "SpecError", "TengenError",
    "check_game", "game", "parse_game",
]  # fmt: skip
