"""The replay buffer (RBUF): the newest games of self-play and what each of their positions teaches.

Games are kept as moves; a position is played out anew each time it is drawn, in compiled code, in one of the ways in which the
board can be turned. So a case costs little memory and every symmetry is free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import kernel
from tengen.games.types import AnyGame, FloatArray, IntArray
from tengen.games.verbs import CHANCE, Game
from tengen.records.record import GameRecord

MOVES_PER_CASE = 8
"""Room for moves in the window: luck, opening moves and moves made quickly (three of four in some presets) are no cases."""
MOST_VISITS = 65_535


@kernel
def score(
    game: AnyGame,
    start: IntArray,
    moves: IntArray,
    discount: float,
    living: float,
    result: float,
    steps: int,
    searched: NDArray[np.bool_],  # [moves] where a search was made
    said: FloatArray,  # [moves] what it said of the position, in its mover's view
    values: FloatArray,  # out [moves]
    luck: NDArray[np.bool_],  # out [moves] whether luck made the move
) -> bool:
    """What the rest of the game brought to the mover at each move [moves], if each move later counts for `discount` less, and
    each move of a player brings `living` besides.

    With `steps`, only what it brought in so many moves, and then what the search said of the position where that led. A game for
    one that was broken off is worth, from the last search on, what that said.

    One rule for two players, one player and luck: the one of the search's backup. `result` is what player 0 got in all; it counts
    where the game was given up before its end. False when a move is not legal.
    """
    n = len(moves)
    rewards, viewers = np.zeros(n, np.float64), np.zeros(n + 1, np.int64)
    position, legal = start.copy(), np.zeros(game.move_count(), np.int32)
    view, sum_0 = 0, 0.0
    for i in range(n):
        is_legal = False
        if not game.is_over(position):
            for k in range(game.legal_moves(position, legal)):
                is_legal = is_legal or legal[k] == moves[i]
        if not is_legal:
            return False
        luck[i] = game.to_move(position) == CHANCE
        if not luck[i]:
            view = game.to_move(position)
        viewers[i] = view
        rewards[i] = game.play(position, int(moves[i]))
        sum_0 += rewards[i] if view == 0 else -rewards[i]
        if not luck[i]:
            rewards[i] += living
    value = 0.0
    if not game.is_over(position):
        if game.to_move(position) != CHANCE:
            view = game.to_move(position)
        value = result - sum_0 if view == 0 else sum_0 - result
    viewers[n] = view
    last = -1
    if not game.is_over(position) and game.players() == 1:
        last = n - 1
        while last >= 0 and not searched[last]:
            last -= 1
    for i in range(n - 1, -1, -1):
        value = rewards[i] + discount * (value if viewers[i] == viewers[i + 1] else -value)
        if i == last:
            value = said[i]
        values[i] = value
    if steps > 0:
        for t in range(n):
            end = t + steps
            while end < n and not searched[end]:
                end += 1
            if end >= n:
                break  # the rest of the game is near
            value = said[end]
            for i in range(end - 1, t - 1, -1):
                sign = 1.0 if viewers[i] == viewers[i + 1] else -1.0
                value = rewards[i] + discount * sign * value
            values[t] = value
    return True


@kernel
def play_out(
    game: AnyGame,
    starts: IntArray,  # [who began, position]
    ring: IntArray,  # [moves of all games]
    begins: NDArray[np.int64],  # [n] where the case's game begins in the ring
    plies: NDArray[np.int64],  # [n] how many of its moves come before the case
    firsts: NDArray[np.int64],  # [n] who began
    visits: NDArray[np.uint16],  # [n, moves]
    turns: IntArray,  # [n, moves] the symmetry in which the case is seen
    move_views: IntArray,
    positions: IntArray,  # out [n, position]
    policy: NDArray[np.float32],  # out [n, outputs], zero
    legal: NDArray[np.float32],  # out [n, outputs], zero
    played: NDArray[np.int64],  # out [n] the output of the move that was played
) -> None:
    """The cases that were drawn, turned."""
    listed = np.zeros(game.move_count(), np.int32)
    for i in range(len(begins)):
        position = positions[i]
        for k in range(len(position)):
            position[k] = starts[firsts[i], k]
        for ply in range(plies[i]):
            game.play(position, int(turns[i, ring[(begins[i] + ply) % len(ring)]]))
        outputs = move_views[game.move_view(position)]
        if game.to_move(position) == CHANCE:  # an afterstate: nobody chooses, only its value is learned
            continue
        for k in range(game.legal_moves(position, listed)):
            legal[i, outputs[listed[k]]] = 1.0
        total = 0.0
        for move in range(visits.shape[1]):
            total += visits[i, move]
        for move in range(visits.shape[1]):
            if visits[i, move] > 0:
                policy[i, outputs[turns[i, move]]] = visits[i, move] / total
        played[i] = outputs[turns[i, ring[(begins[i] + plies[i]) % len(ring)]]]


@dataclass
class Batch:
    """Training cases. Policies, masks and moves are in the order of the network's outputs."""

    positions: IntArray  # [n, position]
    policy: NDArray[np.float32]  # [n, outputs] D: the normalised visits
    legal: NDArray[np.float32]  # [n, outputs] 1 for each legal move
    played: NDArray[np.int64]  # [n] the move that was played
    value: NDArray[np.float32]  # [n] what the mover got in the end
    steps: NDArray[np.int64]  # [n] the network's training steps when the game ended: the age of the case


