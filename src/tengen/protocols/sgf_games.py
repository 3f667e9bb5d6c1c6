"""Games of Hex (GM[11]) and Gomoku (GM[4]) in SGF.

SGF's black is our first player: in Hex it joins top and bottom. Cells of Hex are written as people say them (``a1``); the
form with two letters (``aa``), which Little Golem and all of Gomoku use, is read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tengen.errors import TengenError
from tengen.games.gomoku import Gomoku
from tengen.games.hex import Hex
from tengen.games.naming import cell_name
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.protocols.sgf import Node, SgfError, parse_sgf, write_sgf

HEX, GOMOKU = "11", "4"
COLOURS = ("B", "W")
GIVES_UP = ("resign", "forfeit")
SWAPS = ("swap", "swap-pieces", "swap-sides")
_ROW = re.compile(r"line=(\d{1,2})", re.ASCII)
_TWO_LETTERS = re.compile(r"[a-z]{2}")


def put(position: Position, player: int, move: int) -> Position:
    """The position after a stone of either player, whoever's turn it is; files and engines may play out of turn."""
    if position.to_move != player and not position.is_over:
        position = Position.from_cells(position.game, position.cells().tolist(), player)
    return position.play(move)


@dataclass
class GameFile:
    """A game as a file tells it: the game tree, and its main line as a position."""

    game: Game
    root: Node
    position: Position
    """The end of the main line."""
    winner: int | None = None
    """Who won, by the board, a resignation or the file's own word; None: nobody, or it is not said."""
    comments: list[str] = field(default_factory=list)
    """For each move of the main line, what is said about it."""


def read_game(text: str) -> GameFile:
    """The first game of a file. SgfError, with line and column, when it cannot be read or a move cannot be played."""
    root = parse_sgf(text)[0]
    game = _game(root)
    position, resigned = replay(game, root.main_line())
    winner = position.winner
    if winner is None and resigned is not None:
        winner = 1 - resigned
    if winner is None and (root.get("RE") or "")[:2].upper() in ("B+", "W+"):
        winner = COLOURS.index((root.get("RE") or "")[0].upper())
    comments = [node.get("C") or "" for node in root.main_line() if _is_a_move(node)]
    return GameFile(game, root, position, winner, comments)


def replay(game: Game, line: Iterable[Node], moves: int | None = None) -> tuple[Position, int | None]:
    """The position after some nodes (`moves`: after so many moves), and who has given up, if anybody."""
    nodes = list(line)
    position, made, resigned = Position(game), 0, None
    for number, node in enumerate(nodes):
        if moves is not None and made >= moves and _has_a_move(node):
            break
        try:
            position = _set_up(position, node)
            for player, colour in enumerate(COLOURS):
                text = node.get(colour)
                if text is None:
                    continue
                made += 1
                word = text.strip().lower()
                if word in GIVES_UP:
                    resigned = player
                elif word in SWAPS:
                    if not _is_swap_of_sides(word, player, nodes[number + 1 :]):
                        position = put(position, player, position.parse("swap"))
                elif word not in ("", "pass"):
                    position = put(position, player, _move(game, text))
        except SgfError:
            raise
        except ValueError as error:  # illegal, or no cell at all
            line_number, column = node.place
            raise SgfError(f"line {line_number}, column {column}: {error}") from None
    return position, resigned


def write_game(
    position: Position,
    winner: int | None = None,
    names: Sequence[str] = (),
    comments: Sequence[str] = (),
    about: Mapping[str, str] | None = None,
) -> str:
    """A game as SGF. `winner` where the board does not tell; `comments`: one for each move; `about`: more, by SGF's names."""
    game = position.game
    moves = list(position.moves)
    beginning = position.copy()
    while beginning.moves:
        beginning.undo()
    size = _size(game)
    root = Node({"FF": ["4"], "GM": [HEX if isinstance(game, Hex) else GOMOKU], "CA": ["UTF-8"], "AP": ["Tengen"]})
    root.properties["SZ"] = [str(size)]
    for colour, name in zip(COLOURS, names):
        root.properties[f"P{colour}"] = [name]
    for key, value in (about or {}).items():
        root.properties[key] = [value]
    row, exact = getattr(game, "line", 5), getattr(game, "exact", False)
    if row != 5 or exact:  # SGF knows no names for these; they are ours
        root.properties["RU"] = [",".join([f"line={row}"] * (row != 5) + ["exact"] * exact)]
    stones = beginning.cells().tolist()
    for player, colour in enumerate(COLOURS):
        points = [_point(game, cell) for cell, owner in enumerate(stones) if owner == player + 1]
        if points:
            root.properties[f"A{colour}"] = points
    if any(stones):
        root.properties["PL"] = [COLOURS[beginning.to_move]]
    won = position.winner if position.winner is not None else winner
    if won is not None:
        root.properties["RE"] = [f"{COLOURS[won]}+" if position.is_over else f"{COLOURS[won]}+R"]
    elif position.is_over:
        root.properties["RE"] = ["0"]
    node, now = root, beginning
    for number, move in enumerate(moves):
        following = Node({COLOURS[now.to_move]: [_point(game, move)]})
        if number < len(comments) and comments[number]:
            following.properties["C"] = [comments[number]]
        now.play(move)
        node.children.append(following)
        node = following
    if won is not None and not position.is_over and isinstance(game, Hex):
        node.children.append(Node({COLOURS[1 - won]: ["resign"]}))
    return write_sgf([root])


