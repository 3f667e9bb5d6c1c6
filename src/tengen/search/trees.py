"""The memory of a search: many trees in arrays that are allocated once.

A tree is a row of each array. Only where one tree has several leaves asked about at once are there more rows of some arrays
than trees: a *lane* for each of these simulations has a path, a leaf and a part of the state of its own.

The root of a tree is node 0. A node is also the move that leads to it, so it keeps the statistics of
both: `total` is the sum of the values of its position, **in that position's own view**; `q` is the mean value of the move,
**in the view of the player who chooses it** (with the move's reward). The children of a node stand side by side, those
already tried first: that prefix is all that selection reads, so a node's statistics are written when it is tried.
Until then only its move and prior mean anything; they stand in an array of their own, so that expanding a node, most of whose
children will never be tried, touches little memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import apart, borrow, inner, jit_is_disabled
from tengen.games.randomness import random_state
from tengen.games.verbs import Game

DEEPEST = 1024
"""The longest line that a tree follows; beyond it positions are evaluated, not expanded."""

OFF_TREE = -1
"""Stands in a path for a position that found no room in the tree."""

EDGE = np.dtype(
    [
        ("prior", np.float32),  # P; where luck moves, the odds
        ("move", np.int32),  # the move that leads here
    ],
    align=True,
)

NODE = np.dtype(
    [
        ("total", np.float64),  # sum of values in the position's own view
        ("q", np.float64),  # mean value of the move in the chooser's view
        ("bonus", np.float64),  # the part of the exploration term that only this move's own visits change
        ("visits", np.int32),  # N
        ("first", np.int32),  # the first child; 0: not expanded
        ("children", np.int32),  # how many children
        ("tried", np.int32),  # how many of them have been tried
    ],
    align=True,
)

AMAF = np.dtype(
    [
        ("total", np.float64),  # sum of the values of all simulations in which the move was made, here or later
        ("visits", np.int64),  # how many they are
    ],
    align=True,
)
"""What rave knows of a move as if it were the first ("all moves as first")."""

FACT = np.dtype(
    [
        (
            "low",
            np.float64,
        ),  # what the move is proven to be worth at least, in the chooser's view; of the root, in its own
        ("high", np.float64),  # at most
        ("raw", np.float64),  # the position's first evaluation, in its own view
        ("turns", np.int64),  # at the root: simulations of the search under way that began with the move
    ],
    align=True,
)
"""What the solver and gumbel know of a move beside its mean value."""

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
        ("waiting", np.int64),  # lanes that wait for the network
        ("length", np.int64),  # of the lane: positions on the path, the root among them
        ("noise", np.int64),  # NONE, FRESH or STALE
        (
            "phase",
            np.int64,
        ),  # of the lane, as all down to `loss`: IDLE, or waiting for the network's answer: AT_LEAF, ROLLING
        ("value", np.float64),  # what the network said of the leaf
        ("rolled", np.float64),  # what the rollout under way has brought, in the leaf's view
        ("weight", np.float64),  # what its next reward counts: discount to the power of its moves
        ("rolls", np.int64),  # its moves
        ("loss", np.float64),  # what the chooser of each move on its path seems to have got while it waits
        ("last", np.int64),  # with gumbel: how many simulations there will be at the end of the search under way
        ("planned", np.int64),  # how many of them its plan is for; 0: there is none yet
        ("turns", np.int64),  # how many have begun
        ("flaw", np.int64),  # whether the solver met a reward before the end
    ],
    align=True,
)

IDLE, AT_LEAF, ROLLING = range(3)

NONE, FRESH, STALE, UNWANTED = range(4)
"""Whether there is noise in the root's priors; stale noise is replaced when the search goes on, unwanted noise is not made."""


