"""The research board beside a Tetris from PyPI, where it is installed: ``pip install --no-deps rl-tetris``."""

from random import Random

import numpy as np
import pytest

from tengen.games import CHANCE, Position, Tetris
from tengen.games.tetris import LINES, PIECE, PIECES, ROOM_ABOVE, well
from tengen.games.tetris_features import (
    BUMPINESS,
    FEATURES,
    HOLES,
    TOTAL_HEIGHT,
    best_placement,
    placement_features,
    weights_of,
)
from tengen.games.tetris_pieces import NAMES

rl_board = pytest.importorskip(
    "rl_tetris.core.board", reason="rl-tetris is not installed: pip install --no-deps rl-tetris"
)
rl_piece = pytest.importorskip("rl_tetris.core.piece")


@pytest.mark.parametrize("game", [Tetris(10, 10, 0, from_above=True), Tetris(5, 7, 0, from_above=True)], ids=str)
def test_placements_rows_and_features_are_those_of_rl_tetris(game):
    """Every placement of a game played well, with some at random: where it comes to rest, what disappears, what it looks like."""
    chooser, position = Random(game.columns), Position(game)
    theirs = rl_board.Board(game.rows + ROOM_ABOVE, game.columns)
    features, lines, games, placed = np.zeros(len(FEATURES)), 0, 0, 0
    while placed < 300:
        while position.to_move == CHANCE:
            position.play(chooser.choice(position.legal_moves))
        piece = position.array[PIECE]
        shapes = [rl_piece.Piece.get_shape(int(rl_piece.PieceType[NAMES[piece]]))]
        for _ in range(3):
            shapes.append(rl_piece.Piece.get_rotated_clockwise(shapes[-1]))
        distinct = [shape for i, shape in enumerate(shapes) if shape not in shapes[:i]]
        everything = {(turns, c) for turns, s in enumerate(distinct) for c in range(game.columns + 1 - len(s[0]))}
        assert {divmod(move - PIECES, game.columns) for move in position.legal_moves} == everything
        steady = chooser.random() < 0.8
        move = (
            best_placement(game, position.array, weights_of("bcts")) if steady else chooser.choice(position.legal_moves)
        )
        placement_features(game, position.array, move, features)
        turns, column = divmod(move - PIECES, game.columns)
        row = 0
        while not theirs.check_collision(distinct[turns], column, row + 1):
            row += 1
        theirs.place_piece(distinct[turns], column, row)
        lines += theirs.clear_full_rows()
        position.play(move)
        state = np.array(theirs.get_state()) > 0
        assert well(game, position.array).tolist() == state.tolist()
        assert position.array[LINES] == lines
        bumpiness, height = theirs.get_bumpiness_and_height()
        assert features[[HOLES, BUMPINESS, TOTAL_HEIGHT]].tolist() == [theirs.get_holes(), bumpiness, height]
        assert position.is_over == state[:ROOM_ABOVE].any()
        placed += 1
        if position.is_over:
            position, lines, games = Position(game), 0, games + 1
            theirs.reset()
    assert games >= 2
