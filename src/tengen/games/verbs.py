"""The generic verbs: what every game can do, and all that the search knows of any game (the "state manager").

A game is a ``NamedTuple`` of its parameters with the verbs as methods, under the decorator ``@game``::

    @game
    class Hex(NamedTuple):
        size: int = 11
        def legal_moves(self, position, out): ...

A position is one flat array of int32 that only its game can read. Moves are the numbers 0 … move_count − 1.
Compiled code calls the same methods (``game.play(position, move)``): Numba finds them by the game's type, so each
game is compiled into the search and costs no more than code written for it. A verb may call other verbs and
functions marked ``@inner``.

Signs. There is one convention. A *view* is a player, 0 or 1. ``play`` returns the reward **to the one who moved**;
where luck moved, to the player who moved before it. A position has the view of the player to move; where luck moves, or
the game is over, the view of its predecessor. A finished position is worth 0: the rewards have told the result.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numba.extending import overload_method
from numpy.typing import NDArray

from tengen.compiling import PART_OPTIONS, inner, type_of_game
from tengen.games import randomness
from tengen.games.diagram import Diagram, plain_diagram
from tengen.games.types import AnyGame, FloatArray, IntArray, Planes, RandomState

CHANCE = -1
"""What ``to_move`` says where luck decides."""

NOBODY = -1
"""What ``outcome`` says when nobody has won: a draw, a game for one, or a game not over."""


@runtime_checkable
class Game(Protocol):
    """All verbs. Those with a body below the line may be left out: ``@game`` supplies what stands in `Defaults`."""

    # --- required, compiled
    def position_size(self) -> int:
        """How many numbers a position is."""

    def move_count(self) -> int:
        """How many moves there are: every move is a number below this."""

    def start(self, position: IntArray) -> None:
        """Write the first position."""

    def to_move(self, position: IntArray) -> int:
        """The player to move, 0 or 1, or CHANCE. After the end, whatever."""

    def legal_moves(self, position: IntArray, out: IntArray) -> int:
        """Write the legal moves (where luck moves: the possible outcomes) in rising order; return how many."""

    def play(self, position: IntArray, move: int) -> float:
        """Make a legal move; return the reward to the one who moved."""

    def is_over(self, position: IntArray) -> bool:
        """Whether the game has ended."""

    def outcome(self, position: IntArray) -> int:
        """The winner, 0 or 1, or NOBODY."""

    # --- optional, compiled
    def players(self) -> int:
        """1 or 2."""

    def is_bounded(self) -> bool:
        """Whether all rewards of a game add up to something in [−1, 1]; if not, the search rescales."""

    def chance_odds(self, position: IntArray, out: FloatArray) -> None:
        """Where luck moves: the probability of each of the outcomes that `legal_moves` lists."""

    def playout(self, position: IntArray, viewer: int, random: RandomState) -> float:
        """Play random moves to the end, overwriting the position; the sum of rewards in `viewer`'s view.

        Where luck moves, `viewer` is the player who moved before: a position does not say who that was.
        """

    def made_by(self, position: IntArray, out: IntArray) -> bool:
        """Write for each move who has made it: 1 (player 0), 2 (player 1), 0 (nobody). False where the position does not tell.

        Also after `playout`, which leaves the end of its game in the position. For search by rave, in games without luck.
        """

    def plane_count(self) -> int:
        """How many planes a network sees."""

    def plane_rows(self) -> int:
        """Rows of a plane."""

    def plane_columns(self) -> int:
        """Columns of a plane."""

    def encode(self, position: IntArray, planes: Planes) -> None:
        """Write what a network sees, in the mover's view, into planes [planes, rows, columns]."""

    def move_view(self, position: IntArray) -> int:
        """Which row of `move_views` maps moves to the network's outputs here."""

    # --- optional, compiled: knowledge of the game, for searches that are told to use it
    def knowledge_size(self) -> int:
        """How many numbers the knowledge of a position is, at least 1; 0: the game offers none, with these parameters.

        Knowledge is a second array beside the position, which only its game can read: what makes the next two verbs quick.
        """

    def study(self, position: IntArray, knowledge: IntArray) -> None:
        """Write the knowledge of a position, from nothing. If what is urgent rests on the last move, then nothing is urgent."""

    def learn(self, position: IntArray, knowledge: IntArray, move: int) -> None:
        """Bring the knowledge up to date after a move: `position` is the one after it."""

    def urgent_moves(self, position: IntArray, knowledge: IntArray, out: IntArray) -> int:
        """Write the moves among which the player should choose, in any order; return how many, 0 where nothing is urgent."""

    def likely_moves(self, position: IntArray, knowledge: IntArray, most: int, out: IntArray) -> int:
        """Write the moves that are worth a look, in any order; return how many. 0: all legal moves are.

        With `most` above 0, no more than that: the best, by what the game knows.
        """

    def informed_playout(
        self, position: IntArray, knowledge: IntArray, viewer: int, urgent: bool, likely: bool, random: RandomState
    ) -> float:
        """Like `playout`, with moves drawn from the urgent ones if wanted, or the likely ones, or all; overwrites the knowledge.

        For games that can do so more quickly than by being asked for both before each move. Not a number: this one cannot.
        """

    # --- optional, for people and tools: never compiled
    def move_views(self) -> NDArray[np.int32]:
        """The network's output for each move, in each view [views, moves]. The only place that maps them."""

    def symmetries(self) -> NDArray[np.int32]:
        """Permutations of the moves under which the game is the same [symmetries, moves], identity first."""

    def more_never_hurts(self) -> bool:
        """Whether moves are cells that anyone may take until taken, one more never hurts, and there are no draws.

        The solver then leaves out moves that do not touch the opponent's winning plan.
        """

    def cells(self, position: IntArray) -> NDArray[np.int32]:
        """The board as 0 (empty), 1 (player 0), 2 (player 1); empty array where there is no board."""

    def set_up(self, position: IntArray, cells: NDArray[np.int32], to_move: int) -> None:
        """Write the position with these cells: for states that other programs send."""

    def move_name(self, move: int) -> str:
        """What people call the move, in any position."""

    def parse_move(self, text: str) -> int:
        """The move of that name; ValueError for a text that names none."""

    def diagram(self, position: IntArray) -> Diagram:
        """A picture of the position that text boards and pages are drawn from."""


