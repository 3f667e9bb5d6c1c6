"""A run on a cluster of this machine with a worker killed every few seconds, beside an undisturbed one of as many games.

    python benchmarks/killed_workers.py                             6×6 Hex, some ten minutes, a worker every 20 s
    python benchmarks/killed_workers.py --games 600 --every 5       shorter

It ends with exit code 1 unless every game of the disturbed run is there exactly once, and says how its last network does against
the other's: 400 games, sampled moves, openings of two random moves. The interval should lie within 43 and 57 %.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from tengen.agents import parse_agent
from tengen.arena import play_match
from tengen.cluster.connecting import connected
from tengen.cluster.selfplay import Happenings, cluster_source
from tengen.games import parse_game
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory
from tengen.training.config import RunConfig, config_from, load_preset
from tengen.training.loop import train


def run_of(folder: Path, name: str, config: RunConfig) -> RunDirectory:
    os.environ["TENGEN_RUNS"] = str(folder)
    return RunDirectory.create(name, config.as_dict())


def disturbed(run: RunDirectory, config: RunConfig, every: float, workers: int) -> tuple[int, float]:
    """Train, with a worker killed again and again; how many were, and the seconds it took."""
    alive: list[int] = []
    killed, over = [0], threading.Event()

    def note(members) -> None:
        alive[:] = [member.process for member in members]

    def kill() -> None:
        turn = 0
        while not over.wait(every):
            if alive:
                turn += 1
                with contextlib.suppress(OSError):
                    os.kill(alive[turn % len(alive)], signal.SIGKILL)
                    killed[0] += 1

    begun = time.monotonic()
    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    try:
        with connected("local", workers) as ray:
            train(run, config, source=cluster_source(ray, Happenings(note)))
    finally:
        over.set()
    return killed[0], time.monotonic() - begun


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--preset", default="hex-5")
    options.add_argument("--game", default="hex:6")
    options.add_argument("--games", type=int, default=20000, help="of each run")
    options.add_argument("--every", type=float, default=20.0, help="seconds between two kills")
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--match", type=int, default=400)
    options.add_argument("--simulations", type=int, default=0, help="of each search; 0: the preset's")
    options.add_argument("--folder", type=Path, default=None, help="where the runs are kept; else a temporary one")
    chosen = options.parse_args()
    data = load_preset(chosen.preset).as_dict() | {"game": chosen.game}
    data["training"] |= {"games": chosen.games, "nets": 2}
    data["selfplay"] |= {"threads": chosen.workers}
    data["rating"] |= {"share": 0.0}
    if chosen.simulations:
        data["search"] |= {"simulations": chosen.simulations}
    config = config_from(data, "the benchmark")
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        one, other = run_of(folder, "disturbed", config), run_of(folder, "undisturbed", config)
        killed, seconds = disturbed(one, config, chosen.every, chosen.workers)
        store = RecordStore(one.games)
        numbers = [record.number for record in store.all_after(0)]
        store.close()
        with connected("local", chosen.workers) as ray:
            train(other, config, source=cluster_source(ray))
        agents = [parse_agent(f"net,move=sample:{run.net_files()[-1]}") for run in (one, other)]
        result = play_match(parse_game(chosen.game), agents[0], agents[1], chosen.match, seed=1, opening=2, threads=2)
    once = sorted(numbers) == list(range(chosen.games))
    low, high = result.interval
    print(json.dumps({
        "game": chosen.game, "games": chosen.games, "workers killed": killed, "seconds": round(seconds), "every game once": once,
        "score against the undisturbed run's network": result.total.score, "interval": [low, high], "match": result.total.games,
    }, indent=1))  # fmt: skip
    sys.exit(0 if once and killed else 1)


if __name__ == "__main__":
    main()
