"""The network that learns: Keras, on TensorFlow unless ``KERAS_BACKEND`` says otherwise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.evaluators.format import FORMAT_VERSION, rules_hash
from tengen.games import game_spec
from tengen.games.types import Planes
from tengen.games.verbs import Game
from tengen.networks.layers import Convolution, Dense, DenseTrunk, Head, Plain, ResidualTrunk, Trunk, fold
from tengen.networks.onnx_writer import onnx_file
from tengen.networks.quantization import see_ranges
from tengen.networks.quiet import keras
from tengen.networks.settings import NetworkSettings

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float32]

POLICY_CHANNELS, VALUE_CHANNELS = 16, 8
"""Channels between the trunk of a residual network and the outputs of its heads."""
POOLED_CHANNELS = 32
"""In place of `VALUE_CHANNELS` where only their means and maxima are seen."""
FORGETTING = 0.9
"""Momentum of the running means of batch normalisation: a run here has hundreds of steps, not millions."""


class Network:
    """The actor (ANET), with a critic if the settings want one."""

    def __init__(
        self,
        game: Game,
        settings: NetworkSettings,
        seed: int = 0,
        entropy_bonus: float = 0.0,
        value_weight: float = 1.0,
    ) -> None:
        self.game = game
        self.settings = settings
        self._half = (settings.value_high - settings.value_low) / 2
        self._middle = (settings.value_high + settings.value_low) / 2
        self.outputs = int(game.move_views().shape[1])
        planes = game.plane_count() + (1 if settings.indicator else 0)
        self.shape = (planes, game.plane_rows(), game.plane_columns())
        cells = self.shape[1] * self.shape[2]
        says = getattr(game, "moves_are_cells", None)
        on_cells = self.outputs >= cells if says is None else bool(says())
        self.moves_are_cells = settings.kind == "residual" and on_cells
        self._planes_out, self._extra = divmod(self.outputs, cells)
        keras.utils.set_random_seed(seed)
        self.model = self._build()
        losses: dict[str, Any] = {"policy": _policy_loss(self.outputs, entropy_bonus)}
        if settings.critic:
            losses["value"] = "mean_squared_error"
        config = {"weight_decay": settings.weight_decay} if settings.weight_decay else {}
        optimizer = keras.optimizers.get({"class_name": settings.optimizer, "config": config})
        optimizer.learning_rate = settings.learning_rate
        weights = {"policy": 1.0, "value": value_weight} if settings.critic else None
        metrics = {"policy": [_entropy_metric(self.outputs)]}
        self.model.compile(optimizer=optimizer, loss=losses, loss_weights=weights, metrics=metrics, jit_compile=False)
        optimizer.build(self.model.trainable_variables)

    # --- what it is made of. Names of layers are found again in `plain`.

    def _build(self) -> Any:
        planes = keras.Input(self.shape, name="planes")
        trunk = self._residual_trunk if self.settings.kind == "residual" else self._dense_trunk
        x = trunk(planes, "trunk0")
        outputs = {"policy": self._policy_head(x)}
        if self.settings.critic:
            outputs["value"] = self._value_head(trunk(planes, "trunk1") if self.settings.separate else x)
        return keras.Model(planes, outputs)

    def _dense_trunk(self, planes: Any, name: str) -> Any:
        x = keras.layers.Flatten(data_format="channels_last")(planes)  # keeps the order of the numbers
        for i, neurons in enumerate(self.settings.layers):
            x = keras.layers.Dense(neurons, activation=self.settings.activation, name=f"{name}_hidden{i}")(x)
        return x

    def _residual_trunk(self, planes: Any, name: str) -> Any:
        channels, active = self.settings.channels, keras.layers.Activation
        x = keras.layers.Permute((2, 3, 1))(planes)  # channels last: the only order in which TensorFlow trains on a CPU
        x = self._convolution(x, channels, self.settings.first_kernel, f"{name}_first")
        x = active(self.settings.activation)(x)
        for b in range(self.settings.blocks):
            middle = active(self.settings.activation)(self._convolution(x, channels, 3, f"{name}_block{b}_one"))
            end = self._convolution(middle, channels, 3, f"{name}_block{b}_two")
            x = active(self.settings.activation)(keras.layers.Add()([end, x]))
        return x

    def _convolution(self, x: Any, channels: int, width: int, name: str) -> Any:
        size = (
            min(width, 2 * self.shape[1] - 1),
            min(width, 2 * self.shape[2] - 1),
        )  # more would see nothing but the border
        x = keras.layers.Conv2D(channels, size, padding="same", use_bias=False, name=name)(x)
        return keras.layers.BatchNormalization(momentum=FORGETTING, name=f"{name}_norm")(x)

    def _policy_head(self, x: Any) -> Any:
        if self.settings.kind == "dense":
            return keras.layers.Dense(self.outputs, name="policy")(x)
        middle = self._convolution(x, POLICY_CHANNELS, 1, "policy_middle")
        middle = keras.layers.Activation(self.settings.activation)(middle)
        if not self.moves_are_cells:
            return keras.layers.Dense(self.outputs, name="policy")(keras.layers.Flatten()(middle))
        cells = keras.layers.Conv2D(self._planes_out, 1, name="policy_cells")(middle)
        cells = keras.layers.Flatten()(keras.layers.Permute((3, 1, 2))(cells))
        if not self._extra:
            return cells
        extra = keras.layers.Dense(self._extra, name="policy_extra")(keras.layers.GlobalAveragePooling2D()(x))
        return keras.layers.Concatenate()([cells, extra])

    def _value_head(self, x: Any) -> Any:
        if self.settings.kind == "residual":
            x = self._convolution(x, POOLED_CHANNELS if self.settings.pooled else VALUE_CHANNELS, 1, "value_middle")
            x = keras.layers.Activation(self.settings.activation)(x)
            if self.settings.pooled:
                pools = keras.layers.GlobalAveragePooling2D(), keras.layers.GlobalMaxPooling2D()
                x = keras.layers.Concatenate()([pool(x) for pool in pools])
            else:
                x = keras.layers.Flatten()(x)
            for i, neurons in enumerate(self.settings.layers):
                x = keras.layers.Dense(neurons, activation=self.settings.activation, name=f"value_hidden{i}")(x)
        return keras.layers.Dense(1, activation="tanh", name="value")(x)

    # --- using and training it

    def predict(self, planes: Planes) -> tuple[Floats, Floats]:
        """The policy over all outputs, legal or not, and the value; zero where there is no critic."""
        answers = self.model.predict_on_batch(planes)
        logits = np.asarray(answers["policy"])
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        policy = weights / weights.sum(axis=1, keepdims=True)
        if not self.settings.critic:
            return policy, np.zeros(len(planes), np.float32)
        value = self._middle + self._half * np.asarray(answers["value"], np.float32)[:, 0]
        return policy, value.astype(np.float32)

    def train(self, planes: Planes, policy: Floats, legal: Floats, value: Floats) -> dict[str, float]:
        """One step on a minibatch: cross-entropy against `policy` (the visit distributions, or the moves played, times their
        advantages) over the legal moves, and squared error of the values. All in the order of the network's outputs.
        The losses before the step (the critic's in halves of its range) and the mean entropy, in nats, of the policy over the
        legal moves."""
        targets = {"policy": np.concatenate([policy, legal], axis=1)}
        if self.settings.critic:
            targets["value"] = np.clip((value - self._middle) / self._half, -1, 1).astype(np.float32)[:, None]
        self.model.reset_metrics()  # or the losses would be means over all steps so far
        logs = self.model.train_on_batch(planes, targets, return_dict=True)
        figures = {"policy_loss": float(logs.get("policy_loss", logs["loss"]))}
        if self.settings.critic:
            figures["value_loss"] = float(logs["value_loss"])
        figures["entropy"] = float(logs["policy_entropy" if "policy_entropy" in logs else "entropy"])
        return figures

    # --- as a table of what moves are worth, for Q-learning

    def learn_values_of_moves(self) -> None:
        """From here on the outputs of the policy are what each move is worth (Q), and are taught so. Its file can be played with
        as it is: the most likely move is the one that is worth most."""
        self.model.compile(
            optimizer=self.model.optimizer, loss={"policy": _chosen_move_loss(self.outputs)}, jit_compile=False
        )

    def values_of_moves(self, planes: Planes) -> Floats:
        """What each move is worth [n, outputs], legal or not."""
        return np.asarray(self.model.predict_on_batch(planes)["policy"], np.float32)

    def train_values_of_moves(self, planes: Planes, chosen: NDArray[np.int64], wanted: Floats) -> float:
        """One step on a minibatch: the Huber loss of what the chosen moves are worth; the loss before the step."""
        target = np.zeros((len(planes), 2 * self.outputs), np.float32)
        rows = np.arange(len(planes))
        target[rows, chosen], target[rows, self.outputs + chosen] = wanted, 1.0
        self.model.reset_metrics()
        return float(self.model.train_on_batch(planes, {"policy": target}, return_dict=True)["loss"])

    def set_learning_rate(self, rate: float) -> None:
        """From the next step on."""
        self.model.optimizer.learning_rate = rate

    # --- state, in arrays that hold no code

    def _variables(self) -> dict[str, Any]:
        variables = {f"weight_{i}": v for i, v in enumerate(self.model.weights)}
        return variables | {f"optimizer_{i}": v for i, v in enumerate(self.model.optimizer.variables)}

    def state(self) -> Arrays:
        """Weights and optimizer: all that training needs to go on."""
        return {name: np.asarray(keras.ops.convert_to_numpy(variable)) for name, variable in self._variables().items()}

    def load_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """The inverse of `state`; ValueError when it is the state of another network."""
        for name, variable in self._variables().items():
            if name not in state or tuple(state[name].shape) != tuple(variable.shape):
                raise ValueError(f"{name} does not fit this network")
            variable.assign(state[name])
        self.set_learning_rate(self.settings.learning_rate)  # the settings' word counts, not the old state's

    # --- the file to play with

    def onnx(self, calibration: Planes | None = None, **about: object) -> bytes:
        """The network as a file to play with; `about` is kept in it. In eight bits where it can see, in the positions of
        `calibration`, how large its numbers become."""
        metadata = {
            "format": str(FORMAT_VERSION),
            "game": game_spec(self.game),
            "rules": rules_hash(self.game),
            "network": json.dumps(asdict(self.settings)),
            **{key: json.dumps(value) for key, value in about.items()},
        }
        plain = self.plain()
        return onnx_file(plain, metadata, None if calibration is None else see_ranges(plain, calibration))

    def plain(self) -> Plain:
        """The network as numbers, normalisation folded in, in the order of the planes: channels first."""
        names = ["trunk0", "trunk1"] if self.settings.separate else ["trunk0"]
        if self.settings.kind == "dense":
            layers = range(len(self.settings.layers))
            trunks: tuple[Trunk, ...] = tuple(
                DenseTrunk(tuple(self._dense(f"{name}_hidden{i}") for i in layers)) for name in names
            )
            policy = Head((), (self._dense("policy"),))
            value = Head((), (self._dense("value"),)) if self.settings.critic else None
        else:
            trunks = tuple(self._plain_trunk(name) for name in names)
            policy = self._plain_policy()
            value = self._plain_value() if self.settings.critic else None
        stands_for = (self.settings.value_low, self.settings.value_high)
        return Plain(self.shape, self.settings.activation, self.outputs, trunks, policy, value, stands_for)

    def _plain_trunk(self, name: str) -> ResidualTrunk:
        blocks = range(self.settings.blocks)
        return ResidualTrunk(
            self._folded(f"{name}_first"),
            tuple((self._folded(f"{name}_block{b}_one"), self._folded(f"{name}_block{b}_two")) for b in blocks),
        )

    def _plain_policy(self) -> Head:
        middle = self._folded("policy_middle")
        if not self.moves_are_cells:
            return Head((middle,), (self._behind_channels("policy", POLICY_CHANNELS),))
        weights, biases = self.model.get_layer("policy_cells").get_weights()
        cells = Convolution(np.ascontiguousarray(weights.transpose(3, 2, 0, 1)), biases)
        return Head((middle, cells), (), self._dense("policy_extra") if self._extra else None)

    def _plain_value(self) -> Head:
        names = self._value_layers()
        first, *others = names
        if self.settings.pooled:
            layers = tuple(self._dense(name) for name in names)
            return Head((self._folded("value_middle"),), layers, pooled=True)
        return Head(
            (self._folded("value_middle"),),
            (self._behind_channels(first, VALUE_CHANNELS), *(self._dense(name) for name in others)),
        )

    def _dense(self, name: str) -> Dense:
        return Dense(*self.model.get_layer(name).get_weights())

    def _behind_channels(self, name: str, channels: int) -> Dense:
        """A layer behind flattened channels, which Keras has last and the file has first."""
        weights, biases = self.model.get_layer(name).get_weights()
        _, rows, columns = self.shape
        ordered = weights.reshape(rows, columns, channels, -1).transpose(2, 0, 1, 3)
        return Dense(ordered.reshape(len(weights), -1), biases)

    def to_keras(self, name: str, weights: Floats) -> Floats:
        """The weights of a dense layer of the file in the order of Keras: the inverse of what `plain` does."""
        _, rows, columns = self.shape
        channels = len(weights) // (rows * columns)
        behind = name == "policy" or (name == self._value_layers()[0] and not self.settings.pooled)
        if self.settings.kind == "dense" or not behind:
            return weights
        return weights.reshape(channels, rows, columns, -1).transpose(1, 2, 0, 3).reshape(len(weights), -1)

    def _value_layers(self) -> list[str]:
        """The dense layers of the critic's head in a residual network."""
        return [*(f"value_hidden{i}" for i in range(len(self.settings.layers))), "value"]

    def _folded(self, name: str) -> Convolution:
        (kernel,) = self.model.get_layer(name).get_weights()
        norm = self.model.get_layer(f"{name}_norm")
        gamma, beta, mean, variance = norm.get_weights()
        return fold(kernel, gamma, beta, mean, variance, norm.epsilon)


def _policy_loss(outputs: int, entropy_bonus: float) -> Any:
    """Cross-entropy of the softmax over the legal moves alone, which is the softmax over all with illegal ones set to zero and
    the rest renormalised. The target holds the distribution and, behind it, a one for each legal move.

    The target need not be a distribution: with one move's advantage in its place it is the policy gradient's −log π(a)·(z − v).
    The bonus rewards policies that leave many moves open.
    """

    def loss(target: Any, logits: Any) -> Any:
        distribution, legal = target[:, :outputs], target[:, outputs:]
        logs = _masked_logs(logits, legal)
        total = -keras.ops.sum(distribution * logs, axis=-1)
        if entropy_bonus:
            total = total - entropy_bonus * _entropy(logs)
        return _where_someone_chooses(total, legal)

    return loss


def _chosen_move_loss(outputs: int) -> Any:
    """Huber's loss of one output in each case. The target holds what it should be and, behind, a one in its place."""

    def loss(target: Any, worth: Any) -> Any:
        wanted, mask = target[:, :outputs], target[:, outputs:]
        error = keras.ops.sum(mask * keras.ops.abs(wanted - worth), axis=-1)
        return keras.ops.where(error < 1.0, 0.5 * error * error, error - 0.5)

    return loss


def _entropy_metric(outputs: int) -> Any:
    """The entropy of that softmax; it is worked out with the loss, and costs nothing beside it."""

    def entropy(target: Any, logits: Any) -> Any:
        legal = target[:, outputs:]
        return _where_someone_chooses(_entropy(_masked_logs(logits, legal)), legal)

    return entropy


def _where_someone_chooses(figures: Any, legal: Any) -> Any:
    """Figures whose mean is that over the cases with legal moves; others teach the critic alone."""
    chosen = keras.ops.cast(keras.ops.any(legal > 0, axis=-1), figures.dtype)
    return figures * chosen / keras.ops.maximum(keras.ops.mean(chosen), 1e-6)


def _masked_logs(logits: Any, legal: Any) -> Any:
    """Logarithms of the policy over the legal moves."""
    return keras.ops.log_softmax(keras.ops.where(legal > 0, logits, keras.ops.full_like(logits, -1e9)))


def _entropy(logs: Any) -> Any:
    """In nats."""
    return -keras.ops.sum(keras.ops.exp(logs) * logs, axis=-1)
