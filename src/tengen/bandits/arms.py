"""The arms of a bandit: each pays at random, with a mean of its own that the player does not know."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tengen.errors import TengenError

KINDS = ("bernoulli", "gaussian")


@dataclass(frozen=True)
class Arms:
    """Arms that pay 1 or 0 (bernoulli), or a normal number (gaussian)."""

    means: tuple[float, ...]
    kind: str = "bernoulli"
    deviation: float = 1.0
    """The standard deviation of gaussian arms."""

    MOST: ClassVar[int] = 10_000

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise TengenError(f"arms are {' or '.join(KINDS)}, not {self.kind!r}")
        if not 2 <= len(self.means) <= self.MOST:
            raise TengenError(f"a bandit has 2 to {self.MOST:,} arms, not {len(self.means)}")
        if not all(math.isfinite(mean) for mean in self.means):
            raise TengenError("the mean of an arm is a finite number")
        if self.kind == "bernoulli" and not all(0 <= mean <= 1 for mean in self.means):
            raise TengenError("a bernoulli arm pays 1 or 0: its mean is from 0 to 1")
        if not 0 < self.deviation < math.inf:
            raise TengenError(f"the deviation is above 0 and finite, not {self.deviation}")
        if self.kind == "bernoulli" and self.deviation != 1.0:
            raise TengenError("deviation would do nothing: that of a bernoulli arm follows from its mean")
        if len(set(self.means)) == 1:
            raise TengenError("all arms are equally good: there is nothing to regret")

    @property
    def gaps(self) -> NDArray[np.float64]:
        """Δ: how much worse each arm is than the best one."""
        means = np.array(self.means)
        return np.asarray(means.max() - means)

    @property
    def subgaussian(self) -> float:
        """The σ for which the payments are σ-subgaussian: what the bounds ask to be at most 1."""
        return 0.5 if self.kind == "bernoulli" else self.deviation  # Hoeffding's lemma for payments in [0, 1]
