"""Random numbers: ranges, rough distributions, and the same numbers from compiled code as from plain Python."""

import math

import numba
import numpy as np
import pytest

from tengen.games import randomness
from tengen.games.randomness import below, choose, gamma, next_bits, normal, random_state, uniform

MASK = (1 << 64) - 1
DRAWS = 20_000


def xorshift(state):
    """The generator of Marsaglia (2003) in Python's own whole numbers."""
    while True:
        state ^= state << 13 & MASK
        state ^= state >> 7
        state ^= state << 17 & MASK
        yield state


def draws(function, *arguments, seed=1, n=DRAWS):
    random = random_state(seed)
    return np.array([function(random, *arguments) for _ in range(n)])


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_bits_are_those_of_xorshift(seed):
    random = random_state(seed)
    expected = xorshift(int(random[0]))
    for _ in range(1000):
        assert int(next_bits(random)) == next(expected)


def test_seeds_give_different_numbers():
    seeds = [*range(-50, 1000), 1 << 40, 1 << 64]
    states = {int(random_state(seed)[0]) for seed in seeds}
    assert len(states) >= len(seeds) - 1  # 2⁶⁴ is 0 once more: a state has 64 bits
    assert 0 not in states  # xorshift never leaves 0
    firsts = draws_of_first_numbers(1000)
    assert len(set(firsts.tolist())) == 1000
    # Neighbouring seeds are unrelated: their first numbers are spread as independent ones are.
    assert abs(firsts.mean() - 0.5) < 5 / math.sqrt(12 * 1000)
    assert abs(np.corrcoef(firsts[:-1], firsts[1:])[0, 1]) < 5 / math.sqrt(1000)


def draws_of_first_numbers(n):
    return np.array([uniform(random_state(seed)) for seed in range(n)])


def test_a_seed_decides_everything():
    assert draws(uniform, seed=7, n=100).tolist() == draws(uniform, seed=7, n=100).tolist()
    assert draws(uniform, seed=7, n=100).tolist() != draws(uniform, seed=8, n=100).tolist()


@pytest.mark.parametrize("n", [1, 2, 3, 10, 361])
def test_below_is_every_number_equally_often(n):
    values = draws(below, n)
    counts = np.bincount(values, minlength=n)
    assert len(counts) == n
    assert values.min() >= 0
    expected = DRAWS / n
    assert np.all(np.abs(counts - expected) <= 5 * math.sqrt(expected))


def test_below_reaches_the_ends_of_a_large_range():
    n = (1 << 32) - 1
    values = draws(below, n)
    assert values.min() >= 0
    assert values.max() < n
    assert values.min() < n / 1000
    assert values.max() > n - n / 1000


def test_uniform_lies_from_0_to_1():
    values = draws(uniform)
    assert values.min() >= 0.0
    assert values.max() < 1.0
    counts, _ = np.histogram(values, bins=20, range=(0, 1))
    assert np.all(np.abs(counts - DRAWS / 20) < 5 * math.sqrt(DRAWS / 20))
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 5 / math.sqrt(DRAWS)


def test_choose_follows_the_weights():
    weights = np.array([0.0, 1.0, 5.0, 0.0, 4.0, 100.0])
    counts = np.bincount(draws(choose, weights, 5), minlength=6)  # the last weight is beyond n
    assert counts[[0, 3, 5]].tolist() == [0, 0, 0]
    assert counts[[1, 2, 4]] == pytest.approx(DRAWS * np.array([0.1, 0.5, 0.4]), abs=5 * math.sqrt(DRAWS / 4))


def test_choose_does_not_need_weights_that_add_up_to_1():
    assert draws(choose, np.array([1.0, 3.0]), 2).tolist() == draws(choose, np.array([0.25, 0.75]), 2).tolist()


def state_before(bits):
    """The state from which `bits` are the next ones: the three steps of xorshift undone, the last first."""
    for step in (lambda x: x << 17, lambda x: x >> 7, lambda x: x << 13):
        undone = bits
        for _ in range(64):
            undone = bits ^ step(undone) & MASK
        bits = undone
    return np.array([bits], np.uint64)


def test_choose_never_takes_what_has_no_weight_even_after_rounding():
    assert int(next_bits(state_before(12345))) == 12345
    assert uniform(state_before(MASK)) == 1 - 2**-53
    # Drawn with the largest number below 1, rounding leaves nothing negative after the last of these weights.
    weights = np.array([4.5, 4.3, 4.8, 0.0])
    assert (1 - 2**-53) * (4.5 + 4.3 + 4.8) - 4.5 - 4.3 - 4.8 == 0.0
    assert choose(state_before(MASK), weights, 4) == 2


def test_normal_numbers_have_mean_0_and_variance_1():
    values = draws(normal)
    assert abs(values.mean()) < 5 / math.sqrt(DRAWS)
    assert abs(values.var() - 1) < 5 * math.sqrt(2 / DRAWS)
    assert abs(np.mean(np.abs(values) < 1) - 0.6827) < 0.02
    assert abs(np.mean(values**3)) < 5 * math.sqrt(15 / DRAWS)


@pytest.mark.parametrize("shape", [0.03, 0.3, 1.0, 2.5, 10.0])
def test_gamma_numbers_have_the_mean_and_the_variance_of_their_shape(shape):
    values = draws(gamma, shape)
    assert values.min() >= 0.0
    assert abs(values.mean() - shape) < 5 * math.sqrt(shape / DRAWS)
    fourth = 3 * shape**2 + 6 * shape  # central moment; the variance of the sample variance follows from it
    assert abs(values.var() - shape) < 5 * math.sqrt((fourth - shape**2) / DRAWS)


def test_the_gamma_number_of_shape_1_is_exponential():
    values = draws(gamma, 1.0)
    for x in (0.1, 0.5, 1.0, 2.0):
        assert abs(np.mean(values > x) - math.exp(-x)) < 5 * math.sqrt(0.25 / DRAWS)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("below", (7,)), ("uniform", ()), ("choose", (np.array([0.2, 0.0, 0.8]), 3)), ("normal", ()), ("gamma", (0.3,)),
     ("gamma", (4.0,))],
)  # fmt: skip
def test_compiled_numbers_are_those_of_plain_python(name, arguments):
    function = getattr(randomness, name)
    compiled = numba.njit(lambda random, *arguments: function(random, *arguments))
    # The mathematical functions may differ in the last digit from one library to another.
    expected = pytest.approx(draws(function, *arguments, seed=3, n=500), rel=1e-12)
    assert draws(compiled, *arguments, seed=3, n=500) == expected
