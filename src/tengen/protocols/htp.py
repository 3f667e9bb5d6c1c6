"""HTP, the Hex Text Protocol: GTP with the moves of Hex. An engine's side: `Engine.answer` takes a line and gives the reply.

HTP's black is our player 0: it joins top and bottom and moves first. Who chooses the moves is a `Brain`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tengen.errors import TengenError
from tengen.games.hex import Hex
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.protocols.analysis import Analysis
from tengen.protocols.lines import printable, without_controls
from tengen.protocols.sgf import decode
from tengen.protocols.sgf_games import put, read_game, replay

COLOURS = ("black", "white")
LONGEST_LINE = 10_000
LARGEST_FILE = 10_000_000

SWAP_WORDS = ("swap", "swap-pieces")

# What HexGui offers in its window "Analyze": how the answer is shown, the label, the command.
ANALYZE_COMMANDS = """\
gfx/Heat map and expected line/tengen-heatmap %c
pspairs/Candidate moves, share of visits/tengen-candidates %c
pspairs/Visits/tengen-visits %c
pspairs/Win rates/tengen-winrates %c
var/Principal variation/tengen-pv %c
string/What it thinks/tengen-thoughts %c
move/Make a move/genmove %c
string/Show a move without making it/reg_genmove %c
plist/Legal moves/all_legal_moves
string/Result/final_score
string/Time left/time_left
param/Game/param_game"""


class Brain(Protocol):
    """Whoever chooses the moves."""

    @property
    def name(self) -> str: ...

    def new_game(self, game: Game) -> None:
        """Another game begins, perhaps on another board; TengenError when it cannot be played."""

    def choose(self, position: Position, seconds: float | None) -> int | None:
        """A move for the one to move, with so many seconds left for the game (None: no clock); None: it gives up."""

    def think(self, position: Position, seconds: float | None) -> Analysis:
        """What there is to say about a position; TengenError when nothing is."""


class Refusal(Exception):
    """The command fails; the message goes back after `?`."""


@dataclass
class _State:
    position: Position
    resigned: int | None = None


@dataclass
class _Clock:
    main: float | None = None
    """Seconds for the game; None: no clock has been set."""
    left: list[float | None] = field(default_factory=lambda: [None, None])


class Engine:
    """A game of Hex driven by lines of text."""

    def __init__(
        self, brain: Brain, version: str, size: int = 11, seconds_now: Callable[[], float] | None = None
    ) -> None:
        import time

        self.brain, self.version = brain, version
        self.is_over = False
        """Whether `quit` has been said."""
        self._now = seconds_now or time.monotonic
        self._swap = False
        self._clock = _Clock()
        self._history: list[_State] = []
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "name": self._name, "version": self._version, "protocol_version": self._protocol_version,
            "list_commands": self._list_commands, "known_command": self._known_command, "quit": self._quit,
            "boardsize": self._boardsize, "clear_board": self._clear_board, "play": self._play,
            "genmove": self._genmove, "reg_genmove": self._reg_genmove, "undo": self._undo,
            "showboard": self._showboard, "all_legal_moves": self._all_legal_moves, "final_score": self._final_score,
            "time_settings": self._time_settings, "time_left": self._time_left, "loadsgf": self._loadsgf,
            "param_game": self._param_game, "hexgui-analyze_commands": self._analyze_commands,
            "tengen-candidates": self._candidates, "tengen-visits": self._visits, "tengen-winrates": self._winrates,
            "tengen-heatmap": self._heatmap, "tengen-pv": self._pv, "tengen-thoughts": self._thoughts,
        }  # fmt: skip
        self._begin(size)

    @property
    def position(self) -> Position:
        return self._history[-1].position

    def answer(self, line: str) -> str:
        """The reply to a line, with its blank line; nothing for an empty line or a comment."""
        line = without_controls(line).partition("#")[0].strip()
        if not line:
            return ""
        identity = ""
        if match := re.match(r"([0-9]+)(\s|$)", line):
            identity, line = match[1], line[match.end() :].strip()
        try:
            if len(line) > LONGEST_LINE:
                raise Refusal("the line is too long")
            words = line.split()
            if not words:
                raise Refusal("there is no command")
            command = self._commands.get(words[0])
            if command is None:
                raise Refusal(f"unknown command: {words[0][:50]}")
            text = command(words[1:])
        except (Refusal, TengenError) as error:
            return f"?{identity} {printable(str(error))}\n\n"
        return f"={identity} {text}\n\n"

    # --- about itself

    def _name(self, words: list[str]) -> str:
        return self.brain.name

    def _version(self, words: list[str]) -> str:
        return self.version

    def _protocol_version(self, words: list[str]) -> str:
        return "2"

    def _list_commands(self, words: list[str]) -> str:
        return "\n".join(sorted(self._commands))

    def _known_command(self, words: list[str]) -> str:
        return "true" if _count(words, 1) and words[0] in self._commands else "false"

    def _quit(self, words: list[str]) -> str:
        self.is_over = True
        return ""

    def _analyze_commands(self, words: list[str]) -> str:
        return "\n" + ANALYZE_COMMANDS

    # --- the board

    def _begin(self, size: int) -> None:
        game = Hex(size=size, swap=self._swap)
        try:
            game.check()
        except ValueError as error:
            raise Refusal(str(error)) from None
        self.brain.new_game(game)  # type: ignore[arg-type]
        self._history = [_State(Position(game))]  # type: ignore[arg-type]
        self._clock.left = [self._clock.main, self._clock.main]

    @property
    def _size(self) -> int:
        game: object = self.position.game
        assert isinstance(game, Hex)
        return game.size

    def _boardsize(self, words: list[str]) -> str:
        _count(words, 1, 2)
        if len(set(words)) != 1:
            raise Refusal("boards are square")
        self._begin(_whole(words[0]))
        return ""

    def _clear_board(self, words: list[str]) -> str:
        self._begin(self._size)
        return ""

    def _play(self, words: list[str]) -> str:
        _count(words, 2)
        self._put(_colour(words[0]), words[1])
        return ""

    def _put(self, player: int, word: str) -> None:
        state = self._history[-1]
        if word.lower() == "resign":
            self._history.append(_State(state.position, player))
            return
        if state.position.is_over:
            raise Refusal("the game is over")
        position = state.position.copy()
        if word.lower() in SWAP_WORDS:
            if not self._swap:
                raise Refusal("swap is off: param_game allow_swap 1")
            word = "swap"
        self._history.append(_State(put(position, player, position.parse(word))))

    def _undo(self, words: list[str]) -> str:
        if len(self._history) == 1:
            raise Refusal("there is no move to take back")
        self._history.pop()
        return ""

    def _showboard(self, words: list[str]) -> str:
        board = textwrap.dedent(self.position.text(ascii=True))
        return "\n" + "\n".join(line.rstrip() for line in board.splitlines() if line.strip())

    def _all_legal_moves(self, words: list[str]) -> str:
        return " ".join(self._move_name(move) for move in self.position.legal_moves)

    def _final_score(self, words: list[str]) -> str:
        state = self._history[-1]
        if state.position.winner is not None:
            return f"{'BW'[state.position.winner]}+"
        if state.resigned is not None:
            return f"{'WB'[state.resigned]}+"
        return "cannot score"

    def _loadsgf(self, words: list[str]) -> str:
        if not words:
            raise Refusal("loadsgf takes a file, and perhaps the number of moves to play")
        moves = None
        if len(words) > 1 and words[-1].isascii() and words[-1].isdigit():
            moves = _whole(words.pop())
        file = Path(" ".join(words))
        try:
            if file.stat().st_size > LARGEST_FILE:
                raise Refusal(f"{file} is too large")
            found = read_game(decode(file.read_bytes()))
        except (OSError, ValueError) as error:
            if isinstance(error, TengenError):
                raise Refusal(f"{file}: {error}") from None
            raise Refusal(f"cannot load file {file}") from None
        rules: object = found.game
        if not isinstance(rules, Hex):
            raise Refusal(f"{file} is not a game of Hex")
        position, _ = replay(found.game, found.root.main_line(), moves)
        game = Hex(size=rules.size, swap=self._swap or rules.swap)
        self.brain.new_game(game)  # type: ignore[arg-type]
        self._swap = game.swap
        if game != rules:
            position = _by_other_rules(position, game)
        states = [_State(position)]
        while states[0].position.moves:
            states.insert(0, _State(states[0].position.copy().undo()))
        self._history = states
        return ""

    def _param_game(self, words: list[str]) -> str:
        if not words:
            return f"\n[bool] allow_swap {int(self._swap)}"
        _count(words, 2)
        if words[0] == "game_time":
            self._clock.main = _seconds(words[1])
            self._clock.left = [self._clock.main, self._clock.main]
            return ""
        if words[0] != "allow_swap":
            raise Refusal(f"there is no parameter {words[0][:50]}; there is allow_swap")
        if words[1].lower() not in ("0", "1", "true", "false"):
            raise Refusal("allow_swap is 0 or 1")
        swap = words[1].lower() in ("1", "true")
        if swap != self._swap:
            game = Hex(size=self._size, swap=swap)
            self.brain.new_game(game)  # type: ignore[arg-type]
            self._swap = swap
            self._history = [_State(_by_other_rules(s.position, game), s.resigned) for s in self._history]
        return ""

    # --- moves

    def _time_settings(self, words: list[str]) -> str:
        """Main time, then overtime and its stones: what comes after the main time is counted into it once."""
        _count(words, 1, 3)
        times = [_seconds(word) for word in words]
        self._clock.main = times[0] + (times[1] if len(times) > 1 else 0)
        self._clock.left = [self._clock.main, self._clock.main]
        return ""

    def _time_left(self, words: list[str]) -> str:
        shown = [f"{COLOURS[i]} {'unlimited' if s is None else f'{s:.1f}'}" for i, s in enumerate(self._clock.left)]
        if not words:
            return ", ".join(shown)
        _count(words, 1, 3)
        player = _colour(words[0])
        if len(words) == 1:
            return shown[player]
        self._clock.left[player] = _seconds(words[1])
        return ""

    def _genmove(self, words: list[str]) -> str:
        player, move = self._ask(words)
        self._put(player, move)
        return move

    def _reg_genmove(self, words: list[str]) -> str:
        left = list(self._clock.left)
        _, move = self._ask(words)
        self._clock.left = left
        return move

    def _ask(self, words: list[str]) -> tuple[int, str]:
        player, position = self._to_think_about(words)
        if position is None:
            return player, "resign"
        start, left = self._now(), self._clock.left[player]
        move = self.brain.choose(position, left)
        if left is not None:
            self._clock.left[player] = max(0.0, left - (self._now() - start))
        return player, "resign" if move is None else self._move_name(move)

    def _to_think_about(self, words: list[str]) -> tuple[int, Position | None]:
        """Whose move is asked for, and the position in which they are to move; None: the game is over."""
        _count(words, 0, 1)
        state = self._history[-1]
        position = state.position
        player = _colour(words[0]) if words else position.to_move
        if position.is_over or state.resigned is not None:
            return player, None
        if position.to_move != player:
            position = Position.from_cells(position.game, position.cells().tolist(), player)
        return player, position

    def _move_name(self, move: int) -> str:
        return "swap-pieces" if move == self._size**2 else self.position.game.move_name(move)

    # --- what it thinks

    def _analysis(self, words: list[str]) -> tuple[int, Analysis]:
        player, position = self._to_think_about(words)
        if position is None:
            raise Refusal("the game is over")
        return player, self.brain.think(position, self._clock.left[player])

    def _candidates(self, words: list[str]) -> str:
        _, found = self._analysis(words)
        return self._pairs(found, lambda c: f"{c.visits / found.visits:.0%}")

    def _visits(self, words: list[str]) -> str:
        return self._pairs(self._analysis(words)[1], lambda c: str(c.visits))

    def _winrates(self, words: list[str]) -> str:
        return self._pairs(self._analysis(words)[1], lambda c: f"{c.win_rate:.0%}")

    def _pairs(self, found: Analysis, show: Callable[..., str]) -> str:
        seen = [c for c in found.candidates if c.visits and c.move < self._size**2]
        return " ".join(f"{self._move_name(c.move)} {show(c)}" for c in seen)

    def _line(self, player: int, found: Analysis) -> str:
        moves = [m for m in found.line if m < self._size**2]
        return " ".join(f"{'BW'[(player + i) % 2]} {self._move_name(m)}" for i, m in enumerate(moves[:20]))

    def _pv(self, words: list[str]) -> str:
        return self._line(*self._analysis(words))

    def _heatmap(self, words: list[str]) -> str:
        """As MoHex shows its search: on each cell the win rate, and the share of the visits."""
        player, found = self._analysis(words)
        seen = [c for c in found.candidates if c.visits and c.move < self._size**2]
        if not seen:
            raise Refusal("no cell has been looked at")
        line = self._line(player, found) or f"{'BW'[player]} {self._move_name(seen[0].move)}"
        influence = " ".join(f"{self._move_name(c.move)} {c.win_rate:.3f}" for c in seen)
        label = " ".join(f"{self._move_name(c.move)} {c.visits / found.visits:.0%}" for c in seen)
        return f"uct\nVAR {line}\nINFLUENCE {influence}\nLABEL {label}\nTEXT {found.visits} visits"

    def _thoughts(self, words: list[str]) -> str:
        player, found = self._analysis(words)
        best = "; ".join(
            f"{self._move_name(c.move)} {c.visits / found.visits:.0%} of the visits, wins {c.win_rate:.0%}"
            for c in found.candidates[:5] if c.visits
        )  # fmt: skip
        return f"{COLOURS[player]} to move: {best}; expected: {self._line(player, found)}"


def _by_other_rules(position: Position, game: Hex) -> Position:
    return Position.from_cells(game, position.cells().tolist(), position.to_move)  # type: ignore[arg-type]


def _count(words: list[str], *allowed: int) -> bool:
    low, high = min(allowed), max(allowed)
    if not low <= len(words) <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        raise Refusal(f"this takes {wanted} arguments, not {len(words)}")
    return True


def _colour(word: str) -> int:
    for player, name in enumerate(COLOURS):
        if word.lower() in (name, name[0]):
            return player
    raise Refusal(f"{word[:20]} is not a colour: black or white")


def _whole(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise Refusal(f"{word[:20]} is not a whole number")
    return int(word)


def _seconds(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1e9:
        raise Refusal(f"{word[:20]} is not a number of seconds")
    return value
