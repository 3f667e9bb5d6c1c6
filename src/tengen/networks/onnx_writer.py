"""An ONNX file straight from the weights: a few milliseconds, and nothing in it that runs code when it is loaded.

    planes [batch, planes, rows, columns] → trunk → policy head → Softmax → policy [batch, outputs]
                                                  → critic head → Tanh    → value  [batch, 1]  (brought to its range)

A network without a critic has a value that is always 0, so that every file is read in the same way.

With `ranges` the convolutions of the trunks compute in eight bits: each tensor between them is rounded to 256 steps of the
range in which it was seen (`quantization.py`). The file says so by pairs of QuantizeLinear and DequantizeLinear, which the
runtime melts into integer convolutions.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from tengen.networks.layers import Convolution, Dense, DenseTrunk, Head, Plain, ResidualTrunk, StackTrunk, Trunk

OPSET, IR_VERSION = 13, 8
POOLING = ("ReduceMean", "ReduceMax")
NODES = {"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}

Range = tuple[float, float]
"""The smallest and the largest number seen in a tensor."""

WEIGHT_STEPS = 63
"""Weights are rounded to −63 … 63: seven bits, since processors without VNNI add two products in sixteen."""


def onnx_file(network: Plain, metadata: Mapping[str, str], ranges: Mapping[str, Range] | None = None) -> bytes:
    """The file of a network; in eight bits where `ranges` are given for the tensors that `between` names."""
    return bytes(_model(network, metadata, ranges, ()).SerializeToString())


def onnx_probe(network: Plain, tensors: tuple[str, ...]) -> bytes:
    """A file that also gives the named tensors, to see their ranges."""
    return bytes(_model(network, {}, None, tensors).SerializeToString())


def between(network: Plain) -> tuple[str, ...]:
    """The names of the tensors that are rounded in eight bits: what goes into and comes out of the trunks' convolutions."""
    names = ["planes"]
    for t, trunk in enumerate(network.trunks):
        if isinstance(trunk, ResidualTrunk):
            names.append(f"trunk{t}_first")
            for b in range(len(trunk.blocks)):
                names += [f"trunk{t}_block{b}_{part}" for part in ("middle", "sum_of", "end")]
        elif isinstance(trunk, StackTrunk):
            names += [f"trunk{t}_stack{i}" for i in range(len(trunk.convolutions))]
    return tuple(names)


def _model(
    network: Plain, metadata: Mapping[str, str], ranges: Mapping[str, Range] | None, probed: tuple[str, ...]
) -> onnx.ModelProto:
    graph = _Graph(network.activation, dict(ranges or {}))
    ends = [graph.trunk(f"trunk{t}", trunk) for t, trunk in enumerate(network.trunks)]
    logits = graph.head("policy_head", network.policy, ends[0])
    graph.node("Softmax", [logits], "policy", axis=1)
    if network.value is None:
        flat = graph.node("Flatten", [ends[0]], "nothing_flat", axis=1)
        first = graph.node("ReduceSum", [flat, graph.array("axis", np.array([1], np.int64))], "nothing_sum", keepdims=1)
        graph.node("Mul", [first, graph.array("zero", np.zeros(1, np.float32))], "value")
    else:
        head, (low, high) = graph.head("value_head", network.value, ends[-1]), network.value_range
        if (low, high) == (-1.0, 1.0):
            graph.node("Tanh", [head], "value")
        else:
            half = graph.array("value_half", np.array([(high - low) / 2], np.float32))
            middle = graph.array("value_middle", np.array([(high + low) / 2], np.float32))
            share = graph.node("Mul", [graph.node("Tanh", [head], "value_share"), half], "value_scaled")
            graph.node("Add", [share, middle], "value")

    def tensor(name: str, *shape: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape] if shape else None)

    outputs = [tensor("policy", network.outputs), tensor("value", 1)]
    outputs += [tensor(name) for name in probed if name != "planes"]
    made = helper.make_graph(graph.nodes, "tengen", [tensor("planes", *network.shape)], outputs, graph.weights)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    helper.set_model_props(model, dict(metadata))
    return model


