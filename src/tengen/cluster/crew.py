"""The workers of a cluster: as many as there is room for, each with a little to do ahead, replaced when they go.

A worker asks for one processor and no accelerator, so Ray puts players where processors are free; the learner is the program that
was started, on the machine where it was started. Machines may join and leave at any time: every few seconds the crew is brought
to the number of processors that the cluster has then.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tengen.cluster.connecting import ClusterError
from tengen.cluster.parcels import read_note
from tengen.errors import TengenError

AHEAD = 2
"""Questions that a worker has at once: while one answer travels, it works on the next."""

LOOK_EVERY = 2.0
"""Seconds between two looks at how large the cluster is."""

WAIT = 0.2
"""Seconds for which answers are waited for before anything else is seen to."""

PATIENCE = 5
"""Workers, one after the other, that may end before they have begun: then something is wrong with all of them."""


@dataclass(eq=False)
class Member:
    """A worker that has been asked for; it is ready when it has answered once."""

    actor: Any
    number: int
    machine: str = ""
    process: int = 0
    is_ready: bool = False
    open: int = 0
    """Questions that it has not answered."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Whatever the driver wants to remember of it."""


@dataclass(frozen=True)
class Answer:
    """What a worker has said; None: it is ready, and has said hello."""

    member: Member
    data: bytes | None


class Crew:
    """Asks, and hears answers. From one thread."""

    def __init__(
        self,
        ray: Any,
        actor: Any,
        order: bytes,
        expected: dict[str, Any],
        wanted: int = 0,
        lost: Callable[[Member], None] = lambda member: None,
    ) -> None:
        """`actor`: a class whose `hello` says what `expected` holds; `wanted`: workers, 0: one for each processor; `lost` is
        told of each that has gone."""
        self._ray, self._order, self._expected, self._wanted, self._lost = ray, order, expected, wanted, lost
        self._actor = ray.remote(num_cpus=1, num_gpus=0, max_restarts=0, max_task_retries=0)(actor)
        self._pending: dict[Any, Member] = {}
        self._looked = -math.inf
        self._begun = self._stillborn = 0
        self.members: list[Member] = []
        self.losses = 0

    @property
    def ready(self) -> list[Member]:
        """Those who can be asked."""
        return [member for member in self.members if member.is_ready]

    def ask(self, member: Member, method: str, *arguments: Any) -> None:
        """Put a question; the answer comes from `answers`."""
        self._pending[getattr(member.actor, method).remote(*arguments)] = member
        member.open += 1

    def answers(self) -> Iterator[Answer]:
        """Those that have come, after a short wait where there are none."""
        self._look()
        if not self._pending:
            time.sleep(WAIT)
            return
        found, _ = self._ray.wait(list(self._pending), num_returns=1, timeout=WAIT)
        if found:  # whatever else is there comes with it
            found, _ = self._ray.wait(list(self._pending), num_returns=len(self._pending), timeout=0)
        for reference in found:
            member = self._pending.pop(reference, None)
            if member is None or member not in self.members:  # it went, and took all its answers with it
                continue
            member.open -= 1
            data = self._read(member, reference)
            if data is None:
                continue
            if member.is_ready:
                yield Answer(member, data)
            else:
                self._welcome(member, data)
                yield Answer(member, None)

    def close(self) -> None:
        """Let everybody go."""
        for member in self.members:
            self._ray.kill(member.actor)
        self.members.clear()
        self._pending.clear()

    def _look(self) -> None:
        """Ask for workers where there is room for more."""
        now = time.monotonic()
        if now - self._looked < LOOK_EVERY:
            return
        self._looked = now
        wanted = self._wanted or int(self._ray.cluster_resources().get("CPU", 0))
        while len(self.members) < wanted:
            member = Member(self._actor.remote(self._order), self._begun)
            self._begun += 1
            self.members.append(member)
            self.ask(member, "hello")

    def _read(self, member: Member, reference: Any) -> bytes | None:
        """An answer; None where its worker has gone. ClusterError when the worker itself says that it cannot."""
        errors = self._ray.exceptions
        try:
            data = self._ray.get(reference)
        except errors.RayTaskError as error:
            cause = error.cause if isinstance(error.cause, Exception) else error
            if isinstance(cause, errors.RayError) and not isinstance(cause, errors.RayTaskError):
                self._bury(member, cause)  # it could not fetch a network, say: its machine is going
                return None
            reason = str(cause) if isinstance(cause, TengenError) else f"{type(cause).__name__}: {cause}"
            raise ClusterError(f"a worker on {member.machine or 'the cluster'} says: {reason}") from None
        except errors.RayError as error:
            self._bury(member, error)
            return None
        if not isinstance(data, bytes):
            raise ClusterError("a worker has answered with something else than bytes")
        return data

    def _bury(self, member: Member, reason: Exception) -> None:
        self.members.remove(member)
        self._pending = {reference: other for reference, other in self._pending.items() if other is not member}
        self._ray.kill(member.actor)  # where only the way to it was lost
        self.losses += 1
        self._looked = -math.inf  # somebody else may have its place at once
        self._stillborn = 0 if member.is_ready else self._stillborn + 1
        self._lost(member)
        if self._stillborn >= PATIENCE:
            raise ClusterError(
                f"workers end before they begin; is tengen installed alike on every machine? {_first_line(reason)}"
            )

    def _welcome(self, member: Member, data: bytes) -> None:
        said = read_note(data)
        member.machine, member.process = str(said.get("machine")), int(said.get("process", 0))
        for name, value in self._expected.items():
            if said.get(name) != value:
                other = f"{member.machine} has another {name} of this program ({said.get(name)}, here {value})"
                raise ClusterError(f"{other}: install the same on all machines")
        member.is_ready, self._stillborn = True, 0


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:300]
