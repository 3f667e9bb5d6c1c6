"""What an agent is."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod

from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.search import SearchResult
from tengen.search.search import Progress, Stop, Watch


class Agent(ABC):
    """Whoever chooses moves in a game."""

    thoughts: SearchResult | None = None
    """What the last choice was made from, where there is something to show."""

    progress: Progress | None = None
    """Told the share done while the agent thinks, in the thread in which it thinks. An agent that thinks long calls it."""

    stop: Stop | None = None
    """Asked while the agent thinks: once it says True, the agent plays what it has found so far."""

    watch: Watch | None = None
    """Shown what has been found so far, several times a second, in the thread in which the agent thinks. Agents that search
    a tree call it."""

    deadline: float | None = None
    """When the move must have been made, on `time.monotonic`. `stop` says the same, but cannot be seen coming."""

    def __init__(self, game: Game, name: str) -> None:
        self.game = game
        self.name = name

    @property
    def outlook(self) -> float | None:
        """What the position of the last choice is worth to its mover, −1 to 1; None: the agent has no opinion."""
        return None if self.thoughts is None else self.thoughts.moves[0].q

    def new_game(self, seed: int) -> None:  # noqa: B027  # nothing to do for an agent that remembers nothing
        """Forget the last game; from here on the seed decides everything that is random."""

    def memory(self) -> int:
        """Bytes that the agent holds on to between its moves, at most."""
        return 0

    @abstractmethod
    def choose(self, position: Position) -> int:
        """The move to play in a position that is not over and in which a player moves."""


class RandomAgent(Agent):
    """Any legal move."""

    def __init__(self, game: Game, name: str = "random") -> None:
        super().__init__(game, name)
        self._random = random.Random(0)

    def new_game(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(self, position: Position) -> int:
        return self._random.choice(position.legal_moves)


class HumanAgent(Agent):
    """A person. The front end puts a function that asks them in `ask`."""

    def choose(self, position: Position) -> int:
        return self.ask(position)

    def ask(self, position: Position) -> int:
        """Replaced by the front end."""
        raise NotImplementedError("nobody is there to ask")
