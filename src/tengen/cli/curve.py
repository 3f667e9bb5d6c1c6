"""``tengen curve``."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from rich.table import Table
from tyro.conf import Positional, arg

from tengen.agents import AgentSpec, parse_agent
from tengen.arena.curve import Point, draw_curves, learning_curve
from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.errors import SpecError
from tengen.games import parse_game
from tengen.runs.directory import RunDirectory

SIMULATIONS = 200
BY_ROLLOUTS = "evaluation=rollout,rollouts=network"


@dataclass(frozen=True)
class Curve:
    """The learning curve of a run: each kept network against one opponent, alone and with search; a table and a PNG.

    Every result is kept in the run: after an interruption the same command goes on, and new networks add their points.

    Example: tengen curve on-policy --against uct,simulations=100

    Example: tengen curve my-run --against lingz:gomokuai --simulations 400
    """

    name: Annotated[Positional[str], arg(metavar="RUN")]
    """A run, by name or folder."""
    against: Annotated[str, arg(metavar="SPEC")] = "uct,simulations=100"
    """The opponent; see tengen list agents."""
    games: int = 100
    """Games of each network, in pairs: the same opening from both sides."""
    move: Literal["greedy", "epsilon", "sample"] = "greedy"
    """How a network alone chooses: its best move; a random one with probability 0.1; one drawn from its policy."""
    simulations: int | None = None
    """Simulations a move of the second curve, with search (zero); 0: only the first. By default 200 where the networks have a
    critic; without one they search by rollouts, which takes long, and only when this is given."""
    search: Annotated[str, arg(metavar="OPTIONS")] = ""
    """More options of that search: selection=uct,evaluation=mix,rollouts=network."""
    opening: int = 2
    """How many random moves each pair of games begins with."""
    seed: int = 0
    """The same seed gives the same games (unless an agent thinks by the clock)."""
    threads: int = 0
    """How many games are played at once; 0: one for each processor."""
    fresh: bool = False
    """Play everything anew, also what is kept from an earlier time."""
    json: bool = False
    """Print one JSON object; the PNG is drawn all the same."""

    def run(self) -> None:
        """Play, print and draw."""
        run = RunDirectory.find(self.name)
        config = run.read_config()
        files = run.net_files()
        if not files:
            raise SpecError(f"{run.name} has kept no network yet")
        if self.games < 1 or self.opening < 0 or self.threads < 0 or (self.simulations or 0) < 0:
            raise SpecError("games is at least 1, and opening, threads and simulations 0 or more")
        curves = {"network alone": f"net,move={self.move}"}
        options = self._search_options(bool(config["network"].get("critic", True)))
        if options:
            curves["with search"] = f"zero,{options}"
        found = self._play(run, str(config["game"]), files, curves)
        picture = run.folder / "curve.png"
        names = {name: f"{name} ({self._simulations(options)})" if "search" in name else name for name in found}
        draw_curves(
            {names[name]: points for name, points in found.items()},
            f"{run.name}: {config['game']}", _short(self.against), picture,
        )  # fmt: skip
        if self.json:
            data = {"points": found["network alone"], "search": found.get("with search", [])}
            shown: dict[str, Any] = {key: [point.as_json() for point in points] for key, points in data.items()}
            screen.print_json({**shown, "picture": str(picture)})
            return
        for name, points in found.items():
            screen.console.print(_table(f"{names[name]} against {self.against}", points))
        screen.suggest("the curve:", str(picture))

    def _search_options(self, has_critic: bool) -> str:
        """The options of the agent that searches; none when there is no second curve."""
        simulations = self.simulations
        if simulations is None:
            simulations = SIMULATIONS if has_critic or self.search else 0
        if simulations == 0:
            if self.search:
                raise SpecError("--search would do nothing with --simulations 0")
            return ""
        options = f"simulations={simulations}"
        if self.search:
            return f"{options},{self.search}"
        return options if has_critic else f"{options},{BY_ROLLOUTS}"

    def _simulations(self, options: str) -> str:
        return options.partition(",")[0].replace("simulations=", "") + " simulations"

    def _play(self, run: RunDirectory, game: str, files: list[Path], curves: dict[str, str]) -> dict[str, list[Point]]:
        """The points of each curve, those kept from an earlier time and new ones, which are kept as they come."""
        rules, opponent = parse_game(game), parse_agent(self.against)
        agents: dict[str, list[tuple[str, int, AgentSpec]]] = {
            name: [(str(file), int(file.stem), parse_agent(f"{agent}:{file}")) for file in files]
            for name, agent in curves.items()
        }
        kept = run.read_curves()
        entries = {name: self._entry(kept, agent, name) for name, agent in curves.items()}
        known = {name: [_point(point, run) for point in entry["points"]] for name, entry in entries.items()}
        threads = self.threads or os.cpu_count() or 1
        screen.announce_compiling()
        found: dict[str, list[Point]] = {}
        with screen.progress_bar() as progress:
            missing = sum(len(files) - len({p.net for p in points} & set(map(str, files))) for points in known.values())
            task = progress.add_task("games", total=missing * self.games)
            for name, nets in agents.items():
                progress.update(task, description=name)

                def keep(point: Point, entry: dict[str, Any] = entries[name]) -> None:
                    entry["points"].append({**point.as_json(), "net": Path(point.net).name})
                    run.save_curves(kept)

                try:
                    found[name] = learning_curve(
                        rules, nets, opponent, self.games, self.seed, threads, self.opening, known[name], keep,
                        lambda result, played: progress.advance(task),
                    )  # fmt: skip
                except KeyboardInterrupt:
                    done = sum(len(entry["points"]) for entry in entries.values())
                    raise Interrupted(f"{done} points are kept; the same command goes on") from None
        return found

    def _entry(self, kept: list[dict[str, Any]], agent: str, name: str) -> dict[str, Any]:
        """The curve of the same agent, opponent and games among those kept; a new one where there is none."""
        key = {
            "name": name, "agent": agent, "against": self.against, "games": self.games, "opening": self.opening,
            "seed": self.seed,
        }  # fmt: skip
        for entry in kept:
            if all(entry.get(field) == value for field, value in key.items()):
                if self.fresh or not isinstance(entry.get("points"), list):
                    entry["points"] = []
                return entry
        kept.append({**key, "points": []})
        return kept[-1]


def _point(data: Any, run: RunDirectory) -> Point:
    try:
        point = Point.from_json(data)
    except (KeyError, TypeError, ValueError):
        raise SpecError(f"{run.folder / 'curve.json'} is damaged: --fresh plays its games anew") from None
    return replace(point, net=str(run.nets / point.net))


def _short(spec: str) -> str:
    """An agent for the margin of a picture: a folder without the way to it."""
    head, colon, target = spec.partition(":")
    return head + colon + Path(target).name


def _table(title: str, points: list[Point]) -> Table:
    table = Table("games trained", "score", "95 % interval", "distinct games", title=title)
    has_forfeits = any(point.forfeits for point in points)
    if has_forfeits:
        table.add_column("forfeits")
    for point in points:
        low, high = point.interval
        row = [str(point.games), f"{point.score:.1%}", f"{low:.1%} to {high:.1%}", str(point.distinct_games)]
        table.add_row(*row, *([str(point.forfeits)] if has_forfeits else []))
    return table
