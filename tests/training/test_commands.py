"""``train``, ``resume`` and ``topp`` as people type them; every pivotal parameter by its short name."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")

from tengen.arena import following
from tengen.arena.tracking import standings_from
from tengen.cli.main import run
from tengen.cli.training import next_commands, read_train
from tengen.games import parse_game
from tengen.networks.network import Network
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory
from tengen.training.config import load_preset

TINY = [
    "--game",
    "hex:3",
    "--games",
    "6",
    "--nets",
    "3",
    "--search-games",
    "10",
    "--layers",
    "8",
    "--threads",
    "1",
    "--slots",
    "1",
]


@pytest.fixture(autouse=True)
def runs_in_a_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


def config(*arguments):
    return read_train(["on-policy", *arguments]).config


@pytest.mark.parametrize(
    ("arguments", "table", "name", "value"),
    [
        ("--games 37", "training", "games", 37), ("--nets 4", "training", "nets", 4), ("--topp-games 9", "training", "topp_games", 9),
        ("--search-games 77", "search", "simulations", 77), ("--lr 0.03", "network", "learning_rate", 0.03),
        ("--layers 32,16,8", "network", "layers", (32, 16, 8)), ("--activation tanh", "network", "activation", "tanh"),
        ("--activation linear", "network", "activation", "linear"), ("--activation sigmoid", "network", "activation", "sigmoid"),
        ("--optimizer sgd", "network", "optimizer", "sgd"), ("--optimizer adagrad", "network", "optimizer", "adagrad"),
        ("--optimizer rmsprop", "network", "optimizer", "rmsprop"), ("--search.c 0.7", "search", "c", 0.7),
        ("--training.batch 17", "training", "batch", 17), ("--selfplay.random-start 0.1", "selfplay", "random_start", 0.1),
    ],
)  # fmt: skip
def test_short_names_and_long_ones(arguments, table, name, value):
    assert getattr(getattr(config(*arguments.split()), table), name) == value
    changed = config(*arguments.split()).as_dict()
    original = config().as_dict()
    changed[table][name] = original[table][name]
    assert changed == original  # nothing else has moved


def test_board_size_layers_and_activation_change_the_network():
    def network(*arguments):
        made = config(*arguments)
        return Network(parse_game(made.game), made.network)

    assert [w.shape[1] for w in network("--layers", "5,7").model.get_weights()[::2]] == [5, 7, 25]
    assert network("--game", "hex:4").outputs == 16
    names = {
        name: network("--activation", name).model.get_layer("trunk0_hidden0").activation.__name__
        for name in ("tanh", "relu")
    }
    assert names == {"tanh": "tanh", "relu": "relu"}


def test_a_run_is_rated_while_it_trains(monkeypatch, capsys):
    monkeypatch.setattr(following, "SHORTEST", 0.0)
    tiny = [*TINY[:2], "--games", "40", "--nets", "2", *TINY[6:]]
    curve = ["--rating.points", "3", "--rating.games", "10", "--rating.opponent", "random"]
    assert run(["train", "on-policy", *tiny, *curve, "--name", "rated"]) == 0
    found = RunDirectory.find("rated")
    assert [int(file.stem) for file in found.rated_files()] == [0, 20, 40]
    assert [int(file.stem) for file in found.net_files()] == [0, 40]
    assert [s.games for s in standings_from(found.read_rating())] == [0, 20, 40]
    assert run(["train", "on-policy", *TINY, "--rating", "0", "--name", "unrated"]) == 0
    assert not RunDirectory.find("unrated").folder.joinpath("rated").exists()
    assert run(["train", "on-policy", *TINY, "--rating.opponent", "nobody", "--name", "refused"]) == 2
    assert "nobody" in capsys.readouterr().err


def test_train_topp_resume(capsys):
    assert run(["train", "on-policy", *TINY, "--name", "mine"]) == 0
    out = capsys.readouterr().out
    assert "tengen topp mine" in out
    assert "tengen play hex:3 --against net:" in out
    found = RunDirectory.find("mine")
    assert [int(file.stem) for file in found.net_files()] == [0, 3, 6]

    assert run(["topp", "mine", "--games", "4", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["names"] == ["0", "3", "6"]
    assert run(["topp", "mine", "--nets", "2", "--games", "4", "--move", "sample"]) == 0
    out = capsys.readouterr().out
    assert "rank correlation" in out
    assert "red after" not in out
    assert run(["topp", "mine", "--nets", "2", "--games", "4", "--show"]) == 0
    out = capsys.readouterr().out
    assert out.count("red after 0 games, black after 6: ") == out.count("red after 6 games, black after 0: ") == 2
    assert run(["topp", "mine", "--show", "--json"]) == 2
    capsys.readouterr()

    assert run(["curve", "mine", "--against", "random", "--games", "6", "--json"]) == 0
    curve = json.loads(capsys.readouterr().out)
    assert [point["games"] for point in curve["points"]] == [0, 3, 6]
    assert (found.folder / "curve.png").read_bytes().startswith(b"\x89PNG")

    assert run(["resume", "mine", "--games", "8"]) == 0
    assert len(RecordStore(found.games)) == 8
    found_config = found.read_config()
    assert found_config["training"]["games"] == 8
    changes = json.loads((found.folder / "config.json").read_text())["changes"]
    assert [change["after_games"] for change in changes] == [6]
    assert run(["resume", "mine", "--layers", "9"]) == 2
    assert "cannot change" in capsys.readouterr().err

    assert run(["match", "hex:3", f"net:{found.net_files()[-1]}", "random", "--games", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["distinct_games"] > 0
    assert run(["watch", "mine"]) == 0
    assert "game 7:" in capsys.readouterr().out
    assert run(["watch", "mine", "--game-number", "3", "--pause", "0"]) == 0
    assert "wins after" in capsys.readouterr().out
    assert run(["watch", "mine", "--game-number", "99"]) == 2
    for useless in (["--json"], ["--opening", "2"], ["--seed", "3", "--game-number", "1"]):
        assert run(["watch", "mine", *useless]) == 2
    assert "up to 7" in capsys.readouterr().err
    assert run(["list", "runs"]) == 0
    assert "mine" in capsys.readouterr().out
    (found.folder / "config.json").write_text("{}")
    RunDirectory.create("other", found_config)
    assert run(["list", "runs", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert "cannot be read" in listed["mine"]["about"]
    assert listed["other"]["options"] == {"game": "hex:3", "games": 8}


def test_show_prints_the_board_of_every_game(capsys):
    assert run(["train", "on-policy", *TINY, "--show"]) == 0
    out = capsys.readouterr().out
    assert out.count("╲ a") == 6
    assert out.count("wins after") == 6


def test_a_taken_name_gets_a_number(capsys):
    for name in ("on-policy", "on-policy-2"):
        assert run(["train", "on-policy", *TINY]) == 0
        assert RunDirectory.find(name).name == name


@pytest.mark.parametrize(
    "line",
    [
        "train", "train nothing", "train on-policy --games 0", "train on-policy --gams 3", "train on-policy --activation swish",
        "train on-policy --layers 0", "train on-policy --lr -1", "train on-policy --optimizer lion", "train on-policy --game hex:2",
        "train on-policy --name ../evil", "train on-policy --games 2 --nets 9", "train nofile.toml", "resume", "resume nothing",
        "topp nothing", "match hex:3 net random", "match hex:3 net:nofile.onnx random", "train on-policy --search.rollouts random",
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_line_and_changes_nothing(capsys, tmp_path, line):
    assert run(line.split()) == 2
    err = capsys.readouterr().err
    assert err.startswith("tengen: ")
    assert len(err.strip().splitlines()) == 1, err
    assert not list((tmp_path / "runs").glob("*"))


def kill_and_resume(folder, kills: int, seed: int, games: int) -> None:
    """Kill a run at random moments and resume it each time; then let it end and look at what is there."""
    chooser = random.Random(seed)
    options = f"--game hex:3 --games {games} --nets 3 --search-games 60 --layers 8 --threads 2 --slots 2".split()
    command = [sys.executable, "-m", "tengen"]
    arguments = ["train", "on-policy", *options, "--name", "run"]
    reported = 0
    for _ in range(kills):
        process = subprocess.Popen([*command, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not (folder / "run" / "learner.npz").exists() and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)
        time.sleep(chooser.uniform(0.0, 5.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        arguments = ["resume", "run"]
        numbers = RecordStore(folder / "run" / "games.sqlite").numbers()
        assert len(numbers) == len(set(numbers)) >= reported
        reported = len(numbers)
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    run_directory = RunDirectory(folder / "run")
    store = RecordStore(run_directory.games)
    assert store.numbers() == list(range(games))
    metrics = store.metrics()
    assert [entry["step"] for entry in metrics][-1] == games
    assert int(run_directory.load_learner()["games"]) == games
    assert int(run_directory.load_learner()["steps"]) == games * config().training.steps
    files = run_directory.net_files()
    assert [int(file.stem) for file in files] == [0, games // 2, games]
    assert run(["match", "hex:3", f"net:{files[-1]}", "random", "--games", "2", "--json"]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_a_run_survives_kill_9(tmp_path):
    kill_and_resume(tmp_path / "runs", kills=3, seed=1, games=400)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_a_run_survives_kill_9_twenty_times(tmp_path):
    kill_and_resume(tmp_path / "runs", kills=20, seed=2, games=3000)


@pytest.mark.parametrize("preset", ["on-policy", "tetris-10x10", "tetris-dqn"])
def test_what_to_try_next_suits_the_game(preset):
    config = load_preset(preset)
    commands = [command for _, command in next_commands(config, "hex-5", "hex-5")]
    assert any("topp" in command for command in commands) == (preset == "on-policy")
