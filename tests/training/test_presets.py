"""Every preset, shrunk to seconds, from the command line to networks that play; and what makes the recipes what they are."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")

from tengen.agents import parse_agent
from tengen.arena.playing import play_game
from tengen.cli.main import run as command
from tengen.games import parse_game
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory
from tengen.training.config import PRESETS, load_preset
from tengen.training.loop import train

NAMES = sorted(file.stem for file in PRESETS.glob("*.toml"))
QUICK = (
    "gomoku-19",
    "actor-critic",
    "tictactoe",
    "tetris-10x10",
)  # one of each recipe, and the largest board; the others take minutes


@pytest.fixture(autouse=True)
def runs_in_a_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


def shrunk(name):
    """The preset with little of everything."""
    config = load_preset(name)
    if config.method != "search":
        return shrunk_baseline(config)
    network = dataclasses.replace(config.network, layers=(4,))
    if network.kind == "residual":
        network = dataclasses.replace(network, blocks=1, channels=4)
    fast = 2 if config.selfplay.full_share < 1 else 0
    return dataclasses.replace(
        config,
        network=network,
        training=dataclasses.replace(
            config.training,
            games=4,
            nets=2,
            batch=8,
            window=500,
            topp_games=1,
            **({"uses": 1.0} if config.training.uses else {"every": 2, "steps": 1}),
        ),
        search=dataclasses.replace(config.search, simulations=4),
        selfplay=dataclasses.replace(config.selfplay, slots=4, threads=1, fast_simulations=fast),
    )


def shrunk_baseline(config):
    """One that learns without search, with little of everything."""
    training = dataclasses.replace(config.training, games=4, nets=2, window=500)
    if config.method == "dqn":
        training = dataclasses.replace(training, batch=8, uses=1.0)
    few = {"dqn": {"warm_up": 8, "target_every": 2}, "ac": {}}[config.method]
    return dataclasses.replace(
        config,
        network=dataclasses.replace(config.network, blocks=1, channels=4),
        training=training if config.method == "dqn" else dataclasses.replace(training, window=20_000),
        baseline=dataclasses.replace(config.baseline, environments=4, **few),
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_line_of_a_preset_is_explained(name):
    text = (PRESETS / f"{name}.toml").read_text(encoding="utf-8")
    assert text.startswith("#")
    settings = [line for line in text.splitlines() if " = " in line.partition("#")[0]]
    bare = [line for line in settings if "#" not in line and not line.startswith("game")]
    assert not bare, bare
    assert parse_game(load_preset(name).game)


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in NAMES])
def test_every_preset_trains_and_its_networks_play(name):
    config = shrunk(name)
    run = RunDirectory.create(name, config.as_dict())
    learner = train(run, config)
    assert learner.games == 4
    assert learner.steps == 2 or config.training.uses > 0
    assert learner.steps > 0
    store = RecordStore(run.games)
    assert len(store) == 4
    assert all(np.isfinite(value) for figures in store.metrics() for value in figures.values())
    store.close()
    assert [int(file.stem) for file in run.net_files()] == [0, 4]
    kept_in_eight_bits = sorted(file.stem for file in run.folder.glob("int8/*.onnx"))
    expected = ["000004"] if config.selfplay.int8 else []  # not after 0 games: there is nothing to see ranges in
    assert kept_in_eight_bits == expected
    game = parse_game(config.game)
    searches = "zero,simulations=2" if config.network.critic else "net"
    searches = searches if config.method == "search" else config.method
    agents = [parse_agent(f"{searches}:{name}").make(game), parse_agent("random").make(game)][: game.players()]
    assert play_game(game, agents, seed=1).forfeit is None


def test_the_recipes_are_those_of_the_documents():
    slides = load_preset("alphazero")
    assert (slides.search.selection, slides.search.c, slides.search.evaluation) == ("puct", 5.0, "network")
    assert slides.training.target == "visits"
    letter, stable = load_preset("actor-critic"), load_preset("gomoku-9-actor-critic")
    assert (letter.search.selection, letter.search.evaluation, letter.search.rollouts) == ("uct", "mix", "network")
    assert (letter.training.target, letter.network.separate, letter.network.critic) == ("played", True, True)
    assert not letter.training.normalise_advantage
    assert letter.training.entropy_bonus == 0
    assert stable.training.normalise_advantage
    assert stable.training.entropy_bonus > 0
    assert (stable.search, stable.network, stable.selfplay) == (letter.search, letter.network, letter.selfplay)


@pytest.mark.slow
def test_tic_tac_toe_is_learned_within_two_minutes():
    """Against perfect play by search, and against random moves, from every first move, the network with 50 simulations never loses."""
    assert command(["train", "tictactoe", "--name", "ttt"]) == 0
    game = parse_game("gomoku:3,line=3")
    learned = parse_agent("zero,simulations=50:ttt").make(game)
    for opponent in ("random", "uct,simulations=2000"):
        other = parse_agent(opponent).make(game)
        for seed in range(60):
            for seat in (0, 1):
                agents = [learned, other] if seat == 0 else [other, learned]
                result = play_game(game, agents, seed=seed)
                assert result.winner in (seat, None), (opponent, seed, seat, result.moves)
