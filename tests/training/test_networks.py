"""Networks: what Keras says, the ONNX file says too; they learn; and no file can harm."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

keras = pytest.importorskip("keras", reason="networks are trained with the extra [train]")

from tengen.agents.network import NetAgent
from tengen.errors import SpecError
from tengen.evaluators.encoding import encode
from tengen.evaluators.onnx import BadNetworkFile, OnnxEvaluator
from tengen.games import Gomoku, Hex, Nim, Position
from tengen.networks.network import Network
from tengen.networks.settings import ACTIVATIONS, OPTIMIZERS, NetworkSettings
from tengen.networks.starting import start_from, weights_of
from tengen.training.loop import Learner


def some_positions(game, n, seed=1):
    chooser = np.random.default_rng(seed)
    arrays = []
    while len(arrays) < n:
        position = Position(game)
        for _ in range(chooser.integers(0, 6)):
            if not position.is_over:
                position.play(int(chooser.choice(position.legal_moves)))
        if not position.is_over:
            arrays.append(position.array)
    return np.stack(arrays)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("layers", "critic"), [((), True), ((16,), False), ((32, 16, 8), True)])
@pytest.mark.parametrize("game", [Hex(4), Gomoku(3, line=3), Nim(3)], ids=str)
def test_the_file_says_what_keras_says(game, layers, critic, activation):
    network = Network(game, NetworkSettings(layers=layers, activation=activation, critic=critic), seed=1)
    positions = some_positions(game, 7)
    expected = network.predict(encode(game, positions, indicator=True))
    found = OnnxEvaluator(network.onnx(), game)(game, positions)
    assert found[0] == pytest.approx(expected[0], abs=1e-6)
    assert found[1] == pytest.approx(expected[1], abs=1e-6)
    assert critic or not found[1].any()


RESIDUAL = NetworkSettings(kind="residual", blocks=2, channels=8, layers=(8,), critic=True)


def with_random_weights(game, settings):
    """A network whose normalisation is not the initial one, either."""
    network = Network(game, settings, seed=1)
    chooser = np.random.default_rng(1)
    for variable in network.model.weights:
        value = (
            chooser.uniform(0.5, 1.5, variable.shape)
            if "variance" in variable.path
            else chooser.normal(0, 0.3, variable.shape)
        )
        variable.assign(value)
    return network


@pytest.mark.parametrize(
    ("game", "changes"),
    [
        (Hex(4), {}), (Hex(3, swap=True), {}), (Gomoku(5, line=3), {}), (Nim(3), {}),
        (Hex(4), {"critic": False, "layers": NetworkSettings.layers}), (Hex(4), {"separate": True}), (Hex(4), {"layers": ()}), (Hex(4), {"activation": "tanh"}),
        (Hex(4), {"first_kernel": 3}),
    ],
    ids=str,
)  # fmt: skip
def test_the_file_of_a_residual_network_says_what_keras_says(game, changes):
    """With moves that are the cells of the board, with one more (swap), and with moves that are no cells (nim)."""
    network = with_random_weights(game, replace(RESIDUAL, **changes))
    positions = some_positions(game, 7)
    expected = network.predict(encode(game, positions, indicator=True))
    found = OnnxEvaluator(network.onnx(), game)(game, positions)
    assert found[0] == pytest.approx(expected[0], abs=1e-5)
    assert found[1] == pytest.approx(expected[1], abs=1e-5)


@pytest.mark.parametrize("separate", [False, True])
def test_eight_bits_say_nearly_the_same(separate):
    game = Gomoku(5, line=3)
    network = with_random_weights(game, replace(RESIDUAL, separate=separate, channels=16))
    positions = some_positions(game, 64)
    planes = encode(game, positions, indicator=True)
    full = OnnxEvaluator(network.onnx(), game)(game, positions)
    rounded = OnnxEvaluator(network.onnx(calibration=planes), game)(game, positions)
    assert not np.array_equal(full[0], rounded[0])
    assert np.abs(full[0] - rounded[0]).max() < 0.02
    assert np.abs(full[1] - rounded[1]).max() < 0.05
    kinds = [node.op_type for node in onnx_model(network.onnx(calibration=planes)).graph.node]
    trunks = 2 if separate else 1
    assert kinds.count("QuantizeLinear") == 1 + trunks * (1 + 3 * 2)  # planes, first convolution, three in each block


def onnx_model(data):
    import onnx

    return onnx.load_from_string(data)


def test_separate_networks_share_nothing():
    """Training the critic alone moves the actor only where they have a trunk in common."""
    game = Hex(3)
    planes = encode(game, some_positions(game, 8), indicator=True)
    nothing, legal = np.zeros((8, 9), np.float32), np.ones((8, 9), np.float32)
    for kind in ("dense", "residual"):
        for separate in (True, False):
            settings = NetworkSettings(layers=(8,), critic=True, separate=separate, learning_rate=0.05)
            if kind == "residual":
                settings = replace(RESIDUAL, blocks=1, separate=separate, learning_rate=0.05)
            network = Network(game, settings, seed=1)
            before = network.model.get_layer("trunk0_first" if kind == "residual" else "trunk0_hidden0").get_weights()[
                0
            ]
            network.train(planes, nothing, legal, np.ones(8, np.float32))
            after = network.model.get_layer("trunk0_first" if kind == "residual" else "trunk0_hidden0").get_weights()[0]
            assert np.array_equal(before, after) == separate, (kind, separate)


def test_the_policy_gradient_makes_good_moves_likelier_and_bad_ones_rarer():
    game = Hex(3)
    planes = encode(game, Position(game).array[None], indicator=True)
    legal = np.ones((1, 9), np.float32)
    for advantage in (1.0, -1.0):
        network = Network(game, NetworkSettings(layers=(8,), optimizer="sgd", learning_rate=0.1), seed=1)
        before = network.predict(planes)[0][0, 4]
        target = np.zeros((1, 9), np.float32)
        target[0, 4] = advantage
        network.train(planes, target, legal, np.zeros(1, np.float32))
        assert (network.predict(planes)[0][0, 4] > before) == (advantage > 0)


@pytest.mark.parametrize("normalised", [False, True])
def test_the_policy_gradient_is_of_the_move_played_and_of_what_it_was_worth_more(normalised):
    """(z − v(s)), by hand, and nothing for the moves that were not played."""
    learner = SimpleNamespace(
        network=SimpleNamespace(predict=lambda planes: (None, np.array([0.5, -0.5, 0.0], np.float32))),
        config=SimpleNamespace(training=SimpleNamespace(normalise_advantage=normalised)),
    )
    batch = SimpleNamespace(
        policy=np.zeros((3, 4), np.float32), played=np.array([2, 0, 3]), value=np.array([1.0, 1.0, -1.0], np.float32)
    )
    target = Learner._policy_gradient(learner, None, batch)
    advantages = np.array([0.5, 1.5, -1.0])
    if normalised:
        advantages = (advantages - advantages.mean()) / advantages.std()
    expected = np.zeros((3, 4))
    expected[[0, 1, 2], [2, 0, 3]] = advantages
    np.testing.assert_allclose(target, expected, atol=1e-6)


def test_the_entropy_bonus_and_weight_decay_do_what_they_say():
    game = Hex(3)
    planes = encode(game, some_positions(game, 8), indicator=True)
    nothing, legal = np.zeros((8, 9), np.float32), np.ones((8, 9), np.float32)

    def entropy(bonus):
        network = Network(game, NetworkSettings(layers=(8,), learning_rate=0.05), seed=1, entropy_bonus=bonus)
        for _ in range(20):
            figures = network.train(planes, nothing, legal, np.zeros(8, np.float32))
        return figures["entropy"]

    assert entropy(0.5) > entropy(0.0) + 1e-4
    size = {}
    for decay in (0.0, 0.5):
        network = Network(game, NetworkSettings(layers=(8,), learning_rate=0.1, weight_decay=decay), seed=1)
        network.train(planes, nothing, legal, np.zeros(8, np.float32))
        size[decay] = float(np.abs(network.state()["weight_0"]).sum())
    assert size[0.5] < 0.99 * size[0.0]


def test_the_file_tells_what_it_is():
    network = Network(Hex(4), NetworkSettings(layers=(8,)))
    about = OnnxEvaluator(network.onnx(games=50)).about
    assert about.game == "hex:4"
    assert about.settings["layers"] == [8]
    assert about.more["games"] == 50


def test_the_player_to_move_is_visible():
    game = Gomoku(3, line=3)
    black, white = Position(game), Position.from_cells(game, [0] * 9, to_move=1)
    with_indicator = encode(game, np.stack([black.array, white.array]), indicator=True)
    assert with_indicator.shape[1] == game.plane_count() + 1
    assert with_indicator[0, -1].tolist() == np.zeros((3, 3)).tolist()
    assert with_indicator[1, -1].tolist() == np.ones((3, 3)).tolist()
    network = Network(game, NetworkSettings(layers=(8,)), seed=1)
    a, b = network.predict(with_indicator)[0]
    assert np.abs(a - b).max() > 1e-4
    assert Network(game, NetworkSettings(indicator=False)).shape[0] == game.plane_count()


def test_illegal_moves_get_exactly_nothing_and_the_rest_adds_up(tmp_path):
    game = Hex(4)
    file = tmp_path / "net.onnx"
    file.write_bytes(Network(game, NetworkSettings()).onnx())
    agent = NetAgent(game, file)
    position = Position(game, ["a1", "b2", "c3"])
    moves, probabilities = agent.policy(position)
    assert moves == position.legal_moves
    assert sum(probabilities) == pytest.approx(1)


@pytest.mark.parametrize(
    "settings",
    [
        NetworkSettings(layers=(64, 64), learning_rate=0.01),
        NetworkSettings(layers=(64, 64), learning_rate=0.01, critic=True),
        NetworkSettings(kind="residual", blocks=1, channels=16, layers=(32,), learning_rate=0.01, critic=True),
    ],
    ids=["dense", "dense with critic", "residual"],
)
def test_a_network_overfits_32_positions(settings):
    game = Hex(4)
    positions = np.unique(some_positions(game, 200), axis=0)[:32]
    assert len(positions) == 32
    chooser = np.random.default_rng(1)
    policy, legal = np.zeros((32, 16), np.float32), np.zeros((32, 16), np.float32)
    views = game.move_views()
    for i, array in enumerate(positions):
        position = Position(game)
        position.array[:] = array
        outputs = views[game.move_view(array)][position.legal_moves]
        legal[i, outputs] = 1
        policy[i, chooser.choice(outputs)] = 1
    value = chooser.choice([-1.0, 1.0], 32).astype(np.float32)
    network = Network(game, settings, seed=1)
    planes = encode(game, positions, indicator=True)
    first = network.train(planes, policy, legal, value)
    for _ in range(300):
        last = network.train(planes, policy, legal, value)
    assert first["policy_loss"] > 1.0
    assert last["policy_loss"] < 0.05
    if settings.critic:
        assert last["value_loss"] < 0.05
    moves, values = OnnxEvaluator(network.onnx(), game)(game, positions)  # not only while it trains
    assert ((moves * legal).argmax(axis=1) == policy.argmax(axis=1)).mean() > 0.95
    assert not settings.critic or (np.sign(values) == value).mean() > 0.95


def test_an_illegal_move_pulls_at_nothing():
    """The loss looks at the legal moves alone: weight on an illegal one changes neither loss nor gradient."""
    game = Hex(3)
    planes = encode(game, Position(game, ["a1"]).array[None], indicator=True)
    legal = np.ones((1, 9), np.float32)
    legal[0, 0] = 0
    policy = legal / 8
    network = Network(game, NetworkSettings(layers=(8,)), seed=1)
    before = network.train(planes, policy, legal, np.zeros(1, np.float32))["policy_loss"]
    layer = network.model.get_layer("policy")
    weights, biases = layer.get_weights()
    biases[0] += 30.0
    layer.set_weights([weights, biases])
    after = network.train(planes, policy, legal, np.zeros(1, np.float32))["policy_loss"]
    assert after == pytest.approx(before, abs=0.05)


@pytest.mark.parametrize("critic", [False, True])
def test_the_entropy_is_that_of_the_policy_over_the_legal_moves(critic):
    game = Hex(3)
    positions = some_positions(game, 8)
    planes = encode(game, positions, indicator=True)
    chooser = np.random.default_rng(1)
    legal = (chooser.random((8, 9)) < 0.6).astype(np.float32)
    legal[:, 0] = 1
    network = Network(game, NetworkSettings(layers=(8,), critic=critic), seed=1)
    policy = network.predict(planes)[0] * legal
    policy /= policy.sum(axis=1, keepdims=True)
    expected = -np.sum(policy * np.log(policy, where=policy > 0, out=np.zeros_like(policy)), axis=1).mean()
    figures = network.train(planes, legal / legal.sum(axis=1, keepdims=True), legal, np.zeros(8, np.float32))
    assert figures["entropy"] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_state_goes_round_with_the_optimizer(optimizer):
    game = Hex(3)
    settings = NetworkSettings(layers=(8,), optimizer=optimizer, learning_rate=0.05, critic=True)
    planes = encode(game, some_positions(game, 8), indicator=True)
    batch = np.full((8, 9), 1 / 9, np.float32), np.ones((8, 9), np.float32), np.ones(8, np.float32)
    one, two = Network(game, settings, seed=1), Network(game, settings, seed=2)
    for _ in range(3):
        one.train(planes, *batch)
    two.load_state(one.state())
    for _ in range(3):
        assert one.train(planes, *batch) == two.train(planes, *batch)
    assert one.predict(planes)[0] == pytest.approx(two.predict(planes)[0])
    faster = Network(game, NetworkSettings(layers=(8,), optimizer=optimizer, learning_rate=0.5, critic=True))
    faster.load_state(one.state())
    assert float(faster.model.optimizer.learning_rate) == pytest.approx(0.5)  # a rate changed on resuming is kept
    with pytest.raises(ValueError, match="fit"):
        Network(game, NetworkSettings(layers=(9,))).load_state(one.state())


def test_optimizers_and_learning_rates_do_what_they_say():
    game = Hex(3)
    planes = encode(game, some_positions(game, 8), indicator=True)
    batch = np.full((8, 9), 1 / 9, np.float32), np.ones((8, 9), np.float32), np.ones(8, np.float32)
    moved = {}
    for optimizer in OPTIMIZERS:
        for rate in (0.001, 0.1):
            network = Network(game, NetworkSettings(layers=(8,), optimizer=optimizer, learning_rate=rate), seed=1)
            before = network.state()["weight_0"]
            network.train(planes, *batch)
            moved[optimizer, rate] = float(np.abs(network.state()["weight_0"] - before).max())
        assert moved[optimizer, 0.1] > 10 * moved[optimizer, 0.001] > 0
    assert len({round(moved[optimizer, 0.1], 6) for optimizer in OPTIMIZERS}) >= 3


@pytest.mark.parametrize(
    "bad",
    [
        {"activation": "swish"}, {"optimizer": "lion"}, {"layers": (0,)}, {"layers": (8,) * 30}, {"learning_rate": 0.0},
        {"kind": "conv"}, {"kind": "residual", "blocks": 0}, {"kind": "residual", "channels": 5000},
        {"kind": "residual", "first_kernel": 4}, {"blocks": 7}, {"channels": 7}, {"first_kernel": 7}, {"separate": True},
        {"weight_decay": -1.0}, {"kind": "residual", "layers": (8,)},
    ],
)  # fmt: skip
def test_bad_settings_are_refused(bad):
    with pytest.raises(SpecError):
        NetworkSettings(**bad)


def test_hostile_and_damaged_files_are_one_line(tmp_path):
    import onnx

    good = Network(Hex(4), NetworkSettings(layers=(8,))).onnx()
    foreign = onnx.load_from_string(good)
    del foreign.metadata_props[:]
    other = onnx.load_from_string(good)
    for entry in other.metadata_props:
        if entry.key == "format":
            entry.value = "999"
    files = {
        "empty": b"", "garbage": b"\x00\xff" * 500, "truncated": good[: len(good) // 2], "pickle": b"\x80\x04K*.",
        "foreign": foreign.SerializeToString(), "future": other.SerializeToString(),
    }  # fmt: skip
    for name, data in files.items():
        file = tmp_path / f"{name}.onnx"
        file.write_bytes(data)
        with pytest.raises(BadNetworkFile) as caught:
            OnnxEvaluator(file, Hex(4))
        assert "\n" not in str(caught.value), name
    file.write_bytes(good)
    for game in (Hex(5), Gomoku(4, line=3)):
        with pytest.raises(BadNetworkFile, match="made for hex:4"):
            OnnxEvaluator(file, game)
    with pytest.raises(BadNetworkFile, match="cannot be read"):
        OnnxEvaluator(tmp_path / "absent.onnx")


STARTS = [
    (Hex(4), {}), (Hex(4), {"pooled": True}), (Hex(3, swap=True), {}), (Hex(4), {"separate": True, "activation": "tanh"}), (Nim(3), {}),
    (Hex(4), {"critic": False, "layers": NetworkSettings.layers}), (Hex(4), {"kind": "dense", "blocks": 4, "channels": 32}),
]  # fmt: skip


@pytest.mark.parametrize(("game", "changes"), STARTS, ids=str)
def test_a_network_starts_from_another(game, changes):
    """It says the same as the other one does, in play and, on these positions, in training, where normalisation is by minibatch."""
    settings = replace(RESIDUAL, **changes)
    other, network = with_random_weights(game, settings), Network(game, settings, seed=2)
    planes = encode(game, some_positions(game, 9), indicator=True)
    assert start_from(network, other.onnx(), planes) == []
    expected, found = other.predict(planes), network.predict(planes)
    assert found[0] == pytest.approx(expected[0], abs=1e-4)
    assert found[1] == pytest.approx(expected[1], abs=1e-4)
    learning = network.model(planes, training=True)["policy"]
    assert np.asarray(learning) == pytest.approx(network.model.predict_on_batch(planes)["policy"], abs=1e-3)


def test_on_another_board_what_convolutions_know_is_kept():
    small, large = Hex(4), Hex(6)
    planes = encode(large, some_positions(large, 9), indicator=True)
    for pooled, anew in ((True, []), (False, ["the critic's head"])):
        settings = replace(RESIDUAL, pooled=pooled)
        other, network = with_random_weights(small, settings), Network(large, settings, seed=2)
        assert start_from(network, other.onnx(), planes) == anew
        ours, theirs = weights_of(network.onnx()), weights_of(other.onnx())
        kept = {name for name in ours if not (anew and name.startswith("value_head"))}
        found = {name: array for name, array in ours.items() if name in kept}
        assert all(array == pytest.approx(theirs[name], abs=1e-4) for name, array in found.items())


def test_what_is_no_start_is_refused_in_one_line():
    game = Hex(4)
    planes = encode(game, some_positions(game, 9), indicator=True)
    network = Network(game, RESIDUAL)
    wider = Network(game, replace(RESIDUAL, channels=16)).onnx()
    for file, words in (
        (b"nothing", "damaged"),
        (wider, "another trunk: trunk0_block0_middle_raw_biases is 16 there and 8 here"),
        (network.onnx(planes), "eight bits"),
    ):
        with pytest.raises(SpecError, match=words):
            start_from(network, file, planes)


def test_a_pooled_critic_sees_means_and_maxima_alone():
    """Its value does not change when what it sees is turned about the board: here, the same planes read backwards."""
    game = Gomoku(5, line=3)
    settings = replace(RESIDUAL, blocks=1, first_kernel=1, pooled=True, indicator=False)
    network = with_random_weights(game, settings)
    for b in ("one", "two"):  # a convolution that sees one cell
        layer = network.model.get_layer(f"trunk0_block0_{b}")
        kernel = np.zeros(layer.kernel.shape)
        kernel[1, 1] = np.asarray(layer.kernel)[1, 1]
        layer.set_weights([kernel])
    planes = encode(game, some_positions(game, 9), indicator=False)
    evaluator = OnnxEvaluator(network.onnx(), game)
    assert evaluator.run(np.ascontiguousarray(planes[:, :, ::-1, ::-1]))[1] == pytest.approx(
        evaluator.run(planes)[1], abs=1e-5
    )
    assert network.predict(planes)[1] == pytest.approx(evaluator.run(planes)[1], abs=1e-5)
