"""Gomoku: five in a row, or any other length, on a square board. A full board without a row is a draw.

Black (player 0) begins. Freestyle: five or more win. Exact: five win, six do not. `a1` is bottom left, as players
write it; cells are numbered row by row from the top. With ``line=3`` on 3×3 it is tic-tac-toe.

A position is the board with a border around it (0 empty, 1 black, 2 white, 3 border), then three numbers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import inner
from tengen.games import gomoku_knowledge as known
from tengen.games.diagram import Cell, Diagram, Label
from tengen.games.naming import cell_name, parse_cell
from tengen.games.randomness import below
from tengen.games.types import IntArray, Planes, RandomState
from tengen.games.verbs import NOBODY, game

SMALLEST, LARGEST = 3, 20
BORDER = 3

# After the cells of the board: the player to move, 1 + the winner (0: none), the number of stones.
TO_MOVE, WINNER, STONES = 0, 1, 2


@game
class Gomoku(NamedTuple):
    """The rules of Gomoku."""

    size: int = 15
    """Cells along a side, 3 to 20."""
    line: int = 5
    """Stones in a row that win."""
    exact: bool = False
    """Whether a longer row does not win."""

    def check(self) -> None:
        """Refuse parameters that make no game."""
        if not SMALLEST <= self.size <= LARGEST:
            raise ValueError(f"gomoku is played on boards of {SMALLEST} to {LARGEST}, not {self.size}")
        if not 2 <= self.line <= self.size:
            raise ValueError(f"line is 2 to {self.size}, the size of the board, not {self.line}")

    def position_size(self) -> int:
        return (self.size + 2) * (self.size + 2) + 3

    def move_count(self) -> int:
        return self.size * self.size

    def start(self, position: IntArray) -> None:
        width = self.size + 2
        position[:] = 0
        for i in range(width):
            position[i] = BORDER
            position[i * width] = BORDER
            position[i * width + width - 1] = BORDER
            position[(width - 1) * width + i] = BORDER

    def to_move(self, position: IntArray) -> int:
        return int(position[(self.size + 2) * (self.size + 2) + TO_MOVE])

    def legal_moves(self, position: IntArray, out: IntArray) -> int:
        n, move = 0, 0
        for row in range(1, self.size + 1):
            start = row * (self.size + 2) + 1
            for cell in range(start, start + self.size):
                out[n] = move
                n += position[cell] == 0
                move += 1
        return n

    def play(self, position: IntArray, move: int) -> float:
        width = self.size + 2
        end = width * width
        player = int(position[end + TO_MOVE])
        cell = move + 2 * (move // self.size) + width + 1
        position[cell] = player + 1
        position[end + TO_MOVE] = 1 - player
        position[end + STONES] += 1
        if _makes_a_row(position, width, cell, self.line, self.exact):
            position[end + WINNER] = player + 1
            return 1.0
        return 0.0

    def is_over(self, position: IntArray) -> bool:
        end = (self.size + 2) * (self.size + 2)
        return bool(position[end + WINNER] != 0 or position[end + STONES] == self.size * self.size)

    def outcome(self, position: IntArray) -> int:
        return int(position[(self.size + 2) * (self.size + 2) + WINNER]) - 1

    def playout(self, position: IntArray, viewer: int, random: RandomState) -> float:
        """Random moves from a shuffled list of the empty cells."""
        width = self.size + 2
        if self.is_over(position):
            return 0.0
        player = int(position[width * width + TO_MOVE])
        empty = np.empty(self.size * self.size, np.int32)
        n = 0
        for row in range(1, self.size + 1):
            start = row * width + 1
            for cell in range(start, start + self.size):
                empty[n] = cell
                n += position[cell] == 0
        while n > 0:
            i = below(random, n)
            n -= 1
            cell = int(empty[i])
            empty[i] = empty[n]
            position[cell] = player + 1
            if _makes_a_row(position, width, cell, self.line, self.exact):
                return 1.0 if player == viewer else -1.0
            player = 1 - player
        return 0.0

    def made_by(self, position: IntArray, out: IntArray) -> bool:
        """Whose stone lies on each cell."""
        width, move = self.size + 2, 0
        for row in range(1, self.size + 1):
            for cell in range(row * width + 1, row * width + 1 + self.size):
                out[move] = position[cell]
                move += 1
        return True

    def plane_count(self) -> int:
        return 2

    def plane_rows(self) -> int:
        return self.size

    def plane_columns(self) -> int:
        return self.size

    def encode(self, position: IntArray, planes: Planes) -> None:
        """The mover's stones, then the other's."""
        width = self.size + 2
        mover = int(position[width * width + TO_MOVE])
        for row in range(self.size):
            for column in range(self.size):
                cell = position[(row + 1) * width + column + 1]
                planes[0, row, column] = 1.0 if cell == mover + 1 else 0.0
                planes[1, row, column] = 1.0 if cell == 2 - mover else 0.0

    # --- knowledge

    def knowledge_size(self) -> int:
        return known.knowledge_size(self)

    def study(self, position: IntArray, knowledge: IntArray) -> None:
        stones = np.empty(self.size * self.size, np.int32)
        self.made_by(position, stones)
        known.study(self, stones, knowledge)

    def learn(self, position: IntArray, knowledge: IntArray, move: int) -> None:
        known.learn(self, knowledge, move, 1 - self.to_move(position))

    def urgent_moves(self, position: IntArray, knowledge: IntArray, out: IntArray) -> int:
        return known.urgent_moves(self, knowledge, self.to_move(position), out)

    def likely_moves(self, position: IntArray, knowledge: IntArray, most: int, out: IntArray) -> int:
        return known.likely_moves(self, knowledge, most, out)

    # --- for people and tools

    def symmetries(self) -> NDArray[np.int32]:
        board = np.arange(self.size * self.size, dtype=np.int32).reshape(self.size, self.size)
        turns = [np.rot90(board, k) for k in range(4)]
        return np.stack([turned.ravel() for turned in turns + [t.T for t in turns]])

    def cells(self, position: IntArray) -> NDArray[np.int32]:
        width = self.size + 2
        return position[: width * width].reshape(width, width)[1:-1, 1:-1].ravel()

    def set_up(self, position: IntArray, cells: NDArray[np.int32], to_move: int) -> None:
        width = self.size + 2
        self.start(position)
        inside = position[: width * width].reshape(width, width)[1:-1, 1:-1]
        inside[:] = np.reshape(cells, (self.size, self.size))
        end = width * width
        position[end + TO_MOVE] = to_move
        position[end + STONES] = np.count_nonzero(inside)
        for move in np.flatnonzero(inside):
            cell = move + 2 * (move // self.size) + width + 1
            if _makes_a_row(position, width, int(cell), self.line, self.exact):
                position[end + WINNER] = position[cell]

    def move_name(self, move: int) -> str:
        return cell_name(self.size - 1 - move // self.size, move % self.size)

    def parse_move(self, text: str) -> int:
        row, column = parse_cell(text, self.size)
        return (self.size - 1 - row) * self.size + column

    def diagram(self, position: IntArray) -> Diagram:
        size, board = self.size, self.cells(position).reshape(self.size, self.size)
        row_cells = self._winning_row(board, self.outcome(position))
        cells, labels = [], []
        for row in range(size):
            labels.append(Label(0, row, f"{size - row:2}"))
            labels.append(Label(4 + 2 * size, row, str(size - row)))
            for column in range(size):
                owner = int(board[row, column]) - 1
                won = (row, column) in row_cells
                move = row * size + column
                cells.append(Cell(4 + 2 * column, row, move, None if owner < 0 else owner, won))
        letters = " ".join(chr(ord("a") + column) for column in range(size))
        labels.append(Label(4, size, letters))
        return Diagram(tuple(cells), tuple(labels), ("yellow", "cyan"), ("black", "white"))

    def _winning_row(self, board: NDArray[np.int32], winner: int) -> set[tuple[int, int]]:
        """The cells of every row that wins."""
        found: set[tuple[int, int]] = set()
        if winner == NOBODY:
            return found
        for row, column in np.argwhere(board == winner + 1).tolist():
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line, r, c = [(row, column)], row + down, column + right
                while 0 <= r < self.size and 0 <= c < self.size and board[r, c] == winner + 1:
                    line.append((r, c))
                    r, c = r + down, c + right
                before = (row - down, column - right)
                starts = not (0 <= before[0] < self.size and 0 <= before[1] < self.size and board[before] == winner + 1)
                if starts and (len(line) == self.line or (len(line) > self.line and not self.exact)):
                    found.update(line)
        return found


@inner
def _makes_a_row(position: IntArray, width: int, cell: int, line: int, exact: bool) -> bool:
    """Whether the stone on `cell` stands in a row that wins."""
    colour = position[cell]
    for step in (1, width - 1, width, width + 1):
        length = 1
        there = cell + step
        while position[there] == colour:
            length += 1
            there += step
        there = cell - step
        while position[there] == colour:
            length += 1
            there -= step
        if length == line or (length > line and not exact):
            return True
    return False
