"""Analysis by JSON, one query a line and one answer a line, in the manner of KataGo's analysis engine. It decides nothing.

A query:   {"id": "a1", "game": "hex:7", "moves": ["d4", "c5"], "maxVisits": 2000, "analyzeTurns": [0, 2], "includePolicy": true}
           Only `id` must be there. `moves` may also be pairs, ["B", "d4"]; the colour must be that of the one to move.
           `analyzeTurns`: after how many of the moves; when it is missing, after all of them.
An answer: {"id": "a1", "turnNumber": 2, "isDuringSearch": false, "rootInfo": {…}, "moveInfos": [{…}, …], "policy": {…}}
           Win rates are shares of games, in the view of `currentPlayer`, who is to move. `policy`: moves and shares.
A fault:   {"id": "a1", "error": "what is wrong"}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tengen.errors import TengenError
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.protocols.analysis import Analysis

COLOURS = ("B", "W")
FIELDS = ("id", "game", "moves", "maxVisits", "analyzeTurns", "includePolicy")
LONGEST = 1_000_000
"""Characters of a query."""


class QueryError(TengenError):
    """A line that is no query; `id` where it could be read."""

    def __init__(self, text: str, id: str | None = None) -> None:
        super().__init__(text)
        self.id = id


@dataclass(frozen=True)
class Query:
    """What somebody wants to know."""

    id: str
    game: str | None
    moves: tuple[tuple[str | None, str], ...]
    """Colour, where it was given, and name."""
    visits: int | None
    turns: tuple[int, ...]
    with_policy: bool


def read_query(line: str) -> Query:
    """The query in a line."""
    try:
        data = json.loads(line) if len(line) <= LONGEST else None
    except (ValueError, RecursionError) as error:
        raise QueryError(f"that is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise QueryError("a query is an object of at most a million characters, in one line")
    name = data.get("id")
    if not isinstance(name, str):
        raise QueryError("a query needs an id: a text")
    unknown = sorted(set(data) - set(FIELDS))
    if unknown:
        raise QueryError(f"there is no field {unknown[0][:40]!r}; known are {', '.join(FIELDS)}", name)
    game, visits, policy = data.get("game"), data.get("maxVisits"), data.get("includePolicy", False)
    if game is not None and not isinstance(game, str):
        raise QueryError("game is a text, as in hex:7", name)
    if visits is not None and not (type(visits) is int and 1 <= visits <= 1_000_000_000):
        raise QueryError("maxVisits is a whole number, 1 to a thousand million", name)
    if not isinstance(policy, bool):
        raise QueryError("includePolicy is true or false", name)
    moves = _moves(data.get("moves", []), name)
    turns = data.get("analyzeTurns", [len(moves)])
    if not isinstance(turns, list) or not turns or any(type(t) is not int or not 0 <= t <= len(moves) for t in turns):
        raise QueryError(f"analyzeTurns is a list of numbers from 0 to {len(moves)}, the moves given", name)
    return Query(name, game, moves, visits, tuple(turns), policy)


def _moves(given: Any, name: str) -> tuple[tuple[str | None, str], ...]:
    if not isinstance(given, list):
        raise QueryError('moves is a list: ["d4", …] or [["B", "d4"], …]', name)
    found: list[tuple[str | None, str]] = []
    for move in given:
        if isinstance(move, str):
            found.append((None, move))
        elif isinstance(move, list) and len(move) == 2 and move[0] in COLOURS and isinstance(move[1], str):
            found.append((move[0], move[1]))
        else:
            raise QueryError('a move is "d4" or ["B", "d4"]', name)
    return tuple(found)


def position_at(query: Query, game: Game, turn: int) -> Position:
    """The position after so many of a query's moves."""
    position = Position(game)
    for number, (colour, move) in enumerate(query.moves[:turn], 1):
        player = position.to_move
        if colour is not None and (player not in (0, 1) or COLOURS[player] != colour):
            raise QueryError(f"move {number}: it is not {colour}'s turn", query.id)
        try:
            position.play(move)
        except ValueError as error:
            raise QueryError(f"move {number}: {error}", query.id) from None
    return position


def write_answer(
    query: Query, turn: int, position: Position, analysis: Analysis, lines: Mapping[int, tuple[int, ...]]
) -> str:
    """The answer, in a line. `lines`: what is expected after a move, itself the first."""
    name = position.game.move_name
    infos = [
        {
            "move": name(c.move), "order": order, "visits": c.visits, "winrate": round(c.win_rate, 6),
            "prior": round(c.prior, 6), "pv": [name(m) for m in lines.get(c.move, (c.move,))],
        }
        for order, c in enumerate(c for c in analysis.candidates if c.visits)
    ]  # fmt: skip
    root = {
        "currentPlayer": COLOURS[position.to_move], "visits": sum(c.visits for c in analysis.candidates),
        "winrate": round(min(1.0, max(0.0, (analysis.value + 1) / 2)), 6),
    }  # fmt: skip
    data: dict[str, Any] = {
        "id": query.id, "turnNumber": turn, "isDuringSearch": False, "rootInfo": root, "moveInfos": infos,
    }  # fmt: skip
    if query.with_policy:
        data["policy"] = {name(c.move): round(c.prior, 6) for c in analysis.candidates}
    return json.dumps(data)


def write_error(text: str, id: str | None) -> str:
    """What was wrong with a line."""
    return json.dumps({"error": text} if id is None else {"id": id, "error": text})
