"""Evaluators for tests: they answer as a network would, from nothing but the position."""

from __future__ import annotations

import hashlib

import numpy as np


def planes_of(game, position):
    planes = np.zeros((game.plane_count(), game.plane_rows(), game.plane_columns()), np.float32)
    game.encode(position, planes)
    return planes


def hashed(game, positions):
    """Priors and a value that differ from position to position, decided by what a network would see of it."""
    policies, values = [], []
    for position in positions:
        digest = hashlib.sha256(planes_of(game, position).tobytes()).digest()
        chooser = np.random.default_rng(int.from_bytes(digest[:8], "little"))
        policies.append(chooser.dirichlet(np.ones(game.move_views().shape[1])))
        values.append(chooser.uniform(-0.9, 0.9))
    return np.array(policies, np.float32), np.array(values, np.float32)


def uniform(game, positions):
    """Knows nothing."""
    moves = game.move_views().shape[1]
    return np.full((len(positions), moves), 1 / moves, np.float32), np.zeros(len(positions), np.float32)
