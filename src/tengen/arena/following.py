"""A run is rated while it trains: by a process of its own, which has little of the machine and loses nothing.

``python -m tengen.arena.following FOLDER`` looks at a run's directory and nothing else: at the networks that are there, and at
`rating.json`, where it keeps what it has found. It knows that the training has ended when its standard input does, so it
cannot outlive a training that was killed; the next one goes on with the results so far. It is polite (`nice`), and it counts
its own time on the processor: beyond its share of the machine, it sleeps.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tengen.agents import parse_agent
from tengen.agents.base import Agent
from tengen.agents.catalog import AgentSpec
from tengen.arena.tracking import OPPONENT, Tracking
from tengen.errors import TengenError
from tengen.games import parse_game
from tengen.runs.directory import RunDirectory, RunError

SHORTEST = 4.0
"""Seconds of training before a process is begun: a run that is over by then needs no curve that grows."""

SAVE_EVERY = 2.0
LOOK_EVERY = 0.5
"""Seconds between two looks for new networks, and the longest that it sleeps."""

NICE = 5
LAST_LOOK = 8.0
"""Seconds in which, when the training is over, the last networks get a few games."""

A_FEW = 0.2
"""What share of its games a network has then, at least."""

PATIENCE = 20.0
"""Seconds for which it waits until the one before it has given the run back."""

MOST_OPEN = 64
"""Networks that are kept loaded."""

LAST_WORD = b"over\n"
"""What the process is told when all games have been played, and not when a run was stopped or killed."""


class Follower:
    """Rates a run's networks: what the process does."""

    def __init__(
        self, run: RunDirectory, settings: dict[str, Any], game: str, processors: int, spent: float = 0.0
    ) -> None:
        """`settings`: the run's ``[rating]``; `processors`: how many the training uses; `spent`: processor seconds that have
        gone into getting here."""
        self.run, self.settings = run, settings
        self.game, self._share = parse_game(game), float(settings["share"]) * processors
        self.opponent: AgentSpec = parse_agent(str(settings["opponent"]))
        self.tracking = Tracking(self.game, int(settings["games"]))
        self._spent_before = self._load()
        self._processor = time.process_time() - spent
        self._began, self._saved, self._is_changed = time.monotonic(), time.monotonic(), False
        self._agents: dict[int, Agent] = {}

    def follow(self, is_over: Callable[[], bool]) -> None:
        """Play, a pair of games at a time, until `is_over`."""
        while not is_over():
            pair = self.tracking.next_pair(list(self._files()))
            if pair is not None:
                self._play(pair)
            if pair is None or time.monotonic() - self._saved > SAVE_EVERY:
                self.save()
            if not self._pause(is_over, idle=pair is None):
                break
        self.save()

    def look_once_more(self, seconds: float = LAST_LOOK) -> None:
        """Give every network a few games, in so many seconds at most."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and (pair := self.tracking.next_pair(list(self._files()), A_FEW)):
            self._play(pair)
        self.save()

    def save(self) -> None:
        """Keep what has been found."""
        self._saved = time.monotonic()
        if self._is_changed:
            self._is_changed = False
            self.run.save_rating({
                "opponent": self.opponent.text, "games": int(self.settings["games"]),
                "processor_seconds": round(self._spent_before + self._spent(), 2),
                "standings": [standing.as_json() for standing in self.tracking.standings()],
                "results": self.tracking.as_json(),
            })  # fmt: skip

    def _load(self) -> float:
        """Take up what an earlier process has found against the same opponent; the time that it took."""
        data = self.run.read_rating()
        if data is None or data.get("opponent") != self.opponent.text:
            return 0.0
        try:
            self.tracking.load(data["results"])
            return float(data["processor_seconds"])
        except (KeyError, TypeError, ValueError):
            return 0.0  # it is measured anew

    def _spent(self) -> float:
        return time.process_time() - self._processor

    def _files(self) -> dict[int, Path]:
        """The networks there are, by the games that they were trained on."""
        return {int(file.stem): file for file in self.run.rated_files()}

    def _play(self, pair: tuple[int, int]) -> None:
        files = self._files()

        def agent_of(player: int) -> Agent:
            if player not in self._agents:
                if len(self._agents) >= MOST_OPEN:
                    del self._agents[next(one for one in self._agents if one != OPPONENT)]
                spec = self.opponent if player == OPPONENT else parse_agent(f"net:{files[player]}")
                self._agents[player] = spec.make(self.game)
            return self._agents[player]

        self.tracking.play(pair, agent_of)
        self._is_changed = True

    def _pause(self, is_over: Callable[[], bool], idle: bool) -> bool:
        """Sleep until it has no more than its share of the processor's time; False when the training ends meanwhile."""
        wake = time.monotonic() + (LOOK_EVERY if idle else 0.0)
        while time.monotonic() < wake or self._spent() > self._share * (time.monotonic() - self._began):
            if is_over():
                return False
            if time.monotonic() - self._saved > SAVE_EVERY:
                self.save()
            time.sleep(LOOK_EVERY / 5)
        return True


class Following:
    """The other side: what a training holds of the process. A context; its process is begun when it has gone on for a while."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run
        self._process: subprocess.Popen[bytes] | None = None
        self._timer = threading.Timer(SHORTEST, self._begin)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._is_over = False

    def __enter__(self) -> Following:
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.end(is_complete=False)

    def end(self, is_complete: bool) -> None:
        """The training is over. Where it is complete, the last networks get a few games: a matter of seconds."""
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        with contextlib.suppress(OSError):  # it has ended by itself
            process.stdin.write(LAST_WORD if is_complete else b"")
            process.stdin.close()
        if is_complete:
            try:
                process.wait(LAST_LOOK + 4)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _begin(self) -> None:
        with self._lock:
            if not self._is_over:
                command = [sys.executable, "-m", "tengen.arena.following", str(self._run.folder)]
                with contextlib.suppress(OSError):  # no more processes to be had: the training is what matters
                    self._process = subprocess.Popen(
                        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                        start_new_session=True,
                    )  # fmt: skip


def rate(run: RunDirectory, is_over: Callable[[], bool], is_complete: Callable[[], bool]) -> None:
    """Rate a run's networks until its training is over, and once more if it is complete. What goes wrong is kept in the run."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            run.lock("rating.lock")
            break
        except RunError:  # the one before it is about to end
            if is_over() or time.monotonic() > end:
                return
            time.sleep(LOOK_EVERY)
    try:
        config = run.read_config()
        processors = int(config["selfplay"].get("threads") or os.cpu_count() or 1)
        follower = Follower(run, config["rating"], str(config["game"]), processors, time.process_time())
        follower.follow(is_over)
        if is_complete():
            follower.look_once_more()
    except Exception as error:
        with contextlib.suppress(OSError, TengenError):  # for the run's page; the folder may be gone
            run.save_rating({**(run.read_rating() or {}), "problem": " ".join(str(error).split())[:300]})
        raise
    finally:
        run.unlock()


def main(folder: str) -> None:
    """What the process does: its standard input ends when the training does."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(NICE)
    over, heard = threading.Event(), bytearray()

    def listen() -> None:
        with contextlib.suppress(OSError):
            while part := os.read(0, 100):  # not by sys.stdin, whose lock a thread would hold when everything ends
                heard.extend(part)
        over.set()

    threading.Thread(target=listen, daemon=True).start()
    rate(RunDirectory(Path(folder)), over.is_set, lambda: bytes(heard) == LAST_WORD)


if __name__ == "__main__":
    main(sys.argv[1])
