"""``tengen engine``."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated

from tyro.conf import Positional, arg

import tengen
from tengen.agents import parse_agent
from tengen.agents.engine import AgentBrain
from tengen.agents.gomocup_engine import GomocupBrain
from tengen.cli import screen
from tengen.errors import SpecError
from tengen.games.gomoku import LARGEST
from tengen.protocols import gomocup, htp
from tengen.protocols.gomocup_loop import leave, serve

AGENTS = {"htp": "uct,simulations=10000", "gomocup": "classic"}
"""Who plays when nobody is named. `classic` without a time of its own thinks as long as the manager lets it."""

SIZES = {"htp": (3, 11, 19), "gomocup": (gomocup.LINE, gomocup.SIZE, LARGEST)}
"""Boards: the smallest, the one before the other program says another, the largest."""


@dataclass(frozen=True)
class EngineCommand:
    """Be an engine in someone else's program: commands on stdin, answers on stdout.

    gomocup is the protocol of Gomocup, which Piskvork and other managers of Gomoku speak. htp is the Hex Text Protocol, which
    HexGui and the Benzene tools speak; in HexGui: Program, New Program, this command.

    Example: tengen engine gomocup --agent uct,c=0.7

    Example: tengen engine htp --agent uct,simulations=20000

    Example: tengen engine htp --agent zero,simulations=400:RUN --size 7
    """

    protocol: Annotated[Positional[str], arg(metavar="gomocup|htp")]
    """The language to speak."""
    agent: str = ""
    """Who chooses the moves; see tengen list agents. A search keeps to the clock that the other program sets; with gomocup,
    one without a limit of its own thinks for all of that time. Default: classic, with htp uct,simulations=10000."""
    size: int = 0
    """The board before the other program says another; 0: 20, with htp 11."""
    seed: int = 0
    """The same seed and the same commands give the same moves (unless the agent thinks by the clock)."""

    logfile_name: Path | None = None
    """Write the dialogue to this file, too. Benzene's referee, twogtp.py, asks for it."""

    def run(self) -> None:
        """Answer until `quit`, END or the end of the input."""
        if self.protocol not in SIZES:
            raise SpecError(f"there is no protocol {self.protocol!r}; there are: {', '.join(sorted(SIZES))}")
        agent, (smallest, usual, largest) = self.agent or AGENTS[self.protocol], SIZES[self.protocol]
        if parse_agent(agent).text.partition(",")[0] == "human":
            raise SpecError("an engine is played by an agent, not by a person")
        size = self.size or usual
        if not smallest <= size <= largest:
            raise SpecError(f"size is {smallest} to {largest}, not {self.size}")
        out = sys.stdout
        with self._log() as log, contextlib.redirect_stdout(sys.stderr):  # nothing but the protocol

            def write(line: str, answer: str) -> None:
                if log is not None:
                    log.write(f"> {line.rstrip()}\n{answer}")
                    log.flush()
                out.write(answer)
                out.flush()

            (self._htp if self.protocol == "htp" else self._gomocup)(agent, size, write)

    def _htp(self, agent: str, size: int, write: Callable[[str, str], None]) -> None:
        screen.announce_compiling()
        engine = htp.Engine(AgentBrain(parse_agent(agent), self.seed), tengen.__version__, size)
        for data in sys.stdin.buffer if hasattr(sys.stdin, "buffer") else sys.stdin:
            line = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
            write(line, engine.answer(line))
            if engine.is_over:
                break

    def _gomocup(self, agent: str, size: int, write: Callable[[str, str], None]) -> None:
        brain = GomocupBrain(agent, self.seed, lambda text: write("", f"MESSAGE {text}\n"))
        engine, number = gomocup.Engine(brain, tengen.__version__, size), _stdin()
        if number is None:
            serve(engine, sys.stdin.buffer.read, write)
        else:
            serve(engine, lambda count: os.read(number, count), write)
            leave()

    def _log(self) -> contextlib.AbstractContextManager[IO[str] | None]:
        if self.logfile_name is None:
            return contextlib.nullcontext()
        try:
            return self.logfile_name.open("w", encoding="utf-8")
        except OSError as error:
            raise SpecError(f"{self.logfile_name} cannot be written: {error.strerror}") from None


def _stdin() -> int | None:
    """The standard input's number, to be read without a buffer in between; None where it is no real file, as in a test."""
    try:
        return sys.stdin.fileno()
    except (OSError, ValueError, AttributeError):
        return None
