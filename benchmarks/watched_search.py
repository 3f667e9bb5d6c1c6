"""What it costs a thinking `zero` agent that a page shows its thoughts, and how often the page is told.

    python benchmarks/watched_search.py [PAIRS]

The same search, with the same seed and so with the same simulations, is made by turns with nobody looking and with a tab looking
on: a server of the page in this process, the tab in another one, at the other end of a WebSocket. What is compared is the
processor's time of the whole process: the search, what is made of its thoughts, and the server that sends them. Within a pair the
one that comes first changes, and the figure is the median ratio of the pairs with its 95 % interval (bootstrap), so that other
programs on the machine change little. They do change one thing: updates come by the clock, and a search that has a third of a
processor lasts three times as long and is shown three times as often. So the cost of one update is given as well, and what so
many a second take of a processor: that is what a search with a processor of its own loses.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import threading
import time

import numpy as np
import uvicorn

from tengen.agents import parse_agent
from tengen.games import Position, parse_game
from tengen.web.server import Server, listen
from tengen.web.table import PERSON, Table

GAME, AGENT = "hex:7", "zero,simulations={}:hex-7"
SECONDS = 1.0
"""Of a search, about."""

TAB = """
import asyncio, json, sys, websockets
async def look(address, table):
    async with websockets.connect(address, max_size=None) as socket:
        await socket.send(json.dumps({"do": "open", "table": table}))
        async for text in socket:
            print(int('"study"' in text), flush=True)
asyncio.run(look(*sys.argv[1:]))
"""


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    game = parse_game(GAME)
    server, listener = Server(), listen("127.0.0.1", 0)
    service = uvicorn.Server(uvicorn.Config(server.app, log_config=None, access_log=False))
    threading.Thread(target=service.run, kwargs={"sockets": [listener]}, daemon=True).start()
    table = server.room.add(Table(game, [PERSON, PERSON], server.thinkers))
    address = f"ws://127.0.0.1:{listener.getsockname()[1]}/ws"
    tab = subprocess.Popen([sys.executable, "-c", TAB, address, table.id], stdout=subprocess.PIPE, text=True)
    updates = [0]

    def count() -> None:
        for line in tab.stdout:
            updates[0] += int(line)

    threading.Thread(target=count, daemon=True).start()
    try:
        while updates[0] == 0:  # the tab is there
            time.sleep(0.05)
        report(measure(game, table, updates, pairs))
    finally:
        tab.terminate()
        tab.wait()
        service.should_exit = True
        server.close()


def measure(game, table, updates, pairs):
    """Processor seconds of each pair, unwatched and watched; how often the tab was told, in how many seconds."""
    position = Position(game)
    listen_to = table.study.listener(position, "zero")
    assert listen_to is not None

    def search(agent, seed, is_watched):
        agent.new_game(seed)
        agent.watch = listen_to if is_watched else None
        told, began, cpu = updates[0], time.monotonic(), time.process_time()
        agent.choose(position)
        return time.process_time() - cpu, time.monotonic() - began, updates[0] - told

    trial = parse_agent(AGENT.format(2000)).make(game)
    search(trial, 0, False)
    simulations = int(2000 * SECONDS / search(trial, 0, False)[0])
    agent = parse_agent(AGENT.format(simulations)).make(game)
    search(agent, 0, True)
    found = []
    for pair in range(pairs):
        order = (False, True) if pair % 2 == 0 else (True, False)
        results = {is_watched: search(agent, pair, is_watched) for is_watched in order}
        found.append((results[False][0], results[True][0], results[True][1], results[True][2]))
    return simulations, found


def report(measured) -> None:
    simulations, found = measured
    plain, watched, seconds, told = zip(*found, strict=True)
    ratios = np.array(watched) / np.array(plain)
    chooser = np.random.default_rng(0)
    medians = [float(np.median(chooser.choice(ratios, len(ratios)))) for _ in range(4000)]
    low, high = np.percentile(medians, [2.5, 97.5])
    shown = min(t / s for t, s in zip(told, seconds, strict=True))
    costs = (np.array(watched) - np.array(plain)) / np.array(told)
    cost = [float(np.median(chooser.choice(costs, len(costs)))) for _ in range(4000)]
    print(
        f"{AGENT.format(simulations)}, {len(ratios)} pairs of searches, {statistics.median(plain):.2f} s of processor time each"
    )
    print(f"watched / unwatched: {np.median(ratios):.3f}, 95 % interval {low:.3f} to {high:.3f}")
    rate = sum(told) / sum(seconds)
    print(f"updates: {rate:.1f} a second; {shown:.1f} in the worst search")
    middle, least, most = float(np.median(costs)), *np.percentile(cost, [2.5, 97.5])
    print(f"an update: {1000 * middle:.2f} ms of processor time, {1000 * least:.2f} to {1000 * most:.2f}")
    print(f"so {rate:.1f} a second take {rate * middle:.1%} of a processor, {rate * least:.1%} to {rate * most:.1%}")


if __name__ == "__main__":
    main()
