"""The learning curve: how each kept network of a run does against one opponent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.agents.catalog import AgentSpec
from tengen.arena.match import MatchResult, play_match
from tengen.games.verbs import Game


@dataclass(frozen=True)
class Point:
    """A network and its result."""

    net: str
    games: int
    """The games it was trained on."""
    score: float
    interval: tuple[float, float]
    distinct_games: int

    def as_json(self) -> dict[str, object]:
        return {
            "net": self.net, "games": self.games, "score": self.score, "interval": list(self.interval),
            "distinct_games": self.distinct_games,
        }  # fmt: skip


def learning_curve(
    game: Game,
    nets: Sequence[tuple[str, int, AgentSpec]],
    opponent: AgentSpec,
    games: int,
    seed: int,
    threads: int,
    opening: int,
    on_point: Callable[[Point], None] = lambda point: None,
) -> list[Point]:
    """Each network (file, games trained on, agent) plays `games` games against the opponent, from the same openings."""
    points = []
    for file, trained, agent in nets:
        result: MatchResult = play_match(game, agent, opponent, games, seed, threads, opening)
        points.append(Point(file, trained, result.total.score, result.interval, result.distinct_games))
        on_point(points[-1])
    return points


def draw_curve(points: Sequence[Point], title: str, opponent: str, file: Path) -> None:
    """The curve with its intervals, as a PNG."""
    import matplotlib  # here, so that only drawing waits for it

    matplotlib.use("Agg")
    from matplotlib import pyplot

    x = [point.games for point in points]
    figure: Any
    figure, axes = pyplot.subplots(figsize=(7, 4), dpi=150)
    axes.fill_between(
        x, [p.interval[0] for p in points], [p.interval[1] for p in points], alpha=0.2, label="95 % interval"
    )
    axes.plot(x, [p.score for p in points], marker="o", label="share of points")
    axes.axhline(0.5, color="grey", linewidth=0.8, linestyle="--")
    axes.set(title=title, xlabel="games of self-play", ylabel=f"score against {opponent}", ylim=(-0.02, 1.02))
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(file)
    pyplot.close(figure)
