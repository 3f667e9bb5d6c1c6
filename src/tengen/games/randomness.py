"""Random numbers for compiled code: one state for each search, so that a seed decides everything.

Numba's own generator belongs to the thread, not to the search. Ours is xorshift64 (Marsaglia 2003): the state
is one uint64 in an array. It has only shifts and exclusive ors, so that it gives the same numbers, without
overflow warnings, when the code runs as plain Python. Only the higher bits are used.
"""

import math
from typing import Any

import numpy as np

from tengen.compiling import inner
from tengen.games.types import FloatArray, RandomState

_13, _7, _17, _11, _32 = (np.uint64(n) for n in (13, 7, 17, 11, 32))


def random_state(seed: int) -> RandomState:
    """A state for `seed`; neighbouring seeds give unrelated states (splitmix64)."""
    mask = (1 << 64) - 1
    x = (seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & mask
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return np.array([(x ^ (x >> 31)) or 1], dtype=np.uint64)


@inner
def next_bits(random: RandomState) -> np.uint64:
    """The next 64 random bits."""
    x: np.uint64 = random[0]
    x ^= x << _13
    x ^= x >> _7
    x ^= x << _17
    random[0] = x
    return x


@inner
def below(random: RandomState, n: int) -> Any:
    """A random whole number from 0 to n − 1, for n < 2³² (bias under n / 2³²)."""
    return np.int64(((next_bits(random) >> _32) * np.uint64(n)) >> _32)  # int() would stay unsigned when compiled


@inner
def uniform(random: RandomState) -> float:
    """A random number in [0, 1)."""
    return float(next_bits(random) >> _11) * (1.0 / 9007199254740992.0)


@inner
def choose(random: RandomState, weights: FloatArray, n: int) -> int:
    """An index below n, drawn in proportion to weights[:n]."""
    total = 0.0
    for i in range(n):
        total += weights[i]
    left = uniform(random) * total
    last = 0
    for i in range(n):
        if weights[i] > 0.0:
            last = i
            left -= weights[i]
            if left < 0.0:
                return i
    return last


@inner
def normal(random: RandomState) -> float:
    """A standard normal number (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(random)))
    return radius * math.cos(2.0 * math.pi * uniform(random))


@inner
def gamma(random: RandomState, shape: float) -> float:
    """A Gamma(shape, 1) number (Marsaglia and Tsang 2000); a Dirichlet sample is a vector of these, normalised."""
    boost = 1.0
    if shape < 1.0:
        boost = (1.0 - uniform(random)) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(random)
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            if math.log(1.0 - uniform(random)) < 0.5 * x * x + d - d * v + d * math.log(v):
                return d * v * boost
