"""A population of players, and what happens to it in a generation.

    battles    everyone fights `battles` others, drawn anew each time: two games, the same opening from both sides
    death      all games of all times give ratings; the share `pressure` of the living with the lowest ones dies
    birth      the first child is the average of all survivors; each other one lies on the line through two of them
               (drawn by rank, the best most often), a little beyond its ends at most, and is varied by a normal number:
               `variation` times the survivors' own spread. So the population draws together while the
               games tell its members apart, and stays wide where they do not.

A survivor goes on fighting, so luck does not keep it alive for long. Everything random comes from the seed and the number
of the generation: a generation that was broken off happens again just so.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tengen.agents.catalog import AgentSpec, parse_agent
from tengen.arena.match import MatchResult, play_match
from tengen.arena.ratings import elo_ratings
from tengen.errors import SpecError
from tengen.games.verbs import Game
from tengen.tuning.genes import Genome

BEYOND = 0.25
"""How far beyond its parents, in parts of their distance, a child may lie. Within them only, a population shrinks by itself."""

LEAST_SPREAD = 0.03
"""Of a gene, for the size of its variation: a population that has grown together can still move."""

MOST_LIVES = 4000
"""Players in all generations together: they are rated together, after each."""

GAMES = 2
"""Of a battle: one opening, both sides."""


@dataclass(frozen=True)
class TuneSettings:
    """How hard life is."""

    players: int = 16
    battles: int = 20
    pressure: float = 0.5
    variation: float = 0.4
    opening: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        if not 4 <= self.players <= 1000:
            raise SpecError(f"players is 4 to 1,000, not {self.players}")
        if not 1 <= self.battles <= 10_000:
            raise SpecError(f"battles is 1 to 10,000, not {self.battles}")
        if not 0 < self.pressure < 1:
            raise SpecError(f"pressure, the share that dies, is between 0 and 1, not {self.pressure:g}")
        if not 0 <= self.variation <= 10:
            raise SpecError(f"variation is 0 to 10, not {self.variation:g}")
        if self.opening < 0:
            raise SpecError(f"opening is 0 or more, not {self.opening}")

    def lives(self, generations: int) -> int:
        """How many players there will have been."""
        return self.players + self.deaths * (generations - 1)

    @property
    def deaths(self) -> int:
        """In a generation; one at least, and two live on to breed."""
        return min(max(1, round(self.pressure * self.players)), self.players - 2)


@dataclass
class Player:
    """A set of genes with a life."""

    genes: tuple[float, ...]
    born: int
    """The first generation in which it fights, from 0."""
    died: int | None = None
    """The last one; None: it lives."""
    parents: tuple[int, ...] = ()


@dataclass
class Population:
    """Everyone who has ever lived, and all their results."""

    players: list[Player]
    generation: int = 0
    """Generations that are over."""
    results: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    """Points of the first and games, of two players by number, the smaller first."""
    forfeits: int = 0

    @property
    def living(self) -> list[int]:
        return [number for number, player in enumerate(self.players) if player.died is None]

    @property
    def games(self) -> int:
        return int(sum(games for _, games in self.results.values()))

    def ratings(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Elo ratings [players] and their 95 % intervals [players, 2], from all games."""
        n = len(self.players)
        points, games = np.zeros((n, n)), np.zeros((n, n))
        for (i, j), (won, played) in self.results.items():
            points[i, j], points[j, i] = won, played - won
            games[i, j] = games[j, i] = played
        return elo_ratings(points, games)

    def fought(self, number: int) -> bool:
        """Whether the player has been in a battle."""
        return self.players[number].born < self.generation

    def winner(self) -> int:
        """The fittest of those who live and have fought: with the highest rating that is as good as certain."""
        _, interval = self.ratings()
        return max(filter(self.fought, self.living), key=lambda number: float(interval[number, 0]))


OnBattle = Callable[[], None]


def first_generation(genome: Genome, settings: TuneSettings) -> Population:
    """The agent as it was given, where it lies in the ranges, and players spread evenly over them (a Latin hypercube)."""
    chooser = random.Random(f"{settings.seed} first")
    players = [Player(genome.founder, 0)] if genome.founder is not None else []
    n = settings.players - len(players)
    columns = []
    for _ in genome.ranges:
        column = [(place + chooser.random()) / n for place in range(n)]
        chooser.shuffle(column)
        columns.append(column)
    players += [Player(genes, 0) for genes in zip(*columns, strict=True)]
    return Population(players)


