"""Hex on a rhombus of size × size cells. Stones are never moved; there are no draws.

Player 0 (red) joins the first and the last row, player 1 (black) the first and the last column. A cell's neighbours
are the two in its row, the two in its column, and those up-right and down-left. `a1` is row 0, column 0; it is the
single cell at the top of the diamond in which people see the board.

A position is the board with a border around it, then three numbers. A cell holds 0, or the colour (1 for player 0,
2 for player 1) with two flags: NEAR, joined to the player's first side, and FAR, joined to the other. The border
stones carry their flags from the start, so a stone learns what it is joined to from its neighbours alone, and the game
is won by the stone that has both.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import apart, inner
from tengen.games import hex_knowledge as known
from tengen.games.diagram import Cell, Diagram, Label
from tengen.games.hex_knowledge import FAR, FILLED, NEAR
from tengen.games.naming import cell_name, parse_cell
from tengen.games.randomness import below, next_bits
from tengen.games.types import AnyGame, IntArray, Planes, RandomState
from tengen.games.verbs import NOBODY, game

SMALLEST, LARGEST = 3, 19

# After the cells of the board: the player to move, 1 + the winner (0: none), the number of moves made.
TO_MOVE, WINNER, PLIES = 0, 1, 2

_32 = np.uint64(32)


@game
class Hex(NamedTuple):
    """The rules of Hex."""

    size: int = 11
    """Cells along a side, 3 to 19."""
    swap: bool = False
    """Whether the second player may, as the first answer, take over the stone, mirrored (swap-pieces)."""
    first: int = 0
    """The player who begins: 0 is red, 1 is black."""

    def check(self) -> None:
        """Refuse parameters that make no game."""
        if not SMALLEST <= self.size <= LARGEST:
            raise ValueError(f"hex is played on boards of {SMALLEST} to {LARGEST}, not {self.size}")
        if self.first not in (0, 1):
            raise ValueError(f"first is 0 (red begins) or 1 (black begins), not {self.first}")

    def position_size(self) -> int:
        return (self.size + 2) * (self.size + 2) + 3

    def move_count(self) -> int:
        return self.size * self.size + (1 if self.swap else 0)

    def start(self, position: IntArray) -> None:
        width = self.size + 2
        position[:] = 0
        for i in range(width):
            position[i * width] = 2 | NEAR  # left
            position[i * width + width - 1] = 2 | FAR  # right
        for i in range(1, width):
            position[i] = 1 | NEAR  # top, with the corner beside black's far side
            position[(width - 1) * width + i] = 1 | FAR  # bottom
        position[width * width + TO_MOVE] = self.first

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
        if _swap_is_legal(self, position):
            out[n] = move
            n += 1
        return n

    def play(self, position: IntArray, move: int) -> float:
        width = self.size + 2
        end = width * width
        player = int(position[end + TO_MOVE])
        if move == self.size * self.size:
            won = _swap(position, width, player)
        else:
            cell = move + 2 * (move // self.size) + width + 1
            won = _put_stone(position, width, cell, player + 1)
        position[end + TO_MOVE] = 1 - player
        position[end + PLIES] += 1
        if won:
            position[end + WINNER] = player + 1
            return 1.0
        return 0.0

    def is_over(self, position: IntArray) -> bool:
        return bool(position[(self.size + 2) * (self.size + 2) + WINNER] != 0)

    def outcome(self, position: IntArray) -> int:
        return int(position[(self.size + 2) * (self.size + 2) + WINNER]) - 1

    def playout(self, position: IntArray, viewer: int, random: RandomState) -> float:
        """Fill the board at random and see who is joined: the winner is the same as if moves were made in turn."""
        width = self.size + 2
        end = width * width
        if position[end + WINNER] != 0:
            return 0.0
        if self.swap and position[end + PLIES] == 0:  # the answer to this move may be the swap
            self.play(position, below(random, self.size * self.size))
        if _swap_is_legal(self, position) and below(random, self.move_count() - 1) == 0:
            self.play(position, self.size * self.size)
        mover = int(position[end + TO_MOVE])
        winner = _fill_at_random(position, self.size, mover + 1, random)
        return 1.0 if winner == viewer else -1.0

    def made_by(self, position: IntArray, out: IntArray) -> bool:
        """Whose stone lies on each cell."""
        width, move = self.size + 2, 0
        for row in range(1, self.size + 1):
            for cell in range(row * width + 1, row * width + 1 + self.size):
                out[move] = position[cell] & 3
                move += 1
        if self.swap:
            out[move] = 0  # no board tells
        return True

    def plane_count(self) -> int:
        return 2

    def plane_rows(self) -> int:
        return self.size

    def plane_columns(self) -> int:
        return self.size

    def encode(self, position: IntArray, planes: Planes) -> None:
        """The mover's stones, then the other's; turned so that the mover always joins top and bottom."""
        width = self.size + 2
        mover = int(position[width * width + TO_MOVE])
        for row in range(self.size):
            for column in range(self.size):
                cell = position[(row + 1) * width + column + 1] & 3
                r, c = (row, column) if mover == 0 else (column, row)
                planes[0, r, c] = 1.0 if cell == mover + 1 else 0.0
                planes[1, r, c] = 1.0 if cell == 2 - mover else 0.0

    def move_view(self, position: IntArray) -> int:
        return self.to_move(position)

    # --- knowledge: bridges are urgent, what is not inferior is likely

    def knowledge_size(self) -> int:
        return known.knowledge_size(self.size)

    def study(self, position: IntArray, knowledge: IntArray) -> None:
        known.study(self.size, knowledge)

    def learn(self, position: IntArray, knowledge: IntArray, move: int) -> None:
        if move == self.size * self.size:  # the swap
            known.study(self.size, knowledge)
        else:
            known.learn(self.size, knowledge, move)

    def urgent_moves(self, position: IntArray, knowledge: IntArray, out: IntArray) -> int:
        return known.urgent_moves(self.size, position, knowledge, self.to_move(position), out)

    def likely_moves(self, position: IntArray, knowledge: IntArray, most: int, out: IntArray) -> int:
        if self.swap and position[(self.size + 2) * (self.size + 2) + PLIES] == 0:
            return 0  # the best first move is one that is neither strong nor weak
        n = known.likely_moves(self.size, position, knowledge, self.to_move(position), most, out)
        if n > 0 and _swap_is_legal(self, position):
            out[n if n != most else n - 1] = self.size * self.size
            n += n != most
        return n

    def informed_playout(
        self, position: IntArray, knowledge: IntArray, viewer: int, urgent: bool, likely: bool, random: RandomState
    ) -> float:
        """Fill the board at random, but save bridges (urgent), and begin with what is dead or captured filled in (likely)."""
        width = self.size + 2
        end = width * width
        if position[end + WINNER] != 0:
            return 0.0
        if self.swap and position[end + PLIES] == 0:  # the answer to this move may be the swap
            move = int(below(random, self.size * self.size))
            self.play(position, move)
            self.learn(position, knowledge, move)
        if _swap_is_legal(self, position) and below(random, self.move_count() - 1) == 0:
            self.play(position, self.size * self.size)
            self.learn(position, knowledge, self.size * self.size)
        mover, last = int(position[end + TO_MOVE]), int(knowledge[end + known.LAST]) if urgent else 0
        if not likely:
            known.fill_by_knowledge(position, self.size, mover, last, random)
            winner = _winner_of_full_board(position, width)
        else:
            known.fill_in(self.size, position, knowledge)
            if urgent:
                known.fill_by_knowledge(knowledge, self.size, mover, last, random)
                winner = _winner_of_full_board(knowledge, width)
            else:
                winner = _fill_at_random(knowledge, self.size, mover + 1, random)
            for row in range(1, self.size + 1):
                for cell in range(row * width + 1, row * width + 1 + self.size):
                    if knowledge[cell] & FILLED == 0:  # else nobody has made that move
                        position[cell] = knowledge[cell]
        return 1.0 if winner == viewer else -1.0

    # --- for people and tools

    def move_views(self) -> NDArray[np.int32]:
        board = np.arange(self.size * self.size, dtype=np.int32).reshape(self.size, self.size)
        return np.stack([self._with_swap(board), self._with_swap(board.T)])

    def symmetries(self) -> NDArray[np.int32]:
        board = np.arange(self.size * self.size, dtype=np.int32).reshape(self.size, self.size)
        return np.stack([self._with_swap(board), self._with_swap(board[::-1, ::-1])])

    def more_never_hurts(self) -> bool:
        return not self.swap

    def _with_swap(self, board: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.append(board.ravel(), np.arange(board.size, self.move_count(), dtype=np.int32))

    def cells(self, position: IntArray) -> NDArray[np.int32]:
        width = self.size + 2
        return (position[: width * width].reshape(width, width)[1:-1, 1:-1] & 3).ravel()

    def set_up(self, position: IntArray, cells: NDArray[np.int32], to_move: int) -> None:
        width = self.size + 2
        self.start(position)
        last_colour = 0
        for move, colour in enumerate(np.ravel(cells)):
            if colour:
                cell = move + 2 * (move // self.size) + width + 1
                if _put_stone(position, width, cell, int(colour)):
                    position[width * width + WINNER] = colour
                position[width * width + PLIES] += 1
                last_colour = int(colour)
        position[width * width + TO_MOVE] = to_move
        if position[width * width + PLIES] == 1 and last_colour != self.first + 1:
            position[width * width + PLIES] = 2  # the only stone is the second player's: it has been swapped

    def move_name(self, move: int) -> str:
        if move == self.size * self.size:
            return "swap"
        return cell_name(move // self.size, move % self.size)

    def parse_move(self, text: str) -> int:
        if self.swap and text.strip().lower() in ("swap", "swap-pieces"):
            return self.size * self.size
        row, column = parse_cell(text, self.size)
        return row * self.size + column

    def diagram(self, position: IntArray) -> Diagram:
        """The diamond: (0, 0) at the top, row 0 along the north-east side, column 0 along the north-west side."""
        size, board = self.size, self.cells(position).reshape(self.size, self.size)
        chain = self._winning_chain(board, self.outcome(position))
        middle, top = 2 * size + 1 + len(str(size)), 1  # room at the left for the longest number
        cells, labels = [], []
        for row in range(size):
            for column in range(size):
                x, y = middle + 2 * (column - row), top + row + column
                owner = int(board[row, column]) - 1
                move = row * size + column
                won = (row, column) in chain
                cells.append(Cell(x, y, move, None if owner < 0 else owner, won))
        for i in range(size):
            x, y = middle + 2 * i, top + i
            labels.append(Label(x + 2, y - 1, "\\" + f" {chr(ord('a') + i)}", 0))  # north-east: red
            number = str(i + 1)
            labels.append(Label(2 * middle - x - 3 - len(number), y - 1, f"{number} /", 1))  # north-west: black
            labels.append(Label(middle - 2 * size + 2 * i, top + size + i, "\\", 0))  # south-west: red
            labels.append(Label(middle + 2 * size - 2 * i, top + size + i, "/", 1))  # south-east: black
        return Diagram(tuple(cells), tuple(labels), names=("red", "black"))

    def _winning_chain(self, board: NDArray[np.int32], winner: int) -> set[tuple[int, int]]:
        """A shortest chain of the winner's stones from side to side."""
        if winner == NOBODY:
            return set()
        grid = board if winner == 0 else board.T
        paths = {(0, c): [(0, c)] for c in range(self.size) if grid[0, c] == winner + 1}
        queue = list(paths)
        for r, c in queue:
            if r == self.size - 1:
                return {p if winner == 0 else (p[1], p[0]) for p in paths[r, c]}
            for p in ((r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c), (r - 1, c + 1), (r + 1, c - 1)):
                inside = 0 <= p[0] < self.size and 0 <= p[1] < self.size
                if inside and p not in paths and grid[p] == winner + 1:
                    paths[p] = [*paths[r, c], p]
                    queue.append(p)
        return set()


