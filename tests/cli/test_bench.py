"""``tengen bench``: what it offers and refuses, and that its networks are what they are called."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx", reason="networks are written with the extra [train]")

from tengen import bench
from tengen.bench.selfplay import game_of, random_network
from tengen.cli.main import run
from tengen.errors import SpecError
from tengen.evaluators.onnx import OnnxEvaluator
from tengen.games import Position


def test_what_can_be_measured():
    assert bench.names(["int8/*"]) == ["int8/res6x64@15", "int8/res4x32@9"]
    assert {"search/hex:11", "threads/hex:11", "selfplay/mlp2x128@6"} <= set(bench.names())
    assert bench.names(["nothing"]) == []
    assert bench.names(["tetris/*"]) == ["tetris/placements", "tetris/search"]


@pytest.mark.slow  # it compiles a search of its own
def test_tetris_is_measured():
    figures = dict(bench.measure(0.05, 1, ["tetris/*"]))
    assert figures["tetris/placements"].ratio > 20
    assert figures["tetris/search"].ours > 1000


@pytest.mark.parametrize(("name", "int8"), [("res1x4@5", False), ("res1x4@5", True), ("mlp2x8@4", False)])
def test_a_network_of_random_weights_plays(name, int8):
    game = game_of(name)
    policy, value = OnnxEvaluator(random_network(name, int8), game)(game, Position(game).array[None])
    assert policy.shape == (1, game.move_count())
    assert policy.sum() == pytest.approx(1, abs=1e-4)
    assert -1 <= value[0] <= 1


def test_bad_input(capsys, tmp_path):
    with pytest.raises(SpecError, match="no network"):
        random_network("conv@5")
    for words, said in ((["nothing"], "nothing is called that"), (["--peer", str(tmp_path)], "is no clone")):
        assert run(["bench", *words]) == 2
        assert said in capsys.readouterr().err
