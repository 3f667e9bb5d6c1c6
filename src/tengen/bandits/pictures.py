"""Regret as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tengen.bandits.bounds import (
    bounds_hold,
    etc_bound,
    m_for_any_gaps,
    m_for_gaps,
    ucb_bound,
    ucb_bound_for_any_gaps,
)
from tengen.bandits.experiment import BLIND, GIVEN, KNOWING, MEASURED, Experiment, Sample
from tengen.bandits.root import FLAT, PLAYED, PROVEN, TREE, RootBandit, alpha_of
from tengen.errors import TengenError

COLOURS = {"ucb": "tab:blue", KNOWING: "tab:green", BLIND: "tab:orange", MEASURED: "tab:purple", GIVEN: "tab:red"}


def draw_experiment(found: Experiment, file: Path) -> None:
    """Three panels: over time, over m, over the gap."""
    figure, (over_time, over_m, over_gaps) = _panels(3)
    _draw_over_time(over_time, found)
    _draw_over_m(over_m, found)
    _draw_over_gaps(over_gaps, found)
    _save(figure, file)


def draw_root(found: RootBandit, alpha: float, title: str, file: Path) -> None:
    """Two panels: regret over the simulations, and what each move got."""
    figure, (regret, visits) = _panels(2)
    colours = {FLAT: "tab:orange", PLAYED: "tab:blue", PROVEN: "tab:green", TREE: "tab:purple"}
    gaps, t = found.gaps, found.checkpoints
    c = alpha_of(found.searches[PLAYED].settings) ** 0.5
    names = {
        FLAT: "flat (HMCTS) = ETC, exploring",
        PLAYED: f"ucb1 at the root = UCB, α = c² = {c:g}²",
        PROVEN: f"the same with c² = α = {alpha:g}",
    }
    for name, label in names.items():
        _curve(regret, t, found.regret(name), colours[name], label)
    if alpha > 2:
        for bound in (ucb_bound, ucb_bound_for_any_gaps):
            label = f"its bound, {'any gaps' if bound is ucb_bound_for_any_gaps else 'these gaps'}"
            style = ":" if bound is ucb_bound_for_any_gaps else "--"
            regret.plot(t[t > 1], bound(gaps, t[t > 1], alpha), style, color=colours[PROVEN], label=label)
    worst = t * gaps.max()
    regret.plot(t, worst, "-.", color="grey", linewidth=1, label="the worst move every time")
    regret.set(title=title, xlabel="simulations", ylabel="regret", xscale="log", yscale="log")
    regret.set_ylim(bottom=max(0.1, float(gaps[gaps > 0].min())))
    regret.legend(fontsize=8)
    order = np.argsort(gaps)
    pays = found.means[order]
    for name, mark in ((FLAT, "s"), (PLAYED, "o"), (PROVEN, "v"), (TREE, "x")):
        mean = found.searches[name].visits[:, -1].mean(axis=0)[order]
        visits.plot(pays, mean, mark, color=colours[name], markersize=4, alpha=0.7, label=name)
    visits.set(
        title=f"which moves got the {t[-1]:,} simulations", xlabel="what the move pays", ylabel="simulations", yscale="log"
    )  # fmt: skip
    played = found.searches[PLAYED].visits[:, -1].mean(axis=0)[order]
    right = True
    for i in range(min(2, len(order))):  # the two best; the better one at the right of its mark
        move = found.position.game.move_name(found.arms[order[i]])
        offset, align = ((6, 5), "left") if right else ((-6, 5), "right")
        visits.annotate(move, (pays[i], played[i]), xytext=offset, textcoords="offset points", fontsize=8, ha=align)
        right = not right
    visits.margins(x=0.1)
    visits.legend(fontsize=8, loc="upper left")
    _save(figure, file)


def _draw_over_time(axes: Any, found: Experiment) -> None:
    gaps, t = found.arms.gaps, found.checkpoints
    _curve(axes, t, found.ucb, COLOURS["ucb"], f"UCB, α = {found.alpha:g}")
    if bounds_hold(found.arms, found.alpha):
        late = t[t > 1]
        axes.plot(late, ucb_bound(gaps, late, found.alpha), "--", color=COLOURS["ucb"], label="its bound, these gaps")
        bound = ucb_bound_for_any_gaps(gaps, late, found.alpha)
        axes.plot(late, bound, ":", color=COLOURS["ucb"], label="its bound, any gaps")
    for name, (m, sample) in found.etc.items():
        if name == MEASURED:
            continue
        _curve(axes, t, sample, COLOURS[name], f"ETC {name}, m = {m:,}")
        late = t[t >= m * len(gaps)]
        if bounds_hold(found.arms):
            axes.plot(
                late, etc_bound(gaps, late, m), "--", color=COLOURS[name], label="its bound" if len(late) > 1 else None
            )
    means = ", ".join(f"{mean:g}" for mean in found.arms.means[:6]) + (" …" if len(found.arms.means) > 6 else "")
    axes.set(
        title=f"{found.arms.kind} arms {means}; {found.repetitions:,} repetitions", xlabel="steps", ylabel="regret",
        xscale="log", yscale="log",
    )  # fmt: skip
    axes.set_ylim(bottom=max(0.1, float(gaps[gaps > 0].min())))
    axes.legend(fontsize=7)


def _draw_over_m(axes: Any, found: Experiment) -> None:
    gaps = found.arms.gaps
    _mean(axes, found.m, found.over_m, "tab:grey", "ETC")
    if bounds_hold(found.arms):
        axes.plot(found.m, etc_bound(gaps, found.steps, found.m), "--", color="tab:grey", label="its bound")
    for name, (m, sample) in found.etc.items():
        axes.plot([m], sample.mean[-1:], "o", color=COLOURS[name], label=f"{name}: m = {m:,}")
    axes.axhline(found.ucb.mean[-1], color=COLOURS["ucb"], label=f"UCB, α = {found.alpha:g}: no m to choose")
    axes.set(
        title=f"which m? after {found.steps:,} steps", xlabel="m, pulls of each arm before committing", ylabel="regret",
        xscale="log", yscale="log",
    )  # fmt: skip
    axes.legend(fontsize=8)


def _draw_over_gaps(axes: Any, found: Experiment) -> None:
    over, two = found.over_gaps, np.array([[0.0, gap] for gap in found.over_gaps.gaps])
    curves = (
        (over.ucb, COLOURS["ucb"], f"UCB, α = {found.alpha:g}"),
        (over.etc_knowing, COLOURS[KNOWING], f"ETC {KNOWING}, another m for each"),
        (over.etc, COLOURS[BLIND], f"ETC {BLIND}, one m for all"),
    )
    for sample, colour, label in curves:
        _mean(axes, over.gaps, sample, colour, label)
    if bounds_hold(found.arms, found.alpha):
        steps, alpha = found.steps, found.alpha
        lower = [min(ucb_bound(g, steps, alpha), ucb_bound_for_any_gaps(g, steps, alpha)) for g in two]
        axes.plot(over.gaps, lower, "--", color=COLOURS["ucb"], label="UCB's bound, the lower of the two")
    if bounds_hold(found.arms):
        for choose, colour in ((m_for_gaps, COLOURS[KNOWING]), (None, COLOURS[BLIND])):
            m = [choose(g, found.steps) if choose else m_for_any_gaps(2, found.steps) for g in two]
            bound = [float(etc_bound(g, found.steps, k)) for g, k in zip(two, m, strict=True)]
            axes.plot(over.gaps, bound, "--", color=colour, label="its bound")
    axes.set(
        title=f"two arms, {found.steps:,} steps", xlabel="gap Δ between the two", ylabel="regret", xscale="log",
        yscale="log",
    )  # fmt: skip
    axes.legend(fontsize=8)


def _mean(axes: Any, x: Any, sample: Sample, colour: str, label: str) -> None:
    """A mean with its 95 % interval: what ETC loses is one of few numbers, by the arm it commits to, so no band says more."""
    axes.plot(x, sample.mean, color=colour, label=label)
    low = np.maximum(sample.mean - 1.96 * sample.error, sample.mean / 10)  # an axis of logarithms ends above 0
    axes.fill_between(x, low, sample.mean + 1.96 * sample.error, color=colour, alpha=0.2, linewidth=0)


def _curve(axes: Any, x: Any, sample: Sample, colour: str, label: str) -> None:
    """A mean with the band in which eight of ten repetitions lie."""
    axes.plot(x, sample.mean, color=colour, label=label)
    axes.fill_between(x, sample.low, sample.high, color=colour, alpha=0.2, linewidth=0)


def _panels(count: int) -> tuple[Any, Any]:
    import matplotlib  # here, so that only drawing waits for it

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, count, figsize=(5.4 * count, 4.6), dpi=110)
    return figure, panels


def _save(figure: Any, file: Path) -> None:
    from matplotlib import pyplot

    figure.tight_layout()
    try:
        figure.savefig(file)
    except OSError as error:
        raise TengenError(f"{file} cannot be written: {error.strerror}") from None
    finally:
        pyplot.close(figure)
