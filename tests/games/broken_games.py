"""A small correct game whose verbs `test_contract` replaces by broken ones, and games whose compiled part is broken."""

import itertools
from typing import NamedTuple

import numpy as np

from tengen.games import NOBODY, Game, game

# Strip: four cells in a row, filled in turn; whoever first owns two neighbours wins, a full strip is a draw.
# A position: the cells, the player to move, 1 + the winner, a number that the game does not need.

ticks = itertools.count()


def start(self, position):
    position[:] = 0


def legal_moves(self, position, out):
    empty = np.flatnonzero(position[:4] == 0)
    out[: len(empty)] = empty
    return len(empty)


def wins(position, player):
    own = position[:4] == player + 1
    return bool(np.any(own[1:] & own[:-1]))


def play(self, position, move):
    player = int(position[4])
    position[move] = player + 1
    position[4] = 1 - player
    if not wins(position, player):
        return 0.0
    position[5] = player + 1
    return 1.0


def is_over(self, position):
    return bool(position[5] != 0 or np.all(position[:4] != 0))


def set_up(self, position, cells, to_move):
    position[:4], position[4] = cells, to_move
    position[5] = next((player + 1 for player in (0, 1) if wins(position, player)), 0)


def no_cells(self, position):
    return np.empty(0, np.int32)


VERBS = {
    "position_size": lambda self: 7,
    "move_count": lambda self: 4,
    "start": start,
    "to_move": lambda self, position: int(position[4]),
    "legal_moves": legal_moves,
    "play": play,
    "is_over": is_over,
    "outcome": lambda self, position: int(position[5]) - 1,
    "cells": lambda self, position: position[:4].copy(),
    "set_up": set_up,
    "symmetries": lambda self: np.array([[0, 1, 2, 3], [3, 2, 1, 0]], np.int32),
}


def strip(**changed) -> Game:
    """Strip with some verbs replaced, or left out where None is given."""

    class Strip(NamedTuple):
        length: int = 4

    for name, verb in {**VERBS, **changed}.items():
        if verb is not None:
            setattr(Strip, name, verb)
    return game(Strip)()


# --- games that break only when compiled; these are classes of a module, as compiled games are


MARK = 1


@game
class Marked(NamedTuple):
    """Three moves each, nobody wins; every move leaves a mark that depends on a global."""

    moves: int = 6

    def position_size(self):
        return 2

    def move_count(self):
        return 2

    def start(self, position):
        position[:] = 0

    def to_move(self, position):
        return int(position[0] % 2)

    def legal_moves(self, position, out):
        out[0], out[1] = 0, 1
        return 2

    def play(self, position, move):
        position[0] += 1
        position[1] += MARK * move
        return 0.0

    def is_over(self, position):
        return bool(position[0] == self.moves)

    def outcome(self, position):
        return NOBODY


@game
class WithBiasedPlayout(NamedTuple):
    """As Marked, but its playouts say that player 0 always wins."""

    moves: int = 6
    position_size, move_count, start, to_move = Marked.position_size, Marked.move_count, Marked.start, Marked.to_move
    legal_moves, play, is_over, outcome = Marked.legal_moves, Marked.play, Marked.is_over, Marked.outcome

    def playout(self, position, viewer, random):
        return 1.0 if viewer == 0 else -1.0


@game
class WithOneSidedPlayout(NamedTuple):
    """As Marked, but its playouts are won by whoever looks."""

    moves: int = 6
    position_size, move_count, start, to_move = Marked.position_size, Marked.move_count, Marked.start, Marked.to_move
    legal_moves, play, is_over, outcome = Marked.legal_moves, Marked.play, Marked.is_over, Marked.outcome

    def playout(self, position, viewer, random):
        return 1.0
