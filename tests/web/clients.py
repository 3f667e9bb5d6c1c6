"""Scripted browsers: they speak the page's language over a WebSocket, well and badly."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from websockets.asyncio.client import connect

GAMES = ["gomoku:9", "hex:5", "hex:5,swap", "gomoku:3,line=3", "hex:7"]
OPPONENTS = ["uct,simulations=300", "random", "beginner", "human"]

STUDY = ["analyse", "hint", "review", "stop", "teach", "unfold", "share", "engines", "ponder"]

BAD = [
    "", "{", "null", "[]", "5", '"undo"', "[" * 3000, '{"do":"play"}', '{"do":"play","move":"a1","ply":0}',
    '{"do":"play","move":1e400,"ply":-1}', '{"do":"play","move":' + "9" * 300 + ',"ply":0}', '{"do":"play","move":-1,"ply":0}',
    '{"do":"open","table":"../../etc/passwd"}', '{"do":"open","table":5}', '{"do":"open"}', '{"do":"new","game":"/etc/passwd","seats":[]}',
    '{"do":"new","game":"hex:5","seats":["net:/etc/passwd","human"]}', '{"do":"new","game":"hex:99999999","seats":["human","human"]}',
    '{"do":"new","game":{"a":1},"seats":{}}', '{"do":"new","game":"hex:5","seats":["uct,memory=999999","human"]}',
    '{"do":"goto","ply":99999}', '{"do":"pause","seconds":NaN}', '{"do":"pause","seconds":-5}', '{"do":"layout","layout":"<svg>"}',
    '{"do":"run","name":"../.."}', '{"do":"run","name":null}', '{"do":"replay","run":"x","number":' + "9" * 40 + "}",
    '{"do":"topp","run":"..","games":1000000}', '{"do":"__init__"}', '{"do":"\\ud800"}', '{"do":"open","table":"\\ud800"}',
    '{"do":"again","exchange":"yes"}', '{"do":"run-on","on":1}', '{"do":"now","x":' + "[" * 900 + "]" * 900 + "}", "x" * 20_000,
    '{"do":"analyse","on":"yes"}', '{"do":"review","seconds":1e9}', '{"do":"review","seconds":NaN}', '{"do":"engine","name":"net:/etc/passwd"}',
    '{"do":"unfold","line":[1e9]}', '{"do":"unfold","line":"a"}', '{"do":"share","kind":"../x"}', '{"do":"bring","text":"(;GM[11]SZ[99999999])"}',
    '{"do":"bring","text":"' + "(;" * 4000 + '"}', '{"do":"shown","game":"/etc/passwd","moves":""}', '{"do":"shown","game":"hex:5","moves":"zz"}',
    '{"do":"train","preset":"../x","name":"a","values":{}}', '{"do":"train","preset":"on-policy","name":"../a","values":{}}',
    '{"do":"train","preset":"on-policy","name":"a","values":{"game":"--help"}}', '{"do":"resume","name":"../..","values":{}}',
    '{"do":"stop-run","name":"x"}', '{"do":"ponder","on":3}', '{"do":"teach"}', '{"do":"run","name":"x","axis":"y"}',
]  # fmt: skip


class Client:
    """A tab with a game of its own, clicked at random."""

    def __init__(self, address: str, seed: int, tally: Counter) -> None:
        self.address, self.tally = address, tally
        self.random = random.Random(seed)
        self.state: dict | None = None
        self.table = ""
        self.errors: list[str] = []
        self.told = asyncio.Event()

    async def run(self, until: float) -> None:
        """Click until the time is over; now and then close the tab and open it again."""
        clock = asyncio.get_running_loop().time
        while clock() < until:
            async with connect(self.address, max_size=2**22) as socket:
                listener = asyncio.create_task(self.listen(socket))
                await self.begin(socket)
                for _ in range(self.random.randint(20, 200)):
                    if clock() >= until:
                        break
                    await self.act(socket)
                    await asyncio.sleep(self.random.uniform(0.0, 0.06))
                await self.check(socket)
                listener.cancel()
                await asyncio.gather(listener, return_exceptions=True)

    async def listen(self, socket) -> None:
        async for text in socket:
            message = json.loads(text)
            self.tally["messages"] += 1
            if message["say"] == "table":
                if message["table"] == self.table or not self.table:
                    self.state, self.table = message, message["table"]
                self.told.set()
            elif message["say"] == "error":
                self.tally["refused"] += 1
                self.errors.append(message["text"])
                self.told.set()

    async def send(self, socket, verb: str, **fields) -> None:
        self.tally["sent"] += 1
        await socket.send(json.dumps({"do": verb, **fields}))

    async def begin(self, socket) -> None:
        await self.send(socket, "hello")
        if self.table:  # the tab was closed, the game is still there
            await self.look(socket)
            return
        opponent = self.random.choice(OPPONENTS)
        seats = ["human", opponent]
        self.random.shuffle(seats)
        self.told.clear()
        await self.send(socket, "new", game=self.random.choice(GAMES), seats=seats)
        await asyncio.wait_for(self.told.wait(), 60)

    async def look(self, socket) -> None:
        """Open the own game, and wait until it is here."""
        self.told.clear()
        await self.send(socket, "open", table=self.table)
        await asyncio.wait_for(self.told.wait(), 60)

    async def act(self, socket) -> None:
        dice, state = self.random.random(), self.state
        if dice < 0.12:
            self.tally["bad"] += 1
            await socket.send(self.random.choice(BAD))
        elif dice < 0.16:
            self.tally["bad"] += 1
            await socket.send(bytes(self.random.randrange(256) for _ in range(40)))
        elif state["over"]:
            self.tally["games"] += 1
            self.told.clear()
            await self.send(socket, "again", exchange=self.random.random() < 0.5)
            await asyncio.wait_for(self.told.wait(), 60)
        elif dice < 0.25:
            verb = self.random.choice(["undo", "redo", "undo", "now", "run-on", "goto", "layout", *STUDY])
            await self.send(
                socket, verb, on=self.random.random() < 0.5, ply=2, layout=self.random.choice(["flat", "diamond"]),
                seconds=0.1, kind=self.random.choice(["sgf", "link", "psq"]), line=[0],
            )  # fmt: skip
        elif dice < 0.255:
            await self.send(socket, "resign")
        else:
            is_clever = bool(state["legal"]) and self.random.random() < 0.95
            self.told.clear()
            await self.send(
                socket, "play", move=self.random.choice(state["legal"] if is_clever else range(90)), ply=state["ply"]
            )
            if is_clever:
                await asyncio.wait_for(self.told.wait(), 60)

    async def check(self, socket) -> None:
        """The game that the server has is the game that was played: nothing is lost, the moves agree with the stones."""
        await self.look(socket)
        state = self.state
        assert state["table"] == self.table
        swapped = "swap" in state["moves"][: state["ply"]]
        assert len(state["cells"]) == state["ply"] - (1 if swapped else 0), state
        self.tally["checked"] += 1


def play_many(address: str, count: int, seconds: float, seed: int = 0) -> Counter:
    """So many clients at once for so long; what happened. In a thread of its own: the browser's driver has the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, _play_many(address, count, seconds, seed)).result()


async def _play_many(address: str, count: int, seconds: float, seed: int) -> Counter:
    tally: Counter = Counter()
    clients = [Client(address, seed + i, tally) for i in range(count)]
    until = asyncio.get_running_loop().time() + seconds
    await asyncio.gather(*(client.run(until) for client in clients))
    tally["unforeseen"] = sum("went wrong" in text for client in clients for text in client.errors)
    return tally
