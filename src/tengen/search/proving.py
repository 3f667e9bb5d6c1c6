"""Proofs from outside: somebody who knows the game looks at positions of a tree while it grows.

A search with `solver` proves what it has seen to the end. A *prover* may know more: a position of Gomoku that is won by a chain
of fours is won, however few visits it has had. Between two slices of a search it is shown the positions that matter, those
with many visits, and again whenever their visits have grown fourfold, with four times the effort. What it proves goes up the
tree as the solver's own proofs do (`solving`), and is searched no more.

The search knows nothing of what a prover knows: it is asked about a position, and answers with a value or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tengen.games.position import Position
from tengen.search.forest import Forest
from tengen.search.solving import LOST, WON

Prover = Callable[[Position, int], float | None]
"""What a position is proven to be worth to its mover, or None; the effort is how many visits the position has had."""

RIPE = 16
"""Visits after which a position is shown for the first time."""

AGAIN = 4
"""It is shown again whenever it has so many times the visits."""

FIRST_LOOK, GROWTH = 64, 8
"""Simulations between two looks: so many, or an eighth of those that the tree has had. By no clock: the same search finds the
same proofs."""


def settle(forest: Forest, line: Sequence[int], value: float) -> None:
    """Have the position after some moves from the root be worth `value` to its mover: it is proven. In a forest of one tree."""
    nodes, facts, edges = forest.trees.nodes[0], forest.trees.facts[0], forest.trees.edges[0]
    position = forest.trees.root[0].copy()
    path, movers = [0], [forest.game.to_move(position)]
    for move in line:
        tried = forest.children(0, path[-1])
        path.append(tried.start + int(np.flatnonzero(edges[tried]["move"] == move)[0]))
        forest.game.play(position, move)
        movers.append(forest.game.to_move(position))
    low = high = value
    for d in range(len(path) - 1, -1, -1):
        node = path[d]
        if d > 0 and movers[d] != movers[d - 1]:
            low, high = -high, -low
        if (facts[node]["low"], facts[node]["high"]) == (low, high):
            break
        facts[node]["low"], facts[node]["high"] = low, high
        if d == 0:
            break
        if low == high:
            nodes[node]["q"] = low if d == 1 and low > LOST else -np.inf
        tried = forest.children(0, path[d - 1])
        untried = WON if tried.stop - tried.start < int(nodes[path[d - 1]]["children"]) else LOST
        low = max(LOST, float(facts[tried]["low"].max()))
        high = max(untried, float(facts[tried]["high"].max()))


class Inquiry:
    """Shows a prover the positions of a tree, from search to search of a game."""

    def __init__(self, prover: Prover) -> None:
        self._prover = prover
        self._shown: dict[tuple[int, ...], int] = {}
        """By the moves of the game that lead to a position: its visits when the prover last saw it."""
        self.proofs = 0
        """How many positions have been proven."""

    def forget(self) -> None:
        """Another game begins."""
        self._shown.clear()

    @staticmethod
    def until_next(forest: Forest) -> int:
        """Simulations until the next look."""
        return max(FIRST_LOOK, int(forest.trees.nodes[0, 0]["visits"]) // GROWTH)

    def look(self, forest: Forest, root: Position, enough: Callable[[], bool]) -> None:
        """Show the move that would be played now, then what has ripened, most visited positions first, until `enough()`."""
        before, all_visits = tuple(root.moves), int(forest.trees.nodes[0, 0]["visits"])
        while line := tuple(forest.principal_variation(0, longest=1)):
            is_due = all_visits >= AGAIN * self._shown.get((*before, *line), 0)
            if not is_due or enough() or not self._show(forest, root, line, all_visits):
                break  # unless it is refuted: then another one would be played
        for visits, line in self._ripe(forest, before):
            if enough() or forest.proven(0) is not None:
                return
            self._show(forest, root, line, visits)

    def _show(self, forest: Forest, root: Position, line: tuple[int, ...], visits: int) -> bool:
        """Show the position after some moves; whether it has been proven."""
        position = root.copy()
        for move in line:
            position.push(move)
        self._shown[(*root.moves, *line)] = visits
        value = None if position.is_over else self._prover(position, visits)
        if value is not None:
            settle(forest, line, value)
            self.proofs += 1
        return value is not None

    def _ripe(self, forest: Forest, before: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        """Visits, and the moves from the root, of the positions below it that are to be shown."""
        nodes, edges, facts = forest.trees.nodes[0], forest.trees.edges[0], forest.trees.facts[0]
        found = []
        waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while waiting:
            node, line = waiting.pop()
            tried = forest.children(0, node)
            open_ = facts[tried]["low"] < facts[tried]["high"]
            for child in (tried.start + np.flatnonzero(open_ & (nodes[tried]["visits"] >= RIPE))).tolist():
                moves, visits = (*line, int(edges[child]["move"])), int(nodes[child]["visits"])
                waiting.append((child, moves))
                if visits >= AGAIN * self._shown.get((*before, *moves), 0):
                    found.append((visits, moves))
        return sorted(found, key=lambda ripe: (-ripe[0], ripe[1]))
