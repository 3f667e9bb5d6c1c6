"""The commands as people type them."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from tengen.cli.main import COMMANDS, run


def tengen(capsys, *arguments):
    """Run a command line in this process: exit code, stdout, stderr."""
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    "line",
    [
        "match hex:2 uct random", "match hex:20 uct random", "match hex:x uct random", "match go:9 uct random",
        "match hex:5 uct,simulations=-1 random", "match hex:5 uct,simulations=x random", "match hex:5 utc random",
        "match hex:5 uct,sims=100 random", "match hex:5 uct:file random", "match hex:5 uct,noise=0.3 random",
        "match hex:5 uct random --games 0", "match hex:5 uct random --games x", "match hex:5 uct random --gams 3",
        "match hex:5 uct random --threads -1", "match hex:5 uct", "match hex:5 human random", "match pig:2 uct random",
        "match hex:5 uct random --opening -1", "match gomoku:3,line=3 random random --opening 9",
        "watch hex:5 uct", "watch hex:5 human uct", "watch pig:2 uct uct", "watch example uct", "watch hex:5 uct uct --pause -1",
        "watch hex:5 uct uct --pause nan", "watch hex:5 uct uct --pause inf", "bench --seconds nan",
        "match hex:5 uct,time=inf random",
        "play hex:99", "play hex:5 --against nobody", "play pig:2 --side second", "play hex:5 --side third",
        "tournament hex:3 random", "tournament hex:3 random human", "tournament pig:2 random random", "curve nothing",
        "list everything", "bench --rounds 0", "conquer", "match nofile.py:Game uct random",
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_line_and_exit_code_2(capsys, line):
    code, out, err = tengen(capsys, *line.split())
    assert code == 2
    assert err.startswith("tengen: ")
    assert len(err.strip().splitlines()) == 1, err
    assert out == ""


def test_help(capsys):
    code, out, _ = tengen(capsys, "--help")
    assert code == 0
    assert all(name in out for name in COMMANDS)
    for name in COMMANDS:
        with pytest.raises(SystemExit) as end:
            run([name, "--help"])
        assert end.value.code == 0
        assert f"Example: tengen {name}" in " ".join(capsys.readouterr().out.split())


def test_tournament(capsys):
    code, out, _ = tengen(
        capsys, "tournament", "hex:3", "random", "uct,simulations=200", "flat", "--games", 10, "--json"
    )
    assert code == 0
    data = json.loads(out)
    assert data["names"] == ["random", "uct,simulations=200", "flat"]
    assert data["rating"][1] > data["rating"][0]
    assert "rating" in tengen(capsys, "tournament", "hex:3", "random", "random", "--games", 2)[1]


def test_match_prints_one_json_object(capsys):
    code, out, _ = tengen(capsys, "match", "hex:4", "uct,simulations=200", "random", "--games", 6, "--json")
    assert code == 0
    data = json.loads(out)
    assert set(data) >= {"wins", "losses", "draws", "score", "interval", "distinct_games", "by_colour"}
    assert data["wins"] + data["losses"] + data["draws"] == 6
    assert set(data["by_colour"]) == {"red", "black"}
    assert data["interval"][0] <= data["score"] <= data["interval"][1]


def test_match_prints_a_table_and_the_next_command(capsys):
    code, out, _ = tengen(capsys, "match", "gomoku:3,line=3", "random", "random", "--games", 8)
    assert code == 0
    assert "as black" in out
    assert "as white" in out
    assert "95 % interval" in out
    assert "tengen watch gomoku:3,line=3 random random" in out


def test_the_same_seed_is_the_same_game(capsys):
    def game(seed):
        return tengen(capsys, "watch", "hex:4", "uct,simulations=100", "random", "--seed", seed, "--json")[1]

    assert game(1) == game(1) != game(2)
    data = json.loads(game(1))
    assert data["game"] == "hex:4"
    assert data["winner"] in data["agents"]


def test_watch_shows_every_board(capsys):
    code, out, _ = tengen(capsys, "watch", "hex:3", "random", "random", "--pause", 0)
    assert code == 0
    moves = json.loads(tengen(capsys, "watch", "hex:3", "random", "random", "--json")[1])["moves"]
    assert out.count("╲ a") == len(moves) + 1  # the board before the first move, and after each
    for number, move in enumerate(moves, 1):
        assert f"{number}. {move}" in out
    assert "wins after" in out


def test_watch_a_game_for_one_player_with_luck(capsys):
    code, out, _ = tengen(capsys, "watch", "pig:1", "uct,simulations=50", "--pause", 0)
    assert code == 0
    assert "luck" in out
    assert "points" in out


def test_watch_the_example(capsys):
    code, out, _ = tengen(capsys, "watch", "example")
    assert code == 0
    assert "2  N=2 W=-0.90 Q=-0.45 P=0.40" in out
    assert "9  N=1 W=1.00 Q=1.00 P=0.30" in out
    assert "9  N=1 W=0.20 Q=0.20 P=0.20" in out
    steps = json.loads(tengen(capsys, "watch", "example", "--json")[1])
    assert [step["path"] for step in steps] == [[], [2], [2, 9], [9]]


def play(capsys, monkeypatch, typed, *arguments):
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(typed) + "\n"))
    return tengen(capsys, "play", *arguments, "--terminal")


def test_play_a_game_to_the_end(capsys, monkeypatch):
    typed = ["b2", "zz", "b2", "moves", "help", "a1", "undo", "a1", "a3", "c1", "c3", "a2", "b3", "b1", "c2"]
    code, out, err = play(capsys, monkeypatch, typed, "gomoku:3,line=3", "--against", "human")
    assert code == 0
    assert "'zz' is not a cell" in err
    assert "b2 cannot be played here" in err
    assert "A draw" in out or "wins after" in out


def test_play_against_an_agent_as_the_second_player_and_resign(capsys, monkeypatch):
    code, out, _ = play(
        capsys, monkeypatch, ["hint", "resign"], "hex:3", "--against", "uct,simulations=50", "--side", "second"
    )
    assert code == 0
    assert "You are black" in out
    assert "1. " in out
    assert "simulations" in out
    assert "You have resigned" in out


def test_undo_goes_back_to_ones_own_move(capsys, monkeypatch):
    typed = ["undo", "a1", "undo", "a1", "quit"]
    code, out, err = play(capsys, monkeypatch, typed, "hex:4", "--against", "random", "--seed", "1")
    assert code == 130
    assert "no move of yours" in err
    assert out.count("1. a1") == 2


def test_undo_leaves_the_opponents_first_move_alone(capsys, monkeypatch):
    _, out, err = play(capsys, monkeypatch, ["undo", "quit"], "hex:4", "--against", "random", "--side", "second")
    assert "no move of yours" in err
    assert out.count("1. ") == 1  # the opponent has not moved again


def test_what_is_typed_is_shown_as_it_is(capsys, monkeypatch):
    code, _, err = play(capsys, monkeypatch, ["[/b]", "[bold]x", "quit"], "hex:3")
    assert code == 130
    assert "'[/b]' is not a cell" in err
    assert "'[bold]x' is not a cell" in err


def test_a_game_that_is_broken_off_exits_with_130(capsys, monkeypatch):
    code, _, err = play(capsys, monkeypatch, [], "hex:3")
    assert code == 130
    assert "broken off" in err


def test_list(capsys):
    games = json.loads(tengen(capsys, "list", "games", "--json")[1])
    assert games["hex"]["options"] == {"size": 11, "swap": False, "first": 0}
    agents = json.loads(tengen(capsys, "list", "agents", "--json")[1])
    assert agents["uct"]["options"]["simulations"] == 1000
    assert "first_play_value" in tengen(capsys, "list", "agents")[1]


def test_as_a_program(tmp_path):
    """Through a pipe that closes early, and with a terminal that knows no Unicode."""
    done = subprocess.run(
        [sys.executable, "-m", "tengen", "watch", "hex:3", "random", "random", "--pause", "0"],
        capture_output=True, env={"PYTHONIOENCODING": "ascii", "PATH": "", "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"X" in done.stdout
    assert done.stdout.isascii()
