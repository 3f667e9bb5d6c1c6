"""``tengen bandits``."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from rich import box
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table
from tyro.conf import Positional, arg

from tengen.bandits.arms import Arms
from tengen.bandits.bounds import bounds_hold, etc_bound, ucb_bound, ucb_bound_for_any_gaps
from tengen.bandits.experiment import ALPHA, Experiment, Sample, run_experiment
from tengen.bandits.pictures import draw_experiment, draw_root
from tengen.bandits.root import FLAT, PLAYED, PROVEN, TREE, RootBandit, alpha_of, root_bandit
from tengen.cli import screen
from tengen.errors import SpecError
from tengen.games import parse_game
from tengen.games.position import Position

ARMS = (0.8, 0.5, 0.3, 0.1)
STEPS, REPETITIONS = 100_000, 1000
SIMULATIONS, SEARCHES = 100_000, 20
SHOWN = 8


@dataclass(frozen=True)
class Bandits:
    """Explore-then-commit and UCB, the bandits behind flat Monte Carlo and UCT: their regret beside the bounds that are proven for it.

    Without a game: arms that pay at random. With one: a position, whose moves are the arms, pulled by the search itself.

    Example: tengen bandits

    Example: tengen bandits --arms 0.5 0.45 0.4 --kind gaussian --steps 1000000 --repetitions 100

    Example: tengen bandits gomoku:9 --moves e5 e4 d4 f4 f6 d6
    """  # noqa: E501  # the first line is what the help begins with

    game: Annotated[Positional[str | None], arg(metavar="[GAME]")] = None
    """A game for two players; see tengen list games."""
    moves: Annotated[tuple[str, ...] | None, arg(metavar="MOVE")] = None
    """With a game: the moves from its start to the position; none: the start."""
    arms: Annotated[tuple[float, ...] | None, arg(metavar="MEAN")] = None
    """What each arm pays on average; by default 0.8 0.5 0.3 0.1."""
    kind: Literal["bernoulli", "gaussian"] | None = None
    """What an arm pays: 1 or 0 (bernoulli, the default), or a normal number (gaussian)."""
    deviation: float | None = None
    """The standard deviation of gaussian arms, 1 by default; above 1 no bound is proven, and none is shown."""
    m: int | None = None
    """ETC with this many pulls of each arm, beside those that are chosen with and without knowledge of the gaps."""
    alpha: float = ALPHA
    """UCB's α in mean + sqrt(2α ln t / S); its bounds need more than 2, smaller ones explore less."""
    steps: int | None = None
    """Pulls in all, 100,000 by default; with a game, simulations."""
    repetitions: int | None = None
    """How often everything is repeated; by default 1,000, with a game 20."""
    output: Annotated[Path | None, arg(metavar="FILE")] = None
    """The picture; by default bandits.png, with a game bandits-GAME.png."""
    seed: int = 0
    """The same seed gives the same figures, whatever the number of threads."""
    threads: int = 0
    """How many repetitions run at once; 0: one for each processor."""
    json: bool = False
    """Print one JSON object; the picture is drawn all the same."""

    def run(self) -> None:
        """Measure, print and draw."""
        if self.threads < 0:
            raise SpecError("threads is 0 or more")
        if not 0 < self.alpha <= 1000:
            raise SpecError(f"alpha is above 0 and at most 1,000, not {self.alpha:g}")
        self._check_output()
        if self.game is None:
            self._run_arms()
        else:
            self._run_position(self.game)

    def _check_output(self) -> None:
        """Before minutes of work, not after them."""
        file = self._picture()
        if file.is_dir() or not file.resolve().parent.is_dir():
            raise SpecError(f"{file} cannot be written: it is a folder, or lies in none")
        if file.suffix.lower() != ".png":
            raise SpecError(f"the picture is a PNG: {file.with_suffix('.png')}")

    def _picture(self) -> Path:
        if self.output is not None:
            return self.output
        return Path("bandits.png" if self.game is None else f"bandits-{re.sub(r'[^A-Za-z0-9]+', '-', self.game)}.png")

    def _threads(self) -> int:
        return self.threads or os.cpu_count() or 1

    def _run_arms(self) -> None:
        if self.moves is not None:
            raise SpecError("--moves would do nothing without a game: tengen bandits GAME --moves …")
        means = ARMS if self.arms is None else self.arms
        arms = Arms(tuple(means), self.kind or "bernoulli", 1.0 if self.deviation is None else self.deviation)
        if self.kind != "gaussian" and self.deviation is not None:
            raise SpecError("--deviation belongs to --kind gaussian")
        steps = STEPS if self.steps is None else self.steps
        repetitions = REPETITIONS if self.repetitions is None else self.repetitions
        with screen.progress_bar() as progress:
            advance = _bar(progress, "pulling arms")
            found = run_experiment(arms, self.alpha, steps, repetitions, self.m, self.seed, self._threads(), advance)
        draw_experiment(found, self._picture())
        if self.json:
            screen.print_json({**_experiment_json(found), "picture": str(self._picture())})
            return
        _show_experiment(found)
        screen.suggest("the picture:", str(self._picture()))
        screen.suggest("moves as arms:", "tengen bandits gomoku:9 --moves e5 e4 d4 f4 f6 d6")

    def _run_position(self, text: str) -> None:
        for name in ("arms", "kind", "deviation", "m"):
            if getattr(self, name) is not None:
                raise SpecError(f"--{name} would do nothing with a game: its moves are the arms")
        game = parse_game(text)
        if game.players() != 2:
            raise SpecError("this needs a game for two players, in which a move wins, draws or loses")
        position = Position(game, self.moves or ())
        simulations = SIMULATIONS if self.steps is None else self.steps
        repetitions = SEARCHES if self.repetitions is None else self.repetitions
        screen.announce_compiling()
        with screen.progress_bar() as progress:
            advance = _bar(progress, "searching")
            found = root_bandit(
                position, simulations, self.alpha, repetitions, self.seed, self._threads(), advance=advance
            )
        draw_root(found, self.alpha, f"{text}, {len(found.arms)} moves as arms", self._picture())
        if self.json:
            screen.print_json({**_root_json(found, self.alpha), "picture": str(self._picture())})
            return
        _show_root(found, self.alpha)
        screen.suggest("the picture:", str(self._picture()))
        screen.suggest(
            "which of them plays better?", shlex.join(["tengen", "match", text, "ucb1", "flat,simulations=20"])
        )


