"""``tengen check`` and the example of a game of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tengen.cli.main import run
from tengen.games import Position, check_game, parse_game

EXAMPLE = Path(__file__).parents[2] / "examples" / "connect_four.py"


def test_the_example_is_short_and_keeps_the_contract(capsys):
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 80
    assert run(["check", f"{EXAMPLE}:ConnectFour", "--games", "5", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["positions"] > 50
    assert "encode" not in said["missing"]


@pytest.mark.parametrize("options", ["rows=4,columns=4,line=3", "rows=5,columns=9"])
def test_the_example_at_other_sizes(options):
    check_game(parse_game(f"{EXAMPLE}:ConnectFour,{options}"), games=3, compiled=False)


def test_four_in_a_row_wins_in_every_direction():
    game = parse_game(f"{EXAMPLE}:ConnectFour")
    for moves in ("0 0 1 1 2 2 3", "0 1 0 1 0 1 0", "0 1 1 2 2 3 2 3 3 6 3", "3 2 2 1 1 0 1 0 0 6 0"):
        position = Position(game, [int(move) for move in moves.split()])
        assert position.winner == 0, moves
        assert not Position(game, [int(move) for move in moves.split()[:-1]]).is_over


def test_a_broken_game_is_told_in_one_line(tmp_path, capsys):
    broken = EXAMPLE.read_text(encoding="utf-8").replace("position[-3] = 2 - stone", "position[-3] = stone - 1")
    file = tmp_path / "broken.py"
    file.write_text(broken.replace("return int(position[-1]) - 1  # −1: nobody", "return 0"), encoding="utf-8")
    assert run(["check", f"{file}:ConnectFour"]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1
    assert "breaks the contract" in said[0]


def test_what_is_missing_is_said(capsys):
    assert run(["check", "nim:3", "--games", "2"]) == 0
    assert "it has no method encode" in capsys.readouterr().out
    assert run(["check", "nim:3", "--games", "0"]) == 2
