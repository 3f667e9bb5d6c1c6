"""SGF and HexWorld: what is read is written again, and what is broken is named by its place."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.errors import TengenError
from tengen.games import Gomoku, Hex, Position
from tengen.protocols.hexworld import LinkError, read_link, write_link
from tengen.protocols.sgf import Node, SgfError, decode, parse_sgf, write_sgf
from tengen.protocols.sgf_games import read_game, replay, write_game

BLANKS = st.text(" \t\r\n\v\f", max_size=3)
NAMES = st.sampled_from(["C", "B", "W", "GM", "LB", "AB", "XY1"])
PIECES = [*"ab:;()[ \n\r\t§é天", "\\]", "\\\\", "\\\n", "\\\r\n", "\\:", "\\ "]
RAW = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@st.composite
def files(draw, depth=3):
    """Texts of SGF with variations, escapes and odd white space."""

    def node():
        text = ";"
        for name in draw(st.lists(NAMES, max_size=3)):
            values = draw(st.lists(RAW, min_size=1, max_size=2))
            text += draw(BLANKS) + name + "".join(f"{draw(BLANKS)}[{value}]" for value in values)
        return text + draw(BLANKS)

    def tree(level):
        text = "(" + draw(BLANKS) + "".join(node() for _ in range(draw(st.integers(1, 3))))
        if level:
            text += "".join(tree(level - 1) for _ in range(draw(st.integers(0, 2))))
        return text + draw(BLANKS) + ")" + draw(BLANKS)

    head = draw(st.sampled_from(["", "\ufeff", "Dear reader (hello),\n", " \r\n"]))
    return head + "".join(tree(draw(st.integers(0, depth))) for _ in range(draw(st.integers(1, 2))))


@given(files())
def test_reading_writing_and_reading_again_changes_nothing(text):
    once = parse_sgf(text)
    written = write_sgf(once)
    assert parse_sgf(written) == once
    assert write_sgf(parse_sgf(written)) == written


@given(st.dictionaries(NAMES, st.lists(st.text("ab]\\[:;() \n"), min_size=1, max_size=2), max_size=3))
def test_any_value_can_be_written(properties):
    root = Node({"GM": ["11"]}, [Node(dict(properties))])
    assert parse_sgf(write_sgf([root])) == [root]


def test_white_space_and_escapes_mean_what_the_standard_says():
    text = "(;C[a\\]b\\\\c\\\r\nd\te\n\rf\\:g]GaMe\n[11] [x];B[])"
    root = parse_sgf(text)[0]
    assert root.properties == {"C": ["a]b\\cd e\nf:g"], "GM": ["11", "x"]}
    assert root.children[0].properties == {"B": [""]}


def test_variations_stand_where_they_were():
    root = parse_sgf("(;C[0];C[1](;C[2];C[3])(;C[4](;C[5])(;C[6])))")[0]
    assert [node.get("C") for node in root.all_nodes()] == list("0123456")
    assert [node.get("C") for node in root.main_line()] == list("0123")
    assert [child.get("C") for child in root.children[0].children] == ["2", "4"]


def test_a_file_may_nest_deeply():
    text = "(;C[x]" * 20_000 + ")" * 20_000
    written = write_sgf(parse_sgf(text))
    assert written.count(";") == 20_000
    assert len(list(parse_sgf(written)[0].all_nodes())) == 20_000


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "line 1, column 1"), ("hello", "line 1, column 1"), ("()", "line 1, column 1"),
        ("(;GM[11]\n;B[a1]", "line 1, column 1"), ("(;GM[11]\n;B[a1", "line 2, column 3"),
        ("(;GM[11]\n  ;B a1)", "line 2, column 4"), ("(;GM[11]))", "line 1, column 10"),
        ("(;GM[11];)\n;", "line 2, column 1"), ("(;GM[11]*)", "line 1, column 9"), ("(;GM[11](C[x]))", "line 1, column 10"),
        ("(;gm[11])", "line 1, column 3"), ("(;GM[1]SZ[9])", "line 1, column 2"), ("(;SZ[9])", "line 1, column 2"),
        ("(;GM[11]SZ[11:9])", "line 1, column 2"), ("(;GM[11]SZ[99])", "line 1, column 2"), ("(;GM[11]SZ[x])", "line 1, column 2"),
        ("(;GM[11]SZ[5]\n;B[c3];W[c3])", "line 2, column 7"), ("(;GM[11]SZ[5]\n;B[f1])", "line 2, column 1"),
        ("(;GM[11]SZ[5]\n;B[zz])", "line 2, column 1"), ("(;GM[11]SZ[5]AB[q9])", "line 1, column 2"),
        ("(;GM[4]SZ[15];B[zz])", "line 1, column 14"), ("(;GM[11]SZ[5];B[swap])", "line 1, column 14"),
    ],
)  # fmt: skip
def test_a_broken_file_is_one_line_that_names_the_place(text, place):
    with pytest.raises(SgfError) as error:
        read_game(text)
    assert place in str(error.value)
    assert "\n" not in str(error.value)


@given(st.binary(max_size=60).map(lambda data: b"(;GM[11]SZ[5]" + data))
def test_no_bytes_do_worse_than_a_refusal(data):
    said = "line "
    try:
        read_game(decode(data))
    except TengenError as error:
        said = str(error)
    assert said.startswith("line ")


@pytest.mark.parametrize("game", [Hex(size=5), Hex(size=4, swap=True), Hex(size=11, first=1), Gomoku(size=9)])
def test_games_come_back_move_by_move(game):
    for seed in range(10):
        chooser, position = random.Random(seed), Position(game)
        for _ in range(chooser.randrange(1, 40)):
            if position.is_over:
                break
            position.play(
                chooser.choice(position.legal_moves[-3:] if len(position.moves) == 1 else position.legal_moves)
            )
        comments = [f"move {i} ] \\ :" for i in range(len(position.moves))]
        text = write_game(position, names=("me", "you [1]"), comments=comments, about={"GN": "a game"})
        found = read_game(text)
        assert found.position.move_names == position.move_names
        assert found.position.cells().tolist() == position.cells().tolist()
        assert found.winner == position.winner
        assert found.comments == comments
        assert found.root.get("PW") == "you [1]"
        size = game.size * game.size
        assert found.game == (
            game if size in position.moves or not getattr(game, "swap", False) else game._replace(swap=False)
        )


def test_what_other_programs_write():
    little_golem = "(;FF[4]EV[hex.mc]PB[x]PW[y]SZ[13]GM[11];W[dk];B[swap];W[ac];B[resign])"
    found = read_game(little_golem)
    assert (found.game, found.position.move_names, found.winner) == (Hex(13, True, 1), ["d11", "swap", "a3"], 1)
    hexgui = "(;FF[4]AP[HexGui:0.10]GM[11]SZ[11]AB[a1][b1:c2]AW[d4]PL[W];W[e5];W[f6])"
    cells = read_game(hexgui).position.cells().tolist()
    assert [i for i, cell in enumerate(cells) if cell == 1] == [0, 1, 2, 12, 13]
    assert cells[3 * 11 + 3] == cells[4 * 11 + 4] == cells[5 * 11 + 5] == 2
    gomoku = read_game("(;GM[4]SZ[15];B[hh];W[hi];B[h10])")
    assert gomoku.position.move_names == ["h8", "h7", "h10"]


def test_a_swap_of_sides_leaves_the_stone_and_one_of_pieces_mirrors_it():
    sides = read_game("(;GM[11]SZ[5];B[a4];W[swap-sides];W[c3])").position
    assert (sides.cells()[3 * 5], sides.cells()[2 * 5 + 2], sides.to_move) == (1, 2, 0)
    pieces = read_game("(;GM[11]SZ[5];B[a4];W[swap-pieces];B[c3])").position
    assert (pieces.cells()[3], pieces.cells()[2 * 5 + 2], pieces.to_move) == (2, 1, 1)
    for word, following in (("swap", "W"), ("swap", "B")):  # the next move tells which was meant
        again = read_game(f"(;GM[11]SZ[5];B[a4];W[{word}];{following}[c3])").position
        assert again.cells().tolist() == (sides if following == "W" else pieces).cells().tolist()


def test_a_part_of_a_game():
    root = parse_sgf("(;GM[11]SZ[5];B[a1];W[b2];B[c3](;W[d4])(;W[e5]))")[0]
    for moves in range(5):
        position, _ = replay(Hex(size=5), root.main_line(), moves)
        assert position.move_names == ["a1", "b2", "c3", "d4"][:moves]


def test_a_result_that_only_the_file_knows():
    assert read_game("(;GM[11]SZ[5]RE[W+T];B[a1])").winner == 1
    assert read_game("(;GM[4]SZ[9]RE[0];B[aa])").winner is None
    assert "RE[W+R]" in write_game(Position(Hex(size=5), ["c3"]), winner=1)


def test_sgf_is_for_hex_and_gomoku():
    from tengen.games import Nim

    with pytest.raises(TengenError, match="hex and gomoku"):
        write_game(Position(Nim()))


@given(st.integers(3, 19), st.booleans(), st.randoms(use_true_random=False), st.sampled_from([None, 0, 1]))
def test_links_come_back(size, swap, chooser, resigned):
    position = Position(Hex(size=size, swap=swap))
    for _ in range(chooser.randrange(8)):
        moves = position.legal_moves
        position.play(moves[-1] if swap and len(position.moves) == 1 else chooser.choice(moves))
        if position.is_over:
            break
    again, who = read_link(write_link(position, resigned))
    assert (again.move_names, who) == (position.move_names, resigned)
    assert again.cells().tolist() == position.cells().tolist()


def test_links_as_people_paste_them():
    for text in (
        "https://hexworld.org/board/#11c1,a10b4:s",
        "#11,a10b4",
        "11nc1,a10,b4",
        " https://hexworld.org/board/#5 \n",
    ):
        position, resigned = read_link(text) if ":s" not in text else read_link(text.replace("b4:s", ":sb4"))
        assert resigned is None
        assert position.move_names in (["a10", "b4"], ["a10", "swap", "b4"], [])


@pytest.mark.parametrize(
    "text",
    ["", "#", "#x", "#11x9c1,", "#99c1,a1", "#5c1,a1a1", "#5c1,a1%%", "#5c1,:s", "#5c1,f6", "#5c1,a1:p", "#2c1,"],
)
def test_a_broken_link_is_one_line(text):
    with pytest.raises(LinkError) as error:
        read_link(text)
    assert "\n" not in str(error.value)


def test_hexworld_cannot_show_everything():
    for position in (
        Position(Hex(size=5, first=1)),
        Position.from_cells(Hex(size=3), [1] + [0] * 8, 1),
        Position(Gomoku()),
    ):
        with pytest.raises(TengenError, match="HexWorld shows"):
            write_link(position)


def test_other_rules_of_gomoku_are_kept():
    for game in (
        Gomoku(size=9, exact=True),
        Gomoku(size=3, line=3),
        Gomoku(size=9, line=4, exact=True),
        Gomoku(size=9),
    ):
        assert read_game(write_game(Position(game, ["a1", "b2"]))).game == game
