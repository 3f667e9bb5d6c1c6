"""A network asked about a position as one of its mirror images, or about all of them.

A network has learned from positions turned in every way, but answers a little differently to each. Asked about an image drawn at
random, it errs differently in each leaf, and the search averages (AlphaGo Zero); asked about all, the mean of its answers errs
less, and takes as many evaluations as there are images.

A game tells how its moves are turned, not how what a network sees is. That is found out by looking: games played at random and
their images show which place of the planes goes where.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from tengen.errors import SpecError
from tengen.evaluators.onnx import OnnxEvaluator
from tengen.games.position import Position
from tengen.games.types import IntArray
from tengen.games.verbs import CHANCE, Game

LOOKS = 400
"""Positions that are looked at, with their images."""


class TurnedEvaluator:
    """Answers as its network does about images of the positions: of one of them (`random`), or of all (`mean`).

    Which one is drawn from the position itself: another for each leaf, and the same games from the same seed.
    """

    def __init__(self, evaluator: OnnxEvaluator, how: str) -> None:
        game = evaluator.game
        symmetries = game.symmetries()
        if len(symmetries) == 1:
            raise SpecError(f"symmetry={how} would do nothing: {game} has no symmetries")
        self._evaluator, self._all = evaluator, how == "mean"
        self.about = evaluator.about
        self._places = np.stack(
            [_places(evaluator, turn) for turn in symmetries]
        )  # [symmetries, numbers of the planes]
        self._outputs = np.stack([_outputs(game, turn) for turn in symmetries])  # [symmetries, outputs]

    def __call__(self, game: Game, positions: IntArray) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        planes = self._evaluator.encode(positions)
        seen, count = planes.reshape(len(planes), -1), len(self._places)
        if self._all:
            which = np.tile(np.arange(count), len(seen))
            seen = seen.repeat(count, axis=0)
        else:
            which = np.array([zlib.crc32(position) % count for position in np.ascontiguousarray(positions)])
        turned = np.take_along_axis(seen, self._places[which], axis=1)
        policy, value = self._evaluator.run(np.ascontiguousarray(turned).reshape(-1, *planes.shape[1:]))
        policy = np.take_along_axis(policy, self._outputs[which], axis=1)
        if self._all:
            policy = policy.reshape(len(planes), count, -1).mean(axis=1, dtype=np.float32)
            value = value.reshape(len(planes), count).mean(axis=1, dtype=np.float32)
        return policy, value


def _outputs(game: Game, turn: IntArray) -> NDArray[np.int64]:
    """For each output, which one the network's answer about the image says of it."""
    views = game.move_views()
    found = np.empty(views.shape[1], np.int64)
    found[views[0]] = views[0][turn]
    if any((found[view] != view[turn]).any() for view in views):
        raise SpecError(f"symmetry does not go together with {game}: its views are turned differently")
    return found


def _places(evaluator: OnnxEvaluator, turn: IntArray) -> NDArray[np.int64]:
    """For each number of what the network sees of an image, where it stands in what it sees of the position."""
    game = evaluator.game
    seen, images = (evaluator.encode(positions) for positions in _positions_and_images(game, turn))
    seen, images = seen.reshape(len(seen), -1), images.reshape(len(images), -1)
    known = {column.tobytes(): place for place, column in reversed(list(enumerate(np.ascontiguousarray(seen.T))))}
    missing = SpecError(f"symmetry does not go together with {game}: an image is not seen as the position turned")
    try:
        return np.array([known[column.tobytes()] for column in np.ascontiguousarray(images.T)])
    except KeyError:
        raise missing from None


def _positions_and_images(game: Game, turn: IntArray) -> tuple[IntArray, IntArray]:
    """Positions of games played at random, and the same games with every move turned."""
    chooser = np.random.default_rng(0)
    pairs: list[tuple[IntArray, IntArray]] = []
    while len(pairs) < LOOKS:
        position, image = Position(game), Position(game)
        while not position.is_over:
            pairs.append((position.array.copy(), image.array.copy()))
            move, luck = int(chooser.choice(position.legal_moves)), position.to_move == CHANCE
            position.push(move)
            image.push(move if luck else int(turn[move]))
    return np.stack([a for a, _ in pairs]), np.stack([b for _, b in pairs])
