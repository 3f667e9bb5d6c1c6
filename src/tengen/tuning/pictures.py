"""The population over the generations, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tengen.tuning.evolution import Population
from tengen.tuning.genes import Genome


def draw_population(population: Population, genome: Genome, title: str, file: Path) -> None:
    """A panel for each option that varies, and one for the ratings: a dot is a player in a generation in which it fought."""
    import matplotlib  # here, so that only drawing waits for it

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import LogLocator, MaxNLocator, StrMethodFormatter

    figure: Any
    count = len(genome.ranges) + 1
    figure, panels = pyplot.subplots(count, 1, figsize=(9, 1 + 2.4 * count), dpi=110, sharex=True, squeeze=False)
    rating, _ = population.ratings()
    winner = population.winner()
    alive = [
        [n for n, p in enumerate(population.players) if p.born <= g and (p.died is None or p.died >= g)]
        for g in range(population.generation)
    ]
    for column, (rule, axes) in enumerate(zip(genome.ranges, panels[:-1, 0], strict=True)):
        values = np.array([rule.value(player.genes[column]) for player in population.players])
        _dots(axes, population, alive, values)
        axes.axhline(values[winner], color="tab:green", linewidth=1, label=f"winner: {values[winner]:g}")
        if genome.founder is not None:
            start = rule.value(genome.founder[column])
            axes.axhline(start, color="grey", linewidth=1, linestyle="--", label=f"as given: {start:g}")
        axes.set(ylabel=rule.option, ylim=None if rule.is_log else _room(rule.low, rule.high))
        if rule.is_log:
            axes.set(yscale="log", ylim=(rule.low / 1.1, rule.high * 1.1))
            plain = StrMethodFormatter("{x:g}")
            axes.yaxis.set_major_formatter(plain)
            if rule.high / rule.low < 30:  # fewer than two powers of ten to name
                axes.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
                axes.yaxis.set_minor_formatter(plain)
        _legend(axes)
    axes = panels[-1, 0]
    _dots(axes, population, alive, rating)
    if genome.founder is not None:
        axes.axhline(rating[0], color="grey", linewidth=1, linestyle="--", label="as given")
    axes.set(ylabel="rating, from all games", xlabel="generation")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _legend(axes)
    panels[0, 0].set_title(title)
    figure.tight_layout()
    figure.savefig(file)
    pyplot.close(figure)


def _dots(axes: Any, population: Population, alive: list[list[int]], values: Any) -> None:
    lives = [(g, n) for g, numbers in enumerate(alive) for n in numbers if population.players[n].died != g]
    deaths = [(g, n) for g, numbers in enumerate(alive) for n in numbers if population.players[n].died == g]
    axes.plot([g + 1 for g, _ in deaths], [values[n] for _, n in deaths], "x", color="tab:red", alpha=0.5, label="dies")
    axes.plot(
        [g + 1 for g, _ in lives], [values[n] for _, n in lives], "o", color="tab:blue", alpha=0.5, label="lives on"
    )
    middle = [float(np.median([values[n] for n in numbers])) for numbers in alive]
    axes.plot(range(1, len(alive) + 1), middle, color="tab:blue", linewidth=1, label="median")


def _legend(axes: Any) -> None:
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8)  # beside the dots, not over them


def _room(low: float, high: float) -> tuple[float, float]:
    margin = 0.05 * (high - low)
    return low - margin, high + margin
