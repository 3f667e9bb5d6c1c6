"""Games of Gomoku as Piskvork keeps them, in files that end with ``.psq``.

    Piskvorky 20x20, 11:11, 0        the board; two levels that concern Piskvork alone; 1: the second player began
    10,10,340                        a move: column and row, counted from 1 at the top left, and milliseconds
    …
    first.zip                        the players, perhaps
    second.zip
    0                                0: played to its end, 15: out of time, −2: another fault, −1: broken off
    1,Freestyle                      added by others: who won (1, 2; 0: nobody), and by which rules

The rules stand nowhere else. Moves that go on after six in a row are read as a game in which exactly five win.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tengen.errors import IllegalMove, TengenError
from tengen.games.gomoku import LARGEST, Gomoku
from tengen.games.position import Position
from tengen.games.verbs import Game

HEADER = "Piskvorky"
LINE = 5
ENDED, BROKEN_OFF, TIME_OVER, FAULT = 0, -1, 15, -2
FREESTYLE, STANDARD = "Freestyle", "Standard"

_HEADER = re.compile(r"Piskvorky\s+(\d{1,4})\s*x\s*(\d{1,4})\s*,\s*-?\d+\s*:\s*-?\d+\s*,\s*([01])\s*", re.ASCII)
_MOVE = re.compile(r"\s*(-?\d{1,9})\s*,\s*(-?\d{1,9})\s*(?:,\s*(-?\d{1,18})\s*)?", re.ASCII)
_CODE = re.compile(r"\s*-?\d{1,9}\s*", re.ASCII)
_RULES = re.compile(r"\s*([012])\s*,\s*([A-Za-z][A-Za-z ]*)\s*", re.ASCII)


class PsqError(TengenError):
    """A text that is not such a file; the message names the line."""


@dataclass
class PsqGame:
    """A game as a file tells it."""

    position: Position
    """Its end."""
    winner: int | None
    """Who won, by the board or by the file's word."""
    names: tuple[str, ...]
    """The players, whoever began first; none, or both."""
    milliseconds: list[int]
    """What each move took."""
    code: int | None
    """How it ended."""


def is_psq(text: str) -> bool:
    """Whether a text claims to be such a file."""
    return text.lstrip("\ufeff \t\r\n").startswith(HEADER)


def read_psq(text: str) -> PsqGame:
    """The game in a file. PsqError, with the line, when it cannot be read or a move cannot be played."""
    lines = text.lstrip("\ufeff").splitlines()
    head = _HEADER.fullmatch(lines[0]) if lines else None
    if head is None:
        raise PsqError("line 1: no game of Piskvork is here: it begins with 'Piskvorky 20x20, 0:0, 0'")
    size, begins = int(head[1]), int(head[3])
    if head[2] != head[1] or not LINE <= size <= LARGEST:
        raise PsqError(f"line 1: {head[1]}x{head[2]} is not a square board of {LINE} to {LARGEST}")
    moves: list[tuple[int, int, int]] = []  # line, cell, milliseconds
    at = 1
    while at < len(lines) and (found := _MOVE.fullmatch(lines[at])):
        column, row = int(found[1]), int(found[2])
        if not (1 <= column <= size and 1 <= row <= size):
            raise PsqError(f"line {at + 1}: {column},{row} is not on this board, which goes from 1,1 to {size},{size}")
        moves.append((at + 1, (row - 1) * size + column - 1, int(found[3] or 0)))
        at += 1
    names, code, told, rules = _read_end(lines, at)
    position = _play(size, moves, rules)
    winner = position.winner
    if winner is None and told is not None:
        winner = told
    if winner is None and code in (TIME_OVER, FAULT) and not position.is_over:
        winner = 1 - position.to_move  # whoever was to move has lost
    if begins == 1:
        names = names[::-1]
    return PsqGame(position, winner, names, [time for _, _, time in moves], code)


def _read_end(lines: Sequence[str], at: int) -> tuple[tuple[str, ...], int | None, int | None, str | None]:
    """What stands after the moves: the players, the code, who won, the rules; each may be missing."""
    rest = [(number, line.strip()) for number, line in enumerate(lines[at:], at + 1) if line.strip()]
    names: tuple[str, ...] = ()
    if rest and not _CODE.fullmatch(rest[0][1]):
        if len(rest) < 2 or _CODE.fullmatch(rest[1][1]) or "," in rest[0][1]:
            raise PsqError(f"line {rest[0][0]}: {rest[0][1][:50]!r} is neither a move nor the first of two players")
        names, rest = (rest[0][1], rest[1][1]), rest[2:]
    code, told, rules = None, None, None
    if rest and _CODE.fullmatch(rest[0][1]):
        code, rest = int(rest[0][1]), rest[1:]
    if rest and (found := _RULES.fullmatch(rest[0][1])):
        told, rules, rest = (int(found[1]) - 1 if found[1] != "0" else None), found[2].strip(), rest[1:]
    if rest:
        raise PsqError(f"line {rest[0][0]}: {rest[0][1][:50]!r} is not expected after the end of the game")
    return names, code, told, rules


def _play(size: int, moves: Sequence[tuple[int, int, int]], rules: str | None) -> Position:
    """The end of the game; PsqError for the first move that cannot be played by any rules that may be meant."""
    choices = (False, True) if rules is None else (rules.lower() != FREESTYLE.lower(),)
    error: PsqError | None = None
    for exact in choices:
        position = Position(Gomoku(size=size, line=LINE, exact=exact))  # type: ignore[arg-type]
        for line, move, _ in moves:
            try:
                position.play(move)
            except IllegalMove:
                column, row = move % size + 1, move // size + 1
                why = "the game is over" if position.is_over else "there is a stone already"
                error = error or PsqError(f"line {line}: {column},{row} cannot be played: {why}")
                break
        else:
            return position
    assert error is not None
    raise error


def write_psq(
    position: Position,
    winner: int | None = None,
    names: Sequence[str] = (),
    milliseconds: Sequence[int] = (),
    code: int | None = None,
) -> str:
    """A game as Piskvork keeps it. `winner` where the board does not tell; `code` of a game that has not ended on the board."""
    size = _size(position.game)
    start = position.copy()
    while start.moves:
        start.undo()
    if start.cells().any() or start.to_move != 0:
        raise TengenError("psq keeps games from the empty board on, without stones that were set up")
    lines = [f"{HEADER} {size}x{size}, 0:0, 0"]
    for number, move in enumerate(position.moves):
        took = milliseconds[number] if number < len(milliseconds) else 0
        lines.append(f"{move % size + 1},{move // size + 1},{took}")
    if names:
        lines += [_name(name, number) for number, name in enumerate(names, 1)]
    if position.is_over:
        code = ENDED
    elif code is None:
        code = BROKEN_OFF if winner is None else FAULT
    lines.append(str(code))
    won = position.winner if position.winner is not None else winner
    rules: object = position.game
    exact = isinstance(rules, Gomoku) and rules.exact
    if exact or (won is not None and not position.is_over):  # what Piskvork's own lines cannot say
        lines.append(f"{0 if won is None else won + 1},{STANDARD if exact else FREESTYLE}")
    return "\n".join(lines) + "\n"


def _size(game: Game) -> int:
    rules: object = game
    if not isinstance(rules, Gomoku) or rules.line != LINE:
        raise TengenError("psq is written for gomoku with five in a row")
    return rules.size


def _name(name: str, number: int) -> str:
    """A player as a line of its own that cannot be taken for anything else."""
    text = " ".join(name.replace(",", " ").split())
    return text if text and not _CODE.fullmatch(text) else f"player {number} {text}".strip()
