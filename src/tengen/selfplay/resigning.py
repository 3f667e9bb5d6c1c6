"""Was it right to give up? Told by the games in which nobody may."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.games.verbs import CHANCE, Game
from tengen.records.record import GameRecord
from tengen.selfplay.worker import HOPELESS_MOVES, start_position


@dataclass(frozen=True)
class Resignations:
    """Counts over the games of a run."""

    given_up: int = 0
    checked: int = 0
    """Games played to their end in which a player saw no hope on the way."""
    wrong: int = 0
    """Those among them that this player did not lose."""

    def after(self, game: Game, record: GameRecord, threshold: float) -> Resignations:
        """The counts with one more game."""
        position = start_position(game, record.first)
        hopeless, loser = [0, 0], None
        for move, value, visits in zip(record.moves, record.values, record.visits, strict=True):
            mover = position.to_move
            if mover != CHANCE and (visits is not None or value != 0.0):  # not a random opening move
                hopeless[mover] = hopeless[mover] + 1 if value < -threshold else 0
                if loser is None and hopeless[mover] >= HOPELESS_MOVES:
                    loser = mover
            position.play(move)
        if not position.is_over:
            return Resignations(self.given_up + 1, self.checked, self.wrong)
        if loser is None:
            return self
        return Resignations(self.given_up, self.checked + 1, self.wrong + (record.winner != 1 - loser))
