"""The ladder: a fixed list of graded opponents for each game, so that results of today and of next year can be compared.

Ratings of the rungs are known where they have played each other; an agent is then placed among them on one and the same
scale, by its own games alone. Elsewhere its games rate rungs and agent together, as those of any other gauntlet do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tengen.agents.catalog import parse_agent
from tengen.arena.gauntlet import GauntletResult
from tengen.arena.ladder_ratings import RATINGS
from tengen.arena.ratings import PRIOR, SCALE
from tengen.arena.statistics import Z95
from tengen.errors import SpecError
from tengen.games.catalog import GAMES, game_spec
from tengen.games.verbs import Game

WORD = "ladder"
"""What stands for all rungs in a list of opponents."""

LADDERS: Mapping[str, tuple[str, ...]] = {
    "hex": (
        "random", "flat,simulations=2", "uct,simulations=100", "uct,simulations=400", "flat,simulations=100",
        "uct,simulations=1600", "uct,simulations=6400", "rave,simulations=1600", "rave,simulations=6400",
    ),
    "gomoku": (
        "random", "uct,simulations=100", "uct,simulations=400", "flat,simulations=2", "uct,simulations=1600",
        "flat,simulations=100", "uct,simulations=6400", "rave,simulations=6400", "alphabeta,depth=2", "classic,time=0.2",
        "alphabeta,depth=6",
    ),
    "any other game": (
        "random", "flat,simulations=2", "uct,simulations=100", "uct,simulations=400", "flat,simulations=100",
        "uct,simulations=1600", "uct,simulations=6400",
    ),
}  # fmt: skip
"""The rungs by game, roughly from the weakest to the strongest. Their limits are simulations and depths, not seconds, so that
they are as strong on any machine; only `classic` knows no limit but the clock. A changed rung would make another ladder of it:
add, do not change."""


@dataclass(frozen=True)
class Place:
    """Where an agent or a rung stands: Elo above the mean of the rungs, with its 95 % interval."""

    name: str
    rating: float
    low: float
    high: float


def ladder_of(game: Game) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The rungs that play this game, and for each one that does not, the reason (short rows of Gomoku, for instance)."""
    name = next((name for name, entry in GAMES.items() if type(game) is entry.rules), "")
    rungs, refusals = [], []
    for rung in LADDERS.get(name, LADDERS["any other game"]):
        try:
            parse_agent(rung).make(game)
        except SpecError as error:
            refusals.append(f"{rung}: {error}")
        else:
            rungs.append(rung)
    return tuple(rungs), tuple(refusals)


def with_rungs(words: Iterable[str], game: Game) -> tuple[str, ...]:
    """A list of agents with the rungs in the place of the word `ladder`."""
    rungs = ladder_of(game)[0]
    found: list[str] = []
    for word in words:
        found += rungs if word.strip() == WORD else [word]
    return tuple(found)


def rung_ratings(game: Game) -> dict[str, Place]:
    """The measured places of the rungs in this very game; none where they have not been measured."""
    rated = RATINGS.get(game_spec(game), {})
    return {name: Place(name, *figures) for name, figures in rated.items()}


def place(result: GauntletResult, candidate: int, rungs: Mapping[str, Place]) -> Place:
    """A candidate among the rungs, their ratings taken as they are; games against others do not count.

    As everywhere in the package's ratings, one drawn game against the mean of the rungs keeps a clean sweep finite.
    """
    met = [
        (rungs[name].rating / SCALE, match.total)
        for name, match in zip(result.opponents, result.matches[candidate], strict=True)
        if name in rungs
    ]
    met_games = sum(tally.games for _, tally in met)
    if not met_games:
        raise SpecError(f"{result.candidates[candidate]} has played no rung of the ladder")
    rating, information = 0.0, 1.0
    for _ in range(200):  # Newton's method on a concave function, with bounded steps
        gradient, information = PRIOR * (0.5 - _expected(rating, 0.0)), PRIOR * _variance(rating, 0.0)
        for other, tally in met:
            gradient += tally.games * (tally.score - _expected(rating, other))
            information += tally.games * _variance(rating, other)
        step = max(-1.0, min(1.0, gradient / information))
        rating += step
        if abs(step) < 1e-10:
            break
    half = Z95 / math.sqrt(information)
    return Place(result.candidates[candidate], rating * SCALE, (rating - half) * SCALE, (rating + half) * SCALE)


def _expected(one: float, other: float) -> float:
    """The score that a player of rating `one` expects against `other`, both in natural units."""
    return 1 / (1 + math.exp(other - one))


def _variance(one: float, other: float) -> float:
    expected = _expected(one, other)
    return expected * (1 - expected)
