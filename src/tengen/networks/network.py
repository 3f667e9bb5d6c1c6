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
from tengen.networks.onnx_writer import dense_network
from tengen.networks.quiet import keras
from tengen.networks.settings import NetworkSettings

Arrays = dict[str, NDArray[Any]]


class Network:
    """The actor (ANET), with a critic if the settings want one."""

    def __init__(self, game: Game, settings: NetworkSettings, seed: int = 0) -> None:
        self.game = game
        self.settings = settings
        self.outputs = int(game.move_views().shape[1])
        planes = game.plane_count() + (1 if settings.indicator else 0)
        self.shape = (planes, game.plane_rows(), game.plane_columns())
        keras.utils.set_random_seed(seed)
        self.model = self._build()
        losses: dict[str, Any] = {"policy": _masked_cross_entropy(self.outputs)}
        if settings.critic:
            losses["value"] = "mean_squared_error"
        optimizer = keras.optimizers.get({"class_name": settings.optimizer, "config": {}})
        optimizer.learning_rate = settings.learning_rate
        self.model.compile(optimizer=optimizer, loss=losses, jit_compile=False)
        optimizer.build(self.model.trainable_variables)

    def _build(self) -> Any:
        planes = keras.Input(self.shape, name="planes")
        x = keras.layers.Flatten(data_format="channels_last")(planes)  # keeps the order of the numbers
        for i, neurons in enumerate(self.settings.layers):
            x = keras.layers.Dense(neurons, activation=self.settings.activation, name=f"hidden{i}")(x)
        outputs = {"policy": keras.layers.Dense(self.outputs, name="policy")(x)}
        if self.settings.critic:
            outputs["value"] = keras.layers.Dense(1, activation="tanh", name="value")(x)
        return keras.Model(planes, outputs)

    def predict(self, planes: Planes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The policy over all outputs, legal or not, and the value; zero where there is no critic."""
        answers = self.model.predict_on_batch(planes)
        logits = np.asarray(answers["policy"])
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        policy = weights / weights.sum(axis=1, keepdims=True)
        value = np.asarray(answers["value"])[:, 0] if self.settings.critic else np.zeros(len(planes), np.float32)
        return policy, value

    def train(
        self, planes: Planes, policy: NDArray[np.float32], legal: NDArray[np.float32], value: NDArray[np.float32]
    ) -> dict[str, float]:
        """One step on a minibatch: cross-entropy against the visit distributions over the legal moves, and squared error of
        the values. All in the order of the network's outputs. The losses before the step."""
        targets = {"policy": np.concatenate([policy, legal], axis=1)}
        if self.settings.critic:
            targets["value"] = value[:, None]
        self.model.reset_metrics()  # or the losses would be means over all steps so far
        logs = self.model.train_on_batch(planes, targets, return_dict=True)
        losses = {"policy_loss": float(logs.get("policy_loss", logs["loss"]))}
        if self.settings.critic:
            losses["value_loss"] = float(logs["value_loss"])
        return losses

    # --- state, in arrays that hold no code

    def state(self) -> Arrays:
        """Weights and optimizer: all that training needs to go on."""
        variables = {f"weight_{i}": v for i, v in enumerate(self.model.weights)}
        variables |= {f"optimizer_{i}": v for i, v in enumerate(self.model.optimizer.variables)}
        return {name: np.asarray(keras.ops.convert_to_numpy(variable)) for name, variable in variables.items()}

    def load_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """The inverse of `state`; ValueError when it is the state of another network."""
        variables = {f"weight_{i}": v for i, v in enumerate(self.model.weights)}
        variables |= {f"optimizer_{i}": v for i, v in enumerate(self.model.optimizer.variables)}
        for name, variable in variables.items():
            if name not in state or tuple(state[name].shape) != tuple(variable.shape):
                raise ValueError(f"{name} does not fit this network")
            variable.assign(state[name])
        self.model.optimizer.learning_rate = (
            self.settings.learning_rate
        )  # the settings' word counts, not the old state's

    def onnx(self, **about: object) -> bytes:
        """The network as a file to play with; `about` is kept in it."""

        def dense(name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            weights, biases = self.model.get_layer(name).get_weights()
            return weights, biases

        metadata = {
            "format": str(FORMAT_VERSION),
            "game": game_spec(self.game),
            "rules": rules_hash(self.game),
            "network": json.dumps(asdict(self.settings)),
            **{key: json.dumps(value) for key, value in about.items()},
        }
        hidden = [dense(f"hidden{i}") for i in range(len(self.settings.layers))]
        value = dense("value") if self.settings.critic else None
        return dense_network(self.shape, hidden, self.settings.activation, dense("policy"), value, metadata)


def _masked_cross_entropy(outputs: int) -> Any:
    """Cross-entropy of the softmax over the legal moves alone, which is the softmax over all with illegal ones set to zero and
    the rest renormalised. The target holds the distribution and, behind it, a one for each legal move."""

    def loss(target: Any, logits: Any) -> Any:
        distribution, legal = target[:, :outputs], target[:, outputs:]
        masked = keras.ops.where(legal > 0, logits, keras.ops.full_like(logits, -1e9))
        return keras.losses.categorical_crossentropy(distribution, masked, from_logits=True)

    return loss
