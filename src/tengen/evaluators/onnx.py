"""A network from an ONNX file, run by ONNX Runtime in one thread."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from tengen.errors import TengenError
from tengen.evaluators.encoding import empty_planes, encode
from tengen.evaluators.format import FORMAT_VERSION, LARGEST_FILE, rules_hash
from tengen.games import game_spec, parse_game
from tengen.games.types import IntArray, Planes
from tengen.games.verbs import Game

onnxruntime.set_default_logger_severity(4)  # what goes wrong with a file is said by us, in one line


class BadNetworkFile(TengenError):
    """A file that is no network of ours, or one of another game."""


@dataclass(frozen=True)
class About:
    """What a network's file says about itself."""

    game: str
    indicator: bool
    settings: dict[str, Any]
    more: dict[str, Any] = field(default_factory=dict)


def read_about(file: Path) -> About:
    """What a network's file says about itself; BadNetworkFile where it is none."""
    return _about(_session(file, str(file)), str(file))


class OnnxEvaluator:
    """Answers for a search. Each thread has its own."""

    def __init__(self, source: Path | bytes, game: Game | None = None) -> None:
        name = str(source) if isinstance(source, Path) else "the network"
        self._session = _session(source, name)
        self.about = _about(self._session, name)
        self.game = game or _game_of(self.about, name)
        self._check(name)
        self.evaluations = 0

    def __call__(self, game: Game, positions: IntArray) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        self.evaluations += len(positions)
        return self.run(self.encode(positions))

    def encode(self, positions: IntArray) -> Planes:
        """What the network sees of positions [n, position]."""
        return encode(self.game, positions, self.about.indicator)

    def empty_planes(self, positions: int) -> Planes:
        """Room for what the network sees of so many positions, for whoever encodes them."""
        return empty_planes(self.game, positions, self.about.indicator)

    def run(self, planes: Planes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The network's answers to what it sees."""
        policy, value = self._session.run(["policy", "value"], {"planes": planes})
        return policy, value[:, 0]

    def _check(self, name: str) -> None:
        _check_fit(self._session, self.about, self.game, name)


def _session(source: Path | bytes, name: str) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        if isinstance(source, Path):
            if source.stat().st_size > LARGEST_FILE:
                raise BadNetworkFile(f"{name} is larger than any network of ours")
            source = source.read_bytes()  # from memory, a file can name no other files to be read
        return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"], enable_fallback=0)
    except OSError as error:
        raise BadNetworkFile(f"{name} cannot be read: {error.strerror}") from None
    except BadNetworkFile:
        raise
    except Exception:  # the runtime has many kinds of complaint
        raise BadNetworkFile(f"{name} is not a network: the file is damaged or of another kind") from None


def _about(session: Any, name: str) -> About:
    said = session.get_modelmeta().custom_metadata_map
    if said.get("format") != str(FORMAT_VERSION):
        version = said.get("format")
        reason = (
            f"it has format {version!r}, this program reads {FORMAT_VERSION}"
            if version
            else "it does not say what it is"
        )
        raise BadNetworkFile(f"{name} is not a network of this program: {reason}")
    try:
        settings = json.loads(said["network"])
        known = ("format", "game", "rules", "network")
        more = {key: json.loads(value) for key, value in said.items() if key not in known}
        return About(said["game"], bool(settings["indicator"]), settings, {**more, "rules": said["rules"]})
    except (KeyError, TypeError, ValueError):
        raise BadNetworkFile(f"{name} does not say which game it plays") from None


def _game_of(about: About, name: str) -> Game:
    if about.game.partition(":")[0].endswith(".py"):
        raise BadNetworkFile(f"{name} plays {about.game}: name that game, it is not loaded from here")
    return parse_game(about.game)


def _check_fit(session: Any, about: About, game: Game, name: str) -> None:
    if about.more["rules"] != rules_hash(game):
        raise BadNetworkFile(f"{name} was made for {about.game}, not for {game_spec(game)} as it is now")
    planes = game.plane_count() + (1 if about.indicator else 0)
    wanted = {
        "planes": [planes, game.plane_rows(), game.plane_columns()],
        "policy": [int(game.move_views().shape[1])],
        "value": [1],
    }
    found = {tensor.name: list(tensor.shape[1:]) for tensor in [*session.get_inputs(), *session.get_outputs()]}
    if found != wanted:
        raise BadNetworkFile(f"{name} has inputs and outputs of another shape than {game_spec(game)}")