class Trees(NamedTuple):
    """All trees of a forest. Few arrays with many fields: each array costs every call and the compiler dear."""

    nodes: NDArray[Any]  # [trees, nodes] of NODE
    edges: NDArray[Any]  # [trees, nodes] of EDGE
    amaf: NDArray[Any]  # [trees, nodes] of AMAF, in the view of `q`; [trees, 0] where the rule is not rave
    facts: NDArray[Any]  # [trees, nodes] of FACT; [trees, 0] where neither the solver nor gumbel needs it
    path: NDArray[Any]  # [lanes, depth] of STEP: the simulation under way, from the root
    state: NDArray[Any]  # [lanes] of STATE; what is not the lane's own stands in its tree's first
    random: NDArray[np.uint64]  # [trees, 1] state of the random generator
    root: NDArray[np.int32]  # [trees, position] the position that is searched
    leaf: NDArray[np.int32]  # [lanes, position] the position that the simulation has come to
    known: NDArray[
        np.int32
    ]  # [trees, 2, knowledge] what the game knows of root and leaf; [trees, 2, 0]: no setting uses it
    clean: NDArray[np.float64]  # [trees, moves] the root's priors before noise; with gumbel, the noise
    moves: NDArray[np.int32]  # [moves] scratch
    odds: NDArray[np.float64]  # [moves] scratch


class Tree(NamedTuple):
    """One tree: a row of each array of `Trees`, and the scratch."""

    nodes: Any
    edges: Any
    amaf: Any
    facts: Any
    path: Any
    state: Any
    lane: Any
    random: Any
    root: Any
    leaf: Any
    known: Any
    clean: Any
    moves: Any
    odds: Any


def plant(
    game: Game, trees: int, nodes: int, seed: int, rave: bool, knows: bool, has_facts: bool = False, lanes: int = 1
) -> Trees:
    """Empty trees of at most `nodes` nodes each, with a random generator and so many lanes each.

    And with what rave, knowledge, and solver or gumbel need.
    """

    def records(kind: np.dtype[Any], *shape: int, rows: int = trees) -> NDArray[Any]:
        array: NDArray[Any] = np.empty((rows, *shape), kind)  # not zeros: pages are touched as the trees grow
        return array.view(np.recarray) if jit_is_disabled() else array  # compiled code needs no class for `.visits`

    size, moves = game.position_size(), game.move_count()
    return Trees(
        nodes=records(NODE, nodes),
        edges=records(EDGE, nodes),
        amaf=records(AMAF, nodes if rave else 0),
        facts=records(FACT, nodes if has_facts else 0),
        path=records(STEP, DEEPEST, rows=trees * lanes),
        state=records(STATE, rows=trees * lanes),
        random=np.stack([random_state(seed * 1_000_003 + tree) for tree in range(trees)]),
        root=np.zeros((trees, size), np.int32),
        leaf=np.zeros((trees * lanes, size), np.int32),
        known=np.zeros((trees, 2, game.knowledge_size() if knows else 0), np.int32),
        clean=np.zeros((trees, moves), np.float64),
        moves=np.zeros(moves, np.int32),
        odds=np.zeros(moves, np.float64),
    )


