"""Games of a tournament as files, one each, written as they end, so that what was played can be looked at.

runs/tournaments/gomoku-15/
  0001.sgf      Hex and Gomoku; `tengen export` turns it into other formats
  0001.json     any other game
  result.json   what --json prints
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from tengen.arena.playing import PlayedGame
from tengen.errors import TengenError
from tengen.games.catalog import game_spec
from tengen.games.gomoku import Gomoku
from tengen.games.hex import Hex
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.protocols.sgf_games import write_game


class GameFolder:
    """A folder of games. It is made when the first one is kept: a command that fails at once leaves nothing behind."""

    def __init__(self, parent: Path, game: Game) -> None:
        self._parent, self._game = parent, game
        self._count = 0
        self.path: Path | None = None

    def keep(self, played: PlayedGame, names: tuple[str, str]) -> Path:
        """Write a game between two agents, named in the order of the players; the file."""
        rules: object = self._game
        position = Position(self._game, played.moves)
        self._count += 1
        if isinstance(rules, Hex | Gomoku):
            about = {"GN": game_spec(self._game)} | ({"C": f"forfeited: {played.forfeit}"} if played.forfeit else {})
            return self._write(f"{self._count:04}.sgf", write_game(position, played.winner, names, about=about))
        found = {
            "game": game_spec(self._game), "players": names, "moves": position.move_names, "winner": played.winner,
            "forfeit": played.forfeit,
        }  # fmt: skip
        return self._write(f"{self._count:04}.json", json.dumps(found) + "\n")

    def keep_result(self, result: Mapping[str, object]) -> None:
        """Write what the tournament came to."""
        self._write("result.json", json.dumps(result, indent=1) + "\n")

    def _write(self, name: str, text: str) -> Path:
        try:
            if self.path is None:
                self.path = self._make()
            file = self.path / name
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise TengenError(f"the games cannot be kept in {self.path or self._parent}: {error.strerror}") from None
        return file

    def _make(self) -> Path:
        """A new folder, named after the game."""
        name = re.sub(r"[^A-Za-z0-9]+", "-", Path(game_spec(self._game)).name).strip("-")
        number = 1
        while True:
            path = self._parent / (name if number == 1 else f"{name}-{number}")
            try:
                path.mkdir(parents=True)
                return path
            except FileExistsError:
                if not path.is_dir():
                    raise
                number += 1
