"""What all foreign engines have in common as agents: a program in a child process, a clock, and a reason when it fails."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from tengen.agents.base import Agent
from tengen.errors import AgentFailure, MalformedMove, SpecError
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.protocols.child import ChildStopped, EngineError


class Connection(Protocol):
    """A dialogue with a program."""

    def end(self) -> None:
        """Stop the program."""


C = TypeVar("C", bound=Connection)


class ForeignAgent(Agent, Generic[C]):
    """Asks an engine. No answer in time, a crash, or nonsense loses the game; the next one starts it anew."""

    def __init__(self, game: Game, command: Sequence[str], seconds: float, name: str) -> None:
        super().__init__(game, name)
        if not 0 < seconds <= 86_400:
            raise SpecError(f"time is above 0 and at most 86400 seconds, not {seconds}")
        self._command, self._seconds = command, seconds
        try:
            self._engine: C | None = self._connect()
        except (EngineError, ChildStopped) as error:
            raise SpecError(f"{command[0]} cannot be used: {error}") from None

    @abstractmethod
    def _connect(self) -> C:
        """Start the engine on the game."""

    @abstractmethod
    def _ask(self, engine: C, position: Position, seconds: float) -> int:
        """The engine's move."""

    def choose(self, position: Position) -> int:
        seconds = self._seconds
        if self.deadline is not None:
            seconds = min(seconds, max(0.001, self.deadline - time.monotonic()))
        try:
            if self._engine is None:
                self._engine = self._connect()
            return self._ask(self._engine, position, seconds)
        except (EngineError, ChildStopped, MalformedMove, SpecError) as error:
            if self._engine is not None:
                self._engine.end()
            self._engine = None
            late = f" ({seconds:g} seconds)" if "in time" in str(error) else ""
            raise AgentFailure(f"{error}{late}") from None
