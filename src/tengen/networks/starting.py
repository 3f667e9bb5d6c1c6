"""A network that begins with what another has learned: on the same board, or on a larger one.

What a convolution knows holds on every board, and so does what a critic knows that is `pooled`: a network can learn on a small
board, where games are short and cheap, and go on where they are not. Weights are read from the file to play with (`onnx_writer`):
there, batch normalisation is folded into the convolutions. For training it has to be unfolded: each normalisation is given the
means and variances that its channels have in positions of the new game, and a scale and shift that leave what the network says as
it was.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from tengen.errors import SpecError
from tengen.games.types import Planes
from tengen.networks.network import Network
from tengen.networks.quiet import keras

Arrays = dict[str, NDArray[Any]]

PARTS = {"trunk": "the trunk", "policy_head": "the policy's head", "value_head": "the critic's head"}
"""By how the names of their weights begin."""


def start_from(network: Network, file: bytes, planes: Planes) -> list[str]:
    """Give a network the weights of a file; `planes`: what it sees of some positions of its game.

    The trunk must fit. A head that does not fit, because the board is another, begins anew: these are returned, in words.
    """
    theirs, ours = weights_of(file), weights_of(network.onnx())
    if any(name.endswith("_whole") for name in theirs):
        raise SpecError("a network in eight bits is none to start from: take the one of the same name in nets/")
    anew = [part for part in PARTS if not _fits(part, theirs, ours)]
    if "trunk" in anew:
        raise SpecError(f"the network to start from has another trunk: {_difference('trunk', theirs, ours)}")
    taken = {name: array for name, array in theirs.items() if not name.startswith(tuple(anew))}
    norms = []
    for layer, name in _names(network):
        if f"{name}_weights" in taken and f"{name}_weights" in ours:
            norms += _adopt(network, layer, taken[f"{name}_weights"], taken[f"{name}_biases"])
    _unfold(network, norms, planes)
    return [PARTS[part] for part in anew if any(name.startswith(part) for name in ours)]


def weights_of(file: bytes) -> Arrays:
    """The weights in a file, by name."""
    try:
        graph = onnx.load_from_string(file).graph
        return {weights.name: numpy_helper.to_array(weights) for weights in graph.initializer}
    except Exception:  # protobuf has many kinds of complaint
        raise SpecError("the network to start from is damaged, or none") from None


def _shapes(part: str, weights: Arrays) -> dict[str, tuple[int, ...]]:
    return {name: array.shape for name, array in weights.items() if name.startswith(part)}


def _fits(part: str, theirs: Arrays, ours: Arrays) -> bool:
    return _shapes(part, theirs) == _shapes(part, ours)


def _difference(part: str, theirs: Arrays, ours: Arrays) -> str:
    """The first difference between two parts, in words."""
    there, here = _shapes(part, theirs), _shapes(part, ours)
    for name in sorted(there | here):
        if there.get(name) != here.get(name):
            shapes = ("×".join(map(str, shapes[name])) if name in shapes else "missing" for shapes in (there, here))
            return f"{name} is {' there and '.join(shapes)} here"
    return "nothing"


def _names(network: Network) -> list[tuple[str, str]]:
    """The layers of a network, and what their weights are called in a file."""
    settings, pairs = network.settings, []
    for t in range(1 + settings.separate):
        trunk = f"trunk{t}"
        if settings.kind == "dense":
            pairs += [(f"{trunk}_hidden{i}",) * 2 for i in range(len(settings.layers))]
        else:
            pairs.append((f"{trunk}_first", f"{trunk}_first_raw"))
            for b in range(settings.blocks):
                block = f"{trunk}_block{b}"
                pairs += [(f"{block}_one", f"{block}_middle_raw"), (f"{block}_two", f"{block}_sum_of")]
    policy, value = ["policy"], ["value"]
    if settings.kind == "residual":
        policy = ["policy_middle", "policy_cells" if network.moves_are_cells else "policy"]
        value = ["value_middle", *(f"value_hidden{i}" for i in range(len(settings.layers))), "value"]
    pairs += [(layer, f"policy_head_{i}") for i, layer in enumerate(policy)]
    pairs += [(layer, f"value_head_{i}") for i, layer in enumerate(value)]
    return [*pairs, ("policy_extra", "policy_head_extra")]


def _adopt(network: Network, layer: str, weights: NDArray[Any], biases: NDArray[Any]) -> list[str]:
    """Give a layer its weights; its normalisation, if it has one, does nothing but add the biases. That one's name."""
    target = network.model.get_layer(layer)
    if weights.ndim == 4:
        weights = weights.transpose(2, 3, 1, 0)
    elif weights.shape == tuple(target.kernel.shape):
        weights = network.to_keras(layer, weights)
    if target.use_bias:
        target.set_weights([weights, biases])
        return []
    target.set_weights([weights])
    norm = network.model.get_layer(f"{layer}_norm")
    one, zero = np.ones_like(biases), np.zeros_like(biases)
    norm.set_weights([one, biases, zero, one - norm.epsilon])
    return [f"{layer}_norm"]


def _unfold(network: Network, norms: list[str], planes: Planes) -> None:
    """Give normalisations that do nothing the statistics of what comes in, and take these out again by scale and shift."""
    layers = [network.model.get_layer(name) for name in norms]
    if not layers:
        return
    incoming = keras.Model(network.model.inputs, [layer.input for layer in layers]).predict_on_batch(planes)
    for layer, seen in zip(layers, incoming if isinstance(incoming, list | tuple) else [incoming], strict=True):
        _, shift, _, _ = layer.get_weights()
        mean, variance = seen.mean(axis=(0, 1, 2)), seen.var(axis=(0, 1, 2))
        layer.set_weights([np.sqrt(variance + layer.epsilon), shift + mean, mean, variance])
