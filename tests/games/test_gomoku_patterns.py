"""Patterns: classes against their definition, the report's scores, and keeping up to date against looking anew."""

import itertools
from random import Random

import numpy as np
import pytest

from tengen.errors import SpecError
from tengen.games import Gomoku, Position
from tengen.games.gomoku_patterns import (
    ACTIVE,
    ACTIVE_PLACE,
    BLOCKED_FOUR,
    BLOCKED_ONE,
    BLOCKED_THREE,
    BLOCKED_TWO,
    FIVE,
    FOUR,
    FOUR_AND_THREE,
    HEAD,
    KIND_COUNTS,
    NONE,
    ONE,
    ONE_THREE,
    POWERS,
    QUIET,
    RECORD,
    THREATS,
    THREE,
    TWO,
    TWO_THREES,
    WINNING_FOUR,
    WINS,
    Patterns,
    active_list,
    look,
    threat_list,
)

# A row through one cell, the cell a `?`. X: own stones, O: the opponent's, #: the edge.
ROWS = [
    ("XX?XX", FIVE),
    (".XXXX?", FIVE),
    ("XXX?XX", FIVE),  # six, in freestyle
    ("..XX?X..", FOUR),
    (".XXX?.", FOUR),
    ("X.X?X.X", FOUR),  # two fours in one line
    ("OXXX?.", BLOCKED_FOUR),
    ("#XXX?.", BLOCKED_FOUR),
    ("..X.X?X..", BLOCKED_FOUR),  # split
    (".XX.?X.", BLOCKED_FOUR),
    (".X?.XXO", BLOCKED_FOUR),
    ("..X?X...", THREE),
    ("..X.?X..", THREE),  # split
    ("O.X?X.O", BLOCKED_THREE),  # five fit, but no four is open
    ("OX?X...", BLOCKED_THREE),
    ("#X?X...", BLOCKED_THREE),
    (".#.X?X..", THREE),
    ("...?X....", TWO),
    ("...?.X...", TWO),
    ("...?..X..", TWO),
    ("OX?.....", BLOCKED_TWO),
    ("O?.....", BLOCKED_ONE),
    ("....?....", ONE),
    ("OX?X.O", NONE),  # no room for five
    ("O.?.XO", NONE),
]


def class_by_definition(line, at, exact, length=5, radius=6):
    """The class that a stone on `at` makes in a line of X, O, . and #, from the definition alone."""
    line = line[:at] + "X" + line[at + 1 :]
    lowest, highest = max(0, at - radius), min(len(line), at + radius + 1)
    first = last = at
    while first > 0 and line[first - 1] == "X":
        first -= 1
    while last + 1 < len(line) and line[last + 1] == "X":
        last += 1
    row = last - first + 1
    if row == length or (row > length and not exact):
        return FIVE
    after = []
    for other in range(lowest, highest):
        between = line[min(at, other) : max(at, other)]
        if line[other] == "." and "O" not in between and "#" not in between and abs(other - at) < length:
            after.append(class_by_definition(line[:other] + "X" + line[other + 1 :], at, exact, length, radius))
    if FIVE in after:
        return FOUR if after.count(FIVE) > 1 else BLOCKED_FOUR
    weaker = {FOUR: THREE, BLOCKED_FOUR: BLOCKED_THREE, THREE: TWO, BLOCKED_THREE: BLOCKED_TWO, TWO: ONE}
    return weaker.get(
        max(after, default=NONE), {BLOCKED_TWO: BLOCKED_ONE}.get(max(after, default=NONE), max(after, default=NONE))
    )


def on_board(text, direction, game=None):
    """A board with the row on it, and the move on its `?`; # is the edge, so the row begins there, or else in the middle."""
    game = game or Gomoku(19)
    start = 0 if text.startswith("#") else 5
    text = text.replace("#", "")
    row, column = (start, 9) if direction in (1, 2) else (9, start)
    if direction == 2:
        column = start
    if direction == 3:
        row, column = start, 18 - start
    down, right = ((0, 1), (1, 0), (1, 1), (1, -1))[direction]
    cells, asked = np.zeros((19, 19), np.int32), -1
    for i, mark in enumerate(text):
        r, c = row + i * down, column + i * right
        cells[r, c] = {"X": 1, "O": 2}.get(mark, 0)
        asked = r * 19 + c if mark == "?" else asked
    return Patterns(game, cells.ravel()), asked, cells


