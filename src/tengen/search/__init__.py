"""The compiled tree search. It knows the generic verbs and no game."""

from tengen.search.choice import draw_move, move_probabilities
from tengen.search.forest import Evaluator, Forest, PlaneReader
from tengen.search.proving import Prover
from tengen.search.search import MoveStatistics, Search, SearchResult
from tengen.search.settings import SearchSettings

__all__ = [
    "Evaluator", "Forest", "MoveStatistics", "PlaneReader", "Prover", "Search", "SearchResult", "SearchSettings",
    "draw_move", "move_probabilities",
]  # fmt: skip
