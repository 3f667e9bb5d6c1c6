"""The Online Hex Tournament. Subclass `BasicClientActor` to play in one; ``tengen oht serve`` holds one."""

from tengen.protocols.oht.client import BasicClientActor
from tengen.protocols.oht.wire import EDITIONS, PORT, LineBroken, TournamentError

__all__ = ["EDITIONS", "PORT", "BasicClientActor", "LineBroken", "TournamentError"]
