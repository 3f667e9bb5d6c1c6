"""While a person thinks, the agent that they play against goes on thinking, too: its tree grows where it will be needed."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tengen.agents import Agent
from tengen.agents.searching import SearchAgent
from tengen.errors import TengenError
from tengen.games import Position

if TYPE_CHECKING:
    from tengen.web.table import Table


class Pondering:
    """One agent at most ponders at a table. All but `_ponder` is called with the table's lock held."""

    def __init__(self, table: Table) -> None:
        self.is_on = False
        self._table = table
        self._stop: threading.Event | None = None
        self._at_work: tuple[Agent, threading.Event] | None = None
        """Who ponders, and what is set when it has stopped."""

    @property
    def is_busy(self) -> bool:
        return self._at_work is not None and not self._at_work[1].is_set()

    def begin(self, agents: Iterable[Agent]) -> None:
        """Have an agent search the position that a person looks at, for as much as it gives a move of its own."""
        if not self.is_on or self._stop is not None or not self._table.watchers:
            return
        agent = next((agent for agent in agents if isinstance(agent, SearchAgent)), None)
        if agent is not None:
            self._stop = threading.Event()
            position = self._table.position.copy()
            self._table.thinkers.submit(functools.partial(self._ponder, agent, position, self._stop))

    def stop(self) -> None:
        """The position has changed."""
        if self._stop is not None:
            self._stop.set()
            self._stop = None

    def wait_for(self, agent: Agent | None) -> threading.Event | None:
        """What an agent has to be waited for before it can be asked for a move: a slice of its search."""
        return self._at_work[1] if self._at_work is not None and self._at_work[0] is agent else None

    def _ponder(self, agent: Agent, position: Position, stop: threading.Event) -> None:
        table, done = self._table, threading.Event()
        with table.lock:
            if stop.is_set() or table.is_closed:
                return
            self._at_work = agent, done
        try:
            agent.progress = agent.watch = None
            agent.stop = lambda: stop.is_set() or table.is_closed or table.thinkers.is_closed
            with contextlib.suppress(TengenError):  # when its move is wanted, it will say so itself
                agent.choose(position)
        finally:
            done.set()
