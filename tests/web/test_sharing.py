"""Games out and in: SGF, psq, links, pictures; without a browser."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from tengen.errors import TengenError
from tengen.games import Position, parse_game
from tengen.web import sharing
from tengen.web.insight import Candidate, Insight, key_after
from tengen.web.pictures import gif, png
from tengen.web.table import PERSON, Table
from tengen.web.thinking import Thinkers


@pytest.fixture
def thinkers():
    made = Thinkers(places=2)
    yield made
    made.close()


def table_of(thinkers, game, moves):
    table = Table(parse_game(game), [PERSON, PERSON], thinkers)
    for ply, move in enumerate(moves):
        table.play(table.position.parse(move), ply)
    return table


@pytest.mark.parametrize(
    ("game", "moves", "kinds"),
    [
        ("hex:5,swap", ["c3", "swap", "b2"], ["sgf", "hexworld", "link"]),
        ("gomoku:9", ["e5", "e6", "d5"], ["sgf", "psq", "link"]),
        ("gomoku:5,line=4", ["c3", "a1"], ["sgf", "link"]),
        ("nim:3", ["a1"], ["link"]),
    ],
)
def test_what_goes_out_comes_back_the_same(thinkers, game, moves, kinds):
    if game.startswith("nim"):
        moves = [parse_game(game).move_name(Position(parse_game(game)).legal_moves[0])]
    table = table_of(thinkers, game, moves)
    assert sorted(sharing.knows(table.game)) == sorted(kinds)
    for kind in kinds:
        text = sharing.write(table, kind)
        if kind == "link":
            _, _, spec, names = text.split("/")
            shared = sharing.from_link(parse_game(spec), names)
        else:
            shared = sharing.read(text)
        assert (list(shared.moves), shared.game) == (table.position.moves, table.game)
    table.close()


def test_the_moves_taken_back_are_shared_as_well_and_a_resignation(thinkers):
    table = table_of(thinkers, "hex:5", ["c3", "b2", "d4"])
    table.resign()
    assert ":rb" in sharing.write(table, "hexworld") or ":rw" in sharing.write(table, "hexworld")
    table.go_to(1)
    assert not table.is_over
    assert len(sharing.read(sharing.write(table, "sgf")).moves) == 3
    assert sharing.read(sharing.write(table, "sgf")).gave_up == 1
    table.go_to(3)
    assert table.resigned == 1  # looking back has not changed how it ended
    table.close()


def test_what_was_thought_stands_in_the_comments_and_comes_back_as_notes(thinkers):
    table = table_of(thinkers, "hex:5", ["c3", "b2"])
    line = (table.position.moves[0], 3)
    table.study.add(key_after([])[-1], Insight(0, 0.75, 300, (Candidate(line[0], 300, 0.75, line),), {}, "uct"))
    text = sharing.write(table, "sgf")
    assert "red wins 75%" in text
    assert "c3 (played) 75%, 300 visits: d1" in text
    assert "red wins 75%" in sharing.read(text).notes[0]
    table.close()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no game that can be read"),
        ("hello", "no game that can be read"),
        ("(;GM[1]SZ[19])", "not a game of Hex"),
        ("(;GM[11]SZ[5];B[z9])", "line 1"),
        ("(;GM[11]SZ[5]AB[c3]PL[W];W[b2])", "set up"),
        ("Piskvorky 20x20, 11:11, 0\n99,99,0\n", "line 2"),
        ("https://hexworld.org/board/#5c1,c3c3", "c3"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_line(text, why):
    with pytest.raises(TengenError, match=why) as error:
        sharing.read(text)
    assert "\n" not in str(error.value)


def test_a_link_that_breaks():
    game = parse_game("hex:5")
    with pytest.raises(TengenError, match="move 2 of the link"):
        sharing.from_link(game, "c3.c3")
    with pytest.raises(TengenError, match="too many"):
        sharing.from_link(game, ".".join(["a1"] * 3000))
    assert sharing.from_link(game, "").moves == ()


@pytest.mark.parametrize("game", ["hex:5", "gomoku:9"])
def test_pictures_show_the_stones(game):
    rules = parse_game(game)
    names = [rules.move_name(m) for m in (12, 7, 13)]
    empty, full = (np.asarray(Image.open(io.BytesIO(png(Position(rules, moves))))) for moves in ([], names))
    assert max(full.shape) == 900
    assert 0.003 < (empty != full).any(axis=2).mean() < 0.2
    moving = Image.open(io.BytesIO(gif(Position(rules, names))))
    assert moving.n_frames == 4
    with pytest.raises(TengenError, match="Gomoku and Hex"):
        png(Position(parse_game("nim:3")))


def test_the_diamond_and_the_flat_board_differ():
    position = Position(parse_game("hex:5"), ["c3"])
    tall, wide = (Image.open(io.BytesIO(png(position, layout))) for layout in ("diamond", "flat"))
    assert tall.height > tall.width
    assert wide.width > wide.height
