"""The rules beside MaTris itself, where ``TENGEN_MATRIS`` names a clone of github SmartViking/MaTris. It runs without a screen."""

import importlib
import os
import random
import sys
from unittest.mock import MagicMock

import pytest

from tengen.games import Tetris
from tengen.games.tetris import COMBO, PIECE, well
from tengen.games.tetris_features import best_placement, weights_of
from tengen.games.tetris_keys import KeyTetris, keys_for
from tengen.games.tetris_pieces import NAMES

FOLDER = os.environ.get("TENGEN_MATRIS")
CALLED = {
    "I": "long",
    "O": "square",
    "T": "hat",
    "S": "right_snake",
    "Z": "left_snake",
    "J": "left_gun",
    "L": "right_gun",
}


@pytest.fixture
def matris(monkeypatch):
    """MaTris's module, with a screen that swallows everything, and no file of scores."""
    if not FOLDER:
        pytest.skip("TENGEN_MATRIS names no clone of MaTris")
    for name in ("pygame", "kezmenu"):
        monkeypatch.setitem(sys.modules, name, MagicMock())
    monkeypatch.syspath_prepend(FOLDER)
    for name in ("matris", "tetrominoes", "scores"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    module = importlib.import_module("matris")
    module.screen = MagicMock()
    monkeypatch.setattr(module, "load_score", lambda: 0)
    monkeypatch.setattr(module, "write_score", lambda score: None)
    yield module
    for name in ("matris", "tetrominoes", "scores"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("seed", range(8))
def test_every_key_does_what_it_does_in_matris(matris, monkeypatch, seed):
    """Left, right, turn, one row down and drop, each hundreds of times, to the end of the game; two games are played well, so that many
    rows are cleared."""
    pieces = importlib.import_module("tetrominoes").tetrominoes
    chooser, drawn = random.Random(seed), []
    monkeypatch.setattr(
        matris.random,
        "choice",
        lambda options: pieces[CALLED[drawn.pop(0)]] if options is matris.list_of_tetrominoes else options[0],
    )
    game = KeyTetris(Tetris(10, 20), seed)
    drawn += [game.piece, game.following]
    theirs = matris.Matris()
    over, pressed, plan, weights = False, 0, [], weights_of("dellacherie")
    while not over and game.pieces < 70:
        if seed >= 6 and not plan:
            plan = keys_for(game.rules, game.array, best_placement(game.rules, game.array, weights))
        key = (
            plan.pop(0)
            if plan
            else chooser.choices(["left", "right", "rotate", "down", "drop"], [3 + 6 * (seed % 2), 4, 4, 3, 2])[0]
        )
        before = game.pieces
        if key == "down":
            game.tick(game.seconds_a_row + 1e-9)
        else:
            game.press(key)
            game.release(key)
        if game.pieces > before:
            drawn.append(game.following or "I")
        try:
            if key == "rotate":
                theirs.request_rotation()
            elif key == "drop":
                theirs.hard_drop()
            elif not theirs.request_movement(key) and key == "down":
                theirs.lock_tetromino()
        except matris.GameOver:
            over = True
        pressed += 1
        assert over == game.is_over
        assert (theirs.score, theirs.lines, theirs.level, theirs.combo) == (
            game.score,
            game.lines,
            game.level,
            game.array[COMBO],
        )
        lies = [[bool(theirs.matrix[y, x]) for x in range(10)] for y in range(22)]
        assert lies == well(game.rules, game.array).tolist()
        if not over:
            assert theirs.current_tetromino is pieces[CALLED[NAMES[game.array[PIECE]]]]
            row, column = theirs.tetromino_position
            shape = theirs.rotated()
            cells = {(row + y, column + x) for y, line in enumerate(shape) for x, cell in enumerate(line) if cell}
            assert cells == set(game.falling)
    assert pressed > 50
    assert seed < 6 or (game.lines >= 20 and game.level >= 3)