@inner
def _swap_is_legal(game: AnyGame, position: IntArray) -> bool:
    return bool(game.swap and position[(game.size + 2) * (game.size + 2) + PLIES] == 1)


@inner
def _put_stone(position: IntArray, width: int, cell: int, colour: int) -> bool:
    """Put a stone and tell what it joins; True when its chain reaches both sides."""
    flags = 0
    alone = True
    for step in (-width, 1 - width, -1, 1, width - 1, width):
        neighbour = int(position[cell + step])
        if neighbour & 3 == colour:
            flags |= neighbour & (NEAR | FAR)
            alone = alone and neighbour & (NEAR | FAR) != 0
    position[cell] = colour | flags
    if flags == NEAR | FAR:
        return True
    if flags != 0 and not alone:
        _spread(position, width, cell, colour | flags)
    return False


@inner
def _spread(position: IntArray, width: int, start: int, mark: int) -> None:
    """Give the flags of a stone to all stones joined to it."""
    stack = np.empty(width * width, np.int32)
    stack[0] = start
    n = 1
    while n > 0:
        n -= 1
        cell = int(stack[n])
        for step in (-width, 1 - width, -1, 1, width - 1, width):
            if position[cell + step] == mark & 3:  # its colour, and no flags yet
                position[cell + step] = mark
                stack[n] = cell + step
                n += 1


