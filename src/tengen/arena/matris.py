"""An agent of ours at the keys of MaTris, the pygame game, in a clone that the user has: ``matris:FOLDER``.

The clone runs in a process of its own (`matris_host`). Each of its pieces is played here, too, by the rules of `tetris:10x20`:
what MaTris shows afterwards must be what stands here, cell for cell, or the game ends with an error.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.agents.base import Agent
from tengen.errors import AgentFailure, SpecError
from tengen.games.position import Position
from tengen.games.tetris import LINES, NEXT, NONE, PIECE, SCORE, Tetris, well
from tengen.games.tetris_keys import keys_for
from tengen.games.tetris_pieces import NAMES
from tengen.games.verbs import CHANCE, Game
from tengen.protocols.child import Child, ChildStopped

HOST = Path(__file__).parent / "matris_host.py"
SECONDS = 60.0
"""What MaTris may take to start, or for a piece."""


@dataclass(frozen=True)
class MatrisGame:
    """A game that was played in MaTris."""

    score: int
    """As MaTris shows it."""
    lines: int
    pieces: int
    closed: bool
    """Whether its window was closed, or Escape pressed, before it was over."""
    over: bool
    """Whether it ended by its rules; else `pieces` of the game's parameters were played, or it was closed."""


OnPiece = Callable[[Position, Agent], None]


def clone_of(text: str) -> Path:
    """The program in ``matris:FOLDER``; SpecError when there is none."""
    name, colon, folder = text.partition(":")
    if name != "matris" or not colon or not folder:
        raise SpecError(f"an agent can play in matris:FOLDER (a clone of github SmartViking/MaTris), not in {text!r}")
    file = Path(folder).expanduser() / "matris.py"
    if not file.is_file():
        raise SpecError(f"there is no matris.py in {folder}: name a clone of github SmartViking/MaTris")
    return file.resolve()


def rules_for_matris(game: Game) -> Tetris:
    """The game, if it is the one that MaTris plays; SpecError else."""
    rules: object = game
    if not isinstance(rules, Tetris) or rules._replace(preview=1, pieces=0) != Tetris(10, 20):
        raise SpecError(
            "MaTris plays tetris:10x20; preview=0 hides the next piece from the agent, pieces=N ends the game early"
        )
    return rules


def play_in_matris(
    file: Path, game: Game, agent: Agent, seed: int = 0, pause: float = 0.1, on_piece: OnPiece | None = None
) -> MatrisGame:
    """Have an agent play a game in the clone; AgentFailure, in one line, when the clone fails or plays by other rules."""
    rules = rules_for_matris(game)
    command = [sys.executable, str(HOST), str(file), str(seed), str(pause)]
    child = Child(command)
    agent.new_game(seed)
    position, pieces = Position(game), 0
    try:
        while True:
            shown = _hear(child, pause)
            if "over" in shown:
                over = not shown["closed"] and not 0 < rules.pieces <= pieces
                return MatrisGame(shown["score"], shown["lines"], pieces, shown["closed"], over)
            if not position.is_over:
                _take_luck(position, shown)
                _compare(position, shown, rules, pieces)
            if position.is_over:  # by `pieces`
                child.send(json.dumps({"end": True}))
                continue
            move = agent.choose(position)
            keys = keys_for(rules, position.array, move)
            position.play(move)
            pieces += 1
            if on_piece:
                on_piece(position, agent)
            child.send(json.dumps({"keys": keys}))
    except ChildStopped as error:
        raise AgentFailure(f"{file}: {error}") from None
    finally:
        child.end()


def _hear(child: Child, pause: float) -> dict[str, Any]:
    line = child.read(time.monotonic() + SECONDS + 10 * pause)
    try:
        shown: dict[str, Any] = json.loads(line)
    except ValueError:
        raise ChildStopped(f"it says {line[:80]!r}") from None
    if "error" in shown:
        hint = ": pip install pygame" if "pygame" in shown["error"] and "ModuleNotFound" in shown["error"] else ""
        raise AgentFailure(f"MaTris cannot be played: {shown['error']}{hint}")
    return shown


def _take_luck(position: Position, shown: dict[str, Any]) -> None:
    """MaTris has drawn pieces; the agent sees those that its game lets it see."""
    while not position.is_over and position.to_move == CHANCE:
        drawn = shown["piece"] if position.array[PIECE] == NONE else shown["next"]
        position.push(NAMES.index(drawn))


def _compare(position: Position, shown: dict[str, Any], rules: Tetris, pieces: int) -> None:
    array = position.array
    rows = [sum(1 << x for x, cell in enumerate(row) if cell) for row in well(rules, array)]
    ours = {"piece": NAMES[array[PIECE]], "well": rows, "lines": int(array[LINES]), "score": int(array[SCORE])}
    if rules.preview:
        ours["next"] = NAMES[array[NEXT]]
    wrong = [name for name, value in ours.items() if shown.get(name) != value]
    if wrong and not position.is_over:
        raise AgentFailure(
            f"after {pieces} pieces MaTris shows another {wrong[0]} than its rules give: is the clone a changed one?"
        )
