"""Tetris against a slow model of its own, and the corners of its rules."""

import itertools
from random import Random

import numpy as np
import pytest
from slow_tetris import SHAPES, SlowTetris, cells_of

from tengen.compiling import kernel
from tengen.errors import IllegalMove, MalformedMove, SpecError
from tengen.games import CHANCE, Position, Tetris, parse_game
from tengen.games.randomness import random_state
from tengen.games.tetris import (
    BAG,
    COMBO,
    HIDDEN,
    LINES,
    NEXT,
    NONE,
    PIECE,
    PIECES,
    PLACED,
    ROOM_ABOVE,
    SCORE,
    WELL,
    well,
)
from tengen.games.tetris_features import FEATURES, LINEAR_PLAYERS, best_placement, placement_features, weights_of
from tengen.games.tetris_keys import KeyTetris
from tengen.games.tetris_pieces import MIRRORED, NAMES, box_of
from tengen.games.verbs import random_game

DISTINCT = {"I": 2, "O": 1, "T": 4, "S": 2, "Z": 2, "J": 4, "L": 4}


def filled(game, rows, piece, following=NONE):
    """A position with the lowest rows as given, from the top down, and a falling piece."""
    position = Position(game)
    for i, row in enumerate(rows):
        cells = sum(1 << c for c, mark in enumerate(row) if mark == "#")
        position.array[WELL + game.rows + HIDDEN - len(rows) + i] = cells
    position.array[PIECE] = NAMES.index(piece)
    position.array[NEXT] = NONE if following == NONE else NAMES.index(following)
    return position


def picture(position, rows):
    return ["".join(".#"[cell] for cell in row) for row in well(position.game, position.array)[-rows:].astype(int)]


def test_the_pieces_are_the_models():
    for piece, name in enumerate(NAMES):
        for turns in range(4):
            assert {tuple(cell) for cell in np.argwhere(box_of(piece, turns)).tolist()} == cells_of(name, turns)


@pytest.mark.parametrize(
    "game",
    [Tetris(10, 20), Tetris(10, 6, 0), Tetris(6, 5, 1), Tetris(5, 12, 0), Tetris(4, 4, 1), Tetris(12, 9, 0, bag=True)],
    ids=str,
)
def test_it_plays_as_the_slow_model_does(game):
    """Greedy play with a tenth of random moves: many rows are cleared, and games end at the top."""
    chooser, weights = Random(game.columns), weights_of("dellacherie")
    cleared = placed = narrow = 0
    while placed < 2_000 // (game.columns + game.rows):
        position, slow = Position(game), SlowTetris(game.columns, game.rows)
        while position.to_move == CHANCE:
            position.play(chooser.choice(position.legal_moves))
        alive = slow.appear(NAMES[position.array[PIECE]])
        while not position.is_over:
            assert alive
            possible = slow.placements()
            expected = {key: at for key, at in possible.items() if key[0] < DISTINCT[slow.name]}
            legal = {divmod(move - PIECES, game.columns) for move in position.legal_moves}
            assert legal == set(expected)
            everything = sum(
                game.columns + 1 - len({c for _, c in cells_of(slow.name, t)}) for t in range(DISTINCT[slow.name])
            )
            narrow += len(legal) < everything
            steady = chooser.random() < 0.85 and placed % 100 < 80
            move = best_placement(game, position.array, weights) if steady else chooser.choice(position.legal_moves)
            slow.falling = expected[divmod(move - PIECES, game.columns)]
            before = list(position.returns)
            lines = slow.drop()
            position.play(move)
            assert position.returns[0] - before[0] == lines
            while not position.is_over and position.to_move == CHANCE:
                position.play(chooser.choice(position.legal_moves))
            assert well(game, position.array).tolist() == slow.picture()
            assert position.array[[LINES, SCORE, COMBO]].tolist() == [slow.lines, slow.score, slow.combo]
            cleared, placed = cleared + lines, placed + 1
            alive = slow.appear(NAMES[position.array[PIECE]])
            if position.is_over:
                assert not alive
    assert cleared >= 1
    assert narrow or game.rows > 9  # where the stack reached the top, not every placement could be made