@inner
def random_game(
    game: AnyGame, position: IntArray, viewer: int, discount: float, limit: int, random: RandomState
) -> float:
    """Play random moves, `limit` at most, to the end; the discounted sum of rewards in `viewer`'s view."""
    moves = np.empty(game.move_count(), np.int32)
    odds = np.empty(game.move_count(), np.float64)
    total, weight, mover = 0.0, 1.0, viewer
    for _ in range(limit):
        if game.is_over(position):
            break
        n = game.legal_moves(position, moves)
        player = game.to_move(position)
        if player == CHANCE:
            game.chance_odds(position, odds)
            move = int(moves[randomness.choose(random, odds, n)])
        else:
            mover = player
            move = int(moves[randomness.below(random, n)])
        reward = game.play(position, move)
        total += weight * (reward if mover == viewer else -reward)
        weight *= discount
    return total


ENDLESS = 1 << 40
"""A limit that no game reaches."""


class Defaults:
    """What a game gets that does not say otherwise."""

    def players(self) -> int:
        return 2

    def is_bounded(self) -> bool:
        return True

    def chance_odds(self, position: IntArray, out: FloatArray) -> None:
        out[:] = 0.0

    def playout(self, position: IntArray, viewer: int, random: RandomState) -> float:
        return random_game(self, position, viewer, 1.0, ENDLESS, random)

    def made_by(self, position: IntArray, out: IntArray) -> bool:
        return False

    def plane_count(self) -> int:
        return 1

    def plane_rows(self) -> int:
        return 1

    def plane_columns(self: Any) -> int:
        return self.position_size()  # type: ignore[no-any-return]

    def encode(self, position: IntArray, planes: Planes) -> None:
        for i in range(len(position)):
            planes[0, 0, i] = position[i]

    def move_view(self, position: IntArray) -> int:
        return 0

    def knowledge_size(self) -> int:
        return 0

    def study(self, position: IntArray, knowledge: IntArray) -> None:
        return

    def learn(self, position: IntArray, knowledge: IntArray, move: int) -> None:
        return

    def urgent_moves(self, position: IntArray, knowledge: IntArray, out: IntArray) -> int:
        return 0

    def likely_moves(self, position: IntArray, knowledge: IntArray, most: int, out: IntArray) -> int:
        return 0

    def informed_playout(
        self, position: IntArray, knowledge: IntArray, viewer: int, urgent: bool, likely: bool, random: RandomState
    ) -> float:
        return np.nan

    def move_views(self: Any) -> NDArray[np.int32]:
        return np.arange(self.move_count(), dtype=np.int32)[None, :]

    def symmetries(self: Any) -> NDArray[np.int32]:
        return np.arange(self.move_count(), dtype=np.int32)[None, :]

    def more_never_hurts(self) -> bool:
        return False

    def cells(self, position: IntArray) -> NDArray[np.int32]:
        return np.empty(0, np.int32)

    def set_up(self, position: IntArray, cells: NDArray[np.int32], to_move: int) -> None:
        raise NotImplementedError(f"{type(self).__name__.lower()} has no board to set up")

    def move_name(self, move: int) -> str:
        return str(move)

    def parse_move(self: Any, text: str) -> int:
        for move in range(self.move_count()):
            if self.move_name(move) == text.strip().lower():
                return move
        raise ValueError(f"no move is called {text!r}")

    def diagram(self, position: IntArray) -> Diagram:
        return plain_diagram(" ".join(str(x) for x in position))


