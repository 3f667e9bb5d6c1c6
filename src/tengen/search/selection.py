"""Selection: which child of a node a simulation goes to.

All rules are ``score = Q + factor · bonus``: the factor belongs to the node (it grows with log N or √N), the bonus
to the child (it shrinks with its own visits, and is kept up to date by backup). So one loop without branches serves
them all. Among children not yet tried the one with the largest prior always has the best score, so only one of them competes.

    uct    Hex project, actor-critic assignment:    c · sqrt(log ΣN(s,b)) · 1/sqrt(1 + N(s,a))
    ucb1   Kocsis & Szepesvári 2006, the report:    2c · sqrt(2 log N(s)) · 1/sqrt(N(s,a))
    rave   Gelly & Silver 2011:                     as uct, with (1−β)·Q + β·Q̃ in place of Q (`best_by_rave`)
    puct   Silver et al. 2017, the slides:          c · sqrt(N(s)) · P(s,a)/(1 + N(s,a))
    gumbel Danihelka et al. 2022:                   by a plan at the root, by an improved policy below (gumbel.py)
"""

from __future__ import annotations

import math

import numpy as np

from tengen.compiling import apart, inner, wide
from tengen.games.randomness import below, gamma, uniform
from tengen.games.types import AnyGame
from tengen.search.gumbel import best_by_gumbel
from tengen.search.settings import FLAT, GUMBEL, PARENT, PUCT, RAVE, UCB1, UCT, KernelSettings
from tengen.search.trees import FRESH, NONE, STALE, Tree, clear_node


@inner
def select(game: AnyGame, settings: KernelSettings, tree: Tree, node: int) -> int:
    """The child to go to from an expanded node in which a player moves."""
    first, tried = int(tree.nodes[node].first), int(tree.nodes[node].tried)
    if settings.epsilon > 0.0 and uniform(tree.random) < settings.epsilon:
        child = first + int(below(tree.random, wide(tree.nodes[node].children)))
    elif settings.selection == FLAT or (settings.selection == UCB1 and tried < tree.nodes[node].children):
        child = next_in_turn(settings, tree, node)
    elif settings.selection == RAVE:
        child = best_by_rave(game, settings, tree, node)
    elif settings.selection == GUMBEL:
        scale, shift = value_scale(game, tree)
        child = best_by_gumbel(settings, tree, node, scale, shift)
        if child < 0:
            child = next_untried(settings, tree, node)
    else:
        child = best_child(game, settings, tree, node)
    if child >= first + tried:
        child = try_child(settings, tree, node, child)
    if settings.selection == GUMBEL and node == 0:
        tree.facts[child].turns += 1
    return child


@inner
def best_child(game: AnyGame, settings: KernelSettings, tree: Tree, node: int) -> int:
    """argmax Q + U; ties go to the larger prior."""
    first, count, tried = int(tree.nodes[node].first), int(tree.nodes[node].children), int(tree.nodes[node].tried)
    factor = exploration_factor(settings, int(tree.nodes[node].visits))
    scale, shift = value_scale(game, tree)
    best, best_score = -1, -np.inf
    for child in range(first, first + tried):
        score = tree.nodes[child].q * scale + shift + factor * tree.nodes[child].bonus
        if score >= best_score and (score > best_score or tree.edges[child].prior > tree.edges[best].prior):
            best, best_score = child, score
    if tried == count:
        return best
    front = first + tried
    score = settings.first_play_value
    if settings.first_play == PARENT:
        score += tree.nodes[node].total / tree.nodes[node].visits * scale + shift
    score += factor * bonus_of(settings, 0, tree.edges[front].prior)
    if best == -1 or score > best_score or (score == best_score and tree.edges[front].prior > tree.edges[best].prior):
        return next_untried(settings, tree, node)
    return best


@apart
def best_by_rave(game: AnyGame, settings: KernelSettings, tree: Tree, node: int) -> int:
    """argmax (1−β)·Q + β·Q̃ + U over all children: also of those not yet tried, other simulations have told something.

    Of equals the first wins; the untried are gone through from a random one on, so that none is preferred for its number.
    """
    first, count, tried = int(tree.nodes[node].first), int(tree.nodes[node].children), int(tree.nodes[node].tried)
    factor = exploration_factor(settings, int(tree.nodes[node].visits))
    scale, shift = value_scale(game, tree)
    unknown = settings.first_play_value
    if settings.first_play == PARENT:
        unknown += tree.nodes[node].total / tree.nodes[node].visits * scale + shift
    best, best_score = -1, -np.inf
    for child in range(first, first + tried):
        n = np.float64(tree.nodes[child].visits)
        m = np.float64(tree.amaf[child].visits)
        q = tree.nodes[child].q
        if m > 0:  # it is 0 after a move that leaves no stone, as the swap in Hex
            beta = m / (n + m + settings.rave * n * m)
            q = (1.0 - beta) * q + beta * (tree.amaf[child].total / m)
        score = q * scale + shift + factor * tree.nodes[child].bonus
        if score > best_score:
            best, best_score = child, score
    if tried < count:
        start = int(below(tree.random, count - tried))
        for i in range(count - tried):
            child = first + tried + (start + i) % (count - tried)
            m = np.float64(tree.amaf[child].visits)
            score = tree.amaf[child].total / m * scale + shift if m > 0 else unknown
            score += factor
            if score > best_score:
                best, best_score = child, score
    return best


