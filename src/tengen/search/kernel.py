"""The compiled heart: the four steps of Monte-Carlo tree search, over a forest, by ask and tell.

    selection    `descend` goes down from the root by `selection.select`
    expansion    `grow` gives a node its children, `grow_by_policy` with the network's priors
    evaluation   random moves to the end (`rollouts.rollout`), or questions that the caller answers: `turn`
    backup       `backup` takes the value up the path, by the one rule of `games.verbs`

Where rollouts evaluate, `ask` just searches. Where a network does, `turn` takes the answers to the last questions and searches on
until every tree has reached its target or needs the network again; the positions it asks about are then in `trees.leaf`.
Answers and questions are one call, since a call costs as much as ten evaluations of a small network.
Batching lives here and nowhere else. Nothing here knows a game: only the verbs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import apart, borrow, inner, kernel, wide
from tengen.games.encoding import encode_position
from tengen.games.randomness import choose
from tengen.games.types import AnyGame, IntArray
from tengen.games.verbs import CHANCE
from tengen.search.batching import AWAITED, arrive, come_back, go_ahead, is_awaited, take_back
from tengen.search.choice import COLD, draw_visited
from tengen.search.gumbel import improved_policy
from tengen.search.rollouts import begin_rollout, known_moves, leaf_value, roll, rollout, rollout_move
from tengen.search.selection import bonus_of, exchange_edges, select, stir
from tengen.search.settings import FLAT, GUMBEL, RAVE, KernelSettings
from tengen.search.solving import close, is_proven, prove, renew_root, strike_out
from tengen.search.trees import (
    AT_LEAF,
    IDLE,
    NONE,
    OFF_TREE,
    ROLLING,
    STALE,
    Tree,
    Trees,
    clear_node,
    clear_tree,
    copy_position,
    keep_child,
    tree_of,
)

LEAF, LUCK, OVER, PROVEN = range(4)
"""How a descent ends: at a position to be evaluated, where luck moves (no room is left), at the end, at a proven position."""

LUCK_IN_A_ROW = 8  # places at the end of a path that are left for luck, since only a player's position can be a leaf


@kernel
def ask(game: AnyGame, settings: KernelSettings, trees: Trees) -> None:
    """Search on in every tree, where rollouts evaluate and nothing is asked."""
    for i in range(len(trees.state)):
        search_on(game, settings, tree_of(trees, i))


@kernel
def turn(
    game: AnyGame,
    settings: KernelSettings,
    trees: Trees,
    answered: NDArray[
        np.int64
    ],  # the trees (in a batch of one tree, the lanes) that answers are given to, in rising order
    policy: NDArray[np.float32],  # [answers, outputs]
    value: NDArray[np.float32],  # [answers] in the mover's view
    move_views: NDArray[np.int32],  # [views, moves] → output
    goes_on: bool,
    asked: NDArray[np.int64],  # the trees that ask next, in rising order
    planes: NDArray[np.float32],  # [questions, planes, rows, columns] what the network sees of them; none: not wanted
) -> int:
    """Take the network's answers, then search on to the next questions; how many, or −1: an answer is no number.

    Tree by tree: what an answer has touched is still in the processor's cache when the next simulation starts from it.
    """
    for row in range(len(answered)):
        if not np.isfinite(value[row]):
            return -1
    row, n = 0, 0
    for i in range(len(trees.state)):
        tree = tree_of(trees, i)
        if row < len(answered) and answered[row] == i:
            take_answer(game, settings, tree, borrow(policy[row]), value[row], borrow(move_views))
            row += 1
        if not goes_on:
            continue
        search_on(game, settings, tree)
        if tree.lane[0].phase != IDLE:
            if len(planes) > 0:
                encode_position(game, tree.leaf, borrow(planes[n]))
            asked[n] = i
            n += 1
    return n


@inner
def search_on(game: AnyGame, settings: KernelSettings, tree: Tree) -> None:
    """Simulate until the tree has reached its target or waits for the network."""
    while tree.lane[0].phase == IDLE and tree.state[0].done + tree.state[0].waiting < tree.state[0].target:
        if settings.solver and is_proven(tree, 0):
            break
        if settings.noise > 0.0 and lacks_noise(tree):
            stir(settings, tree)
        if not simulate(game, settings, tree):
            break


@inner
def take_answer(
    game: AnyGame,
    settings: KernelSettings,
    tree: Tree,
    policy: NDArray[np.float32],
    value: float,
    views: NDArray[np.int32],
) -> None:
    """Expand the leaf, roll on where rollouts are the network's, and back up what is known."""
    outputs = borrow(views[game.move_view(tree.leaf)])
    if tree.lane[0].phase == AT_LEAF:
        arrive(tree)
        depth = int(tree.lane[0].length) - 1
        node = int(tree.path[depth].node)
        if may_grow(settings, tree, node, depth) and not (settings.afterstates and game.to_move(tree.leaf) == CHANCE):
            grow_by_policy(game, settings, tree, node, policy, outputs)
        tree.lane[0].value = value
        begin_rollout(settings, tree)
    if tree.lane[0].phase == ROLLING and settings.network_rolls:
        move = rollout_move(game, settings, tree, policy, outputs)
        roll(game, settings, tree, move)
    elif tree.lane[0].phase == ROLLING:
        tree.lane[0].rolled = rollout(game, settings, tree)
        tree.lane[0].phase = IDLE
    if tree.lane[0].phase == IDLE:
        come_back(settings, tree)
        backup(settings, tree, leaf_value(settings, tree), False)


