"""HexWorld keeps a whole game of Hex in the address of its board: ``https://hexworld.org/board/#11c1,a10:se5``.

After ``#``: the size and how the board is drawn, a comma, and the moves without anything between them; ``:s`` swaps (the stone is
mirrored), ``:rb`` and ``:rw``: the first player resigns, or the second. A second comma stands where the reader had stopped.
"""

from __future__ import annotations

import re

from tengen.errors import TengenError
from tengen.games.hex import Hex
from tengen.games.naming import cell_name
from tengen.games.position import Position

BOARD = "https://hexworld.org/board/"
_HEAD = re.compile(r"(\d{1,3})(?:x(\d{1,3}))?([a-z][a-z0-9]*)?", re.ASCII)
_MOVE = re.compile(r"([a-z]+\d+)|:(s|p|r[rb]?w?|f[rb]?w?)|(,)", re.ASCII)


class LinkError(TengenError):
    """A link that holds no game; the message says where it breaks."""


def read_link(text: str) -> tuple[Position, int | None]:
    """The game of a link, and who has resigned, if anybody."""
    _, hash_sign, rest = text.strip().partition("#")
    rest = rest if hash_sign else text.strip()
    head, _, moves = rest.partition(",")
    match = _HEAD.fullmatch(head)
    if not match or (match[2] and match[2] != match[1]):
        raise LinkError(
            f"{text.strip()[:80]!r} is not a link of HexWorld: after # stand the size, a comma and the moves"
        )
    rules = Hex(size=int(match[1]), swap=":s" in moves)
    try:
        rules.check()
    except ValueError as error:
        raise LinkError(str(error)) from None
    position, resigned, at = Position(rules), None, 0  # type: ignore[arg-type]
    while at < len(moves):
        found = _MOVE.match(moves, at)
        if not found:
            raise LinkError(
                f"{moves[at : at + 12]!r}, character {len(text.strip()) - len(moves) + at + 1}, is not a move"
            )
        word = found[1] or found[2]
        try:
            if found[1]:
                position.play(found[1])
            elif word == "s":
                position.play("swap")
            elif word in ("rb", "rr", "fb", "fr"):
                resigned = 0
            elif word in ("rw", "fw"):
                resigned = 1
            elif word == "p":
                raise LinkError("a pass is no move of these rules")
        except TengenError as error:
            raise LinkError(f"move {len(position.moves) + 1} of the link: {error}") from None
        at = found.end()
    return position, resigned


def write_link(position: Position, resigned: int | None = None) -> str:
    """The link of a game from the empty board, red first."""
    rules: object = position.game
    if not isinstance(rules, Hex) or rules.first != 0:
        raise TengenError("HexWorld shows games of hex that red begins")
    empty = position.copy()
    while empty.moves:
        empty.undo()
    if empty.cells().any():
        raise TengenError("HexWorld shows games from the empty board, and this one begins with stones")
    last = rules.size * rules.size
    moves = [":s" if m == last else cell_name(m // rules.size, m % rules.size) for m in position.moves]
    end = "" if resigned is None else (":rb", ":rw")[resigned]
    return f"{BOARD}#{rules.size}c1,{''.join(moves)}{end}"
