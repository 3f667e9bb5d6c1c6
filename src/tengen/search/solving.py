"""Proofs in the tree: what a move is worth at least and at most, taken up beside the mean values.

The end of a game proves the move that led to it. A position is worth at least what its best move is proven to be worth, and at
most what its most promising one still can be: so wins, losses and draws go up the tree (Winands, Björnsson and Saito 2008:
MCTS-Solver; Cazenave and Saffidine 2010: score bounds). They stand in `Tree.facts`, in the view of the player who chooses.

What is proven is not searched again. Its mean value becomes −∞, which no rule of selection prefers to anything, so that the loop
over children needs no question more. Only at the root a proven draw (or anything but a loss) keeps its value and goes on
collecting visits, since visits decide what is played and learned. Every value on its way up is brought inside the bounds
of the positions it passes.

This is sound where two players move, without luck, for rewards that come at the end and lie in [−1, 1].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.compiling import apart, inner, wide
from tengen.games.types import IntArray
from tengen.games.verbs import Defaults, Game
from tengen.search.trees import Tree

LOST, WON = -1.0, 1.0


def why_not(game: Game) -> str | None:
    """What keeps a game from being solved, in words; None where nothing does.

    That rewards come only at the end is seen when the search meets one that does not.
    """
    name = type(game).__name__.lower()
    if game.players() != 2:
        return f"the solver is for two players: {name} is a game for one"
    if vars(type(game))["chance_odds"] is not vars(Defaults)["chance_odds"]:
        return f"the solver needs a game without luck: in {name} luck moves, too"
    if not game.is_bounded():
        return f"the solver needs a game that is won, lost or drawn: {name} has other rewards"
    return None


@inner
def is_proven(tree: Tree, node: int) -> bool:
    """Whether the value of a move that has been tried, or of the root, is known."""
    return bool(tree.facts[node].low == tree.facts[node].high)


@inner
def bounds_of(tree: Tree, node: int) -> tuple[float, float]:
    """What an expanded position is worth at least and at most, in its own view, by what is known of its moves."""
    first, tried = int(tree.nodes[node].first), int(tree.nodes[node].tried)
    low, high = LOST, WON if tried < tree.nodes[node].children else LOST
    for child in range(first, first + tried):
        low = max(low, tree.facts[child].low)
        high = max(high, tree.facts[child].high)
    return low, high


@apart
def prove(tree: Tree, d: int, is_end: bool, changed: bool, value: float) -> tuple[float, bool]:
    """At place `d` of the path: renew its bounds, if those of the move made there have changed; bring the value inside them.

    The value, in the position's own view, and whether the bounds have changed.
    """
    node = wide(tree.path[d].node)
    if is_end:  # the end of the game: its reward is the proof
        changed = not is_proven(tree, node)
        tree.facts[node].low = tree.path[d].reward
        tree.facts[node].high = tree.path[d].reward
        return value, changed
    same = d == 0 or tree.path[d].viewer == tree.path[d - 1].viewer
    low, high = tree.facts[node].low, tree.facts[node].high
    if not same:
        low, high = -high, -low
    if changed:
        new_low, new_high = bounds_of(tree, node)
        changed = new_low > low or new_high < high
        low, high = new_low, new_high
        tree.facts[node].low = low if same else -high
        tree.facts[node].high = high if same else -low
    return min(max(value, low), high), changed


@apart
def close(tree: Tree, d: int) -> None:
    """Have the rules of selection leave out a move that is proven; at the root only if it loses, since visits decide there."""
    node = wide(tree.path[d].node)
    if is_proven(tree, node):
        stays = d == 1 and tree.facts[node].low > LOST
        tree.nodes[node].q = tree.facts[node].low if stays else -np.inf


@apart
def renew_root(tree: Tree) -> None:
    """A child has become the root: its bounds are now its own, and its proven moves collect visits again."""
    low, high = LOST, WON
    if tree.nodes[0].first > 0:
        low, high = bounds_of(tree, 0)
        first = int(tree.nodes[0].first)
        for child in range(first, first + int(tree.nodes[0].tried)):
            if is_proven(tree, child) and tree.facts[child].low > LOST:
                tree.nodes[child].q = tree.facts[child].low
    tree.facts[0].low = low
    tree.facts[0].high = high


@inner
def is_kept(low: Any, high: Any, best_low: float, best_high: float) -> Any:
    """Whether a move worth from `low` to `high` may be played where the best is worth from `best_low` to `best_high`.

    One that another is proven to be as good as is left out, and so is a proven loss as long as anything else may be better.
    """
    return (high > best_low) | ((low == best_low) & ((best_low == best_high) | (best_low > LOST)))  # also for arrays


@apart
def strike_out(tree: Tree, weights: IntArray) -> None:
    """Of weights by move, make those −2 whose moves are not to be played."""
    first, tried = int(tree.nodes[0].first), int(tree.nodes[0].tried)
    best_low, best_high = bounds_of(tree, 0)
    for child in range(first, first + int(tree.nodes[0].children)):
        low, high = LOST, WON
        if child < first + tried:
            low, high = tree.facts[child].low, tree.facts[child].high
        if not is_kept(low, high, best_low, best_high):
            weights[tree.edges[child].move] = -2
