"""The replay buffer (RBUF): the last positions of self-play with what they teach, in arrays of a fixed size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import kernel
from tengen.games.types import AnyGame, FloatArray, IntArray
from tengen.games.verbs import CHANCE, Game
from tengen.records.record import GameRecord


@kernel
def replay(game: AnyGame, moves: IntArray, discount: float, positions: IntArray, values: FloatArray) -> None:
    """The position before each move [moves, position], and what the rest of the game brought to its mover [moves].

    `positions[0]` holds the start. One rule for two players, one player and luck: the one of the search's backup.
    """
    n = len(moves)
    rewards, viewers = np.zeros(n, np.float64), np.zeros(n + 1, np.int64)
    position = positions[0].copy()
    view = 0
    for i in range(n):
        for j in range(len(position)):
            positions[i, j] = position[j]
        if game.to_move(position) != CHANCE:
            view = game.to_move(position)
        viewers[i] = view
        rewards[i] = game.play(position, int(moves[i]))
    value = 0.0
    viewers[n] = view
    for i in range(n - 1, -1, -1):
        value = rewards[i] + discount * (value if viewers[i] == viewers[i + 1] else -value)
        values[i] = value


@dataclass
class Batch:
    """Training cases. Policies and masks are in the order of the network's outputs."""

    positions: IntArray  # [n, position]
    policy: NDArray[np.float32]  # [n, outputs] D: the normalised visits
    legal: NDArray[np.float32]  # [n, outputs] 1 for each legal move
    value: NDArray[np.float32]  # [n] what the mover got in the end
    steps: NDArray[np.int64]  # [n] the network's training steps when the game ended: the age of the case


class ReplayWindow:
    """A ring of cases: the newest `capacity` are kept."""

    def __init__(self, game: Game, capacity: int, discount: float = 1.0) -> None:
        outputs = int(game.move_views().shape[1])
        self.game, self.capacity, self.discount = game, capacity, discount
        self._views = game.move_views()
        self._cases = Batch(
            np.zeros((capacity, game.position_size()), np.int32),
            np.zeros((capacity, outputs), np.float32),
            np.zeros((capacity, outputs), np.float32),
            np.zeros(capacity, np.float32),
            np.zeros(capacity, np.int64),
        )
        self._added = 0

    def __len__(self) -> int:
        return min(self._added, self.capacity)

    def add(self, record: GameRecord, start: IntArray) -> int:
        """Add the cases of a game that began with the position `start`; how many they are."""
        moves = np.array(record.moves, np.int32)
        positions = np.zeros((len(moves), self.game.position_size()), np.int32)
        positions[0] = start
        values = np.zeros(len(moves))
        replay(self.game, moves, self.discount, positions, values)
        cases = 0
        for position, value, visits in zip(positions, values, record.visits, strict=True):
            if visits is None:
                continue
            i = self._added % self.capacity
            outputs = self._views[self.game.move_view(position)][list(visits)]
            counts = np.fromiter(visits.values(), np.float64, len(visits))
            self._cases.positions[i] = position
            self._cases.policy[i] = self._cases.legal[i] = 0.0
            self._cases.policy[i, outputs] = counts / counts.sum()
            self._cases.legal[i, outputs] = 1.0
            self._cases.value[i] = value
            self._cases.steps[i] = record.network
            self._added += 1
            cases += 1
        return cases

    def sample(self, n: int, chooser: np.random.Generator) -> Batch:
        """A random minibatch; each case at most once, all of them where there are fewer than `n`."""
        chosen = chooser.choice(len(self), min(n, len(self)), replace=False)
        cases = self._cases
        return Batch(
            cases.positions[chosen], cases.policy[chosen], cases.legal[chosen], cases.value[chosen], cases.steps[chosen]
        )