def test_only_whole_rows_disappear_and_those_above_come_down():
    position = filled(Tetris(6, 8, 0), ["#.....", "####..", "#.....", "####.."], "O")
    assert position.play("a5").returns[0] == 1  # it falls past the others to the floor
    assert picture(position, 4) == ["......", "#.....", "####..", "#...##"]


def test_rows_with_others_between_them():
    position = filled(Tetris(4, 6, 0), ["#...", "###.", "##..", "###."], "I")
    assert position.play("b4").returns[0] == 2
    assert picture(position, 4) == ["....", "....", "#..#", "##.#"]
    assert position.array[SCORE] == 100 * 2**2 + 10 * 4
    assert position.array[COMBO] == 2


def test_four_rows_at_once_and_the_combo():
    position = filled(Tetris(4, 12, 0), ["###."] * 8, "I")
    position.play("b4").play("I")
    assert (position.returns[0], position.array[SCORE], position.array[COMBO]) == (4, 1600 + 10 * 10, 2)
    position.play("b4").play("O")
    assert (position.returns[0], position.array[SCORE], position.array[COMBO]) == (8, 1700 + 2 * 1600 + 10 * 10, 3)
    position.play("a1")
    assert position.array[COMBO] == 1
    assert not well(position.game, position.array)[:-2].any()


def test_a_piece_may_rest_in_the_hidden_rows_and_they_clear():
    position = Position(Tetris(6, 4, 0))
    position.array[WELL + 1] = 0b100001  # a hidden row with a gap of four
    position.array[WELL + 2 : WELL + 6] = 0b011110
    position.array[PIECE] = NAMES.index("I")
    assert position.play("a2").returns[0] == 1
    assert picture(position, 6) == ["......", "......", *[".####."] * 4]


def test_the_game_is_over_only_when_the_next_piece_finds_no_room():
    game = Tetris(4, 4, 0)
    position = filled(game, ["....", "....", "##..", "#.##", "##.#", "#.##"], "O")
    position.play("a2")
    assert not position.is_over  # it lies in the hidden rows, where the next one appears
    position.play("T")
    assert position.is_over
    assert position.legal_moves == []


def test_with_a_preview_the_end_is_known_at_once():
    position = filled(Tetris(4, 4, 1), ["....", "....", "##..", "#.##", "##.#", "#.##"], "O", "T")
    assert position.play("a2").is_over


def test_a_wall_of_cells_at_the_top_cannot_be_passed():
    position = filled(Tetris(10, 4, 0), [], "O")
    position.array[WELL + 0] = 1 << 2
    moves = {position.game.move_name(move) for move in position.legal_moves}
    assert moves == {f"a{column}" for column in range(4, 10)}


def test_what_comes_next_stands_nowhere_before_it_is_drawn():
    """The position before luck moves is the same whatever luck will do."""
    for game in (Tetris(10, 20, 0), Tetris(10, 20, 1)):
        position = Position(game)
        while position.to_move == CHANCE:
            position.play(position.legal_moves[0])
        known = position.array[PIECE], position.array[NEXT]
        assert (known[1] == NONE) == (game.preview == 0)
        position.play(position.legal_moves[0])
        assert position.to_move == CHANCE
        assert position.array[NEXT] == NONE
        assert position.array[PIECE] == (NONE if game.preview == 0 else known[1])


def test_a_bag_holds_each_piece_once():
    chooser, position = Random(3), Position(Tetris(10, 20, bag=True))
    drawn = []
    while not position.is_over and len(drawn) < 21:
        if position.to_move == CHANCE:
            move = chooser.choice(position.legal_moves)
            assert position.odds == [1 / len(position.legal_moves)] * len(position.legal_moves)
            drawn.append(move)
        else:
            move = best_placement(position.game, position.array, weights_of("dellacherie"))
        position.play(move)
    for i in range(0, 21, 7):
        assert sorted(drawn[i : i + 7]) == list(range(7))
    assert position.array[BAG] == 0


