"""Selection by Gumbel: a plan for few simulations (Danihelka et al. 2022, "Policy improvement by planning with Gumbel").

With g, Gumbel noise for each move of the root; log P, the logarithm of its prior; and

    v_mix = (v + ΣN · Σ P·Q / Σ P) / (1 + ΣN)       both sums over moves with visits; v: the position's first evaluation
    Q̂     = Q where a move has visits, else v_mix   ("completed")
    σ(q)  = (c_visit + max N) · c · q               for q in [0, 1]
    π'    = softmax(log P + σ(Q̂))                   the improved policy

the root plays sequential halving: `considered` moves, those with the largest g + log P, get the same number of simulations, then
the better half of them by g + log P + σ(Q̂), and so on to the last two. The move is the best of those with most simulations.
Everywhere else a simulation goes to the move that lags most behind the improved policy: argmax π' − N / (1 + ΣN).
What is learned from is π' of the root. If the plan is used up and the search goes on, the root is treated as any other position.
"""

from __future__ import annotations

import math

import numpy as np

from tengen.compiling import apart, inner
from tengen.games.randomness import uniform
from tengen.games.types import IntArray
from tengen.search.settings import KernelSettings
from tengen.search.trees import UNWANTED, Tree

FRONT = -1
"""Stands for the first of the moves not yet tried."""

PARTS = 50_000
"""Into how many parts the improved policy is divided where visits are expected."""

LEAST = 1e-30
"""The smallest prior that a logarithm is taken of."""


