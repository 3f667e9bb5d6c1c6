"""Random games for the tests: the same on every machine, compiled or not."""

from collections.abc import Iterator
from random import Random

from tengen.games import CHANCE, Game, Position


def pick(chooser: Random, position: Position) -> int:
    """A random legal move; where luck moves, an outcome by its odds."""
    # Only Random.random is promised to stay the same in later versions of Python, so choices are made from it.
    left = chooser.random()
    moves = position.legal_moves
    odds = position.odds if position.to_move == CHANCE else [1 / len(moves)] * len(moves)
    for move, chance in zip(moves, odds, strict=True):
        left -= chance
        if left < 0:
            return move
    return moves[-1]


def positions_of_random_game(game: Game, seed: int) -> Iterator[Position]:
    """One position, before each move and after the last; it is the same object each time."""
    chooser, position = Random(seed), Position(game)
    yield position
    while not position.is_over:
        position.play(pick(chooser, position))
        yield position


def random_game(game: Game, seed: int) -> Position:
    """A finished random game."""
    *_, last = positions_of_random_game(game, seed)
    return last


def random_position(game: Game, seed: int, plies: int) -> Position:
    """The position after some random moves, or at the end of the game if that comes first."""
    for position in positions_of_random_game(game, seed):
        if len(position.moves) == plies:
            break
    return position
