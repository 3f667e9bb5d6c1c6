"""The protocol of Gomocup: the side of the manager, who drives an engine as Piskvork does."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from tengen.games.gomoku import Gomoku
from tengen.games.position import Position
from tengen.protocols.child import Child, EngineError
from tengen.protocols.gomocup import EXACT, UNLIMITED

STARTING = 60.0
"""Seconds for START and RESTART: some engines compile or load something first."""

TOLERANCE = 1.0
"""Seconds that a move may be late, as with Piskvork: an engine thinks until its time is over, then writes."""

MOST_TALK = 5_000
"""Lines of MESSAGE and DEBUG before an answer."""

_TALK = ("MESSAGE", "DEBUG")
_POINT = re.compile(r"(\d{1,4})\s*,\s*(\d{1,4})", re.ASCII)


class EngineConnection:
    """An engine in a child process, kept on the same game as ours."""

    def __init__(self, command: Sequence[str], game: Gomoku) -> None:
        self.game = game
        self._command = command
        self._start()

    def _start(self) -> None:
        self._child = Child(self._command, farewell="END")
        self._played: list[int] | None = []  # None: the engine's board is not known
        self._seconds = 0.0
        try:
            self._expect_ok(f"START {self.game.size}")
            rule = EXACT if self.game.exact else 0
            for line in ("max_memory 0", "timeout_match 0", "game_type 1", f"rule {rule}"):
                self._child.send(f"INFO {line}")
        except BaseException:
            self.end()
            raise

    def choose(self, position: Position, seconds: float) -> int:
        """The engine's move in a position, as a number; it may not be legal."""
        moves = list(position.moves)
        begins = position.copy()
        while begins.moves:
            begins.undo()
        is_whole_game = not begins.cells().any()
        follows = is_whole_game and self._played is not None and len(self._played) > 0 and moves[:-1] == self._played
        if not follows and self._played != []:
            self._restart()
        if seconds != self._seconds:
            self._child.send(f"INFO timeout_turn {max(1, round(seconds * 1000))}")
            self._seconds = seconds
        self._child.send(f"INFO time_left {UNLIMITED}")
        self._played = None  # until the answer is here
        if follows:
            asked = f"TURN {self._name(moves[-1])}"
        elif not position.cells().any():
            asked = "BEGIN"
        else:
            asked = "\n".join(["BOARD", *self._stones(position), "DONE"])
        move = self._ask_move(asked, seconds + TOLERANCE)
        self._played = [*moves, move] if is_whole_game else None
        return move

    def _stones(self, position: Position) -> list[str]:
        """`X,Y,field` for each stone, as far as possible in the order in which they were played."""
        mover, cells = position.to_move, position.cells().tolist()
        by_player = [[move for move, owner in enumerate(cells) if owner == player + 1] for player in (0, 1)]
        order = {move: number for number, move in enumerate(position.moves)}
        for stones in by_player:
            stones.sort(key=lambda move: order.get(move, -1))
        found = []
        first, second = by_player if len(by_player[0]) >= len(by_player[1]) else by_player[::-1]
        for number in range(len(first)):
            found += [first[number], *second[number : number + 1]]
        return [f"{self._name(move)},{1 if cells[move] == mover + 1 else 2}" for move in found]

    def _restart(self) -> None:
        self._child.send("RESTART")
        if not self._answer("RESTART", time.monotonic() + STARTING).upper().startswith("OK"):
            self.end()  # it does not know RESTART: then it is started anew, as the protocol has it
            self._start()
        self._played = []

    def _expect_ok(self, line: str) -> None:
        self._child.send(line)
        answer = self._answer(line.split()[0], time.monotonic() + STARTING)
        if not answer.upper().startswith("OK"):
            raise EngineError(f"{line}: {answer[:100]!r} instead of OK")

    def _ask_move(self, asked: str, seconds: float) -> int:
        deadline = time.monotonic() + seconds
        self._child.send(asked)
        what = asked.split()[0]
        answer = self._answer(what, deadline)
        word, _, rest = answer.partition(" ")
        if word.upper() == "SUGGEST":
            self._child.send(f"PLAY {rest}")
            what, answer = "PLAY", self._answer("PLAY", deadline)
        found = _POINT.fullmatch(answer)
        if found is None:
            raise EngineError(f"{what}: {answer[:100]!r} is no move")
        column, row = int(found[1]), int(found[2])
        if column >= self.game.size or row >= self.game.size:
            raise EngineError(f"{what}: {answer} is not on the board")
        return row * self.game.size + column

    def _answer(self, what: str, deadline: float) -> str:
        """The next line that is not empty and no talk."""
        for _ in range(MOST_TALK):
            line = self._child.read(deadline).strip()
            if line and line.split()[0].upper() not in _TALK:
                return line
        raise EngineError(f"{what}: it talks and does not answer")

    def _name(self, move: int) -> str:
        return f"{move % self.game.size},{move // self.game.size}"

    def end(self) -> None:
        self._child.end()
