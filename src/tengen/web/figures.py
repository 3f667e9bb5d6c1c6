"""The figures of a run as curves: everything that its store holds, against its games or its hours; of one run or of two."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tengen.arena.tracking import standings_from
from tengen.errors import TengenError
from tengen.games import CHANCE, Game
from tengen.records.store import GameResult, RecordStore
from tengen.runs.directory import RunDirectory
from tengen.selfplay.worker import start_position
from tengen.web.charts import Series, chart, smooth, thin

AXES = ("games", "hours")
SAMPLED = 180
"""Games in which it is looked at how well the search knew who would win."""

FEWEST_SAMPLED = 20
PARTS = 12
"""Points of that curve."""

STAGES = ("opening", "middle", "end")
MOST_CURVES = 6

Rows = list[dict[str, float]]


class Figures:
    """The curves of a run, by the titles of their charts."""

    def __init__(self, axis: str = "games") -> None:
        self.axis = axis
        self.curves: dict[str, tuple[list[Series], tuple[float, float] | None]] = {}

    def add(self, title: str, series: Sequence[Series], bounds: tuple[float, float] | None = None) -> None:
        """One chart; curves without a point are left out."""
        there = [s for s in series if len(s.x)]
        if there:
            self.curves[title] = (there, bounds)

    def charts(self, name: str = "", other: Figures | None = None, other_name: str = "") -> list[str]:
        """All charts as SVG; with another run's curves beside this one's."""
        drawn = []
        for title, (series, bounds) in self.curves.items():
            beside = other.curves.get(title, ([], None))[0] if other else []
            if other:
                series = [replace(s, name=f"{name}: {s.name}") for s in series[: MOST_CURVES // 2]]
                series += [replace(s, name=f"{other_name}: {s.name}") for s in beside[: MOST_CURVES // 2]]
            drawn.append(chart(title, series, self.axis, bounds))
        return drawn


def figures_of(
    run: RunDirectory, game: Game, metrics: Rows, results: Sequence[GameResult], axis: str, accuracy: Sequence[Series]
) -> Figures:
    """All curves of a run."""
    found = Figures(axis)
    for title, one, bounds in _rating(run):
        found.add(title, [_on_axis(one, metrics, axis)], bounds)
    if metrics:
        _training(found, metrics)
        _results(found, game, metrics, results)
    found.add("value right about the winner, by stage", [_on_axis(s, metrics, axis) for s in accuracy], (0.0, 1.0))
    for title, series in _learning_curves(run):
        found.add(title, [_on_axis(s, metrics, axis) for s in series], (0.0, 1.0))
    return found


def _hours(metrics: Rows) -> Callable[[float], float]:
    """From the number of games to the hours that they took, all told."""
    steps, seconds = [row["step"] for row in metrics], [float(row.get("seconds", 0.0)) for row in metrics]

    def hours(games: float) -> float:
        low, high = 0, len(steps) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if steps[middle] < games else (low, middle)
        return seconds[low] / 3600 if seconds else 0.0

    return hours


def _on_axis(series: Series, metrics: Rows, axis: str) -> Series:
    """A curve over games, over hours where those are wanted."""
    if axis == "games" or not metrics:
        return series
    hours = _hours(metrics)
    return replace(series, x=[hours(x) for x in series.x])


def _curve(name: str, values: Sequence[float], at: Sequence[float], over: int | None = None) -> Series:
    return Series(name, thin(list(at)), thin(smooth(values, over or max(10, len(values) // 10))))


def _training(found: Figures, metrics: Rows) -> None:
    figures = dict.fromkeys(name for row in metrics for name in row)  # some runs do not learn after every game
    axis = found.axis

    def column(figure: str, name: str) -> Series:
        rows = [row for row in metrics if figure in row]
        series = _curve(name, [float(row[figure]) for row in rows], [float(row["step"]) for row in rows])
        return _on_axis(series, metrics, axis)

    def kept(*names: tuple[str, str]) -> list[Series]:
        return [column(figure, name) for figure, name in names if figure in figures]

    losses = [name for name in figures if name.endswith("_loss")]
    found.add("loss", [column(name, name.replace("_", " ")) for name in losses])
    found.add("moves of a game", kept(("length", "length")))
    found.add("entropy: among how many moves", kept(("search_entropy", "search"), ("network_entropy", "network")))
    found.add("age of replayed cases, in steps", kept(("age", "age")))
    for title, figure, unit in (("evaluations per second", "evaluations", 1.0), ("games per hour", "step", 3600.0)):
        speed = _speed(metrics, figure, unit)
        if speed is not None:
            found.add(title, [_on_axis(speed, metrics, axis)])
    found.add(
        "games given up",
        kept(("given_up", "given up"), ("checked", "of those played on"), ("wrong", "given up wrongly")),
    )


def _speed(metrics: Rows, figure: str, unit: float) -> Series | None:
    """How fast a figure that only grows has grown, over a tenth of the run at a time."""
    rows = [row for row in metrics if figure in row and "seconds" in row]
    over = max(5, len(rows) // 10)
    at, values = [], []
    for before, after in zip(rows, rows[over:]):
        seconds = float(after["seconds"]) - float(before["seconds"])
        if seconds > 0:
            at.append(float(after["step"]))
            values.append(unit * (float(after[figure]) - float(before[figure])) / seconds)
    return Series({"step": "games"}.get(figure, figure), thin(at), thin(values)) if values else None


def _results(found: Figures, game: Game, metrics: Rows, results: Sequence[GameResult]) -> None:
    names = game.diagram(start_position(game, 0).array).names
    at = [float(i + 1) for i in range(len(results))]
    first = [0.5 if r.winner is None else float(r.winner == r.first) for r in results]
    sides = [[float(r.winner == side) for r in results] for side in (0, 1)]
    drawn = [float(r.winner is None) for r in results]
    curves = [_curve("first to move", first, at)]
    curves += [_curve(name, side, at) for name, side in zip(names, sides) if game.players() == 2]
    if any(drawn) and game.players() == 2:
        curves.append(_curve("draws", drawn, at))
    found.add("share of games won", [_on_axis(s, metrics, found.axis) for s in curves], (0.0, 1.0))


def _rating(run: RunDirectory) -> Iterator[tuple[str, Series, tuple[float, float] | None]]:
    """What has been found of the run's strength while it trains: see `arena.following`."""
    with contextlib.suppress(TengenError, KeyError, TypeError, ValueError):  # a damaged file, or one of another version
        data = run.read_rating()
        found = standings_from(data) if data else []
        if data and found:
            x, opponent = [float(s.games) for s in found], _without_path(str(data["opponent"]))
            low, high = zip(*(s.rating_interval for s in found), strict=True)
            yield f"rating ({opponent}: 0)", Series("rating", x, [s.rating for s in found], low, high), None
            low, high = zip(*(s.interval for s in found), strict=True)
            yield (
                f"wins against {opponent}",
                Series("network alone", x, [s.score for s in found], low, high),
                (0.0, 1.0),
            )


