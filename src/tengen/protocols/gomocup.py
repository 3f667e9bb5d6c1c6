"""The protocol of Gomocup and its manager, Piskvork. An engine's side: `Engine.answer` takes a line and gives the reply.

A point is `X,Y`, column and row from the top left, counted from 0. The protocol has no colours, only own stones and the
opponent's: here whoever began is player 0. Who chooses the moves is a `Brain`.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Protocol, TypeVar

from tengen.errors import IllegalMove, TengenError
from tengen.games.gomoku import LARGEST, Gomoku
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.protocols.analysis import Analysis
from tengen.protocols.lines import printable, without_controls
from tengen.protocols.sgf_games import put

LINE = 5
"""Stones in a row, and so the smallest board."""

SIZE = 20
"""The board of a manager that forgets to say one, as Piskvork's own example engine has it."""

UNLIMITED = 2_147_483_647
"""`INFO time_left` of a game without a clock."""

EXACT = 1
UNPLAYED = {2: "continuous game", 4: "renju", 8: "caro"}
"""Bits of `INFO rule` that are other games."""

HUMAN, ENGINE = 0, 1
"""Values of `INFO game_type`: the opponents who may want to know what is thought. Tournaments are told nothing."""

LONGEST_LINE = 10_000
T = TypeVar("T")
_NUMBER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_POINT = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*", re.ASCII)
_STONE = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*,\s*(\d{1,4})\s*", re.ASCII)


@dataclass(frozen=True)
class Budget:
    """What a move may take, in seconds; None: nobody has said."""

    start: float
    """When it was asked for, on `time.monotonic`."""
    turn: float | None
    """For this move."""
    left: float | None
    """For this and all moves to come."""
    stop: Callable[[], bool]
    """Whether the move is wanted at once."""


class Brain(Protocol):
    """Whoever chooses the moves. TengenError where it cannot."""

    @property
    def name(self) -> str: ...

    def new_game(self, game: Game, memory: int | None) -> None:
        """Another game begins, perhaps on another board; the whole program may take `memory` bytes (None: any number)."""

    def choose(self, position: Position, budget: Budget) -> int:
        """A move for the one to move."""

    def stay(self, position: Position, budget: Budget) -> int | None:
        """A move for the one to move, or None: it would rather be the other one (swap2)."""

    def opening(self, game: Game, budget: Budget) -> Sequence[int]:
        """Three stones, of which the opponent may choose a side (swap2)."""

    @property
    def analysis(self) -> Analysis | None:
        """What the last move was chosen from, where there is something to say."""

    @property
    def outlook(self) -> float | None:
        """What the position before it was worth to the mover, −1 to 1, where the brain has an opinion."""


class Refusal(TengenError):
    """A command that is known and cannot be obeyed; the message goes back after `ERROR`."""


