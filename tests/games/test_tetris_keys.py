"""The real-time game: every key and every tick beside the slow model; and placements made by keys are the placements."""

from random import Random

import pytest
from slow_tetris import SlowTetris

from tengen.games import CHANCE, Position, Tetris
from tengen.games.tetris import COMBO, NEXT, PIECE, PIECES, well
from tengen.games.tetris_keys import KeyTetris, keys_for
from tengen.games.tetris_pieces import NAMES


def same(game, slow):
    assert well(game.rules, game.array).tolist() == slow.picture()
    assert (game.lines, game.score, game.level, game.array[COMBO]) == (slow.lines, slow.score, slow.level, slow.combo)
    assert [[bool(cell) for cell in row] for row in game.cells] == slow.picture()


def press_in_model(slow, key):
    if key in ("left", "right"):
        return slow.step(0, -1 if key == "left" else 1)
    return slow.rotate() if key == "rotate" else slow.drop()


@pytest.mark.parametrize("rules", [Tetris(10, 20), Tetris(6, 6, 0), Tetris(5, 9, 1, bag=True)], ids=str)
def test_keys_do_what_they_do_in_the_slow_model(rules):
    chooser = Random(rules.columns)
    pressed = turned = 0
    for seed in range(6):
        game, slow = KeyTetris(rules, seed), SlowTetris(rules.columns, rules.rows)
        assert slow.appear(game.piece)
        for _ in range(400):
            key = chooser.choices(["left", "right", "rotate", "drop", "fall"], [4, 4, 4, 1, 6])[0]
            pieces = game.pieces
            if key == "fall":
                game.tick(game.seconds_a_row + 1e-9)
                done = slow.step(1, 0)
                if not done:
                    slow.lock()
            else:
                changed = game.press(key)
                game.release(key)
                expected = press_in_model(slow, key)
                if key != "drop":
                    assert changed == bool(expected)
                turned += key == "rotate" and changed
            pressed += 1
            same(game, slow)
            if game.pieces > pieces:
                alive = slow.appear(NAMES[game.array[PIECE]])
                assert alive == (not game.is_over)
                if not alive:
                    break
            assert set(game.falling) == slow.shifted(*slow.falling)
    assert turned > 15
    assert pressed > 150


def test_the_preview_is_the_next_piece():
    game = KeyTetris(Tetris(10, 20), 4)
    for _ in range(5):
        promised = game.following
        game.press("drop")
        assert game.piece == promised
    assert KeyTetris(Tetris(10, 20, 0), 4).following == ""


def test_the_same_seed_gives_the_same_pieces():
    one, other = KeyTetris(Tetris(10, 20), 9), KeyTetris(Tetris(10, 20), 9)
    for _ in range(8):
        one.press("drop")
        other.press("left")
        other.press("drop")
        assert (one.piece, one.following) == (other.piece, other.following)


def test_gravity_soft_drop_and_levels():
    game = KeyTetris(Tetris(10, 20), 1)
    assert game.seconds_a_row == pytest.approx(0.4**1.1)
    top = min(game.falling)[0]
    assert not game.tick(0.36)
    assert game.tick(0.01)
    assert min(game.falling)[0] == top + 1
    game.press("down")
    for _ in range(10):
        game.tick(0.04)
    assert min(game.falling)[0] >= top + 10
    assert game.score == 0  # a soft drop gives nothing
    game.level = 5
    assert game.seconds_a_row == pytest.approx(0.4**1.5)


def test_a_key_that_is_held_repeats():
    game = KeyTetris(Tetris(20, 20), 1)
    first = min(c for _, c in game.falling)
    game.press("right")
    at = [min(c for _, c in game.falling)]
    for _ in range(20):
        game.tick(0.02)
        at.append(min(c for _, c in game.falling))
    assert at[0] == first + 1
    assert at[7] == at[0]  # it waits 0.15 s first
    assert 3 <= at[-1] - at[0] <= 6
    game.release("right")
    before = min(c for _, c in game.falling)
    for _ in range(10):
        game.tick(0.02)
    assert min(c for _, c in game.falling) == before


def test_a_pause_stops_everything():
    game = KeyTetris(Tetris(10, 20), 1)
    assert game.press("pause")
    before = game.falling
    assert not game.tick(10.0)
    assert not game.press("left")
    assert not game.press("drop")
    assert game.falling == before
    game.press("pause")
    assert game.press("left")
    with pytest.raises(ValueError, match="the keys are"):
        game.press("hold")


def test_the_end():
    game = KeyTetris(Tetris(10, 4), 1)
    for _ in range(30):
        game.press("drop")
    assert game.is_over
    assert not game.tick(1.0)
    assert not game.press("left")
    assert game.pieces < 30


@pytest.mark.parametrize("rules", [Tetris(10, 20), Tetris(5, 5, 0)], ids=str)
def test_a_placement_is_the_keys_that_make_it(rules):
    chooser, longest = Random(3), 0
    for seed in range(4):
        game, position = KeyTetris(rules, seed), Position(rules)
        while not game.is_over and game.pieces < 12:
            while position.to_move == CHANCE:
                known = NAMES[game.array[PIECE]] if position.array[PIECE] < 0 else NAMES[game.array[NEXT]]
                position.play(known)
            move = chooser.choice(position.legal_moves)
            keys = keys_for(rules, position.array, move)
            longest = max(longest, len(keys))
            for key in keys:
                game.press(key)
                game.release(key)
            position.play(move)
            assert well(rules, game.array).tolist() == well(rules, position.array).tolist()
            assert game.score == position.array[7]
    assert longest >= 4
    with pytest.raises(ValueError, match="cannot be reached"):
        keys_for(rules, game.array, PIECES + 3 * rules.columns + rules.columns - 1)
