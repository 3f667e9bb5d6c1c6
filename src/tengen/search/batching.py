"""Several leaves of one tree asked about at once, so that a network answers a batch: virtual loss.

Each of these simulations has a lane of its own (`trees.py`). While one waits for its answer, every move on its way counts one
more visit, which the player who chose it has lost; so the next simulations go elsewhere. When the answer comes this is taken
back. A simulation that comes to a position which is being asked about already is broken off: until an answer comes, nothing else
can be chosen. A position being asked about has −1 as its number of tried moves, of which it has none yet.
"""

from __future__ import annotations

import numpy as np

from tengen.compiling import apart, inner, wide
from tengen.games.types import AnyGame
from tengen.search.selection import bonus_of
from tengen.search.settings import GUMBEL, KernelSettings
from tengen.search.trees import OFF_TREE, Tree

AWAITED = -1


@inner
def is_awaited(tree: Tree) -> bool:
    """Whether the position at the end of the path is being asked about by another lane."""
    node = int(tree.path[tree.lane[0].length - 1].node)
    return bool(node != OFF_TREE and tree.nodes[node].tried == AWAITED)


@apart
def take_back(settings: KernelSettings, tree: Tree) -> None:
    """Break a simulation off: gumbel's plan does not count it."""
    if settings.selection == GUMBEL and tree.lane[0].length > 1:
        tree.state[0].turns -= 1
        tree.facts[tree.path[1].node].turns -= 1


@inner
def go_ahead(game: AnyGame, settings: KernelSettings, tree: Tree) -> None:
    """Leave a question, and a loss on the way to it."""
    tree.state[0].waiting += 1
    if not settings.batches:
        return
    last = int(tree.lane[0].length) - 1
    leaf = int(tree.path[last].node)
    if leaf != OFF_TREE and tree.nodes[leaf].first == 0:
        tree.nodes[leaf].tried = AWAITED
    loss = -1.0
    if not game.is_bounded():
        loss = tree.state[0].low if tree.state[0].low < np.inf else 0.0
    tree.lane[0].loss = loss
    count_loss(settings, tree, 1)


@inner
def arrive(tree: Tree) -> None:
    """The answer about a leaf is there: it may grow."""
    leaf = int(tree.path[tree.lane[0].length - 1].node)
    if leaf != OFF_TREE and tree.nodes[leaf].tried == AWAITED:
        tree.nodes[leaf].tried = 0


@apart
def come_back(settings: KernelSettings, tree: Tree) -> None:
    """The value of a leaf is there: the loss on the way to it is taken back."""
    tree.state[0].waiting -= 1
    if settings.batches:
        count_loss(settings, tree, -1)


@inner
def count_loss(settings: KernelSettings, tree: Tree, times: int) -> None:
    """Add a lost visit to every move on the path, or take it away again; the root has one visit more."""
    tree.nodes[0].visits += times
    for d in range(1, tree.lane[0].length):
        node = int(tree.path[d].node)
        if node != OFF_TREE:
            sign = 1.0 if tree.path[d].viewer == tree.path[d - 1].viewer else -1.0
            tree.nodes[node].visits += times
            tree.nodes[node].total += times * sign * tree.lane[0].loss
            n = wide(tree.nodes[node].visits)
            if times > 0:  # when it is taken away, backup does this
                tree.nodes[node].q = tree.path[d].reward + sign * settings.discount * (tree.nodes[node].total / n)
                tree.nodes[node].bonus = bonus_of(settings, n, tree.edges[node].prior)
