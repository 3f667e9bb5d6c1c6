"""Curves as SVG: lines with axes, in colours that the page chooses by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 420.0, 210.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 12.0, 26.0, 34.0
MOST_POINTS = 240
"""A curve with more points is thinned to the means of neighbours."""


@dataclass(frozen=True)
class Series:
    """One curve; `low` and `high` are the ends of its intervals, where it has any."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


def thin(values: Sequence[float], most: int = MOST_POINTS) -> list[float]:
    """Means of neighbours, `most` of them."""
    size = max(1, math.ceil(len(values) / most))
    return [sum(values[i : i + size]) / len(values[i : i + size]) for i in range(0, len(values), size)]


def smooth(values: Sequence[float], over: int) -> list[float]:
    """The mean of the last `over` values at each place."""
    total, found = 0.0, []
    for i, value in enumerate(values):
        total += value - (values[i - over] if i >= over else 0.0)
        found.append(total / min(i + 1, over))
    return found


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers from low to high."""
    rough = (high - low) / about
    if not rough > 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def chart(
    title: str, series: Sequence[Series], x_label: str = "games", bounds: tuple[float, float] | None = None
) -> str:
    """A chart of one or more curves; `bounds` of y, where they are known."""
    series = [s for s in series if len(s.x)]
    if not series:
        return ""
    xs = [x for s in series for x in s.x]
    ys = [y for s in series for values in (s.y, s.low, s.high) for y in values if math.isfinite(y)] or [0.0]
    x0, x1 = min(xs), max(xs)
    y0, y1 = bounds or (min(ys), max(ys))
    if bounds is None:
        room = (y1 - y0) * 0.08 or max(abs(y1) * 0.1, 0.1)
        y0, y1 = (max(0.0, y0 - room) if y0 >= 0 else y0 - room), y1 + room
    x1 = x1 if x1 > x0 else x0 + 1

    def px(x: float) -> float:
        return _LEFT + (x - x0) / (x1 - x0) * (WIDTH - _LEFT - _RIGHT)

    def py(y: float) -> float:
        return HEIGHT - _BOTTOM - (y - y0) / (y1 - y0) * (HEIGHT - _TOP - _BOTTOM)

    parts = [f'<text class="title" x="{_LEFT}" y="15">{escape(title)}</text>']
    for y in ticks(y0, y1):
        parts.append(f'<path class="rule" d="M{_LEFT} {py(y):.1f}H{WIDTH - _RIGHT}"/>')
        parts.append(f'<text class="tick y" x="{_LEFT - 6}" y="{py(y):.1f}">{y:g}</text>')
    for x in ticks(x0, x1, 5):
        parts.append(f'<text class="tick x" x="{px(x):.1f}" y="{HEIGHT - _BOTTOM + 15}">{x:g}</text>')
    parts.append(f'<text class="tick x" x="{(_LEFT + WIDTH - _RIGHT) / 2}" y="{HEIGHT - 5}">{escape(x_label)}</text>')
    legend = WIDTH - _RIGHT
    is_narrow = sum(7.0 * len(s.name) + 14 for s in series) < WIDTH - _RIGHT - _LEFT - 7.0 * len(title)
    for number, s in reversed(list(enumerate(series))):
        points = [(px(x), py(y)) for x, y in zip(s.x, s.y) if math.isfinite(y)]
        if s.low:
            there = [f"{px(x):.1f} {py(y):.1f}" for x, y in zip(s.x, s.high)]
            back = [f"{px(x):.1f} {py(y):.1f}" for x, y in zip(s.x, s.low)][::-1]
            parts.append(f'<path class="band c{number}" d="M{" L".join(there + back)}Z"/>')
        path = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path class="curve c{number}" d="M{path}"/>')
        if len(points) <= 30:
            parts += [
                f'<circle class="point c{number}" cx="{x:.1f}" cy="{y:.1f}" r="3">'
                f"<title>{escape(s.name)} {value:.3g}</title></circle>"
                for (x, y), value in zip(points, s.y)
            ]
        if len(series) > 1 and is_narrow:
            parts.append(f'<text class="legend c{number}" x="{legend:.0f}" y="15">{escape(s.name)}</text>')
            legend -= 7.0 * len(s.name) + 14
        elif len(series) > 1:  # one below the other, over the curves
            parts.append(
                f'<text class="legend c{number}" x="{legend:.0f}" y="{_TOP + 12 + 13 * number:.0f}">{escape(s.name)}</text>'
            )
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{escape(title)}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )
