"""Runs as the page shows them: their figures as curves, their games, and the tournament of their networks.

A run is found by its name among those there are; the name is never part of a path.
"""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tengen.agents import parse_agent
from tengen.arena.match import MatchResult
from tengen.arena.topp import Topp, ToppResult
from tengen.errors import TengenError
from tengen.games import Game, parse_game
from tengen.records.store import GameResult, RecordStore
from tengen.runs.directory import RunDirectory, list_runs
from tengen.runs.live import read_live
from tengen.selfplay.worker import start_position
from tengen.web import board
from tengen.web.charts import Series, chart, smooth, thin
from tengen.web.table import RECORD, Table
from tengen.web.thinking import Thinkers

FRESH = 0.7
"""Seconds for which a look at a run serves everybody who asks."""

REST = 5.0
"""A long run takes long to look at: it is left alone for this many times as long, so that training has the processor."""

LIVE = 20.0
"""Seconds without a new game after which a run counts as stopped."""

LISTED = 40
"""Games in the list of the latest ones."""

MOST_GAMES = 1000
"""Of each pair in a tournament."""


class _Stopped(Exception):
    """The server is closing."""


@dataclass
class Tournament:
    """A TOPP that is being held, or has been."""

    games: int
    pairs: int
    done: int = 0
    result: ToppResult | None = None
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"games": self.games, "pairs": self.pairs, "done": self.done, "problem": self.problem}
        if self.result is not None:
            ratings = self.result.rating.tolist()
            x = [float(name) for name in self.result.names]
            low, high = self.result.interval.T.tolist()
            data |= self.result.as_json()
            data["chart"] = chart("rating, with 95 % intervals", [Series("rating", x, ratings, low, high)])
        return data


@dataclass
class _Look:
    """What was seen of a run, and until when that is good enough."""

    until: float
    data: dict[str, Any]
    lock: threading.Lock = field(default_factory=threading.Lock)


