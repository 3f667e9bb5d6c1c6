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

from tengen.compiling import borrow, inner, jit_is_disabled
from tengen.games.randomness import random_state
from tengen.games.verbs import Game

DEEPEST = 1024
"""The longest line that a tree follows; beyond it positions are evaluated, not expanded."""

OFF_TREE = -1
"""Stands in a path for a position that found no room in the tree."""

NODE = np.dtype(
    [
        ("prior", np.float64),  # P; where luck moves, the odds
        ("total", np.float64),  # sum of values in the position's own view
        ("q", np.float64),  # mean value of the move in the chooser's view
        ("bonus", np.float64),  # the part of the exploration term that only this move's own visits change
        ("move", np.int32),  # the move that leads here
        ("visits", np.int32),  # N
        ("first", np.int32),  # the first child; 0: not expanded
        ("children", np.int32),  # how many children
        ("tried", np.int32),  # how many of them have been tried
    ],
    align=True,
)

STEP = np.dtype(
    [
        ("reward", np.float64),  # what the move brought to the one who made it
        ("node", np.int32),  # where it led; OFF_TREE where there is no room for that
        ("viewer", np.int32),  # whose view the position there has
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("low", np.float64),  # the smallest q in the tree
        ("high", np.float64),  # the largest
        ("used", np.int64),  # nodes in use
        ("done", np.int64),  # simulations made
        ("target", np.int64),  # simulations wanted
        ("length", np.int64),  # positions on the path, the root among them
        ("noise", np.int64),  # NONE, FRESH or STALE
        ("phase", np.int64),  # IDLE, or waiting for the network's answer: AT_LEAF, ROLLING
        ("value", np.float64),  # what the network said of the leaf
        ("rolled", np.float64),  # what the rollout under way has brought, in the leaf's view
        ("weight", np.float64),  # what its next reward counts: discount to the power of its moves
        ("rolls", np.int64),  # its moves
    ],
    align=True,
)

IDLE, AT_LEAF, ROLLING = range(3)

NONE, FRESH, STALE = range(3)
"""Whether there is noise in the root's priors; stale noise is replaced when the search goes on."""


class Trees(NamedTuple):
    """All trees of a forest. Few arrays with many fields: each array costs every call and the compiler dear."""

    nodes: NDArray[Any]  # [trees, nodes] of NODE
    path: NDArray[Any]  # [trees, depth] of STEP: the simulation under way, from the root
    state: NDArray[Any]  # [trees] of STATE
    random: NDArray[np.uint64]  # [trees, 1] state of the random generator
    root: NDArray[np.int32]  # [trees, position] the position that is searched
    leaf: NDArray[np.int32]  # [trees, position] the position that the simulation has come to
    clean: NDArray[np.float64]  # [trees, moves] the root's priors before noise
    moves: NDArray[np.int32]  # [moves] scratch
    odds: NDArray[np.float64]  # [moves] scratch


class Tree(NamedTuple):
    """One tree: a row of each array of `Trees`, and the scratch."""

    nodes: Any
    path: Any
    state: Any
    random: Any
    root: Any
    leaf: Any
    clean: Any
    moves: Any
    odds: Any


def plant(game: Game, trees: int, nodes: int, seed: int) -> Trees:
    """Empty trees of at most `nodes` nodes each, with a random generator each."""

    def records(kind: np.dtype[Any], *shape: int) -> NDArray[Any]:
        array: NDArray[Any] = np.empty((trees, *shape), kind)  # not zeros: pages are touched as the trees grow
        return array.view(np.recarray) if jit_is_disabled() else array  # compiled code needs no class for `.visits`

    size, moves = game.position_size(), game.move_count()
    return Trees(
        nodes=records(NODE, nodes),
        path=records(STEP, DEEPEST),
        state=records(STATE),
        random=np.stack([random_state(seed * 1_000_003 + tree) for tree in range(trees)]),
        root=np.zeros((trees, size), np.int32),
        leaf=np.zeros((trees, size), np.int32),
        clean=np.zeros((trees, moves), np.float64),
        moves=np.zeros(moves, np.int32),
        odds=np.zeros(moves, np.float64),
    )


@inner
def tree_of(trees: Trees, i: int) -> Tree:
    """The i-th tree."""
    return Tree(
        borrow(trees.nodes[i]),
        borrow(trees.path[i]),
        borrow(trees.state[i : i + 1]),
        borrow(trees.random[i]),
        borrow(trees.root[i]),
        borrow(trees.leaf[i]),
        borrow(trees.clean[i]),
        borrow(trees.moves),
        borrow(trees.odds),
    )


@inner
def copy_position(source: Any, target: Any) -> None:
    """``target[:] = source``, which takes the compiler four seconds longer."""
    for i in range(len(source)):
        target[i] = source[i]


@inner
def clear_node(tree: Tree, node: int) -> None:
    """A node without visits and children."""
    tree.nodes[node].visits = 0
    tree.nodes[node].total = 0.0
    tree.nodes[node].q = 0.0
    tree.nodes[node].bonus = 0.0
    tree.nodes[node].first = 0
    tree.nodes[node].children = 0
    tree.nodes[node].tried = 0


@inner
def clear_tree(tree: Tree) -> None:
    """A tree that is only a root."""
    clear_node(tree, 0)
    tree.nodes[0].move = -1
    tree.nodes[0].prior = 1.0
    tree.state[0].used = 1
    tree.state[0].done = 0
    tree.state[0].target = 0
    tree.state[0].length = 0
    tree.state[0].phase = IDLE
    tree.state[0].noise = NONE
    tree.state[0].low = np.inf
    tree.state[0].high = -np.inf


@inner
def keep_child(tree: Tree, child: int) -> None:
    """Make a child of the root the root and forget everything that is not below it.

    Nodes only ever move to lower places: children are made after their parents, so one scan upward finds what is
    still reached, and a second one moves it down without a second memory.
    """
    used = tree.state[0].used
    place = np.full(used, -1, np.int64)  # −1: forgotten; −2: kept; −3: kept, and so are its children
    place[child] = -3
    for node in range(child, used):
        if place[node] == -3 and tree.nodes[node].first > 0:
            start = tree.nodes[node].first
            for i in range(tree.nodes[node].children):
                place[start + i] = -3 if i < tree.nodes[node].tried else -2
    n = 0
    for node in range(child, used):
        if place[node] == -1:
            continue
        known = place[node] == -3
        place[node] = n
        tree.nodes[n].move = tree.nodes[node].move
        tree.nodes[n].prior = tree.nodes[node].prior
        if known:
            tree.nodes[n].visits = tree.nodes[node].visits
            tree.nodes[n].total = tree.nodes[node].total
            tree.nodes[n].q = tree.nodes[node].q
            tree.nodes[n].bonus = tree.nodes[node].bonus
            tree.nodes[n].first = tree.nodes[node].first
            tree.nodes[n].children = tree.nodes[node].children
            tree.nodes[n].tried = tree.nodes[node].tried
        else:
            tree.nodes[n].first = -1
        n += 1
    tree.state[0].used = n
    tree.state[0].noise = NONE
    tree.state[0].low = np.inf
    tree.state[0].high = -np.inf
    for node in range(n):
        if tree.nodes[node].first > 0:
            tree.nodes[node].first = place[tree.nodes[node].first]
        if node > 0 and tree.nodes[node].first >= 0 and tree.nodes[node].visits > 0:
            tree.state[0].low = min(tree.state[0].low, tree.nodes[node].q)
            tree.state[0].high = max(tree.state[0].high, tree.nodes[node].q)