@inner
def tree_of(trees: Trees, lane: int) -> Tree:
    """The tree of a lane; where there are not more lanes than trees, the tree of that number."""
    lanes = len(trees.state) // len(trees.nodes)
    i = lane // lanes
    return Tree(
        borrow(trees.nodes[i]),
        borrow(trees.edges[i]),
        borrow(trees.amaf[i]),
        borrow(trees.facts[i]),
        borrow(trees.path[lane]),
        borrow(trees.state[i * lanes : i * lanes + 1]),
        borrow(trees.state[lane : lane + 1]),
        borrow(trees.random[i]),
        borrow(trees.root[i]),
        borrow(trees.leaf[lane]),
        borrow(trees.known[i]),
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
    if len(tree.facts) > 0:
        tree.facts[node].low = -1.0
        tree.facts[node].high = 1.0
        tree.facts[node].raw = 0.0
        tree.facts[node].turns = 0


@apart
def clear_tree(tree: Tree) -> None:
    """A tree that is only a root."""
    clear_node(tree, 0)
    tree.edges[0].move = -1
    tree.edges[0].prior = 1.0
    tree.state[0].used = 1
    tree.state[0].done = 0
    tree.state[0].target = 0
    tree.lane[0].length = 0
    tree.lane[0].phase = IDLE
    tree.state[0].waiting = 0
    tree.state[0].flaw = 0
    tree.state[0].noise = NONE
    tree.state[0].planned = 0
    tree.state[0].low = np.inf
    tree.state[0].high = -np.inf


@apart
def keep_child(tree: Tree, child: int) -> None:
    """Make a child of the root the root and forget everything that is not below it.

    The children of a node stand side by side, made after their parent. What is kept is moved down block by block, the lowest
    first (a heap says which), so a block never overwrites one that is still to be moved, and no second memory is needed.
    """
    tree.edges[0].move = tree.edges[child].move
    tree.edges[0].prior = tree.edges[child].prior
    copy_node(tree, child, 0)
    tree.state[0].noise = NONE
    tree.state[0].planned = 0
    tree.state[0].low = np.inf
    tree.state[0].high = -np.inf
    heap = np.empty((tree.state[0].used, 2), np.int64)  # a block's first node, and its parent's new place
    waiting = 0
    if tree.nodes[0].first > 0:
        waiting = push(heap, waiting, int(tree.nodes[0].first), 0)
    n = 1
    while waiting > 0:
        start, parent = heap[0, 0], heap[0, 1]
        waiting = drop_first(heap, waiting)
        tree.nodes[parent].first = n
        for i in range(tree.nodes[parent].children):
            tree.edges[n + i].move = tree.edges[start + i].move
            tree.edges[n + i].prior = tree.edges[start + i].prior
            if len(tree.amaf) > 0:
                tree.amaf[n + i].total = tree.amaf[start + i].total
                tree.amaf[n + i].visits = tree.amaf[start + i].visits
        for i in range(tree.nodes[parent].tried):
            copy_node(tree, start + i, n + i)
            if tree.nodes[n + i].first > 0:
                waiting = push(heap, waiting, int(tree.nodes[n + i].first), n + i)
            if tree.nodes[n + i].visits > 0:
                tree.state[0].low = min(tree.state[0].low, tree.nodes[n + i].q)
                tree.state[0].high = max(tree.state[0].high, tree.nodes[n + i].q)
        n += tree.nodes[parent].children
    tree.state[0].used = n


@inner
def copy_node(tree: Tree, source: int, target: int) -> None:
    """What is known of a node, to another place."""
    tree.nodes[target].visits = tree.nodes[source].visits
    tree.nodes[target].total = tree.nodes[source].total
    tree.nodes[target].q = tree.nodes[source].q
    tree.nodes[target].bonus = tree.nodes[source].bonus
    tree.nodes[target].first = tree.nodes[source].first
    tree.nodes[target].children = tree.nodes[source].children
    tree.nodes[target].tried = tree.nodes[source].tried
    if len(tree.facts) > 0:
        tree.facts[target].low = tree.facts[source].low
        tree.facts[target].high = tree.facts[source].high
        tree.facts[target].raw = tree.facts[source].raw
        tree.facts[target].turns = tree.facts[source].turns


@inner
def push(heap: NDArray[np.int64], n: int, key: int, item: int) -> int:
    """Add to a heap of n rows (key, item) with the smallest key in front; how many there are then."""
    place = n
    while place > 0 and heap[(place - 1) // 2, 0] > key:
        above = (place - 1) // 2
        heap[place, 0], heap[place, 1] = heap[above, 0], heap[above, 1]
        place = above
    heap[place, 0], heap[place, 1] = key, item
    return n + 1


@inner
def drop_first(heap: NDArray[np.int64], n: int) -> int:
    """Take away the row in front; how many there are then."""
    n -= 1
    key, item, place = heap[n, 0], heap[n, 1], 0
    while 2 * place + 1 < n:
        below = 2 * place + 1
        if below + 1 < n and heap[below + 1, 0] < heap[below, 0]:
            below += 1
        if heap[below, 0] >= key:
            break
        heap[place, 0], heap[place, 1] = heap[below, 0], heap[below, 1]
        place = below
    heap[place, 0], heap[place, 1] = key, item
    return n