@inner
def next_in_turn(settings: KernelSettings, tree: Tree, node: int) -> int:
    """A child not yet tried, or else the one with the fewest visits."""
    first, count = int(tree.nodes[node].first), int(tree.nodes[node].children)
    if tree.nodes[node].tried < count:
        return next_untried(settings, tree, node)
    best = first
    for child in range(first + 1, first + count):
        if tree.nodes[child].visits < tree.nodes[best].visits:
            best = child
    return best


@inner
def exploration_factor(settings: KernelSettings, visits: int) -> float:
    """The node's part of the exploration term; `visits` counts the node's own evaluation as one."""
    if settings.selection in (UCT, RAVE):
        return settings.c * math.sqrt(math.log(visits - 1)) if visits > 2 else 0.0
    if settings.selection == UCB1:
        return 2.0 * settings.c * math.sqrt(2.0 * math.log(visits))
    return settings.c * math.sqrt(visits)


@inner
def bonus_of(settings: KernelSettings, visits: int, prior: float) -> float:
    """The child's part of the exploration term."""
    if settings.selection == PUCT:
        return np.float64(prior) / (1 + visits)
    if settings.selection == UCB1:
        return 1.0 / math.sqrt(visits) if visits > 0 else 0.0
    return 1.0 / math.sqrt(1 + visits)


@inner
def value_scale(game: AnyGame, tree: Tree) -> tuple[float, float]:
    """Factor and summand that bring values into [−1, 1]: for games with other rewards, by the range seen in the tree."""
    if game.is_bounded():
        return 1.0, 0.0
    return scale_of_range(tree.state[0].low, tree.state[0].high, game.players() == 2)


@inner
def scale_of_range(low: float, high: float, two: bool) -> tuple[float, float]:
    """See `value_scale`; `two`: whether the game is for two players."""
    if two:  # a value of one player is the opposite value of the other
        high = max(-low, high)
        low = -high
    if not high > low:
        return 0.0, 0.0
    scale = 2.0 / (high - low)
    return scale, -1.0 - low * scale


@inner
def priors_are_equal(settings: KernelSettings, tree: Tree, node: int) -> bool:
    """Whether no network and no noise has told the children of a node apart."""
    return bool(not settings.asks and not (node == 0 and tree.state[0].noise in (FRESH, STALE)))


@inner
def next_untried(settings: KernelSettings, tree: Tree, node: int) -> int:
    """The untried child to try next: the first in line, or any, where nothing tells them apart."""
    first, count, tried = int(tree.nodes[node].first), int(tree.nodes[node].children), int(tree.nodes[node].tried)
    if priors_are_equal(settings, tree, node):
        return first + tried + int(below(tree.random, count - tried))
    return first + tried


@inner
def try_child(settings: KernelSettings, tree: Tree, node: int, child: int) -> int:
    """Move an untried child to the end of those tried; its new place."""
    place = int(tree.nodes[node].first) + int(tree.nodes[node].tried)
    exchange_edges(tree, place, child)
    clear_node(tree, place)
    tree.nodes[node].tried += 1
    if not priors_are_equal(settings, tree, node):
        put_best_untried_first(tree, node)
    return place


@inner
def exchange_edges(tree: Tree, a: int, b: int) -> None:
    """Have two untried children change places."""
    move, prior = tree.edges[a].move, tree.edges[a].prior
    tree.edges[a].move = tree.edges[b].move
    tree.edges[a].prior = tree.edges[b].prior
    tree.edges[b].move = move
    tree.edges[b].prior = prior
    if len(tree.amaf) > 0:
        total, visits = tree.amaf[a].total, tree.amaf[a].visits
        tree.amaf[a].total = tree.amaf[b].total
        tree.amaf[a].visits = tree.amaf[b].visits
        tree.amaf[b].total = total
        tree.amaf[b].visits = visits


@inner
def put_best_untried_first(tree: Tree, node: int) -> None:
    """Have the untried child with the largest prior (of equal ones, the lowest move) stand in front of the others."""
    front = int(tree.nodes[node].first) + int(tree.nodes[node].tried)
    best = front
    for child in range(front + 1, int(tree.nodes[node].first) + int(tree.nodes[node].children)):
        p, best_p = tree.edges[child].prior, tree.edges[best].prior
        if p > best_p or (p == best_p and tree.edges[child].move < tree.edges[best].move):
            best = child
    exchange_edges(tree, front, best)


@apart
def stir(settings: KernelSettings, tree: Tree) -> None:
    """Mix fresh Dirichlet noise into the priors of an expanded root, starting from what they were without noise."""
    first, count, tried = int(tree.nodes[0].first), int(tree.nodes[0].children), int(tree.nodes[0].tried)
    if tree.state[0].noise == NONE:
        for child in range(first, first + count):
            tree.clean[tree.edges[child].move] = tree.edges[child].prior
    tree.state[0].noise = FRESH
    alpha = settings.noise_alpha if settings.noise_alpha > 0.0 else 10.0 / count
    sample, total = np.empty(count, np.float64), 0.0
    for i in range(count):
        sample[i] = gamma(tree.random, alpha)
        total += sample[i]
    for i in range(count):
        noise = sample[i] / total if total > 0.0 else 1.0 / count
        clean = tree.clean[tree.edges[first + i].move]
        tree.edges[first + i].prior = (1.0 - settings.noise) * clean + settings.noise * noise
        if i < tried:
            tree.nodes[first + i].bonus = bonus_of(
                settings, wide(tree.nodes[first + i].visits), tree.edges[first + i].prior
            )
    if tried < count:
        put_best_untried_first(tree, 0)