@pytest.mark.parametrize("direction", range(4))
@pytest.mark.parametrize(("text", "expected"), [row for row in ROWS if "#" not in row[0][1:]])
def test_rows_in_every_direction_and_both_colours(text, expected, direction):
    patterns, move, cells = on_board(text, direction)
    assert patterns.row(move, direction, 0) == expected
    other = Patterns(patterns.game, np.array([0, 2, 1], np.int32)[cells].ravel())
    assert other.row(move, direction, 1) == expected


def test_a_long_row_does_not_win_in_the_exact_game():
    exact = Gomoku(19, exact=True)
    assert on_board("XXX?XX", 0, exact)[0].row(on_board("XXX?XX", 0)[1], 0, 0) == NONE
    patterns, move, _ = on_board("X.XX?X..", 0, exact)  # the left end would make six
    assert patterns.row(move, 0, 0) == BLOCKED_FOUR
    patterns, move, _ = on_board("X.XX?X.X", 0, exact)
    assert patterns.row(move, 0, 0) == NONE


@pytest.mark.jit
@pytest.mark.parametrize(("line", "exact"), [(3, False), (3, True), (4, False), (5, False), (5, True)])
def test_random_rows_agree_with_the_definition_within_a_radius_of_six(line, exact):
    chooser, game = Random(line), Gomoku(19, line, exact)
    for _ in range(150):
        text = "".join(chooser.choice("..XO" if chooser.random() < 0.5 else ".X.X") for _ in range(13))
        cells = np.zeros((19, 19), np.int32)
        cells[9, 3:16] = [{"X": 1, "O": 2}.get(mark, 0) for mark in text]
        cells[9, 9] = 0
        patterns = Patterns(game, cells.ravel())
        whole = "#" + "".join(".XO"[cell] for cell in cells[9]) + "#"
        expected = class_by_definition(whole, 10, exact, line)
        if line != 5:  # the names of far classes are for five; what matters is who wins when
            expected, found = (max(c, BLOCKED_THREE) for c in (expected, patterns.row(9 * 19 + 9, 0, 0)))
            assert found == expected, whole
        else:
            assert patterns.row(9 * 19 + 9, 0, 0) == expected, whole


def test_the_score_of_the_reports_example():
    """White TWO × 2 + BLOCKED_ONE × 2; black BLOCKED_TWO + TWO + BLOCKED_ONE × 2."""
    position = Position(Gomoku(15), ["i8", "h9", "i7", "i9", "n3", "j6"])
    point, black, white = position.parse("h8"), 0, 1
    patterns = Patterns(position.game, position.cells())
    assert sorted(patterns.row(point, d, white) for d in range(4)) == [BLOCKED_ONE, BLOCKED_ONE, TWO, TWO]
    assert sorted(patterns.row(point, d, black) for d in range(4)) == [BLOCKED_ONE, BLOCKED_ONE, BLOCKED_TWO, TWO]
    assert patterns.score(point, white) == 202
    assert patterns.score(point, black) == 112


def test_the_score_of_a_stone_is_what_it_has_made():
    patterns = Patterns(Gomoku(15), Position(Gomoku(15), ["h8", "a1", "i8", "a3", "j8"]).cells())
    point = Gomoku(15).parse_move("i8")
    assert patterns.row(point, 0, 0) == THREE
    assert patterns.score(point, 0) == 1000 + 3 * 10
    assert patterns.kind(point, 0) == -1


def test_kinds():
    """Rows of two in two directions through h8; then a stone more in each."""
    game = Gomoku(15)
    ways = ([f"{c}8" for c in "ijk"], [f"h{n}" for n in (9, 10, 11)])
    for across, down, expected in [
        (1, 1, QUIET), (2, 1, ONE_THREE), (2, 2, TWO_THREES), (3, 1, WINNING_FOUR), (3, 3, WINNING_FOUR),
    ]:  # fmt: skip
        cells = np.zeros(225, np.int32)
        for name in ways[0][:across] + ways[1][:down]:
            cells[game.parse_move(name)] = 1
        assert Patterns(game, cells).kind(game.parse_move("h8"), 0) == expected
    for row, column, expected in [(3, 2, FOUR_AND_THREE), (3, 3, WINNING_FOUR)]:
        cells = np.zeros(225, np.int32)
        for name in ways[0][:row] + ways[1][:column]:
            cells[game.parse_move(name)] = 1
        cells[game.parse_move("l8")] = cells[game.parse_move("h12")] = 2  # blocked fours
        if column == 2:
            cells[game.parse_move("h12")] = 0
        assert Patterns(game, cells).kind(game.parse_move("h8"), 0) == expected
    cells = np.zeros(225, np.int32)
    for name in ("i8", "j8", "k8", "l8"):
        cells[game.parse_move(name)] = 1
    assert Patterns(game, cells).kind(game.parse_move("h8"), 0) == WINS


