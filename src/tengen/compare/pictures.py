"""The plots of a comparison: logarithmic axes, a line for the mean of a method's trainings, a band from the worst to the best."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tengen.compare.figures import Curve

SMALLEST = 0.01
"""Where a logarithmic axis ends: no lines at all are drawn here."""


def draw_curves(curves: Sequence[Curve], rows: Sequence[dict[str, Any]], by: str, file: Path) -> None:
    """Lines against `placements` or `minutes` of training, a panel for each board; players that learn nothing are level lines."""
    boards = list(dict.fromkeys([curve.board for curve in curves] + [row["board"] for row in rows]))
    figure, panels = _figure(len(boards))
    for board, axes in zip(boards, panels, strict=True):
        here = [curve for curve in curves if curve.board == board]
        for n, label in enumerate(dict.fromkeys(curve.label for curve in here)):
            drawn = [curve for curve in here if curve.label == label]
            reach = [np.maximum(getattr(curve, by), 1e-3) for curve in drawn]
            grid = np.geomspace(min(x[0] for x in reach), max(x[-1] for x in reach), 60)
            values = np.array(
                [
                    np.interp(grid, x, np.maximum(curve.lines, SMALLEST), right=np.nan)
                    for x, curve in zip(reach, drawn, strict=True)
                ]
            )
            with np.errstate(all="ignore"):
                known = ~np.isnan(values).all(axis=0)
                mean = np.nanmean(values[:, known], axis=0)
                low, high = np.nanmin(values[:, known], axis=0), np.nanmax(values[:, known], axis=0)
            axes.plot(grid[known], mean, color=f"C{n}", label=label)
            axes.fill_between(grid[known], low, high, color=f"C{n}", alpha=0.2, linewidth=0)
        for row in rows:
            if row["board"] == board and not row["seeds"]:
                axes.axhline(max(row["mean_lines"], SMALLEST), color="grey", linewidth=0.8, linestyle="--")
                axes.annotate(
                    row["player"],
                    (0.01, max(row["mean_lines"], SMALLEST)),
                    xycoords=("axes fraction", "data"),
                    fontsize=8,
                )
        axes.set(xscale="log", yscale="log", title=board, ylabel="lines a game, while training")
        axes.set_xlabel("placements" if by == "placements" else "minutes of processor time")
        if here:
            axes.legend(loc="upper left", fontsize=8)
    _save(figure, file)


def draw_simulations(rows: Sequence[dict[str, Any]], file: Path) -> None:
    """Lines against simulations a move."""
    swept = [row for row in rows if row["simulations"]]
    figure, panels = _figure(1)
    axes = panels[0]
    for n, board in enumerate(dict.fromkeys(row["board"] for row in swept)):
        here = sorted((row for row in swept if row["board"] == board), key=lambda row: int(row["simulations"]))
        x = [row["simulations"] for row in here]
        axes.plot(x, [max(row["mean_lines"], SMALLEST) for row in here], "o-", color=f"C{n}", label=board)
        low, high = ([max(row["interval"][end], SMALLEST) for row in here] for end in (0, 1))
        axes.fill_between(x, low, high, color=f"C{n}", alpha=0.2, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel="simulations a move", ylabel="lines a game")
    axes.legend(fontsize=8)
    _save(figure, file)


def _figure(panels: int) -> tuple[Any, Any]:
    import matplotlib  # here, so that only drawing waits for it

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, panels, figsize=(1 + 6 * panels, 4.5), dpi=110, squeeze=False)
    return figure, axes[0]


def _save(figure: Any, file: Path) -> None:
    from matplotlib import pyplot

    figure.tight_layout()
    figure.savefig(file)
    pyplot.close(figure)
