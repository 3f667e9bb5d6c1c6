"""From games and runs to a table and curves."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.arena.statistics import RESAMPLES, bootstrap_interval
from tengen.compare.folder import CompareFolder
from tengen.compare.running import entrants, runs_of
from tengen.compare.settings import CompareSettings
from tengen.games import parse_game
from tengen.games.tetris import PIECES, Tetris
from tengen.games.tetris_presses import DROP_KEY, TetrisKeys
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory, RunError

POINTS = 30
"""Of a curve: means of as many games each."""


@dataclass(frozen=True)
class Curve:
    """How a training went: means of the lines of its own games, which explore."""

    label: str
    board: str
    placements: NDArray[np.float64]
    minutes: NDArray[np.float64]
    lines: NDArray[np.float64]


def interval_over_seeds(groups: Sequence[Sequence[float]], seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of a mean over trainings: trainings are drawn, and then games of each."""
    if len(groups) == 1:
        return bootstrap_interval(groups[0], seed)
    chooser, samples, means = np.random.default_rng(seed), [np.asarray(group, np.float64) for group in groups], []
    for _ in range(RESAMPLES):
        drawn = [samples[i] for i in chooser.integers(len(samples), size=len(samples))]
        means.append(np.mean([chooser.choice(sample, len(sample)).mean() for sample in drawn]))
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def table(settings: CompareSettings, folder: CompareFolder) -> list[dict[str, Any]]:
    """A row for each player and method on each board; those who have not played yet have none."""
    games, rows = folder.games(), []
    listed = entrants(settings, folder.name)
    for board, label, sims in dict.fromkeys((e.board, e.label, e.simulations) for e in listed):
        those = [e for e in listed if (e.board, e.label, e.simulations) == (board, label, sims)]
        limit = settings.sweep_games if sims else settings.games
        played = [[g for g in games if (g.board, g.who) == (board, e.agent) and g.number < limit] for e in those]
        groups = [group for group in played if group]
        if not groups:
            continue
        every = [game for group in groups for game in group]
        trained = [training(folder, e.run) for e in those if e.run]
        lines = [[game.lines for game in group] for group in groups]
        rows.append(
            {
                "board": board,
                "player": label,
                "simulations": sims,
                "seeds": len([e for e in those if e.run]),
                "games": len(every),
                "mean_lines": float(np.mean([np.mean(group) for group in lines])),
                "interval": list(interval_over_seeds(lines)),
                "by_seed": [float(np.mean(group)) for group in lines],
                "mean_score": float(np.mean([game.score for game in every])),
                "capped": sum(game.capped for game in every) / len(every),
                "training_placements": float(np.mean([t[0] for t in trained])) if trained else 0.0,
                "training_minutes": float(np.mean([t[1] for t in trained])) if trained else 0.0,
                "ms_per_move": 1000 * sum(g.seconds for g in every) / max(1, sum(g.moves for g in every)),
            }
        )
    return rows


def training(folder: CompareFolder, run: str) -> tuple[int, float]:
    """Placements in the games of a run, and minutes: of processor time, or by the clock where the run was made elsewhere."""
    curve = _read(folder, run)
    return (int(curve[0][-1]), float(curve[1][-1])) if len(curve[0]) else (0, 0.0)


def curves(settings: CompareSettings, folder: CompareFolder) -> list[Curve]:
    """One for each training."""
    found = []
    for board in settings.boards:
        for learner in settings.learners:
            for run in [] if learner.of else runs_of(settings, folder.name, learner, board):
                placements, minutes, lines = _read(folder, run)
                if len(lines) < 2:
                    continue
                parts = np.array_split(np.arange(len(lines)), min(POINTS, len(lines)))
                ends = [part[-1] for part in parts]
                means = np.array([lines[part].mean() for part in parts])
                found.append(Curve(learner.label, board, placements[ends], minutes[ends], means))
    return found


def _read(folder: CompareFolder, run: str) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Of each game of a run: placements so far, minutes so far, lines."""
    nothing = np.zeros(0), np.zeros(0), np.zeros(0)
    with contextlib.suppress(RunError):
        directory = RunDirectory.find(run)
        if not directory.games.exists():
            return nothing
        rules: object = parse_game(directory.read_config()["game"])
        store = RecordStore(directory.games)
        try:
            counts, lines = [], []
            for record in store.all_after(0):
                counts.append(_placements(rules, np.array(record.moves)))
                lines.append(record.returns[0])
            seconds = [figures.get("seconds", 0.0) for figures in store.metrics()]
        finally:
            store.close()
        n = min(len(seconds), len(lines))
        if not n:
            return nothing
        minutes = np.array(seconds[:n]) / 60
        took = folder.seconds_of(run) / 60
        if took and minutes[-1] > 0:
            minutes *= took / minutes[-1]
        return np.cumsum(counts[:n]).astype(np.float64), minutes, np.array(lines[:n])
    return nothing


def _placements(rules: object, moves: NDArray[np.int64]) -> int:
    """How often the player placed a piece; in a game other than Tetris, all moves."""
    if isinstance(rules, TetrisKeys):
        return int((moves == DROP_KEY).sum())
    return int((moves >= PIECES).sum()) if isinstance(rules, Tetris) else len(moves)


def as_markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The table to read."""
    lines = [
        "| board | player | lines | 95 % interval | score | reach the cap | training: placements | minutes | ms a move |",
        "|---|---|---:|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        if row["simulations"]:
            continue
        low, high = row["interval"]
        taught = f"{row['training_placements']:,.0f} | {row['training_minutes']:,.1f}" if row["seeds"] else " | "
        name = f"`{row['player']}`" + (f" ({row['seeds']} trainings)" if row["seeds"] > 1 else "")
        lines.append(
            f"| {row['board']} | {name} | {row['mean_lines']:,.1f} | {low:,.1f} to {high:,.1f} | {row['mean_score']:,.0f} | "
            f"{row['capped']:.0%} | {taught} | {row['ms_per_move']:.2f} |"
        )
    swept = [row for row in rows if row["simulations"]]
    if swept:
        lines += [
            "",
            "| board | player | simulations | lines | 95 % interval | ms a move |",
            "|---|---|---:|---:|---|---:|",
        ]
        for row in swept:
            low, high = row["interval"]
            lines.append(
                f"| {row['board']} | `{row['player']}` | {row['simulations']} | {row['mean_lines']:,.1f} | "
                f"{low:,.1f} to {high:,.1f} | {row['ms_per_move']:.2f} |"
            )
    return "\n".join(lines) + "\n"
