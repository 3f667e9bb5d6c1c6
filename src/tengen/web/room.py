"""All tables of a server: found by an id that nobody can guess, and given up when there are too many."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from tengen.errors import TengenError
from tengen.web.table import Table
from tengen.web.thinking import Thinkers

MOST_TABLES = 400
"""Games kept. Beyond that, the one that nobody has looked at for longest is given up."""

WARM_MEMORY = 1_500_000_000
"""Bytes of trees that agents keep between their moves; beyond that, those of the least recently used tables go."""

COOL_EVERY = 2.0
"""Seconds between two looks at the memory."""


class Room:
    """The tables, the least recently used first."""

    def __init__(self, thinkers: Thinkers, most: int = MOST_TABLES, memory: int = WARM_MEMORY) -> None:
        self.thinkers = thinkers
        self._most, self._memory = most, memory
        self._cooled = 0.0
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._lock = threading.Lock()
        thinkers.on_compiling.append(self._tell_those_who_wait)

    def __len__(self) -> int:
        return len(self._tables)

    def add(self, table: Table) -> Table:
        """Keep a table."""
        with self._lock:
            if len(self._tables) >= self._most:
                idle = next((t for t in self._tables.values() if not t.watchers), None)
                if idle is None:
                    table.close()
                    raise TengenError("too many games are open here: close one first")
                del self._tables[idle.id]
                idle.close()
            self._tables[table.id] = table
        return table

    def get(self, text: str) -> Table:
        """A table by its id."""
        with self._lock:
            table = self._tables.get(text)
            if table is None:
                raise TengenError("that game is not here any more: begin a new one")
            table.touched = time.monotonic()
            self._tables.move_to_end(text)
            if time.monotonic() - self._cooled > COOL_EVERY:
                self.cool_down()
            return table

    def drop(self, table: Table) -> None:
        """Give a table up, unless somebody else looks at it."""
        with self._lock:
            if not table.watchers and self._tables.pop(table.id, None) is not None:
                table.close()

    def close(self) -> None:
        """Give all of them up."""
        for table in list(self._tables.values()):
            table.close()

    def cool_down(self) -> None:
        """Have agents give their trees back: at tables where nobody looks, and where all of them hold too much."""
        self._cooled, held = time.monotonic(), 0
        for table in reversed(self._tables.values()):
            held += table.memory()
            if held > self._memory or not table.watchers:
                table.forget_agents()

    def _tell_those_who_wait(self) -> None:
        for table in list(self._tables.values()):
            if table.watchers:
                table.changed()
