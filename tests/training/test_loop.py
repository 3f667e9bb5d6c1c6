"""The loop: it is the algorithm of the document, the same for the same seed, and cannot be lost."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")

from reference import Node, Reference

from tengen.errors import SpecError
from tengen.evaluators.encoding import encode
from tengen.evaluators.onnx import OnnxEvaluator
from tengen.games import Hex, Position, parse_game
from tengen.games.randomness import choose, random_state, uniform
from tengen.networks.network import Network
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory, RunError
from tengen.search import move_probabilities
from tengen.selfplay.worker import start_position
from tengen.training.config import RunConfig, config_from, load_preset
from tengen.training.loop import Events, train


@pytest.fixture(autouse=True)
def runs_in_a_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


def small(**changes) -> RunConfig:
    """A run of seconds."""
    config = load_preset("on-policy")
    tables = {
        "training": {"games": 6, "nets": 3, "batch": 16, "steps": 2},
        "search": {"simulations": 12},
        "network": {"layers": [8]},
        "selfplay": {"slots": 1, "threads": 1, "random_start": 0.0},
    }
    data = {**config.as_dict(), "game": "hex:3", "seed": 5}
    for table, values in tables.items():
        data[table] = {**data[table], **values, **changes.get(table, {})}
    return config_from({**data, **{k: v for k, v in changes.items() if k not in tables}}, "test")


def play(config, name="run"):
    run = RunDirectory.create(name, config.as_dict())
    learner = train(run, config)
    store = RecordStore(run.games)
    games = [store.get(number) for number in store.numbers()]
    store.close()
    return run, learner, games


def the_document(config: RunConfig) -> list[tuple[int, ...]]:
    """Section 4.1, line by line, with the readable search. The moves of every actual game."""
    game = parse_game(config.game)
    anet = Network(game, config.network, config.seed)  # 3. randomly initialise the ANET
    rbuf = []  # 2. clear the replay buffer
    steps, games = 0, []
    for ga in range(config.training.games):  # 4. for each actual game
        actual = start_position(game, first=ga % 2)  # (a), (b)
        random = random_state(config.seed * 1_000_003 + ga)
        uniform(random)  # would decide on a random first move
        mct = Reference(actual.copy(), config.search, OnnxEvaluator(anet.onnx(), game))  # (c)
        mct.random = random
        cases = []
        while not actual.is_over:  # (d)
            for _ in range(config.search.simulations):  # for gs in number of search games
                mct.simulate()
            visits = np.zeros(game.move_count())
            for child in mct.root.tried:
                visits[child.move] = child.visits
            cases.append((actual.array.copy(), visits / visits.sum(), actual.legal_moves))  # D, and the case (root, D)
            temperature = config.search.temperature_at(len(actual.moves))
            move = choose(random, move_probabilities(visits, temperature), len(visits))  # choose a* from D
            actual.play(move)
            mct.position = actual.copy()  # retain the subtree rooted at s*, discard everything else
            mct.root = next((child for child in mct.root.tried if child.move == move), Node(move, 1.0))
        rbuf += cases
        games.append(tuple(actual.moves))
        for _ in range(config.training.steps):  # (e) train on a random minibatch
            n = min(config.training.batch, len(rbuf))
            chosen = np.random.default_rng([config.seed, steps]).choice(len(rbuf), n, replace=False)
            batch = [rbuf[i] for i in chosen]
            policy, legal = np.zeros((n, game.move_count()), np.float32), np.zeros((n, game.move_count()), np.float32)
            for row, (array, distribution, moves) in enumerate(batch):
                outputs = game.move_views()[game.move_view(array)]
                policy[row, outputs[moves]] = distribution[moves]
                legal[row, outputs[moves]] = 1
            planes = encode(game, np.stack([array for array, _, _ in batch]), config.network.indicator)
            anet.train(planes, policy, legal, np.zeros(n, np.float32))
            steps += 1
    return games


@pytest.mark.jit
@pytest.mark.parametrize("game", ["hex:3", "hex:4"])
def test_one_game_at_a_time_is_the_document_game_for_game(game):
    config = small(game=game)
    assert [record.moves for record in play(config)[2]] == the_document(config)


def test_networks_are_kept_at_equal_distances_beginning_with_the_untrained_one():
    run, learner, games = play(small())
    assert [int(file.stem) for file in run.net_files()] == [0, 3, 6]
    assert learner.steps == 12
    assert len(games) == 6
    untrained = Network(parse_game("hex:3"), small().network, seed=5)
    position = Position(Hex(3)).array[None]
    assert OnnxEvaluator(run.net_files()[0])(Hex(3), position)[0] == pytest.approx(
        untrained.predict(encode(Hex(3), position, True))[0], abs=1e-6
    )
    from_document = load_preset("on-policy").training
    assert [n for n in range(201) if from_document.is_saved_after(n)] == [0, 50, 100, 150, 200]


def test_either_player_begins_and_records_tell_the_truth():
    games = play(small())[2]
    assert [record.first for record in games] == [0, 1, 0, 1, 0, 1]
    for record in games:
        position = start_position(Hex(3), record.first)
        for move, visits in zip(record.moves, record.visits):
            assert sorted(visits) == position.legal_moves
            assert sum(visits.values()) >= 11
            position.play(move)
        assert position.winner == record.winner


def test_the_same_seed_gives_the_same_games_and_slots_do_not_mix():
    config = small(selfplay={"slots": 3, "random_start": 0.5})
    first, again = ([record.moves for record in play(config, name)[2]] for name in ("a", "b"))
    other = [record.moves for record in play(dataclasses.replace(config, seed=6), "c")[2]]
    assert first == again != other


@pytest.mark.jit
def test_threads_play_all_games_once():
    config = small(selfplay={"threads": 2, "slots": 2}, training={"games": 20})
    _, learner, games = play(config)
    assert [record.number for record in games] == list(range(20))
    assert learner.games == 20


def test_a_stopped_run_goes_on():
    config = small()
    run = RunDirectory.create("run", config.as_dict())
    seen = []
    train(run, config, Events(on_game=seen.append, stop=lambda: len(seen) == 2))
    assert len(seen) == 2
    learner = train(run, config, Events(on_game=seen.append))
    assert [progress.games for progress in seen] == [1, 2, 3, 4, 5, 6]
    assert [progress.steps for progress in seen] == [2, 4, 6, 8, 10, 12]
    assert learner.games == 6
    assert sorted(progress.record.number for progress in seen) == list(range(6))
    assert [int(file.stem) for file in run.net_files()] == [0, 3, 6]


def test_figures_are_kept_and_go_on_after_a_stop():
    config = small()
    run = RunDirectory.create("run", config.as_dict())
    seen = []
    train(run, config, Events(on_game=seen.append, stop=lambda: len(seen) == 3))
    train(run, config, Events(on_game=seen.append))
    store = RecordStore(run.games)
    kept = store.metrics()
    assert [figures["step"] for figures in kept] == [1, 2, 3, 4, 5, 6]
    for name in ("seconds", "evaluations", "won_first", "won_second"):
        assert [figures[name] for figures in kept] == sorted(figures[name] for figures in kept), name
    winners = [progress.record.winner for progress in seen]
    for n, (figures, progress) in enumerate(zip(kept, seen), 1):
        expected = winners[:n].count(0), winners[:n].count(1), 0
        assert progress.results == expected == (figures["won_first"], figures["won_second"], figures["drawn"])
        assert 1 <= figures["search_entropy"] <= 9
        assert 1 <= figures["network_entropy"] <= 9
    assert store.results() == seen[-1].results
    assert kept[0]["network_entropy"] > 4  # an untrained network has no favourite
    store.close()


def test_a_game_that_teaches_nothing_has_no_figures_of_training():
    config = small(training={"every": 3})
    seen = []
    run = RunDirectory.create("run", config.as_dict())
    train(run, config, Events(on_game=seen.append))
    store = RecordStore(run.games)
    assert ["network_entropy" in figures for figures in store.metrics()] == [False, False, True] * 2
    assert [bool(progress.losses) for progress in seen] == [False, False, True] * 2
    store.close()


def test_a_run_whose_figures_are_of_an_older_version_goes_on():
    config = small()
    run = RunDirectory.create("run", config.as_dict())
    seen = []
    train(run, config, Events(on_game=seen.append, stop=lambda: len(seen) == 2))
    store = RecordStore(run.games)
    for step in (1, 2):
        store.add_metrics(step, {"policy_loss": 1.0, "age": 0.0, "length": 7, "seconds": 100.0 + step})
    store.close()
    train(run, config, Events(on_game=seen.append))
    assert [sum(progress.results) for progress in seen] == [1, 2, 3, 4, 5, 6]
    assert seen[2].seconds > 102


def test_a_resumed_run_learns_as_if_it_had_not_been_stopped():
    config = small(network={"optimizer": "adam"}, training={"window": 40})
    _, learner, games = play(config, "whole")
    run = RunDirectory.create("stopped", config.as_dict())
    for wanted in (1, 3, 6):
        seen = []
        again = train(run, config, Events(on_game=seen.append, stop=lambda n=wanted, seen=seen: seen[-1].games == n))
    store = RecordStore(run.games)
    assert [store.get(number).moves for number in store.numbers()] == [record.moves for record in games]
    store.close()
    expected = learner.network.state()
    for name, array in again.network.state().items():
        assert array == pytest.approx(expected[name], abs=1e-6), name


def test_games_after_the_last_save_are_learned_again_exactly():
    """A kill between two saves costs no game: the learner makes the same steps again."""
    config = small()
    run, learner, _ = play(config)
    expected = learner.network.state()
    (run.folder / "learner.npz").unlink()  # as if the process had been killed before the first save
    again = train(run, config)
    assert again.games == 6
    for name, array in again.network.state().items():
        assert array == pytest.approx(expected[name], abs=1e-6), name


def test_sigma_falls_with_the_games_and_the_critic_learns():
    config = small(
        search={"evaluation": "sigma"}, network={"critic": True}, training={"sigma_end": 0.2, "games": 4, "nets": 2}
    )
    run = RunDirectory.create("run", config.as_dict())
    losses = []
    learner = train(run, config, Events(on_game=lambda progress: losses.append(progress.losses)))
    assert all("value_loss" in loss for loss in losses)
    sigmas = []
    for games in range(5):
        learner.games = games
        sigmas.append(learner.sigma)
    assert sigmas == pytest.approx([1.0, 0.8, 0.6, 0.4, 0.2])


def test_a_second_process_is_refused(tmp_path):
    pytest.importorskip("fcntl")
    config = small()
    run = RunDirectory.create("run", config.as_dict())
    run.lock()
    with pytest.raises(RunError, match="another process"):
        train(RunDirectory(run.folder), config)


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("learner.npz", b"PK\x03\x04 broken"),
        ("learner.npz", b"\x80\x04K*."),
        ("games.sqlite", b"nonsense" * 500),
        ("config.json", b"{"),
    ],
)
def test_damaged_files_are_one_line_and_left_alone(file, data):
    from tengen.errors import TengenError

    config = small()
    run, _, _ = play(config)
    (run.folder / file).write_bytes(data)
    with pytest.raises(TengenError) as caught:
        train(run, config_from(run.read_config(), "run"))
    assert "\n" not in str(caught.value)
    assert (run.folder / file).read_bytes() == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"gaem": "hex:5"}, "gaem"), ({"search": {"simulatons": 5}}, "simulations"), ({"training": 3}, "table"),
        ({"training": {"games": "many"}}, "games"), ({"network": {"layers": "64"}}, "layers"),
        ({"search": {"evaluation": "network", "rollouts": "random", "rollout_epsilon": 0.0}}, "critic"),
        ({"search": {"rollouts": "random", "rollout_epsilon": 0.0}}, "asks the network"),
        ({"seed": -1}, "seed"), ({"seed": 1 << 32}, "seed"), ({"training": {"sigma_end": 0.5}}, "would do nothing"),
        ({"training": {"value_discount": 0.5}}, "would do nothing"),
    ],
)  # fmt: skip
def test_bad_configs_are_refused_in_one_line(data, message):
    base = load_preset("on-policy").as_dict()
    merged = {**base, **{k: {**base[k], **v} if isinstance(v, dict) else v for k, v in data.items()}}
    with pytest.raises(SpecError, match=message) as caught:
        config_from(merged, "test")
    assert "\n" not in str(caught.value)
