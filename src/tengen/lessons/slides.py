"""The worked example of the AlphaZero slides: four simulations on 3×3, three in a row, white to move.

Cells are numbered 7 8 9 / 4 5 6 / 1 2 3 as on the slides. The network's answers are given, everything else is what the
search of this package does with them: `four_simulations` runs it and notes what it did.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.games.catalog import parse_game
from tengen.games.position import Position
from tengen.games.types import IntArray
from tengen.games.verbs import Game
from tengen.search import Forest, SearchSettings
from tengen.search.selection import exploration_factor

GAME = parse_game("gomoku:3,line=3")
C_PUCT = 5.0
SIMULATIONS = 4
_CELLS = (7, 8, 9, 4, 5, 6, 1, 2, 3)  # the slides' number of each of our moves
_MOVES = {cell: move for move, cell in enumerate(_CELLS)}

Answer = tuple[dict[int, float], float]  # priors by cell, and the value in the mover's view

# What the network says of the position reached by these cells. Where the slides show only a value, priors are equal.
ANSWERS: dict[tuple[int, ...], Answer] = {
    (): ({2: 0.4, 3: 0.1, 6: 0.05, 7: 0.1, 8: 0.15, 9: 0.2}, 0.0),
    (2,): ({3: 0.2, 6: 0.15, 7: 0.1, 8: 0.25, 9: 0.3}, -0.1),
    (9,): ({2: 0.2, 3: 0.2, 6: 0.2, 7: 0.2, 8: 0.2}, -0.2),
}


def start() -> Position:
    """Black on 5 and 1, white on 4; white is to move."""
    return Position(GAME, [_MOVES[cell] for cell in (5, 4, 1)])


@dataclass(frozen=True)
class Branch:
    """A node of the tree: N, W, Q and P of the move that leads to it, in the view of the player who chooses it."""

    cells: tuple[int, ...]
    """The moves from the root to here."""
    visits: int
    q: float
    prior: float
    u: float
    """The exploration term of the next selection."""
    children: tuple[Branch, ...]

    @property
    def w(self) -> float:
        return self.q * self.visits

    @property
    def score(self) -> float:
        return self.q + self.u

    def at(self, *cells: int) -> Branch:
        """The node reached by these cells."""
        if not cells:
            return self
        return next(c for c in self.children if c.cells[-1] == cells[0]).at(*cells[1:])


@dataclass(frozen=True)
class Simulation:
    """One simulation: the tree before it, where it went, what it found, and the tree after it."""

    number: int
    before: Branch
    path: tuple[int, ...]
    answer: Answer | None
    """What the network said; None where the game was over."""
    value: float
    """What the simulation found, in the view of the player to move at its end (after a win: of the loser, −1)."""
    after: Branch


def four_simulations() -> list[Simulation]:
    """Run the example."""
    settings = SearchSettings(selection="puct", c=C_PUCT, evaluation="network", simulations=SIMULATIONS)
    forest = Forest(GAME, settings)
    forest.reset(0, start().array)
    told: list[Answer] = []

    def network(game: Game, positions: IntArray) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        priors, value = told[-1]
        policy = np.zeros((1, GAME.move_count()), np.float32)
        for cell, p in priors.items():
            policy[0, _MOVES[cell]] = p
        return policy, np.array([value], np.float32)

    steps = []
    for number in range(1, SIMULATIONS + 1):
        before = _branch(forest, 0, ())
        forest.begin(0, 1)
        asked = forest.ask()
        steps_down = forest.trees.path[0, 1 : forest.trees.state[0]["length"]]
        path = tuple(_CELLS[move] for move in forest.trees.nodes[0, steps_down["node"]]["move"])
        answer = ANSWERS[path] if len(asked) else None
        if answer is not None:
            told.append(answer)
            forest.tell(asked, *network(GAME, forest.leaves(asked)))
        value = answer[1] if answer else -1.0
        steps.append(Simulation(number, before, path, answer, value, _branch(forest, 0, ())))
    return steps


def _branch(forest: Forest, node: int, cells: tuple[int, ...], factor: float = 0.0) -> Branch:
    nodes = forest.trees.nodes[0]
    visits, prior = int(nodes[node]["visits"]), float(nodes[node]["prior"])
    below = exploration_factor(forest.settings.for_kernel(), visits) if visits else 0.0
    tried = forest.children(0, node)
    children = []
    first, count = int(nodes[node]["first"]), int(nodes[node]["children"])
    for i in range(first, first + count) if first > 0 else ():
        line = (*cells, _CELLS[nodes[i]["move"]])
        if i < tried.stop:
            children.append(_branch(forest, i, line, below))
        else:
            p = float(nodes[i]["prior"])
            children.append(Branch(line, 0, 0.0, p, below * p, ()))
    children.sort(key=lambda child: child.cells)
    q = float(nodes[node]["q"]) if node else 0.0
    return Branch(cells, visits, q, prior, factor * prior / (1 + visits), tuple(children))
