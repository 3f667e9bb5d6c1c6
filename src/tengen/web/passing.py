"""What a tab may ask about games that go out and come in: the verbs of sharing, and the pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from tengen.errors import TengenError
from tengen.games import Position
from tengen.web import board, sharing
from tengen.web.messages import Message
from tengen.web.offers import Offers
from tengen.web.offers import title as title_of
from tengen.web.room import Room
from tengen.web.table import RECORD, Table

Verb = Callable[[Message], Any]


def passing_verbs(
    at_table: Callable[[], Table],
    sit_at: Callable[[Table], None],
    room: Room,
    offers: Offers,
    reply: Callable[[dict[str, Any]], None],
) -> dict[str, Verb]:
    """The verbs; `at_table` is where the tab sits, `sit_at` moves it to another table."""

    async def share(message: Message) -> None:
        kind, table = message.get("kind", str), at_table()
        text = await asyncio.to_thread(sharing.write, table, kind)
        reply({"say": "shared", "kind": kind, "text": text})

    async def bring(message: Message) -> None:
        shared = await asyncio.to_thread(sharing.read, message.long_text("text"))
        _show(shared)

    async def shown(message: Message) -> None:
        game = offers.game(message.get("game", str))
        shared = await asyncio.to_thread(sharing.from_link, game, message.long_text("moves"))
        _show(shared)

    def _show(shared: sharing.Shared) -> None:
        title = f"{title_of(shared.game)}: {shared.title}"[:120]
        record = list(zip(shared.moves, shared.notes, strict=True))
        seats = [RECORD] * shared.game.players()
        table = Table(shared.game, seats, room.thinkers, record=record, gave_up=shared.gave_up, title=title)
        table.is_kept = True
        table.go_to(len(record))
        sit_at(room.add(table))

    return {"share": share, "bring": bring, "shown": shown}


async def picture(request: Request, room: Room) -> Response:
    """A position of a table as PNG, or its game up to there as GIF."""
    from tengen.web.pictures import gif, png  # Pillow is loaded when there is a picture to make

    name, _, kind = request.path_params["name"].rpartition(".")
    layout = request.query_params.get("layout", board.LAYOUTS[0])
    try:
        if kind not in ("png", "gif") or layout not in board.LAYOUTS:
            raise TengenError("there is no such picture")
        table = room.get(name)
        with table.lock:
            moves = [*table.position.moves, *(move for move, _ in reversed(table.future))]
        ply = request.query_params.get("ply", str(len(moves)))
        if not (ply.isascii() and ply.isdigit() and int(ply[:9]) <= len(moves)):
            raise TengenError("the game has no such move")
        position = Position(table.game, moves[: int(ply)])
        data = await asyncio.to_thread(png if kind == "png" else gif, position, layout)
    except TengenError as error:
        return Response(f"{error}\n", 404)
    return Response(data, 200, {"Cache-Control": "no-cache"}, f"image/{kind}")
