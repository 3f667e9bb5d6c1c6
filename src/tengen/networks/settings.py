"""What a network looks like and how it learns. No Keras here: settings are read by everyone."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.errors import SpecError
from tengen.specs import did_you_mean

KINDS = ("dense", "residual")
ACTIVATIONS = ("linear", "sigmoid", "tanh", "relu")
OPTIMIZERS = ("adagrad", "sgd", "rmsprop", "adam")


@dataclass(frozen=True)
class NetworkSettings:
    """The actor (ANET), a probability for each move, and, where wanted, the critic, a value of the position."""

    kind: str = "dense"
    """dense: fully connected layers.  residual: convolutions with shortcuts, as in AlphaGo Zero."""

    layers: tuple[int, ...] = (64, 64)
    """Neurons in each hidden layer; none makes a linear model. In a residual network: of the critic, behind the convolutions."""

    activation: str = "relu"
    """Of the hidden layers: linear, sigmoid, tanh or relu."""

    blocks: int = 4
    """Residual blocks, of two 3×3 convolutions each (AlphaGo Zero: 19 or 39)."""

    channels: int = 32
    """Channels of every convolution in them (AlphaGo Zero: 256)."""

    first_kernel: int = 5
    """Width of the first convolution; a wide one sees the edges of the board early."""

    critic: bool = False
    """Whether there is a second output, the value of the position for the player to move, in [−1, 1] (see `value_low`)."""

    value_low: float = -1.0
    """What the critic's lowest output stands for, in games whose rewards are not bounded: lines of Tetris, say."""

    value_high: float = 1.0
    """What its highest output stands for. Both are best a little beyond the values that occur."""

    pooled: bool = False
    """Whether the critic behind convolutions sees the mean and the largest number of each channel over the board, and not every
    cell: its weights then fit boards of any size, and a network can go on learning on a larger one (KataGo's pooling)."""

    separate: bool = False
    """Whether actor and critic are two networks that share nothing, rather than two heads on one trunk."""

    indicator: bool = True
    """Whether the player to move is one more input (a plane of zeros or ones), beside the board in the mover's view."""

    optimizer: str = "adam"
    """adagrad, sgd, rmsprop or adam."""

    learning_rate: float = 0.002
    """The step of the optimizer."""

    weight_decay: float = 0.0
    """What share of each weight, times the learning rate, is taken away at every step (AlphaGo Zero's c: 1e-4)."""

    def __post_init__(self) -> None:
        choices = {"kind": KINDS, "activation": ACTIVATIONS, "optimizer": OPTIMIZERS}
        for name, known in choices.items():
            value = getattr(self, name)
            if value not in known:
                raise SpecError(f"{name} cannot be {value!r}{did_you_mean(value, known)}")
        if len(self.layers) > 20 or not all(1 <= n <= 8192 for n in self.layers):
            raise SpecError(f"layers are at most 20, each of 1 to 8192 neurons, not {self.layers}")
        if not (1 <= self.blocks <= 100 and 1 <= self.channels <= 1024):
            raise SpecError(f"blocks is 1 to 100, channels 1 to 1024, not {self.blocks} and {self.channels}")
        if self.first_kernel % 2 == 0 or not 1 <= self.first_kernel <= 19:
            raise SpecError(f"first_kernel is odd, 1 to 19, not {self.first_kernel}")
        if not 0 < self.learning_rate <= 10:
            raise SpecError(f"learning_rate is above 0 and at most 10, not {self.learning_rate}")
        if not 0 <= self.weight_decay < 1:
            raise SpecError(f"weight_decay is from 0 to below 1, not {self.weight_decay}")
        if not -1e6 <= self.value_low < self.value_high <= 1e6:
            raise SpecError(f"value_low is below value_high, not {self.value_low} and {self.value_high}")
        self._refuse_what_would_do_nothing()

    def _refuse_what_would_do_nothing(self) -> None:
        useless = {
            "blocks": self.kind == "dense" and self.blocks != NetworkSettings.blocks,
            "channels": self.kind == "dense" and self.channels != NetworkSettings.channels,
            "first_kernel": self.kind == "dense" and self.first_kernel != NetworkSettings.first_kernel,
            "pooled": self.pooled and not (self.critic and self.kind == "residual"),
            "separate": self.separate and not self.critic,
            "value_low": self.value_low != NetworkSettings.value_low and not self.critic,
            "value_high": self.value_high != NetworkSettings.value_high and not self.critic,
            "layers": self.kind == "residual" and not self.critic and self.layers != NetworkSettings.layers,
        }
        for name, is_useless in useless.items():
            if is_useless:
                raise SpecError(f"{name} would do nothing with kind={self.kind} and critic={str(self.critic).lower()}")
