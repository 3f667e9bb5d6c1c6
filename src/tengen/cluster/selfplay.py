"""A run's games from a cluster: a source of games like the threads of `training/sources.py`.

Each worker is asked to play for a moment and gets a few numbers of games ahead, in proportion to what it has finished lately;
what a lost worker had is given to others (`ledger.py`). A game that comes twice is refused. The newest network lies in Ray's
object store, and each machine fetches it once.
"""

from __future__ import annotations

import dataclasses
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from typing import Any

import tengen
from tengen.cluster.connecting import ClusterError
from tengen.cluster.crew import AHEAD, Answer, Crew, Member
from tengen.cluster.ledger import Ledger
from tengen.cluster.parcels import note, unpack
from tengen.cluster.player import Player
from tengen.evaluators.format import rules_hash
from tengen.records.record import GameRecord
from tengen.training.config import RunConfig
from tengen.training.sources import Order, Published, Shelf, Source

MOMENT = 0.25
"""Seconds for which a worker plays before it answers."""

ANSWER_COSTS = 0.004
"""Seconds of the driver for an answer and the next question, at most: with more workers, moments are longer."""


@dataclasses.dataclass
class Happenings:
    """What a front end may want to say of a cluster."""

    on_workers: Callable[[Sequence[Member]], None] = lambda members: None
    """Told which workers there are, whenever one has come or gone."""


def cluster_source(ray: Any, happenings: Happenings | None = None) -> Source:
    """A source of games on the cluster that Ray is connected to."""

    def source(order: Order) -> Generator[GameRecord, None, None]:
        driver = _Driver(ray, order, happenings or Happenings())
        thread = threading.Thread(target=driver.run, daemon=True)
        thread.start()
        try:
            for record in driver.shelf.games(1):
                yield record
                driver.published.look()
        finally:
            driver.shelf.stopping.set()
            thread.join()

    return source


class _Driver:
    """Keeps the workers busy, in a thread of its own, while the learner learns."""

    def __init__(self, ray: Any, order: Order, happenings: Happenings) -> None:
        self.shelf, self.published = Shelf(), Published(order.teacher)
        self._ray, self._order, self._happenings = ray, order, happenings
        self._ledger = Ledger(order.numbers)
        game = order.teacher.game
        self._crew = Crew(
            ray, Player, note(config=_for_elsewhere(order.config)),
            {"version": tengen.__version__, "rules": rules_hash(game)}, order.players, self._on_loss,
        )  # fmt: skip
        self._evaluations = 0
        """Of workers that have gone."""
        self._stored: tuple[int, Any] = (-1, None)
        self._told: list[Member] = []

    def run(self) -> None:
        """Until all games are there, or nobody wants them any more."""
        try:
            while not self._ledger.is_done and not self.shelf.stopping.is_set():
                for answer in self._crew.answers():
                    self._hear(answer)
                    if self.shelf.stopping.is_set():
                        break
                self._keep_busy()
                self._tell()
        except BaseException as error:  # told to the learner, which ends the run
            self.shelf.put(_in_plain_words(self._ray, error))
        finally:
            self._crew.close()
            self.shelf.put(None)

    def _hear(self, answer: Answer) -> None:
        member = answer.member
        if answer.data is None:
            idle = self._order.config.selfplay.slots
            member.facts |= {"evaluations": 0, "finished": 0, "waiting": 0, "idle": idle, "sent": deque()}
            return
        parcel = unpack(answer.data)
        for record in parcel.records:
            self._ledger.finished(member, record.number)
            if self._ledger.accept(record.number):
                self.shelf.put(record)
        sent: deque[int] = member.facts["sent"]
        sent.popleft()  # it has that question's numbers; those of the questions behind it are still to come
        member.facts |= {
            "evaluations": parcel.evaluations, "finished": len(parcel.records), "waiting": parcel.waiting + sum(sent),
            "idle": parcel.idle,
        }  # fmt: skip
        self._order.evaluations = self._evaluations + sum(
            other.facts.get("evaluations", 0) for other in self._crew.members
        )
        if parcel.live is not None and self._order.on_move is not None:
            number, first, moves, is_over = parcel.live
            self._order.on_move(number, first, list(moves), is_over)

    def _keep_busy(self) -> None:
        """Ask everybody who has less to do than they could."""
        ready = self._crew.ready
        moment = max(MOMENT, ANSWER_COSTS * len(ready))
        for member in ready:
            while member.open < AHEAD:
                numbers = self._ledger.lease(member, self._wanted(member))
                if not numbers and self._has_nothing(member):
                    break  # until a worker is lost and its games are to be had
                self._ask(member, numbers, moment)

    def _ask(self, member: Member, numbers: list[int], moment: float) -> None:
        steps, network = self.published.newest
        if self._stored[0] != steps:
            self._stored = (steps, self._ray.put(network))
        sigma = self._order.teacher.sigma if self._order.config.search.evaluation == "sigma" else None
        more = not self._ledger.is_exhausted
        question = note(numbers=numbers, steps=steps, sigma=sigma, seconds=moment, more=more)
        member.facts["waiting"] += len(numbers)
        member.facts["sent"].append(len(numbers))
        self._crew.ask(member, "play", question, [self._stored[1]])

    def _wanted(self, member: Member) -> int:
        """How many games a worker should get: for its empty places, and half as many again as it has lately finished."""
        facts: dict[str, int] = member.facts
        return max(0, facts["idle"] + facts["finished"] * 3 // 2 + 1 - facts["waiting"])

    def _has_nothing(self, member: Member) -> bool:
        return bool(member.facts["idle"] == self._order.config.selfplay.slots and not member.facts["waiting"])

    def _on_loss(self, member: Member) -> None:
        self._evaluations += member.facts.get("evaluations", 0)
        self._ledger.lose(member)

    def _tell(self) -> None:
        ready = self._crew.ready
        if ready != self._told:
            self._told = ready
            self._happenings.on_workers(ready)


def _for_elsewhere(config: RunConfig) -> dict[str, Any]:
    """The settings that players need. What a run starts from lies here, and is the learner's affair."""
    training = dataclasses.replace(config.training, start="")
    return dataclasses.replace(config, training=training).as_dict()


def _in_plain_words(ray: Any, error: BaseException) -> BaseException:
    """What has gone wrong with the cluster itself, as an error that can be shown."""
    if isinstance(error, ray.exceptions.RayError):
        return ClusterError(f"the cluster has failed: {type(error).__name__}; nothing that was kept is lost")
    return error