@kernel
def decide(
    trees: Trees,
    i: int,
    settings: KernelSettings,
    scale: float,
    shift: float,
    temperature: float,
    tried_twice: bool,
    moves: NDArray[np.int32],
    weights: NDArray[np.int32],
) -> tuple[int, int]:
    """Write the legal moves at the root of tree `i`, in rising order, and their weights; how many, and a move drawn from them.

    Weights are visits, or the improved policy of gumbel, and 0 where the solver knows better. `scale` and `shift` bring values
    into [−1, 1]. The move is −1 where the root has not been expanded or no move has been visited; with a temperature below 0,
    where the rule does not name one itself.
    """
    tree = tree_of(trees, i)
    first, count, tried = int(tree.nodes[0].first), int(tree.nodes[0].children), int(tree.nodes[0].tried)
    if first == 0:
        return 0, -1
    every = np.full(len(tree.moves), -1, np.int32)
    for child in range(first, first + count):
        every[tree.edges[child].move] = tree.nodes[child].visits if child < first + tried else 0
    if settings.solver:
        strike_out(tree, every)
    winner = improved_policy(settings, tree, scale, shift, every) if settings.selection == GUMBEL else -1
    n, total = 0, 0
    for move in range(len(every)):
        if every[move] != -1:
            moves[n] = move
            weights[n] = every[move]
            total += max(0, int(every[move]))
            n += 1
    for k in range(n):
        if weights[k] < 0:
            weights[k] = 0
        elif total == 0 and settings.solver:  # all that was tried is lost: any of the others
            weights[k] = 1
    if temperature < 0.0 or (temperature < COLD and winner >= 0):
        return n, winner
    drawn = draw_visited(tree.random, weights, n, temperature, tried_twice)
    return n, int(moves[drawn]) if drawn >= 0 else -1


@kernel
def reset(trees: Trees, i: int, position: IntArray) -> None:
    """Make tree `i` an empty one for a position."""
    tree = tree_of(trees, i)
    copy_position(position, tree.root)
    clear_tree(tree)
    for lane in range(
        i, i + len(trees.state) // len(trees.nodes)
    ):  # a search that was broken off may have left questions
        trees.state[lane].phase = IDLE


@kernel
def study(game: AnyGame, trees: Trees, i: int) -> None:
    """Write what the game knows of the position at the root of tree `i`."""
    game.study(borrow(trees.root[i]), borrow(trees.known[i, 0]))


@kernel
def advance(game: AnyGame, trees: Trees, i: int, move: int) -> tuple[float, bool, int]:
    """Play a move in the position of tree `i` and keep the part of the tree below it.

    The reward to the one who moved, whether the game is over, and who moves next.
    """
    tree = tree_of(trees, i)
    child = -1
    first = int(tree.nodes[0].first)
    for node in range(first, first + int(tree.nodes[0].tried)) if first > 0 else range(0):
        if tree.edges[node].move == move:
            child = node
    reward = game.play(tree.root, move)
    if child == -1:
        clear_tree(tree)
    else:
        keep_child(tree, child)
        if len(tree.facts) > 0:
            renew_root(tree)
    return float(reward), bool(game.is_over(tree.root)), int(game.to_move(tree.root))


@inner
def lacks_noise(tree: Tree) -> bool:
    """Whether the root can be given noise and has none, or an old one."""
    return bool(tree.state[0].noise in (NONE, STALE) and tree.nodes[0].first > 0)


