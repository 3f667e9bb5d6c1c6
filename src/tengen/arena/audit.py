"""The perfect-play audit: in positions that can be won and can be spoilt, how often does an agent keep the win?

A match says who is stronger; this says how far from perfect somebody is. A position is *critical* when its mover can win
and at least one legal move does not keep the win: elsewhere every move is as good as any other. The positions are
drawn once, from games of their own in which both players move at random and either one begins; solved; kept if they are
critical and new. Every ply from the empty board on has the same part in a set, as far as it has enough such positions.
Random play visits what good play does not: an agent is also asked how it punishes bad moves.

The sets lie in the package. They are made anew, in a few minutes each, by

    python -m tengen.arena.audit hex:4 --positions 5000 --seed 1
    python -m tengen.arena.audit hex:5 --positions 5000 --seed 1
    python -m tengen.arena.audit hex:6 --positions 5000 --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tengen.agents.base import Agent
from tengen.arena.solvers import AnySolver, solver_for
from tengen.arena.statistics import wilson_interval
from tengen.errors import SpecError
from tengen.games import parse_game
from tengen.games.position import Position
from tengen.games.verbs import Game

FOLDER = Path(__file__).parent.parent / "models" / "audit"
PATIENCE = 2000
"""Draws in a row without a new critical position, after which a ply counts as exhausted."""


@dataclass(frozen=True)
class AuditSet:
    """Critical positions with the moves that win."""

    cells: NDArray[np.int8]
    """[positions, cells]: 0 empty, 1 and 2 the players' stones."""
    to_move: NDArray[np.int8]
    winning: NDArray[np.uint64]
    """The winning moves as bits: bit m for move m."""

    def __len__(self) -> int:
        return len(self.to_move)

    @property
    def plies(self) -> NDArray[np.int64]:
        """How many stones lie on each board."""
        return np.asarray(np.sum(self.cells != 0, axis=1), np.int64)

    def position(self, game: Game, i: int) -> Position:
        """The i-th position, set up."""
        return Position.from_cells(game, self.cells[i].tolist(), int(self.to_move[i]))

    def wins(self, i: int, move: int) -> bool:
        """Whether the move keeps the win in the i-th position."""
        return bool(int(self.winning[i]) >> move & 1)

    def save(self, file: Path) -> None:
        """Write arrays and nothing else."""
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(file, cells=self.cells, to_move=self.to_move, winning=self.winning)

    @classmethod
    def load(cls, file: Path) -> AuditSet:
        """Read a file that `save` has written."""
        try:
            with np.load(file, allow_pickle=False) as stored:
                found = cls(stored["cells"], stored["to_move"], stored["winning"])
        except OSError as error:
            raise SpecError(f"{file} cannot be read: {error.strerror}") from None
        except (
            Exception
        ):  # a damaged archive has many kinds of complaint, and numpy's own words advise to load it unsafely
            raise SpecError(f"{file} is no set of positions") from None
        if found.cells.ndim != 2 or not len(found.cells) == len(found.to_move) == len(found.winning) > 0:
            raise SpecError(f"{file} is no set of positions: its arrays do not fit together")
        return found


def set_file(game: Game) -> Path:
    """Where the set of a game lies: hex-5.npz. The first parameter is named by its value, others where unusual."""
    defaults = type(game)._field_defaults  # type: ignore[attr-defined]
    values = game._asdict()  # type: ignore[attr-defined]
    parts = [type(game).__qualname__.lower()]
    for number, (name, value) in enumerate(values.items()):
        if number == 0:
            parts.append(str(value))
        elif value != defaults.get(name):
            parts += [name, str(value)]
    return FOLDER / ("-".join(parts) + ".npz")


def load_set(game: Game, text: str) -> AuditSet:
    """The set of a game; where there is none, an error that says how to make one."""
    file = set_file(game)
    if not file.is_file():
        raise SpecError(f"there are no solved positions of {text}; make some: python -m tengen.arena.audit {text}")
    return AuditSet.load(file)


# ------------------------------------------------------------------------------------------------ the audit


