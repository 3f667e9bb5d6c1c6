"""What there is to see of a table, as plain data and sentences. The board itself is drawn by `board`."""

from __future__ import annotations

import time
from typing import Any

from tengen.games import CHANCE
from tengen.web.sharing import knows
from tengen.web.table import RECORD, Table


def view(table: Table) -> dict[str, Any]:
    """Everything that a page shows, except the board."""
    with table.lock:
        position, thought, game = table.position, table.thinking, table.game
        names = [game.move_name(move) for move in position.moves]
        names += [game.move_name(move) for move, _ in reversed(table.future)]
        can_play = table.person_is_to_move
        return {
            "table": table.id,
            "version": table.version,
            "title": table.title,
            "seats": [
                {"name": seat.name, "person": seat.is_person, "next": table.next_seat(player).name}
                for player, seat in enumerate(table.seats[: game.players()])
            ],
            "ply": len(position.moves),
            "moves": names,
            "shares": knows(game),
            "note": table.notes[-1] if table.notes else "",
            "to_move": None if table.is_over or position.to_move == CHANCE else position.to_move,
            "your_move": can_play,
            "legal": position.legal_moves if can_play else [],
            "over": table.is_over,
            "running": table.is_running and not table.has_person,
            "watched": not table.has_person,
            "pause": table.pause,
            "ponders": table.pondering.is_on,
            "status": status(table),
            "compiling": table.compiling or "",
            "problem": table.problem is not None,
            "result": result(table) if table.is_over else "",
            "thinking": None
            if thought is None
            else {
                "player": thought.player,
                "share": round(thought.share, 3),
                "waiting": not thought.has_place,
                "seconds": round(time.monotonic() - thought.began, 1),
            },
            "can": {
                "undo": table.resigned is not None or table.steps_back() > 0,
                "redo": bool(table.future),
                "resign": table.has_person and table.is_running and not table.is_over and game.players() == 2,
                "now": thought is not None and not thought.must_move,
            },
        }


def result(table: Table) -> str:
    """How the game has ended."""
    names, winner = table.sides, table.position.winner
    people = sum(seat.is_person for seat in table.seats)
    if table.resigned is not None:
        loser = "You have" if people == 1 else f"{names[table.resigned].capitalize()} has"
        return f"{loser} resigned: {names[1 - table.resigned]} wins."
    if table.game.players() == 1:
        return f"The game is over: {table.position.returns[0]:g} points."
    if winner is None:
        return "A draw."
    moves = len(table.position.moves)
    if people == 1 and table.seats[winner].is_person:
        return f"You win, after {moves} moves!"
    name = "" if people == 2 or table.seats[winner] is RECORD else f" ({table.seats[winner].name})"
    return f"{names[winner].capitalize()}{name} wins after {moves} moves."


def status(table: Table) -> str:
    """What is going on, in a line."""
    if table.problem:
        return table.problem
    if table.is_over:
        return result(table)
    if table.thinking is not None:
        return _of_thought(table)
    if table.has_person and not table.is_running:
        return f"looking back: move {len(table.position.moves)}; a move of yours goes on from here"
    if table.person_is_to_move:
        return _your_move(table)
    if not table.is_running:
        return "waiting: forward shows the next move" if table.future else "waiting: press play to go on"
    return ""


def _of_thought(table: Table) -> str:
    thought = table.thinking
    assert thought is not None
    name = table.seats[thought.player].name
    if not thought.has_place and not thought.is_warm_up:
        return f"{name} waits: too many agents are thinking"
    is_new = table.compiling and thought.share == 0  # nothing has been thought before the search is compiled
    return f"{name} is getting ready" if thought.is_warm_up or is_new else f"{name} is thinking"


def _your_move(table: Table) -> str:
    side = table.sides[table.position.to_move] if table.game.players() == 2 else ""
    if sum(seat.is_person for seat in table.seats) == 1:
        text = f"Your move ({side})" if side else "Your move"
    else:
        text = f"{side.capitalize()} to move"
    return text
