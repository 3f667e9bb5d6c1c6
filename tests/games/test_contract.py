"""Every game of the package keeps the contract, and `check_game` finds out those that do not."""

import broken_games
import numpy as np
import pytest
from broken_games import Marked, WithBiasedPlayout, WithOneSidedPlayout, strip

from tengen.compiling import jit_is_disabled
from tengen.games import CHANCE, GAMES, check_game, parse_game
from tengen.games.contract import BrokenContract

# How many games: few where the boards are large, since each position tries every illegal move.
GAMES_TO_PLAY = {
    "hex:3": 10, "hex:4": 10, "hex:5": 10, "hex:7": 5, "hex:11": 2, "hex:19": 1,
    "hex:3,swap": 10, "hex:5,swap": 5, "hex:5,first=1": 5, "hex:4,swap,first=1": 10,
    "gomoku:3,line=3": 10, "gomoku:5,line=4": 10, "gomoku:9": 3, "gomoku:15": 1, "gomoku:20": 1,
    "gomoku:6,line=3,exact": 10, "gomoku:9,exact": 3, "gomoku:4,line=2": 5,
    "nim:1": 2, "nim:2": 5, "nim:3": 10, "nim:5": 5, "nim:1,misere": 2, "nim:3,misere": 10, "nim:4,misere": 10,
    "pig:1": 10, "pig:2": 10, "pig:3,sides=2,limit=4": 10, "pig:1,seats=2": 10, "pig:2,seats=2": 10,
    "tetris:10x20": 2, "tetris:10x10,preview=0": 3, "tetris:4x4": 5, "tetris:5x6,preview=0,bag": 5, "tetris:7x9,bag": 3,
    "tetris-keys:10x10,preview=0": 1, "tetris-keys:4x4,presses=3,bag": 3,
    "tetris:10x20,pieces=5": 3, "tetris:30x5,preview=0": 1, "tetris:5x6,preview=0,from_above": 5,
}  # fmt: skip


@pytest.mark.parametrize("spec", GAMES_TO_PLAY)
def test_games_of_the_package_keep_the_contract(spec):
    games = GAMES_TO_PLAY[spec]
    # As plain Python there is nothing to compare, and the thousands of playouts would take minutes.
    seen = check_game(parse_game(spec), games=games, compiled=not jit_is_disabled())
    assert seen >= games


def test_every_game_of_the_catalog_is_checked():
    assert {spec.partition(":")[0] for spec in GAMES_TO_PLAY} == set(GAMES)


def test_the_game_that_is_broken_below_is_whole_before():
    assert check_game(strip(), compiled=False) > 0


def two_names_for_one_move(self, move):
    return "end" if move in (0, 3) else str(move)


def legal_moves_falling(self, position, out):
    empty = np.flatnonzero(position[:4] == 0)[::-1]
    out[: len(empty)] = empty
    return len(empty)


def legal_moves_beyond_the_last(self, position, out):
    out[:4] = [4, 5, 6, 7]
    return 4


def legal_moves_of_another_mind_when_asked_again(self, position, out):
    position[6] += 1
    out[:4] = [0, 1, 2, 3]
    return 3 + position[6] % 2


def play_without_reward(self, position, move):
    broken_games.play(self, position, move)
    return 0.0


def play_with_double_reward(self, position, move):
    return 2.0 * broken_games.play(self, position, move)


def play_that_does_nothing(self, position, move):
    return 0.0


def play_that_only_counts(self, position, move):
    position[6] += 1
    return 0.0


def set_up_that_forgets_a_stone(self, position, cells, to_move):
    broken_games.set_up(self, position, np.append(0, cells[1:]), to_move)


def start_that_is_never_the_same(self, position):
    broken_games.start(self, position)
    position[6] = next(broken_games.ticks)


def encode_half(self, position, planes):
    planes[0, 0, :3] = position[:3]


