"""What DQN remembers: a ring of transitions, each some moves long."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.games.types import FloatArray, IntArray


@dataclass(frozen=True)
class Transitions:
    """Cases to learn from."""

    before: IntArray  # [n, position]
    chosen: NDArray[np.int64]  # [n] the output chosen there
    reward: NDArray[np.float32]  # [n] what the next moves brought, discounted
    after: IntArray  # [n, position] where they led
    weight: NDArray[
        np.float32
    ]  # [n] what the value there counts: the discount to the power of the moves; 0: the game was over


class TransitionRing:
    """The newest `capacity` transitions of games that are played side by side."""

    def __init__(self, capacity: int, games: int, position_size: int, steps: int, discount: float) -> None:
        self.capacity, self._steps, self._discount = capacity, steps, discount
        self._before = np.zeros((capacity, position_size), np.int32)
        self._after = np.zeros((capacity, position_size), np.int32)
        self._chosen = np.zeros(capacity, np.int64)
        self._reward, self._weight = np.zeros(capacity, np.float32), np.zeros(capacity, np.float32)
        self._added = 0
        self._recent: list[deque[tuple[IntArray, int, float]]] = [deque() for _ in range(games)]

    def __len__(self) -> int:
        return min(self._added, self.capacity)

    def add(
        self,
        before: IntArray,
        chosen: NDArray[np.int64],
        rewards: FloatArray,
        after: IntArray,
        over: NDArray[np.bool_],
    ) -> None:
        """What happened in each game at one move."""
        for game, recent in enumerate(self._recent):
            recent.append((before[game], int(chosen[game]), float(rewards[game])))
            if over[game]:
                while recent:
                    self._keep(recent, after[game], True)
            elif len(recent) == self._steps:
                self._keep(recent, after[game], False)

    def _keep(self, recent: deque[tuple[IntArray, int, float]], after: IntArray, over: bool) -> None:
        """The oldest of the recent moves has a target now."""
        i, total = self._added % self.capacity, 0.0
        for _, _, reward in reversed(recent):
            total = reward + self._discount * total
        self._weight[i] = 0.0 if over else self._discount ** len(recent)
        self._before[i], self._chosen[i], _ = recent.popleft()
        self._reward[i], self._after[i] = total, after
        self._added += 1

    def sample(self, n: int, chooser: np.random.Generator) -> Transitions:
        """Random ones."""
        i = chooser.integers(len(self), size=n)
        return Transitions(self._before[i], self._chosen[i], self._reward[i], self._after[i], self._weight[i])
