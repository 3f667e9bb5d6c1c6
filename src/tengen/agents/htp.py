"""A foreign Hex engine as an agent: any program that speaks HTP, such as MoHex or Wolve."""

from __future__ import annotations

from collections.abc import Sequence

from tengen.agents.foreign import ForeignAgent
from tengen.errors import SpecError
from tengen.games.hex import Hex
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.protocols.child import EngineError
from tengen.protocols.htp_client import EngineConnection

SECONDS = 60.0
"""What a move may take."""


class HtpAgent(ForeignAgent[EngineConnection]):
    """Asks an engine by HTP."""

    def __init__(
        self, game: Game, command: list[str], seconds: float = SECONDS, setup: Sequence[str] = (), name: str = "htp"
    ) -> None:
        rules: object = game
        if not isinstance(rules, Hex):
            raise SpecError(f"{name} plays hex alone")
        self._rules, self._setup = rules, setup
        super().__init__(game, command, seconds, name)

    def _connect(self) -> EngineConnection:
        return EngineConnection(self._command, self._rules, self._setup)

    def _ask(self, engine: EngineConnection, position: Position, seconds: float) -> int:
        word = engine.choose(position, seconds)
        if word == "resign":
            raise EngineError("it resigns")
        return position.parse("swap" if word.startswith("swap") else word)