def test_a_cap_ends_the_game():
    position = Position(Tetris(10, 20, pieces=3))
    while not position.is_over:
        position.play(position.legal_moves[0])
    assert position.array[PLACED] == 3


def test_names():
    game = Tetris(10, 20)
    position = Position(game, ["T", "L"])
    assert game.move_name(position.legal_moves[0]) == "a1"
    for text in ("e1", "a0", "a11", "x", "", "a", "a1b", "a²", "1", "a" + "9" * 5000):
        with pytest.raises(MalformedMove):
            position.play(text)
    with pytest.raises(IllegalMove, match="a10 cannot be played here"):
        position.play("a10")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tetris:10", "write columns and rows as tetris:10x20"),
        ("tetris:10x", "write columns and rows as"),
        ("tetris:x20", "write columns and rows as"),
        ("tetris:axb", "columns is a whole number"),
        ("tetris:3x20", "4 to 30 columns and 4 to 60 rows, not 3x20"),
        ("tetris:10x20,preview=2", "preview is 0 or 1, not 2"),
        ("tetris:10x20,pieces=-1", "pieces is 0"),
        ("tetris:10x20x30", "rows is a whole number"),
        ("hex:5x5", "size is a whole number"),
    ],
)
def test_bad_texts_get_a_sentence(spec, message):
    with pytest.raises(SpecError, match=message):
        parse_game(spec)


def test_a_network_sees_the_well_and_the_pieces():
    game = Tetris(5, 4, 1)
    position = filled(game, ["##..#"], "T", "L")
    planes = np.full((game.plane_count(), game.plane_rows(), game.plane_columns()), np.nan, np.float32)
    game.encode(position.array, planes)
    assert planes.shape == (4 + 2 + 14, 1, 5)  # each row, as a plane one cell high; each piece, falling and next
    assert planes[:6].sum() == 3
    assert planes[5, 0].tolist() == [1, 1, 0, 0, 1]
    known = [plane for plane in range(6, 20) if planes[plane].all()]
    assert known == [6 + NAMES.index("T"), 13 + NAMES.index("L")]
    assert planes[6:].sum() == 2 * 5


def test_a_placement_is_a_cell_of_the_outputs():
    game = Tetris(5, 4)
    outputs = game.move_views()[0]
    assert outputs[game.parse_move("a1")] == 0
    assert outputs[game.parse_move("c4")] == 2 * 5 + 3
    assert sorted(outputs) == list(range(game.move_count()))


def in_a_mirror(game, array):
    """The mirror image of a well, without a piece."""
    image = array.copy()
    image[WELL:] = [int(f"{row:0{game.columns}b}"[::-1], 2) for row in array[WELL:]]
    return image


def test_a_position_and_its_mirror_image_look_the_same_and_so_do_their_placements():
    game, chooser, compared = Tetris(6, 8, 0, from_above=True), np.random.default_rng(0), 0
    views = game.move_views()
    for _ in range(60):
        left = Position(game)
        for _ in range(int(chooser.integers(1, 6))):
            left.push(int(chooser.choice(7)))
            left.push(int(chooser.choice(left.legal_moves)))
            if left.is_over:
                break
        if left.is_over:
            continue
        piece = int(chooser.choice(7))
        arrays = left.array.copy(), in_a_mirror(game, left.array)
        for array, falls in zip(arrays, (piece, int(MIRRORED[piece])), strict=True):
            game.play(array, falls)
        planes = np.zeros((2, game.plane_count(), 1, 6), np.float32)
        results = []
        for array, seen in zip(arrays, planes, strict=True):
            game.encode(array, seen)
            moves = np.zeros(game.move_count(), np.int32)
            moves = moves[: game.legal_moves(array, moves)]
            after = {}
            for move in moves:
                then = array.copy()
                game.play(then, int(move))
                after[int(views[game.move_view(array)][move])] = then[WELL:].tolist()
            results.append(after)
        if [game.move_view(array) for array in arrays].count(0) != 1:
            continue  # as much on the left as on the right: each is shown as it is
        assert np.array_equal(planes[0], planes[1])
        assert results[0].keys() == results[1].keys()
        for output, then in results[0].items():
            whole = np.array([0] * WELL + then, np.int32)
            assert in_a_mirror(game, whole)[WELL:].tolist() == results[1][output]
        compared += 1
    assert compared > 25