def _size(game: Game) -> int:
    rules: object = game
    if not isinstance(rules, Hex | Gomoku):
        raise TengenError("SGF is written for hex and gomoku")
    return rules.size


def _game(root: Node) -> Game:
    line, column = root.place
    where = f"line {line}, column {column}"
    kind = (root.get("GM") or "").strip()
    if kind not in (HEX, GOMOKU):
        said = f"GM[{kind}]" if kind else "no GM"
        raise SgfError(f"{where}: this is not a game of Hex (GM[11]) or Gomoku (GM[4]): it has {said}")
    text = (root.get("SZ") or ("11" if kind == HEX else "15")).strip()
    width, colon, height = text.partition(":")
    if not width.isascii() or not width.isdigit() or len(width) > 4 or (colon and height.strip() != width.strip()):
        raise SgfError(f"{where}: SZ[{text}] is not the size of a square board")
    if kind == GOMOKU:
        said = (root.get("RU") or "").lower()
        row = _ROW.search(said)
        rules: Game = Gomoku(int(width), int(row[1]) if row else 5, "exact" in said)  # type: ignore[assignment]
    else:
        nodes = list(root.all_nodes())
        swap = any((node.get(colour) or "").strip().lower() in SWAPS for node in nodes for colour in COLOURS)
        first = next((node for node in root.main_line() if _is_a_move(node)), None)
        begins = 1 if first is not None and "W" in first.properties and "B" not in first.properties else 0
        rules = Hex(size=int(width), swap=swap, first=begins)  # type: ignore[assignment]
    try:
        rules.check()  # type: ignore[attr-defined]
    except ValueError as error:
        raise SgfError(f"{where}: {error}") from None
    return rules


def _has_a_move(node: Node) -> bool:
    return any(colour in node.properties for colour in COLOURS)


def _is_a_move(node: Node) -> bool:
    """Whether a node puts something on the board."""
    words = [(node.get(colour) or "").strip().lower() for colour in COLOURS if colour in node.properties]
    return any(word not in (*GIVES_UP, "", "pass", "swap-sides") for word in words)


def _is_swap_of_sides(word: str, player: int, rest: Sequence[Node]) -> bool:
    """Whether a swap leaves the stone where it is and exchanges the players instead: then the same colour moves next.

    Programs write plain ``swap`` for either; the next move tells which it was.
    """
    if word != "swap":
        return word == "swap-sides"
    following = next((node for node in rest if _is_a_move(node)), None)
    return following is not None and COLOURS[player] in following.properties


def _set_up(position: Position, node: Node) -> Position:
    """Stones that are put (AB, AW) and taken (AE) without being played, and PL, who moves next."""
    names = {"AB": 1, "AW": 2, "AE": 0}
    if not any(name in node.properties for name in (*names, "PL")):
        return position
    cells = position.cells().tolist()
    for name, owner in names.items():
        for text in node.properties.get(name, []):
            for point in _points(position.game, text):
                cells[point] = owner
    to_move = position.to_move
    if node.get("PL"):
        to_move = 1 if (node.get("PL") or "").strip().upper().startswith(("W", "2")) else 0
    return Position.from_cells(position.game, cells, to_move)


def _points(game: Game, text: str) -> list[int]:
    """A point, or the rectangle between two of them."""
    one, colon, other = text.partition(":")
    start = _move(game, one)
    if not colon:
        return [start]
    end, size = _move(game, other), _size(game)
    rows = range(min(start // size, end // size), max(start // size, end // size) + 1)
    columns = range(min(start % size, end % size), max(start % size, end % size) + 1)
    return [row * size + column for row in rows for column in columns]


def _move(game: Game, text: str) -> int:
    """A cell by either way of writing it; two letters count columns and rows from the top left."""
    word, size = text.strip().lower(), _size(game)
    if _TWO_LETTERS.fullmatch(word):
        column, row = (ord(letter) - ord("a") for letter in word)
        if column < size and row < size:
            return row * size + column
    return game.parse_move(word)


def _point(game: Game, move: int) -> str:
    if not isinstance(game, Hex):
        size = _size(game)
        return chr(ord("a") + move % size) + chr(ord("a") + move // size)
    if move == game.size * game.size:
        return "swap-pieces"
    return cell_name(move // game.size, move % game.size)