def assert_same(kept: Patterns, anew: Patterns) -> None:
    """All that the two say, lists as sets."""
    one, two = kept.board, anew.board
    assert np.array_equal(one[:THREATS], two[:THREATS])
    assert np.array_equal(one[KIND_COUNTS:POWERS], two[KIND_COUNTS:POWERS])
    end = active_list(one)
    records = [board[HEAD:end].reshape(-1, RECORD)[:, :ACTIVE_PLACE] for board in (one, two)]
    assert np.array_equal(*records)
    for start, length in ((end, ACTIVE), (threat_list(one, 0), THREATS), (threat_list(one, 1), THREATS + 1)):
        assert np.array_equal(*(np.sort(board[start : start + board[length]]) for board in (one, two)))


def play_and_take_back(game: Gomoku, seed: int) -> None:
    """A random game with moves taken back on the way, compared at every step with the whole board looked at anew."""
    chooser = Random(seed)
    patterns, anew, cells = Patterns(game), Patterns(game), np.zeros(game.move_count(), np.int32)
    played: list[int] = []
    steps = chooser.randint(10, 3 * game.move_count() // 2)
    for _ in range(steps):
        empty = np.flatnonzero(cells == 0)
        if played and (len(empty) == 0 or chooser.random() < 0.3):
            move = played.pop(chooser.randrange(len(played)) if chooser.random() < 0.1 else -1)
            patterns.undo(move)
            cells[move] = 0
        else:
            move, colour = int(empty[chooser.randrange(len(empty))]), chooser.randrange(2)
            played.append(move)
            patterns.play(move, colour)
            cells[move] = colour + 1
        look(game, anew.board, anew.tables, cells)
        assert_same(patterns, anew)
    while played:
        move = played.pop()
        patterns.undo(move)
        cells[move] = 0
    assert_same(patterns, Patterns(game))


BOARDS = [
    Gomoku(5), Gomoku(7), Gomoku(9), Gomoku(15), Gomoku(20), Gomoku(6, exact=True), Gomoku(15, exact=True),
    Gomoku(3, 3), Gomoku(6, 4), Gomoku(8, 6), Gomoku(7, 3, True),
]  # fmt: skip


@pytest.mark.jit
@pytest.mark.parametrize("game", BOARDS, ids=str)
def test_keeping_up_to_date_is_looking_anew(game):
    for seed in range(100 if game.size < 9 else 20):
        play_and_take_back(game, seed)


@pytest.mark.parametrize("game", [Gomoku(5), Gomoku(6, exact=True), Gomoku(4, 3)], ids=str)
def test_keeping_up_to_date_is_looking_anew_without_the_compiler(game):
    play_and_take_back(game, 1)


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.timeout(3000)
def test_keeping_up_to_date_is_looking_anew_in_ten_thousand_games():
    for seed, game in zip(range(10_000), itertools.cycle(BOARDS)):
        play_and_take_back(game, 1_000 + seed)


def test_active_moves_are_the_empty_cells_near_a_stone():
    patterns = Patterns(Gomoku(9))
    assert patterns.active() == []
    patterns.play(0, 0)
    assert patterns.active() == [1, 2, 9, 10, 11, 18, 19, 20]
    patterns.play(2, 1)
    assert patterns.active() == [1, 3, 4, 9, 10, 11, 12, 13, 18, 19, 20, 21, 22]
    patterns.undo(0)
    assert patterns.active() == [0, 1, 3, 4, 9, 10, 11, 12, 13, 18, 19, 20, 21, 22]
    patterns.undo(2)
    assert patterns.active() == []


@pytest.mark.parametrize("line", [2, 7])
def test_lines_without_patterns_are_refused(line):
    with pytest.raises(SpecError, match=f"knows rows of 3 to 6, not line={line}"):
        Patterns(Gomoku(9, line))
