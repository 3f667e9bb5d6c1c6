"""The compiled heart: the four steps of Monte-Carlo tree search, over a forest, by ask and tell.

    selection    `descend` goes down from the root by `selection.select`
    expansion    `grow` gives a node its children, `grow_by_policy` with the network's priors
    evaluation   random moves to the end (`rollouts.rollout`), or questions that the caller answers: `ask` … `tell`
    backup       `backup` takes the value up the path, by the one rule of `games.verbs`

`ask` runs simulations in every tree until each has reached its target or needs the network; the positions to be
evaluated are then in `trees.leaf`. `tell` takes the answers. Where rollouts evaluate, `ask` has no questions and just searches.
Batching lives here and nowhere else. Nothing here knows a game: only the verbs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import inner, kernel
from tengen.games.randomness import choose
from tengen.games.types import AnyGame, IntArray
from tengen.games.verbs import CHANCE
from tengen.search.rollouts import begin_rollout, leaf_value, roll, rollout, rollout_move
from tengen.search.selection import bonus_of, put_best_untried_first, select, stir
from tengen.search.settings import FLAT, KernelSettings
from tengen.search.trees import (
    AT_LEAF,
    FRESH,
    IDLE,
    OFF_TREE,
    ROLLING,
    Tree,
    Trees,
    clear_node,
    clear_tree,
    copy_position,
    keep_child,
    tree_of,
)

LEAF, LUCK, OVER = range(3)  # how a descent ends: where a player moves, where luck does (no room is left), at the end

LUCK_IN_A_ROW = 8  # places at the end of a path that are left for luck, since only a player's position can be a leaf


@kernel
def ask(game: AnyGame, settings: KernelSettings, trees: Trees, asked: NDArray[np.int64]) -> int:
    """Search on in every tree; write which of them wait for the network, and return how many."""
    n = 0
    for i in range(len(trees.state)):
        tree = tree_of(trees, i)
        while tree.state[0].phase == IDLE and tree.state[0].done < tree.state[0].target:
            if settings.noise > 0.0 and tree.state[0].noise != FRESH and tree.nodes[0].first > 0:
                stir(settings, tree)
            simulate(game, settings, tree)
        if tree.state[0].phase != IDLE:
            asked[n] = i
            n += 1
    return n


@kernel
def tell(
    game: AnyGame,
    settings: KernelSettings,
    trees: Trees,
    asked: NDArray[np.int64],
    policy: NDArray[np.float32],  # [questions, outputs]
    value: NDArray[np.float32],  # [questions] in the mover's view
    move_views: NDArray[np.int32],  # [views, moves] → output
) -> None:
    """Take the network's answers: expand the leaves, roll on where rollouts are the network's, and back up what is known."""
    for row in range(len(asked)):
        tree = tree_of(trees, int(asked[row]))
        outputs = move_views[game.move_view(tree.leaf)]
        if tree.state[0].phase == AT_LEAF:
            depth = int(tree.state[0].length) - 1
            node = int(tree.path[depth].node)
            if may_grow(settings, tree, node, depth):
                grow_by_policy(game, tree, node, policy[row], outputs)
            tree.state[0].value = value[row]
            begin_rollout(settings, tree)
        if tree.state[0].phase == ROLLING and settings.network_rolls:
            move = rollout_move(game, settings, tree, policy[row], outputs)
            roll(game, settings, tree, move)
        elif tree.state[0].phase == ROLLING:
            tree.state[0].rolled = rollout(game, settings, tree)
            tree.state[0].phase = IDLE
        if tree.state[0].phase == IDLE:
            backup(settings, tree, leaf_value(settings, tree))


@kernel
def reset(trees: Trees, i: int, position: IntArray) -> None:
    """Make tree `i` an empty one for a position."""
    tree = tree_of(trees, i)
    copy_position(position, tree.root)
    clear_tree(tree)


@kernel
def advance(game: AnyGame, trees: Trees, i: int, move: int) -> None:
    """Play a move in the position of tree `i` and keep the part of the tree below it."""
    tree = tree_of(trees, i)
    child = -1
    first = int(tree.nodes[0].first)
    for node in range(first, first + int(tree.nodes[0].tried)) if first > 0 else range(0):
        if tree.nodes[node].move == move:
            child = node
    game.play(tree.root, move)
    if child == -1:
        clear_tree(tree)
    else:
        keep_child(tree, child)


@inner
def simulate(game: AnyGame, settings: KernelSettings, tree: Tree) -> None:
    """One simulation from the root, to its end, or to a position that the network has to be asked about."""
    end = descend(game, settings, tree)
    if end == LEAF and settings.asks:
        tree.state[0].phase = AT_LEAF
    else:
        backup(settings, tree, 0.0 if end == OVER else rollout(game, settings, tree))


@inner
def descend(game: AnyGame, settings: KernelSettings, tree: Tree) -> int:
    """Play moves from the root to a position that is to be evaluated; note the path; say how it ended."""
    position = tree.leaf
    copy_position(tree.root, position)
    node, depth, view = 0, 0, game.to_move(position)
    player = view
    tree.path[0].node = 0
    tree.path[0].viewer = view
    tree.path[0].reward = 0.0
    end = -1
    while end < 0:
        if player == CHANCE:
            if depth == len(tree.path) - 1:
                end = LUCK
                break
            node, move = draw(game, tree, node)
        else:
            if node == OFF_TREE or tree.nodes[node].first == 0:
                new = node == OFF_TREE or tree.nodes[node].visits == 0 or settings.asks
                if new or not may_grow(settings, tree, node, depth):
                    end = LEAF
                    break
                grow(game, tree, node)
            node = select(game, settings, tree, node)
            move = int(tree.nodes[node].move)
        depth += 1
        tree.path[depth].node = node
        tree.path[depth].reward = game.play(position, move)
        if game.is_over(position):
            end = OVER
        else:
            player = game.to_move(position)
            if player != CHANCE:
                view = player
        tree.path[depth].viewer = view
    tree.state[0].length = depth + 1
    return end


@inner
def may_grow(settings: KernelSettings, tree: Tree, node: int, depth: int) -> bool:
    """Whether a node may get children: there is room, and the rule has a tree at all."""
    if node == OFF_TREE or depth >= len(tree.path) - LUCK_IN_A_ROW or (settings.selection == FLAT and depth > 0):
        return False
    return has_room(tree)


@inner
def has_room(tree: Tree) -> bool:
    return bool(tree.state[0].used + len(tree.moves) <= len(tree.nodes))


@inner
def grow(game: AnyGame, tree: Tree, node: int) -> int:
    """Expand a node with a child for each legal move, all with the same prior; how many."""
    first, count = int(tree.state[0].used), int(game.legal_moves(tree.leaf, tree.moves))
    for i in range(count):
        tree.nodes[first + i].move = tree.moves[i]
        tree.nodes[first + i].prior = 1.0 / count
    tree.nodes[node].first = first
    tree.nodes[node].children = count
    tree.nodes[node].tried = 0
    tree.state[0].used += count
    return count


@inner
def grow_by_policy(
    game: AnyGame, tree: Tree, node: int, policy: NDArray[np.float32], outputs: NDArray[np.int32]
) -> None:
    """Expand a node with the network's priors: illegal moves left out, the others made to add up to one."""
    count = grow(game, tree, node)
    first, total = int(tree.nodes[node].first), 0.0
    for child in range(first, first + count):
        p = float(policy[outputs[tree.nodes[child].move]])
        tree.nodes[child].prior = p if p > 0.0 else 0.0  # not a number counts as nothing
        total += tree.nodes[child].prior
    for child in range(first, first + count):
        tree.nodes[child].prior = tree.nodes[child].prior / total if total > 0.0 else 1.0 / count
    put_best_untried_first(tree, node)


