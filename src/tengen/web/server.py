"""The server: one page, its files, and a WebSocket for each tab. It listens on this machine only, unless told otherwise.

Who may come in: on loopback, pages that this server has served (the browser says where a request comes from, and
a page of another site is refused). On any other address a token is needed as well; it stands in the address that is
printed, and is kept in a cookie afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from importlib import resources
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from tengen.errors import TengenError
from tengen.web import PORT, tetris
from tengen.web.connection import Connection, Hall
from tengen.web.memory import give_back_early
from tengen.web.messages import LONGEST
from tengen.web.offers import Offers, title
from tengen.web.passing import picture
from tengen.web.room import Room
from tengen.web.runs import Runs
from tengen.web.table import Table
from tengen.web.thinking import Thinkers

MOST_TABS = 300

# The files of the page, by the only names under which they can be asked for.
SCRIPTS = (
    "app.js",
    "board.js",
    "play.js",
    "newgame.js",
    "runs.js",
    "lesson.js",
    "study.js",
    "overlay.js",
    "graph.js",
    "share.js",
    "training.js",
    "tetris.js",
)
FILES = {"index.html": "text/html", "tetris.html": "text/html", "style.css": "text/css", "icon.svg": "image/svg+xml"}
FILES |= dict.fromkeys(SCRIPTS, "text/javascript")
HEADERS = {
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self' ws: wss:; "
    "frame-ancestors 'none'",
}


class Server:
    """The page with everything behind it."""

    def __init__(
        self, games: Sequence[str] = (), agents: Sequence[str] = (), host: str = "127.0.0.1", token: str | None = None
    ) -> None:
        """`games` and `agents` may be chosen in the page though they name files: the command line has named them."""
        self.host = host
        self.token = token or (None if is_loopback(host) else secrets.token_urlsafe(16))
        self.thinkers = Thinkers()
        self.room = Room(self.thinkers)
        self.hall = Hall(self.room, Runs(self.thinkers), Offers(games, agents))
        self.tabs = 0
        files = resources.files("tengen.web") / "static"
        self._files = {name: (files / name).read_bytes() for name in FILES}
        self.app = Starlette(
            routes=[
                Route("/", self._page),
                Route("/static/{name}", self._file),
                Route("/picture/{name}", self._picture),
                WebSocketRoute("/ws", self._socket),
                Route("/tetris", self._tetris_page),
                WebSocketRoute("/tetris/ws", self._tetris_socket),
            ],
            lifespan=self._lifespan,
        )

    def open_table(self, game: str, seats: Sequence[str], seed: int | None = None) -> Table:
        """The game that the page begins with."""
        rules = self.hall.offers.game(game)
        made = self.hall.offers.seats(list(seats), rules)
        table = self.room.add(Table(rules, made, self.thinkers, seed=seed, title=title(rules), begins=False))
        self.hall.first_table = table.id
        return table

    def address(self, port: int) -> str:
        """What to type into a browser."""
        host = self.host
        if host in ("0.0.0.0", "::"):
            host = _own_address()
        if ":" in host:
            host = f"[{host}]"
        return f"http://{host}:{port}/" + (f"?token={self.token}" if self.token else "")

    def close(self) -> None:
        """Stop all games and their agents."""
        self.hall.runs.trainer.close()
        self.room.close()
        self.thinkers.close()

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(self.close)

    # --- who may come in

    def _is_welcome(self, connection: HTTPConnection) -> bool:
        """Whether a request comes from a page of ours, with the token where one is needed."""
        host = connection.headers.get("host", "")
        origin = connection.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return False  # another site's page, in the same browser
        if self.token is None:
            return is_loopback(_host_name(host))  # else a foreign name that has been made to point here
        given = connection.query_params.get("token") or connection.cookies.get(_cookie(connection)) or ""
        return secrets.compare_digest(given.encode(), self.token.encode())

    async def _page(self, request: Request) -> Response:
        if not self._is_welcome(request):
            return Response("Tengen: use the address that the server has printed; it holds a token.\n", 403, HEADERS)
        if self.token and "token" in request.query_params:
            answer: Response = RedirectResponse("/", 303, HEADERS)  # so that the token is not in the address any more
            answer.set_cookie(_cookie(request), self.token, httponly=True, samesite="strict")
            return answer
        return Response(self._files["index.html"], 200, HEADERS, "text/html")

    async def _tetris_page(self, request: Request) -> Response:
        if not self._is_welcome(request):
            return Response("Tengen: use the address that the server has printed; it holds a token.\n", 403, HEADERS)
        return Response(self._files["tetris.html"], 200, HEADERS, "text/html")

    async def _tetris_socket(self, ws: WebSocket) -> None:
        await self._serve(ws, tetris.serve)

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._files:
            return Response("there is no such file\n", 404, HEADERS)
        if not self._is_welcome(request):
            return Response("a token is needed\n", 403, HEADERS)
        return Response(self._files[name], 200, HEADERS, FILES[name])

    async def _picture(self, request: Request) -> Response:
        if not self._is_welcome(request):
            return Response("a token is needed\n", 403, HEADERS)
        return await picture(request, self.room)

    async def _socket(self, ws: WebSocket) -> None:
        await self._serve(ws, lambda one: Connection(self.hall, one).serve())

    async def _serve(self, ws: WebSocket, serve: Callable[[WebSocket], Awaitable[None]]) -> None:
        """Let a tab in, and serve it until it goes."""
        if not self._is_welcome(ws) or self.tabs >= MOST_TABS:
            await ws.close(1008)
            return
        await ws.accept()
        self.tabs += 1
        try:
            await serve(ws)
        finally:
            self.tabs -= 1


def _cookie(connection: HTTPConnection) -> str:
    """The name of the cookie: browsers do not tell ports apart, and there may be two servers."""
    return f"tengen-{connection.url.port or 80}"


def _host_name(text: str) -> str:
    """The host of ``host:port``."""
    try:
        return urlsplit(f"//{text}").hostname or ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether an address means this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _own_address() -> str:
    """The address under which others reach this machine, as far as it can tell."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent
        return str(probe.getsockname()[0])
    return socket.gethostname()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; where the usual port is taken, any other one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for attempt in (port, 0) if port == PORT else (port,):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, attempt))
            listener.listen(256)
            return listener
        except OSError as error:
            listener.close()
            problem = error
        except OverflowError:
            listener.close()
            raise TengenError(f"a port is 0 to 65535, not {port}") from None
    raise TengenError(f"the server cannot listen on {host}, port {port}: {problem.strerror or problem}") from None


def can_open_browser() -> bool:
    """Whether there is a screen with a browser on it."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def run(server: Server, port: int, open_browser: bool, announce: Callable[[str], None]) -> None:
    """Serve until Ctrl-C. `announce` is told the address once the server answers."""
    give_back_early()
    listener = listen(server.host, port)
    address = server.address(listener.getsockname()[1])
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # what a browser does wrong is no news
    config = uvicorn.Config(
        server.app, log_config=None, access_log=False, ws_max_size=4 * LONGEST, ws_ping_interval=20,
        timeout_graceful_shutdown=2,
    )  # fmt: skip

    class Announcing(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            announce(address)
            if open_browser and can_open_browser():
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    try:
        Announcing(config).run(sockets=[listener])
    finally:
        server.close()
        listener.close()