class Runs:
    """All runs, read from their files."""

    def __init__(self, thinkers: Thinkers) -> None:
        self._thinkers = thinkers
        self._looks: dict[str, _Look] = {}
        self._tournaments: dict[str, Tournament] = {}
        self._lock = threading.Lock()

    def find(self, name: str) -> RunDirectory:
        """A run by its name."""
        for run in list_runs():
            if run.name == name:
                return run
        raise TengenError(f"there is no run called {name[:60]!r}")

    def listing(self) -> list[dict[str, Any]]:
        """All runs in a line each, the newest first."""
        rows = []
        for run in reversed(list_runs()):
            try:
                config = run.read_config()
                wanted, game = int(config["training"]["games"]), str(config["game"])
            except (TengenError, KeyError, TypeError, ValueError):
                continue  # not a run that this version can read
            nets = run.net_files()
            rows.append(
                {"name": run.name, "game": game, "wanted": wanted, "nets": len(nets), "games": _count(run),
                 "live": _is_live(run)}
            )  # fmt: skip
        return rows

    def view(self, name: str) -> dict[str, Any]:
        """Everything about a run; its files are looked at once in `FRESH` seconds or more, however many ask."""
        with self._lock:
            look = self._looks.setdefault(name, _Look(0.0, {}))
            if len(self._looks) > 100:  # names that are no runs, perhaps
                self._looks.clear()
        with look.lock:
            began = time.monotonic()
            if began > look.until or not look.data:
                look.data = self._read(self.find(name))
                now = time.monotonic()
                look.until = now + max(FRESH, REST * (now - began))
        tournament = self._tournaments.get(name)
        return {**look.data, "topp": tournament.as_json() if tournament else None}

    def _read(self, run: RunDirectory) -> dict[str, Any]:
        config = run.read_config()
        data: dict[str, Any] = {
            "name": run.name, "game": str(config["game"]), "wanted": int(config["training"]["games"]), "games": 0,
            "live": _is_live(run), "nets": [int(file.stem) for file in run.net_files()], "charts": [], "latest": [],
            "topp_games": int(config["training"]["topp_games"]),
        }  # fmt: skip
        data["playing"] = _in_progress(run, parse_game(data["game"]))
        if not run.games.exists():
            return data
        store = RecordStore(run.games)
        try:
            metrics, results = store.metrics(), store.game_results()
        finally:
            store.close()
        data["games"] = len(results)
        names = parse_game(data["game"]).diagram(start_position(parse_game(data["game"]), 0).array).names
        data["charts"] = _charts(metrics, results, names[0]) + _learning_curves(run)
        data["latest"] = [
            {"number": r.number, "moves": r.moves, "winner": "draw" if r.winner is None else names[r.winner]}
            for r in results[: -LISTED - 1 : -1]
        ]
        return data

    def table(self, name: str, number: int) -> Table:
        """A recorded game, to be replayed."""
        run = self.find(name)
        game = parse_game(str(run.read_config()["game"]))
        if not run.games.exists():
            raise TengenError(f"{run.name} has no games yet")
        store = RecordStore(run.games)
        try:
            record = store.get(number)
        finally:
            store.close()
        if record is None:
            raise TengenError(f"{run.name} has no game {number}")
        notes = [_note(game, visits, value) for visits, value in zip(record.visits, record.values, strict=True)]
        end = start_position(game, record.first)
        for move in record.moves:
            end.play(move)
        gave_up = None if end.is_over or record.winner is None else 1 - record.winner
        return Table(
            end.game, [RECORD] * game.players(), self._thinkers, seed=record.seed, gave_up=gave_up,
            record=list(zip(record.moves, notes, strict=True)), title=f"{run.name}, game {number}",
        )  # fmt: skip

    def hold_tournament(self, name: str, games: int) -> None:
        """Begin a TOPP of a run's networks; one at a time for each run."""
        run = self.find(name)
        if not 1 <= games <= MOST_GAMES:
            raise TengenError(f"a pair plays 1 to {MOST_GAMES} games")
        files = run.net_files()
        if len(files) < 2:
            raise TengenError(f"{run.name} has {len(files)} networks: a tournament needs two")
        with self._lock:
            running = self._tournaments.get(name)
            if running is not None and running.result is None and not running.problem:
                raise TengenError("the tournament is being held already")
            tournament = self._tournaments[name] = Tournament(games, len(files) * (len(files) - 1) // 2)
        game = parse_game(str(run.read_config()["game"]))
        topp = Topp(game, [parse_agent(f"net:{file}") for file in files], [str(int(file.stem)) for file in files])

        def on_pair(i: int, j: int, result: MatchResult) -> None:
            tournament.done += 1
            if self._thinkers.is_closed:
                raise _Stopped

        def play() -> None:
            try:
                tournament.result = topp.play(games, on_pair=on_pair)
            except _Stopped:
                pass
            except Exception as error:
                tournament.problem = f"the tournament has failed: {error}"
                raise

        self._thinkers.submit(play)


def _in_progress(run: RunDirectory, game: Game) -> dict[str, Any] | None:
    """The game that is being played at this moment, in both layouts."""
    live = read_live(run)
    if live is None:
        return None
    try:
        position = start_position(game, live.first)
        for move in live.moves:
            position.play(move)
    except TengenError:  # a file of another version
        return None
    pictures = {layout: board.draw(position, layout) for layout in board.LAYOUTS}
    return {"number": live.number, "ply": len(live.moves), "over": position.is_over, "boards": pictures}


def _count(run: RunDirectory) -> int:
    if not run.games.exists():
        return 0
    try:
        store = RecordStore(run.games)
    except TengenError:
        return 0
    try:
        return len(store)
    finally:
        store.close()


def _is_live(run: RunDirectory) -> bool:
    """Whether the run's files have changed lately. (Its lock is left alone: looking at it would be taking it.)"""
    files = [run.games, run.games.with_name(run.games.name + "-wal"), run.folder / "learner.npz", run.nets]
    times = [file.stat().st_mtime for file in files if file.exists()]
    return bool(times) and time.time() - max(times) < LIVE


def _note(game: Game, visits: dict[int, int] | None, value: float) -> str:
    """What the search thought before a recorded move."""
    if not visits:
        return ""
    total = max(1, sum(visits.values()))
    best = sorted(visits.items(), key=lambda item: -item[1])[:3]
    shares = "  ".join(f"{game.move_name(move)} {n / total:.0%}" for move, n in best)
    return f"{shares} · value {value:+.2f}"


def _learning_curves(run: RunDirectory) -> list[str]:
    """What ``tengen curve`` has measured: a chart for each opponent, the network alone and with search."""
    by_opponent: dict[str, list[Series]] = {}
    with contextlib.suppress(TengenError):  # a damaged file: `tengen curve` says so
        for curve in run.read_curves():
            try:
                head, colon, target = str(curve["against"]).partition(":")
                points = sorted(
                    (float(p["games"]), float(p["score"]), float(p["interval"][0]), float(p["interval"][1]))
                    for p in curve["points"]
                )
                one = Series(str(curve["name"]), *(list(column) for column in zip(*points, strict=True)))
            except (KeyError, TypeError, ValueError, IndexError):
                continue  # nothing measured yet, or not by this version
            by_opponent.setdefault(head + colon + Path(target).name, []).append(one)  # not the way to a folder
    charts = [chart(f"score against {name}", series, bounds=(0.0, 1.0)) for name, series in by_opponent.items()]
    return [text for text in charts if text]


def _charts(metrics: list[dict[str, float]], results: list[GameResult], side: str) -> list[str]:
    """The curves of a run, against its games."""
    if not metrics:
        return []
    figures = dict.fromkeys(name for row in metrics for name in row)  # some runs do not learn after every game
    losses = [name for name in figures if name.endswith("_loss")]
    entropies = [name for name in ("search_entropy", "network_entropy") if name in figures]

    def series(name: str, values: list[float], at: list[float]) -> Series:
        return Series(name, thin(at), thin(smooth(values, max(10, len(values) // 10))))

    def column(figure: str, name: str) -> Series:
        rows = [row for row in metrics if figure in row]
        return series(name, [float(row[figure]) for row in rows], [float(row["step"]) for row in rows])

    charts = [chart("loss", [column(name, name.replace("_", " ")) for name in losses])]
    games = [float(i + 1) for i in range(len(results))]
    first = [0.5 if r.winner is None else float(r.winner == r.first) for r in results]
    won = [0.5 if r.winner is None else float(r.winner == 0) for r in results]
    wins = [series("first to move", first, games), series(side, won, games)]
    charts.append(chart("share of wins", wins, bounds=(0.0, 1.0)))
    charts.append(chart("moves of a game", [column("length", "length")]))
    if entropies:
        curves = [column(name, name.replace("_entropy", "")) for name in entropies]
        charts.append(chart("entropy: among how many moves", curves))
    charts.append(chart("age of replayed cases, in steps", [column("age", "age")]))
    return [text for text in charts if text]
