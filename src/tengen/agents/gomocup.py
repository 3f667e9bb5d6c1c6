"""A foreign Gomoku engine as an agent: any program that speaks Gomocup's protocol."""

from __future__ import annotations

from collections.abc import Sequence

from tengen.agents.foreign import ForeignAgent
from tengen.errors import SpecError
from tengen.games.gomoku import Gomoku
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.protocols.gomocup import LINE
from tengen.protocols.gomocup_client import EngineConnection

SECONDS = 1.0
"""What the engine is given for a move."""


class GomocupAgent(ForeignAgent[EngineConnection]):
    """Asks an engine by Gomocup's protocol."""

    def __init__(self, game: Game, command: Sequence[str], seconds: float = SECONDS, name: str = "gomocup") -> None:
        rules: object = game
        if not isinstance(rules, Gomoku):
            raise SpecError(f"{name} plays gomoku alone")
        if rules.line != LINE or rules.size < LINE:
            raise SpecError(f"{name} plays {LINE} in a row alone")
        self._rules = rules
        super().__init__(game, command, seconds, name)

    def _connect(self) -> EngineConnection:
        return EngineConnection(self._command, self._rules)

    def _ask(self, engine: EngineConnection, position: Position, seconds: float) -> int:
        return engine.choose(position, seconds)
