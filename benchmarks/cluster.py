"""Self-play through Ray on this machine, beside threads: two workers beside one, and what Ray costs.

    python benchmarks/cluster.py                      each way in turn, several rounds; needs as many idle processors as workers
    python benchmarks/cluster.py --seconds 5 --rounds 3 --network res4x32@9

The driver does not learn. Speeds are evaluations a second; the cost of Ray is also counted in processor time, of the driver and
all workers together, which a busy machine does not change: evaluations for each second of the processor, by Ray and by threads.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import statistics
import time
from pathlib import Path

from tengen.bench.selfplay import game_of, random_network
from tengen.cluster.connecting import connected
from tengen.cluster.selfplay import Happenings, cluster_source
from tengen.games import game_spec
from tengen.training.config import config_from, load_preset
from tengen.training.sources import Order, in_threads

TICK = os.sysconf("SC_CLK_TCK")


WAYS = (
    ("ray 1", cluster_source, 1), ("threads 1", in_threads, 1), ("ray 2", cluster_source, 2), ("threads 2", in_threads, 2),
)  # fmt: skip


class Resting:
    """A learner that does not learn."""

    steps, sigma = 0, 0.0

    def __init__(self, network: str) -> None:
        self.game, self._file = game_of(network), random_network(network)

    def onnx_for_selfplay(self) -> bytes:
        return self._file


def processor_seconds(processes: set[int]) -> float:
    """Of this process and others."""
    total = time.process_time()
    for process in processes:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / TICK
    return total


class Way:
    """Self-play that goes on between two looks at it."""

    def __init__(self, source, teacher, config, workers: int, processes: set[int]) -> None:
        self.processes = processes
        self.order = Order(teacher, config, itertools.count(), workers)
        self.games = source(self.order)

    def measure(self, seconds: float) -> tuple[float, float]:
        """Evaluations a second, and for each second of the processor."""
        warm = time.monotonic() + seconds / 2
        while time.monotonic() < warm:
            next(self.games)
        begun, spent, asked = time.monotonic(), processor_seconds(self.processes), self.order.evaluations
        while time.monotonic() < begun + seconds:
            next(self.games)
        done = self.order.evaluations - asked
        return done / (time.monotonic() - begun), done / (processor_seconds(self.processes) - spent)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--network", default="mlp2x128@6", help="its shape and board: mlp2x128@6, res4x32@9")
    options.add_argument("--seconds", type=float, default=6.0)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--simulations", type=int, default=100)
    options.add_argument("--slots", type=int, default=64)
    chosen = options.parse_args()
    teacher = Resting(chosen.network)
    data = load_preset("hex-7").as_dict() | {"game": game_spec(teacher.game)}
    data["search"] |= {"simulations": chosen.simulations}
    data["selfplay"] |= {"slots": chosen.slots, "int8": False, "resign": 0.0, "played_out": 0.1}
    config = config_from(data, "the benchmark")
    found: dict[str, list[tuple[float, float]]] = {}
    with connected("local", 2) as ray:
        for _ in range(chosen.rounds):
            for name, source, workers in WAYS:
                processes: set[int] = set()

                def note(members, processes=processes):
                    processes |= {member.process for member in members}

                make = source(ray, Happenings(note)) if source is cluster_source else source
                way = Way(make, teacher, config, workers, processes)
                while name == "ray 2" and len(processes) < 2:
                    next(way.games)  # until both are there
                next(way.games)
                found.setdefault(name, []).append(way.measure(chosen.seconds))
                way.games.close()
    speed = {name: statistics.median(speed for speed, _ in rounds) for name, rounds in found.items()}
    cost = {name: statistics.median(cost for _, cost in rounds) for name, rounds in found.items()}

    def ratio(one: str, other: str, what: int) -> float:
        return statistics.median(a[what] / b[what] for a, b in zip(found[one], found[other]))

    print(json.dumps({
        "network": chosen.network, "evaluations/s": speed, "evaluations/processor second": cost,
        "two workers beside one": ratio("ray 2", "ray 1", 0), "two threads beside one": ratio("threads 2", "threads 1", 0),
        "ray beside threads, 1": ratio("ray 1", "threads 1", 0), "ray beside threads, 2": ratio("ray 2", "threads 2", 0),
        "ray beside threads by processor time, 1": ratio("ray 1", "threads 1", 1),
        "ray beside threads by processor time, 2": ratio("ray 2", "threads 2", 1),
    }, indent=1))  # fmt: skip


if __name__ == "__main__":
    main()
