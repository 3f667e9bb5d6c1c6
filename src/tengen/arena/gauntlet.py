"""A gauntlet: candidates against a list of opponents. Candidates do not meet each other, nor do opponents.

Every candidate meets an opponent with the same openings, so that their scores can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.agents.catalog import AgentSpec
from tengen.arena.match import MatchResult, Spread, Tally, begin_match
from tengen.arena.playing import PlayedGame
from tengen.arena.ratings import elo_ratings
from tengen.arena.statistics import wilson_interval
from tengen.arena.topp import OPENING
from tengen.errors import SpecError
from tengen.games.verbs import Game

GAMES = 12
"""Games of each pair: as many as in the matches against Gomocup engines that reports print."""

OnGame = Callable[[int, int, MatchResult, PlayedGame], None]
"""The candidate, the opponent, their match so far, and the game that has ended."""


@dataclass(frozen=True)
class GauntletResult:
    """What has been played so far: each candidate against each opponent, in the candidate's view."""

    candidates: tuple[str, ...]
    opponents: tuple[str, ...]
    matches: tuple[tuple[MatchResult, ...], ...]
    """[candidates, opponents]"""

    @property
    def names(self) -> tuple[str, ...]:
        """Everyone, the candidates first."""
        return self.candidates + self.opponents

    def total(self, candidate: int) -> Tally:
        """A candidate's games against all opponents."""
        tallies = [match.total for match in self.matches[candidate]]
        return Tally(sum(t.wins for t in tallies), sum(t.losses for t in tallies), sum(t.draws for t in tallies))

    def interval(self, candidate: int) -> tuple[float, float]:
        """The 95 % interval of its score against all of them."""
        total = self.total(candidate)
        return wilson_interval(total.score * total.games, total.games)

    def ratings(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Elo ratings of everyone [n] and their 95 % intervals [n, 2], in the order of `names`."""
        points, games = self._table()
        return elo_ratings(points, games)

    def _table(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Points and games of each against each [n, n]."""
        n = len(self.names)
        points, games = np.zeros((n, n)), np.zeros((n, n))
        for i, row in enumerate(self.matches):
            for j, match in enumerate(row, len(self.candidates)):
                played, won = match.total.games, match.total.score * match.total.games
                points[i, j], points[j, i] = won, played - won
                games[i, j] = games[j, i] = played
        return points, games

    def as_json(self, sides: tuple[str, str]) -> dict[str, object]:
        """The object that ``--json`` prints: that of a tournament, with null where nobody played, and every match."""
        points, games = self._table()
        rating, interval = self.ratings()
        n = range(len(self.names))
        return {
            "names": list(self.names),
            "candidates": list(self.candidates),
            "opponents": list(self.opponents),
            "score": [[points[i, j] / games[i, j] if games[i, j] else None for j in n] for i in n],
            "rating": rating.tolist(),
            "interval": interval.tolist(),
            "matches": [
                {"candidate": candidate, "opponent": opponent, "games": match.total.games, **match.as_json(sides)}
                for candidate, row in zip(self.candidates, self.matches, strict=True)
                for opponent, match in zip(self.opponents, row, strict=True)
            ],
        }


class Gauntlet:
    """The candidates, their opponents, and their games so far: `result` may be read at any time."""

    def __init__(self, game: Game, candidates: Sequence[AgentSpec], opponents: Sequence[AgentSpec]) -> None:
        if not candidates or not opponents:
            raise SpecError("a gauntlet needs a candidate and an opponent at least")
        self.game, self.candidates, self.opponents = game, candidates, opponents
        self._matches = [[MatchResult((one.text, other.text)) for other in opponents] for one in candidates]

    def play(
        self,
        games: int = GAMES,
        seed: int = 0,
        threads: int = 1,
        opening: int = OPENING,
        on_game: OnGame | None = None,
        judge: AgentSpec | None = None,
        spread: Spread | None = None,
    ) -> GauntletResult:
        """Every candidate plays `games` games against every opponent, one after the other; with `spread`, all at once."""

        def begin(j: int, i: int) -> Callable[[], MatchResult]:
            def told(result: MatchResult, played: PlayedGame) -> None:
                if on_game:
                    on_game(i, j, result, played)

            return begin_match(
                self.game, self.candidates[i], self.opponents[j], games, seed + j, threads, opening, told,
                self._matches[i][j], judge, spread,
            )  # fmt: skip

        begun = (begin(j, i) for j in range(len(self.opponents)) for i in range(len(self.candidates)))
        for finish in list(begun) if spread else begun:
            finish()
        return self.result

    @property
    def result(self) -> GauntletResult:
        """Of the games so far."""
        return GauntletResult(
            tuple(spec.text for spec in self.candidates),
            tuple(spec.text for spec in self.opponents),
            tuple(tuple(row) for row in self._matches),
        )
