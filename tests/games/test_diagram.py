"""Boards as text: the diamond of Hex, the square of Gomoku, stones, brackets, winning lines and colours."""

import re

import pytest
from random_play import positions_of_random_game

from tengen.games import Gomoku, Hex, Nim, Position
from tengen.games.diagram import ASCII, UNICODE

RED, BLUE, YELLOW, CYAN = "\x1b[31;1m", "\x1b[34;1m", "\x1b[33;1m", "\x1b[36;1m"
ALPHABETS = [pytest.param(True, ASCII, id="ascii"), pytest.param(False, UNICODE, id="unicode")]


def place(position, name):
    """Line and column of a cell in the text."""
    cells = {cell.move: cell for cell in position.game.diagram(position.array).cells}
    cell = cells[position.game.parse_move(name)]
    return cell.y, cell.x


def mark(position, name, ascii=True):
    """The character that stands on a cell."""
    y, x = place(position, name)
    return position.text(ascii=ascii).splitlines()[y][x]


def test_hex_is_a_diamond():
    position = Position(Hex(3), ["a1", "c1", "a3"])
    assert position.text(ascii=True).splitlines() == [
        r"    1 /   \ a",
        r"  2 /   X   \ b",
        r"3 /   .   .   \ c",
        r"   (X)  .   O",
        r"  \   .   .   /",
        r"    \   .   /",
        r"      \   /",
    ]


@pytest.mark.parametrize("size", [3, 5, 11, 19])
def test_a1_is_the_top_row_one_goes_down_to_the_right_and_column_a_to_the_left(size):
    position = Position(Hex(size))
    top = place(position, "a1")
    places = [place(position, position.game.move_name(move)) for move in range(size * size)]
    assert [spot for spot in places if spot[0] <= top[0]] == [top]
    for i in range(1, size):
        assert place(position, f"{chr(ord('a') + i)}1") == (top[0] + i, top[1] + 2 * i)
        assert place(position, f"a{i + 1}") == (top[0] + i, top[1] - 2 * i)
    assert max(places) == place(position, position.game.move_name(size * size - 1)) == (top[0] + 2 * (size - 1), top[1])


@pytest.mark.parametrize("size", [3, 9, 10, 11, 19])
def test_every_row_and_column_of_the_diamond_has_its_whole_name(size):
    lines = Position(Hex(size)).text(ascii=True).splitlines()[:size]
    for i, line in enumerate(lines):
        words = line.split()
        assert (words[0], words[-1]) == (str(i + 1), chr(ord("a") + i))


@pytest.mark.parametrize("game", [Hex(3), Hex(11), Hex(19), Gomoku(3, 3), Gomoku(20)], ids=str)
@pytest.mark.parametrize(("ascii", "glyphs"), ALPHABETS)
def test_every_cell_is_drawn_at_its_place(game, ascii, glyphs):
    for position in positions_of_random_game(game, 1):
        if len(position.moves) == 20 or position.is_over:
            break
    lines = position.text(ascii=ascii).splitlines()
    signs = (glyphs.empty, *glyphs.stones, *glyphs.winning)
    for cell, stone in zip(game.diagram(position.array).cells, position.cells(), strict=True):
        drawn = lines[cell.y][cell.x]
        assert drawn in ((signs[0],), (signs[1], signs[3]), (signs[2], signs[4]))[stone]
    assert len({(cell.x, cell.y) for cell in game.diagram(position.array).cells}) == game.size**2


@pytest.mark.parametrize(("ascii", "glyphs"), ALPHABETS)
def test_empty_first_and_second_look_different(ascii, glyphs):
    position = Position(Hex(3), ["a1", "b1"])
    marks = [mark(position, name, ascii) for name in ("a1", "b1", "c1")]
    assert marks == [*glyphs.stones, glyphs.empty]
    assert len({*glyphs.stones, *glyphs.winning, glyphs.empty, *glyphs.last}) == 7


def test_a_board_in_ascii_is_ascii():
    for position in positions_of_random_game(Hex(5), 2):
        assert position.text(ascii=True).isascii()
    assert not position.text().isascii()


def test_colour_changes_nothing_but_the_colours():
    for game in (Hex(4), Gomoku(5, 4)):
        for position in positions_of_random_game(game, 3):
            for ascii in (True, False):
                assert re.sub(r"\x1b\[[0-9;]*m", "", position.text(True, ascii)) == position.text(False, ascii)
                assert "\x1b" not in position.text(False, ascii)


