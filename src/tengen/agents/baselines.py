"""Networks that have learnt without search: ``dqn:RUN``, on placements or on key presses, and ``ac:RUN``."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np

from tengen.agents.base import Agent
from tengen.agents.network import NetAgent
from tengen.errors import SpecError
from tengen.evaluators.onnx import OnnxEvaluator, read_about
from tengen.games.position import Position
from tengen.games.tetris import Tetris
from tengen.games.tetris_presses import DROP_KEY, ROTATION, TetrisKeys, column_of, placement
from tengen.games.verbs import Game


class PressingAgent(Agent):
    """Plays placements of Tetris by pressing keys: a network says which, until it drops the piece."""

    def __init__(self, game: Game, rules: Tetris, file: Path, name: str) -> None:
        super().__init__(game, name)
        # `@game` completes it, which a type checker does not see
        self._keys = cast(Game, TetrisKeys(rules.columns, rules.rows, rules.preview, rules.bag, rules.pieces))
        self._evaluator = OnnxEvaluator(file, self._keys)
        self._outputs = self._keys.move_views()[0]

    def choose(self, position: Position) -> int:
        array = np.zeros(self._keys.position_size(), np.int32)
        array[: len(position.array)] = position.array
        legal = np.zeros(self._keys.move_count(), np.int32)
        seen: set[tuple[int, int]] = set()
        while True:
            where = int(array[ROTATION]), column_of(self._keys, array)
            keys = legal[: self._keys.legal_moves(array, legal)]
            policy, _ = self._evaluator(self._keys, array[None])
            key = int(keys[np.argmax(policy[0, self._outputs[keys]])])
            if key == DROP_KEY or where in seen:  # it goes in circles
                break
            seen.add(where)
            self._keys.play(array, key)
        move, moves = placement(self._keys, array), position.legal_moves
        if move in moves:
            return move
        # reached in a turn that looks the same, on another way: the nearest that is a placement
        return min(moves, key=lambda other: abs(other - move))


def baseline_agent(game: Game, method: str, file: Path, name: str) -> Agent:
    """The agent of a file; SpecError where it has learnt in another way."""
    about = read_about(file)
    if about.more.get("method") != method:
        raise SpecError(f"{name}: {file.name} has not been trained by {method}; a network of self-play: net:…, zero:…")
    rules: object = game
    if isinstance(rules, Tetris) and about.game.startswith("tetris-keys:"):
        if rules.from_above:
            raise SpecError(f"{name} presses keys: with from_above pieces are not moved by keys")
        return PressingAgent(game, rules, file, name)
    return NetAgent(game, file, name=name)
