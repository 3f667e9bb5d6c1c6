"""The speed of self-play beside bare ONNX Runtime, and of eight bits beside thirty-two.

Networks have random weights: speed does not depend on them. ``res6x64@15`` is a residual network of 6 blocks and 64 channels on
15×15 Gomoku, ``mlp2x128@6`` one of two dense layers on 6×6 Hex, ``song@9`` has the shape of AlphaZero_Gomoku's.
Self-play makes real games by 400 simulations a move, in as many threads as the bare runtime is given.
"""

from __future__ import annotations

import itertools
import os
import re
import threading
import time
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tengen.bench.turns import Work
from tengen.errors import SpecError
from tengen.evaluators.format import FORMAT_VERSION, rules_hash
from tengen.evaluators.onnx import OnnxEvaluator
from tengen.games import Gomoku, Hex, game_spec
from tengen.games.types import IntArray
from tengen.games.verbs import Game
from tengen.search import SearchSettings
from tengen.selfplay.worker import SelfPlaySettings, Worker

NETWORKS = {"res6x64@15": 32, "res4x32@9": 64, "mlp2x128@6": 128}
"""What is measured, and the positions in a batch, which are the games in progress in each thread."""
EIGHT_BITS = ("res6x64@15", "res4x32@9")
SIMULATIONS = 400
A_WHILE = 0.25
"""Seconds of work between two looks at the clock."""


def game_of(network: str) -> Game:
    """The game that a network of that name plays."""
    size = int(network.partition("@")[2])
    return cast(Game, Hex(size)) if network.startswith("mlp") else cast(Game, Gomoku(size))


def random_network(name: str, int8: bool = False) -> bytes:
    """The ONNX file of a network with random weights."""
    from tengen.networks.layers import Convolution, Dense, DenseTrunk, Head, Plain, ResidualTrunk, StackTrunk
    from tengen.networks.onnx_writer import onnx_file
    from tengen.networks.quantization import see_ranges

    game, chooser = game_of(name), np.random.default_rng(1)
    rows, columns = game.plane_rows(), game.plane_columns()
    cells = rows * columns
    shape = (4 if name.startswith("song") else game.plane_count(), rows, columns)

    def weights(*size: int) -> NDArray[np.float32]:
        return chooser.normal(0, (2 / np.prod(size[1:])) ** 0.5, size).astype(np.float32)

    def dense(inputs: int, outputs: int) -> Any:
        return Dense(weights(outputs, inputs).T, weights(outputs))

    def convolution(inputs: int, outputs: int, width: int) -> Any:
        return Convolution(weights(outputs, inputs, width, width), weights(outputs))

    trunk: Any
    if match := re.fullmatch(r"res(\d+)x(\d+)@\d+", name):
        blocks, channels = int(match[1]), int(match[2])
        pairs = [(convolution(channels, channels, 3), convolution(channels, channels, 3)) for _ in range(blocks)]
        trunk = ResidualTrunk(convolution(shape[0], channels, 5), tuple(pairs))
        policy = Head((convolution(channels, 16, 1), convolution(16, 1, 1)), ())
        value = Head((convolution(channels, 8, 1),), (dense(8 * cells, 64), dense(64, 1)))
    elif match := re.fullmatch(r"mlp(\d+)x(\d+)@\d+", name):
        sizes = [shape[0] * cells, *[int(match[2])] * int(match[1])]
        trunk = DenseTrunk(tuple(dense(a, b) for a, b in itertools.pairwise(sizes)))
        policy, value = Head((), (dense(sizes[-1], cells),)), Head((), (dense(sizes[-1], 1),))
    elif re.fullmatch(r"song@\d+", name):
        sizes = [shape[0], 32, 64, 128]
        trunk = StackTrunk(tuple(convolution(a, b, 3) for a, b in itertools.pairwise(sizes)))
        policy = Head((convolution(128, 4, 1),), (dense(4 * cells, cells),))
        value = Head((convolution(128, 2, 1),), (dense(2 * cells, 64), dense(64, 1)))
    else:
        raise SpecError(f"{name!r} is no network to measure: res6x64@15, mlp2x128@6")
    plain = Plain(shape, "relu", cells, (trunk,), policy, value)
    ranges = see_ranges(plain, (chooser.random((32, *shape)) < 0.2).astype(np.float32)) if int8 else None
    about = {
        "format": str(FORMAT_VERSION), "game": game_spec(game), "rules": rules_hash(game), "network": '{"indicator": false}'
    }  # fmt: skip
    return onnx_file(plain, about, ranges)


class WidePlanes(OnnxEvaluator):
    """A network that sees more planes than the game has: the others stay empty. Only its speed is of interest."""

    def _check(self, name: str) -> None:
        pass

    def empty_planes(self, positions: int) -> Any:
        return np.zeros((positions, 4, self.game.plane_rows(), self.game.plane_columns()), np.float32)


def self_play(name: str, batch: int, int8: bool = False, threads: int = 0) -> Work:
    """Games of self-play; counts evaluations, which are a little fewer than simulations: finished games need none."""
    game, file = game_of(name), random_network(name, int8)
    settings = SearchSettings(selection="puct", evaluation="network", simulations=SIMULATIONS, c=1.5)
    quick = SearchSettings(selection="puct", evaluation="network", simulations=2, c=1.5)
    first = iter([0])
    Worker(game, quick, SelfPlaySettings(slots=1), 0, lambda: next(first, None), _uniform).play()  # compiles everything
    numbers = itertools.count()
    workers = []
    for seed in range(threads or os.cpu_count() or 1):
        evaluator = (WidePlanes if name.startswith("song") else OnnxEvaluator)(file, game)
        workers.append(
            Worker(game, settings, SelfPlaySettings(slots=batch), seed, lambda: next(numbers), evaluator)
        )  # fmt: skip
    before = [0]

    def work() -> int:
        _in_threads([_until(worker.step) for worker in workers])
        now = sum(worker.evaluations for worker in workers)
        done, before[0] = now - before[0], now
        return done

    return work


def _uniform(game: Game, positions: IntArray) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    shape = len(positions), game.move_views().shape[1]
    return np.ones(shape, np.float32), np.zeros(len(positions), np.float32)


def bare_runtime(name: str, batch: int, int8: bool = False, threads: int = 0) -> Work:
    """ONNX Runtime alone: the same network, batch and threads; counts evaluations."""
    evaluators = [
        OnnxEvaluator(random_network(name, int8), game_of(name)) for _ in range(threads or os.cpu_count() or 1)
    ]
    game = game_of(name)
    chooser = np.random.default_rng(1)
    planes = (chooser.random((batch, game.plane_count(), game.plane_rows(), game.plane_columns())) < 0.2).astype(
        np.float32
    )
    counts = [0] * len(evaluators)

    def runs(i: int) -> Callable[[], None]:
        def run() -> None:
            evaluators[i].run(planes)
            counts[i] += batch

        return run

    def work() -> int:
        before = sum(counts)
        _in_threads([_until(runs(i)) for i in range(len(evaluators))])
        return sum(counts) - before

    return work


def _until(step: Callable[[], Any]) -> Callable[[], None]:
    def go_on() -> None:
        end = time.perf_counter() + A_WHILE
        while time.perf_counter() < end:
            step()

    return go_on


def _in_threads(works: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