def live_a_generation(
    game: Game,
    genome: Genome,
    settings: TuneSettings,
    population: Population,
    threads: int = 1,
    on_battle: OnBattle | None = None,
) -> None:
    """Battles, deaths and births. The population changes only when all battles have been fought."""
    chooser = random.Random(f"{settings.seed} {population.generation}")
    pairs = pair_up(population.living, settings.battles, chooser)
    agents = {number: parse_agent(genome.spec(population.players[number].genes)) for number in population.living}
    matches = _fight(game, agents, pairs, settings, population.generation, threads, on_battle)
    for (i, j), match in zip(pairs, matches, strict=True):
        score = population.results.setdefault((i, j), [0.0, 0.0])
        score[0] += match.total.wins + match.total.draws / 2
        score[1] += match.total.games
        population.forfeits += len(match.forfeits)
    rating, _ = population.ratings()
    ranked = sorted(population.living, key=lambda number: (-rating[number], number))
    for number in ranked[settings.players - settings.deaths :]:
        population.players[number].died = population.generation
    survivors = ranked[: settings.players - settings.deaths]
    population.generation += 1
    population.players += breed(population.players, survivors, settings, population.generation, chooser)


def pair_up(living: Sequence[int], rounds: int, chooser: random.Random) -> list[tuple[int, int]]:
    """Everyone with a random other one, so many times; with an odd number one sits out each time."""
    pairs = []
    for _ in range(rounds):
        order = list(living)
        chooser.shuffle(order)
        pairs += [(min(pair), max(pair)) for pair in zip(order[::2], order[1::2])]
    return pairs


def breed(
    players: Sequence[Player], survivors: Sequence[int], settings: TuneSettings, generation: int, chooser: random.Random
) -> list[Player]:
    """The children that replace the dead; `survivors`: the best first."""
    genes = np.array([players[number].genes for number in survivors])
    spread = np.maximum(genes.std(axis=0), LEAST_SPREAD)
    children = [Player(tuple(float(gene) for gene in genes.mean(axis=0)), generation, None, tuple(survivors))]
    weights = [len(survivors) - rank for rank in range(len(survivors))]
    while len(children) < settings.deaths:
        one, other = _two_of(survivors, weights, chooser)
        along = chooser.uniform(-BEYOND, 1 + BEYOND)
        child = []
        for a, b, width in zip(players[one].genes, players[other].genes, spread, strict=True):
            gene = a + along * (b - a) + chooser.gauss(0, 1) * settings.variation * float(width)
            child.append(min(max(gene, 0.0), 1.0))  # an end of a range is a value like others: ε = 0, say
        children.append(Player(tuple(child), generation, None, (one, other)))
    return children


def _two_of(numbers: Sequence[int], weights: Sequence[int], chooser: random.Random) -> tuple[int, int]:
    one = other = chooser.choices(numbers, weights)[0]
    while other == one:
        other = chooser.choices(numbers, weights)[0]
    return one, other


def _fight(
    game: Game,
    agents: dict[int, AgentSpec],
    pairs: Sequence[tuple[int, int]],
    settings: TuneSettings,
    generation: int,
    threads: int,
    on_battle: OnBattle | None,
) -> list[MatchResult]:
    """The results of all battles, in their order; the first alone, so that what it compiles is compiled once."""

    def fight(number: int) -> MatchResult:
        one, other = pairs[number]
        seed = (settings.seed * 10_007 + generation) * 1_000_003 + number
        return play_match(game, agents[one], agents[other], GAMES, seed, 1, settings.opening)

    def tell() -> None:
        if on_battle:
            on_battle()

    first = fight(0)
    tell()
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(fight, number) for number in range(1, len(pairs))]
        try:
            for done in as_completed(futures):
                done.result()
                tell()
        finally:  # after an interruption the battles not yet begun are dropped
            for future in futures:
                future.cancel()
        return [first, *(future.result() for future in futures)]