@inner
def simulate(game: AnyGame, settings: KernelSettings, tree: Tree) -> bool:
    """One simulation from the root, to its end, or to a position that the network has to be asked about.

    False, and nothing has happened, where that position is being asked about already.
    """
    end = descend(game, settings, tree)
    if end == LEAF and settings.asks:
        if is_awaited(tree):
            take_back(settings, tree)
            return False
        tree.lane[0].phase = AT_LEAF
        go_ahead(game, settings, tree)
    else:
        if end == PROVEN:
            value = proven_value(tree)
        else:
            value = 0.0 if end == OVER else rollout(game, settings, tree)
        if settings.selection == RAVE:
            game.made_by(tree.leaf, tree.moves)
        backup(settings, tree, value, end == OVER)
    return True


@inner
def descend(game: AnyGame, settings: KernelSettings, tree: Tree) -> int:
    """Play moves from the root to a position that is to be evaluated; note the path; say how it ended."""
    position = tree.leaf
    copy_position(tree.root, position)
    if settings.knows:
        copy_position(tree.known[0], tree.known[1])
    node, depth, view = 0, 0, game.to_move(position)
    player = view
    tree.path[0].node = 0
    tree.path[0].viewer = view
    tree.path[0].reward = 0.0
    end = -1
    while end < 0:
        if player == CHANCE:
            if settings.afterstates and is_new_luck(tree, node):
                end = LEAF
                break
            if depth == len(tree.path) - 1:
                end = LUCK
                break
            node, move = draw(game, settings, tree, node)
        else:
            if node == OFF_TREE or tree.nodes[node].first == 0:
                new = node == OFF_TREE or tree.nodes[node].visits == 0 or settings.asks
                if new or not may_grow(settings, tree, node, depth):
                    end = LEAF
                    break
                grow(game, settings, tree, node)
            node = select(game, settings, tree, node)
            move = wide(tree.edges[node].move)
        depth += 1
        tree.path[depth].node = node
        tree.path[depth].reward = game.play(position, move) + (0.0 if player == CHANCE else settings.living_reward)
        if settings.knows:
            game.learn(position, tree.known[1], move)
        if game.is_over(position):
            end = OVER
        else:
            player = game.to_move(position)
            if player != CHANCE:
                view = player
        tree.path[depth].viewer = view
        if settings.solver and end < 0:
            if tree.path[depth].reward != 0.0 or player == CHANCE:
                tree.state[0].flaw = 1
            if node != OFF_TREE and is_proven(tree, node):
                end = PROVEN
    tree.lane[0].length = depth + 1
    return end


@inner
def is_new_luck(tree: Tree, node: int) -> bool:
    """Whether the network has not answered yet about a node where luck moves next."""
    if node == OFF_TREE:
        return True
    return bool(tree.nodes[node].first == 0 and (tree.nodes[node].visits == 0 or tree.nodes[node].tried == AWAITED))


@inner
def proven_value(tree: Tree) -> float:
    """The value of the proven position at the end of the path, in its own view."""
    d = int(tree.lane[0].length) - 1
    value = tree.facts[tree.path[d].node].low
    return float(value if tree.path[d].viewer == tree.path[d - 1].viewer else -value)


@inner
def may_grow(settings: KernelSettings, tree: Tree, node: int, depth: int) -> bool:
    """Whether a node may get children: there is room, and the rule has a tree at all."""
    if node == OFF_TREE or depth >= len(tree.path) - LUCK_IN_A_ROW or (settings.selection == FLAT and depth > 0):
        return False
    return has_room(tree)


@inner
def candidates(game: AnyGame, settings: KernelSettings, tree: Tree) -> int:
    """Write into `tree.moves` the moves that the leaf gets in the tree, or what luck may do there; how many."""
    if settings.knows and game.to_move(tree.leaf) != CHANCE:
        urgent, likely, most = settings.grows_urgent, settings.grows_likely, settings.most_likely
        return known_moves(game, tree.leaf, tree.known[1], urgent, likely, most, tree.moves)
    return int(game.legal_moves(tree.leaf, tree.moves))


@inner
def has_room(tree: Tree) -> bool:
    return bool(tree.state[0].used + len(tree.moves) <= len(tree.nodes))


@inner
def grow(game: AnyGame, settings: KernelSettings, tree: Tree, node: int) -> int:
    """Expand a node with a child for each move to be looked at, all with the same prior; how many."""
    first, count = int(tree.state[0].used), candidates(game, settings, tree)
    for i in range(count):
        tree.edges[first + i].move = tree.moves[i]
        tree.edges[first + i].prior = 1.0 / count
        if len(tree.amaf) > 0:
            tree.amaf[first + i].total = 0.0
            tree.amaf[first + i].visits = 0
    tree.nodes[node].first = first
    tree.nodes[node].children = count
    tree.nodes[node].tried = 0
    tree.state[0].used += count
    return count


