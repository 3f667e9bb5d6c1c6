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
        path = tuple(_CELLS[move] for move in forest.trees.edges[0, steps_down["node"]]["move"])
        answer = ANSWERS[path] if len(asked) else None
        if answer is not None:
            told.append(answer)
            forest.tell(asked, *network(GAME, forest.leaves(asked)))
        value = answer[1] if answer else -1.0
        steps.append(Simulation(number, before, path, answer, value, _branch(forest, 0, ())))
    return steps


def explain(step: Simulation) -> list[tuple[str, str]]:
    """What a simulation did, in words: select, expand, evaluate, backup, each with its sentence."""
    lines = []
    here = step.before
    for cell in step.path:
        scores = ", ".join(f"{c.cells[-1]}: {c.q:+.2f}+{c.u:.2f}" for c in here.children)
        lines.append(("select", f"Q+U  {scores}  →  the largest is {cell}"))
        here = here.at(cell)
    if not step.path:
        lines.append(("select", "the root has no children yet: it is the leaf"))
    if step.answer is None:
        lines.append(
            ("evaluate", "three in a row: the game is over, no network is asked; the mover would have lost, −1")
        )
    else:
        priors, value = step.answer
        told = ", ".join(f"{cell}: {p:g}" for cell, p in priors.items())
        lines.append(("expand", f"the network's π gives the children their priors: {told}"))
        lines.append(("evaluate", f"the network's v = {value:g}, in the view of the player to move there"))
    value = step.value
    for depth in range(len(step.path), 0, -1):
        value = -value
        node = step.after.at(*step.path[:depth])
        lines.append(
            ("backup", f"{'–'.join(map(str, node.cells))}: the view switches, {value:+g} is added: "
             f"N={node.visits}, W={node.w:.2f}, Q={node.q:.2f}")
        )  # fmt: skip
    lines.append(("backup", f"the root: N={step.after.visits}"))
    return lines


def position_after(cells: tuple[int, ...]) -> Position:
    """The position that the slides' cells lead to from the start."""
    position = start()
    for cell in cells:
        position.play(_MOVES[cell])
    return position


def _branch(forest: Forest, node: int, cells: tuple[int, ...], factor: float = 0.0) -> Branch:
    nodes, edges = forest.trees.nodes[0], forest.trees.edges[0]
    visits, prior = int(nodes[node]["visits"]), float(edges[node]["prior"])
    below = exploration_factor(forest.settings.for_kernel(), visits) if visits else 0.0
    tried = forest.children(0, node)
    children = []
    first, count = int(nodes[node]["first"]), int(nodes[node]["children"])
    for i in range(first, first + count) if first > 0 else ():
        line = (*cells, _CELLS[edges[i]["move"]])
        if i < tried.stop:
            children.append(_branch(forest, i, line, below))
        else:
            p = float(edges[i]["prior"])
            children.append(Branch(line, 0, 0.0, p, below * p, ()))
    children.sort(key=lambda child: child.cells)
    q = float(nodes[node]["q"]) if node else 0.0
    return Branch(cells, visits, q, prior, factor * prior / (1 + visits), tuple(children))
