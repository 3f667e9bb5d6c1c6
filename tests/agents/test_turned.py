"""A network asked about mirror images of a position: what it says comes back turned."""

import numpy as np
import pytest

from tengen.agents import parse_agent
from tengen.agents.targets import find_network
from tengen.errors import SpecError
from tengen.evaluators.encoding import encode
from tengen.evaluators.onnx import OnnxEvaluator
from tengen.evaluators.turned import TurnedEvaluator, _positions_and_images
from tengen.games import Gomoku, Hex, Nim, parse_game


class Linear:
    """Stands for a network: any linear function of what it sees."""

    about = None

    def __init__(self, game):
        self.game = game
        chooser = np.random.default_rng(1)
        size = game.plane_count() * game.plane_rows() * game.plane_columns()
        self.policy = chooser.normal(size=(size, game.move_views().shape[1])).astype(np.float32)
        self.value = chooser.normal(size=size).astype(np.float32)

    def encode(self, positions):
        return encode(self.game, positions, False)

    def run(self, planes):
        seen = planes.reshape(len(planes), -1)
        return seen @ self.policy, seen @ self.value


@pytest.mark.parametrize("game", [Hex(5), Gomoku(6, line=4), Hex(5, swap=True)], ids=str)
def test_the_mean_is_the_same_of_a_position_and_of_its_images(game):
    network = Linear(game)
    mean = TurnedEvaluator(network, "mean")
    views = game.move_views()
    for turn in game.symmetries()[1:]:
        positions, images = _positions_and_images(game, turn)
        policy, value = mean(game, positions)
        policy_of_image, value_of_image = mean(game, images)
        assert np.allclose(value, value_of_image, atol=1e-4)
        assert np.allclose(policy[:, views[0]], policy_of_image[:, views[0][turn]], atol=1e-4)
        assert not np.allclose(value, network.run(network.encode(positions))[1], atol=0.01)


def test_a_single_look_is_one_at_some_image_and_always_the_same_one():
    game = Gomoku(6, line=4)
    network = Linear(game)
    positions, _ = _positions_and_images(game, game.symmetries()[0])
    policy, value = TurnedEvaluator(network, "random")(game, positions)
    again, _ = TurnedEvaluator(network, "random")(game, positions[::-1])
    assert np.array_equal(policy, again[::-1])
    found = np.zeros(len(positions), np.int64)
    for turn in game.symmetries():
        said, worth = network.run(network.encode(_positions_and_images(game, turn)[1]))
        # outputs of Gomoku are its moves
        fits = np.isclose(value, worth, atol=1e-3) & np.isclose(policy, said[:, turn], atol=1e-3).all(axis=1)
        assert fits.mean() > 0.05  # each of the eight images is asked about, now and then
        found += fits
    assert found.min() >= 1


def test_it_is_refused_where_it_would_do_nothing():
    with pytest.raises(SpecError, match=r"symmetry=mean would do nothing: .* no symmetries"):
        TurnedEvaluator(Linear(Nim(3)), "mean")
    with pytest.raises(SpecError, match="symmetry is one of off, random, mean, not 'all'"):
        parse_agent("zero,symmetry=all:hex-7")
    with pytest.raises(SpecError, match="joined has no option"):
        parse_agent("joined,symmetry=mean:hex-7")


def test_zero_asks_about_images_when_it_is_told_to():
    game = parse_game("hex:7")
    told = parse_agent("zero,symmetry=mean:hex-7").make(game)
    assert isinstance(told.evaluator, TurnedEvaluator)
    assert isinstance(parse_agent("zero:hex-7").make(game).evaluator, OnnxEvaluator)
    assert find_network("hex-7").is_file()
