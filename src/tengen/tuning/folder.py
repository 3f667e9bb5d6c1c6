"""Where a tuning is kept, so that it survives being killed at any moment.

runs/NAME/
  tune.json        the question, and everyone who has lived, with all results; replaced in one step after each generation
  population.png   the population over the generations
  lock             held by the process that tunes; a second one is refused
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tengen.errors import TengenError
from tengen.runs.directory import RunDirectory, RunError, runs_folder
from tengen.tuning.evolution import Player, Population, TuneSettings
from tengen.tuning.genes import Genome

FORMAT_VERSION = 1
FILE = "tune.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def question(game: str, spec: str, genome: Genome, settings: TuneSettings) -> dict[str, Any]:
    """Everything that decides how a tuning goes. How long it goes on, and in how many threads, does not."""
    return {"game": game, "agent": spec, "vary": [str(rule) for rule in genome.ranges], **asdict(settings)}


class TuneFolder:
    """The files of a tuning."""

    def __init__(self, name: str, asked: Mapping[str, Any]) -> None:
        if not name:
            key = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:6]
            words = re.sub(
                r"[^A-Za-z0-9]+", "-", f"{asked['game']}-{asked['agent'].partition(',')[0].partition(':')[0]}"
            )
            name = f"tune-{words.strip('-')[:60]}-{key}"
        if not _NAME.fullmatch(name):
            raise TengenError(f"{name!r} is not a name for a tuning: letters, digits, dot, dash and underscore")
        self.asked = dict(asked)
        self.path = runs_folder() / name
        self._files = RunDirectory(self.path)

    @property
    def picture(self) -> Path:
        return self.path / "population.png"

    def load(self) -> Population | None:
        """The population as it was left; None where nothing is kept. TengenError when it is not of this question."""
        if (self.path / "config.json").exists():
            raise TengenError(f"{self.path} is a training run: choose another --name")
        file = self.path / FILE
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            raise TengenError(f"{file} cannot be read: {error}; delete it to begin anew") from None
        try:
            if data["format"] != FORMAT_VERSION:
                raise TengenError(f"{file} has format {data['format']}, this program reads {FORMAT_VERSION}")
            if data["question"] != self.asked:
                raise TengenError(
                    f"{self.path} is about another question ({self._difference(data['question'])}): choose another --name"
                )
            return _population(data)
        except TengenError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
            raise TengenError(f"{file} is damaged; delete it to begin anew") from None

    def _difference(self, kept: Mapping[str, Any]) -> str:
        keys = [key for key in {**kept, **self.asked} if kept.get(key) != self.asked.get(key)]
        return "; ".join(f"{key}: {_short(kept.get(key))} there, {_short(self.asked.get(key))} here" for key in keys)

    def open(self) -> None:
        """Make the folder and take it for this process."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._files.lock()
        except RunError:
            raise TengenError(f"another process is tuning in {self.path}") from None
        except OSError as error:
            raise TengenError(f"{self.path} cannot be made: {error.strerror}") from None

    def close(self) -> None:
        """Let others have it."""
        self._files.unlock()

    def save(self, population: Population) -> None:
        """In one step: the file is the old one or the new one, never half of either."""
        players = [
            {"genes": list(p.genes), "born": p.born, "died": p.died, "parents": list(p.parents)}
            for p in population.players
        ]
        data = {
            "format": FORMAT_VERSION, "question": self.asked, "generation": population.generation, "players": players,
            "results": [[i, j, *score] for (i, j), score in sorted(population.results.items())],
            "forfeits": population.forfeits,
        }  # fmt: skip
        self._files.write(FILE, json.dumps(data).encode())


def _short(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _population(data: Mapping[str, Any]) -> Population:
    players = [
        Player(tuple(map(float, p["genes"])), int(p["born"]), p["died"], tuple(p["parents"])) for p in data["players"]
    ]
    results = {(int(i), int(j)): [float(points), float(games)] for i, j, points, games in data["results"]}
    return Population(players, int(data["generation"]), results, int(data["forfeits"]))
