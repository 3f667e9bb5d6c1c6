"""HTP, the Hex Text Protocol: the side of whoever drives an engine."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence

from tengen.games.hex import Hex
from tengen.games.naming import cell_name
from tengen.games.position import Position
from tengen.protocols.child import Child, EngineError

COLOURS = ("black", "white")
SETTING_UP = 30.0
"""Seconds for commands that need no thinking."""

MOST_NOISE = 5_000
"""Lines without `=` or `?` that are skipped before an answer."""

Stone = tuple[int, str]
"""Who, and where."""


class EngineConnection:
    """An engine in a child process, kept on the same game as ours."""

    def __init__(self, command: Sequence[str], game: Hex, setup: Sequence[str] = ()) -> None:
        """`setup`: commands of its own that it is sent first."""
        self._child = Child(command)
        self.game = game
        try:
            self.name = self.ask("name")
            for line in setup:
                self.ask(line)
            size = game.size
            try:
                self.ask(f"boardsize {size} {size}")
            except EngineError:
                self.ask(f"boardsize {size}")  # GTP's own form
            if game.swap:
                with contextlib.suppress(EngineError):  # an engine that does not know the rule never swaps, and may
                    self.ask("param_game allow_swap 1")
            self.ask("clear_board")
        except BaseException:
            self.end()
            raise
        self._played: list[Stone] = []

    def ask(self, line: str, seconds: float = SETTING_UP) -> str:
        """The answer to a command; EngineError when it fails, ChildStopped when the engine is gone or too late."""
        deadline = time.monotonic() + seconds
        self._child.send(line)
        for _ in range(MOST_NOISE):
            head = self._child.read(deadline)
            if head[:1] in ("=", "?"):
                break
        else:
            raise EngineError("it writes lines that are no answer")
        body = [head[1:].lstrip("0123456789").strip()]
        while following := self._child.read(deadline).strip():
            body.append(following)
        text = "\n".join(body).strip()
        if head[0] == "?":
            raise EngineError(f"{line.split()[0]}: {text or 'refused'}")
        return text

    def choose(self, position: Position, seconds: float) -> str:
        """The engine's word for its move in a position: a cell, ``swap`` or ``resign``, in small letters."""
        self._go_to(position)
        player = position.to_move
        words = self.ask(f"genmove {COLOURS[player]}", seconds).lower().split()
        if not words:
            raise EngineError("genmove: an empty answer")
        self._played.append((player, words[0]))
        return words[0]

    def _go_to(self, position: Position) -> None:
        """Play what the engine has not seen yet; another game begins on an empty board."""
        wanted = stones(position)
        if wanted[: len(self._played)] != self._played:
            self.ask("clear_board")
            self._played = []
        for player, word in wanted[len(self._played) :]:
            self.ask(f"play {COLOURS[player]} {word}")
            self._played.append((player, word))

    def end(self) -> None:
        self._child.end()


def stones(position: Position) -> list[Stone]:
    """A position as stones to play one after the other.

    A swap is told by the stone that it leaves: engines write it in different ways, and all know `play`.
    """
    size = position.game.size  # type: ignore[attr-defined]
    moves, now = [], position.copy()
    while now.moves and now.last_move != size * size:
        move = now.last_move
        assert move is not None
        now.undo()
        moves.append((now.to_move, cell_name(move // size, move % size)))
    found: list[Stone] = []
    cells = now.cells().tolist()
    for owner in (1, 2):
        found += [(owner - 1, cell_name(m // size, m % size)) for m, cell in enumerate(cells) if cell == owner]
    return found + moves[::-1]
