"""The memory of a search: many trees in arrays that are allocated once.

A tree is a row of each array. Its root is node 0. A node is also the move that leads to it, so it keeps the statistics of
both: `total` is the sum of the values of its position, **in that position's own view**; `q` is the mean value of the move,
**in the view of the player who chooses it** (with the move's reward). The children of a node stand side by side, those
already tried first: that prefix is all that selection reads, so a node's statistics are written when it is tried,
and until then only its move and prior mean anything.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import borrow, inner
from tengen.games.randomness import random_state
from tengen.games.verbs import Game

DEEPEST = 1024
"""The longest line that a tree follows; beyond it positions are evaluated, not expanded."""

OFF_TREE = -1
"""Stands in a path for a position that found no room in the tree."""

# The numbers of `counts`.
USED, DONE, TARGET, LENGTH, NOISY = range(5)


class Trees(NamedTuple):
    """All trees of a forest."""

    move: NDArray[np.int32]  # [trees, nodes] the move that leads here
    prior: NDArray[np.float64]  # [trees, nodes] P; where luck moves, the odds
    visits: NDArray[np.int32]  # [trees, nodes] N
    total: NDArray[np.float64]  # [trees, nodes] sum of values in the position's own view
    q: NDArray[np.float64]  # [trees, nodes] mean value of the move in the chooser's view
    bonus: NDArray[
        np.float64
    ]  # [trees, nodes] the part of the exploration term that only this move's own visits change
    first: NDArray[np.int32]  # [trees, nodes] the first child; 0: not expanded
    children: NDArray[np.int32]  # [trees, nodes] how many children
    tried: NDArray[np.int32]  # [trees, nodes] how many of them have been tried

    counts: NDArray[np.int64]  # [trees, 5] nodes used; simulations done, wanted; length of the path; noise in the root
    bounds: NDArray[np.float64]  # [trees, 2] the smallest and the largest q
    random: NDArray[np.uint64]  # [trees, 1] state of the random generator
    root: NDArray[np.int32]  # [trees, position] the position that is searched
    clean: NDArray[np.float64]  # [trees, moves] the root's priors before noise

    # the simulation under way
    leaf: NDArray[np.int32]  # [trees, position] where it has come to
    path: NDArray[np.int32]  # [trees, depth] nodes from the root to there
    reward: NDArray[np.float64]  # [trees, depth] what the move to each of them brought to the one who made it
    viewer: NDArray[np.int32]  # [trees, depth] whose view each of them has


class Tree(NamedTuple):
    """One row of `Trees`, field by field."""

    move: Any
    prior: Any
    visits: Any
    total: Any
    q: Any
    bonus: Any
    first: Any
    children: Any
    tried: Any
    counts: Any
    bounds: Any
    random: Any
    root: Any
    clean: Any
    leaf: Any
    path: Any
    reward: Any
    viewer: Any


BYTES_PER_NODE = 3 * 4 + 4 * 8 + 2 * 4


def plant(game: Game, trees: int, nodes: int, seed: int) -> Trees:
    """Empty trees of at most `nodes` nodes each, with a random generator each."""
    depth = min(DEEPEST, nodes)

    def room(dtype: type, *shape: int) -> NDArray[Any]:
        return np.empty((trees, *shape), dtype)  # not zeros: the pages are touched as the trees grow

    return Trees(
        move=room(np.int32, nodes),
        prior=room(np.float64, nodes),
        visits=room(np.int32, nodes),
        total=room(np.float64, nodes),
        q=room(np.float64, nodes),
        bonus=room(np.float64, nodes),
        first=room(np.int32, nodes),
        children=room(np.int32, nodes),
        tried=room(np.int32, nodes),
        counts=np.zeros((trees, 5), np.int64),
        bounds=np.zeros((trees, 2), np.float64),
        random=np.stack([random_state(seed * 1_000_003 + tree) for tree in range(trees)]),
        root=np.zeros((trees, game.position_size()), np.int32),
        clean=np.zeros((trees, game.move_count()), np.float64),
        leaf=np.zeros((trees, game.position_size()), np.int32),
        path=room(np.int32, depth),
        reward=room(np.float64, depth),
        viewer=room(np.int32, depth),
    )


@inner
def tree_of(trees: Trees, i: int) -> Tree:
    """The i-th tree."""
    return Tree(
        borrow(trees.move[i]),
        borrow(trees.prior[i]),
        borrow(trees.visits[i]),
        borrow(trees.total[i]),
        borrow(trees.q[i]),
        borrow(trees.bonus[i]),
        borrow(trees.first[i]),
        borrow(trees.children[i]),
        borrow(trees.tried[i]),
        borrow(trees.counts[i]),
        borrow(trees.bounds[i]),
        borrow(trees.random[i]),
        borrow(trees.root[i]),
        borrow(trees.clean[i]),
        borrow(trees.leaf[i]),
        borrow(trees.path[i]),
        borrow(trees.reward[i]),
        borrow(trees.viewer[i]),
    )


@inner
def clear_node(tree: Tree, node: int) -> None:
    """A node without visits and children."""
    tree.visits[node] = 0
    tree.total[node] = 0.0
    tree.q[node] = 0.0
    tree.bonus[node] = 0.0
    tree.first[node] = 0
    tree.children[node] = 0
    tree.tried[node] = 0


@inner
def clear_tree(tree: Tree) -> None:
    """A tree that is only a root."""
    clear_node(tree, 0)
    tree.move[0] = -1
    tree.prior[0] = 1.0
    tree.counts[USED] = 1
    tree.counts[DONE] = 0
    tree.counts[TARGET] = 0
    tree.counts[LENGTH] = 0
    tree.counts[NOISY] = 0
    tree.bounds[0] = np.inf
    tree.bounds[1] = -np.inf


@inner
def keep_child(tree: Tree, child: int) -> None:
    """Make a child of the root the root and forget everything that is not below it.

    Nodes only ever move to lower places: children are made after their parents, so one scan upward finds what is
    still reached, and a second one moves it down without a second memory.
    """
    used = tree.counts[USED]
    place = np.full(used, -1, np.int64)  # −1: forgotten; −2: kept; −3: kept, and so are its children
    place[child] = -3
    for node in range(child, used):
        if place[node] == -3 and tree.first[node] > 0:
            start = tree.first[node]
            for i in range(tree.children[node]):
                place[start + i] = -3 if i < tree.tried[node] else -2
    n = 0
    for node in range(child, used):
        if place[node] == -1:
            continue
        known = place[node] == -3
        place[node] = n
        tree.move[n] = tree.move[node]
        tree.prior[n] = tree.prior[node]
        if known:
            tree.visits[n] = tree.visits[node]
            tree.total[n] = tree.total[node]
            tree.q[n] = tree.q[node]
            tree.bonus[n] = tree.bonus[node]
            tree.first[n] = tree.first[node]
            tree.children[n] = tree.children[node]
            tree.tried[n] = tree.tried[node]
        else:
            tree.first[n] = -1
        n += 1
    tree.counts[USED] = n
    tree.counts[NOISY] = 0
    tree.bounds[0] = np.inf
    tree.bounds[1] = -np.inf
    for node in range(n):
        if tree.first[node] > 0:
            tree.first[node] = place[tree.first[node]]
        if node > 0 and tree.first[node] >= 0 and tree.visits[node] > 0:
            tree.bounds[0] = min(tree.bounds[0], tree.q[node])
            tree.bounds[1] = max(tree.bounds[1], tree.q[node])
