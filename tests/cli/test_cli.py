"""The commands as people type them."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tengen.agents import RandomAgent
from tengen.cli.main import COMMANDS, run
from tengen.errors import AgentFailure
from tengen.protocols.sgf_games import read_game


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
        "match hex:5 uct random --threads -1", "match hex:5 uct", "match hex:5 human random", "match hex:5 uct random flat", "match hex:5 uct random --cap 5",
        "match pig:2", "match pig:2 random --opening 2", "match pig:2 random --judge uct", "match pig:2 random random",
        "match pig:2 random --cap -1", "match pig:2 greedy", "match pig:2 human", "match hex:5 greedy random",
        "match hex:5 uct random --opening -1", "match gomoku:3,line=3 random random --opening 9",
        "watch hex:5 uct", "watch hex:5 human uct", "watch pig:2 uct uct", "watch example uct", "watch nothing", "watch hex:5 uct uct --pause -1",
        "watch hex:5 uct uct --pause nan", "watch hex:5 uct uct --pause inf", "bench --seconds nan",
        "match hex:5 uct,time=inf random",
        "play hex:5 --terminal --no-browser", "play hex:5 --terminal --player uct", "play hex:5 --player nobody", "serve --port 70000",
        "serve --host nowhere.invalid --no-browser", "serve --games hex:99", "serve --agents nobody", "serve --games nofile.py:Name",
        "play hex:99", "play hex:5 --against nobody", "play pig:2 --side second", "play hex:5 --side third",
        "tournament hex:3 random", "tournament hex:3 random human", "tournament pig:2 random random", "curve nothing",
        "tournament hex:3 random --against", "tournament hex:3 --against random", "tournament hex:3 random --against human",
        "match hex:3 random random --judge human", "match hex:3 random random --judge random", "match hex:3 random random --judge x",
        "tournament hex:3 random --against random --judge human", "tournament hex:3 random random --judge random",
        "tournament hex:3 random --against nobody", "tournament hex:3 random --against flat --games -1",
        "tournament pig:2 random --against random", "tournament hex:3 random --against random --opening 99",
        "list everything", "bench --rounds 0", "conquer", "match nofile.py:Game uct random",
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_line_and_exit_code_2(capsys, line):
    code, out, err = tengen(capsys, *line.split())
    assert code == 2
    assert err.startswith("tengen: ")
    assert len(err.strip().splitlines()) == 1, err
    assert out == ""


def test_an_agent_that_fails_outside_a_game_ends_the_command(capsys, monkeypatch):
    def fail(agent, position):
        raise AgentFailure("out of ideas")

    monkeypatch.setattr(RandomAgent, "choose", fail)
    code, out, err = tengen(capsys, "audit", "hex:4", "random")
    assert (code, out, err) == (1, "", "tengen: the agent has failed: out of ideas\n")


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


def test_a_gauntlet(capsys):
    line = "tournament hex:3 uct,simulations=300 random --against flat,simulations=3 random puct,simulations=50"
    code, out, _ = tengen(capsys, *line.split(), "--json", "--games", 8)
    assert code == 0
    data = json.loads(out)
    assert data["candidates"] == ["uct,simulations=300", "random"]
    assert data["opponents"] == ["flat,simulations=3", "random", "puct,simulations=50"]
    assert data["names"] == data["candidates"] + data["opponents"]
    met = [[score is not None for score in row] for row in data["score"]]
    assert met == [[False] * 2 + [True] * 3] * 2 + [[True] * 2 + [False] * 3] * 3  # candidates and opponents only
    assert data["score"][0][3] == 1 - data["score"][3][0]
    assert data["rating"][0] > data["rating"][1]
    assert all(low < rating < high for rating, (low, high) in zip(data["rating"], data["interval"]))
    assert [(match["candidate"], match["opponent"]) for match in data["matches"]] == [
        (one, other) for one in data["candidates"] for other in data["opponents"]
    ]
    for match in data["matches"]:
        sides = match["by_colour"].values()
        assert [sum(side.values()) for side in sides] == [4, 4]
        assert match["wins"] == sum(side["wins"] for side in sides)
        assert match["interval"][0] <= match["score"] <= match["interval"][1]
        assert match["games"] >= match["distinct_games"] > 1
    again = json.loads(tengen(capsys, *line.split(), "--json", "--games", 8, "--threads", 1)[1])
    assert (Path(data.pop("folder")).name, Path(again.pop("folder")).name) == ("hex-3", "hex-3-2")
    assert again == data


def test_the_games_of_a_tournament_are_kept(capsys):
    line = "tournament gomoku:5 uct,simulations=50 --against random flat,simulations=2 --json"
    data = json.loads(tengen(capsys, *line.split())[1])
    folder = Path(data["folder"])
    files = sorted(folder.glob("*.sgf"))
    assert [file.name for file in files] == [f"{number:04}.sgf" for number in range(1, 25)]
    wins = {"random": 0, "flat,simulations=2": 0}
    for file in files:
        found = read_game(file.read_text())
        names = [found.root.get("PB"), found.root.get("PW")]
        opponent = next(name for name in names if name in wins)
        wins[opponent] += found.winner == names.index("uct,simulations=50")
        assert found.position.is_over
    assert wins == {match["opponent"]: match["wins"] for match in data["matches"]}
    result = json.loads((folder / "result.json").read_text())
    assert result["matches"] == data["matches"]
    out = tengen(capsys, "tournament", "nim:2", "random", "random", "--games", 2)[1]
    assert "the games are in " in out
    kept = json.loads((folder.parent / "nim-2" / "0001.json").read_text())
    assert kept["players"] == ["random", "random"]
    assert kept["winner"] in (0, 1)


def test_a_gauntlet_has_12_games_a_pair_and_a_table(capsys):
    code, out, _ = tengen(capsys, "tournament", "gomoku:3,line=3", "uct,simulations=200", "--against", "random", "flat")
    assert code == 0
    text = " ".join(out.split())
    for word in ("as black", "as white", "95 %", "distinct", "ratings from these games"):
        assert word in text, word
    rows = {line.split()[0]: line.split()[1] for line in out.splitlines() if re.search(r"\d+–\d+–\d+", line)}
    assert set(rows) == {"random", "flat", "all"}
    played = {name: sum(int(n) for n in counts.split("–")) for name, counts in rows.items()}
    assert played == {"random": 12, "flat": 12, "all": 24}
    assert max(len(line) for line in out.splitlines() if "tengen" not in line and "games are in" not in line) <= 80
    assert "tengen watch gomoku:3,line=3 uct,simulations=200 " in text


def test_a_gauntlet_that_is_broken_off_shows_what_was_played(capsys, monkeypatch):
    from tengen.arena import gauntlet

    begin = gauntlet.begin_match

    def broken_off(game, first, second, *rest):
        if second.text == "flat":
            raise KeyboardInterrupt
        return begin(game, first, second, *rest)

    monkeypatch.setattr(gauntlet, "begin_match", broken_off)
    code, out, err = tengen(capsys, "tournament", "hex:3", "random", "--against", "random", "flat", "--json")
    assert code == 130
    assert "12 of 24 games" in err
    assert [match["games"] for match in json.loads(out)["matches"]] == [12, 0]


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


def test_a_level_is_an_opponent(capsys, monkeypatch):
    code, out, _ = play(capsys, monkeypatch, ["resign"], "gomoku:3,line=3", "--against", "beginner")
    assert code == 0
    assert "beginner is white" in out


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
    assert (agents["zero"]["options"]["simulations"], agents["uct"]["options"]["simulations"]) == (400, 1000)
    assert agents["flat"]["options"]["simulations"] == 100
    assert agents["net"]["options"] == {"move": "greedy", "epsilon": 0.1}
    shown = tengen(capsys, "list", "agents")[1]
    for words in ("first_play_value", "zero alone", "net:NETWORK", "lingz:FOLDER", "hex-5"):
        assert words in shown


def test_as_a_program(tmp_path):
    """Through a pipe that closes early, and with a terminal that knows no Unicode."""
    done = subprocess.run(
        [sys.executable, "-m", "tengen", "watch", "hex:3", "random", "random", "--pause", "0"],
        capture_output=True, env={"PYTHONIOENCODING": "ascii", "PATH": "", "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"X" in done.stdout
    assert done.stdout.isascii()
