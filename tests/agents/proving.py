"""A slow prover that knows nothing of patterns: whoever claims a win by force has to win against every reply.

`python tests/agents/proving.py` writes `fours.txt` anew: positions with a win by continuous fours, each of them proven.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from tengen.games import Gomoku

FILE = Path(__file__).parent / "fours.txt"
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))

Ask = Callable[[list[int], int], int | None]
"""From a board (0 empty, 1, 2) and the colour to move (1, 2) to a move that is claimed to win, or None."""


class Prover:
    """Plays an attacker who says how he wins against all replies of the defender."""

    def __init__(self, game: Gomoku, cells: list[int], ask: Ask) -> None:
        self.size, self.line, self.exact = game.size, game.line, game.exact
        self.cells, self.ask, self.asked = list(cells), ask, 0

    def wins_with(self, move: int, colour: int) -> bool:
        """Whether a stone there stands in a row that wins."""
        row, column = divmod(move, self.size)
        for down, right in WAYS:
            length = 1
            for sign in (1, -1):
                r, c = row + sign * down, column + sign * right
                while 0 <= r < self.size and 0 <= c < self.size and self.cells[r * self.size + c] == colour:
                    length, r, c = length + 1, r + sign * down, c + sign * right
            if length == self.line or (length > self.line and not self.exact):
                return True
        return False

    def fives(self, colour: int) -> list[int]:
        """The empty cells on which a colour wins at once."""
        return [move for move, stone in enumerate(self.cells) if stone == 0 and self.wins_with(move, colour)]

    def fives_near(self, move: int, colour: int, known: list[int]) -> list[int]:
        """The same after `colour` has played `move`; `known`: before."""
        row, column = divmod(move, self.size)
        found = set(known)
        for down, right in WAYS:
            for step in range(-self.line, self.line + 1):
                r, c = row + step * down, column + step * right
                if 0 <= r < self.size and 0 <= c < self.size:
                    found.add(r * self.size + c)
        return [other for other in found if self.cells[other] == 0 and self.wins_with(other, colour)]

    def is_won(self, attacker: int) -> bool:
        """Whether the attacker, who is to move, wins as he claims."""
        return self._is_won(attacker, self.fives(attacker), self.fives(3 - attacker), 0)

    def _is_won(self, attacker: int, mine: list[int], yours: list[int], depth: int) -> bool:
        if mine:
            return True
        self.asked += 1
        move = self.ask(self.cells, attacker)
        if move is None or self.cells[move] != 0 or depth > 40:
            return False
        defender = 3 - attacker
        self.cells[move] = attacker
        mine = self.fives_near(move, attacker, mine)
        yours = [other for other in yours if other != move]
        won = not yours and self._meets_all(attacker, defender, mine, depth)
        self.cells[move] = 0
        return won

    def _meets_all(self, attacker: int, defender: int, mine: list[int], depth: int) -> bool:
        """The defender, who cannot win at once, replies. If the attacker threatens to, all other replies lose at once."""
        replies = mine or [move for move, stone in enumerate(self.cells) if stone == 0]
        if len(mine) > 1:
            return True
        for reply in replies:
            self.cells[reply] = defender
            threats = self.fives_near(reply, defender, [])
            rest = [other for other in mine if other != reply]
            won = self._is_won(attacker, rest, threats, depth + 1)
            self.cells[reply] = 0
            if not won:
                return False
        return True


def random_board(game: Gomoku, chooser: Random) -> list[int]:
    """Random stones around the middle, as many of each colour, nobody with a row that wins."""
    cells = [0] * game.move_count()
    prover = Prover(game, cells, lambda cells, colour: None)
    reach = chooser.randint(3, max(3, game.size // 2))
    middle, colour = game.size // 2, 1
    area = [
        row * game.size + column
        for row in range(max(0, middle - reach), min(game.size, middle + reach + 1))
        for column in range(max(0, middle - reach), min(game.size, middle + reach + 1))
    ]
    for _ in range(int(len(area) * chooser.uniform(0.15, 0.5)) // 2 * 2):
        move = area[chooser.randrange(len(area))]
        if prover.cells[move] == 0 and not prover.wins_with(move, colour):
            prover.cells[move] = colour
            colour = 3 - colour
    return prover.cells


def write_position(game: Gomoku, cells: list[int], attacker: int) -> str:
    names = [" ".join(game.move_name(m) for m, stone in enumerate(cells) if stone == colour) for colour in (1, 2)]
    return f"{game.size} {'black' if attacker == 1 else 'white'} wins: {names[0]} / {names[1]}"


def read_positions() -> Iterator[tuple[Gomoku, list[int], int]]:
    """(game, board, attacker) of each line of the file."""
    for text in FILE.read_text(encoding="utf-8").splitlines():
        head, _, stones = text.partition(": ")
        size, attacker, _ = head.split()
        game = Gomoku(int(size))
        cells = [0] * game.move_count()
        for colour, names in enumerate(stones.split(" / "), 1):
            for name in names.split():
                cells[game.parse_move(name)] = colour
        yield game, cells, 1 if attacker == "black" else 2


def main() -> None:
    from threat_asking import asking  # the pattern code that the prover does without

    chooser, lines = Random(7), []
    for size, number, least in [(9, 8, 3), (11, 8, 4), (15, 26, 4), (15, 8, 6), (19, 8, 4), (20, 4, 4)]:
        game = Gomoku(size)
        ask = asking(game, threes=False)
        while number:
            cells, attacker = random_board(game, chooser), chooser.randint(1, 2)
            prover = Prover(game, cells, ask)
            if prover.fives(1) or prover.fives(2) or ask(cells, attacker) is None or ask.moves < least:
                continue
            moves = ask.moves
            assert prover.is_won(attacker)
            lines.append(write_position(game, cells, attacker))
            number -= 1
            print(len(lines), size, moves, file=sys.stderr)
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
