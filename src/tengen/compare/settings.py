"""What is compared: read from ``presets/comparisons`` or a TOML file of the same form."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tengen.agents import parse_agent
from tengen.errors import SpecError
from tengen.games import parse_game
from tengen.specs import did_you_mean
from tengen.training.config import RunConfig, load_preset

COMPARISONS = Path(__file__).parent.parent / "presets" / "comparisons"
RUN = "RUN"
"""Stands in a learner's agent for the run's name."""


@dataclass(frozen=True)
class LearnerSettings:
    """A method that learns: a run for each board and seed."""

    label: str
    """Its name in the table."""
    preset: str
    """What it is trained by; the comparison's boards take the place of the preset's."""
    agent: str
    """How its networks play, with RUN for the run: zero,simulations=32:RUN."""
    of: str = ""
    """The method whose runs play here in another way: nothing is trained."""
    runs: tuple[str, ...] = ()
    """Runs that exist, for the first board, in place of training; each counts as a seed."""


@dataclass(frozen=True)
class CompareSettings:
    """A comparison."""

    boards: tuple[str, ...] = ("tetris:10x10,preview=0",)
    """The games. On each, every method is trained anew."""
    learners: tuple[LearnerSettings, ...] = ()
    """The methods."""
    players: tuple[str, ...] = ()
    """Agents that learn nothing."""
    seeds: int = 3
    """Trainings of each method on each board."""
    minutes: float = 30.0
    """Processor time of each training."""
    games: int = 100
    """Games of each player, on the same seeds; of a method, with the networks of each of its trainings."""
    cap: int = 5000
    """Placements after which a game is broken off."""
    simulations: tuple[int, ...] = ()
    """Numbers of simulations for which the first method that searches is played as well."""
    sweep_games: int = 20
    """Games for each of them."""

    def __post_init__(self) -> None:
        if not (self.seeds >= 1 and self.games >= 1 and self.cap >= 1 and self.sweep_games >= 1 and self.minutes >= 0):
            raise SpecError("seeds, games, cap and sweep_games are at least 1, minutes at least 0")
        if not self.boards or not (self.learners or self.players):
            raise SpecError("a comparison needs a board, and somebody to compare")
        for board in self.boards:
            if parse_game(board).players() != 1:
                raise SpecError(f"{board} is no game for one player")
        for player in self.players:
            if parse_agent(player).text.partition(",")[0] == "human":
                raise SpecError("a comparison is played by agents alone")
        for learner in self.learners:
            load_preset(learner.preset)
            if not learner.agent.endswith(f":{RUN}"):
                raise SpecError(f"{learner.label}: agent ends in :{RUN}, not {learner.agent!r}")
        if any(n < 1 for n in self.simulations):
            raise SpecError("simulations are at least 1")
        owners = [learner.label for learner in self.learners if not learner.of]
        for learner in self.learners:
            if learner.of and (learner.of not in owners or learner.runs):
                raise SpecError(f"{learner.label}: of names a method that has runs of its own, and takes no runs")
        labels = [learner.label for learner in self.learners]
        if len({*labels, *self.players}) < len(labels) + len(self.players):
            raise SpecError("two of those compared have the same name")

    def owner(self, learner: LearnerSettings) -> LearnerSettings:
        """The method whose runs a learner plays with."""
        return next((one for one in self.learners if one.label == learner.of), learner)

    def config(self, learner: LearnerSettings, board: str, seed: int) -> RunConfig:
        """The settings of a training."""
        config = load_preset(learner.preset)
        name = config.game.partition(":")[0]  # a grain of its own: tetris-keys
        return replace(config, game=f"{name}:{board.partition(':')[2]}", seed=seed)


def load_comparison(text: str) -> CompareSettings:
    """A comparison of the package by name, or a TOML file."""
    file = Path(text) if text.endswith(".toml") else COMPARISONS / f"{text}.toml"
    known = sorted(comparison.stem for comparison in COMPARISONS.glob("*.toml"))
    if not text.endswith(".toml") and text not in known:
        raise SpecError(f"there is no comparison called {text!r}{did_you_mean(text, known)}")
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(f"{file} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{file} is not TOML: {error}") from None
    learners = data.pop("learners", [])
    if not isinstance(learners, list):
        raise SpecError(f"{file.name}: learners are tables, [[learners]]")
    values = _checked(data, CompareSettings, f"{file.name}")
    return CompareSettings(
        **values,
        learners=tuple(LearnerSettings(**_checked(one, LearnerSettings, f"{file.name}, learners")) for one in learners),
    )


def _checked(data: Any, kind: Any, where: str) -> dict[str, Any]:
    """Values of the kinds that a dataclass names; SpecError for others."""
    wanted: dict[str, str] = {name: str(field.type) for name, field in kind.__dataclass_fields__.items()}
    if not isinstance(data, dict):
        raise SpecError(f"{where} is no table of settings")
    values: dict[str, Any] = {}
    for key, value in data.items():
        if key not in wanted or key == "learners":
            raise SpecError(f"{where} has no setting {key!r}{did_you_mean(key, wanted)}")
        values[key] = tuple(value) if isinstance(value, list) else value
        fits = {
            "str": isinstance(value, str),
            "int": type(value) is int,
            "float": type(value) in (int, float),
            "tuple[str, ...]": isinstance(value, list) and all(isinstance(one, str) for one in value),
            "tuple[int, ...]": isinstance(value, list) and all(type(one) is int for one in value),
        }[wanted[key]]
        if not fits:
            raise SpecError(f"{where}: {key} cannot be {value!r}")
    missing = [name for name in ("label", "preset", "agent") if name in wanted and name not in values]
    if missing:
        raise SpecError(f"{where} needs {', '.join(missing)}")
    return values