class _Graph:
    """Nodes and weights as they come."""

    def __init__(self, activation: str, ranges: dict[str, Range]) -> None:
        self.activation, self.ranges = activation, ranges
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.steps: dict[str, float] = {}  # the step of each tensor that is rounded, by the name of the rounded one

    def node(self, kind: str, sources: list[str], name: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(kind, sources, [name], **attributes))
        return name

    def array(self, name: str, array: NDArray[np.generic]) -> str:
        self.weights.append(numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def active(self, source: str, name: str) -> str:
        return source if self.activation == "linear" else self.node(NODES[self.activation], [source], name)

    def dense(self, name: str, layer: Dense, source: str) -> str:
        weights = self.array(f"{name}_weights", np.asarray(layer.weights, np.float32))
        biases = self.array(f"{name}_biases", np.asarray(layer.biases, np.float32))
        return self.node("Gemm", [source, weights, biases], name)

    def trunk(self, name: str, trunk: Trunk) -> str:
        if isinstance(trunk, DenseTrunk):
            source = self.node("Flatten", ["planes"], f"{name}_flat", axis=1)
            for i, layer in enumerate(trunk.layers):
                source = self.active(self.dense(f"{name}_hidden{i}", layer, source), f"{name}_active{i}")
            return source
        if isinstance(trunk, StackTrunk):
            x = self.rounded("planes")
            for i, convolution in enumerate(trunk.convolutions):
                x = self.rounded(
                    self.active(self.convolution(f"{name}_stack{i}_raw", convolution, x), f"{name}_stack{i}")
                )
            self.steps.pop(x, None)
            return x
        x = self.active(self.convolution(f"{name}_first_raw", trunk.first, self.rounded("planes")), f"{name}_first")
        x = self.rounded(x)
        for b, (one, two) in enumerate(trunk.blocks):
            block = f"{name}_block{b}"
            middle = self.active(self.convolution(f"{block}_middle_raw", one, x), f"{block}_middle")
            summand = self.rounded(self.convolution(f"{block}_sum_of", two, self.rounded(middle)))
            end = self.active(self.node("Add", [summand, x], f"{block}_end_raw"), f"{block}_end")
            x = self.rounded(end)
        self.steps.pop(x, None)  # heads take it as a number, not in steps
        return x

    def convolution(self, name: str, layer: Convolution, source: str) -> str:
        """A convolution; in integers, where its source is rounded."""
        weights, biases = np.asarray(layer.weights, np.float32), np.asarray(layer.biases, np.float32)
        if source in self.steps:
            step = np.maximum(np.abs(weights).max(axis=(1, 2, 3)), 1e-8) / WEIGHT_STEPS
            whole = np.round(weights / step[:, None, None, None]).astype(np.int8)
            sources = [source, self.back(f"{name}_weights", whole, step)]
            step = step * self.steps[source]
            whole = np.round(biases / step).clip(-(2**31) + 1, 2**31 - 1).astype(np.int32)
            sources.append(self.back(f"{name}_biases", whole, step))
        else:
            sources = [source, self.array(f"{name}_weights", weights), self.array(f"{name}_biases", biases)]
        size = list(weights.shape[2:])
        return self.node("Conv", sources, name, kernel_shape=size, pads=[n // 2 for n in size] * 2)

    def back(self, name: str, whole: NDArray[np.signedinteger], step: NDArray[np.float32]) -> str:
        """Whole numbers that stand for weights, a step for each channel."""
        about = [
            self.array(f"{name}_whole", whole),
            self.array(f"{name}_step", step.astype(np.float32)),
            self.array(f"{name}_zero", np.zeros(len(step), whole.dtype)),
        ]
        return self.node("DequantizeLinear", about, name, axis=0)

    def rounded(self, source: str) -> str:
        """A tensor in 256 steps of its range; as it is, where no range is known."""
        if source not in self.ranges:
            return source
        if f"{source}_rounded" in self.steps:  # the planes, for a second trunk
            return f"{source}_rounded"
        low, high = min(0.0, self.ranges[source][0]), max(0.0, self.ranges[source][1], 1e-6)
        step = (high - low) / 255
        about = [
            self.array(f"{source}_step", np.array(step, np.float32)),
            self.array(f"{source}_zero", np.array(round(-low / step), np.uint8)),
        ]
        whole = self.node("QuantizeLinear", [source, *about], f"{source}_whole")
        name = self.node("DequantizeLinear", [whole, *about], f"{source}_rounded")
        self.steps[name] = step
        return name

    def head(self, name: str, head: Head, trunk: str) -> str:
        """Heads are small and are not rounded."""
        x, last = trunk, len(head.convolutions) + len(head.layers) - 1
        done = 0
        for layer in head.convolutions:
            x = self.convolution(f"{name}_{done}", layer, x)
            x = x if done == last else self.active(x, f"{name}_{done}_active")
            done += 1
        if head.pooled:
            mean, most = (self.node(kind, [x], f"{name}_{kind}", axes=[2, 3], keepdims=0) for kind in POOLING)
            x = self.node("Concat", [mean, most], f"{name}_pooled", axis=1)
        elif head.convolutions:
            x = self.node("Flatten", [x], f"{name}_flat", axis=1)
        for dense in head.layers:
            x = self.dense(f"{name}_{done}", dense, x)
            x = x if done == last else self.active(x, f"{name}_{done}_active")
            done += 1
        if head.extra is not None:
            mean = self.node("ReduceMean", [trunk], f"{name}_mean", axes=[2, 3], keepdims=0)
            x = self.node("Concat", [x, self.dense(f"{name}_extra", head.extra, mean)], f"{name}_all", axis=1)
        return x