BROKEN = {
    "players": ({"players": lambda self: 3}, "a game has 1 or 2 players"),
    "sizes": ({"move_count": lambda self: 0}, "sizes are positive"),
    "shape of symmetries": ({"symmetries": lambda self: np.zeros((1, 3), np.int32)}, r"symmetries is \[n, moves\]"),
    "moves lost by a symmetry": (
        {"symmetries": lambda self: np.array([[0, 1, 2, 3], [0, 0, 2, 3]])},
        "every row of symmetries is a permutation",
    ),
    "moves lost by a view": ({"move_views": lambda self: np.array([[0, 0, 2, 3]])}, "every row of move_views"),
    "symmetries without the identity": (
        {"symmetries": lambda self: np.array([[3, 2, 1, 0]])},
        "the first symmetry changes nothing",
    ),
    "symmetry that changes the result": (
        {"symmetries": lambda self: np.array([[0, 1, 2, 3], [1, 0, 2, 3]])},
        "symmetries keep the result",
    ),
    "names": ({"move_name": two_names_for_one_move}, "moves have different names"),
    "parsing": ({"parse_move": lambda self, text: 0}, "parse_move undoes move_name"),
    "a third player": ({"to_move": lambda self, position: 2}, "to_move is a player or CHANCE"),
    "no move": ({"legal_moves": lambda self, position, out: 0}, "a game that is not over has a legal move"),
    "falling moves": ({"legal_moves": legal_moves_falling}, "legal moves rise"),
    "moves that do not exist": ({"legal_moves": legal_moves_beyond_the_last}, "legal moves rise"),
    "a verb that writes": (
        {"legal_moves": legal_moves_of_another_mind_when_asked_again, "cells": broken_games.no_cells},
        "only play changes a position",
    ),
    "a winner too early": ({"outcome": lambda self, position: 0}, "nobody has won before the end"),
    "no reward": ({"play": play_without_reward}, "the rewards tell the winner"),
    "too much reward": ({"play": play_with_double_reward}, "rewards of a bounded game add up to at most 1"),
    "reward to the wrong player": (
        {"play": lambda self, position, move: -broken_games.play(self, position, move)},
        "the rewards tell the winner",
    ),
    "a move without effect": ({"play": play_that_does_nothing}, "a move changes the position"),
    "no end": ({"play": play_that_only_counts}, "a game ends within 50 moves"),
    "set_up": ({"set_up": set_up_that_forgets_a_stone}, "set_up undoes cells"),
    "encode": ({"encode": encode_half}, "encode writes every number of the planes"),
    "move_view": ({"move_view": lambda self, position: 1}, "move_view is a row of move_views"),
    "odds": (
        {"to_move": lambda self, position: CHANCE, "chance_odds": lambda self, position, out: out.fill(0.2)},
        "odds are positive and add up to 1",
    ),
    "start": ({"start": start_that_is_never_the_same}, "the same moves give the same position"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_game_is_found_out(what):
    verbs, message = BROKEN[what]
    with pytest.raises(BrokenContract, match=message):
        check_game(strip(**verbs), games=20, longest=50, compiled=False)


def test_the_message_tells_the_game_and_the_moves():
    with pytest.raises(BrokenContract, match=r"Strip\w*\(length=4\).*after \['\d'"):
        check_game(strip(play=play_without_reward), compiled=False)


@pytest.mark.jit
def test_compiled_code_that_plays_otherwise_is_found_out(monkeypatch):
    assert check_game(Marked()) > 0
    # Compiled code keeps the value that a global had when it was compiled: from here on the two differ.
    monkeypatch.setattr(broken_games, "MARK", 2)
    with pytest.raises(BrokenContract, match="compiled code plays as plain Python does"):
        check_game(Marked())


@pytest.mark.jit
def test_a_playout_that_differs_from_random_moves_is_found_out():
    with pytest.raises(BrokenContract, match="playout agrees with random moves in the mean"):
        check_game(WithBiasedPlayout())


@pytest.mark.jit
def test_a_playout_that_both_players_win_is_found_out():
    with pytest.raises(BrokenContract, match="worth the opposite to the other player"):
        check_game(WithOneSidedPlayout())
