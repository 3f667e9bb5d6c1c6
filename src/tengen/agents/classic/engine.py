"""The searches of a Gomoku position: their memory, slices of work between looks at the clock, iterative deepening."""

from __future__ import annotations

import time as clock
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tengen.agents.classic import alphabeta, threats
from tengen.agents.classic.alphabeta import PROVEN, WIN
from tengen.agents.classic.threats import UNFINISHED
from tengen.agents.classic.weights import CLASSIC, Weights
from tengen.games.gomoku import Gomoku
from tengen.games.gomoku_patterns import (
    CELLS,
    KIND_COUNTS,
    KINDS,
    RECORDS,
    STONES,
    WINS,
    Patterns,
    cell_of,
    look,
    move_of,
)
from tengen.games.types import IntArray

SLICE = 0.002
"""Seconds of search between two looks at the clock."""
TABLE_BITS, PROOF_BITS = 20, 18
WIDEST = 20
"""Moves that are tried at a position, at most."""
MOST_MOVES = 30
"""Of the attacker, in a win by threats."""
MOST_DEPTH = 60
ENDLESS = 1 << 60

Enough = Callable[[], bool]


class Engine:
    """Searches one position at a time; what it learns of others stays in its tables."""

    def __init__(self, game: Gomoku, weights: Weights = CLASSIC) -> None:
        self.game = game
        patterns = Patterns(game)
        self.board, self.tables = patterns.board, patterns.tables
        records, cells = int(self.board[RECORDS]), int(self.board[CELLS])
        self.hashes = threats.new_hashes(records, seed=1)
        self.proofs: NDArray[np.uint64] = np.zeros(1 << PROOF_BITS, np.uint64)
        self.paths, self.work = threats.new_paths(cells), np.zeros(threats.WORK, np.int64)
        self.table = alphabeta.new_table(TABLE_BITS)
        self.frames, self.state = alphabeta.new_frames(cells), alphabeta.new_state(records)
        self.state[alphabeta.WIDEST] = WIDEST
        self.set_weights(weights)
        self.depth, self.value, self.moves_to_win = 0, 0, 0
        self._speed = 100_000.0  # nodes a second: a careful guess, learned at once
        self._search(0)  # compiled, or read from the cache, before any clock runs
        self._seek(0)

    def set_weights(self, weights: Weights) -> None:
        """Evaluate by these from now on."""
        flat = np.concatenate([weights.mover, weights.opponent, [weights.move]])
        self.state[alphabeta.WEIGHTS : alphabeta.WEIGHTS + len(flat)] = flat

    def memory(self) -> int:
        """Bytes that it holds."""
        arrays = (self.board, self.hashes, self.proofs, self.paths, self.table, self.frames, self.state)
        return sum(array.nbytes for array in arrays)

    @property
    def nodes(self) -> int:
        """Positions that alpha-beta has visited so far."""
        return int(self.state[alphabeta.NODES])

    @property
    def threat_nodes(self) -> int:
        """Positions that the threat search has visited so far."""
        return int(self.work[threats.NODES])

    def forget(self) -> None:
        """Empty all tables: what comes next does not depend on what was."""
        self.table[:] = 0
        self.proofs[:] = 0
        self.state[alphabeta.HISTORY :] = 0

    def set_up(self, stones: IntArray, mover: int) -> None:
        """Look at a position: 0 empty, 1 and 2 the players' stones; `mover` 0 or 1."""
        self._stones, self._mover = np.ascontiguousarray(stones, np.int32), mover
        self.state[alphabeta.BANNED] = 0
        self._restore()

    def _restore(self) -> None:
        """Take back what a search that was not finished has put on the board."""
        look(self.game, self.board, self.tables, self._stones)
        key = 0
        for move in np.flatnonzero(self._stones):
            cell = cell_of(self.board, self.game.size, int(move))
            key ^= int(self.hashes[1 + 2 * cell + int(self._stones[move]) - 1])
        self.hashes[0] = key

    def ban(self, move: int) -> None:
        """Leave a move of the present position out."""
        self.state[alphabeta.BANNED_CELLS + self.state[alphabeta.BANNED]] = cell_of(self.board, self.game.size, move)
        self.state[alphabeta.BANNED] += 1

    # --- threats

    def seek_win(
        self, attacker: int, threes: bool, enough: Enough, most_moves: int = MOST_MOVES, most_nodes: int = ENDLESS
    ) -> int | None:
        """The first move of a win of `attacker`, who is to move, by fours, or by fours and threes; None if none is found.

        `enough` is asked every two milliseconds whether to give up. `moves_to_win` is then how many moves it needs, at most.
        """
        last = self.threat_nodes + most_nodes
        for moves in range(1, most_moves + 1):
            self.work[[threats.PLY, threats.PHASE, threats.KEEPS]] = 0, threats.ENTER, 1
            self.work[[threats.ATTACKER, threats.THREES, threats.MOVES_LEFT]] = attacker, threes, moves
            result = self._timed(self._seek, last - self.threat_nodes)
            while result == UNFINISHED:
                if self.threat_nodes >= last or enough():
                    self._restore()
                    return None
                result = self._timed(self._seek, last - self.threat_nodes)
            if result > 0:
                self.moves_to_win = moves
                return self._move(int(self.work[threats.WINNER]))
            if not self.work[threats.WAS_CUT]:
                break
        return None

    # --- alpha-beta

    def search(self, enough: Enough, most_depth: int = MOST_DEPTH) -> int | None:
        """The best move that is not banned, deeper and deeper until `enough()`; None if all are banned.

        Afterwards `depth` is the last depth that was finished and `value` what the move is worth to the mover.
        """
        state, root = self.state, self.frames[0]
        best, self.depth, self.value = -1, 0, 0
        state[alphabeta.ROOT_MOVER] = self._mover
        for depth in range(1, most_depth + 1):
            root[alphabeta.DEPTH], root[alphabeta.LOW], root[alphabeta.HIGH] = depth, -WIN, WIN
            state[[alphabeta.PLY, alphabeta.PHASE, alphabeta.ROOT_MOVE]] = 0, alphabeta.ENTER, best
            result = self._timed(self._search)
            while result == UNFINISHED:
                if best >= 0 and enough():
                    break
                result = self._timed(self._search)
            if result == UNFINISHED:
                if root[alphabeta.CHOICE] >= 0:  # the best of those that were tried, the last depth's best among them
                    best, self.value = int(root[alphabeta.CHOICE]), int(root[alphabeta.BEST])
                self._restore()
                break
            if root[alphabeta.CHOICE] < 0 or alphabeta.is_banned(state, int(root[alphabeta.CHOICE])):
                return None
            best, self.value, self.depth = int(root[alphabeta.CHOICE]), int(root[alphabeta.BEST]), depth
            if abs(self.value) >= PROVEN or root[alphabeta.COUNT] == 1 or enough():
                break
        state[alphabeta.HISTORY :] >>= 3  # fades from move to move
        return self._move(best)

    def can_win_at_once(self, colour: int) -> bool:
        """Whether the colour has a cell that wins."""
        return bool(self.board[KIND_COUNTS + KINDS * colour + WINS])

    @property
    def is_empty(self) -> bool:
        return int(self.board[STONES]) == 0

    def _move(self, cell: int) -> int:
        return int(move_of(self.board, self.game.size, cell))

    def _timed(self, work: Callable[[int], int], most_nodes: int = ENDLESS) -> int:
        """Do a slice of work, and learn how fast it goes."""
        budget = min(max(50, int(self._speed * SLICE)), most_nodes)
        start = clock.perf_counter()
        result = work(budget)
        seconds = clock.perf_counter() - start
        if result == UNFINISHED and budget >= 50:  # all of it was used, and it was enough to tell
            self._speed = min(max(budget / max(seconds, 1e-6), 20_000.0), 2 * self._speed, 5_000_000.0)
        return result

    def _seek(self, budget: int) -> int:
        return threats.seek_win(
            self.board, self.tables, self.hashes, self.proofs, self.paths, self.work, budget
        )  # fmt: skip

    def _search(self, budget: int) -> int:
        return alphabeta.search_slice(
            self.game, self.board, self.tables, self.hashes, self.table, self.frames, self.state, budget
        )
