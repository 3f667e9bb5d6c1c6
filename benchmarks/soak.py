"""Page, engine and training at work together for as long as you like: does memory stay level, and is every log clean?

    python benchmarks/soak.py                                   half an hour
    python benchmarks/soak.py --minutes 2 --picture soak.png    shorter, with memory as a chart

`tengen serve` with clients that click at random and send nonsense, an HTP engine that plays game after game, and training runs
one after the other, all in processes of their own. It ends with exit code 1 when one of them has printed something that it should
not, has ended by itself, or has grown by more than a tenth (and 30 MB) between the second quarter of the time and the last.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "web"))

from clients import Client
from serving import ServerProcess

LOOK_EVERY = 1.0
GROWTH, GROWTH_MB = 1.1, 30.0
WARM = 120
"""Looks in a quarter of the time, at least: in shorter ones everything is still being loaded, and growth is not judged."""


class Engine:
    """An HTP engine that plays against itself without end."""

    def __init__(self, log: Path) -> None:
        self.log, self.games, self.over = log, 0, False
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tengen", "engine", "htp", "--agent", "uct,simulations=2000"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=log.open("w"), text=True,
        )  # fmt: skip
        self.thread = threading.Thread(target=self.play, daemon=True)
        self.thread.start()

    def say(self, line: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        while self.process.stdout.readline().strip():
            pass
        if not answer.startswith("=") and not self.over:
            with self.log.open("a") as out:
                out.write(f"{line}: {answer}")
        return answer

    def play(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while not self.over:
                self.say("boardsize 7 7")
                for move in range(60):
                    if "resign" in self.say(f"genmove {'bw'[move % 2]}") or self.over:
                        break
                    if self.say("final_score")[2:].strip() not in ("", "cannot score"):
                        break
                self.games += 1

    def stop(self) -> None:
        self.over = True
        self.thread.join(30)
        with contextlib.suppress(OSError):
            self.say("quit")
        self.process.wait(30)


class Training:
    """Runs, one after the other."""

    def __init__(self, log: Path, games: int) -> None:
        self.log, self.games, self.runs, self.over, self.codes = log, games, 0, False, list[int]()
        self.process: subprocess.Popen | None = None
        self.thread = threading.Thread(target=self.go_on, daemon=True)
        self.thread.start()

    def go_on(self) -> None:
        while not self.over:
            command = f"train on-policy --games {self.games} --threads 1 --name soak-{self.runs}".split()
            with self.log.open("a") as out:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "tengen", *command], stdout=subprocess.DEVNULL, stderr=out
                )
            code = self.process.wait()
            if not self.over:
                self.codes.append(code)
            self.runs += 1

    def stop(self) -> None:
        self.over = True
        if self.process and self.process.poll() is None:
            self.process.send_signal(2)
        self.thread.join(60)


def megabytes(process: int) -> float:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return float("nan")


async def click(address: str, clients: int, seconds: float, tally: Counter) -> list[str]:
    until = asyncio.get_running_loop().time() + seconds
    found = await asyncio.gather(
        *(Client(address, seed, tally).run(until) for seed in range(clients)), return_exceptions=True
    )
    return [repr(error) for error in found if isinstance(error, BaseException)]


def has_grown(curve: list[float]) -> bool:
    """From the second quarter, when everything is loaded, to the last."""
    quarter = len(curve) // 4
    if quarter < WARM:
        return False
    before, after = statistics.median(curve[quarter : 2 * quarter]), statistics.median(curve[-quarter:])
    return after > before * GROWTH and after > before + GROWTH_MB


def draw(curves: dict[str, list[float]], file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 3.5))
    for name, curve in curves.items():
        axes.plot([LOOK_EVERY * i / 60 for i in range(len(curve))], curve, label=name)
    axes.set(xlabel="minutes", ylabel="MB", ylim=(0, None))
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=30.0)
    options.add_argument("--clients", type=int, default=10)
    options.add_argument("--games", type=int, default=20000, help="of a training run")
    options.add_argument("--picture", type=Path, default=None)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder, tally = Path(temporary), Counter[str]()
        os.environ["TENGEN_RUNS"] = str(folder / "runs")
        page = ServerProcess("serve")
        engine, training = Engine(folder / "engine.log"), Training(folder / "training.log", chosen.games)
        curves: dict[str, list[float]] = {"page": [], "engine": [], "training": []}
        over = threading.Event()

        def look() -> None:
            while not over.wait(LOOK_EVERY):
                curves["page"].append(page.memory() if page.process.poll() is None else float("nan"))
                curves["engine"].append(megabytes(engine.process.pid))
                curves["training"].append(megabytes(training.process.pid) if training.process else float("nan"))

        watcher = threading.Thread(target=look, daemon=True)
        watcher.start()
        errors = asyncio.run(click(page.socket_address, chosen.clients, 60 * chosen.minutes, tally))
        over.set()
        watcher.join()
        ended = [name for name, one in (("page", page.process), ("engine", engine.process)) if one.poll() is not None]
        engine.stop()
        training.stop()
        page.stop()
        logs = {
            "page": page.complaints(), "engine": (folder / "engine.log").read_text().splitlines(),
            "training": [line for line in (folder / "training.log").read_text().splitlines() if "tengen resume" not in line],
        }  # fmt: skip
    if chosen.picture:
        draw(curves, chosen.picture)
    grown = [name for name, curve in curves.items() if has_grown([one for one in curve if one == one])]
    bad = errors + [f"{name}: {line.strip()}" for name, lines in logs.items() for line in lines if _is_bad(line)]
    print(json.dumps({
        "minutes": chosen.minutes, "messages sent": tally["sent"], "messages received": tally["messages"],
        "games of the engine": engine.games, "training runs ended": training.codes,
        "megabytes": {name: [round(one) for one in (curve[len(curve) // 4], curve[-1])] for name, curve in curves.items()},
        "grown": grown, "ended": ended, "complaints": bad[:20],
    }, indent=1))  # fmt: skip
    sys.exit(1 if grown or ended or bad or any(training.codes) else 0)


def _is_bad(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(("compiling", "loading"))


if __name__ == "__main__":
    main()