# --- the board of published results

ABOVE = Tetris(4, 4, 0, from_above=True)


def above(rows, piece):
    position = Position(ABOVE)
    for i, row in enumerate(rows):
        position.array[WELL + ROOM_ABOVE + 4 - len(rows) + i] = sum(1 << c for c, mark in enumerate(row) if mark == "#")
    position.array[PIECE] = NAMES.index(piece)
    return position


def test_from_above_every_column_can_be_reached_over_any_stack():
    position = above(["..#.", "..#.", "..#.", "..#."], "O")
    assert [ABOVE.move_name(move) for move in position.legal_moves] == ["a1", "a2", "a3"]
    position.play("a1")
    assert not position.is_over
    assert picture(position, 4) == ["..#.", "..#.", "###.", "###."]


def test_from_above_it_is_over_when_something_lies_above_the_rows_that_are_seen():
    assert not above(["....", "#...", "#...", "#..."], "I").play("a1").is_over
    position = above(["#...", "#...", "#...", "#..."], "O").play("a1")
    assert position.is_over
    assert position.returns[0] == 0
    assert picture(position, 6)[:2] == ["##..", "##.."]


def test_from_above_full_rows_disappear_before_it_is_seen_whether_it_is_over():
    position = above(["....", "###.", "###.", "###."], "I").play("b4")
    assert (position.returns[0], position.is_over) == (3, False)
    position = above(["###.", "###.", "#.#.", "#.#."], "I").play("b4")
    assert (position.returns[0], position.is_over) == (2, False)
    assert above([".#..", "##.#", "##.#", "##.#"], "O").play("a1").is_over  # nothing disappears


def test_a_linear_player_loses_only_where_it_must():
    """It likes heights, but on the tower the game would end."""
    position = above(["...#", "...#", "...#", "...#"], "O")
    weights = np.where(np.array(FEATURES) == "landing_height", 1000.0, 0.0)
    assert ABOVE.move_name(best_placement(ABOVE, position.array, weights)) == "a1"


def test_keys_are_refused_from_above():
    with pytest.raises(ValueError, match="not moved by keys"):
        KeyTetris(ABOVE)


@kernel
def both_playouts(game, games, random, totals):
    position = np.zeros(game.position_size(), np.int32)
    for _ in range(games):
        game.start(position)
        totals[0] += game.playout(position, 0, random)
        totals[1] += position[PLACED]
        game.start(position)
        totals[2] += random_game(game, position, 0, 1.0, 1 << 40, random)
        totals[3] += position[PLACED]


@pytest.mark.jit
@pytest.mark.parametrize(
    "game", [Tetris(5, 6, 0), Tetris(5, 6, 1, bag=True), Tetris(5, 5, 0, from_above=True)], ids=str
)
def test_the_playout_is_random_play(game):
    totals = np.zeros(4)
    both_playouts(game, 20_000, random_state(1), totals)
    lines, placed, plain_lines, plain_placed = totals / 20_000
    assert abs(placed - plain_placed) < 0.1
    assert abs(lines - plain_lines) < 5 * (2 * lines / 20_000) ** 0.5 + 0.01


# --- features


