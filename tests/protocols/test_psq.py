"""Piskvork's files: read, written, and refused with the line that is wrong."""

from __future__ import annotations

import random

import pytest

from tengen.errors import TengenError
from tengen.games import Gomoku, Hex, Position
from tengen.protocols.psq import is_psq, read_psq, write_psq

GAME = """Piskvorky 15x15, 11:11, 0
8,8,340
9,8,12
8,9,1
9,9,2
8,10,3
9,10,4
8,11,5
9,11,6
8,12,7
pbrain-one.zip
pbrain-two.zip
0
"""


def test_a_game_that_was_played_out():
    game = read_psq(GAME)
    assert game.position.game == Gomoku(size=15)
    assert game.position.move_names[:2] == ["h8", "i8"]
    assert game.position.moves[0] == 7 * 15 + 7
    assert (game.winner, game.code, game.names) == (0, 0, ("pbrain-one.zip", "pbrain-two.zip"))
    assert game.milliseconds == [340, 12, 1, 2, 3, 4, 5, 6, 7]
    assert is_psq("\ufeff" + GAME)
    assert not is_psq("(;GM[4]SZ[15])")


def test_the_other_player_begins():
    game = read_psq(GAME.replace("11:11, 0", "11:11, 1").replace("\n", "\r\n"))
    assert game.names == ("pbrain-two.zip", "pbrain-one.zip")


def test_what_may_be_missing():
    assert read_psq("Piskvorky 20x20, 0:0, 0").position.moves == []
    assert read_psq("Piskvorky 20x20, 0:0, 0\n10,10\n11,11,5\n\n").milliseconds == [0, 5]
    half = "Piskvorky 20x20, 0:0, 0\n10,10,1\n"
    assert (read_psq(half + "-1\n").winner, read_psq(half + "-1\n").code) == (None, -1)
    assert read_psq(half + "15\n").winner == 0  # whose opponent ran out of time
    assert read_psq(half + "a\nb\n-2\n").winner == 0
    assert read_psq(half + "a\nb\n-1\n2,Freestyle\n").winner == 1


def test_exact_rules():
    """Six in a row, and the game goes on."""
    row = [f"{x},1,0\n{x},9,0\n" for x in (1, 2, 3, 5, 6)]
    text = "Piskvorky 15x15, 0:0, 0\n" + "".join(row).replace("5,9,0", "7,12,0") + "4,1,0\n"
    assert read_psq(text).position.winner == 0
    assert read_psq(text + "0\n1,Freestyle\n").position.game == Gomoku(size=15)
    longer = read_psq(text + "1,15,0\n")
    assert longer.position.game == Gomoku(size=15, exact=True)
    assert longer.position.winner is None
    assert read_psq(text + "-1\n0,Standard\n").position.winner is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: no game of Piskvork is here"),
        ("(;GM[4])", "line 1: no game of Piskvork is here"),
        ("Piskvorky 20x20", "line 1: no game of Piskvork is here"),
        ("Piskvorky 20x15, 0:0, 0", "line 1: 20x15 is not a square board of 5 to 20"),
        ("Piskvorky 30x30, 0:0, 0", "line 1: 30x30 is not a square board of 5 to 20"),
        (
            "Piskvorky 20x20, 0:0, 0\n10,10,1\n21,3,1\n",
            "line 3: 21,3 is not on this board, which goes from 1,1 to 20,20",
        ),
        ("Piskvorky 20x20, 0:0, 0\n0,3,1\n", "line 2: 0,3 is not on this board"),
        ("Piskvorky 20x20, 0:0, 0\n10,10,1\n10,10,1\n", "line 3: 10,10 cannot be played: there is a stone already"),
        (GAME.replace("pbrain-one.zip", "1,1,1\npbrain-one.zip"), "line 11: 1,1 cannot be played: the game is over"),
        ("Piskvorky 20x20, 0:0, 0\n10,10,x\n", "line 2: '10,10,x' is neither a move nor the first of two players"),
        ("Piskvorky 20x20, 0:0, 0\none\n0\n", "line 2: 'one' is neither a move nor the first of two players"),
        ("Piskvorky 20x20, 0:0, 0\none\ntwo\n0\nthree\n", "line 5: 'three' is not expected"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, said):
    with pytest.raises(TengenError) as error:
        read_psq(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_written_is_read_again():
    chooser = random.Random(3)
    for number in range(60):
        game = Gomoku(size=chooser.choice([5, 9, 15, 20]), exact=number % 2 == 0)
        position = Position(game)
        for _ in range(chooser.randrange(200)):
            if not position.is_over:
                position.play(chooser.choice(position.legal_moves))
        winner = None if position.is_over else chooser.choice([None, 0, 1])
        times = [chooser.randrange(1000) for _ in position.moves]
        found = read_psq(write_psq(position, winner, ("uct,simulations=10", "7"), times))
        assert found.position.moves == position.moves
        assert found.winner == (position.winner if position.is_over else winner)
        assert found.milliseconds == times
        assert found.names == ("uct simulations=10", "player 2 7")
        assert found.position.game == game


def test_what_cannot_be_written():
    for position in (
        Position(Hex(size=5)),
        Position(Gomoku(size=9, line=4)),
        Position.from_cells(Gomoku(size=5), [1] + [0] * 24, 1),
    ):
        with pytest.raises(TengenError, match="psq"):
            write_psq(position)


def test_rubbish_is_refused():
    chooser, lines = random.Random(4), GAME.splitlines(keepends=True)
    for _ in range(3000):
        text = list(chooser.choice([GAME, "".join(chooser.sample(lines, len(lines)))]))
        for _ in range(chooser.randrange(1, 6)):
            text[chooser.randrange(len(text))] = chooser.choice("0123456789,x:\n -é\x00Pz")
        said = ""
        try:
            read_psq("".join(text))
        except TengenError as error:
            said = str(error)
        assert said == "" or said.startswith("line ")
