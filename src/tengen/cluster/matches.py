"""Games of matches on a cluster: what `arena/match.py` calls a spread.

Games are told of when their match begins, played in that order wherever there is room, and given back as they end. Each says all
that decides it, so the cluster plays the games that threads would have played, unless an agent thinks by the clock.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any

import tengen
from tengen.agents.catalog import AGENTS, AgentSpec
from tengen.agents.targets import find_network
from tengen.arena.match import Fixture
from tengen.arena.playing import PlayedGame
from tengen.cluster.connecting import ClusterError
from tengen.cluster.crew import AHEAD, Answer, Crew, Member
from tengen.cluster.ledger import Ledger
from tengen.cluster.parcels import DamagedParcel, note, read_note
from tengen.cluster.referee import Referee
from tengen.evaluators.format import rules_hash
from tengen.games import Game, game_spec

MOMENT = 0.5
"""Seconds that a question should take: quick games are asked for several at a time."""

MOST_GAMES = 64
"""In one question."""

PATIENCE = 5
"""Workers that may be lost over one game."""


class _Numbers:
    """The numbers of games that have been told of and not been given out; there may be more later."""

    def __init__(self) -> None:
        self.waiting: deque[int] = deque()

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if not self.waiting:
            raise StopIteration
        return self.waiting.popleft()


class ClusterMatches:
    """To be called as a spread, for one game; `close` it."""

    def __init__(self, ray: Any, game: Game, workers: int = 0) -> None:
        self._ray, self._game = ray, game
        self._crew = Crew(
            ray, Referee, note(game=game_spec(game)), {"version": tengen.__version__, "rules": rules_hash(game)},
            workers, self._on_loss,
        )  # fmt: skip
        self._numbers = _Numbers()
        self._ledger = Ledger(self._numbers)
        self._fixtures: list[Fixture] = []
        self._pair_of: list[tuple[AgentSpec, AgentSpec]] = []
        self._played: dict[int, PlayedGame] = {}
        self._asked: dict[Member, deque[list[int]]] = {}
        self._held: dict[Member, deque[int]] = {}
        self._losses: Counter[int] = Counter()
        self._seconds = MOMENT
        """That a game has taken lately."""
        self._networks: dict[str, Any] = {}

    def __call__(
        self, game: Game, pair: tuple[AgentSpec, AgentSpec], fixtures: Sequence[Fixture]
    ) -> Iterator[tuple[PlayedGame, int]]:
        """Take note of games; they come as they end."""
        begin = len(self._fixtures)
        numbers = range(begin, begin + len(fixtures))
        self._fixtures += fixtures
        self._pair_of += [pair] * len(fixtures)
        self._numbers.waiting.extend(numbers)
        return self._results(set(numbers))

    def close(self) -> None:
        """Let the workers go."""
        self._crew.close()

    def _results(self, wanted: set[int]) -> Iterator[tuple[PlayedGame, int]]:
        while wanted:
            for number in sorted(wanted & self._played.keys()):
                wanted.remove(number)
                yield self._played.pop(number), self._fixtures[number].side
            if wanted:
                self._go_on()

    def _go_on(self) -> None:
        try:
            for answer in self._crew.answers():
                self._hear(answer)
            for member in self._crew.ready:
                while member.open < AHEAD and self._ask(member):
                    pass
        except self._ray.exceptions.RayError as error:
            raise ClusterError(f"the cluster has failed: {type(error).__name__}") from None

    def _hear(self, answer: Answer) -> None:
        if answer.data is None:
            self._asked[answer.member] = deque()
            return
        self._asked[answer.member].popleft()
        said = read_note(answer.data)
        try:
            for number, moves, winner, returns, forfeit in said["games"]:
                self._ledger.finished(answer.member, number)
                if self._ledger.accept(number):
                    opening = len(self._fixtures[number].opening)
                    self._played[number] = PlayedGame(tuple(moves), winner, (returns[0], returns[1]), opening, forfeit)
            if said["games"]:
                self._seconds = 0.5 * self._seconds + 0.5 * float(said["seconds"]) / len(said["games"])
        except (TypeError, ValueError, KeyError, IndexError) as error:
            raise DamagedParcel(f"a worker has sent what are no games: {error}") from None

    def _ask(self, member: Member) -> bool:
        """Give a worker the next games of one pair; whether there were any."""
        left = len(self._numbers.waiting) // (AHEAD * max(1, len(self._crew.ready)))
        most = min(MOST_GAMES, max(1, min(left, int(MOMENT / max(self._seconds, 1e-6)))))
        held = self._held.setdefault(member, deque())
        held.extend(self._ledger.lease(member, most - len(held)))
        if not held:
            return False
        pair = self._pair_of[held[0]]
        numbers = [held.popleft()]
        while held and self._pair_of[held[0]] is pair:
            numbers.append(held.popleft())
        games = [
            [number, fixture.seed, fixture.side, fixture.opening]
            for number, fixture in ((number, self._fixtures[number]) for number in numbers)
        ]
        networks: list[Any] = []
        places: list[int | None] = []
        for spec in pair:
            network = self._network(spec)
            places.append(None if network is None else len(networks))
            networks += [] if network is None else [network]
        question = note(pair=[spec.text for spec in pair], networks=places, games=games)
        self._asked[member].append(numbers)
        self._crew.ask(member, "play", question, networks)
        return True

    def _network(self, spec: AgentSpec) -> Any:
        """The agent's network in the object store; None where it has none."""
        head, _, target = spec.text.partition(":")
        if AGENTS[head.partition(",")[0]].target != "NETWORK":
            return None
        if target not in self._networks:
            self._networks[target] = self._ray.put(find_network(target).read_bytes())
        return self._networks[target]

    def _on_loss(self, member: Member) -> None:
        self._held.pop(member, None)
        for number in self._asked.pop(member, deque([[]]))[0]:  # one of these it was playing
            self._losses[number] += 1
            if self._losses[number] >= PATIENCE:
                one, other = self._pair_of[number]
                raise ClusterError(f"{PATIENCE} workers were lost over games of {one.text} against {other.text}")
        self._ledger.lose(member)
