"""``tengen export``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from tengen.cli import screen
from tengen.cli.recorded import record_of
from tengen.errors import SpecError
from tengen.games import Game, Hex, Position, game_spec
from tengen.protocols.hexworld import read_link, write_link
from tengen.protocols.psq import PsqError, PsqGame, is_psq, read_psq, write_psq
from tengen.protocols.sgf import SgfError, decode, write_sgf
from tengen.protocols.sgf_games import read_game, write_game
from tengen.records.record import GameRecord
from tengen.runs.directory import RunDirectory
from tengen.selfplay.worker import start_position

FORMATS = ("sgf", "psq", "hexworld", "json", "onnx")
SHOWN = 5
"""Candidate moves in a comment."""


@dataclass
class FoundGame:
    """A game, wherever it came from."""

    position: Position
    winner: int | None
    sgf: Callable[[], str]
    """With all that is known about it: variations, comments."""
    names: tuple[str, ...] = ()
    """The players, where they are known."""
    milliseconds: tuple[int, ...] = ()
    """What the moves took, where it is known."""


@dataclass(frozen=True)
class Export:
    """Write a game or a network for other programs: SGF, Piskvork's psq, a link to HexWorld, JSON, ONNX.

    SOURCE is a run, an SGF file (Hex GM[11], Gomoku GM[4]), a psq file (Gomoku) or a HexWorld link, so that this also turns one
    into the other.

    Example: tengen export on-policy --game-number 17 --output game.sgf       (the search's thoughts as comments)

    Example: tengen export game.sgf --format hexworld

    Example: tengen export game.psq --format sgf

    Example: tengen export "https://hexworld.org/board/#5c1,c3b4" --format sgf

    Example: tengen export on-policy --format onnx --output best.onnx          (its best network, else its last)
    """

    source: Annotated[Positional[str], arg(metavar="RUN|FILE|LINK")]
    """A run, by name or folder; a file of a game; or a link."""
    game_number: int | None = None
    """Of a run: which game."""
    format: str = "sgf"
    """sgf, psq, hexworld, json or onnx."""
    output: Path | None = None
    """The file to write; without it, the text is printed."""

    def run(self) -> None:
        """Find, turn, write."""
        if self.format not in FORMATS:
            raise SpecError(f"format is {', '.join(FORMATS)}, not {self.format!r}")
        if self.format == "onnx":
            self._export_network()
            return
        found = self._find()
        if self.format == "sgf":
            text = found.sgf()
        elif self.format == "psq":
            text = write_psq(found.position, found.winner, found.names, found.milliseconds)
        elif self.format == "hexworld":
            resigned = None if found.winner is None or found.position.is_over else 1 - found.winner
            text = write_link(found.position, resigned) + "\n"
        else:
            rules, moves = game_spec(found.position.game), found.position.move_names
            text = json.dumps({"game": rules, "moves": moves, "winner": found.winner}) + "\n"
        if self.output is None:
            sys.stdout.write(text)
            return
        self._write(text.encode("utf-8"))
        if self.format == "sgf" and isinstance(found.position.game, Hex):
            screen.suggest(f"{self.output} is written; as a link:", f"tengen export {self.output} --format hexworld")
        elif self.format == "sgf":
            screen.suggest(f"{self.output} is written; for Piskvork:", f"tengen export {self.output} --format psq")

    def _find(self) -> FoundGame:
        if "#" in self.source and not Path(self.source).exists():
            position, resigned = read_link(self.source)
            winner = position.winner if resigned is None else 1 - resigned
            return FoundGame(position, winner, lambda: write_game(position, winner))
        file = Path(self.source)
        if file.is_file():
            return _from_file(file)
        if self.source.lower().endswith((".sgf", ".psq")):
            raise SpecError(f"there is no file {self.source}")
        run = RunDirectory.find(self.source)
        if self.game_number is None:
            raise SpecError(f"which game of {run.name}? add --game-number 0, or --format onnx for its network")
        game, record = record_of(run, self.game_number)
        return _from_record(run, game, record)

    def _export_network(self) -> None:
        from tengen.agents.targets import find_network

        file = find_network(self.source)
        if self.output is None:
            print(file)
            return
        self._write(file.read_bytes())
        screen.suggest(
            f"{file} is now in {self.output}; it plays anywhere:", f"tengen watch GAME net:{self.output} random"
        )

    def _write(self, data: bytes) -> None:
        assert self.output is not None
        try:
            self.output.write_bytes(data)
        except OSError as error:
            raise SpecError(f"{self.output} cannot be written: {error.strerror}") from None


def _from_file(file: Path) -> FoundGame:
    try:
        text = decode(file.read_bytes())
        if is_psq(text) or file.suffix.lower() == ".psq":
            return _from_psq(read_psq(text))
        found = read_game(text)
    except (SgfError, PsqError) as error:
        raise SpecError(f"{file}, {error}") from None
    except OSError as error:
        raise SpecError(f"{file} cannot be read: {error.strerror}") from None
    names = (found.root.get("PB") or "", found.root.get("PW") or "")
    return FoundGame(found.position, found.winner, lambda: write_sgf([found.root]), names if any(names) else ())


def _from_psq(game: PsqGame) -> FoundGame:
    def sgf() -> str:
        return write_game(game.position, game.winner, game.names)

    return FoundGame(game.position, game.winner, sgf, game.names, tuple(game.milliseconds))


def _from_record(run: RunDirectory, game: Game, record: GameRecord) -> FoundGame:
    position = start_position(game, record.first)
    comments = []
    for move, visits, value in zip(record.moves, record.visits, record.values, strict=True):
        comments.append(_thoughts(position.game, visits, value))
        position.play(move)
    name = f"{run.name} after {record.network} steps"
    about = {"GN": f"{run.name}, game {record.number}"}
    return FoundGame(
        position,
        record.winner,
        lambda: write_game(position, record.winner, (name, name), comments, about),
        (name, name),
    )


def _thoughts(game: Game, visits: dict[int, int] | None, value: float) -> str:
    """What the search had found before a move, as a comment."""
    if not visits:
        return ""
    total = max(1, sum(visits.values()))
    best = sorted(visits.items(), key=lambda item: -item[1])[:SHOWN]
    lines = [f"{game.move_name(move)} {count / total:.0%} ({count} visits)" for move, count in best if count]
    return "\n".join([f"win rate {(value + 1) / 2:.0%}", *lines])
