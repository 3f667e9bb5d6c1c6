"""The rules. `verbs` says what a game is; one file holds one game; `catalog` reads ``hex:7``."""

from tengen.games.catalog import GAMES, game_spec, parse_game
from tengen.games.contract import BrokenContract, check_game
from tengen.games.diagram import grid_diagram
from tengen.games.gomoku import Gomoku
from tengen.games.hex import Hex
from tengen.games.nim import Nim
from tengen.games.pig import Pig
from tengen.games.position import Position
from tengen.games.tetris import Tetris
from tengen.games.verbs import CHANCE, NOBODY, Game, game

__all__ = [
    "CHANCE", "GAMES", "NOBODY", "BrokenContract", "Game", "Gomoku", "Hex", "Nim", "Pig", "Position",
    "Tetris", "check_game", "game", "game_spec", "grid_diagram", "parse_game",
]  # fmt: skip
