"""Evaluation by playing on: what a game from the leaf to its end brings.

Random moves are played at once (`rollout`). Where the network chooses the moves, each of them is one more question: `tell`
plays it (`roll`) and the tree waits for the answer about the next position. Both players are played by the same network.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import apart, inner, wide
from tengen.games.randomness import below, choose, uniform
from tengen.games.types import AnyGame, IntArray
from tengen.games.verbs import CHANCE, ENDLESS
from tengen.search.settings import KernelSettings
from tengen.search.trees import IDLE, ROLLING, Tree


@inner
def rollout(game: AnyGame, settings: KernelSettings, tree: Tree) -> float:
    """Random moves from the leaf on, or moves by what the game knows; what they bring, in the leaf's view."""
    view = int(tree.path[tree.lane[0].length - 1].viewer)
    if settings.discount == 1.0 and settings.rollout_moves == ENDLESS:
        if not settings.rolls_known:
            return game.playout(tree.leaf, view, tree.random)  # type: ignore[no-any-return]
        urgent, likely = settings.rolls_urgent, settings.rolls_likely
        value = float(game.informed_playout(tree.leaf, tree.known[1], view, urgent, likely, tree.random))
        if value == value:  # the game has a way of its own
            return value
    return informed_game(game, settings, tree, view)


@apart
def informed_game(game: AnyGame, settings: KernelSettings, tree: Tree, view: int) -> float:
    """`random_game`, with the moves drawn from those that the game knows to be urgent or likely, where the settings say so."""
    position, known, moves = tree.leaf, tree.known[1], tree.moves
    total, weight, mover = 0.0, 1.0, view
    for _ in range(settings.rollout_moves):
        if game.is_over(position):
            break
        player = game.to_move(position)
        if player == CHANCE:
            n = int(game.legal_moves(position, moves))
            game.chance_odds(position, tree.odds)
            move = wide(moves[choose(tree.random, tree.odds, n)])
        else:
            mover = player
            n = known_moves(game, position, known, settings.rolls_urgent, settings.rolls_likely, 0, moves)
            move = wide(moves[below(tree.random, n)])
        reward = game.play(position, move)
        if settings.rolls_known:
            game.learn(position, known, move)
        total += weight * (reward if mover == view else -reward)
        weight *= settings.discount
    return total


@apart
def known_moves(
    game: AnyGame, position: IntArray, known: IntArray, urgent: bool, likely: bool, most: int, out: IntArray
) -> int:
    """Write what a player should choose from: urgent moves, likely moves, or all; how many."""
    n = 0
    if urgent:
        n = int(game.urgent_moves(position, known, out))
    if likely and n == 0:
        n = int(game.likely_moves(position, known, most, out))
    return n if n > 0 else int(game.legal_moves(position, out))


@inner
def begin_rollout(settings: KernelSettings, tree: Tree) -> None:
    """At a leaf that the network has seen: decide whether its value is enough or a rollout is played."""
    lane = tree.lane
    plays = settings.sigma >= 1.0 or (settings.sigma > 0.0 and uniform(tree.random) < settings.sigma)
    lane[0].phase = ROLLING if plays else IDLE
    lane[0].rolled = 0.0
    lane[0].weight = 1.0
    lane[0].rolls = 0 if plays else -1


@inner
def leaf_value(settings: KernelSettings, tree: Tree) -> float:
    """The value of the leaf: the network's, the rollout's, or a mixture."""
    lane = tree.lane
    if lane[0].rolls < 0:
        return float(lane[0].value)
    return float((1.0 - settings.rollout_share) * lane[0].value + settings.rollout_share * lane[0].rolled)


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
    lane = tree.lane
    view = int(tree.path[lane[0].length - 1].viewer)
    mover = game.to_move(tree.leaf)
    while True:
        reward = game.play(tree.leaf, move)
        lane[0].rolled += lane[0].weight * (reward if mover == view else -reward)
        lane[0].weight *= settings.discount
        lane[0].rolls += 1
        if game.is_over(tree.leaf) or lane[0].rolls >= settings.rollout_moves:
            lane[0].phase = IDLE
            return
        if game.to_move(tree.leaf) != CHANCE:
            return
        count = int(game.legal_moves(tree.leaf, tree.moves))
        game.chance_odds(tree.leaf, tree.odds)
        move = int(tree.moves[choose(tree.random, tree.odds, count)])
