"""One whole random game of each kind as readable text, compared word by word; ``pytest --rewrite`` writes them anew.

A change of rules, names, boards or rewards shows up as a difference in these files, for a person to judge.
"""

import re
from pathlib import Path
from random import Random

import pytest
from random_play import pick

from tengen.games import CHANCE, GAMES, Position, parse_game

FOLDER = Path(__file__).with_name("playthroughs")
SEEDS = {
    "hex:5": 1,
    "hex:4,swap": 55,  # this one swaps, off the diagonal
    "hex:5,first=1": 1,
    "gomoku:3,line=3": 1,
    "gomoku:6,line=4,exact": 1,
    "nim:3": 5,
    "nim:3,misere": 4,
    "pig:2": 35,
    "pig:2,seats=2": 53,
    "tetris:5x5,preview=0": 33,
    "tetris:6x4,bag": 124,
    "tetris:5x4,preview=0,from_above": 7,
    "tetris-keys:4x4,presses=2": 3,
}


def file_of(spec):
    return FOLDER / f"{re.sub('[^a-z0-9]', '-', spec)}.txt"


def names(position, moves):
    return " ".join(position.game.move_name(move) for move in moves)


def playthrough(spec, seed):
    """The record of a game, from its first position to its result."""
    chooser, position = Random(seed), Position(parse_game(spec))
    lines = [f"game: {spec}", f"seed: {seed}"]
    while not position.is_over:
        mover, move = position.to_move, pick(chooser, position)
        lines += ["", f"position {len(position.moves)}", position.text(ascii=True)]
        lines += [f"to move: {'luck' if mover == CHANCE else mover}"]
        lines += [f"legal: {names(position, position.legal_moves)}"]
        before = list(position.returns)
        position.play(move)
        gains = [after - earlier for after, earlier in zip(position.returns, before, strict=True)]
        lines += [f"plays: {names(position, [move])}, rewards {gains[0]:g} and {gains[1]:g}"]
    lines += ["", f"position {len(position.moves)}", position.text(ascii=True)]
    lines += [f"result: {'nobody wins' if position.winner is None else f'{position.winner} wins'}"]
    lines += [f"returns: {position.returns[0]:g} and {position.returns[1]:g}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("spec", SEEDS)
def test_a_game_is_played_as_it_was_before(spec, rewrite):
    played = playthrough(spec, SEEDS[spec])
    if rewrite:
        file_of(spec).write_text(played)
    assert played == file_of(spec).read_text()


def test_every_game_has_a_playthrough():
    assert {spec.partition(":")[0] for spec in SEEDS} == set(GAMES)


def test_every_file_belongs_to_a_game():
    assert set(FOLDER.iterdir()) == {file_of(spec) for spec in SEEDS}


def test_the_swap_is_played_through():
    assert "plays: swap," in file_of("hex:4,swap").read_text()
