"""A server's end of the line to one client, in either edition. It asks and tells; it judges nothing but the form of an answer."""

from __future__ import annotations

import re
import socket
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from tengen.protocols.oht.wire import MOST_BYTES, JsonLine, Line, LineBroken, TextLine

State = tuple[int, ...]
_CELL = re.compile(r"\s*[(\[]?\s*(-?\d{1,6})\s*,\s*(-?\d{1,6})\s*[)\]]?\s*", re.ASCII)


@dataclass(frozen=True)
class Credentials:
    """Who somebody says they are. Never printed, never stored."""

    user: str | None
    secret: str

    def __repr__(self) -> str:
        return "Credentials(…)"


class NoCell(Exception):
    """An answer that is not (row, column); it is kept as text."""


class Visitor(ABC):
    """A client, as the server sees it. Every wait has an end: LineBroken."""

    line: Line

    def __init__(self, line: Line, patience: float) -> None:
        self.line, self.patience = line, patience

    @abstractmethod
    def sign_in(self, seconds: float) -> Credentials:
        """Ask who it is."""

    @abstractmethod
    def refuse_credentials(self) -> None: ...

    @abstractmethod
    def ask_player_name(self, seconds: float) -> str:
        """A name for printouts."""

    @abstractmethod
    def ask_official(self, remaining: int, seconds: float) -> bool:
        """Whether this is to be an official round."""

    @abstractmethod
    def refuse(self, why: str) -> None: ...

    @abstractmethod
    def welcome(self) -> None: ...

    @abstractmethod
    def series_start(self, unique_id: int, players: list[tuple[int, int]], games: int, size: int) -> None: ...

    @abstractmethod
    def game_start(self, starter: int) -> None: ...

    @abstractmethod
    def get_action(self, state: State, seconds: float) -> tuple[int, int]:
        """Its move; NoCell when the answer is none."""

    @abstractmethod
    def illegal_action(self, state: State, action: Any) -> None: ...

    @abstractmethod
    def game_over(self, winner: int, state: State) -> None: ...

    @abstractmethod
    def series_over(self, stats: list[tuple[int, int, int, int]]) -> None: ...

    @abstractmethod
    def tournament_over(self, score: float) -> None: ...

    def close(self) -> None:
        self.line.close()


class TextVisitor(Visitor):
    """The edition that the course's client class speaks. Its prompts are recognised by the words in them."""

    line: TextLine

    def __init__(self, sock: socket.socket, patience: float, series_word: str = "Series") -> None:
        super().__init__(TextLine(sock), patience)
        self._series = series_word

    def _tell(self, *messages: object) -> None:
        for message in messages:
            self.line.send(message if isinstance(message, str) else repr(message), self.patience)

    def _ask(self, prompt: str, seconds: float) -> str:
        self._tell(prompt)
        answer = self.line.receive(seconds)
        if len(answer) > MOST_BYTES:
            raise LineBroken("an answer is far too long")
        return answer.strip()

    def sign_in(self, seconds: float) -> Credentials:
        user = self._ask("Please enter your username: ", seconds)
        return Credentials(user, self._ask("Please enter your password: ", seconds))

    def refuse_credentials(self) -> None:
        self._tell("Invalid credentials")

    def ask_player_name(self, seconds: float) -> str:
        return self._ask("Please choose a player-name: ", seconds)

    def ask_official(self, remaining: int, seconds: float) -> bool:
        prompt = (
            "Do you want to attempt to play an official tournament, to qualify? "
            f"You have {remaining} remaining attempts. (Y/n) "
        )
        return not self._ask(prompt, seconds).lower().startswith("n")

    def refuse(self, why: str) -> None:
        self._tell(f"Sorry, {why}")

    def welcome(self) -> None:
        self._tell("Welcome! The tournament begins.")

    def series_start(self, unique_id: int, players: list[tuple[int, int]], games: int, size: int) -> None:
        self._tell(f"{self._series} start", unique_id, players, games, [size])

    def game_start(self, starter: int) -> None:
        self._tell("Game start", starter)

    def get_action(self, state: State, seconds: float) -> tuple[int, int]:
        answer = self._ask(repr(state), seconds)
        match = _CELL.fullmatch(answer)
        if not match:
            raise NoCell(answer[:100])
        return int(match[1]), int(match[2])

    def illegal_action(self, state: State, action: Any) -> None:
        self._tell("Illegal action", state, action if not isinstance(action, str) else repr(action))

    def game_over(self, winner: int, state: State) -> None:
        self._tell("Game end", winner, state)

    def series_over(self, stats: list[tuple[int, int, int, int]]) -> None:
        self._tell(f"{self._series} end", stats)

    def tournament_over(self, score: float) -> None:
        self._tell("Tournament end", score)


class JsonVisitor(Visitor):
    """The later edition: topics, and a token instead of user and password."""

    line: JsonLine

    def __init__(self, sock: socket.socket, patience: float) -> None:
        super().__init__(JsonLine(sock), patience)

    def _tell(self, topic: str, **fields: object) -> None:
        self.line.send({"topic": topic, **fields}, self.patience)

    def sign_in(self, seconds: float) -> Credentials:
        self._tell("authentication")
        token = self.line.receive(seconds)
        if not isinstance(token, str) or not token or len(token) > MOST_BYTES:
            raise LineBroken("its token is no text")
        return Credentials(None, token)

    def refuse_credentials(self) -> None:
        self._tell("error", error="Invalid credentials")

    def ask_player_name(self, seconds: float) -> str:
        return ""

    def ask_official(self, remaining: int, seconds: float) -> bool:
        prompt = f"Do you want to attempt to play an official tournament? You have {remaining} remaining attempts."
        self._tell("question", question="qualify", prompt=prompt)
        return self.line.receive(seconds) is True

    def refuse(self, why: str) -> None:
        self._tell("error", error=f"Sorry, {why}")

    def welcome(self) -> None:
        self._tell("message", message="Welcome! The tournament begins.", level="INFO")

    def series_start(self, unique_id: int, players: list[tuple[int, int]], games: int, size: int) -> None:
        self._tell(
            "series_start", unique_player_id=unique_id, player_id_map=players, num_games=games, game_params=[size]
        )

    def game_start(self, starter: int) -> None:
        self._tell("game_start", start_player=starter)

    def get_action(self, state: State, seconds: float) -> tuple[int, int]:
        self._tell("request_action", state=state)
        answer = self.line.receive(seconds)
        if isinstance(answer, list) and len(answer) == 2 and all(type(n) is int and abs(n) < 10**6 for n in answer):
            return answer[0], answer[1]
        raise NoCell(str(answer)[:100])

    def illegal_action(self, state: State, action: Any) -> None:
        self._tell("error", error=f"Illegal action {action} in the state {list(state)}")

    def game_over(self, winner: int, state: State) -> None:
        self._tell("game_over", winner=winner, end_state=state)

    def series_over(self, stats: list[tuple[int, int, int, int]]) -> None:
        self._tell("series_over", stats=stats)

    def tournament_over(self, score: float) -> None:
        self._tell("tournament_over", score=score)
        self._tell("finish")
