"""The run directory. Everything in it survives being killed at any moment.

runs/NAME/
  config.json      the resolved settings, and every change made to them on resuming
  games.sqlite     games and figures, each added whole
  start.onnx       the network that it started from, where it started from one
  learner.npz      weights, optimizer and counters of the learner: arrays only, replaced in one step
  nets/000050.onnx the networks kept for tournaments, named by the games they were trained on
  int8/000050.onnx the same in eight bits, where self-play runs them so: faster, a little less exact
  best.json        which of them won the last tournament of all of them, with its figures
  curve.json       results of the networks against other opponents, point by point
  rated/000010.onnx networks kept only for the rating curve
  rating.json      that curve, found out while the run trains: every result, and what it says of the networks
  live.json        a game in progress, for whoever watches (see live.py)
  lock             held by the process that trains; a second one is refused
  rating.lock      held by the one that rates its networks meanwhile
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import TengenError

FORMAT_VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class RunError(TengenError):
    """A run that cannot be made, found, or read."""


class RunNotWritten(RunError):
    """The disk is full, or may not be written."""


def runs_folder() -> Path:
    """Where runs are; ``TENGEN_RUNS`` moves it."""
    return Path(os.environ.get("TENGEN_RUNS", "runs"))


def list_runs() -> list[RunDirectory]:
    """All runs, the newest last."""
    found = [RunDirectory(folder) for folder in runs_folder().glob("*") if (folder / "config.json").is_file()]
    return sorted(found, key=lambda run: run.folder.stat().st_mtime)


class RunDirectory:
    """The files of a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.nets = folder / "nets"
        self.games = folder / "games.sqlite"
        self._lock: IO[str] | None = None

    @classmethod
    def create(cls, name: str, config: Mapping[str, Any]) -> RunDirectory:
        """A new run; a name that is taken gets a number."""
        if not _NAME.fullmatch(name):
            raise RunError(f"{name!r} is not a name for a run: letters, digits, dot, dash and underscore")
        folder, number = runs_folder() / name, 1
        while True:
            try:
                folder.mkdir(parents=True, exist_ok=False)
                break
            except FileExistsError:
                number += 1
                folder = runs_folder() / f"{name}-{number}"
            except OSError as error:
                raise RunError(f"{folder} cannot be made: {error.strerror}") from None
        run = cls(folder)
        run.nets.mkdir()
        run.write(
            "config.json", json.dumps({"format": FORMAT_VERSION, "config": config, "changes": []}, indent=1).encode()
        )
        return run

    @classmethod
    def find(cls, text: str) -> RunDirectory:
        """A run by its name, or by its folder."""
        for folder in (runs_folder() / text, Path(text)) if text else ():
            if os.path.isfile(folder / "config.json"):  # Path.is_file raises for a name that is too long
                return cls(folder)
        raise RunError(f"there is no run called {text!r}; tengen list runs shows those there are")

    @property
    def name(self) -> str:
        return self.folder.name

    def read_config(self) -> dict[str, Any]:
        """The settings as they stand, changes applied."""
        file = self.folder / "config.json"
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            if data["format"] != FORMAT_VERSION:
                raise RunError(f"{file} has format {data['format']}, this program reads {FORMAT_VERSION}")
            config: dict[str, Any] = data["config"]
            for change in data["changes"]:
                config = change["config"]
            return config
        except RunError:
            raise
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise RunError(f"{file} cannot be read: {error}") from None

    def change_config(self, config: Mapping[str, Any], games: int) -> None:
        """Record that the settings are others from here on."""
        data = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))
        data["changes"].append({"after_games": games, "at": time.time(), "config": config})
        self.write("config.json", json.dumps(data, indent=1).encode())

    def write(self, name: str, data: bytes) -> None:
        """Write a file in one step: it is the old one or the new one, never half of either."""
        file = self.folder / name
        part = file.with_name(file.name + ".part")
        try:
            if file.parent != self.folder:
                file.parent.mkdir(exist_ok=True)
            with part.open("wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            part.replace(file)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)  # it would take the room that others need
            raise RunNotWritten(f"{file} cannot be written: {error.strerror}; what was kept before is safe") from None

    def save_net(self, games: int, data: bytes, folder: str = "nets") -> Path:
        """Keep a network for tournaments; `folder` for one that does not take part: "int8"."""
        name = f"{folder}/{games:06}.onnx"
        self.write(name, data)
        return self.folder / name

    def read_start(self) -> bytes:
        """The network that the run starts from."""
        try:
            return (self.folder / "start.onnx").read_bytes()
        except OSError as error:
            raise RunError(f"{self.folder / 'start.onnx'} cannot be read: {error.strerror}") from None

    def net_files(self) -> list[Path]:
        """The networks kept, the least trained first."""
        return sorted(self.nets.glob("[0-9]*.onnx"))

    def rated_files(self) -> list[Path]:
        """Those of the rating curve, the least trained first: the networks kept, and the ones between them."""
        found = {file.name: file for file in (self.folder / "rated").glob("[0-9]*.onnx")}
        found |= {file.name: file for file in self.net_files()}
        return [found[name] for name in sorted(found)]

    def last_net(self) -> Path | None:
        """The network trained longest."""
        return max(self.net_files(), default=None)

    def save_best(self, net: Path, figures: Mapping[str, Any]) -> None:
        """Keep which network won a tournament, and its figures: "among" names the files that took part."""
        data = {"format": FORMAT_VERSION, "net": net.name, **figures}
        self.write("best.json", json.dumps(data, indent=1).encode())

    def read_best(self) -> dict[str, Any] | None:
        """What `save_best` kept; None before the first tournament, and when networks have been added since it."""
        data, last = self._read_json("best.json"), self.last_net()
        if data is None or last is None or last.name not in data.get("among", ()):
            return None
        return data if os.path.isfile(self.nets / Path(str(data.get("net"))).name) else None

    def best_net(self) -> Path | None:
        """The network that won the last tournament; None when none has been held since the last network was added."""
        best = self.read_best()
        return self.nets / Path(best["net"]).name if best else None

    def save_curves(self, curves: Sequence[Mapping[str, Any]]) -> None:
        """Keep the results of learning curves."""
        self.write("curve.json", json.dumps({"format": FORMAT_VERSION, "curves": list(curves)}, indent=1).encode())

    def read_curves(self) -> list[dict[str, Any]]:
        """What `save_curves` kept."""
        data = self._read_json("curve.json")
        curves = data.get("curves") if data else None
        return [curve for curve in curves if isinstance(curve, dict)] if isinstance(curves, list) else []

    def save_rating(self, data: Mapping[str, Any]) -> None:
        """Keep the rating curve."""
        self.write("rating.json", json.dumps({**data, "format": FORMAT_VERSION}, indent=1).encode())

    def read_rating(self) -> dict[str, Any] | None:
        """What `save_rating` kept; None before the first time."""
        return self._read_json("rating.json")

    def _read_json(self, name: str) -> dict[str, Any] | None:
        """A small file of results; None where there is none. RunError when it is damaged or of another version."""
        file = self.folder / name
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            raise RunError(f"{file} cannot be read: {error}; delete it to go on without it") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT_VERSION:
            raise RunError(f"{file} is of another version; delete it to go on without it")
        return data

    def save_learner(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep what the learner needs to go on."""
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)  # type: ignore[arg-type]
        self.write("learner.npz", buffer.getvalue())

    def load_learner(self) -> dict[str, NDArray[Any]] | None:
        """What `save_learner` kept; None before the first time."""
        file = self.folder / "learner.npz"
        if not file.exists():
            return None
        try:
            with np.load(file, allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
        except Exception as error:  # a damaged archive has many kinds of complaint
            again = "without it, all games that were kept are learned from anew"
            raise RunError(f"{file} cannot be read: {error}; {again}") from None

    def lock(self, name: str = "lock") -> None:
        """Take the run for this process, until it ends; RunError when another one has it. `name`: of another lock than that
        of the process that trains."""
        try:
            self._lock = (self.folder / name).open("a")
        except OSError as error:
            raise RunNotWritten(f"{self.folder / name} cannot be written: {error.strerror}") from None
        with contextlib.suppress(ImportError):  # Windows has no such lock
            import fcntl

            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self.unlock()
                doing = "training" if name == "lock" else "rating"
                raise RunError(f"another process is {doing} {self.name}") from None

    def unlock(self) -> None:
        """Give the run back."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None
