"""The worker that Ray makes an actor of, without Ray."""

from __future__ import annotations

import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")

import numpy as np

from tengen.cluster.parcels import note, read_note, unpack
from tengen.cluster.player import Player
from tengen.evaluators.format import rules_hash
from tengen.games import Hex
from tengen.networks.network import Network
from tengen.selfplay.worker import start_array
from tengen.training.config import RunConfig, config_from, load_preset


def small(**selfplay) -> RunConfig:
    data = load_preset("on-policy").as_dict()
    data |= {"game": "hex:3", "seed": 5}
    data["search"] |= {"simulations": 12}
    data["network"] |= {"layers": [8]}
    data["selfplay"] |= {"slots": 3, "threads": 1, **selfplay}
    return config_from(data, "test")


def new_player(config: RunConfig) -> tuple[Player, dict[str, bytes]]:
    networks = {"first": Network(Hex(3), config.network, 1).onnx(), "second": Network(Hex(3), config.network, 2).onnx()}
    player = Player(note(config=config.as_dict()), networks.__getitem__)
    return player, read_note(player.hello())


def ask(player, numbers, steps=0, network="first", seconds=60.0, more=True):
    return unpack(player.play(note(numbers=numbers, steps=steps, sigma=None, seconds=seconds, more=more), [network]))


def test_it_says_who_it_is_and_plays_what_it_is_given():
    player, hello = new_player(small())
    assert hello["rules"] == rules_hash(Hex(3))
    parcel = ask(player, list(range(7)), more=False)
    assert sorted(record.number for record in parcel.records) == list(range(7))
    assert (parcel.waiting, parcel.idle) == (0, 3)
    assert parcel.evaluations > 7
    for record in parcel.records:
        assert record.first == record.number % 2
        assert np.isfinite(record.values).all()
        assert start_array(Hex(3), record.first) is not None


def test_it_goes_on_when_there_are_more_games_and_takes_a_newer_network():
    player, _ = new_player(small())
    first = ask(player, [0, 1], more=False)
    assert len(first.records) == 2
    assert ask(player, []).records == ()
    player._refresh._due = 0.0
    second = ask(player, [2, 3, 4, 5], steps=9, network="second", more=False)
    assert sorted(record.number for record in second.records) == [2, 3, 4, 5]
    assert {record.network for record in second.records} == {9}
    assert second.evaluations > first.evaluations


def test_it_asks_for_games_when_it_has_too_few_for_a_batch():
    player, _ = new_player(small())
    parcel = ask(player, [0, 1, 2])  # no fourth: it answers before the time is over
    assert 1 <= len(parcel.records) <= 3
    assert parcel.idle >= 1


def test_it_answers_in_time_with_games_in_progress():
    player, _ = new_player(small())
    parcel = ask(player, list(range(9)), seconds=0.0)
    assert parcel.records == ()
    assert (parcel.waiting, parcel.idle) == (6, 0)


def test_the_same_numbers_and_network_give_the_games_that_a_thread_plays():
    from tengen.evaluators.onnx import OnnxEvaluator
    from tengen.selfplay.worker import Worker

    config = small()
    player, _ = new_player(config)
    numbers = iter(range(4))
    evaluator = OnnxEvaluator(player._fetch("first"), Hex(3))
    worker = Worker(Hex(3), config.search, config.selfplay, config.seed, lambda: next(numbers, None), evaluator)
    games = []
    while not worker.is_done:
        games += worker.play()
    found = ask(player, list(range(4)), more=False).records
    assert {r.number: (r.moves, r.visits) for r in found} == {r.number: (r.moves, r.visits) for r in games}
