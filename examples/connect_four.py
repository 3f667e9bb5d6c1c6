"""Connect Four: stones are dropped into columns; four in a row, in any direction, win. docs/games.md tells more."""

from typing import NamedTuple

import numpy as np

from tengen import game, grid_diagram


@game
class ConnectFour(NamedTuple):
    rows: int = 6
    columns: int = 7
    line: int = 4

    # A position: the cells, row by row from the bottom (0 empty, 1 and 2 the players'), who moves, stones, winner + 1.
    def position_size(self):
        return self.rows * self.columns + 3

    def move_count(self):
        return self.columns

    def start(self, position):
        position[:] = 0

    def to_move(self, position):
        return int(position[-3])

    def is_over(self, position):
        return bool(position[-1] > 0 or position[-2] == self.rows * self.columns)

    def outcome(self, position):
        return int(position[-1]) - 1  # −1: nobody

    def legal_moves(self, position, out):
        n = 0
        for column in range(self.columns):
            out[n] = column
            n += position[(self.rows - 1) * self.columns + column] == 0  # the topmost cell is free
        return n

    def play(self, position, move):
        row, stone = 0, position[-3] + 1
        while position[row * self.columns + move] != 0:
            row += 1
        position[row * self.columns + move] = stone
        position[-3] = 2 - stone
        position[-2] += 1
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                c, r = move + sign * right, row + sign * up
                while 0 <= c < self.columns and 0 <= r < self.rows and position[r * self.columns + c] == stone:
                    length, c, r = length + 1, c + sign * right, r + sign * up
            if length >= self.line:
                position[-1] = stone
                return 1.0  # the reward of the one who moved
        return 0.0

    # From here on it could do without. A network sees the mover's stones and the other's; the board may be mirrored.
    def plane_count(self):
        return 2

    def plane_rows(self):
        return self.rows

    def plane_columns(self):
        return self.columns

    def encode(self, position, planes):
        for i in range(self.rows * self.columns):
            planes[0, i // self.columns, i % self.columns] = position[i] == position[-3] + 1
            planes[1, i // self.columns, i % self.columns] = position[i] == 2 - position[-3]

    def symmetries(self):
        return np.stack([np.arange(self.columns), np.arange(self.columns)[::-1]]).astype(np.int32)

    def diagram(self, position):
        board = position[:-3].reshape(self.rows, self.columns)[::-1]
        return grid_diagram(board, moves=np.tile(np.arange(self.columns), (self.rows, 1)), names=("red", "blue"))