class Engine:
    """A game of Gomoku driven by lines of text."""

    def __init__(
        self, brain: Brain, version: str, size: int = SIZE, seconds_now: Callable[[], float] | None = None
    ) -> None:
        self.brain, self.version = brain, version
        self.is_over = False
        """Whether `END` has been said."""
        self._now = seconds_now or time.monotonic
        self._size, self._rule = size, 0
        self._position: Position | None = None
        self._own: int | None = None  # which player the engine is, once that is known
        self._is_stale = False  # rules or memory have changed, and the brain has not been told
        self._turn: float | None = None
        self._match: float | None = None
        self._left: float | None = None
        self._memory: int | None = None
        self._game_type: int | None = None
        self._hurried = False
        self._asked_at = 0.0
        self._list: list[str] | None = None  # the lines after BOARD or SWAP2BOARD, until DONE
        self._ends_list: Callable[[list[str]], str] = self._board
        self._commands: dict[str, Callable[[str], str]] = {
            "START": self._start, "RECTSTART": self._rectstart, "RESTART": self._restart, "BEGIN": self._begin,
            "TURN": self._turn_to, "PLAY": self._play, "TAKEBACK": self._takeback, "INFO": self._info, "ABOUT": self._about,
            "BOARD": lambda _: self._begin_list(self._board), "SWAP2BOARD": lambda _: self._begin_list(self._swap2),
            "DONE": self._done, "END": self._end,
        }  # fmt: skip

    @property
    def position(self) -> Position:
        """The game so far; on the board of a forgetful manager when there has been no START."""
        if self._position is None:
            self._new_game(self._size)
        assert self._position is not None
        return self._position

    def answer(self, line: str, asked_at: float | None = None) -> str:
        """The reply to a line that came at `asked_at` (now, if it is not said): lines, or nothing where none is due."""
        text = without_controls(line[: LONGEST_LINE + 1]).strip()
        if not text:
            return ""
        now = self._now() if asked_at is None else asked_at
        word, _, rest = text.partition(" ")
        command = self._commands.get(word.upper())
        try:
            if len(line) > LONGEST_LINE:
                raise Refusal("the line is too long")
            if self._list is not None and command is None:
                self._list.append(text)
                return ""
            if command is None:
                return f"UNKNOWN command {printable(word[:50])}\n"
            broken_off = self._list is not None and word.upper() not in ("DONE", "INFO", "END")
            if self._list is None or broken_off:
                self._asked_at = now  # of a list, the time counts from its first line
            if broken_off:
                self._list = None
            said = command(rest.strip())
            return "ERROR the list before this ended without DONE\n" * broken_off + (said and said + "\n")
        except TengenError as error:
            return f"ERROR {printable(str(error))}\n"

    def hurry(self) -> None:
        """The move that is being thought about is wanted now; may be called while `answer` is at work."""
        self._hurried = True

    def end(self) -> None:
        """Nothing more is wanted; may be called while `answer` is at work."""
        self.is_over = True

    # --- the board

    def _new_game(self, size: int) -> None:
        if not LINE <= size <= LARGEST:
            raise Refusal(f"boards are {LINE} to {LARGEST} wide, not {size}")
        game = self._game(size)
        self.brain.new_game(game, self._memory)
        self._size, self._position, self._own, self._is_stale = size, Position(game), None, False
        self._left = self._match

    def _game(self, size: int) -> Game:
        strange = [name for bit, name in UNPLAYED.items() if self._rule & bit]
        if strange or self._rule < 0 or self._rule >= 2 * max(UNPLAYED):
            what = f" ({', '.join(strange)})" if strange else ""
            raise Refusal(f"rule {self._rule}{what} is not played here: 0 (five or more win) and 1 (exactly five) are")
        return Gomoku(size=size, line=LINE, exact=bool(self._rule & EXACT))  # type: ignore[return-value]

    def _start(self, rest: str) -> str:
        self._new_game(_whole(rest, "START takes the size of the board"))
        return "OK"

    def _rectstart(self, rest: str) -> str:
        width, height = _point(rest, "RECTSTART")
        if width != height:
            raise Refusal("rectangular boards are not supported, only square ones")
        self._new_game(width)
        return "OK"

    def _restart(self, rest: str) -> str:
        self._new_game(self._size)
        return "OK"

    def _settle(self) -> Position:
        """The game so far, by the rules and limits that have been told last."""
        position = self.position
        if self._is_stale:
            game = self._game(self._size)
            self.brain.new_game(game, self._memory)
            if game != position.game:
                position = Position.from_cells(game, position.cells().tolist(), position.to_move)
            self._position, self._is_stale = position, False
        return position

    def _takeback(self, rest: str) -> str:
        position, move = self._settle(), self._move(rest, "TAKEBACK")
        cells = position.cells().tolist()
        if not cells[move]:
            raise Refusal(f"there is no stone on {self._name(move)}")
        if position.last_move == move:
            position.undo()
        else:
            owner, cells[move] = cells[move] - 1, 0
            self._position = Position.from_cells(position.game, cells, owner)
        return "OK"

    def _put(self, player: int, move: int) -> None:
        position = self._settle()
        if position.is_over:
            raise Refusal("the game is over")
        if position.cells()[move]:
            raise Refusal(f"{self._name(move)} is taken")
        self._position = put(position, player, move)

    # --- moves

    def _begin(self, rest: str) -> str:
        self._settle()
        return self._choose()

    def _turn_to(self, rest: str) -> str:
        position, move = self._settle(), self._move(rest, "TURN")
        opponent = position.to_move if self._own is None else 1 - self._own
        self._put(opponent, move)
        self._own = 1 - opponent
        return self._choose()

    def _play(self, rest: str) -> str:
        position, move = self._settle(), self._move(rest, "PLAY")
        own = position.to_move if self._own is None else self._own
        self._put(own, move)
        self._own = own
        return self._name(move)

    def _choose(self) -> str:
        position = self.position
        if position.is_over:
            raise Refusal("the game is over")
        own = position.to_move if self._own is None else self._own
        if own != position.to_move:  # BEGIN, and it is the opponent's turn
            position = Position.from_cells(position.game, position.cells().tolist(), own)
        move = self._timed(lambda budget: self.brain.choose(position, budget))
        self._position, self._own = position.play(move), own
        return self._comment() + self._name(move)

    def _timed(self, think: Callable[[Budget], T]) -> T:
        """Think, and take what it took from the clock."""
        try:
            return think(Budget(self._asked_at, self._turn, self._left, lambda: self._hurried or self.is_over))
        finally:
            self._hurried = False
            if self._left is not None:
                self._left = max(0.0, self._left - (self._now() - self._asked_at))

    def _comment(self) -> str:
        if self._game_type not in (HUMAN, ENGINE):
            return ""
        found, outlook = self.brain.analysis, self.brain.outlook
        if found is None or not found.candidates:
            return "" if outlook is None else f"MESSAGE wins {(1 + outlook) / 2:.0%}\n"
        best = found.candidates[0]
        line = " ".join(self._name(move) for move in found.line[:10])
        return f"MESSAGE wins {best.win_rate:.0%}, {found.visits} visits, expects {line}\n"

    # --- lists of stones

    def _begin_list(self, ends: Callable[[list[str]], str]) -> str:
        self._list, self._ends_list = [], ends
        return ""

    def _done(self, rest: str) -> str:
        lines, self._list = self._list, None
        if lines is None:
            raise Refusal("DONE ends a list that BOARD or SWAP2BOARD begins")
        return self._ends_list(lines)

    def _board(self, lines: list[str]) -> str:
        game = self._settle().game
        stones: dict[int, int] = {}
        for line in lines:
            found = _STONE.fullmatch(line)
            if found is None:
                raise Refusal(f"BOARD: {line[:50]} is not X,Y,field")
            if found[3] not in ("1", "2"):
                raise Refusal(f"BOARD: {line[:50]}: a field is 1 (own) or 2 (opponent's)")
            self._add(stones, line, self._cell(int(found[1]), int(found[2])), int(found[3]))
        self._position, self._own = _as_a_game(game, stones)
        return self._choose()

    def _swap2(self, lines: list[str]) -> str:
        """The opening called swap2: nothing here changes the board, for which BOARD comes next."""
        game = self._settle().game
        stones: dict[int, int] = {}
        for line in lines:
            self._add(stones, line, self._move(line, "SWAP2BOARD"), 1)
        if not stones:
            moves = self._timed(lambda budget: self.brain.opening(game, budget))
            return " ".join(self._name(move) for move in moves)
        if len(stones) not in (3, 5):
            raise Refusal(f"SWAP2BOARD lists 0, 3 or 5 stones, not {len(stones)}")
        position = Position(game, stones)
        if position.is_over:
            raise Refusal("the game is over")
        move = self._timed(lambda budget: self.brain.stay(position, budget))
        return "SWAP" if move is None else self._name(move)

    def _add(self, stones: dict[int, int], line: str, move: int, owner: int) -> None:
        if move in stones:
            raise Refusal(f"{line[:50]}: there is a stone already")
        stones[move] = owner

    # --- the rest

    def _info(self, rest: str) -> str:
        """INFO is never answered. What is not understood is no concern of ours; what cannot be done is told later."""
        key, _, text = rest.partition(" ")
        if not _NUMBER.fullmatch(text.strip()):
            return ""
        value = int(text)
        seconds = max(0, value) / 1000
        match key.lower():
            case "timeout_turn":
                self._turn, self._hurried = seconds, self._hurried and value <= 0
            case "timeout_match":
                self._match = self._left = seconds or None
            case "time_left":
                self._left = None if value >= UNLIMITED else seconds
            case "game_type":
                self._game_type = value
            case "max_memory":
                memory = value if value > 0 else None
                self._is_stale |= memory != self._memory
                self._memory = memory
            case "rule":
                self._is_stale |= value != self._rule
                self._rule = value
        if self._position is not None and self._is_stale:
            with contextlib.suppress(TengenError):  # now, while no clock runs; if it fails, the next command says why
                self._settle()
        return ""

    def _about(self, rest: str) -> str:
        name = printable(self.brain.name).replace('"', "'")
        return f'name="{name}", version="{self.version}", author="the authors of Tengen", country="none"'

    def _end(self, rest: str) -> str:
        self.end()
        return ""

    def _name(self, move: int) -> str:
        return f"{move % self._size},{move // self._size}"

    def _move(self, text: str, what: str) -> int:
        return self._cell(*_point(text, what))

    def _cell(self, column: int, row: int) -> int:
        if column >= self._size or row >= self._size:
            raise Refusal(
                f"{column},{row} is not on this board, which goes from 0,0 to {self._size - 1},{self._size - 1}"
            )
        return row * self._size + column


def _as_a_game(game: Game, stones: dict[int, int]) -> tuple[Position, int]:
    """Stones (1: own) as a game in which the engine is to move, and which player it is.

    Where the numbers of stones allow it the stones are played in turn, in the order given, so that a search that has seen the
    game before can go on.
    """
    own, other = ([move for move, owner in stones.items() if owner == field] for field in (1, 2))
    player = 0 if len(own) == len(other) else 1
    pairs = zip_longest(*((own, other) if player == 0 else (other, own)))
    if len(other) - len(own) == player:
        with contextlib.suppress(IllegalMove):  # somebody had won before the last stone
            return Position(game, [move for pair in pairs for move in pair if move is not None]), player
    cells = [0] * game.move_count()
    for move, owner in stones.items():
        cells[move] = 1 + (player if owner == 1 else 1 - player)
    return Position.from_cells(game, cells, player), player


def _point(text: str, what: str) -> tuple[int, int]:
    found = _POINT.fullmatch(text)
    if found is None:
        raise Refusal(f"{what} takes two numbers, X,Y, not {text[:50]!r}")
    return int(found[1]), int(found[2])


def _whole(text: str, what: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise Refusal(f"{what}, not {text[:50]!r}")
    return int(text)
