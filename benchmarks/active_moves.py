"""What it saves to keep the active moves of Gomoku up to date, beside scanning the board for them.

    python benchmarks/active_moves.py

Both turn the same random stones around the middle on and off, in turns, and read the active moves after each change. `kept` is
`place` and `lift` of `gomoku_patterns`, with all patterns; `scan` only sets a cell and looks at every empty cell's surroundings.
"""

from time import process_time

import numpy as np

from tengen.compiling import kernel
from tengen.games import Gomoku
from tengen.games.gomoku_patterns import ACTIVE, NEAR, Patterns, active_list, cell_of, lift, place


@kernel
def kept(board, tables, cells, rounds):
    total = 0
    for _ in range(rounds):
        for i in range(2 * len(cells)):
            if i < len(cells):
                place(board, tables, int(cells[i]), i & 1)
            else:
                lift(board, tables, int(cells[2 * len(cells) - 1 - i]))
            start = active_list(board)
            for j in range(int(board[ACTIVE])):
                total += int(board[start + j]) > 0
    return total


@kernel
def scan(stones, moves, size, out, rounds):
    total = 0
    for _ in range(rounds):
        for i in range(2 * len(moves)):
            move = int(moves[i]) if i < len(moves) else int(moves[2 * len(moves) - 1 - i])
            stones[move // size, move % size] = 1 + (i & 1) if i < len(moves) else 0
            count = 0
            for row in range(size):
                for column in range(size):
                    if stones[row, column] == 0:
                        is_active = False
                        for r in range(max(0, row - NEAR), min(size, row + NEAR + 1)):
                            for c in range(max(0, column - NEAR), min(size, column + NEAR + 1)):
                                is_active |= stones[r, c] != 0
                        out[count] = row * size + column
                        count += is_active
            total += count
    return total


def main() -> None:
    for size in (15, 20):
        game = Gomoku(size)
        patterns, chooser = Patterns(game), np.random.default_rng(1)
        middle = [m for m in range(size * size) if abs(m // size - size // 2) < 5 and abs(m % size - size // 2) < 5]
        moves = chooser.permutation(middle)[:40]
        cells = np.array([cell_of(patterns.board, size, int(move)) for move in moves])
        stones, out = np.zeros((size, size), np.int32), np.zeros(size * size, np.int32)
        assert kept(patterns.board, patterns.tables, cells, 1) == scan(stones, moves, size, out, 1)
        ours, other, rounds = [], [], 100
        for _ in range(7):
            start = process_time()
            kept(patterns.board, patterns.tables, cells, rounds)
            ours.append(process_time() - start)
            start = process_time()
            scan(stones, moves, size, out, rounds)
            other.append(process_time() - start)
        changes = 2 * len(moves) * rounds
        ratio = np.median([b / a for a, b in zip(ours, other)])
        kept_ns, scan_ns = (1e9 * np.median(times) / changes for times in (ours, other))
        print(f"gomoku:{size}: kept {kept_ns:,.0f} ns a change, scan {scan_ns:,.0f} ns, ratio {ratio:.1f}")


if __name__ == "__main__":
    main()
