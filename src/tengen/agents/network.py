"""The network alone: no search, one look at the board."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from tengen.agents.base import Agent
from tengen.errors import SpecError
from tengen.evaluators.onnx import OnnxEvaluator
from tengen.games.position import Position
from tengen.games.verbs import Game

CHOICES = ("greedy", "epsilon", "sample")


class NetAgent(Agent):
    """Plays the best move of a network's policy, or one drawn from it."""

    def __init__(self, game: Game, file: Path, choice: str = "greedy", epsilon: float = 0.1, name: str = "net") -> None:
        super().__init__(game, name)
        if choice not in CHOICES:
            raise SpecError(f"move is one of {', '.join(CHOICES)}, not {choice!r}")
        if not 0 <= epsilon <= 1:
            raise SpecError(f"epsilon is from 0 to 1, not {epsilon}")
        self._evaluator = OnnxEvaluator(file, game)
        self._choice, self._epsilon = choice, epsilon
        self._outputs = game.move_views()
        self._random = random.Random(0)

    def new_game(self, seed: int) -> None:
        self._random = random.Random(seed)

    def policy(self, position: Position) -> tuple[list[int], list[float]]:
        """The legal moves and their probabilities: illegal moves have none, the others add up to one."""
        policy, _ = self._evaluator(self.game, position.array[None])
        moves = position.legal_moves
        weights = policy[0, self._outputs[self.game.move_view(position.array)][moves]].astype(np.float64)
        total = float(weights.sum())
        if not total > 0:  # the network sees no legal move
            return moves, [1 / len(moves)] * len(moves)
        return moves, (weights / total).tolist()

    def choose(self, position: Position) -> int:
        moves, probabilities = self.policy(position)
        if self._choice == "sample":
            return self._random.choices(moves, probabilities)[0]
        if self._choice == "epsilon" and self._random.random() < self._epsilon:
            return self._random.choice(moves)
        return moves[int(np.argmax(probabilities))]
