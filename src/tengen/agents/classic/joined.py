"""`joined`: a network, tree search and threat search in one player of Gomoku.

The network knows shapes, the tree search compares plans, and neither sees that a chain of fours twenty moves long wins; the
threat search (`threats`) sees little else, and what it finds is proven. Before its search the player looks for such a win. While
it searches, each position of its tree that has some visits is looked at in the same way, the more visits the longer
(`search.proving`): a won one is proven, which strikes out the move that leads there, and may prove the position before. So
the tree is pruned by what the threats know, and no move is played that is seen to lose by force.
"""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tengen.agents.classic.engine import Engine
from tengen.agents.searching import SearchAgent
from tengen.agents.zero import network_for, zero_settings
from tengen.errors import SpecError
from tengen.games.gomoku import Gomoku
from tengen.games.gomoku_patterns import refuse_lines
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.search import SearchSettings

THREAT_NODES = 20
"""Positions of the threat search for each visit of the position that it looks at, unless told otherwise."""

SEEK_FOURS, SEEK_THREES, END = 0.1, 0.2, 0.97
"""With a time a move: the shares of it after which the looks for a win of its own, and then all, have to be done."""


def joined_settings(options: Mapping[str, Any]) -> SearchSettings:
    """The settings of its search: those of `zero`, with the solver, which makes use of the proofs."""
    return zero_settings({**options, "solver": True})


class ThreatProver:
    """A prover for the search of one game: is a position won by threats?"""

    def __init__(self, game: Gomoku, nodes: int) -> None:
        self.engine, self._nodes = Engine(game), nodes

    def __call__(self, position: Position, effort: int) -> float | None:
        mover, engine = position.to_move, self.engine
        engine.set_up(position.cells(), mover)
        for threes in (False, True):
            if engine.seek_win(mover, threes, lambda: False, most_nodes=effort * self._nodes // 2) is not None:
                return 1.0
        return None


class JoinedAgent(SearchAgent):
    """Searches by a network, with proofs by threats."""

    def __init__(self, game: Game, settings: SearchSettings, nodes: int, file: Path, name: str) -> None:
        """`nodes`: of the threat search, for each visit of a position that it looks at."""
        if not 1 <= nodes <= 1_000_000:
            raise SpecError(f"threat_nodes is 1 to 1,000,000, not {nodes}")
        rules: object = game
        if not isinstance(rules, Gomoku):
            raise SpecError(f"{name} plays gomoku alone")
        refuse_lines(rules, name)
        self._threats = ThreatProver(rules, nodes)
        self._nodes, self._won = nodes, False
        super().__init__(game, settings, name, network_for(game, settings, file, name), self._threats)

    @property
    def outlook(self) -> float | None:
        return 1.0 if self._won else super().outlook

    def new_game(self, seed: int) -> None:
        self._threats.engine.forget()
        super().new_game(seed)

    def memory(self) -> int:
        return super().memory() + self._threats.engine.memory()

    def choose(self, position: Position) -> int:
        start, seconds = clock.monotonic(), self.settings.time
        left = self.deadline - start if self.deadline is not None else seconds
        allowed = min(seconds or left, left)
        win = self._win(position, start, allowed)
        self._won = win is not None
        if win is not None:
            self.thoughts = None
            return win
        outer = self.deadline
        if allowed > 0:
            self.deadline = start + END * allowed
        try:
            return super().choose(position)
        finally:
            self.deadline = outer

    def _win(self, position: Position, start: float, allowed: float) -> int | None:
        """The first move of a win by threats, if one is found within its share of the time, and of the simulations."""
        engine, me = self._threats.engine, position.to_move
        engine.set_up(position.cells(), me)
        if engine.can_win_at_once(1 - me) and not engine.can_win_at_once(me):
            return None
        most = self._nodes * (self.settings.simulations or 1 << 30)

        def enough(share: float) -> bool:
            if self.stop and self.stop():
                return True
            return 0 < allowed * share <= clock.monotonic() - start

        for threes, share in ((False, SEEK_FOURS), (True, SEEK_THREES)):
            move = engine.seek_win(me, threes, lambda share=share: enough(share), most_nodes=most)  # type: ignore[misc]
            if move is not None:
                return move
        return None
