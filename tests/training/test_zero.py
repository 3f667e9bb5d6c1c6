"""Agents with a network: which network they play, what they make of it, and what they refuse."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("keras", reason="networks are made with the extra [train]")

from tengen.agents import parse_agent
from tengen.agents.targets import find_network, shipped_names
from tengen.agents.zero import zero_settings
from tengen.arena import play_match
from tengen.cli.main import run
from tengen.errors import SpecError
from tengen.evaluators.onnx import OnnxEvaluator
from tengen.games import Hex, Position
from tengen.networks.network import Network
from tengen.networks.settings import NetworkSettings
from tengen.runs.directory import RunDirectory, RunError
from tengen.search import SearchSettings
from tengen.training.config import load_preset


@pytest.fixture(autouse=True)
def runs_in_a_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


def make_run(critic=True, nets=3, name="mine", preset="on-policy"):
    """A run with networks that nobody has trained."""
    config = load_preset(preset).as_dict()
    config["game"], config["network"]["critic"], config["network"]["layers"] = "hex:3", critic, [8]
    found = RunDirectory.create(name, config)
    for i in range(nets):
        found.save_net(i * 10, Network(Hex(3), NetworkSettings(layers=(8,), critic=critic), seed=i).onnx())
    return found


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("net") / "critic.onnx"
    file.write_bytes(Network(Hex(3), NetworkSettings(layers=(8,), critic=True), seed=5).onnx())
    return file


# --- targets


def test_a_target_is_a_file_a_run_or_a_shipped_name(tmp_path, monkeypatch):
    made = make_run()
    files = made.net_files()
    assert find_network(str(files[0])) == files[0]
    assert find_network("mine") == find_network(str(made.folder)) == files[-1]
    assert "hex-5" in shipped_names()
    assert find_network("hex-5").name == "008000.onnx"
    make_run(name="hex-5")
    assert (
        find_network("hex-5") == tmp_path / "runs" / "hex-5" / "nets" / "000020.onnx"
    )  # one's own before a shipped one
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text("")
    assert find_network("mine").resolve() == tmp_path / "mine"


def test_a_target_that_names_nothing(tmp_path):
    make_run(nets=0, name="empty")
    for text, words in (
        ("hex5", "did you mean 'hex-5'"), ("emty", "did you mean 'empty'"), ("gone.onnx", "no file"),
        ("empty", "kept no network yet"),
    ):  # fmt: skip
        for agent in ("net", "zero"):
            with pytest.raises(SpecError, match=words):
                parse_agent(f"{agent}:{text}")


# --- zero


def test_zero_asks_for_policy_and_value(file):
    game, position = Hex(3), Position(Hex(3), ["b2"])
    policy, value = OnnxEvaluator(file, game)(game, position.array[None])
    agent = parse_agent(f"zero,simulations=1:{file}").make(game)
    agent.choose(position)
    assert agent.thoughts.value == pytest.approx(float(value[0]))
    outputs = game.move_views()[game.move_view(position.array)][position.legal_moves]
    expected = policy[0, outputs] / policy[0, outputs].sum()
    assert agent.thoughts.prior[position.legal_moves] == pytest.approx(expected, abs=1e-6)
    parse_agent(f"zero:{file}").make(game).choose(position)


def test_defaults_of_zero_and_what_options_change():
    assert zero_settings({}) == SearchSettings(
        selection="puct",
        evaluation="network",
        simulations=400,
        c=1.5,
        first_play="parent",
        first_play_value=-0.2,
        batch=8,
    )
    assert zero_settings({"time": 0.5}).simulations == 0
    assert zero_settings({"first_play": "fixed"}).first_play_value == 0
    literal = zero_settings({"selection": "uct", "evaluation": "mix", "rollouts": "network"})
    assert (literal.c, literal.first_play, literal.first_play_value, literal.mix) == (None, "fixed", 0, 0.5)
    assert zero_settings({"c": 3.0, "selection": "uct"}).c == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("mix=0.3", "would do nothing"), ("sigma=0.3", "would do nothing"), ("rollouts=network", "would do nothing"),
        ("noise_alpha=1", "would do nothing"), ("evaluation=rollout", "rollouts=network"), ("selection=flat", "puct, uct or ucb1"),
        ("evaluation=oracle", "cannot be"), ("simulation=3", "did you mean 'simulations'"), ("simulations=0", "nothing ends"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense(file, options, words):
    with pytest.raises(SpecError, match=words):
        parse_agent(f"zero,{options}:{file}")


def test_a_network_without_a_critic_is_not_searched_by_its_value(capsys):
    for options in ("", ",evaluation=mix", ",evaluation=sigma,sigma=0.5", ",selection=uct"):
        with pytest.raises(SpecError, match=r"no critic.*evaluation=rollout,rollouts=network"):
            parse_agent(f"zero{options}:hex-5").make(Hex(5))
    for options in (
        "evaluation=rollout,rollouts=network",
        "evaluation=mix,mix=1",
        "evaluation=sigma",
    ):  # nobody reads the value
        agent = parse_agent(f"zero,simulations=5,{options}:hex-5").make(Hex(5))
        assert agent.choose(Position(Hex(5))) in range(25)
    assert run(["match", "hex:5", "zero:hex-5", "random", "--games", "2"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_search_with_the_shipped_network_beats_random_play():
    spec = parse_agent("zero,evaluation=rollout,rollouts=network,simulations=20:hex-5")
    assert play_match(Hex(5), spec, parse_agent("random"), 6).total.wins == 6


# --- a run's best network


def test_the_winner_of_the_tournament_is_the_runs_best(capsys):
    made = make_run()
    files = made.net_files()
    weak, strong = find_network("hex-5").parent / "000000.onnx", find_network("hex-5")
    for file, source in zip(files, (weak, strong, weak), strict=True):
        file.write_bytes(source.read_bytes())
    made.change_config({**made.read_config(), "game": "hex:5"}, 0)
    assert made.best_net() is None
    assert run(["list", "runs"]) == 0
    assert "best" not in capsys.readouterr().out

    assert run(["topp", "mine", "--games", "10", "--nets", "2"]) == 0  # not all of them
    assert run(["topp", "mine", "--games", "10", "--move", "sample"]) == 0
    assert made.read_best() is None
    capsys.readouterr()
    assert run(["topp", "mine", "--games", "10", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["best"] == "000010.onnx"
    best = made.read_best()
    assert best["net"] == "000010.onnx"
    assert best["interval"][0] < best["rating"] < best["interval"][1]
    assert (best["games_a_pair"], len(best["among"])) == (10, 3)
    assert find_network("mine") == files[1]
    assert run(["list", "runs", "--json"]) == 0
    assert "the best after 10: rating +" in json.loads(capsys.readouterr().out)["mine"]["about"]

    made.save_net(30, strong.read_bytes())  # training has gone on: nobody knows which is best now
    assert made.read_best() is None
    assert find_network("mine").name == "000030.onnx"


def test_damaged_results_are_refused_in_a_sentence():
    made = make_run()
    for name, read in (("best.json", made.read_best), ("curve.json", made.read_curves)):
        for text in ("{", "[]", '{"format": 99}'):
            (made.folder / name).write_text(text)
            with pytest.raises(RunError, match="delete it"):
                read()
    (made.folder / "best.json").write_text('{"format": 1, "net": "../../x.onnx", "among": ["000020.onnx"]}')
    assert made.best_net() is None


# --- the learning curve


def curve(capsys, *arguments):
    code = run(["curve", "mine", "--against", "random", "--games", "6", "--threads", "1", *arguments, "--json"])
    captured = capsys.readouterr()
    return json.loads(captured.out) if code == 0 else (code, captured.err)


def test_two_curves_network_alone_and_with_search(capsys):
    made = make_run()
    data = curve(capsys, "--simulations", "30")
    for points in (data["points"], data["search"]):
        assert [point["games"] for point in points] == [0, 10, 20]
        assert all(point["interval"][0] <= point["score"] <= point["interval"][1] for point in points)
        assert all(point["distinct_games"] == 6 for point in points)
    assert np.mean([p["score"] for p in data["search"]]) > np.mean([p["score"] for p in data["points"]])
    assert (made.folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert curve(capsys, "--simulations", "0")["search"] == []
    kept = made.read_curves()
    assert {(entry["name"], entry["agent"], entry["against"]) for entry in kept} == {
        ("network alone", "net,move=greedy", "random"), ("with search", "zero,simulations=30", "random")
    }  # fmt: skip
    assert run(["curve", "mine", "--against", "random", "--games", "6", "--simulations", "30"]) == 0
    out = capsys.readouterr().out
    assert "network alone against random" in " ".join(out.split())
    assert "with search (30 simulations) against random" in " ".join(out.split())


def test_a_curve_goes_on_where_it_stopped(capsys, monkeypatch):
    from tengen.arena import curve as module

    made = make_run()
    whole = curve(capsys, "--simulations", "5")
    (made.folder / "curve.json").unlink()
    played = []
    honest = module.play_match

    def interrupted(game, agent, *rest):
        played.append(agent.text)
        if len(played) == 5:
            raise KeyboardInterrupt
        return honest(game, agent, *rest)

    monkeypatch.setattr(module, "play_match", interrupted)
    code, err = curve(capsys, "--simulations", "5")
    assert code == 130
    assert "4 points are kept" in err
    assert len(set(played)) == 5
    assert curve(capsys, "--simulations", "5") == whole
    assert len(played) == 7  # two were missing, the interrupted one among them
    made.save_net(30, made.net_files()[0].read_bytes())
    assert len(curve(capsys, "--simulations", "5")["search"]) == 4
    assert len(played) == 9  # the new network, alone and with search
    assert curve(capsys, "--simulations", "0", "--fresh")["points"][:3] == whole["points"]
    assert len(played) == 13
    curve(capsys, "--simulations", "0", "--seed", "3")
    assert len(played) == 17  # other games are another curve


def test_without_a_critic_search_is_by_rollouts_and_only_when_asked_for(capsys):
    made = make_run(critic=False, nets=2)
    assert curve(capsys)["search"] == []
    assert len(curve(capsys, "--simulations", "4")["search"]) == 2
    assert made.read_curves()[-1]["agent"] == "zero,simulations=4,evaluation=rollout,rollouts=network"


def test_the_search_of_the_curve_takes_options(capsys):
    made = make_run(nets=1)
    curve(capsys, "--simulations", "4", "--search", "selection=uct,evaluation=mix,rollouts=network")
    assert made.read_curves()[-1]["agent"] == "zero,simulations=4,selection=uct,evaluation=mix,rollouts=network"
    for arguments, words in (
        (("--simulations", "0", "--search", "c=2"), "would do nothing"), (("--search", "cc=2"), "no option"),
        (("--simulations", "-1"), "0 or more"), (("--search", "simulations=3"), "twice"), (("--opening", "9"), "fewer"),
    ):  # fmt: skip
        code, err = curve(capsys, *arguments)
        assert code == 2
        assert words in err
        assert len(err.strip().splitlines()) == 1
    damaged = [{**entry, "points": [{"net": 3}]} for entry in made.read_curves()]
    made.save_curves(damaged)
    assert "damaged" in curve(capsys, "--simulations", "0")[1]
    assert len(curve(capsys, "--simulations", "0", "--fresh")["points"]) == 1