def _without_path(spec: str) -> str:
    """An agent's spec without the way to a folder."""
    head, colon, target = spec.partition(":")
    return head + colon + Path(target).name


def _learning_curves(run: RunDirectory) -> Iterator[tuple[str, list[Series]]]:
    """What ``tengen curve`` has measured: a chart for each opponent, the network alone and with search."""
    by_opponent: dict[str, list[Series]] = {}
    with contextlib.suppress(TengenError):  # a damaged file: `tengen curve` says so
        for curve in run.read_curves():
            try:
                opponent = _without_path(str(curve["against"]))
                points = sorted(
                    (float(p["games"]), float(p["score"]), float(p["interval"][0]), float(p["interval"][1]))
                    for p in curve["points"]
                )
                one = Series(str(curve["name"]), *(list(column) for column in zip(*points, strict=True)))
            except (KeyError, TypeError, ValueError, IndexError):
                continue  # nothing measured yet, or not by this version
            by_opponent.setdefault(opponent, []).append(one)
    for name, series in by_opponent.items():
        yield f"score against {name}", series


def accuracy_by_stage(store: RecordStore, game: Game, numbers: Sequence[int]) -> list[Series]:
    """How often the search's value was on the side of the one who won: in the first, second and last third of games."""
    if len(numbers) < FEWEST_SAMPLED or game.players() != 2 or not game.is_bounded():
        return []
    step = max(1.0, len(numbers) / SAMPLED)
    chosen = [int(i * step) for i in range(min(SAMPLED, len(numbers)))]
    sums = [[[0.0, 0.0] for _ in range(PARTS)] for _ in STAGES]
    for order, index in enumerate(chosen):
        record = store.get(numbers[index])
        if record is None or record.winner is None:
            continue
        position, part = start_position(game, record.first), order * PARTS // len(chosen)
        for ply, (move, value, visits) in enumerate(zip(record.moves, record.values, record.visits)):
            mover = position.to_move
            if visits is not None and mover != CHANCE and value != 0.0:
                tally = sums[min(2, 3 * ply // len(record.moves))][part]
                tally[0] += float((value > 0) == (record.winner == mover))
                tally[1] += 1
            position.push(move)
    at = [len(numbers) * (part + 0.5) / PARTS for part in range(PARTS)]
    found = []
    for name, stage in zip(STAGES, sums):
        points = [(x, right / all) for x, (right, all) in zip(at, stage) if all]
        found.append(Series(name, [x for x, _ in points], [y for _, y in points]))
    return found
