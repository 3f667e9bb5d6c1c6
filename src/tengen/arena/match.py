"""A match: many games between two agents, fair by construction.

Games come in pairs. Both games of a pair begin with the same random opening, and the agents change sides between them. The
seed decides openings and agents, game by game, so threads change nothing but the time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import TypeVar

from tengen.agents.base import Agent
from tengen.agents.catalog import AgentSpec
from tengen.arena.playing import PlayedGame, even_openings, play_game, random_openings
from tengen.arena.statistics import wilson_interval
from tengen.errors import SpecError
from tengen.games.verbs import Game

T = TypeVar("T")

OPENING = 1
"""Random moves before the agents begin. One keeps most games fair (every first move of tic-tac-toe is a draw), and gives
as many beginnings as there are moves."""


@dataclass
class Tally:
    """Wins, losses and draws, in the first agent's view."""

    wins: int = 0
    losses: int = 0
    draws: int = 0

    def count(self, winner: int | None, side: int) -> None:
        """Count a game that the agent played as player `side`."""
        if winner is None:
            self.draws += 1
        elif winner == side:
            self.wins += 1
        else:
            self.losses += 1

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.draws

    @property
    def score(self) -> float:
        """The share of points: a win is 1, a draw ½."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5


@dataclass
class MatchResult:
    """The result so far, in the first agent's view."""

    names: tuple[str, str]
    total: Tally = field(default_factory=Tally)
    by_side: tuple[Tally, Tally] = field(default_factory=lambda: (Tally(), Tally()))
    """As player 0, and as player 1."""
    forfeits: list[str] = field(default_factory=list)
    last_side: int = 0
    """Which player the first agent was in the game counted last."""
    _seen: set[tuple[int, ...]] = field(default_factory=set)

    def add(self, played: PlayedGame, side: int) -> None:
        """Count a game in which the first agent was player `side`."""
        self.last_side = side
        self.total.count(played.winner, side)
        self.by_side[side].count(played.winner, side)
        self._seen.add((side, *played.moves))
        if played.forfeit:
            self.forfeits.append(played.forfeit)

    @property
    def distinct_games(self) -> int:
        """Games that differ in their moves or in who played which side."""
        return len(self._seen)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score."""
        return wilson_interval(self.total.score * self.total.games, self.total.games)

    def as_json(self, sides: tuple[str, str]) -> dict[str, object]:
        """The object that ``--json`` prints."""
        return {
            "wins": self.total.wins,
            "losses": self.total.losses,
            "draws": self.total.draws,
            "score": self.total.score,
            "interval": list(self.interval),
            "distinct_games": self.distinct_games,
            "by_colour": {
                name: {"wins": tally.wins, "losses": tally.losses, "draws": tally.draws}
                for name, tally in zip(sides, self.by_side, strict=True)
            },
            "forfeits": self.forfeits,
        }


@dataclass(frozen=True)
class Fixture:
    """A game of a match that is to be played. It says all that decides it, so it may be played anywhere."""

    seed: int
    side: int
    """Which player the first agent is."""
    opening: tuple[int, ...]


OnGame = Callable[[MatchResult, PlayedGame], None]
Spread = Callable[[Game, tuple[AgentSpec, AgentSpec], Sequence[Fixture]], Iterator[tuple[PlayedGame, int]]]
"""Somebody else who plays games: it is told of them at once, and gives them, with the first agent's side, as they end."""


def begin_match(
    game: Game,
    first: AgentSpec,
    second: AgentSpec,
    games: int,
    seed: int = 0,
    threads: int = 1,
    opening: int = OPENING,
    on_game: OnGame | None = None,
    result: MatchResult | None = None,
    judge: AgentSpec | None = None,
    spread: Spread | None = None,
) -> Callable[[], MatchResult]:
    """A match, given to `spread` where there is one; what comes back plays it to its end. See `play_match`."""
    if game.players() != 2:
        raise SpecError("a match needs a game for two players")
    if games < 1 or threads < 1 or opening < 0:
        raise SpecError("a match has at least 1 game, 1 thread and an opening of 0 moves or more")
    result = result if result is not None else MatchResult((first.text, second.text))
    pairs = (games + 1) // 2
    if judge is None:
        openings = random_openings(game, pairs, opening, seed)
    else:
        openings = even_openings(game, pairs, opening, seed, judge.make(game))
    fixtures = [Fixture(seed * 1_000_003 + n, n % 2, tuple(openings[n // 2])) for n in range(games)]
    playing = (spread or _in_threads_here(threads))(game, (first, second), fixtures)

    def finish() -> MatchResult:
        for played, side in playing:
            result.add(played, side)
            if on_game:
                on_game(result, played)
        return result

    return finish


def play_match(
    game: Game,
    first: AgentSpec,
    second: AgentSpec,
    games: int,
    seed: int = 0,
    threads: int = 1,
    opening: int = OPENING,
    on_game: OnGame | None = None,
    result: MatchResult | None = None,
    judge: AgentSpec | None = None,
) -> MatchResult:
    """Play `games` games. `result` may be given from outside, to be read when the match is broken off.

    With a `judge`, whose search says what a position is worth, the openings are even ones.
    """
    return begin_match(game, first, second, games, seed, threads, opening, on_game, result, judge)()


def _in_threads_here(threads: int) -> Spread:
    def spread(
        game: Game, pair: tuple[AgentSpec, AgentSpec], fixtures: Sequence[Fixture]
    ) -> Iterator[tuple[PlayedGame, int]]:
        own = threading.local()  # every thread has agents of its own

        def play(number: int) -> tuple[PlayedGame, int]:
            if not hasattr(own, "agents"):
                own.agents = (pair[0].make(game), pair[1].make(game))
            return play_fixture(game, own.agents, fixtures[number]), fixtures[number].side

        return in_threads(play, len(fixtures), threads)

    return spread


def play_fixture(game: Game, agents: tuple[Agent, Agent], fixture: Fixture) -> PlayedGame:
    """One of the games, between the first agent and the second."""
    order = agents if fixture.side == 0 else agents[::-1]
    return play_game(game, order, fixture.seed, fixture.opening)


def in_threads(play: Callable[[int], tuple[T, int]], games: int, threads: int) -> Iterator[tuple[T, int]]:
    """The games as they end. The first is played alone, so that what it compiles is compiled once."""
    yield play(0)
    if threads == 1:
        yield from map(play, range(1, games))
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(play, number) for number in range(1, games)]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:  # after an interruption the games not yet begun are dropped
            for future in waiting:
                future.cancel()