@dataclass(frozen=True)
class AuditResult:
    """How often the win was kept."""

    plies: NDArray[np.int64]
    kept: NDArray[np.bool_]
    chance: NDArray[np.float64]
    """The share of the legal moves that win."""

    @property
    def perfect(self) -> float:
        """The share of positions in which the agent's move keeps the win."""
        return float(self.kept.mean())

    @property
    def random(self) -> float:
        """The same, expected of a player who draws any legal move."""
        return float(self.chance.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `perfect`."""
        return wilson_interval(float(self.kept.sum()), len(self.kept))

    def by_ply(self) -> list[dict[str, float]]:
        """The same figures for each number of stones."""
        rows = []
        for ply in np.unique(self.plies):
            here = self.plies == ply
            shares = {"perfect": float(self.kept[here].mean()), "random": float(self.chance[here].mean())}
            rows.append({"ply": int(ply), "positions": int(here.sum()), **shares})
        return rows

    def as_json(self) -> dict[str, object]:
        """The object that ``--json`` prints."""
        return {
            "positions": len(self.kept), "perfect": self.perfect, "random": self.random,
            "interval": list(self.interval), "by_ply": self.by_ply(),
        }  # fmt: skip


def audit(
    agent: Agent, positions: AuditSet, count: int = 0, seed: int = 0, on_position: Callable[[], None] = lambda: None
) -> AuditResult:
    """Have the agent choose in `count` of the positions, spread evenly (0: all). Each is a game of its own."""
    if not 0 <= count <= len(positions):
        raise SpecError(f"the set has {len(positions)} positions: choose 0 (all) to {len(positions)}, not {count}")
    chosen = np.linspace(0, len(positions) - 1, count or len(positions)).round().astype(int)
    kept, chance = [], []
    for number, i in enumerate(chosen):
        position = positions.position(agent.game, int(i))
        legal = position.legal_moves
        agent.new_game(seed * 1_000_003 + number)
        kept.append(positions.wins(i, agent.choose(position)))
        chance.append(sum(positions.wins(i, move) for move in legal) / len(legal))
        on_position()
    return AuditResult(positions.plies[chosen], np.array(kept, np.bool_), np.array(chance))


# ------------------------------------------------------------------------------------------- making a set


def draw_set(
    game: Game, count: int, seed: int, first_ply: int = 0, on_position: Callable[[int], None] = lambda found: None
) -> AuditSet:
    """Draw and solve critical positions, equally many of each ply from `first_ply` on; `on_position` is told how many.

    Where a ply has fewer than its part, the others make up for it.
    """
    cells = len(game.cells(Position(game).array))
    if cells == 0 or game.move_count() > 64:
        raise SpecError("sets are made of games with a board and 64 moves at most")
    if count < 1 or not 0 <= first_ply < cells:
        raise SpecError(f"a set has 1 position or more, from a ply from 0 to {cells - 1} on")
    solver, chooser = solver_for(game), random.Random(seed)
    found: dict[tuple[int, bytes], int] = {}
    seen: set[tuple[int, bytes]] = set()
    plies = list(range(cells - 1, first_ply - 1, -1))  # the late ones first: what is learnt of them helps with the rest
    while plies and len(found) < count:
        part = -(-(count - len(found)) // len(plies))
        left = []
        for ply in plies:
            if _draw_ply(solver, chooser, ply, min(part, count - len(found)), found, seen, on_position):
                left.append(ply)
        plies = left
    order = sorted(found, key=lambda key: (cells - key[1].count(0), key))
    return AuditSet(
        np.array([np.frombuffer(board, np.int8) for _, board in order], np.int8),
        np.array([side for side, _ in order], np.int8),
        np.array([found[key] for key in order], np.uint64),
    )


def _draw_ply(
    solver: AnySolver,
    chooser: random.Random,
    ply: int,
    count: int,
    found: dict[tuple[int, bytes], int],
    seen: set[tuple[int, bytes]],
    on_position: Callable[[int], None],
) -> bool:
    """Add up to `count` critical positions of a ply to `found`; False when there seem to be no more."""
    idle, goal = 0, len(found) + count
    while len(found) < goal:
        idle += 1
        if idle > PATIENCE:
            return False
        position = _random_position(solver.game, chooser, ply)
        if position is None or len(position.legal_moves) < 2:
            continue
        key = position.to_move, position.cells().astype(np.int8).tobytes()
        if key in seen:
            continue
        seen.add(key)
        if solver.value(position) == 1:
            best = solver.best_moves(position)
            if len(best) < len(position.legal_moves):
                found[key] = sum(1 << move for move in best)
                on_position(len(found))
                idle = 0
    return True


def _random_position(game: Game, chooser: random.Random, plies: int) -> Position | None:
    """A position after random moves, either player having begun; None when the game ended before."""
    position = Position.from_cells(game, [0] * len(game.cells(Position(game).array)), chooser.randrange(2))
    while len(position.moves) < plies and not position.is_over:
        position.play(chooser.choice(position.legal_moves))
    if position.is_over:
        return None
    # Set up from its cells, as the audit will, so that only the board counts and not the way to it.
    return Position.from_cells(game, position.cells().tolist(), position.to_move)


def main(arguments: list[str] | None = None) -> None:
    """Make a set of solved positions and write it where ``tengen audit`` looks for it."""
    parser = argparse.ArgumentParser(prog="python -m tengen.arena.audit", description=main.__doc__)
    parser.add_argument("game", help="a game with a small board, such as hex:4")
    parser.add_argument("--positions", type=int, default=5000, help="how many critical positions")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same set")
    parser.add_argument("--first-ply", type=int, default=0, help="the fewest stones on a board")
    parser.add_argument("--out", type=Path, default=None, help="another file than that of the package")
    options = parser.parse_args(arguments)
    try:
        game = parse_game(options.game)
        positions = draw_set(game, options.positions, options.seed, options.first_ply, _show_count)
    except SpecError as error:
        parser.error(str(error))
    file = options.out or set_file(game)
    positions.save(file)
    print(f"{len(positions)} positions, plies {positions.plies.min()} to {positions.plies.max()}: {file}")


def _show_count(found: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{found} positions", end="\r", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
