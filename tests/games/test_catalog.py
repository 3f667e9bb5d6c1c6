"""Texts that name games: good ones, and bad ones with a sentence each."""

import pytest

from tengen.errors import SpecError
from tengen.games import GAMES, Gomoku, Hex, Nim, Pig, Tetris, game_spec, parse_game

GOOD = {
    "hex": Hex(11),
    "hex:7": Hex(7),
    " hex:7 ": Hex(7),
    "hex:size=7": Hex(7),
    "hex:7,swap": Hex(7, swap=True),
    "hex:7, swap = yes": Hex(7, swap=True),
    "hex:7,swap=off": Hex(7),
    "hex:swap": Hex(11, swap=True),
    "hex:5,first=1": Hex(5, first=1),
    "gomoku": Gomoku(15, 5),
    "gomoku:15,exact": Gomoku(15, 5, True),
    "gomoku:3,line=3": Gomoku(3, 3),
    "nim:4,misere": Nim(4, True),
    "pig:2,seats=2,limit=30": Pig(2, limit=30, seats=2),
    "tetris": Tetris(10, 20),
    "tetris:10x10,preview=0": Tetris(10, 10, 0),
    "tetris:8x16,bag,pieces=100": Tetris(8, 16, bag=True, pieces=100),
    "tetris:columns=6,rows=7": Tetris(6, 7),
    "tetris:10x10,preview=0,from_above": Tetris(10, 10, 0, from_above=True),
}

BAD = {
    "": "there is no game called ''; there are: hex, gomoku, nim, pig, tetris",
    ":": "there is no game called ''",
    ":5": "there is no game called ''",
    "go:9": "there is no game called 'go'",
    "hexx:9": "there is no game called 'hexx'; did you mean 'hex'?",
    "HEX:9": "there is no game called 'HEX'",
    "hex:2": "hex:2: hex is played on boards of 3 to 19, not 2",
    "hex:20": "boards of 3 to 19, not 20",
    "hex:-5": "boards of 3 to 19, not -5",
    "hex:99999999999999999999": "boards of 3 to 19, not 9",
    "hex:x": "hex:x: size is a whole number, not 'x'",
    "hex:5.0": "size is a whole number, not '5.0'",
    "hex:5:6": "size is a whole number, not '5:6'",
    "hex:5,swop": "hex:5,swop has no option 'swop'; did you mean 'swap'?",
    "hex:5,zzz=1": "has no option 'zzz'; there are: size, swap, first",
    "hex:5,size=6": "hex:5,size=6: the option 'size' is given twice",
    "hex:5,swap=maybe": "swap is on or off, not 'maybe'",
    "hex:5,first=2": r"first is 0 \(red begins\) or 1 \(black begins\), not 2",
    "hex:5,": "'' is not an option; write option=value",
    "hex:5,=3": "'=3' is not an option",
    "hex:5,swap=": "'swap=' is not an option",
    "hex:,swap": "'' is not an option",
    "gomoku:3": "line is 2 to 3, the size of the board, not 5",
    "gomoku:3,line=9": "line is 2 to 3, the size of the board, not 9",
    "gomoku:2,line=2": "boards of 3 to 20, not 2",
    "gomoku:21": "boards of 3 to 20, not 21",
    "nim:0": "nim has 1 to 20 heaps, not 0",
    "pig:0": "pig takes turns=1..100",
    "pig:2,sides=1": "sides=2..20",
    "pig:2,seats=3": "pig is for 1 or 2 players, not 3",
    "nofile.py:X": "there is no file nofile.py",
    "nofile.py": "which game of that file. Write nofile.py:Name",
    "nofile.py:": "which game of that file. Write nofile.py:Name",
}


@pytest.mark.parametrize("text", GOOD)
def test_a_good_text_names_its_game(text):
    assert parse_game(text) == GOOD[text]
    assert type(parse_game(text)) is type(GOOD[text])


@pytest.mark.parametrize("text", BAD)
def test_a_bad_text_is_refused_in_one_line_that_tells_why(text):
    with pytest.raises(SpecError, match=BAD[text]) as caught:
        parse_game(text)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", GAMES)
def test_the_examples_in_the_list_of_games_are_good(name):
    examples = [word for word in GAMES[name].about.split() if word.startswith(name + ":")]
    assert examples
    for example in examples:
        assert game_spec(parse_game(example)) == example
