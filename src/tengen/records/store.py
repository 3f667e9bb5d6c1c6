"""The games and figures of a run in one SQLite file. A game that was added is there, whatever happens next."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tengen.errors import TengenError
from tengen.records.record import GameRecord, unpack_visits

FORMAT_VERSION = 1

_TABLES = """
create table about (key text primary key, value text not null);
create table games (
    added integer primary key autoincrement, number integer unique not null, seed integer not null,
    first integer not null, moves blob not null, visits blob not null, vals blob not null, return0 real not null,
    return1 real not null, winner integer, network integer not null, seconds real not null
);
create table metrics (step integer primary key, data text not null);
"""
_COLUMNS = "number, seed, first, moves, visits, vals, return0, return1, winner, network, seconds"


class DamagedStore(TengenError):
    """A file that is no store of ours, or a broken one."""


class StoreNotWritten(TengenError):
    """A game or figures could not be kept."""


class GameResult(NamedTuple):
    """A game in a line."""

    number: int
    first: int
    winner: int | None
    moves: int


class RecordStore:
    """Add games, read them back. To be used from one thread; other processes may read meanwhile."""

    def __init__(self, file: Path) -> None:
        self.file = file
        is_new = not file.exists()
        try:
            self._db = sqlite3.connect(file, timeout=30, isolation_level=None)
            self._db.execute("pragma journal_mode=wal")
            self._db.execute("pragma synchronous=normal")
            if is_new:
                self._db.executescript(
                    f"begin; {_TABLES} insert into about values ('format', '{FORMAT_VERSION}'); commit;"
                )
            version = self._db.execute("select value from about where key = 'format'").fetchone()
        except (sqlite3.Error, UnicodeError) as error:  # a message about damage may quote it
            raise DamagedStore(f"{file} is not a store of games: {error}") from None
        if version != (str(FORMAT_VERSION),):
            raise DamagedStore(f"{file} has format {version}, this program reads {FORMAT_VERSION}")

    def close(self) -> None:
        self._db.close()

    def add(self, record: GameRecord) -> None:
        """Keep a game. A number can be given only once."""
        moves, visits, values = record.pack()
        self._write(
            f"insert into games ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (record.number, record.seed, record.first, moves, visits, values, *record.returns, record.winner,
             record.network, record.seconds),
        )  # fmt: skip

    def numbers(self) -> list[int]:
        """The numbers of all games, in rising order."""
        return [row[0] for row in self._rows("select number from games order by number")]

    def __len__(self) -> int:
        return next(int(row[0]) for row in self._rows("select count(*) from games"))

    def get(self, number: int) -> GameRecord | None:
        """A game by its number."""
        return next(self._read("where number = ?", (number,)), None)

    def latest(self, n: int) -> list[GameRecord]:
        """The last `n` games in the order in which they were added."""
        return list(self._read("order by added desc limit ?", (n,)))[::-1]

    def all_after(self, added: int) -> Iterator[GameRecord]:
        """One by one, the games that were added after the first `added` ones."""
        return self._read("order by added limit -1 offset ?", (added,))

    def game_results(self) -> list[GameResult]:
        """How all games ended, in the order in which they were added; nothing is unpacked for it."""
        rows = self._rows("select number, first, winner, length(moves) / 4 from games order by added")
        return [GameResult(*row) for row in rows]

    def add_metrics(self, step: int, data: dict[str, float]) -> None:
        """Keep the figures of a training step."""
        self._write("insert or replace into metrics values (?, ?)", (step, json.dumps(data)))

    def metrics(self) -> list[dict[str, float]]:
        """All figures, each with its step."""
        rows = self._rows("select step, data from metrics order by step")
        return [{"step": step, **self._figures(data)} for step, data in rows]

    def results(self) -> tuple[int, int, int]:
        """How many games the first player has won, the second player, and how many were drawn."""
        rows = self._rows("select winner, count(*) from games group by winner")
        counts = {winner: int(count) for winner, count in rows}
        return counts.get(0, 0), counts.get(1, 0), counts.get(None, 0)

    def last_metrics(self) -> dict[str, float]:
        """The figures of the last step; none before the first."""
        rows = self._rows("select data from metrics order by step desc limit 1")
        return next((self._figures(data) for (data,) in rows), {})

    def _figures(self, data: Any) -> dict[str, float]:
        try:
            return {str(name): float(figure) for name, figure in json.loads(data).items()}
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise DamagedStore(f"{self.file} holds figures that cannot be read: {error}") from None

    def _rows(self, query: str, values: tuple[int, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """What a query finds; DamagedStore, when the file does not let itself be read."""
        try:
            for row in self._db.execute(query, values):  # noqa: UP028  # `yield from` would close it after the database
                yield row
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise DamagedStore(f"{self.file} cannot be read: {error}") from None

    def _write(self, query: str, values: tuple[object, ...]) -> None:
        """Change the file; StoreNotWritten, when the disk is full or may not be written."""
        try:
            self._db.execute(query, values)
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise StoreNotWritten(f"{self.file} cannot be written: {error}; what was kept before is safe") from None

    def _read(self, where: str, values: tuple[int, ...]) -> Iterator[GameRecord]:
        try:
            for row in self._rows(f"select {_COLUMNS} from games {where}", values):
                number, seed, first, moves, visits, vals, r0, r1, winner, network, seconds = row
                yield GameRecord(
                    number, seed, first, tuple(np.frombuffer(moves, np.int32).tolist()), unpack_visits(visits),
                    tuple(np.frombuffer(vals, np.float32).tolist()), (r0, r1), winner, network, seconds,
                )  # fmt: skip
        except DamagedStore:
            raise
        except (ValueError, TypeError, OverflowError) as error:
            raise DamagedStore(f"{self.file} holds a game that cannot be read: {error}") from None