def slow_features(slow, landing, cleared, eroded):
    """The features of a well, cell by cell."""
    filled, rows, columns = slow.filled, range(slow.height), range(slow.columns)

    def is_full(r, c):
        return not (0 <= c < slow.columns and r < slow.height) or (r, c) in filled

    def covered(r, c):
        return any((above, c) in filled for above in range(r))

    holes = [(r, c) for r in rows for c in columns if (r, c) not in filled and covered(r, c)]
    heights = [max((slow.height - r for r in rows if (r, c) in filled), default=0) for c in columns]
    wells = depth = 0
    for r in rows:
        for c in columns:
            if (r, c) not in filled and is_full(r, c - 1) and is_full(r, c + 1):
                below = r
                while not is_full(below, c):
                    wells, below = wells + 1, below + 1
    for r, c in holes:
        above = r - 1
        while (above, c) in filled:
            depth, above = depth + 1, above - 1
    return {
        "landing_height": landing,
        "eroded": cleared * eroded,
        "row_transitions": sum(is_full(r, c) != is_full(r, c + 1) for r in rows for c in range(-1, slow.columns)),
        "column_transitions": sum(
            (r >= 0 and (r, c) in filled) != is_full(r + 1, c) for r in range(-1, slow.height) for c in columns
        ),
        "holes": len(holes),
        "wells": wells,
        "hole_depth": depth,
        "rows_with_holes": len({r for r, _ in holes}),
        "total_height": sum(heights),
        "bumpiness": sum(abs(a - b) for a, b in itertools.pairwise(heights)),
        "lines": cleared,
    }


@pytest.mark.parametrize("game", [Tetris(10, 10, 0), Tetris(6, 8, 0)], ids=str)
def test_features_are_what_they_are_called(game):
    chooser, seen, weights = Random(5), dict.fromkeys(FEATURES, 0.0), weights_of("greedy")
    for number in range(6):
        position, slow = Position(game), SlowTetris(game.columns, game.rows)
        for _ in range(40):
            if position.is_over:
                break
            if position.to_move == CHANCE:
                position.play(chooser.choice(position.legal_moves))
                continue
            assert slow.appear(NAMES[position.array[PIECE]])
            move = best_placement(game, position.array, weights) if number % 2 else chooser.choice(position.legal_moves)
            features = np.zeros(len(FEATURES))
            placement_features(game, position.array, move, features)
            slow.falling = slow.placements()[divmod(move - PIECES, game.columns)]
            while slow.step(1, 0):
                pass
            cells = slow.shifted(*slow.falling)
            rows = {r for r, _ in cells}
            after = slow.filled | cells
            full = {r for r in rows if all((r, c) in after for c in range(game.columns))}
            landing = slow.height - (min(rows) + max(rows)) / 2 - 1
            expected = slow_features(slow, landing, slow.lock(), sum(r in full for r, _ in cells))
            assert dict(zip(FEATURES, features.tolist())) == expected
            for name, value in expected.items():
                seen[name] += value
            position.play(move)
    assert all(seen.values()), "a feature was never seen"


def test_the_best_placement_is_the_best_of_all():
    game, chooser = Tetris(8, 8, 0), Random(9)
    weights = weights_of("bcts")
    position = Position(game)
    while not position.is_over and position.array[PLACED] < 15:
        if position.to_move == CHANCE:
            position.play(chooser.choice(position.legal_moves))
            continue
        scores = {}
        for move in position.legal_moves:
            features = np.zeros(len(FEATURES))
            placement_features(game, position.array, move, features)
            scores[move] = float(weights @ features)
        best = best_placement(game, position.array, weights)
        assert scores[best] == pytest.approx(max(scores.values()))
        position.play(chooser.choice(position.legal_moves))


def test_with_a_preview_two_pieces_are_placed():
    game = Tetris(4, 6, 1)
    position = filled(game, ["##..", "##.."], "O", "O")
    assert game.move_name(best_placement(game, position.array, weights_of("dellacherie"))) == "a3"


def test_every_linear_player_has_known_features():
    for player in LINEAR_PLAYERS.values():
        assert set(player) <= set(FEATURES)
    assert set(SHAPES) == set(NAMES)
