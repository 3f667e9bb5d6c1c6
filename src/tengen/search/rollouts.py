"""Evaluation by playing on: what a game from the leaf to its end brings.

Random moves are played at once (`rollout`). Where the network chooses the moves, each of them is one more question: `tell`
plays it (`roll`) and the tree waits for the answer about the next position. Both players are played by the same network.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import inner
from tengen.games.randomness import below, choose, uniform
from tengen.games.types import AnyGame
from tengen.games.verbs import CHANCE, ENDLESS, random_game
from tengen.search.settings import KernelSettings
from tengen.search.trees import IDLE, ROLLING, Tree


@inner
def rollout(game: AnyGame, settings: KernelSettings, tree: Tree) -> float:
    """Random moves from the leaf on; what they bring, in the leaf's view."""
    view = int(tree.path[tree.state[0].length - 1].viewer)
    if settings.discount == 1.0 and settings.rollout_moves == ENDLESS:
        return game.playout(tree.leaf, view, tree.random)  # type: ignore[no-any-return]
    return random_game(game, tree.leaf, view, settings.discount, settings.rollout_moves, tree.random)


@inner
def begin_rollout(settings: KernelSettings, tree: Tree) -> None:
    """At a leaf that the network has seen: decide whether its value is enough or a rollout is played."""
    state = tree.state
    plays = settings.sigma >= 1.0 or (settings.sigma > 0.0 and uniform(tree.random) < settings.sigma)
    state[0].phase = ROLLING if plays else IDLE
    state[0].rolled = 0.0
    state[0].weight = 1.0
    state[0].rolls = 0 if plays else -1


@inner
def leaf_value(settings: KernelSettings, tree: Tree) -> float:
    """The value of the leaf: the network's, the rollout's, or a mixture."""
    state = tree.state
    if state[0].rolls < 0:
        return float(state[0].value)
    return float((1.0 - settings.rollout_share) * state[0].value + settings.rollout_share * state[0].rolled)


@inner
def rollout_move(
    game: AnyGame, settings: KernelSettings, tree: Tree, policy: NDArray[np.float32], outputs: NDArray[np.int32]
) -> int:
    """The network's move in a rollout: its best, or one drawn from its policy; any, with probability ε."""
    count = int(game.legal_moves(tree.leaf, tree.moves))
    if settings.rollout_epsilon > 0.0 and uniform(tree.random) < settings.rollout_epsilon:
        return int(tree.moves[below(tree.random, count)])
    best, total = 0, 0.0
    for i in range(count):
        p = float(policy[outputs[tree.moves[i]]])
        tree.odds[i] = p if p > 0.0 else 0.0
        total += tree.odds[i]
        if tree.odds[i] > tree.odds[best]:
            best = i
    if total <= 0.0:  # the network sees no legal move
        return int(tree.moves[below(tree.random, count)])
    return int(tree.moves[choose(tree.random, tree.odds, count) if settings.rollout_samples else best])


@inner
def roll(game: AnyGame, settings: KernelSettings, tree: Tree, move: int) -> None:
    """Play a move of the rollout, and luck after it; the tree is idle again when the rollout is over."""
    state = tree.state
    view = int(tree.path[state[0].length - 1].viewer)
    mover = game.to_move(tree.leaf)
    while True:
        reward = game.play(tree.leaf, move)
        state[0].rolled += state[0].weight * (reward if mover == view else -reward)
        state[0].weight *= settings.discount
        state[0].rolls += 1
        if game.is_over(tree.leaf) or state[0].rolls >= settings.rollout_moves:
            state[0].phase = IDLE
            return
        if game.to_move(tree.leaf) != CHANCE:
            return
        count = int(game.legal_moves(tree.leaf, tree.moves))
        game.chance_odds(tree.leaf, tree.odds)
        move = int(tree.moves[choose(tree.random, tree.odds, count)])
