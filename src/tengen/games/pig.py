"""Pig: roll as often as you dare. Each roll adds to the pot, a one loses it and ends the turn; banking keeps it.

A toy with luck, for one player (bank as much as possible in some turns: rewards far outside [−1, 1]) or two (the
larger bank wins). Small enough to be solved exactly, which is how the search is proven for luck.
"""

from typing import NamedTuple

from tengen.compiling import inner
from tengen.games.types import AnyGame, FloatArray, IntArray
from tengen.games.verbs import CHANCE, NOBODY, game

BANK, ROLL = 0, 1

# The numbers of a position.
PLAYER, TURN, POT, ROLLING, BANKED = 0, 1, 2, 3, 4


@game
class Pig(NamedTuple):
    """The rules of Pig. Moves: 0 banks, 1 rolls. Outcomes of a roll: 0 … sides − 1, for faces 1 … sides."""

    turns: int = 2
    """Turns of each player."""
    sides: int = 6
    """Faces of the die."""
    limit: int = 20
    """A pot of this size must be banked."""
    seats: int = 1
    """One player for points, or two against each other."""

    def check(self) -> None:
        """Refuse parameters that make no game."""
        if not (1 <= self.turns <= 100 and 2 <= self.sides <= 20 and 2 <= self.limit <= 1000):
            raise ValueError("pig takes turns=1..100, sides=2..20, limit=2..1000")
        if self.seats not in (1, 2):
            raise ValueError(f"pig is for 1 or 2 players, not {self.seats}")

    def players(self) -> int:
        return self.seats

    def is_bounded(self) -> bool:
        return self.seats == 2

    def position_size(self) -> int:
        return 6

    def move_count(self) -> int:
        return max(2, self.sides)

    def start(self, position: IntArray) -> None:
        position[:] = 0

    def to_move(self, position: IntArray) -> int:
        return CHANCE if position[ROLLING] else int(position[PLAYER])

    def legal_moves(self, position: IntArray, out: IntArray) -> int:
        if position[ROLLING]:
            for face in range(self.sides):
                out[face] = face
            return self.sides
        out[0] = BANK
        out[1] = ROLL
        return 1 if position[POT] >= self.limit else 2

    def chance_odds(self, position: IntArray, out: FloatArray) -> None:
        for face in range(self.sides):
            out[face] = 1.0 / self.sides

    def play(self, position: IntArray, move: int) -> float:
        if position[ROLLING]:
            position[ROLLING] = 0
            if move > 0:
                position[POT] += move + 1
                return 0.0
            return _end_turn(self, position, 0)
        if move == ROLL:
            position[ROLLING] = 1
            return 0.0
        return _end_turn(self, position, position[POT])

    def is_over(self, position: IntArray) -> bool:
        return bool(position[TURN] >= self.turns * self.seats)

    def outcome(self, position: IntArray) -> int:
        if self.seats == 1 or not self.is_over(position):
            return NOBODY
        difference = position[BANKED] - position[BANKED + 1]
        return NOBODY if difference == 0 else (0 if difference > 0 else 1)

    def move_name(self, move: int) -> str:
        return ("bank", "roll")[move] if move < 2 else f"face{move + 1}"


@inner
def _end_turn(game: AnyGame, position: IntArray, gain: int) -> float:
    """Keep the gain, pass the turn; the reward to the one whose turn it was."""
    player = int(position[PLAYER])
    position[BANKED + player] += gain
    position[POT] = 0
    position[TURN] += 1
    position[PLAYER] = position[TURN] % game.seats
    if game.seats == 1:
        return float(gain)
    winner = game.outcome(position)
    return 0.0 if winner == NOBODY else (1.0 if winner == player else -1.0)
