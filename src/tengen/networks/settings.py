"""What a network looks like and how it learns. No Keras here: settings are read by everyone."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.errors import SpecError
from tengen.specs import did_you_mean

ACTIVATIONS = ("linear", "sigmoid", "tanh", "relu")
OPTIMIZERS = ("adagrad", "sgd", "rmsprop", "adam")


@dataclass(frozen=True)
class NetworkSettings:
    """The ANET: fully connected layers from the board to a probability for each move."""

    layers: tuple[int, ...] = (64, 64)
    """Neurons in each hidden layer; none makes a linear model."""

    activation: str = "relu"
    """Of the hidden layers: linear, sigmoid, tanh or relu."""

    critic: bool = False
    """Whether there is a second output, the value of the position for the player to move, in [−1, 1]."""

    indicator: bool = True
    """Whether the player to move is one more input (a plane of zeros or ones), beside the board in the mover's view."""

    optimizer: str = "adam"
    """adagrad, sgd, rmsprop or adam."""

    learning_rate: float = 0.002
    """The step of the optimizer."""

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise SpecError(f"activation cannot be {self.activation!r}{did_you_mean(self.activation, ACTIVATIONS)}")
        if self.optimizer not in OPTIMIZERS:
            raise SpecError(f"optimizer cannot be {self.optimizer!r}{did_you_mean(self.optimizer, OPTIMIZERS)}")
        if len(self.layers) > 20 or not all(1 <= n <= 8192 for n in self.layers):
            raise SpecError(f"layers are at most 20, each of 1 to 8192 neurons, not {self.layers}")
        if not 0 < self.learning_rate <= 10:
            raise SpecError(f"learning_rate is above 0 and at most 10, not {self.learning_rate}")