@apart
def _swap(position: IntArray, width: int, player: int) -> bool:
    """Exchange the only stone for one of the player's own, mirrored at the long diagonal."""
    for row in range(1, width - 1):
        for column in range(1, width - 1):
            if position[row * width + column] != 0:
                position[row * width + column] = 0
                return _put_stone(position, width, column * width + row, player + 1)
    return False


@inner
def _fill_at_random(position: IntArray, size: int, mover: int, random: RandomState) -> int:
    """Give half of the empty cells, chosen at random, to each side, the mover first; the winner."""
    width = size + 2
    empty = np.empty(size * size, np.int32)
    n = 0
    for row in range(1, size + 1):
        start = row * width + 1
        for cell in range(start, start + size):
            empty[n] = cell
            n += position[cell] == 0
    for i in range(n):
        position[empty[i]] = mover
    bits = np.uint64(0)
    for i in range(n // 2):  # a shuffle of only as many as the other side has; two draws from 64 bits
        bits = next_bits(random) if i & 1 == 0 else bits << _32
        j = i + np.int64(((bits >> _32) * np.uint64(n - i)) >> _32)
        position[empty[j]] = 3 - mover
        empty[j] = empty[i]
    return _winner_of_full_board(position, width)


@inner
def _winner_of_full_board(position: IntArray, width: int) -> int:
    """Walk along the border between red and black from the corner where both begin.

    Red lies at `here`, black at `here + aside`, and the cell `here + ahead` touches both. Whoever owns it, the border
    goes on beside it. All red cells met are joined to the top and all black ones to the left, so the walk ends at the
    first that is also joined to the far side.
    """
    here, aside, ahead = 1, width - 1, width
    while True:
        cell = position[here + ahead]
        if cell & FAR:
            return 0 if cell & 1 else 1
        if cell & 1:
            here += ahead
            aside, ahead = aside - ahead, aside
        else:
            aside, ahead = ahead, ahead - aside