@inner
def visits_due(considered: int, planned: int, turn: int) -> int:
    """How often a move must have been tried in this search to be in line for its simulation number `turn`."""
    if considered <= 1:
        return turn
    rounds, size = 0, 1
    while size < considered:
        size *= 2
        rounds += 1
    level, size, left = 0, considered, turn
    while True:
        each = max(1, planned // (rounds * size))
        if left < each * size:
            return level + left // size
        left -= each * size
        level += each
        size = max(2, size // 2)


@apart
def plan(settings: KernelSettings, tree: Tree) -> None:
    """Begin a search: noise for each move of the root, nothing tried yet."""
    first, count, tried = int(tree.nodes[0].first), int(tree.nodes[0].children), int(tree.nodes[0].tried)
    scale = 0.0 if tree.state[0].noise == UNWANTED else settings.gumbel
    for child in range(first, first + count):
        noise = 0.0
        if scale > 0.0:
            noise = -scale * math.log(max(-math.log(1.0 - uniform(tree.random)), 1e-300))
        tree.clean[tree.edges[child].move] = noise
        if child < first + tried:
            tree.facts[child].turns = 0
    tree.state[0].turns = 0
    tree.state[0].planned = max(1, tree.state[0].last - tree.state[0].done)


@inner
def value_of(tree: Tree, child: int) -> float:
    """Q of a move that has been tried; the proven value of one that is closed."""
    q = tree.nodes[child].q
    return float(q if q > -np.inf else tree.facts[child].low)


@inner
def log_prior(tree: Tree, child: int) -> float:
    return math.log(max(np.float64(tree.edges[child].prior), LEAST))


@inner
def mixed_value(tree: Tree, node: int) -> float:
    """What a move not yet tried is taken to be worth, in the position's own view."""
    first, visits, weight, total = int(tree.nodes[node].first), 0, 0.0, 0.0
    for child in range(first, first + int(tree.nodes[node].tried)):
        p = max(np.float64(tree.edges[child].prior), LEAST)
        visits += tree.nodes[child].visits
        weight += p
        total += p * value_of(tree, child)
    raw = np.float64(tree.facts[node].raw)
    return float((raw + visits * (total / weight)) / (1 + visits)) if visits > 0 else float(raw)


@inner
def value_factor(settings: KernelSettings, tree: Tree, node: int) -> float:
    """(c_visit + max N) · c"""
    first, most = int(tree.nodes[node].first), 0
    for child in range(first, first + int(tree.nodes[node].tried)):
        most = max(most, int(tree.nodes[child].visits))
    return float((settings.c_visit + most) * settings.c)


@apart
def best_by_gumbel(settings: KernelSettings, tree: Tree, node: int, scale: float, shift: float) -> int:
    """The child to go to, or FRONT; `scale` and `shift` bring values into [−1, 1]."""
    first, count, tried = int(tree.nodes[node].first), int(tree.nodes[node].children), int(tree.nodes[node].tried)
    factor = value_factor(settings, tree, node)
    unknown = factor * 0.5 * (mixed_value(tree, node) * scale + shift + 1.0)
    logits = tree.odds
    for i in range(tried):
        value = value_of(tree, first + i) * scale + shift
        logits[i] = log_prior(tree, first + i) + factor * 0.5 * (value + 1.0)
    if node == 0:
        if tree.state[0].planned == 0:
            plan(settings, tree)
        turn = int(tree.state[0].turns)
        tree.state[0].turns += 1
        if turn < tree.state[0].planned:
            child = best_in_line(settings, tree, turn, unknown)
            if child != tree.state[0].used:
                return child
    largest = log_prior(tree, first + tried) + unknown if tried < count else -np.inf
    for i in range(tried):
        if tree.nodes[first + i].q > -np.inf:
            largest = max(largest, logits[i])
    rest, total, visits = 1.0, 0.0, 0
    for i in range(tried):
        rest -= np.float64(tree.edges[first + i].prior)
        visits += tree.nodes[first + i].visits
        logits[i] = math.exp(logits[i] - largest) if tree.nodes[first + i].q > -np.inf else 0.0
        total += logits[i]
    best, best_score = FRONT, -np.inf
    if tried < count:
        total += max(rest, 0.0) * math.exp(unknown - largest)
        best_score = math.exp(log_prior(tree, first + tried) + unknown - largest) / total
    for i in range(tried):
        score = logits[i] / total - tree.nodes[first + i].visits / (1.0 + visits)
        if score > best_score and tree.nodes[first + i].q > -np.inf:
            best, best_score = first + i, score
    return best


@apart
def best_in_line(settings: KernelSettings, tree: Tree, turn: int, unknown: float) -> int:
    """At the root, by the plan: the best of the moves tried as often as is due, or FRONT.

    Where there is none, the number of nodes. `tree.odds` holds log P + σ(Q̂) of the moves that have been tried.
    """
    first, count, tried = int(tree.nodes[0].first), int(tree.nodes[0].children), int(tree.nodes[0].tried)
    due = visits_due(min(count, settings.considered), int(tree.state[0].planned), turn)
    best, best_score = int(tree.state[0].used), -np.inf
    for i in range(tried):
        if tree.facts[first + i].turns == due and tree.nodes[first + i].q > -np.inf:
            score = tree.odds[i] + tree.clean[tree.edges[first + i].move]
            if score > best_score:
                best, best_score = first + i, score
    if due == 0 and tried < count:
        if settings.gumbel == 0.0 or tree.state[0].noise == UNWANTED:  # then the front has the largest prior
            if log_prior(tree, first + tried) + unknown > best_score:
                best = FRONT
        else:
            for child in range(first + tried, first + count):
                score = log_prior(tree, child) + unknown + tree.clean[tree.edges[child].move]
                if score > best_score:
                    best, best_score = child, score
    return best


@apart
def improved_policy(settings: KernelSettings, tree: Tree, scale: float, shift: float, parts: IntArray) -> int:
    """Write π' of the root, in parts of PARTS by move; the move that has won the halving.

    `parts` comes with −1 or less for moves that may not be played.
    """
    first, count, tried = int(tree.nodes[0].first), int(tree.nodes[0].children), int(tree.nodes[0].tried)
    factor = value_factor(settings, tree, 0)
    unknown = mixed_value(tree, 0) * scale + shift
    most, largest = 0, -np.inf
    for i in range(count):
        value = value_of(tree, first + i) * scale + shift if i < tried else unknown
        tree.odds[i] = log_prior(tree, first + i) + factor * 0.5 * (value + 1.0)
        if parts[tree.edges[first + i].move] >= 0:
            most = max(most, tries(tree, first + i) if i < tried else 0)
            largest = max(largest, tree.odds[i])
    best, best_score, total = -1, -np.inf, 0.0
    for i in range(count):
        move = int(tree.edges[first + i].move)
        if parts[move] >= 0:
            score = tree.odds[i] + (tree.clean[move] if tree.state[0].planned > 0 else 0.0)
            if (tries(tree, first + i) if i < tried else 0) == most and score > best_score:
                best, best_score = move, score
            total += math.exp(tree.odds[i] - largest)
    for i in range(count):
        move = int(tree.edges[first + i].move)
        if parts[move] >= 0:
            parts[move] = round(PARTS * math.exp(tree.odds[i] - largest) / total)
    return best


@inner
def tries(tree: Tree, child: int) -> int:
    """Simulations of this search that began with a move; of all searches where this one has not begun."""
    return int(tree.facts[child].turns if tree.state[0].planned > 0 else tree.nodes[child].visits)
