"""Regret as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tengen.bandits.bounds import bounds_hold, etc_bound, ucb_bound, ucb_bound_for_any_gaps
from tengen.bandits.experiment import BLIND, GIVEN, KNOWING, MEASURED, Experiment, Sample
from tengen.bandits.root import FLAT, PLAYED, PROVEN, TREE, RootBandit

COLOURS = {"ucb": "tab:blue", KNOWING: "tab:green", BLIND: "tab:orange", MEASURED: "tab:purple", GIVEN: "tab:red"}


def draw_experiment(found: Experiment, file: Path) -> None:
    """Three panels: over time, over m, over the gap."""
    figure, (over_time, over_m, over_gaps) = _panels(3)
    _draw_over_time(over_time, found)
    _draw_over_m(over_m, found)
    gaps = found.over_gaps
    _curve(over_gaps, gaps.gaps, gaps.ucb, COLOURS["ucb"], f"UCB, α = {found.alpha:g}")
    _curve(over_gaps, gaps.gaps, gaps.etc_knowing, COLOURS[KNOWING], f"ETC {KNOWING}")
    _curve(over_gaps, gaps.gaps, gaps.etc, COLOURS[BLIND], f"ETC {BLIND}")
    over_gaps.set(
        title=f"two arms, {found.steps:,} steps",
        xlabel="gap Δ between the two",
        ylabel="regret",
        xscale="log",
        yscale="log",
    )
    over_gaps.legend(fontsize=8)
    _save(figure, file)


def draw_root(found: RootBandit, alpha: float, title: str, file: Path) -> None:
    """Two panels: regret over the simulations, and what each move got."""
    figure, (regret, visits) = _panels(2)
    colours = {FLAT: "tab:orange", PLAYED: "tab:blue", PROVEN: "tab:green", TREE: "tab:purple"}
    gaps, t = found.gaps, found.checkpoints
    names = {
        FLAT: "flat (HMCTS): ETC's exploration",
        PLAYED: "ucb1 at the root, c = 0.5",
        PROVEN: f"the same, c² = α = {alpha:g}",
    }
    for name, label in names.items():
        _curve(regret, t, found.regret(name), colours[name], label)
    if alpha > 2:
        for bound in (ucb_bound, ucb_bound_for_any_gaps):
            label = f"bound of UCB, {'any gaps' if bound is ucb_bound_for_any_gaps else 'these gaps'}"
            style = ":" if bound is ucb_bound_for_any_gaps else "--"
            regret.plot(t[t > 1], bound(gaps, t[t > 1], alpha), style, color=colours[PROVEN], label=label)
    regret.set(title=title, xlabel="simulations", ylabel="regret", xscale="log", yscale="log")
    regret.set_ylim(bottom=max(0.1, float(gaps[gaps > 0].min())))
    regret.legend(fontsize=8)
    order = np.argsort(gaps)
    for name in (FLAT, PLAYED, TREE):
        mean = found.searches[name].visits[:, -1].mean(axis=0)[order]
        visits.step(np.arange(1, len(order) + 1), mean, where="mid", color=colours[name], label=name)
    best = [found.position.game.move_name(found.arms[i]) for i in order[:3]]
    visits.set(
        title=f"who got the {t[-1]:,} simulations", xlabel=f"moves by what they pay, best first: {', '.join(best)} …",
        ylabel="simulations", xscale="log", yscale="log",
    )  # fmt: skip
    visits.legend(fontsize=8)
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
    _curve(axes, found.m, found.over_m, "tab:grey", "ETC")
    if bounds_hold(found.arms):
        axes.plot(found.m, etc_bound(gaps, found.steps, found.m), "--", color="tab:grey", label="its bound")
    for name, (m, sample) in found.etc.items():
        axes.plot([m], sample.mean[-1:], "o", color=COLOURS[name], label=f"{name}: m = {m:,}")
    axes.axhline(found.ucb.mean[-1], color=COLOURS["ucb"], label=f"UCB, α = {found.alpha:g}")
    axes.set(
        title=f"which m? after {found.steps:,} steps", xlabel="m, pulls of each arm before committing", ylabel="regret",
        xscale="log", yscale="log",
    )  # fmt: skip
    axes.legend(fontsize=8)


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
    figure.savefig(file)
    pyplot.close(figure)
