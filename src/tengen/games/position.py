"""A position for people: moves by name, undo, and a board to look at."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from tengen.errors import IllegalMove, MalformedMove, TengenError
from tengen.games.diagram import to_text
from tengen.games.types import IntArray
from tengen.games.verbs import CHANCE, NOBODY, Game


class Position:
    """A game in progress: the present position and the moves that led to it.

    >>> from tengen import Hex, Position
    >>> position = Position(Hex(size=3), ["b2", "a1"])
    >>> position.play("c1").play("a2").play("a3").winner
    0
    """

    def __init__(self, game: Game, moves: Iterable[int | str] = ()) -> None:
        self.game = game
        self.array: IntArray = np.zeros(game.position_size(), np.int32)
        self.moves: list[int] = []
        self.returns = [0.0, 0.0]
        """What each player has been rewarded so far."""
        self._before: list[tuple[IntArray, list[float], int]] = []
        self._mover = 0
        game.start(self.array)
        for move in moves:
            self.play(move)

    @classmethod
    def from_cells(cls, game: Game, cells: Iterable[int], to_move: int) -> Position:
        """A position that somebody else has set up: 0 empty, 1 and 2 the players' stones, row by row."""
        position = cls(game)
        given, board = list(cells), len(game.cells(position.array))
        if board == 0:
            raise TengenError("this game has no board on which a position could be set up")
        if len(given) != board or any(cell not in (0, 1, 2) for cell in given) or to_move not in (0, 1):
            raise TengenError(f"a position of this game is {board} cells, each 0, 1 or 2, and to_move 0 or 1")
        game.set_up(position.array, np.array(given, np.int32), to_move)
        return position

    @property
    def to_move(self) -> int:
        """The player to move, 0 or 1, or CHANCE."""
        return self.game.to_move(self.array)

    @property
    def is_over(self) -> bool:
        return self.game.is_over(self.array)

    @property
    def winner(self) -> int | None:
        """The winner, or None: a draw, a game for one, or a game not over."""
        winner = self.game.outcome(self.array)
        return None if winner == NOBODY else winner

    @property
    def legal_moves(self) -> list[int]:
        """The legal moves; where luck moves, the possible outcomes; none after the end."""
        return [] if self.is_over else self._legal().tolist()

    def _legal(self) -> IntArray:
        out = np.empty(self.game.move_count(), np.int32)
        return out[: self.game.legal_moves(self.array, out)]

    @property
    def odds(self) -> list[float]:
        """Where luck moves: the probability of each of the legal moves."""
        out = np.zeros(self.game.move_count(), np.float64)
        self.game.chance_odds(self.array, out)
        return [float(p) for p in out[: len(self.legal_moves)]]

    @property
    def last_move(self) -> int | None:
        return self.moves[-1] if self.moves else None

    @property
    def move_names(self) -> list[str]:
        return [self.game.move_name(move) for move in self.moves]

    def parse(self, text: str) -> int:
        """The number of the move of that name; MalformedMove when there is none."""
        try:
            return self.game.parse_move(text)
        except ValueError as error:
            raise MalformedMove(str(error)) from None

    def play(self, move: int | str) -> Position:
        """Make a move, given by number or name. IllegalMove when the rules forbid it; then nothing changes."""
        number = self.parse(move) if isinstance(move, str) else int(move)
        if self.is_over:
            raise IllegalMove(f"{move!r} cannot be played: the game is over")
        if not (self._legal() == number).any():
            known = 0 <= number < self.game.move_count()
            name = self.game.move_name(number) if known else str(number)
            raise IllegalMove(f"{name} cannot be played here")
        return self.push(number)

    def push(self, move: int) -> Position:
        """Make a move that is known to be legal, by number."""
        self._before.append((self.array.copy(), list(self.returns), self._mover))
        player = self.to_move
        if player != CHANCE:
            self._mover = player
        reward = float(self.game.play(self.array, move))
        self.returns[self._mover] += reward
        if self.game.players() == 2:
            self.returns[1 - self._mover] -= reward
        self.moves.append(move)
        return self

    def undo(self) -> Position:
        """Take the last move back."""
        if not self.moves:
            raise IllegalMove("there is no move to take back")
        self.moves.pop()
        self.array, self.returns, self._mover = self._before.pop()
        return self

    def copy(self) -> Position:
        other = Position(self.game)
        other.array, other.moves = self.array.copy(), list(self.moves)
        other.returns, other._mover, other._before = list(self.returns), self._mover, list(self._before)
        return other

    def cells(self) -> NDArray[np.int32]:
        """The board, row by row: 0 empty, 1 and 2 the players' stones."""
        return self.game.cells(self.array)

    def text(self, colour: bool = False, ascii: bool = False, starred: Collection[int] = ()) -> str:
        """The board, with the last move in brackets, the winning line marked and a star where the moves `starred` play."""
        return to_text(self.game.diagram(self.array), self.last_move, colour, ascii, starred)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Position({self.game!r}, {self.move_names})"
