"""The compiled tree search. It knows the generic verbs and no game."""

from tengen.search.choice import choose_move, move_probabilities
from tengen.search.forest import Evaluator, Forest
from tengen.search.search import MoveStatistics, Search, SearchResult
from tengen.search.settings import SearchSettings

__all__ = [
    "Evaluator", "Forest", "MoveStatistics", "Search", "SearchResult", "SearchSettings",
    "choose_move", "move_probabilities",
]  # fmt: skip