def _bar(progress: Progress, text: str) -> Any:
    task = progress.add_task(text, total=1000)
    return lambda share: progress.advance(task, 1000 * share)


def _number(value: float) -> str:
    if 0 < value < 1e-6:  # a sum of rounding errors
        return "0"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _regret(sample: Sample) -> str:
    return f"{_number(float(sample.mean[-1]))} ± {_number(1.96 * float(sample.error[-1]))}"


def _band(sample: Sample) -> str:
    return f"{_number(float(sample.low[-1]))} to {_number(float(sample.high[-1]))}"


def _ucb_bounds(gaps: Any, steps: int, alpha: float) -> list[float]:
    return [float(bound(gaps, steps, alpha)) for bound in (ucb_bound, ucb_bound_for_any_gaps)]


def _show_experiment(found: Experiment) -> None:
    arms, gaps = found.arms, found.arms.gaps
    title = f"regret after {found.steps:,} steps, {found.repetitions:,} repetitions"
    caption = "bounds: for these gaps, and for any" if bounds_hold(arms) else "no bound is proven for such arms"
    table = Table("", "m", "regret, 95 % ±", "8 of 10 runs", "bound", "any gaps", title=title, caption=caption,
                  box=box.SIMPLE_HEAD)  # fmt: skip
    bounds = _ucb_bounds(gaps, found.steps, found.alpha) if bounds_hold(arms, found.alpha) else []
    table.add_row(f"UCB, α = {found.alpha:g}", "", _regret(found.ucb), _band(found.ucb), *map(_number, bounds))
    for name, (m, sample) in found.etc.items():
        bound = [float(etc_bound(gaps, found.steps, m))] if bounds_hold(arms) else []
        table.add_row(f"ETC {name}", f"{m:,}", _regret(sample), _band(sample), *map(_number, bound))
    screen.console.print(table)
    shares = ", ".join(f"{mean:g}: {share:.1%}" for mean, share in zip(arms.means[:SHOWN], found.pulls / found.steps))
    screen.console.print(f"UCB's pulls by arm: {shares}{' …' if len(arms.means) > SHOWN else ''}")


