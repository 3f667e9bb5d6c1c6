"""The few array types that rules and search exchange."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int32]
"""A position, or a list of moves."""

FloatArray = NDArray[np.float64]
"""Priors, odds."""

Planes = NDArray[np.float32]
"""What a network sees: [planes, rows, columns]."""

RandomState = NDArray[np.uint64]
"""The state of a random generator (randomness.py): one number."""

AnyGame = Any
"""A game in compiled code, where Numba and not mypy checks the verbs."""
