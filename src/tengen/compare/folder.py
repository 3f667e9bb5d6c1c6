"""What a comparison keeps, so that it goes on after a kill: every game when it ends, and the processor time of every training.

runs/compare-NAME/
  games.jsonl      a game in a line: on which board, by whom, which one, and how it went
  training.json    processor seconds of each training so far
  table.json       the result, and
  table.md         the same to read
  *.png            the plots
runs/NAME-METHOD-BOARD-SEED/       a run for each training
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tengen.errors import TengenError
from tengen.runs.directory import runs_folder


class DamagedComparison(TengenError):
    """A file of a comparison that cannot be read."""


@dataclass(frozen=True)
class GamePlayed:
    """How a game went."""

    board: str
    who: str
    """The agent, as it can be named in a match."""
    number: int
    """Which of the games, the same pieces for all who play it."""
    lines: float
    score: float
    moves: int
    capped: bool
    seconds: float
    """Of processor time."""


class CompareFolder:
    """The files of a comparison."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder: Path = runs_folder() / f"compare-{name}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TengenError(f"{self.folder} cannot be made: {error.strerror}") from None

    def games(self) -> list[GamePlayed]:
        """All games so far."""
        return list(self._read_games())

    def _read_games(self) -> Iterator[GamePlayed]:
        file = self.folder / "games.jsonl"
        if not file.exists():
            return
        lines = file.read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(lines[:-1], 1):  # behind the last line's end: nothing, or half a line
            try:
                yield GamePlayed(**json.loads(line))
            except (ValueError, TypeError):
                raise DamagedComparison(f"{file}, line {number} is no game: delete the line to go on") from None

    def add(self, game: GamePlayed) -> None:
        """Keep a game."""
        with (self.folder / "games.jsonl").open("a", encoding="utf-8") as out:
            out.write(json.dumps(asdict(game)) + "\n")

    def mend(self) -> None:
        """Take away half a line that a kill has left."""
        file = self.folder / "games.jsonl"
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if text and not text.endswith("\n"):
            file.write_text(text[: text.rfind("\n") + 1], encoding="utf-8")

    def seconds_of(self, run: str) -> float:
        """Processor time that a training has taken so far."""
        return float(self._trainings().get(run, 0.0))

    def set_seconds(self, run: str, seconds: float) -> None:
        """Keep it."""
        self.write("training.json", json.dumps({**self._trainings(), run: seconds}, indent=1))

    def _trainings(self) -> dict[str, float]:
        file = self.folder / "training.json"
        try:
            found: Any = json.loads(file.read_text(encoding="utf-8"))
            return {str(name): float(seconds) for name, seconds in found.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError, TypeError):
            raise DamagedComparison(f"{file} cannot be read: delete it, and trainings begin to count anew") from None

    def write(self, name: str, text: str) -> Path:
        """Write a file in one step."""
        file = self.folder / name
        part = file.with_name(file.name + ".part")
        part.write_text(text, encoding="utf-8")
        part.replace(file)
        return file