@inner
def grow_by_policy(
    game: AnyGame,
    settings: KernelSettings,
    tree: Tree,
    node: int,
    policy: NDArray[np.float32],
    outputs: NDArray[np.int32],
) -> None:
    """Expand a node with the network's priors: illegal moves left out, the others made to add up to one; the best in front."""
    first, count = int(tree.state[0].used), candidates(game, settings, tree)
    total = 0.0
    for i in range(count):
        p = np.float64(policy[outputs[tree.moves[i]]])
        tree.odds[i] = p if p > 0.0 else 0.0  # not a number counts as nothing
        total += tree.odds[i]
    best = first
    for i in range(count):
        tree.edges[first + i].move = tree.moves[i]
        tree.edges[first + i].prior = tree.odds[i] / total if total > 0.0 else 1.0 / count
        p, best_p = tree.edges[first + i].prior, tree.edges[best].prior
        if p > best_p or (p == best_p and tree.moves[i] < tree.edges[best].move):
            best = first + i
    exchange_edges(tree, first, best)
    tree.nodes[node].first = first
    tree.nodes[node].children = count
    tree.nodes[node].tried = 0
    tree.state[0].used += count


@apart
def draw(game: AnyGame, settings: KernelSettings, tree: Tree, node: int) -> tuple[int, int]:
    """Where luck moves: the next node, or OFF_TREE where there is no room for it, and the outcome."""
    count = int(game.legal_moves(tree.leaf, tree.moves))
    game.chance_odds(tree.leaf, tree.odds)
    i = choose(tree.random, tree.odds, count)
    move = int(tree.moves[i])
    if node == OFF_TREE or (tree.nodes[node].first == 0 and not has_room(tree)):
        return OFF_TREE, move
    if tree.nodes[node].first == 0:
        grow(game, settings, tree, node)
        first = int(tree.nodes[node].first)
        for j in range(count):
            clear_node(tree, first + j)
            tree.edges[first + j].prior = tree.odds[j]
        tree.nodes[node].tried = count
    return int(tree.nodes[node].first) + i, move


@inner
def backup(settings: KernelSettings, tree: Tree, value: float, is_end: bool) -> None:
    """Take a value, in the view of the path's last position, up to the root; with rave, `tree.moves` says who made which move."""
    changed = False
    if settings.selection == GUMBEL:
        note_first_value(tree, value)
    for d in range(tree.lane[0].length - 1, -1, -1):
        node = int(tree.path[d].node)
        sign = settings.discount if d > 0 and tree.path[d].viewer == tree.path[d - 1].viewer else -settings.discount
        if node != OFF_TREE:
            if settings.solver:
                value, changed = prove(tree, d, is_end and d == tree.lane[0].length - 1, changed, value)
            tree.nodes[node].visits += 1
            tree.nodes[node].total += value
            if settings.selection == RAVE and tree.nodes[node].first > 0:
                back_up_as_first(tree, node, int(tree.path[d].viewer), value)
            if d > 0:
                n = wide(tree.nodes[node].visits)
                q = tree.path[d].reward + sign * (tree.nodes[node].total / n)
                tree.nodes[node].q = q
                tree.nodes[node].bonus = bonus_of(settings, n, tree.edges[node].prior)
                tree.state[0].low = min(tree.state[0].low, q)
                tree.state[0].high = max(tree.state[0].high, q)
                if settings.solver:
                    close(tree, d)
        value = tree.path[d].reward + sign * value
    tree.state[0].done += 1


@inner
def note_first_value(tree: Tree, value: float) -> None:
    """Keep the first evaluation of the position at the end of the path."""
    node = int(tree.path[tree.lane[0].length - 1].node)
    if node != OFF_TREE and tree.nodes[node].visits == 0:
        tree.facts[node].raw = value


@apart
def back_up_as_first(tree: Tree, node: int, player: int, value: float) -> None:
    """Count a simulation for every move that the player at a node made in it, there or later: as if it had been made first."""
    first = int(tree.nodes[node].first)
    for child in range(first, first + int(tree.nodes[node].children)):
        if tree.moves[tree.edges[child].move] == player + 1:
            tree.amaf[child].total += value
            tree.amaf[child].visits += 1
