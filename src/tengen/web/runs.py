"""Runs as the page shows them: their figures as curves, their games, and the tournament of their networks.

A run is found by its name among those there are; the name is never part of a path.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
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
from tengen.web.charts import Series, chart
from tengen.web.figures import AXES, Figures, accuracy_by_stage, figures_of
from tengen.web.insight import from_record, key_after
from tengen.web.table import RECORD, Table
from tengen.web.thinking import Thinkers
from tengen.web.trainer import Trainer

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
        self.trainer = Trainer()
        self._looks: dict[tuple[str, str, str], _Look] = {}
        self._accuracy: dict[str, tuple[int, list[Series]]] = {}
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

    def view(self, name: str, axis: str = AXES[0], beside: str = "") -> dict[str, Any]:
        """Everything about a run; its files are looked at once in `FRESH` seconds or more, however many ask.

        `axis`: what its curves stand over; `beside`: another run, for its curves beside these.
        """
        if axis not in AXES:
            raise TengenError(f"curves stand over {' or '.join(AXES)}")
        with self._lock:
            look = self._looks.setdefault((name, axis, beside), _Look(0.0, {}))
            if len(self._looks) > 100:  # names that are no runs, perhaps
                self._looks.clear()
        with look.lock:
            began = time.monotonic()
            if began > look.until or not look.data:
                look.data = self._read(self.find(name), axis, self.find(beside) if beside else None)
                now = time.monotonic()
                look.until = now + max(FRESH, REST * (now - began))
        tournament = self._tournaments.get(name)
        own = {"stoppable": self.trainer.is_running(name), "complaint": self.trainer.complaint(name)}
        return {**look.data, **own, "topp": tournament.as_json() if tournament else None}

    def _read(self, run: RunDirectory, axis: str, beside: RunDirectory | None) -> dict[str, Any]:
        config = run.read_config()
        data: dict[str, Any] = {
            "name": run.name, "game": str(config["game"]), "wanted": int(config["training"]["games"]), "games": 0,
            "live": _is_live(run), "nets": [int(file.stem) for file in run.net_files()], "charts": [], "latest": [],
            "topp_games": int(config["training"]["topp_games"]), "axis": axis, "beside": beside.name if beside else "",
        }  # fmt: skip
        data["playing"] = _in_progress(run, parse_game(data["game"]))
        if not run.games.exists():
            return data
        game = parse_game(data["game"])
        figures, results = self._figures(run, game, axis)
        data["games"] = len(results)
        names = game.diagram(start_position(game, 0).array).names
        if beside is None:
            data["charts"] = figures.charts()
        else:
            other = parse_game(str(beside.read_config()["game"]))
            data["charts"] = figures.charts(run.name, self._figures(beside, other, axis)[0], beside.name)
        data["latest"] = [
            {"number": r.number, "moves": r.moves, "winner": "draw" if r.winner is None else names[r.winner]}
            for r in results[: -LISTED - 1 : -1]
        ]
        return data

    def _figures(self, run: RunDirectory, game: Game, axis: str) -> tuple[Figures, list[GameResult]]:
        if not run.games.exists():
            return Figures(axis), []
        store = RecordStore(run.games)
        try:
            metrics, results = store.metrics(), store.game_results()
            known, accuracy = self._accuracy.get(run.name, (0, []))
            if len(results) > 1.05 * known:  # looking into games takes longer: only now and then
                accuracy = accuracy_by_stage(store, game, [r.number for r in results])
                self._accuracy[run.name] = (len(results), accuracy)
        finally:
            store.close()
        return figures_of(run, game, metrics, results, axis, accuracy), results

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
        table = Table(
            end.game, [RECORD] * game.players(), self._thinkers, seed=record.seed, gave_up=gave_up,
            record=list(zip(record.moves, notes, strict=True)), title=f"{run.name}, game {number}",
        )  # fmt: skip
        keys, position = key_after(record.moves), start_position(game, record.first)
        for key, move, visits, value in zip(keys, record.moves, record.visits, record.values):
            insight = from_record(position, visits, value, "self-play")
            if insight is not None:
                table.study.add(key, insight)
            position.push(move)
        return table

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
    return bool(times) and abs(time.time() - max(times)) < LIVE  # the clock may have been set back


def _note(game: Game, visits: dict[int, int] | None, value: float) -> str:
    """What the search thought before a recorded move."""
    if not visits:
        return ""
    total = max(1, sum(visits.values()))
    best = sorted(visits.items(), key=lambda item: -item[1])[:3]
    shares = "  ".join(f"{game.move_name(move)} {n / total:.0%}" for move, n in best)
    return f"{shares} · value {value:+.2f}"
