"""A server of the Online Hex Tournament: opponents of rising strength, a thread for each client.

A client that hangs, lies or disconnects forfeits the rest of its round; nobody else notices. At most one search runs for each
processor, so that a crowd does not make the opponents weaker than they are.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import random
import socket
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tengen.agents.base import Agent
from tengen.agents.catalog import AgentSpec
from tengen.arena.oht_results import Results
from tengen.errors import SpecError, TengenError
from tengen.games.hex import Hex
from tengen.games.position import Position
from tengen.protocols.oht.certificate import ensure_certificate
from tengen.protocols.oht.visitor import Credentials, JsonVisitor, NoCell, State, TextVisitor, Visitor
from tengen.protocols.oht.wire import EDITIONS, PORT, LineBroken

VERIFICATION_GAMES = 100
LARGEST_BOARD = 18
"""The largest board whose states fit a message of the text edition."""

HANDSHAKE = 20.0
"""Seconds for the secure connection to be made."""

Log = Callable[[str], None]


@dataclass(frozen=True)
class ServerSettings:
    """A tournament, as its organiser sets it."""

    size: int = 7
    opponents: tuple[AgentSpec, ...] = ()
    official_games: int = 50
    """Games against each opponent in an official round."""
    verification_games: int = VERIFICATION_GAMES
    """All games of a verification round together."""
    move_seconds: float = 60.0
    """What a client's move may take."""
    login_seconds: float = 300.0
    """What a person may take to answer a question."""
    most_clients: int = 200
    host: str = "127.0.0.1"
    port: int = PORT
    editions: tuple[str, ...] = EDITIONS
    series_word: str = "Series"
    accounts: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Passwords or tokens by user; none: everybody is let in by the name they give."""

    def __post_init__(self) -> None:
        if not 3 <= self.size <= LARGEST_BOARD:
            raise SpecError(f"size is 3 to {LARGEST_BOARD}: a larger board does not fit a message of the tournament")
        if not self.opponents:
            raise SpecError("a tournament needs opponents")
        if self.verification_games < len(self.opponents) or self.official_games < 1:
            raise SpecError("every opponent plays at least one game of a round")
        if not (0 < self.move_seconds <= 86_400 and 0 < self.login_seconds <= 86_400):
            raise SpecError("times are above 0 and at most 86400 seconds")
        if not 0 <= self.port <= 65_534 or self.most_clients < 1:
            raise SpecError("port is 0 to 65534, and at least one client may come")

    def series_lengths(self, official: bool) -> list[int]:
        """How many games each opponent plays."""
        count = len(self.opponents)
        if official:
            return [self.official_games] * count
        each, rest = divmod(self.verification_games, count)
        return [each + (i < rest) for i in range(count)]


class Forfeit(Exception):
    """The client loses the rest of its round; the message says why."""


class Server:
    """Listens, and gives each client a thread."""

    def __init__(self, settings: ServerSettings, folder: Path, log: Log, seed: int = 0) -> None:
        self.settings, self._log, self._seed = settings, log, seed
        certificate, key = ensure_certificate(folder)
        self.certificate = certificate
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self._tls.load_cert_chain(certificate, key)
        self.results = Results(folder / "results.sqlite")
        self.results.forgive_unfinished()
        self._searching = threading.BoundedSemaphore(os.cpu_count() or 1)
        self._room = threading.BoundedSemaphore(settings.most_clients)
        self._lock = threading.Lock()
        self._clients: set[socket.socket] = set()
        self._stopping = threading.Event()
        self._come = 0
        self.rounds_ended = 0
        self.round_ended = threading.Condition(self._lock)
        self._listeners: list[tuple[str, socket.socket]] = []
        for number, edition in enumerate(settings.editions):
            port = settings.port + number if settings.port else 0
            try:
                self._listeners.append((edition, socket.create_server((settings.host, port), backlog=256)))
            except (OSError, OverflowError) as error:
                self.stop()
                raise SpecError(f"cannot listen at {settings.host}, port {port}: {error}") from None

    @property
    def ports(self) -> dict[str, int]:
        """The port of each edition."""
        return {edition: int(listener.getsockname()[1]) for edition, listener in self._listeners}

    def start(self) -> None:
        """Begin to listen, in threads of their own."""
        for edition, listener in self._listeners:
            threading.Thread(target=self._accept, args=(edition, listener), daemon=True).start()

    def wait_for_rounds(self, count: int) -> None:
        """Until so many rounds have ended; 0: for ever."""
        with self.round_ended:
            while not count or self.rounds_ended < count:
                self.round_ended.wait(0.5)

    def stop(self) -> None:
        """Hang up on everybody. Rounds that were going on do not count."""
        self._stopping.set()
        for _, listener in self._listeners:
            _hang_up(listener)
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            _hang_up(client)
        self.results.forgive_unfinished()

    def _accept(self, edition: str, listener: socket.socket) -> None:
        while not self._stopping.is_set():
            try:
                client, address = listener.accept()
            except OSError:
                if self._stopping.is_set():
                    return
                self._stopping.wait(0.1)  # too many open files, say: some will close
                continue
            if not self._room.acquire(blocking=False):
                _hang_up(client)
                self._log(f"{address[0]} turned away: {self.settings.most_clients} clients are here")
                continue
            with self._lock:
                self._come += 1
                number = self._come
            threading.Thread(target=self._serve, args=(edition, client, number), daemon=True).start()

    def _serve(self, edition: str, plain: socket.socket, number: int) -> None:
        """One client, from its first byte to its last. Whatever happens here ends here."""
        sock = plain
        try:
            with self._lock:
                self._clients.add(plain)
            plain.settimeout(HANDSHAKE)
            secure = self._tls.wrap_socket(plain, server_side=True)
            with self._lock:
                self._clients.discard(plain)
                self._clients.add(secure)
            sock = secure
            patience = min(30.0, self.settings.move_seconds)
            visitor: Visitor
            if edition == "text":
                visitor = TextVisitor(secure, patience, self.settings.series_word)
            else:
                visitor = JsonVisitor(secure, patience)
            Guest(self, visitor, number).attend()
        except (OSError, LineBroken, ValueError):  # gone before anything began
            pass
        except Exception as error:
            if not self.is_stopping:
                self._log(f"client {number}: {type(error).__name__}: {error}")
        finally:
            with self._lock:
                self._clients.discard(sock)
            _hang_up(sock)
            self._room.release()

    def identify(self, credentials: Credentials) -> str | None:
        """The user, if the secret is right. Without accounts, a token's owner is known by a fingerprint of it."""
        accounts, secret = self.settings.accounts, credentials.secret.encode()
        if not accounts:
            if credentials.user is not None:
                return clean_name(credentials.user)
            return f"token-{hashlib.sha256(secret).hexdigest()[:10]}"
        for user, password in accounts.items():
            if credentials.user in (None, user) and hmac.compare_digest(password.encode(), secret):
                return user
        return None

    def choose(self, agent: Agent, position: Position) -> int:
        """An opponent's move, when a processor is free."""
        with self._searching:
            return agent.choose(position)

    def seed_for(self, number: int) -> random.Random:
        return random.Random(f"{self._seed}/{number}")

    def pause(self, seconds: float) -> None:
        self._stopping.wait(seconds)

    def say(self, text: str) -> None:
        self._log(text)

    def note_end(self) -> None:
        with self.round_ended:
            self.rounds_ended += 1
            self.round_ended.notify_all()

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()


