"""Many trees searched at once, with one batch of questions for all of them.

forest = Forest(game, settings, trees=32, seed=1)
forest.reset(0, position.array); …
forest.begin(0, simulations=64); …
while len(asked := forest.ask()):
    policy, value = evaluate(forest.leaves(asked))
    forest.tell(asked, policy, value)
forest.visits(0)
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tengen.errors import SpecError, TengenError
from tengen.games.types import IntArray, Planes
from tengen.games.verbs import Game, offers
from tengen.search import kernel
from tengen.search.selection import scale_of_range
from tengen.search.settings import SearchSettings
from tengen.search.solving import is_kept, why_not
from tengen.search.trees import AMAF, EDGE, FACT, FRESH, NODE, NONE, STALE, UNWANTED, Trees, plant


class Evaluator(Protocol):
    """What a search asks: a network, or anything that answers as one does."""

    def __call__(self, game: Game, positions: IntArray) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """For positions [n, position]: a policy [n, outputs] (see `move_views`) and a value [n] in the mover's view."""


@runtime_checkable
class PlaneReader(Protocol):
    """An evaluator that can be given what it sees, already encoded."""

    def empty_planes(self, positions: int) -> Planes:
        """Room for what it sees of so many positions."""

    def run(self, planes: Planes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Its answers to planes [n, planes, rows, columns]."""


def enough_nodes(game: Game, settings: SearchSettings, trees: int = 1) -> int:
    """Room for a tree: what its simulations can need, but no more than the memory allows."""
    node = NODE.itemsize + EDGE.itemsize + (AMAF.itemsize if settings.selection == "rave" else 0)
    node += FACT.itemsize if has_facts(settings) else 0
    allowed = settings.memory * 1_000_000 // node // trees
    if settings.time > 0 or settings.simulations == 0:
        needed = allowed
    elif settings.selection == "flat":
        needed = 2 * game.move_count() + 1
    else:
        kept = 2 if settings.reuse else 1
        needed = (kept * settings.simulations + 2) * game.move_count()
    return int(min(needed, max(allowed, 2 * game.move_count() + 1)))


def has_facts(settings: SearchSettings) -> bool:
    """Whether more is kept of a node than its visits and values."""
    return settings.solver or settings.selection == "gumbel"


class Forest:
    """Trees of one game and one set of settings."""

    def __init__(self, game: Game, settings: SearchSettings, trees: int = 1, seed: int = 0) -> None:
        self.game = game
        self.settings = settings
        why = why_not(game) if settings.solver else None
        if why is not None:
            raise SpecError(why)
        for name in ("afterstates", "living_reward"):
            if getattr(settings, name) and game.players() != 1:
                raise SpecError(f"{name} is for games of one player")
        nodes = enough_nodes(game, settings, trees)
        if settings.batch > 1 and trees > 1:
            raise SpecError(f"batch={settings.batch} is for a search of one position: many at once make a batch anyway")
        is_rave, knows = settings.selection == "rave", bool(settings.wanted_verbs)
        self.trees: Trees = plant(game, trees, nodes, seed, is_rave, knows, has_facts(settings), settings.batch)
        self._settings = settings.for_kernel()
        self._move_views = np.ascontiguousarray(game.move_views())
        self._nobody = np.zeros(0, np.int64)
        self._no_policy = np.zeros((0, self._move_views.shape[1]), np.float32)
        self._no_value = np.zeros(0, np.float32)
        self._no_planes = np.zeros((0, 1, 1, 1), np.float32)
        self._moves, self._visits = (np.zeros(game.move_count(), np.int32) for _ in range(2))
        for verb, setting in settings.wanted_verbs.items():
            if not offers(game, verb):
                raise SpecError(f"{setting} would do nothing: {game} offers no {verb.replace('_', ' ')}")
        start = np.zeros(game.position_size(), np.int32)
        game.start(start)
        if settings.selection == "rave" and not game.made_by(start, np.zeros(game.move_count(), np.int32)):
            raise TengenError(f"rave needs a board that tells who made which move: {game} has none (the verb made_by)")
        for tree in range(trees):
            self.reset(tree, start)

    def __len__(self) -> int:
        return len(self.trees.nodes)

    def reset(self, tree: int, position: IntArray) -> None:
        """Forget a tree and put a position at its root."""
        kernel.reset(self.trees, tree, position)
        self._study(tree)

    def advance(self, tree: int, move: int) -> tuple[float, bool, int]:
        """Play a move at the root and keep what is known of its consequences.

        The reward to the one who moved, whether the game is over, and who moves next.
        """
        made = kernel.advance(self.game, self.trees, tree, move)
        self._study(tree)
        return made

    def _study(self, tree: int) -> None:
        if self._settings.knows:
            kernel.study(self.game, self.trees, tree)

    def begin(
        self, tree: int, simulations: int, fresh_noise: bool = True, noise: bool = True, planned: int = 0
    ) -> None:
        """Have a tree want so many simulations more; without `noise`, a root that has none yet gets none.

        With `fresh_noise` a search begins, which is to have `planned` simulations in the end, if these are not all.
        """
        state = self.trees.state[tree]
        state["target"] = state["done"] + simulations
        if fresh_noise:
            state["last"] = state["done"] + (planned or simulations)
            state["planned"] = 0
        if fresh_noise and state["noise"] == FRESH:
            state["noise"] = STALE
        elif noise and state["noise"] == UNWANTED:
            state["noise"] = NONE
        elif not noise and state["noise"] == NONE:
            state["noise"] = UNWANTED

    def set_sigma(self, sigma: float) -> None:
        """Change the probability of a rollout, as training does from game to game."""
        if self.settings.evaluation != "sigma":
            raise TengenError("sigma belongs to evaluation=sigma")
        self._settings = self._settings._replace(sigma=float(sigma))

    def ask(self, planes: Planes | None = None) -> NDArray[np.int64]:
        """Search until every tree is done or waits for an answer; the trees (with `batch`, the lanes of the one tree) that wait.

        Given `planes`, with a row for each tree, what a network sees of the positions is written into its first rows.
        """
        if not self.settings.asks:
            kernel.ask(self.game, self._settings, self.trees)
            self._check_for_flaws()
            return self._nobody
        return self._turn(self._nobody, self._no_policy, self._no_value, planes, True)

    def leaves(self, asked: NDArray[np.int64]) -> IntArray:
        """The positions that are asked about."""
        return self.trees.leaf if len(asked) == len(self.trees.leaf) else self.trees.leaf[asked]

    def tell(self, asked: NDArray[np.int64], policy: NDArray[np.float32], value: NDArray[np.float32]) -> None:
        """Answer: a policy over the network's outputs and a value for each position asked about."""
        self._turn(asked, policy, value, None, False)

    def exchange(
        self, asked: NDArray[np.int64], policy: NDArray[np.float32], value: NDArray[np.float32], planes: Planes | None
    ) -> NDArray[np.int64]:
        """`tell`, then `ask`, in one call of compiled code."""
        return self._turn(asked, policy, value, planes, True)

    def _turn(
        self,
        asked: NDArray[np.int64],
        policy: NDArray[np.float32],
        value: NDArray[np.float32],
        planes: Planes | None,
        goes_on: bool,
    ) -> NDArray[np.int64]:
        policy, value = np.asarray(policy, np.float32), np.asarray(value, np.float32)
        if policy.shape != (len(asked), self._move_views.shape[1]) or value.shape != (len(asked),):
            raise TengenError(f"an evaluator answered {policy.shape} and {value.shape} to {len(asked)} questions")
        asks = np.empty(len(self.trees.state), np.int64)
        n = kernel.turn(
            self.game, self._settings, self.trees, asked, policy, value, self._move_views, goes_on, asks,
            self._no_planes if planes is None else planes,
        )  # fmt: skip
        if n < 0:
            raise TengenError("an evaluator answered with a value that is not a number")
        self._check_for_flaws()
        return asks[:n]

    def _check_for_flaws(self) -> None:
        if self.settings.solver and self.trees.state["flaw"][:: self.settings.batch].any():
            name = type(self.game).__name__.lower()
            raise SpecError(f"the solver needs a game that is decided at its end: in {name} rewards come before")

    def run(self, evaluator: Evaluator | None = None) -> None:
        """Search until every tree is done, asking `evaluator` where the settings want a network."""
        while len(asked := self.ask()):
            assert evaluator is not None
            self.tell(asked, *evaluator(self.game, self.leaves(asked)))

    def decide(self, tree: int, moves_made: int) -> tuple[int, dict[int, int]]:
        """The next move of a game, drawn by the settings' temperature, and what the legal moves weigh.

        That is their visits; with gumbel, the improved policy in parts of `gumbel.PARTS`; with the solver, 0 for a move that is
        proven to be worse than another.
        """
        settings = self.settings
        n, move = self._decide(tree, settings.temperature_at(moves_made), settings.is_late(moves_made))
        if move < 0:
            raise TengenError("no move has been visited: there is nothing to choose from")
        return move, dict(zip(self._moves[:n].tolist(), self._visits[:n].tolist()))

    def weights(self, tree: int) -> tuple[NDArray[np.int32], int]:
        """What every move weighs, as in `decide` [moves], and the move that the rule itself names, or −1."""
        n, move = self._decide(tree, -1.0, False)
        weights = np.zeros(self.game.move_count(), np.int32)
        weights[self._moves[:n]] = self._visits[:n]
        return weights, move

    def _decide(self, tree: int, temperature: float, tried_twice: bool) -> tuple[int, int]:
        state, scale, shift = self.trees.state[tree], 1.0, 0.0
        if not self.game.is_bounded():
            scale, shift = scale_of_range(float(state["low"]), float(state["high"]), self.game.players() == 2)
        return kernel.decide(
            self.trees, tree, self._settings, scale, shift, float(temperature), tried_twice, self._moves, self._visits
        )

    # --- what has been found

    def simulations(self, tree: int) -> int:
        """Simulations since the tree was last reset."""
        return int(self.trees.state[tree]["done"])

    def used(self, tree: int) -> int:
        """Nodes in use."""
        return int(self.trees.state[tree]["used"])

    def is_full(self, tree: int) -> bool:
        """Whether the tree has stopped growing for want of memory."""
        return bool(self.used(tree) + self.game.move_count() > self.trees.nodes.shape[1])

    def children(self, tree: int, node: int = 0) -> slice:
        """The nodes of the moves that have been tried at a node."""
        parent = self.trees.nodes[tree, node]
        first = int(parent["first"])
        return slice(first, first + int(parent["tried"])) if first > 0 else slice(0, 0)

    def moves(self, tree: int, node: int = 0) -> list[int]:
        """The legal moves of an expanded node, in rising order; none where it has not been expanded."""
        first, count = (int(self.trees.nodes[tree, node][name]) for name in ("first", "children"))
        return sorted(self.trees.edges[tree, first : first + count]["move"].tolist()) if first > 0 else []

    def visits(self, tree: int, node: int = 0) -> NDArray[np.int32]:
        """Visits of every move [moves], zero where a move is illegal or untried."""
        return self._by_move(tree, self.children(tree, node), "visits")

    def values(self, tree: int, node: int = 0) -> NDArray[np.float64]:
        """Q of every move [moves], zero where a move is illegal or untried; what is proven, where something is."""
        q, (low, high) = self._by_move(tree, self.children(tree, node), "q"), self.bounds(tree, node)
        return np.where(low == high, low, q)

    def bounds(self, tree: int, node: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What every move is proven to be worth at least and at most, in the chooser's view [moves]; ∓∞: nothing is proven."""
        low, high = (np.full(self.game.move_count(), bound) for bound in (-np.inf, np.inf))
        if self.settings.solver:
            low[:], high[:] = -1.0, 1.0
            nodes = self.children(tree, node)
            moves, known = self.trees.edges[tree, nodes]["move"], self.trees.facts[tree, nodes]
            low[moves], high[moves] = known["low"], known["high"]
        return low, high

    def proven(self, tree: int) -> float | None:
        """What the root is worth to its mover, where that is proven."""
        if self.settings.solver:
            root = self.trees.facts[tree, 0]
            if root["low"] == root["high"]:
                return float(root["low"])
        return None

    def priors(self, tree: int, node: int = 0) -> NDArray[np.float64]:
        """P of every move [moves], without noise, zero where a move is illegal."""
        first, count = (int(self.trees.nodes[tree, node][name]) for name in ("first", "children"))
        if first == 0:
            return np.zeros(self.game.move_count())
        priors, children = np.zeros(self.game.move_count()), self.trees.edges[tree, first : first + count]
        priors[children["move"]] = children["prior"]
        noisy = node == 0 and self.trees.state[tree]["noise"] in (FRESH, STALE)
        return np.where(priors > 0, self.trees.clean[tree], 0.0) if noisy else priors

    def value(self, tree: int, node: int = 0) -> float:
        """The mean value of a position in its mover's view; of the root the proven one, if there is one."""
        proven = self.proven(tree) if node == 0 else None
        if proven is not None:
            return proven
        visits = int(self.trees.nodes[tree, node]["visits"])
        return float(self.trees.nodes[tree, node]["total"]) / visits if visits else 0.0

    def believed_value(self, tree: int) -> float:
        """What the root is worth to its mover if it goes on as the search believes. With gumbel, whose plan tries moves that it
        does not believe in as often as others, that is the mean by the improved policy; else the mean of all simulations."""
        if self.settings.selection != "gumbel" or self.proven(tree) is not None:
            return self.value(tree)
        weights, _ = self.weights(tree)
        tried = self.visits(tree) > 0
        total = float(weights[tried].sum())
        return float((weights * self.values(tree))[tried].sum()) / total if total > 0 else self.value(tree)

    def principal_variation(self, tree: int, node: int = 0, longest: int = 30) -> list[int]:
        """The most visited moves, one after the other, but for those that are proven to be worse than another."""
        line: list[int] = []
        while len(line) < longest:
            children = self.children(tree, node)
            tried = self.trees.nodes[tree, children]
            if not len(tried) or tried["visits"].max() == 0:
                break
            visits = tried["visits"].copy()
            if self.settings.solver:
                known = self.trees.facts[tree, children]
                most = 1.0 if len(tried) < int(self.trees.nodes[tree, node]["children"]) else known["high"].max()
                visits[~is_kept(known["low"], known["high"], known["low"].max(), most)] = -1
            node = children.start + int(np.lexsort((-tried["q"], -visits))[0])
            line.append(int(self.trees.edges[tree, node]["move"]))
        return line

    def _by_move(self, tree: int, nodes: slice, name: str) -> NDArray[Any]:
        out: NDArray[Any] = np.zeros(self.game.move_count(), NODE[name])
        out[self.trees.edges[tree, nodes]["move"]] = self.trees.nodes[tree, nodes][name]
        return out
