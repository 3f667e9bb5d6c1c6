"""A trained network as plain numbers: what lies between Keras, which trains it, and ONNX, in which it plays.

planes → trunk → policy head → a logit for each output
       → trunk → critic head → a value          (one trunk for both, or one each)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float32]


@dataclass(frozen=True)
class Dense:
    """A fully connected layer."""

    weights: Weights  # [inputs, outputs]
    biases: Weights  # [outputs]


@dataclass(frozen=True)
class Convolution:
    """A convolution with its batch normalisation folded in; the board keeps its size."""

    weights: Weights  # [outputs, inputs, rows, columns]
    biases: Weights  # [outputs]


@dataclass(frozen=True)
class DenseTrunk:
    """Hidden layers, each followed by the activation."""

    layers: tuple[Dense, ...]


@dataclass(frozen=True)
class ResidualTrunk:
    """A first convolution, then blocks of two with a shortcut around them; the activation after the first and after each sum."""

    first: Convolution
    blocks: tuple[tuple[Convolution, Convolution], ...]


@dataclass(frozen=True)
class StackTrunk:
    """Convolutions, each followed by the activation, without shortcuts."""

    convolutions: tuple[Convolution, ...]


Trunk = DenseTrunk | ResidualTrunk | StackTrunk


@dataclass(frozen=True)
class Head:
    """Convolutions (none behind a dense trunk) and layers, the activation between them but not at the end.

    With `layers` the planes of the last convolution are flattened, or, with `pooled`, the mean and the largest number of each are
    taken; without, its planes are the outputs, cell by cell.
    `extra` gives outputs behind those, from the mean of each channel of the trunk: moves that are no cells.
    """

    convolutions: tuple[Convolution, ...]
    layers: tuple[Dense, ...]
    extra: Dense | None = None
    pooled: bool = False


@dataclass(frozen=True)
class Plain:
    """The whole network."""

    shape: tuple[int, int, int]  # planes, rows, columns
    activation: str
    outputs: int
    trunks: tuple[Trunk, ...]  # the policy's, and the critic's where it has its own
    policy: Head
    value: Head | None
    value_range: tuple[float, float] = (-1.0, 1.0)
    """What the critic's −1 and 1 stand for."""


def fold(
    kernel: Weights, gamma: Weights, beta: Weights, mean: Weights, variance: Weights, epsilon: float
) -> Convolution:
    """A convolution [rows, columns, inputs, outputs] and the normalisation behind it in one."""
    scale = gamma / np.sqrt(variance + epsilon)
    return Convolution(np.ascontiguousarray((kernel * scale).transpose(3, 2, 0, 1)), beta - mean * scale)