class Guest:
    """One client's visit: signing in, and a round against all opponents."""

    def __init__(self, server: Server, visitor: Visitor, number: int) -> None:
        self.server, self.visitor, self.number = server, visitor, number
        self.settings, self.results = server.settings, server.results
        self._seeds = server.seed_for(number)
        self.wins = 0

    def attend(self) -> None:
        """Sign in and play; the end is kept and told."""
        visitor, seconds = self.visitor, self.settings.login_seconds
        user = self.server.identify(visitor.sign_in(seconds))
        if not user:
            self.server.pause(1.0)  # guessing is slow
            visitor.refuse_credentials()
            self.server.say(f"client {self.number}: wrong credentials")
            return
        name = clean_name(visitor.ask_player_name(seconds)) or user
        player = self.results.player_id(user)
        official = visitor.ask_official(self.results.remaining_attempts(player), seconds)
        lengths = self.settings.series_lengths(official)
        round_id = self.results.begin_round(player, official, sum(lengths))
        if round_id is None:
            visitor.refuse("no official attempt is left; a verification round is always possible")
            self.server.say(f"{name}: no official attempt is left")
            return
        kind = "official" if official else "verification"
        self.server.say(f"{name}: {kind} round of {sum(lengths)} games begins")
        ending, counts = self._play_round(round_id, player, lengths)
        if not self.server.is_stopping:
            self.results.end_round(round_id, ending, counts)
            how = f"broken off: {ending}" if ending else "done"
            self.server.say(f"{name}: {kind} round {how}; {self.wins} of {sum(lengths)} won")
        if not ending:
            with contextlib.suppress(LineBroken):
                visitor.tournament_over(round(100 * self.wins / sum(lengths), 2))
        self.server.note_end()

    def _play_round(self, round_id: int, player: int, lengths: Sequence[int]) -> tuple[str | None, bool]:
        """Every series; why it did not go to its end, if it did not, and whether the round counts."""
        try:
            self.visitor.welcome()
            for index, (spec, games) in enumerate(zip(self.settings.opponents, lengths, strict=True)):
                self._play_series(round_id, player, index, spec, games)
        except (LineBroken, Forfeit) as error:
            return f"forfeited: {error}", True
        except Exception as error:  # a fault of ours must not cost the client an attempt
            return f"the server has failed: {type(error).__name__}: {error}", False
        return None, True

    def _play_series(self, round_id: int, player: int, index: int, spec: AgentSpec, games: int) -> None:
        """All games against one opponent."""
        seat = 1 + index % 2  # the client is red and black in turn
        opponent_id = index + 1
        players = sorted([(player, seat), (opponent_id, 3 - seat)], key=lambda pair: pair[1])
        self.visitor.series_start(player, players, games, self.settings.size)
        series = self.results.begin_series(round_id, spec.text, seat)
        agent: Agent = spec.make(Hex(size=self.settings.size))  # type: ignore[arg-type]
        wins = 0
        for number in range(games):
            starter = 1 + number % 2
            self.visitor.game_start(starter)
            winner, moves, forfeit, reason = self._play_game(agent, seat, starter)
            won = winner == seat
            wins += won
            self.wins += won
            self.results.add_game(round_id, series, number, starter, " ".join(moves), winner, won, reason)
            if forfeit is not None:
                raise forfeit
        losses = games - wins
        stats = [(p, s, wins if p == player else losses, losses if p == player else wins) for p, s in players]
        self.visitor.series_over(stats)

    def _play_game(
        self, agent: Agent, seat: int, starter: int
    ) -> tuple[int, list[str], Forfeit | LineBroken | None, str | None]:
        """Winner, moves, what ends the round, and why a game was lost without the rules."""
        size = self.settings.size
        position = Position.from_cells(agent.game, [0] * size**2, starter - 1)
        agent.new_game(self._seeds.getrandbits(60))
        reason: str | None = None
        while not position.is_over and reason is None:
            player = position.to_move + 1
            if player == seat:
                try:
                    position.play(self._clients_move(position))
                except (Forfeit, LineBroken) as error:
                    return 3 - seat, position.move_names, error, str(error)
            else:
                try:
                    position.play(self.server.choose(agent, position))
                except TengenError as error:  # it offers no move, or an illegal one
                    reason = f"{agent.name}: {error}"
        winner = seat if position.winner is None else position.winner + 1
        self.visitor.game_over(winner, state_of(position))
        return winner, position.move_names, None, reason

    def _clients_move(self, position: Position) -> int:
        state, size = state_of(position), self.settings.size
        try:
            row, column = self.visitor.get_action(state, self.settings.move_seconds)
        except NoCell as answer:
            self.visitor.illegal_action(state, str(answer))
            raise Forfeit(f"it answered {str(answer)!r} instead of (row, column)") from None
        if not (0 <= row < size and 0 <= column < size) or state[1 + row * size + column]:
            self.visitor.illegal_action(state, (row, column))
            raise Forfeit(f"illegal move ({row}, {column})")
        return row * size + column


def state_of(position: Position) -> State:
    """Who moves, and the cells: as the tournament writes it."""
    return (position.to_move + 1, *position.cells().tolist())


def clean_name(text: str) -> str:
    """A name that can be printed anywhere."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:40]


def read_accounts(file: Path) -> dict[str, str]:
    """Users and their passwords, or tokens: a line each, with a blank or a tab between."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{file} cannot be read: {error}") from None
    accounts: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or words[0] in accounts:
            raise SpecError(f"{file}, line {number}: write a user and a password, each user once")
        accounts[words[0]] = words[1]
    if not accounts:
        raise SpecError(f"{file} names no user")
    return accounts


DEFAULT_OPPONENTS: Sequence[str] = (
    "random", "uct,simulations=30", "uct,simulations=300", "uct,simulations=3000", "uct,simulations=20000",
)  # fmt: skip
"""A random player, and four of rising strength."""


def _hang_up(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except (OSError, ValueError):
        pass
    finally:
        sock.close()
