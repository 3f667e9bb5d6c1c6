"""A position as a bandit: its moves are the arms, a simulation is a pull, a win pays 1, a draw ½, a loss 0.

HMCTS (`flat`) is explore-then-commit: it gives each move the same number of simulations, m, and then plays the best mean.
UCT (`ucb1`) is UCB at every node of the tree. At the root alone it is algorithm 8 to the letter: Q/N + c·sqrt(2 ln N / n)
with c² = α, N = t (the root's own evaluation counts as one). To see that bandit by itself the tree is given no room below
the root, so that its arms do not change while they are pulled; the same search, the same code. With room, the replies
are searched too, and what a move pays changes while the search learns how it is answered.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tengen.bandits.experiment import Sample
from tengen.errors import TengenError
from tengen.games.position import Position
from tengen.games.verbs import CHANCE
from tengen.search import SearchSettings
from tengen.search.forest import Forest
from tengen.search.settings import DEFAULT_C
from tengen.search.trees import plant

MEMORY = 256  # megabytes for the one search that has a tree
TRUTH = 20_000
"""Simulations for each move from which its true mean is taken."""

FLAT, PLAYED, PROVEN, TREE = "flat", "ucb1, root alone", "ucb1, proven α", "ucb1 with its tree"


@dataclass(frozen=True)
class Pulls:
    """What one way of searching did."""

    settings: SearchSettings
    visits: NDArray[np.int64]
    """[repetitions, checkpoints, arms]"""
    best: NDArray[np.int64]
    """[repetitions] the arm that it would play at the end."""


@dataclass(frozen=True)
class RootBandit:
    """A position, what its moves pay, and what the search spent on each."""

    position: Position
    arms: tuple[int, ...]
    """The legal moves."""
    means: NDArray[np.float64]
    """What each pays, from many random games: 1 a win of the player to move, 0 a loss."""
    checkpoints: NDArray[np.int64]
    searches: dict[str, Pulls]

    @property
    def gaps(self) -> NDArray[np.float64]:
        return np.asarray(self.means.max() - self.means)

    def regret(self, name: str) -> Sample:
        """Of the simulations, at the checkpoints."""
        return Sample.of(self.searches[name].visits @ self.gaps)

    def loss(self, name: str) -> float:
        """How much worse than the best the move is that would be played, on average."""
        return float(self.gaps[self.searches[name].best].mean())


def root_bandit(
    position: Position,
    simulations: int,
    alpha: float,
    repetitions: int,
    seed: int = 0,
    threads: int = 1,
    truth: int = TRUTH,
    advance: Callable[[float], None] | None = None,
) -> RootBandit:
    """Search a position in four ways, and hold what was spent against what each move pays.

    The simulations are rounded down to a multiple of the number of moves.
    """
    game = position.game
    if position.is_over or position.to_move == CHANCE:
        raise TengenError("this position has no moves to choose from: the game is over, or luck moves")
    if not game.is_bounded():
        raise TengenError("a bandit's bounds need rewards from −1 to 1; those of this game are others")
    arms = tuple(position.legal_moves)
    if len(arms) < 2:
        raise TengenError("there is one move here: nothing to choose from")
    if not len(arms) <= simulations <= 1_000_000:
        raise TengenError(f"simulations are from {len(arms)}, one for each move, to 1,000,000, not {simulations}")
    if not 1 <= repetitions <= 10_000:
        raise TengenError("repetitions are 1 to 10,000")
    simulations -= simulations % len(arms)  # as many for each move, where each gets the same
    checkpoints = np.unique(np.geomspace(1, simulations, 60).round().astype(np.int64))
    ways = {
        FLAT: SearchSettings(selection="flat", simulations=1),
        PLAYED: SearchSettings(selection="ucb1", simulations=simulations),
        PROVEN: SearchSettings(selection="ucb1", simulations=simulations, c=alpha**0.5),
        TREE: SearchSettings(selection="ucb1", simulations=simulations, memory=MEMORY),
    }
    work = 3 * repetitions + 2

    def tell(done: float) -> None:
        if advance:
            advance(done / work)

    means = _true_means(position, arms, truth, seed)
    tell(1)
    searches = {}
    for name, settings in ways.items():
        times = 1 if name == TREE else repetitions  # a tree takes memory, and its arms have no means to compare with

        def one(number: int, settings: SearchSettings = settings, has_tree: bool = name == TREE) -> Pulls:
            return _search(position, arms, settings, checkpoints, seed * 1_000_003 + number, has_tree)

        with ThreadPoolExecutor(threads) as pool:
            done = []
            for pulls in pool.map(one, range(times)):
                done.append(pulls)
                tell(1)
        searches[name] = Pulls(
            settings, np.concatenate([p.visits for p in done]), np.concatenate([p.best for p in done])
        )
    return RootBandit(position, arms, means, checkpoints, searches)


def alpha_of(settings: SearchSettings) -> float:
    """Algorithm 8's α in a search by ucb1."""
    c = DEFAULT_C["ucb1"] if settings.c is None else settings.c
    return c * c


def make_forest(position: Position, settings: SearchSettings, seed: int, has_tree: bool) -> Forest:
    """A search of the position; without a tree there is room for the root's children and no more."""
    game = position.game
    forest = Forest(game, settings, 1, seed) if has_tree else Forest(game, replace(settings, memory=1), 1, seed)
    if not has_tree:
        forest.trees = plant(game, 1, 1 + game.move_count(), seed, rave=False, knows=False)
    forest.reset(0, position.array)
    forest.begin(0, 1)  # the root's own evaluation, which makes the moves
    forest.run()
    return forest


def _true_means(position: Position, arms: tuple[int, ...], simulations: int, seed: int) -> NDArray[np.float64]:
    forest = make_forest(position, SearchSettings(selection="flat", simulations=1), seed + 77, False)
    forest.begin(0, simulations * len(arms))
    forest.run()
    return np.asarray((forest.values(0)[list(arms)] + 1) / 2)


def _search(
    position: Position, arms: tuple[int, ...], settings: SearchSettings, checkpoints: NDArray[np.int64], seed: int,
    has_tree: bool,
) -> Pulls:  # fmt: skip
    forest = make_forest(position, settings, seed, has_tree)
    visits = np.zeros((1, len(checkpoints), len(arms)), np.int64)
    done = 0
    for k, simulations in enumerate(checkpoints):
        forest.begin(0, int(simulations) - done)
        forest.run()
        done = int(simulations)
        visits[0, k] = forest.visits(0)[list(arms)]
    q = forest.values(0)[list(arms)]
    by_visits = np.where(visits[0, -1] == visits[0, -1].max(), q, -np.inf)
    tried = np.where(visits[0, -1] > 0, q, -np.inf)
    best = int(np.argmax(tried if settings.selection == "flat" else by_visits))
    return Pulls(settings, visits, np.array([best]))
