"""Games that know something, for the tests of the verbs of knowledge."""

from __future__ import annotations

from typing import NamedTuple

from tengen.games import Pig
from tengen.games.verbs import game


@game
class KnowingPig(NamedTuple):
    """Pig, for whoever counts the moves made: every third decision banks, every fifth had better roll."""

    turns: int = 2
    sides: int = 6
    limit: int = 20
    seats: int = 1

    players = Pig.players
    is_bounded = Pig.is_bounded
    position_size = Pig.position_size
    move_count = Pig.move_count
    start = Pig.start
    to_move = Pig.to_move
    legal_moves = Pig.legal_moves
    chance_odds = Pig.chance_odds
    play = Pig.play
    is_over = Pig.is_over
    outcome = Pig.outcome

    def knowledge_size(self):
        return 1

    def study(self, position, knowledge):
        knowledge[0] = position[1]  # turns over; it is learnt otherwise, so `check_game` would not like it

    def learn(self, position, knowledge, move):
        knowledge[0] += 1

    def urgent_moves(self, position, knowledge, out):
        out[0] = 0
        return 1 if knowledge[0] % 3 == 2 else 0

    def likely_moves(self, position, knowledge, most, out):
        both = self.legal_moves(position, out) == 2
        out[0] = 1
        return 1 if both and knowledge[0] % 5 == 4 else 0
