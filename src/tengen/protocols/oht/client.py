"""The client of the Online Hex Tournament: `BasicClientActor`, with the seven methods that a student fills in."""

from __future__ import annotations

import getpass
import json
import os
import random
import re
from pathlib import Path
from typing import Any

from tengen.protocols.oht.wire import (
    EDITIONS,
    PORT,
    JsonLine,
    Line,
    LineBroken,
    TextLine,
    TournamentError,
    connect,
)  # fmt: skip

TOKEN_VARIABLE = "IT3105_AUTH"
"""The environment variable in which the later edition's token may stand."""

PLAYER, STATISTICS = 2, 4
"""Columns of the tables that a server sends."""

_BRACKETS = str.maketrans("()", "[]")
_LAST_COMMA = re.compile(r",\s*(\])")
_YES = ("y", "yes", "1", "true", "t")


class BasicClientActor:
    """Plays a tournament: make one, call `connect_to_server()`.

    Override `handle_get_action`, which must return (row, column), and as many of the other six `handle_…` methods as you like.
    A state is a tuple: the player to move (1 or 2), then the cells, row by row (0 empty, 1 red, 2 black).
    """

    def __init__(
        self,
        IP_address: str | None = None,  # noqa: N803  # the course's name for it
        verbose: bool = True,
        *,
        port: int = PORT,
        server_cert: str | Path = "server.crt",
        edition: str = "text",
        user: str | None = None,
        player_name: str | None = None,
        official: bool | None = None,
    ) -> None:
        """`user`, `player_name` and `official` answer the server's questions; what is None is asked at the terminal.

        The password is always asked for, shown nowhere and kept nowhere.
        """
        if edition not in EDITIONS:
            raise TournamentError(f"the editions of the protocol are {' and '.join(EDITIONS)}, not {edition!r}")
        self.IP_address = IP_address or "127.0.0.1"
        self.verbose = verbose
        self.port, self.server_cert, self.edition = port, server_cert, edition
        self.user, self.player_name, self.official = user, player_name, official
        self.series_id = -1
        self.size = 0
        """The length of a side of the board; known when a series has started."""

    # --- the seven methods

    def handle_series_start(
        self,
        unique_player_id: int,
        series_id: int,
        player_id_map: list[tuple[int, int]],
        num_games: int,
        game_params: list[int],
    ) -> None:
        """A series starts: you are player `series_id` (1 joins the rows, 2 the columns) in `num_games` games; the board's side
        is `game_params[0]`."""
        self.series_id = series_id
        self.say(f"Series start: player {series_id}, {num_games} games, board {game_params}")

    def handle_game_start(self, series_id: int) -> None:
        """A game starts; player `series_id` (1 or 2) makes the first move."""
        self.say(f"Game start: player {series_id} begins")

    def handle_game_over(self, winner_series_id: int, final_state: tuple[int, ...]) -> None:
        """A game has ended."""
        self.say(f"Game over: player {winner_series_id} wins, {final_state}")

    def handle_series_over(self, stats: list[tuple[int, int, int, int]]) -> None:
        """A series has ended; for each player: unique id, series id, wins, losses."""
        self.say(f"Series over: {stats}")

    def handle_tournament_over(self, score: float) -> None:
        """The tournament has ended; the score is the percentage of games that you won."""
        self.say(f"Tournament over. Your score is {score}")

    def handle_illegal_action(self, state: tuple[int, ...], act: Any) -> None:
        """You tried a move that is not allowed; the server now disconnects."""
        self.say(f"Illegal action {act} in {state}")

    def handle_get_action(self, state: tuple[int, ...]) -> tuple[int, int]:
        """Your move: (row, column), both from 0. This one plays at random."""
        return self.pick_random_free_cell(state)

    # --- the tournament

    def connect_to_server(self) -> float | None:
        """Log in and play a whole tournament; the score, or None when the server ended it before."""
        sock = connect(self.IP_address, self.port, self.server_cert)
        line: Line = TextLine(sock) if self.edition == "text" else JsonLine(sock)
        try:
            return self._text_session(line) if self.edition == "text" else self._json_session(line)
        except LineBroken as error:
            raise TournamentError(f"the tournament is broken off, the server: {error}") from None
        finally:
            line.close()

    def say(self, text: str) -> None:
        """Print, if `verbose`."""
        if self.verbose:
            print(text)

    def pick_random_free_cell(self, state: tuple[int, ...]) -> tuple[int, int]:
        """Any empty cell."""
        size = round((len(state) - 1) ** 0.5)
        cell = random.choice([i for i, owner in enumerate(state[1:]) if owner == 0])
        return cell // size, cell % size

    # --- the text edition

    def _text_session(self, line: Line) -> float | None:
        while True:
            message: str = line.receive()
            if "username" in message:
                answer = self.user or _ask(message)
            elif "password" in message:
                answer = ""
                while not answer:
                    answer = getpass.getpass(message)
            elif "Welcome" in message:
                self.say(message)
                return self._text_tournament(line)
            elif "Invalid credentials" in message:
                raise TournamentError("the server does not accept this user and password")
            elif "player-name" in message:
                answer = self.player_name or _ask(message)
            elif "qualify" in message or "official tournament" in message:
                answer = _ask(message) if self.official is None else ("Y" if self.official else "n")
            elif "stress" in message:
                answer = _ask(message)
            else:  # "Sorry": no attempts are left; or something unheard of
                raise TournamentError(f"the server says: {_one_line(message)}")
            line.send(answer)

    def _text_tournament(self, line: Line) -> float | None:
        while True:
            word: str = line.receive()
            if word in ("Series start", "Main start"):
                unique_id, players, games, params = (_value(line.receive()) for _ in range(4))
                self._series_start(unique_id, _rows(players, PLAYER), games, params)
            elif word == "Game start":
                self.handle_game_start(_value(line.receive()))
            elif word == "Game end":
                self.handle_game_over(_value(line.receive()), _state(_value(line.receive())))
            elif word in ("Series end", "Main end"):
                self.handle_series_over(_rows(_value(line.receive()), STATISTICS))
            elif word == "Tournament end":
                score: float = _value(line.receive())
                self.handle_tournament_over(score)
                return score
            elif word == "Illegal action":
                self.handle_illegal_action(_state(_value(line.receive())), _action(line.receive()))
                return None
            else:
                line.send(str(_cell(self.handle_get_action(_state(_value(word))))))

    def _series_start(self, unique_id: int, players: Any, games: int, params: Any) -> None:
        try:
            series_id = next(p[1] for p in players if p[0] == unique_id)
            self.size = int(params[0])
        except (StopIteration, TypeError, LookupError, ValueError, OverflowError):
            raise TournamentError("the server starts a series without saying who plays what") from None
        self.handle_series_start(unique_id, series_id, players, games, params)

    # --- the later edition

    def _json_session(self, line: Line) -> float | None:
        score: float | None = None
        while True:
            message = line.receive()
            topic = message.get("topic") if isinstance(message, dict) else None
            try:
                if topic == "authentication":
                    line.send(os.environ.get(TOKEN_VARIABLE) or getpass.getpass("Token: "))
                elif topic == "question":
                    line.send(self._json_question(message))
                elif topic == "message":
                    self.say(_one_line(str(message["message"])))
                elif topic == "series_start":
                    players = _rows(message["player_id_map"], PLAYER)
                    self._series_start(
                        message["unique_player_id"], players, message["num_games"], message["game_params"]
                    )
                elif topic == "game_start":
                    self.handle_game_start(message["start_player"])
                elif topic == "request_action":
                    line.send(list(_cell(self.handle_get_action(_state(message["state"])))))
                elif topic == "game_over":
                    self.handle_game_over(message["winner"], _state(message["end_state"]))
                elif topic == "series_over":
                    self.handle_series_over(_rows(message["stats"], STATISTICS))
                elif topic == "tournament_over":
                    score = message["score"]
                    self.handle_tournament_over(message["score"])
                elif topic == "finish":
                    return score
                elif topic == "error":
                    raise TournamentError(f"the server says: {_one_line(str(message.get('error')))}")
                else:
                    raise TournamentError(f"the server says: {_one_line(str(message))}")
            except KeyError as error:
                raise TournamentError(f"the server's message {topic} lacks {error}") from None

    def _json_question(self, message: dict[str, Any]) -> bool:
        if message["question"] == "qualify" and self.official is not None:
            return self.official
        return _ask(f"{message['prompt']} [y/n] ").strip().lower() in _YES


