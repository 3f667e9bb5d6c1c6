"""Many games for one played side by side, a move of each at a time: what learners without search learn from. Compiled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import kernel
from tengen.games.randomness import choose, random_state
from tengen.games.types import AnyGame, FloatArray, IntArray
from tengen.games.verbs import CHANCE, Game


@kernel
def begin_all(game: AnyGame, positions: IntArray, randoms: NDArray[np.uint64]) -> None:
    """Begin a game in each row, up to the player's first move."""
    moves, odds = np.empty(game.move_count(), np.int32), np.empty(game.move_count(), np.float64)
    for i in range(len(positions)):
        game.start(positions[i])
        while not game.is_over(positions[i]) and game.to_move(positions[i]) == CHANCE:
            n = game.legal_moves(positions[i], moves)
            game.chance_odds(positions[i], odds)
            game.play(positions[i], int(moves[choose(randoms[i], odds, n)]))


@kernel
def step_all(
    game: AnyGame,
    positions: IntArray,  # [games, position] in which a player moves; those after the moves stand there then
    moves: IntArray,  # [games] the move of each
    randoms: NDArray[np.uint64],  # [games, 1]
    rewards: FloatArray,  # out [games]
    over: NDArray[np.bool_],  # out [games] whether the game ended
) -> None:
    """Make a move in each game, and luck's after it."""
    legal, odds = np.empty(game.move_count(), np.int32), np.empty(game.move_count(), np.float64)
    for i in range(len(positions)):
        position = positions[i]
        rewards[i] = game.play(position, int(moves[i]))
        while not game.is_over(position) and game.to_move(position) == CHANCE:
            n = game.legal_moves(position, legal)
            game.chance_odds(position, odds)
            rewards[i] += game.play(position, int(legal[choose(randoms[i], odds, n)]))
        over[i] = game.is_over(position)


@kernel
def mark_legal(game: AnyGame, positions: IntArray, move_views: IntArray, legal: NDArray[np.float32]) -> None:
    """A one for the output of each legal move [n, outputs]; nothing where the game is over."""
    moves = np.empty(game.move_count(), np.int32)
    for i in range(len(positions)):
        legal[i, :] = 0.0
        if game.is_over(positions[i]):
            continue
        outputs = move_views[game.move_view(positions[i])]
        for k in range(game.legal_moves(positions[i], moves)):
            legal[i, outputs[moves[k]]] = 1.0


@kernel
def moves_of(
    game: AnyGame, positions: IntArray, move_views: IntArray, outputs: NDArray[np.int64], moves: IntArray
) -> None:
    """The move that each output stands for [n]."""
    legal = np.empty(game.move_count(), np.int32)
    for i in range(len(positions)):
        view = move_views[game.move_view(positions[i])]
        for k in range(game.legal_moves(positions[i], legal)):
            if view[legal[k]] == outputs[i]:
                moves[i] = legal[k]


@kernel
def whole_game(game: AnyGame, random: NDArray[np.uint64], made: IntArray, moves: IntArray) -> int:
    """Write all moves of a game that began with this state of luck, given those of the player; how many, or −1: no room."""
    position, legal = np.zeros(game.position_size(), np.int32), np.empty(game.move_count(), np.int32)
    odds = np.empty(game.move_count(), np.float64)
    game.start(position)
    n, next_made = 0, 0
    while not game.is_over(position):
        if n == len(moves):
            return -1
        if game.to_move(position) == CHANCE:
            count = game.legal_moves(position, legal)
            game.chance_odds(position, odds)
            moves[n] = legal[choose(random, odds, count)]
        elif next_made == len(made):
            break
        else:
            moves[n] = made[next_made]
            next_made += 1
        game.play(position, int(moves[n]))
        n += 1
    return n


@dataclass(frozen=True)
class Ended:
    """A game that has ended."""

    seed: int
    total: float
    moves: tuple[int, ...]


class Environments:
    """Games in progress, each with the luck of its own seed. `positions` are those in which the player is to choose."""

    def __init__(self, game: Game, games: int, first_seed: int) -> None:
        self.game = game
        self.positions = np.zeros((games, game.position_size()), np.int32)
        self._move_views = np.ascontiguousarray(game.move_views())
        self._randoms = np.zeros((games, 1), np.uint64)
        self._seeds, self._next_seed = np.zeros(games, np.int64), first_seed
        self._returns = np.zeros(games)
        self._made: list[list[int]] = [[] for _ in range(games)]
        self._begin(np.arange(games))

    def __len__(self) -> int:
        return len(self.positions)

    def legal(self, positions: IntArray) -> NDArray[np.float32]:
        """A one for each legal output [n, outputs]."""
        marks = np.zeros((len(positions), self._move_views.shape[1]), np.float32)
        mark_legal(self.game, positions, self._move_views, marks)
        return marks

    def step(self, outputs: NDArray[np.int64]) -> tuple[FloatArray, NDArray[np.bool_], IntArray, list[Ended]]:
        """Choose an output in each game. The rewards, which games are over, the positions that the moves led to, and the games
        that have ended; others have begun in their places."""
        n = len(self)
        moves, rewards, over = np.zeros(n, np.int32), np.zeros(n), np.zeros(n, np.bool_)
        moves_of(self.game, self.positions, self._move_views, outputs, moves)
        step_all(self.game, self.positions, moves, self._randoms, rewards, over)
        self._returns += rewards
        for made, move in zip(self._made, moves.tolist(), strict=True):
            made.append(move)
        after, rows = self.positions.copy(), np.flatnonzero(over)
        ended = [Ended(int(self._seeds[i]), float(self._returns[i]), self._whole(i)) for i in rows.tolist()]
        self._begin(rows)
        return rewards, over, after, ended

    def _begin(self, rows: NDArray[np.int64]) -> None:
        for i in rows:
            self._seeds[i], self._made[i], self._returns[i] = self._next_seed, [], 0.0
            self._randoms[i] = random_state(self._next_seed)
            self._next_seed += 1
        positions, randoms = self.positions[rows], self._randoms[rows]
        begin_all(self.game, positions, randoms)
        self.positions[rows], self._randoms[rows] = positions, randoms

    def _whole(self, row: int) -> tuple[int, ...]:
        made, room = np.array(self._made[row], np.int32), 16
        while True:
            room = 2 * (room + len(made))
            moves = np.zeros(room, np.int32)
            n = whole_game(self.game, random_state(int(self._seeds[row])), made, moves)
            if n >= 0:
                return tuple(moves[:n].tolist())