class ReplayWindow:
    """A ring of cases: the newest `capacity` are kept. With `afterstates`, what a move that was searched has left to luck is a
    case of its own, without a policy."""

    def __init__(
        self,
        game: Game,
        capacity: int,
        discount: float = 1.0,
        symmetries: bool = False,
        steps: int = 0,
        afterstates: bool = False,
        living: float = 0.0,
    ) -> None:
        self.game, self.capacity, self.discount, self.steps = game, capacity, discount, steps
        self._afterstates, self._living = afterstates, living
        self._move_views = np.ascontiguousarray(game.move_views())
        self._turns = np.ascontiguousarray(game.symmetries() if symmetries else game.symmetries()[:1])
        self._ring = np.zeros(MOVES_PER_CASE * capacity + 1, np.int32)
        self._visits = np.zeros((capacity, game.move_count()), np.uint16)
        self._begins, self._plies, self._firsts, self._steps = (np.zeros(capacity, np.int64) for _ in range(4))
        self._values = np.zeros(capacity, np.float32)
        self._starts = np.zeros((2, game.position_size()), np.int32)
        self._added = self._moves = 0

    def __len__(self) -> int:
        return min(self._added, self.capacity)

    def add(self, record: GameRecord, start: IntArray) -> int:
        """Add the cases of a game that began with the position `start`; how many they are. ValueError if it broke the rules."""
        moves = np.array(record.moves, np.int32)
        values = np.zeros(len(moves))
        searched = np.array([visits is not None for visits in record.visits], np.bool_)
        said = np.array(record.values, np.float64)
        luck, result = np.zeros(len(moves), np.bool_), record.returns[0]
        if not score(
            self.game, start, moves, self.discount, self._living, result, self.steps, searched, said, values, luck
        ):
            raise ValueError(f"game {record.number} has an illegal move")
        if len(moves) >= len(self._ring):
            return 0  # a game longer than the whole window teaches nothing that would stay
        self._starts[record.first] = start
        self._ring[(self._moves + np.arange(len(moves))) % len(self._ring)] = moves
        cases = 0
        for ply, visits in enumerate(record.visits):
            if visits is None:
                follows = self._afterstates and ply > 0 and luck[ply] and not luck[ply - 1]
                if not (follows and record.visits[ply - 1] is not None):
                    continue
                visits = {}
            i = self._added % self.capacity
            counts = np.fromiter(visits.values(), np.float64, len(visits))
            counts *= min(1.0, MOST_VISITS / max(1.0, counts.max(initial=0.0)))
            self._visits[i] = 0
            self._visits[i, list(visits)] = np.round(counts)
            self._begins[i], self._plies[i], self._firsts[i] = self._moves, ply, record.first
            self._values[i], self._steps[i] = values[ply], record.network
            self._added += 1
            cases += 1
        self._moves += len(moves)
        return cases

    def sample(self, n: int, chooser: np.random.Generator) -> Batch:
        """A random minibatch; each case at most once, all of them where there are fewer than `n`, each turned at random where
        symmetries are wanted."""
        chosen = chooser.choice(len(self), min(n, len(self)), replace=False)
        chosen = chosen[self._begins[chosen] >= self._moves - len(self._ring)]  # whose moves have not been overwritten
        turned = chooser.integers(len(self._turns), size=len(chosen)) if len(self._turns) > 1 else np.zeros_like(chosen)
        return self._cases(chosen, turned)

    def _cases(self, chosen: NDArray[np.int64], turned: NDArray[np.int64]) -> Batch:
        n, outputs = len(chosen), self._move_views.shape[1]
        batch = Batch(
            np.zeros((n, self.game.position_size()), np.int32),
            np.zeros((n, outputs), np.float32),
            np.zeros((n, outputs), np.float32),
            np.zeros(n, np.int64),
            self._values[chosen],
            self._steps[chosen],
        )
        play_out(
            self.game, self._starts, self._ring, self._begins[chosen], self._plies[chosen], self._firsts[chosen],
            self._visits[chosen], self._turns[turned], self._move_views, batch.positions, batch.policy, batch.legal,
            batch.played,
        )  # fmt: skip
        return batch
