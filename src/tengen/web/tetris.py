"""Tetris in the page: a tab has a game of its own, played by keys in real time, or by an agent to watch.

The game runs here, fifty ticks a second; the browser sends keys and draws. A message is a JSON object:

    {"do": "new", "columns": 10, "rows": 20, "preview": 1, "bag": false, "seed": 3, "player": "person" | a linear agent's name,
     "beside": a linear agent's name that plays the same pieces beside the person, one whenever the person has placed one}
    {"do": "press", "key": "left"}      {"do": "release", "key": "left"}      {"do": "hint"}
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect

from tengen.games.tetris import HIDDEN, PIECES, Tetris
from tengen.games.tetris_features import LINEAR_PLAYERS, best_placement, weights_of
from tengen.games.tetris_keys import KEYS, KeyTetris, keys_for

T = TypeVar("T")

TICK = 0.02
LONGEST_TICK = 0.25
"""A tab that was asleep does not make pieces jump."""
LONGEST_MESSAGE = 1000
PERSON = "person"
PLAYERS = (PERSON, *LINEAR_PLAYERS)
AGENT_SECONDS = 0.06
"""Between two keys of an agent that is watched."""


class BadMessage(ValueError):
    """What a browser sent makes no sense; the message is for it."""


class Hand:
    """An agent at the keys of a game."""

    def __init__(self, game: KeyTetris, player: str) -> None:
        self.game, self.player = game, player
        self._keys: list[str] = []
        self._wait = 0.0

    def lacks_plan(self, pieces: int | None = None) -> bool:
        """Whether it has to think of its next placement; with `pieces`, only until it has placed so many."""
        game = self.game
        is_on = not game.is_over and not game.paused and (pieces is None or game.pieces < pieces)
        return is_on and not self._keys

    def plan(self) -> None:
        """Think of the next placement."""
        self._keys = keys_for(self.game.rules, self.game.array, placement(self.game, self.player))

    def tick(self, seconds: float) -> bool:
        """Time passes; whether there is something new to see."""
        self._wait += min(seconds, LONGEST_TICK)
        if self._wait < AGENT_SECONDS or not self._keys:
            return False
        self._wait = 0.0
        key = self._keys.pop(0)
        self.game.press(key)
        self.game.release(key)
        return True


def placement(game: KeyTetris, player: str) -> int:
    """Where an agent would place the piece that falls."""
    return int(best_placement(game.rules, game.array, weights_of(player)))


class TetrisTab:
    """The game of one tab."""

    def __init__(self) -> None:
        self.game = KeyTetris(Tetris(), 0)
        self.player = PERSON
        self.number = 0
        """Of the game in this tab: 0 before the first is begun."""
        self.hint: list[tuple[int, int]] = []
        self._hand: Hand | None = None
        """The agent that is watched."""
        self.beside: Hand | None = None
        """The agent that plays the same pieces beside the person."""

    def hear(self, message: Mapping[str, Any]) -> bool:
        """Do what a message says; whether there is something new to see."""
        do = message.get("do")
        if do == "new":
            self._begin(message)
            return True
        if do in ("press", "release"):
            key = message.get("key")
            if key not in KEYS:
                raise BadMessage(f"the keys are {', '.join(KEYS)}")
            if self.number == 0 or (self.player != PERSON and key != "pause"):
                return False
            if do == "release":
                self.game.release(str(key))
                return False
            pieces = self.game.pieces
            changed = self.game.press(str(key))
            self._forget_hint(pieces)
            return changed
        if do == "hint":
            return self._give_hint()
        raise BadMessage("a message does new, press, release or hint")

    def tick(self, seconds: float) -> bool:
        """Time passes; whether there is something new to see."""
        if self.number == 0 or self.game.is_over or self.game.paused:
            return False
        if self._hand is not None:
            return self._hand.tick(seconds)
        pieces = self.game.pieces
        changed = self.game.tick(min(seconds, LONGEST_TICK))
        self._forget_hint(pieces)
        if self.beside is not None:
            changed |= self.beside.tick(seconds)
        return changed

    @property
    def planner(self) -> Hand | None:
        """The agent that is watched, where it has to think of its next placement."""
        hand = self._hand if self.number > 0 else None
        return hand if hand is not None and hand.lacks_plan() else None

    @property
    def planner_beside(self) -> Hand | None:
        """The agent beside the person, where the person has placed more than it."""
        hand = self.beside
        return hand if hand is not None and hand.lacks_plan(self.game.pieces) else None

    def state(self) -> dict[str, Any]:
        """What there is to see."""
        game = self.game
        alive = self.number > 0 and not game.is_over
        return {
            "number": self.number,
            "player": self.player,
            "columns": game.rules.columns,
            "rows": game.rules.rows,
            "cells": ["".join(cell or "." for cell in row) for row in game.cells[HIDDEN:]],
            "piece": game.piece,
            "falling": _seen(game.falling) if alive else [],
            "ghost": _seen(game.ghost) if alive else [],
            "hint": _seen(self.hint) if alive else [],
            "next": game.following,
            "score": game.score,
            "lines": game.lines,
            "level": game.level,
            "combo": game.combo,
            "pieces": game.pieces,
            "paused": game.paused,
            "over": game.is_over,
            "beside": None if self.beside is None else _side(self.beside),
        }

    def _begin(self, message: Mapping[str, Any]) -> None:
        numbers = {"columns": 10, "rows": 20, "preview": 1, "seed": secrets.randbelow(1 << 31)}
        for name in numbers:
            value = message.get(name, numbers[name])
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 53:
                raise BadMessage(f"{name} is a whole number")
            numbers[name] = value
        bag, player = message.get("bag", False), message.get("player", PERSON)
        beside = message.get("beside")
        if not isinstance(bag, bool) or player not in PLAYERS:
            raise BadMessage(f"bag is true or false, player one of {', '.join(PLAYERS)}")
        if beside is not None and (beside not in PLAYERS[1:] or player != PERSON):
            raise BadMessage(f"beside a person plays one of {', '.join(LINEAR_PLAYERS)}")
        rules = Tetris(numbers["columns"], numbers["rows"], numbers["preview"], bag)
        try:
            rules.check()
        except ValueError as error:
            raise BadMessage(str(error)) from None
        self.game, self.player = KeyTetris(rules, numbers["seed"]), player
        self.number += 1
        self.hint = []
        self._hand = None if player == PERSON else Hand(self.game, player)
        self.beside = None if beside is None else Hand(KeyTetris(rules, numbers["seed"]), beside)

    def _give_hint(self) -> bool:
        """Where `bcts` would drop the piece that falls."""
        if self.number == 0 or self.game.is_over or self.game.paused:
            return False
        rotation, column = divmod(placement(self.game, "bcts") - PIECES, self.game.rules.columns)
        self.hint = self.game.cells_if_dropped(rotation, column)
        return True

    def _forget_hint(self, pieces: int) -> None:
        if self.game.pieces != pieces:
            self.hint = []


def _side(hand: Hand) -> dict[str, Any]:
    """What there is to see of the game beside."""
    game = hand.game
    return {
        "player": hand.player,
        "cells": ["".join(cell or "." for cell in row) for row in game.cells[HIDDEN:]],
        "piece": game.piece,
        "falling": [] if game.is_over else _seen(game.falling),
        "score": game.score,
        "lines": game.lines,
        "pieces": game.pieces,
        "over": game.is_over,
    }


def _seen(cells: list[tuple[int, int]]) -> list[list[int]]:
    """Cells below the hidden rows, counted from the first that is seen."""
    return [[row - HIDDEN, column] for row, column in cells if row >= HIDDEN]


async def serve(ws: WebSocket) -> None:
    """Run a tab's game until the tab is closed."""
    tab = TetrisTab()
    last, news = time.monotonic(), True
    thinking: asyncio.Future[None] | None = None
    listening = asyncio.ensure_future(ws.receive_text())
    try:
        while True:
            done, _ = await asyncio.wait({listening}, timeout=TICK)
            if done:
                text = listening.result()
                listening = asyncio.ensure_future(ws.receive_text())
                try:
                    message = read(text)
                    if message.get("do") == "hint":
                        news |= await _apart(lambda: tab.hear({"do": "hint"}))
                    else:
                        news |= tab.hear(message)
                except BadMessage as error:
                    await ws.send_text(json.dumps({"error": str(error)}))
            now = time.monotonic()
            news |= tab.tick(now - last)
            last = now
            if planner := tab.planner:
                if news:
                    await ws.send_text(json.dumps(tab.state()))
                    news = False
                await _apart(planner.plan)
            if thinking is not None and thinking.done():
                thinking.result()
                thinking = None
            if thinking is None and (planner := tab.planner_beside):
                thinking = asyncio.ensure_future(_apart(planner.plan))  # the person plays on meanwhile
            if news:
                await ws.send_text(json.dumps(tab.state()))
                news = False
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        listening.cancel()
        if thinking is not None:
            thinking.cancel()


async def _apart(work: Callable[[], T]) -> T:
    """Wait for what may take long, a first one compiles, in a thread that does not keep the server from ending."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def tell(value: T | None, error: Exception | None) -> None:
        if result.done():  # nobody waits any more
            return
        if error is not None:
            result.set_exception(error)
        else:
            result.set_result(value)  # type: ignore[arg-type]

    def run() -> None:
        value, error = None, None
        try:
            value = work()
        except Exception as problem:  # told to whoever waits
            error = problem
        with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(tell, value, error)

    threading.Thread(target=run, daemon=True).start()
    return await result


def read(text: str) -> dict[str, Any]:
    """A message; BadMessage for anything that is not a small JSON object."""
    if len(text) > LONGEST_MESSAGE:
        raise BadMessage("the message is too long")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("a message is JSON") from None
    if not isinstance(message, dict):
        raise BadMessage("a message is an object")
    return message
