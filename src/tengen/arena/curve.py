"""The learning curve: how each kept network of a run does against one opponent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.agents.catalog import AgentSpec
from tengen.arena.match import OnGame, play_match
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
    forfeits: int = 0
    """Games that somebody lost without the rules."""

    def as_json(self) -> dict[str, object]:
        return {
            "net": self.net, "games": self.games, "score": self.score, "interval": list(self.interval),
            "distinct_games": self.distinct_games, "forfeits": self.forfeits,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Point:
        """The inverse of `as_json`; KeyError, TypeError or ValueError when it is something else."""
        low, high = (float(bound) for bound in data["interval"])
        counts = (int(data[name]) for name in ("distinct_games", "forfeits"))
        return cls(str(data["net"]), int(data["games"]), float(data["score"]), (low, high), *counts)


def learning_curve(
    game: Game,
    nets: Sequence[tuple[str, int, AgentSpec]],
    opponent: AgentSpec,
    games: int,
    seed: int,
    threads: int,
    opening: int,
    known: Sequence[Point] = (),
    on_point: Callable[[Point], None] = lambda point: None,
    on_game: OnGame | None = None,
) -> list[Point]:
    """Each network (file, games trained on, agent) plays `games` games against the opponent, from the same openings.

    A network with a point in `known`, from an earlier time, keeps it.
    """
    earlier = {point.net: point for point in known}
    points = []
    for file, trained, agent in nets:
        if file in earlier:
            points.append(earlier[file])
            continue
        result = play_match(game, agent, opponent, games, seed, threads, opening, on_game)
        points.append(
            Point(file, trained, result.total.score, result.interval, result.distinct_games, len(result.forfeits))
        )
        on_point(points[-1])
    return points


def draw_curves(curves: Mapping[str, Sequence[Point]], title: str, opponent: str, file: Path) -> None:
    """Curves by name, each with its intervals, as a PNG."""
    import matplotlib  # here, so that only drawing waits for it

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure: Any
    figure, axes = pyplot.subplots(figsize=(7, 4), dpi=150)
    for (name, points), marker in zip(curves.items(), "os^v", strict=False):
        x = [point.games for point in points]
        (line,) = axes.plot(x, [p.score for p in points], marker=marker, label=name)
        low, high = [p.interval[0] for p in points], [p.interval[1] for p in points]
        axes.fill_between(x, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
    axes.axhline(0.5, color="grey", linewidth=0.8, linestyle="--")
    axes.set(title=title, xlabel="games of self-play", ylabel=f"score against {opponent}", ylim=(-0.02, 1.02))
    axes.legend(loc="best", title="with 95 % intervals")
    figure.tight_layout()
    figure.savefig(file)
    pyplot.close(figure)
