"""How large the numbers in a network become, seen on real positions: what eight bits are laid over."""

from __future__ import annotations

import numpy as np
import onnxruntime

from tengen.games.types import Planes
from tengen.networks.layers import Plain
from tengen.networks.onnx_writer import Range, between, onnx_probe

OUTLIERS = 1e-4
"""The share of numbers at either end that a range may cut off: a rare large one would make the steps coarse for all."""


def see_ranges(network: Plain, planes: Planes) -> dict[str, Range]:
    """The range of each tensor that is rounded, over these positions."""
    names = between(network)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(onnx_probe(network, names), options, providers=["CPUExecutionProvider"])
    inner = [name for name in names if name != "planes"]
    tensors = dict(zip(inner, session.run(inner, {"planes": planes}), strict=True)) | {"planes": planes}
    return {name: _range(tensors[name]) for name in names}


def _range(numbers: Planes) -> Range:
    if numbers.size == 0:
        return 0.0, 1.0
    cut = int(numbers.size * OUTLIERS)
    ends = np.partition(numbers, (cut, numbers.size - 1 - cut), axis=None)
    return float(ends[cut]), float(ends[-1 - cut])
