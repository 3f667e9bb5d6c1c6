"""How strong the networks of a run are, found out a few games at a time while there are more and more of them.

Each plays against a fixed opponent, whose rating is 0, and against two earlier ones: its predecessor, and the one with half as
many before it, since the opponent may beat all of the first ones and lose to all of the last. The pair that has played the
least of what it should is the next to play, so a new network soon has a point with a wide interval, and all intervals become
narrower as time goes on. The tables can be asked for their points, or be written down, at any moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tengen.agents.base import Agent
from tengen.arena.match import Tally
from tengen.arena.playing import play_game, random_openings
from tengen.arena.ratings import elo_ratings
from tengen.arena.statistics import wilson_interval
from tengen.errors import TengenError
from tengen.games.verbs import Game

OPENING = 2
"""Random moves at the beginning of each pair of games, as in the TOPP."""

OPPONENT = -1
"""The fixed opponent, among players that are otherwise named by the games they were trained on."""

Pair = tuple[int, int]
"""Who plays whom: a network, and an earlier one or the opponent."""


@dataclass(frozen=True)
class Standing:
    """What is known of a network."""

    games: int
    """Those it was trained on."""
    played: int
    """Those it has played against the opponent."""
    score: float
    """Its share of points in them, with the 95 % interval."""
    interval: tuple[float, float]
    rating: float
    """Its distance to the opponent on the Elo scale, from all its games, with the 95 % interval."""
    rating_interval: tuple[float, float]

    def as_json(self) -> dict[str, object]:
        return asdict(self)


class Tracking:
    """The results so far, and who is to play next."""

    def __init__(self, game: Game, games: int, seed: int = 0) -> None:
        """`games`: of each network against the opponent, at most; half as many against each of the two others."""
        if game.players() != 2:
            raise TengenError("a rating needs a game for two players")
        self.game, self.games, self._seed = game, games + games % 2, seed
        self._tallies: dict[Pair, Tally] = {}
        self._openings = random_openings(game, max(1, self.games // 2), OPENING, seed)

    def next_pair(self, networks: Sequence[int], enough: float = 1.0) -> Pair | None:
        """Who should play the next two games; None when every pair has played the share `enough` of its games."""
        waiting, ordered = [], sorted(networks)
        for order, trained in enumerate(ordered):
            earlier = {ordered[order - 1], ordered[order // 2]} if order else set()
            for other, wanted in [(OPPONENT, self.games), *((one, self.games // 2) for one in earlier)]:
                share = self._tally((trained, other)).games / wanted
                if share < enough:
                    waiting.append((share, other != OPPONENT, -trained, (trained, other)))  # of equals, the newest
        return min(waiting)[-1] if waiting else None

    def play(self, pair: Pair, agent_of: Callable[[int], Agent]) -> None:
        """Two games with the same opening, one from each side."""
        number = self._tally(pair).games
        opening = self._openings[number // 2 % len(self._openings)]
        agents = (agent_of(pair[0]), agent_of(pair[1]))
        for side in (0, 1):
            order = agents if side == 0 else agents[::-1]
            played = play_game(self.game, order, self._seed * 1_000_003 + number + side, opening)
            self._tallies.setdefault(pair, Tally()).count(played.winner, side)

    def standings(self) -> list[Standing]:
        """Of every network that has played against the opponent, the least trained first."""
        networks = sorted(
            trained for (trained, other), tally in self._tallies.items() if other == OPPONENT and tally.games
        )
        if not networks:
            return []
        place = {OPPONENT: 0, **{trained: i for i, trained in enumerate(networks, 1)}}
        points, games = np.zeros((len(place), len(place))), np.zeros((len(place), len(place)))
        for (one, other), tally in self._tallies.items():
            if one in place and other in place:
                i, j, won = place[one], place[other], tally.score * tally.games
                points[i, j], points[j, i] = won, tally.games - won
                games[i, j] = games[j, i] = tally.games
        rating, interval = elo_ratings(points, games, anchor=0)
        found = []
        for trained in networks:
            tally, i = self._tallies[trained, OPPONENT], place[trained]
            found.append(
                Standing(
                    trained, tally.games, tally.score, wilson_interval(tally.score * tally.games, tally.games),
                    float(rating[i]), (float(interval[i, 0]), float(interval[i, 1])),
                )
            )  # fmt: skip
        return found

    def as_json(self) -> list[list[int]]:
        """All results: network, other, wins, losses, draws."""
        return [[*pair, t.wins, t.losses, t.draws] for pair, t in sorted(self._tallies.items())]

    def load(self, rows: Sequence[Sequence[int]]) -> None:
        """The inverse of `as_json`; ValueError or TypeError when it is something else."""
        for one, other, wins, losses, draws in rows:
            counts = [int(n) for n in (wins, losses, draws)]
            if min(counts) < 0:
                raise ValueError("no number of games is below 0")
            self._tallies[int(one), int(other)] = Tally(*counts)

    def _tally(self, pair: Pair) -> Tally:
        return self._tallies.get(pair, Tally())


def standings_from(data: Mapping[str, Any]) -> list[Standing]:
    """What `rating.json` says of the networks; KeyError, TypeError or ValueError when it is something else."""
    found = []
    for row in data["standings"]:
        (low, high), (rating_low, rating_high) = row["interval"], row["rating_interval"]
        found.append(
            Standing(
                int(row["games"]), int(row["played"]), float(row["score"]), (float(low), float(high)),
                float(row["rating"]), (float(rating_low), float(rating_high)),
            )
        )  # fmt: skip
    return found
