"""Runs the ``ai.py`` of a clone of github lingz/gomokuai; started by `lingz`, with the file's name, in a process of its own.

One JSON object a line: a question ``{"size", "line", "cells", "me"}`` is answered by ``{"move"}`` or ``{"error"}``. Only the
standard library is used, so that it starts at once.

That file needs three things, which are here: its division of whole numbers, a module ``player`` with the class it extends, and
the game it asks for lines and stones.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import signal
import sys
import types
from typing import Any

OWN, OTHER = "O", "X"
"""In its own program the computer is always O, whoever begins."""


class Player:
    """What its class extends."""

    def __init__(self, name: str, symbol: str) -> None:
        self.name = name
        self.symbol = symbol

    def replace(self, game: Game, position: tuple[int, int]) -> None:
        """Put a stone on a cell."""
        row, column = position
        game.board[row][column] = self.symbol


class Game:
    """The board as it looks at it: cells are numbered from 1, row by row; an empty one holds its number."""

    def __init__(self, size: int, line: int, cells: list[int], me: int) -> None:
        self.length, self.win_con = size, line
        symbols = {me: OWN, 3 - me: OTHER}
        numbered: list[Any] = [symbols.get(cell, number) for number, cell in enumerate(cells, 1)]
        self.board = [numbered[i : i + size] for i in range(0, size * size, size)]
        self.remaining = [number for number, cell in enumerate(cells, 1) if cell == 0]
        self.position_dict = {i + 1: (i // size, i % size) for i in range(size * size)}
        self.learning = 0  # it can tune its numbers by playing itself; it plays with those it comes with

    def _lines(self, down: int, right: int, row: int | None = None, column: int | None = None) -> list[list[int]]:
        """Lines of `win_con` cells in one direction, all of them or those of one row or column."""
        size, reach = self.length, self.win_con - 1
        found = []
        for r in range(size - reach * down):
            for c in range(reach if right < 0 else 0, size - (reach if right > 0 else 0)):
                if row in (None, r) and column in (None, c):
                    found.append([(r + i * down) * size + c + i * right + 1 for i in range(self.win_con)])
        return found

    def pos_in_row(self, number: int) -> list[list[int]]:
        return self._lines(0, 1, row=number - 1)

    def pos_in_col(self, number: int) -> list[list[int]]:
        return self._lines(1, 0, column=number - 1)

    def pos_in_dia(self, which: int) -> list[list[int]]:
        return self._lines(1, -1 if which else 1)

    def count_row(self, cells: list[int]) -> dict[Any, int]:
        """How many cells of a line hold each symbol; the empty ones under 0."""
        tally: dict[Any, int] = {OWN: 0, OTHER: 0, 0: 0}
        for number in cells:
            symbol = self.board[(number - 1) // self.length][(number - 1) % self.length]
            tally[symbol if isinstance(symbol, str) else 0] += 1
        return tally


class Divisor:
    """Right of a ``/``: whole numbers are divided as Python 2 does, everything else as ever."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __rtruediv__(self, other: Any) -> Any:
        if isinstance(other, int) and isinstance(self.value, int):
            return other // self.value
        return other / self.value


class OldDivision(ast.NodeTransformer):
    """Writes ``a / b`` as ``a / Divisor(b)``, and ``a /= b`` likewise."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:  # the name that ast wants
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            node.right = _divisor(node.right)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            node.value = _divisor(node.value)
        return node


def _divisor(value: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name("Divisor", ast.Load()), [value], []), value)


def load(file: str) -> Any:
    """The class AI of the file."""
    player = types.ModuleType("player")
    player.Player = Player  # type: ignore[attr-defined]
    sys.modules["player"] = player
    with open(file, encoding="utf-8") as source:
        tree = OldDivision().visit(ast.parse(source.read(), file))
    module = types.ModuleType("ai")
    names: dict[str, Any] = {
        "Divisor": Divisor,
        "xrange": range,
        "range": lambda *limits: list(builtins.range(*limits)),
    }
    module.__dict__.update(names)
    exec(compile(ast.fix_missing_locations(tree), file, "exec"), module.__dict__)
    return module.AI


def choose(ai: Any, size: int, line: int, cells: list[int], me: int) -> int:
    """The move it makes on a board; ValueError when it makes none, or several."""
    game = Game(size, line, cells, me)
    before = [symbol for row in game.board for symbol in row]
    ai.turn(game)
    after = [symbol for row in game.board for symbol in row]
    moves = [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    if len(moves) != 1:
        raise ValueError(f"it has changed {len(moves)} cells instead of one")
    return moves[0]


def main() -> None:
    """Answer until the questions end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that asks, which ends this one
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # whatever the file prints is no answer

    def answer(data: dict[str, Any]) -> None:
        answers.write(json.dumps(data) + "\n")
        answers.flush()

    try:
        ai = load(sys.argv[1])("computer", OWN)
    except Exception as error:
        answer({"error": _in_words(error)})
        return
    answer({})
    for question in sys.stdin:
        try:
            answer({"move": choose(ai, **json.loads(question))})
        except Exception as error:  # whatever it is, it is the program's own fault
            answer({"error": _in_words(error)})


def _in_words(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


if __name__ == "__main__":
    main()
