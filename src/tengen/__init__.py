"""Tengen: train, measure and play self-taught game players.

The parts, lowest first; each may use only those before it.

    games       the rules: the generic verbs, Hex, Gomoku, toys, your own; `Position` for people
    search      the compiled tree search, which knows the verbs and no game
    evaluators  networks as a search asks them (ONNX Runtime)
    records     games as they are kept, and the replay buffer
    runs        the run directory
    protocols   other people's formats and dialogues: SGF, psq, HTP, Gomocup, the Online Hex Tournament
    agents      everything that chooses a move, by a text such as ``uct,simulations=1000``
    arena       games between agents: matches and their statistics
    selfplay    many games at once, one batch of questions
    networks    what learns (Keras), and its files (ONNX)
    training    the settings of a run, and the loop
    bench       speed beside other programs
    lessons     worked examples, computed by the real search
    web         the page in the browser: play and watch
    cli         the command ``tengen``
"""

from tengen.errors import IllegalMove, MalformedMove, SpecError, TengenError
from tengen.games import Gomoku, Hex, Nim, Pig, Position, check_game, game, grid_diagram, parse_game
from tengen.search import Search, SearchSettings

__version__ = "0.1.0"

__all__ = [
    "Gomoku", "Hex", "IllegalMove", "MalformedMove", "Nim", "Pig", "Position", "Search",
    "SearchSettings", "SpecError", "TengenError",
    "check_game", "game", "grid_diagram", "parse_game",
]  # fmt: skip
