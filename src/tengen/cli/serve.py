"""``tengen serve``, and what ``tengen play`` shares with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.web import PORT

FirstGame = tuple[str, Sequence[str], int | None]
"""A game's spec, its seats, and a seed."""


@dataclass(frozen=True)
class Page:
    """Where the page is to be found."""

    host: str
    port: int
    no_browser: bool

    def serve(self, games: Sequence[str] = (), agents: Sequence[str] = (), first: FirstGame | None = None) -> None:
        """Serve until Ctrl-C."""
        from tengen.web.server import Server, run  # the web server is loaded when there is a page to serve

        server = Server(games, agents, self.host)
        try:
            if first is not None:
                server.open_table(*first)
            run(server, self.port, not self.no_browser, _announce)
        except KeyboardInterrupt:
            raise Interrupted("the page is closed") from None
        finally:
            server.close()


def _announce(address: str) -> None:
    screen.console.print(f"Tengen is at [bold]{address}[/bold]   (Ctrl-C ends it)", soft_wrap=True)


@dataclass(frozen=True)
class Serve:
    """The page with everything: play, watch agents and recorded games, follow runs, the search explained.

    Example: tengen serve

    Example: tengen serve --host 0.0.0.0         (others on your network, with the token that is printed)

    Example: tengen serve --agents net:my.onnx   (agents that name files can be chosen only if they are named here)
    """

    host: str = "127.0.0.1"
    """The address to listen on; any but this machine's own asks for a token, which is printed."""
    port: int = PORT
    """The port; 0, or when the usual one is taken: any free one."""
    no_browser: bool = False
    """Only print the address, open no browser."""
    games: tuple[str, ...] = ()
    """Games of your own, my_game.py:Name, that can be chosen in the page."""
    agents: tuple[str, ...] = ()
    """Agents that can be chosen in the page though they name a file."""

    def run(self) -> None:
        """Serve."""
        Page(self.host, self.port, self.no_browser).serve(self.games, self.agents)
