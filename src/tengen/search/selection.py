"""Selection: which child of a node a simulation goes to.

All rules are ``score = Q + factor · bonus``: the factor belongs to the node (it grows with log N or √N), the bonus
to the child (it shrinks with its own visits, and is kept up to date by backup). So one loop without branches serves
them all. Among children not yet tried the one with the largest prior always has the best score, so only one of them competes.

    uct    Hex project, actor-critic assignment:    c · sqrt(log ΣN(s,b)) · 1/sqrt(1 + N(s,a))
    ucb1   Kocsis & Szepesvári 2006, the report:    2c · sqrt(2 log N(s)) · 1/sqrt(N(s,a))
    puct   Silver et al. 2017, the slides:          c · sqrt(N(s)) · P(s,a)/(1 + N(s,a))
"""

from __future__ import annotations

import math

import numpy as np

from tengen.compiling import inner
from tengen.games.randomness import below, gamma, uniform
from tengen.games.types import AnyGame
from tengen.search.settings import FLAT, PARENT, PUCT, ROLLOUT, UCB1, UCT, KernelSettings
from tengen.search.trees import NOISY, Tree, clear_node


@inner
def select(game: AnyGame, settings: KernelSettings, tree: Tree, node: int) -> int:
    """The child to go to from an expanded node in which a player moves."""
    first, tried = int(tree.first[node]), int(tree.tried[node])
    if settings.epsilon > 0.0 and uniform(tree.random) < settings.epsilon:
        child = first + int(below(tree.random, int(tree.children[node])))
    elif settings.selection == FLAT or (settings.selection == UCB1 and tried < tree.children[node]):
        child = next_in_turn(settings, tree, node)
    else:
        child = best_child(game, settings, tree, node)
    return child if child < first + tried else try_child(settings, tree, node, child)


@inner
def best_child(game: AnyGame, settings: KernelSettings, tree: Tree, node: int) -> int:
    """argmax Q + U; ties go to the larger prior."""
    first, count, tried = int(tree.first[node]), int(tree.children[node]), int(tree.tried[node])
    factor = exploration_factor(settings, int(tree.visits[node]))
    scale, shift = value_scale(game, tree)
    best, best_score = -1, -np.inf
    for child in range(first, first + tried):
        score = tree.q[child] * scale + shift + factor * tree.bonus[child]
        if score >= best_score and (score > best_score or tree.prior[child] > tree.prior[best]):
            best, best_score = child, score
    if tried == count:
        return best
    front = first + tried
    score = settings.first_play_value
    if settings.first_play == PARENT:
        score += tree.total[node] / tree.visits[node] * scale + shift
    score += factor * bonus_of(settings, 0, tree.prior[front])
    if best == -1 or score > best_score or (score == best_score and tree.prior[front] > tree.prior[best]):
        return next_untried(settings, tree, node)
    return best


@inner
def next_in_turn(settings: KernelSettings, tree: Tree, node: int) -> int:
    """A child not yet tried, or else the one with the fewest visits."""
    first, count = int(tree.first[node]), int(tree.children[node])
    if tree.tried[node] < count:
        return next_untried(settings, tree, node)
    best = first
    for child in range(first + 1, first + count):
        if tree.visits[child] < tree.visits[best]:
            best = child
    return best


@inner
def exploration_factor(settings: KernelSettings, visits: int) -> float:
    """The node's part of the exploration term; `visits` counts the node's own evaluation as one."""
    if settings.selection == UCT:
        return settings.c * math.sqrt(math.log(visits - 1)) if visits > 2 else 0.0
    if settings.selection == UCB1:
        return 2.0 * settings.c * math.sqrt(2.0 * math.log(visits))
    return settings.c * math.sqrt(visits)


@inner
def bonus_of(settings: KernelSettings, visits: int, prior: float) -> float:
    """The child's part of the exploration term."""
    if settings.selection == PUCT:
        return prior / (1 + visits)
    if settings.selection == UCB1:
        return 1.0 / math.sqrt(visits) if visits > 0 else 0.0
    return 1.0 / math.sqrt(1 + visits)


@inner
def value_scale(game: AnyGame, tree: Tree) -> tuple[float, float]:
    """Factor and summand that bring values into [−1, 1]: for games with other rewards, by the range seen in the tree."""
    if game.is_bounded():
        return 1.0, 0.0
    low, high = tree.bounds[0], tree.bounds[1]
    if game.players() == 2:  # a value of one player is the opposite value of the other
        high = max(-low, high)
        low = -high
    if not high > low:
        return 0.0, 0.0
    scale = 2.0 / (high - low)
    return scale, -1.0 - low * scale


@inner
def priors_are_equal(settings: KernelSettings, tree: Tree, node: int) -> bool:
    """Whether no network and no noise has told the children of a node apart."""
    return bool(settings.evaluation == ROLLOUT and not (node == 0 and tree.counts[NOISY] != 0))


@inner
def next_untried(settings: KernelSettings, tree: Tree, node: int) -> int:
    """The untried child to try next: the first in line, or any, where nothing tells them apart."""
    first, count, tried = int(tree.first[node]), int(tree.children[node]), int(tree.tried[node])
    if priors_are_equal(settings, tree, node):
        return first + tried + int(below(tree.random, count - tried))
    return first + tried


@inner
def try_child(settings: KernelSettings, tree: Tree, node: int, child: int) -> int:
    """Move an untried child to the end of those tried; its new place."""
    place = int(tree.first[node]) + int(tree.tried[node])
    tree.move[place], tree.move[child] = tree.move[child], tree.move[place]
    tree.prior[place], tree.prior[child] = tree.prior[child], tree.prior[place]
    clear_node(tree, place)
    tree.tried[node] += 1
    if not priors_are_equal(settings, tree, node):
        put_best_untried_first(tree, node)
    return place


@inner
def put_best_untried_first(tree: Tree, node: int) -> None:
    """Have the untried child with the largest prior (of equal ones, the lowest move) stand in front of the others."""
    front = int(tree.first[node]) + int(tree.tried[node])
    best = front
    for child in range(front + 1, int(tree.first[node]) + int(tree.children[node])):
        p, best_p = tree.prior[child], tree.prior[best]
        if p > best_p or (p == best_p and tree.move[child] < tree.move[best]):
            best = child
    if best != front:
        tree.move[front], tree.move[best] = tree.move[best], tree.move[front]
        tree.prior[front], tree.prior[best] = tree.prior[best], tree.prior[front]


@inner
def stir(settings: KernelSettings, tree: Tree) -> None:
    """Mix fresh Dirichlet noise into the priors of an expanded root, starting from what they were without noise."""
    first, count, tried = int(tree.first[0]), int(tree.children[0]), int(tree.tried[0])
    if tree.counts[NOISY] == 0:
        for child in range(first, first + count):
            tree.clean[tree.move[child]] = tree.prior[child]
    tree.counts[NOISY] = 1
    alpha = settings.noise_alpha if settings.noise_alpha > 0.0 else 10.0 / count
    sample, total = np.empty(count, np.float64), 0.0
    for i in range(count):
        sample[i] = gamma(tree.random, alpha)
        total += sample[i]
    for i in range(count):
        noise = sample[i] / total if total > 0.0 else 1.0 / count
        clean = tree.clean[tree.move[first + i]]
        tree.prior[first + i] = (1.0 - settings.noise) * clean + settings.noise * noise
        if i < tried:
            tree.bonus[first + i] = bonus_of(settings, int(tree.visits[first + i]), tree.prior[first + i])
    if tried < count:
        put_best_untried_first(tree, 0)
