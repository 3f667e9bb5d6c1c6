"""What the Online Hex Tournament remembers, in one SQLite file: players, rounds, series and games. No password, no token.

An official attempt counts from its start, so that nobody can hang up on a bad day and try again; one that the *server* broke
off does not count.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tengen.errors import TengenError

FORMAT_VERSION = 1
ATTEMPTS = 5
FIRST_PLAYER_ID = 10_001
"""Unique ids of players are large; the server's own players have small ones."""

_TABLES = """
create table about (key text primary key, value text not null);
create table players (id integer primary key, user text unique not null);
create table rounds (
    id integer primary key, player integer not null references players, official integer not null, started real not null,
    ended real, wins integer not null default 0, games integer not null default 0, reason text,
    counts integer not null default 1
);
create table series (
    id integer primary key, round integer not null references rounds, opponent text not null, seat integer not null,
    wins integer not null default 0, losses integer not null default 0
);
create table games (
    series integer not null references series, number integer not null, first integer not null, moves text not null,
    winner integer not null, forfeit text, primary key (series, number)
);
"""


@dataclass(frozen=True)
class Standing:
    """A row of the results table."""

    user: str
    best: float | None
    """The best score of the official rounds, in per cent; None: none has ended."""
    official: int
    """Official attempts used."""
    verification: int
    """Verification rounds played to the end."""
    last: float | None
    """The score of the last round of either kind."""


class Results:
    """To be used from many threads."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            is_new = not file.exists()
            self._db = sqlite3.connect(file, timeout=30, isolation_level=None, check_same_thread=False)
            self._db.execute("pragma journal_mode=wal")
            if is_new:
                self._db.executescript(
                    f"begin; {_TABLES} insert into about values ('format', '{FORMAT_VERSION}'); commit;"
                )
            version = self._db.execute("select value from about where key = 'format'").fetchone()
        except (sqlite3.Error, OSError) as error:
            raise TengenError(f"{file} holds no results of a tournament: {error}") from None
        if version != (str(FORMAT_VERSION),):
            raise TengenError(f"{file} has format {version}, this program reads {FORMAT_VERSION}")

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def forgive_unfinished(self) -> None:
        """Rounds that ended because the server did: they do not count."""
        with self._lock:
            self._db.execute(
                "update rounds set ended = ?, reason = 'the server has stopped', counts = 0 where ended is null",
                (time.time(),),
            )

    def player_id(self, user: str) -> int:
        """The unique id of a user, the same for ever."""
        with self._lock:
            self._db.execute(
                "insert or ignore into players values ((select coalesce(max(id) + 1, ?) from players), ?)",
                (FIRST_PLAYER_ID, user),
            )
            row = self._db.execute("select id from players where user = ?", (user,)).fetchone()
        return int(row[0])

    def remaining_attempts(self, player: int) -> int:
        with self._lock:
            return self._remaining(player)

    def _remaining(self, player: int) -> int:
        query = "select count(*) from rounds where player = ? and official and counts"
        return max(0, ATTEMPTS - int(self._db.execute(query, (player,)).fetchone()[0]))

    def begin_round(self, player: int, official: bool, games: int) -> int | None:
        """A new round; None when it would be official and no attempt is left."""
        with self._lock:
            if official and self._remaining(player) == 0:
                return None
            row = self._db.execute(
                "insert into rounds (player, official, started, games) values (?, ?, ?, ?)",
                (player, official, time.time(), games),
            )
            return row.lastrowid

    def begin_series(self, round_id: int, opponent: str, seat: int) -> int:
        with self._lock:
            query = "insert into series (round, opponent, seat) values (?, ?, ?)"
            return int(self._db.execute(query, (round_id, opponent, seat)).lastrowid or 0)

    def add_game(
        self,
        round_id: int,
        series: int,
        number: int,
        first: int,
        moves: str,
        winner: int,
        won: bool,
        forfeit: str | None,
    ) -> None:
        """A game that has ended; `winner` is 1 or 2."""
        with self._lock:
            self._db.execute("begin")
            self._db.execute(
                "insert into games values (?, ?, ?, ?, ?, ?)", (series, number, first, moves, winner, forfeit)
            )
            self._db.execute(
                f"update series set {'wins = wins' if won else 'losses = losses'} + 1 where id = ?", (series,)
            )
            if won:
                self._db.execute("update rounds set wins = wins + 1 where id = ?", (round_id,))
            self._db.execute("commit")

    def end_round(self, round_id: int, reason: str | None = None, counts: bool = True) -> None:
        """`reason`: why it did not go to its end."""
        with self._lock:
            self._db.execute(
                "update rounds set ended = ?, reason = ?, counts = ? where id = ?",
                (time.time(), reason, counts, round_id),
            )

    def standings(self) -> list[Standing]:
        """All players, the best first. Games of a round that were not played count as lost."""
        with self._lock:
            rows = self._db.execute(
                "select user, "
                "max(case when official and counts and ended is not null then 100.0 * wins / games end), "
                "coalesce(sum(official and counts), 0), "
                "coalesce(sum(not official and ended is not null and reason is null), 0), "
                "(select 100.0 * wins / games from rounds r where r.player = players.id and ended is not null and counts "
                " order by r.id desc limit 1) "
                "from players left join rounds on rounds.player = players.id group by players.id"
            ).fetchall()
        found = [Standing(*row) for row in rows]
        return sorted(found, key=lambda s: (s.best is None, -(s.best or 0), -(s.last or 0), s.user))