def _ask(prompt: str) -> str:
    answer = ""
    while not answer:  # nothing can be sent for an empty answer, and both sides would wait
        answer = input(prompt)
    return answer


def _value(text: str) -> Any:
    """Numbers, and lists of them: the payloads of the text edition, which Python has printed. Tuples come as lists.

    Not by `ast.literal_eval`: in Python 3.11 it fails now and then when several threads use it.
    """
    try:
        return json.loads(_LAST_COMMA.sub(r"\1", text.translate(_BRACKETS)))
    except (ValueError, RecursionError):
        raise TournamentError(f"the server says: {_one_line(text)}") from None


def _state(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) < 2 or not all(type(number) is int for number in value):
        raise TournamentError(f"the server says: {_one_line(str(value))}")
    return tuple(value)


def _action(text: str) -> Any:
    """A move that was refused: a cell, or whatever it was, as text."""
    try:
        value = _value(text)
    except TournamentError:
        return text
    return tuple(value) if isinstance(value, list) else value


def _rows(value: Any, columns: int) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(row, list) and len(row) >= columns for row in value):
        raise TournamentError("the server sends something else than a table")
    return [tuple(row) for row in value]


def _cell(action: Any) -> tuple[int, int]:
    """A move as plain whole numbers: NumPy's print as something else."""
    try:
        row, column = action
        return int(row), int(column)
    except (TypeError, ValueError):
        raise TournamentError(f"handle_get_action must return (row, column), not {action!r}") from None


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:300]