def _show_root(found: RootBandit, alpha: float) -> None:
    screen.show_board(found.position)
    order = found.gaps.argsort()
    title = f"the best {min(SHOWN, len(order))} of {len(order)} moves, and what each got"
    table = Table("move", "pays", "gap", title=title, box=box.SIMPLE_HEAD)
    for name in found.searches:
        table.add_column(name.replace(", ", ",\n").replace(" with", "\nwith"), justify="right")
    for i in order[:SHOWN]:
        got = (f"{pulls.visits[:, -1, i].mean():,.0f}" for pulls in found.searches.values())
        name = escape(found.position.game.move_name(found.arms[i]))
        table.add_row(name, f"{found.means[i]:.3f}", f"{found.gaps[i]:.3f}", *got)
    screen.console.print(table)
    steps = int(found.checkpoints[-1])
    title = f"regret after {steps:,} simulations, {len(found.searches[FLAT].best):,} repetitions"
    caption = "bounds: for these gaps, and for any; gap: of the move that it would play"
    table = Table("", "as a bandit", "regret, 95 % ±", "bound", "any gaps", "gap", title=title, caption=caption,
                  box=box.SIMPLE_HEAD)  # fmt: skip
    for name in (FLAT, PLAYED, PROVEN):
        search, m = found.searches[name], steps // len(found.arms)
        known_as = f"ETC, m = {m:,}" if name == FLAT else f"UCB, α = {alpha_of(search.settings):g}"
        bounds = [float(etc_bound(found.gaps, steps, m))] if name == FLAT else []
        if name == PROVEN and alpha > 2:
            bounds = _ucb_bounds(found.gaps, steps, alpha)
        cells = [*map(_number, bounds), "", ""][:2]
        table.add_row(name, known_as, _regret(found.regret(name)), *cells, f"{found.loss(name):.4f}")
    screen.console.print(table)


def _experiment_json(found: Experiment) -> dict[str, object]:
    arms, gaps, steps = found.arms, found.arms.gaps, found.steps
    proven = bounds_hold(arms, found.alpha)
    over = found.over_gaps
    return {
        "arms": list(arms.means), "kind": arms.kind, "deviation": arms.deviation, "alpha": found.alpha, "steps": steps,
        "repetitions": found.repetitions,
        "ucb": {**found.ucb.last(), "bounds": _ucb_bounds(gaps, steps, found.alpha) if proven else None,
                "pulls": found.pulls.tolist()},
        "etc": {name: {"m": m, **sample.last(), "bound": float(etc_bound(gaps, steps, m)) if bounds_hold(arms) else None}
                for name, (m, sample) in found.etc.items()},
        "over_m": [{"m": int(m), "regret": float(regret)} for m, regret in zip(found.m, found.over_m.mean)],
        "over_gaps": [
            {"gap": float(gap), "ucb": float(ucb), "etc_knowing": float(knowing), "etc": float(blind)}
            for gap, ucb, knowing, blind in zip(over.gaps, over.ucb.mean, over.etc_knowing.mean, over.etc.mean)
        ],
    }  # fmt: skip


def _root_json(found: RootBandit, alpha: float) -> dict[str, object]:
    steps, names = int(found.checkpoints[-1]), [found.position.game.move_name(move) for move in found.arms]
    return {
        "moves": [
            {"move": names[i], "pays": float(found.means[i]),
             "simulations": {name: float(s.visits[:, -1, i].mean()) for name, s in found.searches.items()}}
            for i in found.gaps.argsort()
        ],
        "simulations": steps,
        "regret": {name: found.regret(name).last() for name in found.searches if name != TREE},
        "gap_of_the_move": {name: found.loss(name) for name in found.searches if name != TREE},
        "bounds": _ucb_bounds(found.gaps, steps, alpha) if alpha > 2 else None,
    }  # fmt: skip