_VERBS = [name for name in vars(Game) if not name.startswith("_")]
_OPTIONAL = [name for name in vars(Defaults) if not name.startswith("_")]
_COMPILED = _VERBS[: _VERBS.index("move_views")]
_DISPATCH = """
def dispatch({parameters}):
    return getattr(self.instance_class, {name!r}, None)
"""


def _parameters(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def _let_compiled_code_call(name: str) -> None:
    """Have Numba resolve ``game.name(…)`` to the method of the game's own class, at compile time."""
    scope: dict[str, Any] = {}
    exec(_DISPATCH.format(parameters=", ".join(_parameters(getattr(Game, name))), name=name), scope)
    overload_method(type_of_game, name, jit_options=PART_OPTIONS, strict=False)(scope["dispatch"])


for _name in _COMPILED:
    _let_compiled_code_call(_name)


def offers(game: Game, verb: str) -> bool:
    """Whether a game has an optional verb of its own; of the verbs of knowledge, also whether it has knowledge at all."""
    if verb in ("study", "learn", "urgent_moves", "likely_moves") and game.knowledge_size() == 0:
        return False
    return getattr(type(game), verb) is not vars(Defaults)[verb]


G = TypeVar("G", bound=type)


def game(cls: G) -> G:
    """Make a NamedTuple with the verbs as methods into a game; say in words what is missing."""
    name = cls.__name__
    if not (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        raise TypeError(f"{name} must be a NamedTuple of its parameters: class {name}(NamedTuple): …")
    for field in getattr(cls, "_fields", ()):
        if field in _VERBS:
            raise TypeError(f"{name}: a parameter cannot be called {field!r}, that is a verb")
    for verb in _VERBS:
        if verb not in vars(cls):
            if verb not in _OPTIONAL:
                raise TypeError(f"{name} lacks the verb {verb}{inspect.signature(getattr(Game, verb))}")
            setattr(cls, verb, vars(Defaults)[verb])
        wanted, given = _parameters(getattr(Game, verb)), _parameters(getattr(cls, verb))
        if wanted != given:
            raise TypeError(f"{name}.{verb} takes ({', '.join(given)}), it should take ({', '.join(wanted)})")
    _tell_apart(cls)
    return cls


_known: set[tuple[str, tuple[str, ...]]] = set()


def _tell_apart(cls: type) -> None:
    """Give a game that has the name and the parameters of another one a name of its own; ``__qualname__`` stays.

    When compiled code is called, Numba looks at nothing else of a named tuple: a game defined once more in a session,
    or copied to another file, would run the first one's code.
    """
    name, fields, number = cls.__name__, tuple(getattr(cls, "_fields", ())), 1
    while (cls.__name__, fields) in _known:
        number += 1
        cls.__name__ = f"{name}_{number}"
    _known.add((cls.__name__, fields))
