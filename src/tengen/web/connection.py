"""One tab: its messages in, what it looks at out.

What is sent is always the newest state, never a backlog: a slow browser misses frames, and nothing piles up.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from tengen.errors import TengenError
from tengen.web import board, example
from tengen.web.messages import LONGEST, BadMessage, Message
from tengen.web.offers import Offers, title
from tengen.web.passing import passing_verbs
from tengen.web.room import Room
from tengen.web.runs import Runs
from tengen.web.studying import study_verbs
from tengen.web.table import Table
from tengen.web.training_verbs import training_verbs
from tengen.web.view import view

LOOK_AT_RUN_EVERY = 1.0
"""Seconds between two looks at a run that a tab shows."""

log = logging.getLogger("tengen.web")


class Hall:
    """What all tabs of a server share."""

    def __init__(self, room: Room, runs: Runs, offers: Offers, first_table: str = "") -> None:
        self.room, self.runs, self.offers = room, runs, offers
        self.first_table = first_table
        """The game that was asked for on the command line."""
        self.failures = 0
        """Messages whose handling failed in a way that nobody foresaw; each is in the log."""


class Connection:
    """A tab."""

    def __init__(self, hall: Hall, socket: WebSocket) -> None:
        self.hall, self.socket = hall, socket
        self.table: Table | None = None
        self.layout = "diamond"
        self._replies: deque[dict[str, Any]] = deque(maxlen=20)
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._sent_board: tuple[str, str] | None = None
        self._sent_version = -1
        self._marks_of: tuple[str, list[int]] = ("", [])
        self._marks: dict[str, Any] = {}
        self._run = ""
        self._run_options = ("games", "")
        verbs: dict[str, Callable[[Message], Any] | Callable[[Message], Awaitable[Any]]] = {
            "hello": self._hello, "new": self._new, "open": self._open, "layout": self._set_layout,
            "leave": self._leave, "runs": self._list_runs, "run": self._show_run, "replay": self._replay,
            "topp": self._topp, "example": self._example,
            "play": lambda m: self._at_table().play(m.get("move", int), m.get("ply", int)),
            "undo": lambda m: self._at_table().undo(), "redo": lambda m: self._at_table().redo(),
            "goto": lambda m: self._at_table().go_to(m.get("ply", int)),
            "resign": lambda m: self._at_table().resign(), "now": lambda m: self._at_table().move_now(),
            "run-on": lambda m: self._at_table().run(m.get("on", bool)),
            "pause": lambda m: self._at_table().set_pause(m.get("seconds", float)),
            "ponder": lambda m: self._at_table().ponder(m.get("on", bool)),
            "again": lambda m: self._at_table().again(m.get("exchange", bool, False)),
        }  # fmt: skip
        self._verbs = verbs | study_verbs(self._at_table, hall.offers, self._reply)
        self._verbs |= passing_verbs(self._at_table, self._sit_at, hall.room, hall.offers, self._reply)
        self._verbs |= training_verbs(hall.runs, self._reply)
        self._sent_study: tuple[int, int, int] | None = None

    async def serve(self) -> None:
        """Until the tab is closed."""
        tasks = [asyncio.create_task(self._send_states()), asyncio.create_task(self._look_at_run())]
        try:
            while True:
                await self._handle(await self.socket.receive())
        except WebSocketDisconnect:
            pass
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._sit_at(None)

    async def _handle(self, event: Any) -> None:
        if event["type"] == "websocket.disconnect":
            raise WebSocketDisconnect
        text = event.get("text")
        try:
            if text is None or len(text) > LONGEST:
                raise BadMessage("that is not a message")
            message = Message(text)
            if message.verb not in self._verbs:
                raise BadMessage(f"there is no verb {message.verb!r}")
            answer = self._verbs[message.verb](message)
            if asyncio.iscoroutine(answer):
                await answer
        except TengenError as error:
            self._reply({"say": "error", "text": str(error)[:400]})
        except Exception:
            self.hall.failures += 1
            log.exception("a message could not be handled")
            self._reply({"say": "error", "text": "that went wrong; the server's log says why"})

    # --- out

    def _reply(self, data: dict[str, Any]) -> None:
        self._replies.append(data)
        self._wake.set()

    def _table_has_changed(self) -> None:
        """Called from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake.set)

    async def _send_states(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._replies:
                await self._send(self._replies.popleft())
            table = self.table
            if table is not None and table.version != self._sent_version:
                self._sent_version = table.version
                try:
                    state = self._state(table)
                except Exception:  # somebody's own game: what it draws, or what it calls its moves
                    self.hall.failures += 1
                    log.exception("a game could not be shown")
                    state = {"say": "error", "text": "this game cannot be shown; the server's log says why"}
                await self._send(state)
                table.begin()  # the board is there: now agents may take the processor
            await asyncio.sleep(0.02)  # what changes at once is sent at once

    async def _send(self, data: dict[str, Any]) -> None:
        await self.socket.send_text(json.dumps(data, separators=(",", ":")))

    def _state(self, table: Table) -> dict[str, Any]:
        with table.lock:
            position = table.position
            if self._marks_of != (table.id, position.moves):  # else only the time has changed: an agent is thinking
                self._marks_of, self._marks = (table.id, list(position.moves)), board.marks(position)
            data = {"say": "table", **view(table), **self._marks}
            if not data["your_move"]:
                data["buttons"] = []
            key = (table.id, self.layout)
            if not board.is_fixed(position) or self._sent_board != key:
                data["board"] = board.draw(position, self.layout)
                self._sent_board = key
            position_key = (table.study.version, table.study.key(), len(table.future))
            if self._sent_study != position_key:
                self._sent_study = position_key
                data["study"] = table.study.as_json()
        return data

    async def _look_at_run(self) -> None:
        """Send the run that is shown again and again, while it changes."""
        last = ""
        while True:
            if self._run:
                try:
                    data = await asyncio.to_thread(self.hall.runs.view, self._run, *self._run_options)
                    text = json.dumps(data)
                    if text != last:
                        last = text
                        self._reply({"say": "run", **data})
                except TengenError as error:
                    self._run = ""
                    self._reply({"say": "error", "text": str(error)})
                except Exception:  # a file in the middle of a change: the next look will do
                    log.warning("a run could not be read", exc_info=True)
            else:
                last = ""
            await asyncio.sleep(LOOK_AT_RUN_EVERY)

    # --- in

    def _at_table(self) -> Table:
        if self.table is None:
            raise BadMessage("no game is open in this tab")
        self.hall.room.get(self.table.id)
        return self.table

    def _sit_at(self, table: Table | None) -> None:
        if self.table is not None:
            self.table.unwatch(self._table_has_changed)
            if self.table.is_record and not self.table.is_kept:
                self.hall.room.drop(self.table)
        self.table, self._sent_version = table, -1
        self._sent_board = None
        self._sent_study = None
        if table is not None:
            table.watch(self._table_has_changed)
            self._wake.set()

    async def _hello(self, message: Message) -> None:
        data = await asyncio.to_thread(self.hall.offers.as_json)
        self._reply({"say": "hello", **data, "table": self.hall.first_table})

    async def _new(self, message: Message) -> None:
        game = self.hall.offers.game(message.get("game", str))
        texts = message.texts("seats", 2)
        seats = await asyncio.to_thread(self.hall.offers.seats, texts, game)
        table = Table(game, seats, self.hall.room.thinkers, title=title(game), begins=False)
        self._sit_at(self.hall.room.add(table))

    def _open(self, message: Message) -> None:
        self._sit_at(self.hall.room.get(message.get("table", str)))

    def _leave(self, message: Message) -> None:
        self._sit_at(None)
        self._run = ""

    def _set_layout(self, message: Message) -> None:
        layout = message.get("layout", str)
        if layout not in board.LAYOUTS:
            raise BadMessage(f"a board is drawn {' or '.join(board.LAYOUTS)}")
        self.layout, self._sent_version = layout, -1
        self._wake.set()

    async def _list_runs(self, message: Message) -> None:
        self._reply({"say": "runs", "runs": await asyncio.to_thread(self.hall.runs.listing)})

    async def _show_run(self, message: Message) -> None:
        name = message.get("name", str)
        axis, beside = message.get("axis", str, "games"), message.get("beside", str, "")
        data = await asyncio.to_thread(self.hall.runs.view, name, axis, beside)
        self._run, self._run_options = name, (axis, beside)
        self._reply({"say": "run", **data})

    async def _replay(self, message: Message) -> None:
        name, number = message.get("run", str), message.get("number", int)
        table = await asyncio.to_thread(self.hall.runs.table, name, number)
        if self.table is not None and self.table.is_record:
            table.pause = self.table.pause
        self._sit_at(self.hall.room.add(table))

    async def _topp(self, message: Message) -> None:
        name, games = message.get("run", str), message.get("games", int)
        await asyncio.to_thread(self.hall.runs.hold_tournament, name, games)

    async def _example(self, message: Message) -> None:
        """The search may have to be compiled first: that is done on a thread of the thinkers."""
        self._reply({"say": "wait", "text": "computing the example; the first time the search is compiled for it …"})
        found = self.hall.room.thinkers.ask(example.steps)
        self._reply({"say": "example", "steps": await asyncio.wrap_future(found)})
