"""Tetris by key presses: what is pressed comes to rest in a placement of `tetris`, and the same pieces make the same game."""

import numpy as np
import pytest

from tengen.games import Position, parse_game
from tengen.games.tetris_presses import COLUMN, DROP_KEY, PRESSED, placement


@pytest.mark.parametrize("rules", ["10x10,preview=0", "6x5", "5x4,bag"])
def test_presses_and_a_drop_are_a_placement(rules):
    chooser, dropped = np.random.default_rng(0), 0
    for _ in range(6):
        keys, whole = Position(parse_game(f"tetris-keys:{rules}")), Position(parse_game(f"tetris:{rules}"))
        while not keys.is_over:
            key = int(chooser.choice(keys.legal_moves))
            if key >= 7 and key != DROP_KEY:
                keys.push(key)
                continue
            move = key if key < 7 else placement(keys.game, keys.array)
            if key == DROP_KEY and move not in whole.legal_moves:
                break  # in a turn that looks the same, where the first one is blocked
            keys.push(key)
            whole.push(move)
            dropped += key == DROP_KEY
            assert keys.array[: COLUMN - 1].tolist() == whole.array.tolist()
            assert keys.returns == whole.returns
    assert dropped > 15


def test_every_placement_of_an_open_well_can_be_pressed():
    game, well = parse_game("tetris-keys:7x6,preview=0"), parse_game("tetris:7x6,preview=0")
    for piece in "IOTSZJL":
        start, waiting, found, seen = Position(game, [piece]), [], set(), set()
        waiting.append(start.array)
        while waiting:
            array = waiting.pop()
            found.add(placement(game, array))
            legal = np.zeros(game.move_count(), np.int32)
            for key in legal[: game.legal_moves(array, legal)]:
                after = array.copy()
                if key != DROP_KEY:
                    game.play(after, int(key))
                    where = tuple(after[:-1])
                    if where not in seen:
                        seen.add(where)
                        waiting.append(after)
        assert found == set(Position(well, [piece]).legal_moves)


def test_a_piece_that_has_been_pressed_enough_can_only_be_dropped():
    position = Position(parse_game("tetris-keys:6x6,preview=0,presses=2"), ["T", "left", "turn"])
    assert [position.game.move_name(move) for move in position.legal_moves] == ["drop"]
    position.play("drop")
    assert position.array[PRESSED] == 0


def test_a_network_sees_where_the_piece_is():
    game = parse_game("tetris-keys:6x6,preview=0")
    planes = np.zeros((game.plane_count(), 1, 6), np.float32)
    position, rows = Position(game, ["O"]), 8
    seen = []
    for key in ("left", "left"):
        game.encode(position.array, planes)
        seen.append(planes[rows : rows + 4, 0].copy())
        position.play(key)
    assert seen[0].sum() == 4
    assert np.array_equal(np.roll(seen[0], -1, axis=1), seen[1])
    assert planes[rows + 4 :].sum() == 6  # which piece it is, over all columns
