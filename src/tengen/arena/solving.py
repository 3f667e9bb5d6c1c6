"""Perfect play: who wins a position, and by which moves, found by looking at everything that matters.

Depth-first negamax with the values −1 (lost), 0 (drawn) and +1 (won), for games of two players without luck whose only
rewards come at the end. It knows the game only by its verbs, as the search does (`solvers.solver_for` has another one
for Hex). What makes it fast is as independent of the game: a table of positions met before; a look at all children before
any is entered, which finds wins in one move and children that the table knows; and an order of moves learnt on the way.
In that order come

1. the move that was best when the position was met before,
2. the move by which the opponent has just refuted another one of ours: what is good for them is often good for us,
3. the move that last refuted the opponent's last move,
4. moves that have refuted much wherever they were played ("relative history", Winands et al. 2004).

Where a game says that a further stone never hurts (`more_never_hurts`), a refutation tells more: the opponent won with
the cells of a certain area, whatever we own outside. So only moves inside that area can be better, and of several
refutations only those inside all of their areas; the rest are lost and need not be looked at. Hex players call it the
must-play region.

The order changes the time and never the result. The search is a loop over a stack of its own, not a recursion, and all
its state lies in arrays: so it can stop after a number of nodes, let Python look at the clock and the keyboard, and go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.compiling import borrow, inner, kernel
from tengen.errors import SpecError, TengenError
from tengen.games.position import Position
from tengen.games.types import AnyGame, FloatArray, IntArray
from tengen.games.verbs import CHANCE, Game

LONGEST = 600
"""Moves of a line that is looked at; a game that goes on for longer is refused."""
SLICE = 200_000
"""Nodes between two looks at the clock and the keyboard."""
TABLE_BITS = 22
"""The table has 2 to the power of this many entries of 32 bytes: 128 MB."""
BUCKET = 4
"""Entries among which a position may lie. A new one takes the place of the one that cost the least work."""

# How a slice of the search ended.
SOLVED, OUT_OF_NODES, LUCK, EARLY_REWARD, TOO_LONG = range(5)

# What a frame of the stack holds. Values and the window from ALPHA to BETA are in the view of the node's MOVER.
ALPHA, BETA, BEST, BEST_MOVE, MOVER, LEGAL, LEFT, REMEMBERED, REFUTER, BEGUN = range(10)

# What the search remembers between two slices, and what it is about to do.
DEPTH, PHASE, NODES = range(3)
ENTER, GO_ON, LEAVE = range(3)

# An entry of the table: two fingerprints, in one number the bounds (2 bits each), the best move (16) and the
# work, and the area with which the winner wins.
_2, _4, _20 = (np.uint64(n) for n in (2, 4, 20))
_BOUND, _MOVE = np.uint64(3), np.uint64(0xFFFF)
MOST_WORK = 1 << 40

# Areas, as bits of moves: where a move must lie that is not yet known to lose, and with which cells the winner won.
MUST, WON_WITH = range(2)
_0, _1, _ALL = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)

Bits = NDArray[np.uint64]
Numbers = NDArray[np.int64]


@inner
def _fingerprints(position: IntArray, keys: Bits) -> Any:
    """Two sums with independent random weights. Both agree by chance for one pair of positions in 10³⁶ or so."""
    one, two = np.uint64(0), np.uint64(0)
    for i in range(len(position)):
        x = np.uint64(position[i])
        one += keys[0, i] * x
        two += keys[1, i] * x
    return one, two


@inner
def _bucket(table: Bits, one: np.uint64) -> Any:
    return (np.int64(one >> _20) & (len(table) // BUCKET - 1)) * BUCKET


@inner
def _find(table: Bits, one: np.uint64, two: np.uint64) -> Any:
    """The entry of a position, or −1."""
    start = _bucket(table, one)
    for i in range(start, start + BUCKET):
        if table[i, 0] == one and table[i, 1] == two and table[i, 2] != 0:
            return i
    return -1


@inner
def _low(entry: np.uint64) -> Any:
    return np.int64(entry & _BOUND) - 1


@inner
def _high(entry: np.uint64) -> Any:
    return np.int64((entry >> _2) & _BOUND) - 2  # stored as 1 to 3, so that an entry is never 0


@inner
def _store(
    table: Bits, one: np.uint64, two: np.uint64, low: Any, high: Any, move: int, work: int, area: np.uint64
) -> None:
    """Write that the value lies from low to high, together with what was known of it."""
    place, least = 0, np.int64(4 * MOST_WORK)
    start = _bucket(table, one)
    for i in range(start, start + BUCKET):
        if table[i, 0] == one and table[i, 1] == two and table[i, 2] != 0:
            place = i
            low, high = max(low, _low(table[i, 2])), min(high, _high(table[i, 2]))
            break
        cost = np.int64(table[i, 2] >> _20)
        if cost < least:
            place, least = i, cost
    table[place, 0] = one
    table[place, 1] = two
    bounds = np.uint64(low + 1) | (np.uint64(high + 2) << _2)
    table[place, 2] = bounds | (np.uint64(move) << _4) | (np.uint64(min(work, MOST_WORK)) << _20)
    table[place, 3] = area


@inner
def _count(frame: Numbers, areas: Bits, value: Any, move: int, area: np.uint64, narrow: bool) -> None:
    """Take note that a move is worth `value`, and with which cells its winner wins."""
    if value > frame[BEST]:
        frame[BEST], frame[BEST_MOVE] = value, move
    if narrow:
        if value > 0:
            areas[WON_WITH] = area | (_1 << np.uint64(move))
        else:
            areas[MUST] &= area
            areas[WON_WITH] |= area


@inner
def _look_ahead(
    game: AnyGame,
    position: IntArray,
    child: IntArray,
    listed: IntArray,
    frame: Numbers,
    areas: Bits,
    keys: Bits,
    table: Bits,
    narrow: bool,
) -> bool:
    """Make each move once. Those that end the game or lead to a position of known value are counted; others stay listed.

    False when a move is rewarded before the end: such a game has values that this solver does not know.
    """
    alpha, beta, mover = frame[ALPHA], frame[BETA], frame[MOVER]
    left, n = 0, frame[LEGAL]
    frame[BEST], areas[MUST], areas[WON_WITH] = -2, _ALL, _0
    for i in range(1, n):  # what has just refuted a sister of this position is tried first
        if listed[i] == frame[REFUTER]:
            listed[0], listed[i] = listed[i], listed[0]
    for i in range(n):
        move = int(listed[i])
        for k in range(len(position)):
            child[k] = position[k]
        reward = game.play(child, move)
        low, high, area = np.int64(-1), np.int64(1), _0
        if game.is_over(child):
            low = high = np.int64(1) if reward > 0.0 else np.int64(-1) if reward < 0.0 else np.int64(0)
        elif reward != 0.0:
            return False
        else:
            one, two = _fingerprints(child, keys)
            known = _find(table, one, two)
            if known >= 0:
                low, high, area = _low(table[known, 2]), _high(table[known, 2]), table[known, 3]
                if game.to_move(child) != mover:
                    low, high = -high, -low
        if low >= beta or high <= alpha or low == high:
            _count(frame, areas, low if low >= beta else high, move, area, narrow)
            if frame[BEST] >= beta:
                break
        else:
            listed[left] = move
            left += 1
    frame[LEFT] = left
    return True


@inner
def _leave_out(listed: IntArray, frame: Numbers, must: np.uint64) -> None:
    """Strike off the list what lies outside the area."""
    left = 0
    for i in range(frame[LEFT]):
        if must >> np.uint64(listed[i]) & _1:
            listed[left] = listed[i]
            left += 1
    frame[LEFT] = left


@inner
def _next_move(listed: IntArray, frame: Numbers, refuter: int, reply: int, history: FloatArray) -> Any:
    """Take the most promising move off the list."""
    left, pick, top = frame[LEFT], 0, -1.0
    for i in range(left):
        move = int(listed[i])
        score = history[move, 0] / history[move, 1]
        if move == frame[REMEMBERED]:
            score += 4.0
        if move == refuter:
            score += 2.0
        if move == reply:
            score += 1.0
        if score > top:
            pick, top = i, score
    move = int(listed[pick])
    listed[pick] = listed[left - 1]
    frame[LEFT] = left - 1
    return move


@kernel
def search_slice(
    game: AnyGame,
    path: IntArray,
    moves: IntArray,
    played: Numbers,
    frames: Numbers,
    prints: Bits,
    keys: Bits,
    table: Bits,
    history: NDArray[np.float64],
    replies: Numbers,
    areas: Bits,
    state: Numbers,
    narrow: bool,
    budget: int,
) -> int:
    """Go on with the search until it is done or has entered `budget` more nodes; how it ended.

    By depth: the position `path`, the `moves` not yet tried, the one last `played`, `frames`, the fingerprints `prints`,
    the `areas`, which are of use only if `narrow` (a further stone never hurts).
    Learnt on the way: `table`, `history` [player, move, (refuted, tried)], `replies` [player, the opponent's move].
    """
    path, moves, played, frames = borrow(path), borrow(moves), borrow(played), borrow(frames)
    prints, keys, table, areas = borrow(prints), borrow(keys), borrow(table), borrow(areas)
    history, replies, state = borrow(history), borrow(replies), borrow(state)
    depth, phase, last = int(state[DEPTH]), int(state[PHASE]), state[NODES] + budget
    result = OUT_OF_NODES
    while True:
        frame = frames[depth]
        if phase == ENTER:
            if state[NODES] >= last:
                break
            if depth + 1 >= len(path):
                result = TOO_LONG
                break
            state[NODES] += 1
            frame[BEGUN], frame[REMEMBERED] = state[NODES], -1
            frames[depth + 1, REFUTER] = -1
            position = path[depth]
            frame[MOVER] = game.to_move(position)
            if frame[MOVER] == CHANCE:
                result = LUCK
                break
            one, two = _fingerprints(position, keys)
            prints[depth, 0], prints[depth, 1] = one, two
            known = _find(table, one, two)
            if known >= 0:
                entry, areas[depth, WON_WITH] = table[known, 2], table[known, 3]
                frame[REMEMBERED] = frame[BEST_MOVE] = np.int64((entry >> _4) & _MOVE)
                if _low(entry) >= frame[BETA] or _low(entry) == _high(entry):
                    frame[BEST], phase = _low(entry), LEAVE
                elif _high(entry) <= frame[ALPHA]:
                    frame[BEST], phase = _high(entry), LEAVE
            if phase == ENTER:
                frame[LEGAL] = game.legal_moves(position, moves[depth])
                child = path[depth + 1]
                if not _look_ahead(game, position, child, moves[depth], frame, areas[depth], keys, table, narrow):
                    result = EARLY_REWARD
                    break
                phase = GO_ON
        elif phase == GO_ON:
            best, mover = frame[BEST], frame[MOVER]
            if narrow and best < frame[BETA]:
                _leave_out(moves[depth], frame, areas[depth, MUST])
            if best >= frame[BETA] or frame[LEFT] == 0:
                low = best if best > frame[ALPHA] else np.int64(-1)
                high = best if best < frame[BETA] else np.int64(1)
                work = state[NODES] - frame[BEGUN] + 1
                one, two = prints[depth, 0], prints[depth, 1]
                _store(table, one, two, low, high, frame[BEST_MOVE], work, areas[depth, WON_WITH])
                if best >= frame[BETA]:
                    history[mover, frame[BEST_MOVE], 0] += frame[LEGAL] * frame[LEGAL]
                    if depth > 0:
                        replies[mover, played[depth - 1]] = frame[BEST_MOVE]
                phase = LEAVE
            else:
                reply = replies[mover, played[depth - 1]] if depth > 0 else -1
                move = _next_move(moves[depth], frame, frames[depth + 1, REFUTER], reply, history[mover])
                history[mover, move, 1] += frame[LEGAL] * frame[LEGAL]
                played[depth] = move
                child = path[depth + 1]
                for k in range(len(child)):
                    child[k] = path[depth, k]
                game.play(child, move)
                low = max(frame[ALPHA], best)
                same = game.to_move(child) == mover
                depth += 1
                frames[depth, ALPHA] = low if same else -frame[BETA]
                frames[depth, BETA] = frame[BETA] if same else -low
                phase = ENTER
        else:
            if depth == 0:
                result = SOLVED
                break
            depth -= 1
            parent = frames[depth]
            value = frame[BEST] if frame[MOVER] == parent[MOVER] else -frame[BEST]
            frame[REFUTER] = frame[BEST_MOVE]
            _count(parent, areas[depth], value, played[depth], areas[depth + 1, WON_WITH], narrow)
            phase = GO_ON
    state[DEPTH], state[PHASE] = depth, phase
    return result


_REFUSALS = {
    LUCK: "only games without luck can be solved",
    EARLY_REWARD: "only games that are decided at their end can be solved: here moves are rewarded before",
    TOO_LONG: f"lines of more than {LONGEST} moves are not looked at: this game may never end",
}


OnMove = Callable[[int, int], None]
"""Told, before each move of a position is decided, how many have been and how many there are."""


def check_limits(nodes: int, table_bits: int) -> None:
    """Refuse a search without a table or with a limit that means nothing."""
    if nodes < 0 or not 2 <= table_bits <= 30:
        raise SpecError("the solver takes 0 nodes or more (0: no limit) and a table of 2 to 30 bits")


class BudgetExhausted(TengenError):
    """The solver has looked at as many positions as it was allowed to."""


class Solver:
    """Knows what perfect play leads to. What it has found once it remembers, as long as its table has room.

    >>> from tengen import Hex, Position
    >>> solver = Solver(Hex(size=3))
    >>> position = Position(Hex(size=3))
    >>> solver.value(position), [position.game.move_name(m) for m in solver.best_moves(position)]
    (1, ['c1', 'b2', 'c2', 'a2', 'a3'])
    """

    def __init__(
        self, game: Game, nodes: int = 0, table_bits: int = TABLE_BITS, on_slice: Callable[[int], None] | None = None
    ) -> None:
        """`nodes`: how many positions may be looked at in all, 0 as many as it takes; `on_slice` is told how many were."""
        if game.players() != 2:
            raise SpecError("only games for two players can be solved")
        check_limits(nodes, table_bits)
        self.game, self.limit, self._on_slice = game, nodes, on_slice
        size, count = game.position_size(), game.move_count()
        self._path = np.zeros((LONGEST, size), np.int32)
        self._moves = np.zeros((LONGEST, count), np.int32)
        self._played = np.zeros(LONGEST, np.int64)
        self._frames = np.zeros((LONGEST, BEGUN + 1), np.int64)
        self._prints = np.zeros((LONGEST, 2), np.uint64)
        weights = np.random.default_rng(1).integers(0, 1 << 64, (2, size), np.uint64)
        self._keys = weights | np.uint64(1)
        self._table = np.zeros((1 << table_bits, 4), np.uint64)
        self._areas = np.zeros((LONGEST, 2), np.uint64)
        self._narrow = game.more_never_hurts() and count <= 64
        self._history = np.ones((2, count, 2), np.float64)
        self._replies = np.full((2, count), -1, np.int64)
        self._state = np.zeros(NODES + 1, np.int64)

    @property
    def nodes(self) -> int:
        """How many positions have been looked at so far."""
        return int(self._state[NODES])

    def value(self, position: Position) -> int:
        """What the mover gets if both play perfectly: 1 a win, 0 a draw, −1 a loss. The game must not be over."""
        return self._value_of(position.array, -1, 1)

    def best_moves(self, position: Position, on_move: OnMove | None = None) -> list[int]:
        """All moves that keep what the position is worth: in a won position, those that win."""
        worth, legal, best = self.value(position), position.legal_moves, []
        for number, move in enumerate(legal):
            if on_move:
                on_move(number, len(legal))
            if worth == -1 or self._keeps(position, move, worth):
                best.append(move)
        return best

    def _keeps(self, position: Position, move: int, worth: int) -> bool:
        """Whether the mover still gets `worth` after the move; asked as a yes-or-no question, which is quicker."""
        after = position.copy().play(move)
        if after.is_over:
            return _sign(after.returns[position.to_move] - position.returns[position.to_move]) >= worth
        if after.to_move == position.to_move:
            return self._value_of(after.array, worth - 1, worth) >= worth
        return -self._value_of(after.array, -worth, 1 - worth) >= worth

    def _value_of(self, array: IntArray, alpha: int, beta: int) -> int:
        """The value in the mover's view, exact from alpha to beta."""
        if self.game.is_over(array):
            raise TengenError("the game is over: there is nothing to solve")
        self._path[0] = array
        self._frames[0, [ALPHA, BETA, REFUTER]] = alpha, beta, -1
        self._state[[DEPTH, PHASE]] = 0, ENTER
        ended = in_slices(
            SLICE,
            lambda budget: search_slice(
                self.game, self._path, self._moves, self._played, self._frames, self._prints, self._keys,
                self._table, self._history, self._replies, self._areas, self._state, self._narrow, budget,
            ),
            self.limit, lambda: self.nodes, self._on_slice,
        )  # fmt: skip
        if ended in _REFUSALS:
            raise SpecError(_REFUSALS[ended])
        return int(self._frames[0, BEST])


def in_slices(
    size: int,
    search: Callable[[int], int],
    limit: int,
    nodes: Callable[[], int],
    on_slice: Callable[[int], None] | None,
) -> int:
    """Search on, `size` nodes at a time, until it ends; how it did. BudgetExhausted after `limit` nodes; 0: no limit."""
    ended = OUT_OF_NODES
    while ended == OUT_OF_NODES:
        budget = min(size, limit - nodes()) if limit else size
        if budget <= 0:
            raise BudgetExhausted(f"not solved within {limit:,} nodes")
        with np.errstate(over="ignore"):  # fingerprints are numbers modulo 2⁶⁴, also where this runs as plain Python
            ended = search(budget)
        if on_slice:
            on_slice(nodes())
    return ended


def _sign(x: float) -> int:
    return (x > 0) - (x < 0)