@inner
def draw(game: AnyGame, tree: Tree, node: int) -> tuple[int, int]:
    """Where luck moves: the next node, or OFF_TREE where there is no room for it, and the outcome."""
    count = int(game.legal_moves(tree.leaf, tree.moves))
    game.chance_odds(tree.leaf, tree.odds)
    i = choose(tree.random, tree.odds, count)
    move = int(tree.moves[i])
    if node == OFF_TREE or (tree.nodes[node].first == 0 and not has_room(tree)):
        return OFF_TREE, move
    if tree.nodes[node].first == 0:
        grow(game, tree, node)
        first = int(tree.nodes[node].first)
        for j in range(count):
            clear_node(tree, first + j)
            tree.nodes[first + j].prior = tree.odds[j]
        tree.nodes[node].tried = count
    return int(tree.nodes[node].first) + i, move


@inner
def backup(settings: KernelSettings, tree: Tree, value: float) -> None:
    """Take a value, in the view of the path's last position, up to the root."""
    for d in range(tree.state[0].length - 1, -1, -1):
        node = int(tree.path[d].node)
        sign = settings.discount if d > 0 and tree.path[d].viewer == tree.path[d - 1].viewer else -settings.discount
        if node != OFF_TREE:
            tree.nodes[node].visits += 1
            tree.nodes[node].total += value
            if d > 0:
                n = int(tree.nodes[node].visits)
                q = tree.path[d].reward + sign * (tree.nodes[node].total / n)
                tree.nodes[node].q = q
                tree.nodes[node].bonus = bonus_of(settings, n, tree.nodes[node].prior)
                tree.state[0].low = min(tree.state[0].low, q)
                tree.state[0].high = max(tree.state[0].high, q)
        value = tree.path[d].reward + sign * value
    tree.state[0].done += 1
