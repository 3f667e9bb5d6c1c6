"""The Tournament of Progressive Policies: a round robin of the networks that a run has kept, without any learning.

Each pair plays G games from both sides. If training works, later networks beat earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.agents.catalog import AgentSpec
from tengen.arena.match import MatchResult, Spread, begin_match
from tengen.arena.playing import PlayedGame
from tengen.arena.ratings import elo_ratings
from tengen.errors import SpecError
from tengen.games.verbs import Game

OPENING = 2
"""Random moves at the beginning of each pair of games: networks that play their best move would repeat themselves."""


@dataclass(frozen=True)
class ToppResult:
    """Who beat whom."""

    names: tuple[str, ...]
    score: NDArray[np.float64]
    """[n, n] share of points of the row against the column; not a number on the diagonal, nor where nothing has been played."""
    distinct: NDArray[np.int64]
    """[n, n] different games."""
    rating: NDArray[np.float64]
    interval: NDArray[np.float64]

    @property
    def rank_correlation(self) -> float:
        """Spearman's, between the order of the networks and their ratings: 1 when each is stronger than all before it."""
        order = np.argsort(np.argsort(self.rating))
        n = len(order)
        return float(1 - 6 * np.sum((order - np.arange(n)) ** 2) / (n * (n * n - 1)))

    def as_json(self) -> dict[str, object]:
        """The object that ``--json`` prints."""
        return {
            "names": list(self.names),
            "score": [[None if np.isnan(s) else float(s) for s in row] for row in self.score],
            "distinct_games": self.distinct.tolist(),
            "rating": self.rating.tolist(),
            "interval": self.interval.tolist(),
            "rank_correlation": self.rank_correlation,
        }


OnPair = Callable[[int, int, MatchResult], None]
OnToppGame = Callable[[int, int, PlayedGame], None]
"""The agents in the order of the players, and their game."""


class Topp:
    """A round robin of agents in the order in which they were trained: `result` may be read at any time."""

    def __init__(self, game: Game, agents: Sequence[AgentSpec], names: Sequence[str]) -> None:
        if len(agents) < 2:
            raise SpecError("a tournament needs two agents at least")
        self.game, self.agents, self.names = game, agents, tuple(names)
        self._matches: dict[tuple[int, int], MatchResult] = {}

    def play(
        self,
        games: int,
        seed: int = 0,
        threads: int = 1,
        opening: int = OPENING,
        on_pair: OnPair | None = None,
        on_game: OnToppGame | None = None,
        judge: AgentSpec | None = None,
        spread: Spread | None = None,
    ) -> ToppResult:
        """Every pair plays `games` games; with a `judge`, from openings that it finds even.

        Without `spread` one match follows the other; with it all are begun at once.
        """
        begun = (
            (i, j, self._begin(i, j, games, seed, threads, opening, on_game, judge, spread))
            for i in range(len(self.agents))
            for j in range(i + 1, len(self.agents))
        )
        for i, j, (match, finish) in list(begun) if spread else begun:
            self._matches[i, j] = match
            finish()
            if on_pair:
                on_pair(i, j, match)
        return self.result

    def _begin(
        self,
        i: int,
        j: int,
        games: int,
        seed: int,
        threads: int,
        opening: int,
        on_game: OnToppGame | None,
        judge: AgentSpec | None,
        spread: Spread | None,
    ) -> tuple[MatchResult, Callable[[], MatchResult]]:
        def tell(result: MatchResult, played: PlayedGame) -> None:
            if on_game:
                on_game(*((i, j) if result.last_side == 0 else (j, i)), played)

        one, other = self.agents[i], self.agents[j]
        match, seed = MatchResult((one.text, other.text)), seed + i * len(self.agents) + j
        return match, begin_match(self.game, one, other, games, seed, threads, opening, tell, match, judge, spread)

    @property
    def games(self) -> int:
        """Those played so far."""
        return sum(match.total.games for match in self._matches.values())

    @property
    def forfeits(self) -> list[str]:
        """Why games were lost without the rules."""
        return [reason for match in self._matches.values() for reason in match.forfeits]

    @property
    def result(self) -> ToppResult:
        """Of the games so far."""
        n = len(self.agents)
        points, played = np.zeros((n, n)), np.zeros((n, n))
        score, distinct = np.full((n, n), np.nan), np.zeros((n, n), np.int64)
        for (i, j), match in self._matches.items():
            games = match.total.games
            won = match.total.score * games
            points[i, j], points[j, i] = won, games - won
            played[i, j] = played[j, i] = games
            if games:
                score[i, j], score[j, i] = won / games, 1 - won / games
            distinct[i, j] = distinct[j, i] = match.distinct_games
        rating, interval = elo_ratings(points, played)
        return ToppResult(self.names, score, distinct, rating, interval)
