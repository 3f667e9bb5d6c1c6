"""An ONNX file straight from the weights: a few milliseconds, and nothing in it that runs code when it is loaded.

    planes [batch, planes, rows, columns] → Flatten → (Gemm → activation)… → Gemm → Softmax → policy [batch, outputs]
                                                                           → Gemm → Tanh    → value  [batch, 1]

A network without a critic has a value that is always 0, so that every file is read in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 13, 8
NODES = {"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}

Dense = tuple[NDArray[np.float32], NDArray[np.float32]]  # weights [inputs, outputs], biases [outputs]


def dense_network(
    planes: tuple[int, int, int],
    hidden: Sequence[Dense],
    activation: str,
    policy: Dense,
    value: Dense | None,
    metadata: Mapping[str, str],
) -> bytes:
    """The file of a fully connected network."""
    nodes, weights = [helper.make_node("Flatten", ["planes"], ["flat"], axis=1)], []

    def gemm(source: str, layer: Dense, name: str) -> str:
        for part, array in zip(("weights", "biases"), layer, strict=True):
            weights.append(numpy_helper.from_array(np.ascontiguousarray(array, np.float32), f"{name}_{part}"))
        nodes.append(helper.make_node("Gemm", [source, f"{name}_weights", f"{name}_biases"], [name]))
        return name

    source = "flat"
    for i, layer in enumerate(hidden):
        source = gemm(source, layer, f"hidden{i}")
        if activation != "linear":
            nodes.append(helper.make_node(NODES[activation], [source], [f"active{i}"]))
            source = f"active{i}"
    nodes.append(helper.make_node("Softmax", [gemm(source, policy, "logits")], ["policy"], axis=1))
    inputs = len(policy[0])
    worthless = (np.zeros((inputs, 1), np.float32), np.zeros(1, np.float32))
    nodes.append(helper.make_node("Tanh", [gemm(source, value or worthless, "raw_value")], ["value"]))

    def tensor(name: str, *shape: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape])

    outputs = [tensor("policy", policy[0].shape[1]), tensor("value", 1)]
    graph = helper.make_graph(nodes, "tengen", [tensor("planes", *planes)], outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    helper.set_model_props(model, dict(metadata))
    return bytes(model.SerializeToString())