@pytest.mark.parametrize(("game", "first", "second"), [(Hex(3), RED, BLUE), (Gomoku(5), YELLOW, CYAN)])
def test_each_player_has_a_colour(game, first, second):
    text = Position(game, ["a1", "b1", "a2"]).text(colour=True, ascii=True)
    assert text.count(f"{first}X\x1b[0m") == 2
    assert text.count(f"{second}O\x1b[0m") == 1


def test_the_sides_of_hex_have_the_colours_of_those_who_join_them():
    lines = Position(Hex(3)).text(colour=True, ascii=True).splitlines()
    assert f"{RED}\\" in lines[0]  # above on the right and below on the left: red
    assert f"{BLUE}/" in lines[0]
    assert lines[-1].index(f"{RED}\\") < lines[-1].index(f"{BLUE}/")


@pytest.mark.parametrize("game", [Hex(5), Gomoku(5)], ids=str)
def test_only_the_last_move_stands_in_brackets(game):
    position = Position(game)
    assert "(" not in position.text()
    for name in ("c3", "a1", "e5", "d3"):
        position.play(name)
        y, x = place(position, name)
        assert position.text(ascii=True).splitlines()[y][x - 1 : x + 2] in ("(X)", "(O)")
        assert position.text().count("(") == position.text().count(")") == 1
    position.undo()
    y, x = place(position, "e5")
    assert position.text().splitlines()[y][x - 1] == "("


@pytest.mark.parametrize(
    ("game", "moves", "winner", "line"),
    [
        (Hex(3), ["b2", "a1", "c1", "a2", "a3"], "#", ["c1", "b2", "a3"]),
        # a3 is joined to the chain of black, but the shortest chain goes without it
        (Hex(3), ["a1", "a2", "b1", "b2", "c1", "a3", "c3", "c2"], "@", ["a2", "b2", "c2"]),
        (Gomoku(5, 3), ["a1", "a5", "b2", "b5", "c3"], "#", ["a1", "b2", "c3"]),
        (Gomoku(5, 3), ["c3", "a1", "c4", "a2", "e5", "a3"], "@", ["a1", "a2", "a3"]),
        (Gomoku(5, 3), ["a1", "a5", "b1", "b5", "d1", "d5", "c1"], "#", ["a1", "b1", "c1", "d1"]),
        # two rows at once
        (Gomoku(5, 3, True), ["a1", "a5", "b1", "b5", "c2", "d5", "c3", "e3", "c1"], "#",
         ["a1", "b1", "c1", "c2", "c3"]),
        # of a row that is too long nothing has won, not even three of its stones
        (Gomoku(6, 3, True), ["a1", "a6", "b1", "c6", "d1", "e6", "c1", "f4", "c2", "b4", "c3"], "#",
         ["c1", "c2", "c3"]),
    ],
)  # fmt: skip
def test_the_line_that_won_is_marked(game, moves, winner, line):
    position = Position(game, moves)
    assert position.is_over
    marked = [name for name in map(game.move_name, range(game.size**2)) if mark(position, name) in "#@"]
    assert sorted(marked) == sorted(line)
    assert all(mark(position, name) == winner for name in line)
    assert not set(position.undo().text(ascii=True)) & set("#@")


@pytest.mark.parametrize("size", [3, 6, 9])
def test_the_winning_chain_of_hex_joins_the_sides_with_stones_of_the_winner(size):
    for seed in range(10):
        for position in positions_of_random_game(Hex(size), seed):
            chain = [divmod(cell.move, size) for cell in position.game.diagram(position.array).cells if cell.winning]
            assert bool(chain) == position.is_over
        along = [row_and_column[position.winner] for row_and_column in chain]
        assert set(along) == set(range(size))
        owners = {position.cells()[row * size + column] for row, column in chain}
        assert owners == {position.winner + 1}


def test_gomoku_has_coordinates_on_three_sides():
    assert Position(Gomoku(10), ["a1", "j10"]).text(ascii=True).splitlines() == [
        "10  . . . . . . . . .(O)10",
        " 9  . . . . . . . . . . 9",
        " 8  . . . . . . . . . . 8",
        " 7  . . . . . . . . . . 7",
        " 6  . . . . . . . . . . 6",
        " 5  . . . . . . . . . . 5",
        " 4  . . . . . . . . . . 4",
        " 3  . . . . . . . . . . 3",
        " 2  . . . . . . . . . . 2",
        " 1  X . . . . . . . . . 1",
        "    a b c d e f g h i j",
    ]


def test_a_game_without_a_board_is_shown_as_its_numbers():
    assert str(Position(Nim(3), ["1from2"])) == "1 1 3 1 0"
