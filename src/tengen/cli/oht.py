"""``tengen oht join``, ``tengen oht serve`` and ``tengen oht results``."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.table import Table
from tyro.conf import arg

import tengen.protocols.oht as oht
from tengen.agents import parse_agent
from tengen.agents.oht import AgentActor
from tengen.arena.oht_results import ATTEMPTS, Results, Standing
from tengen.arena.oht_server import DEFAULT_OPPONENTS, Server, ServerSettings, read_accounts
from tengen.cli import screen
from tengen.cli.main import Interrupted, read_options
from tengen.errors import SpecError

FOLDER = "oht"


@dataclass(frozen=True)
class Join:
    """Play in an Online Hex Tournament with any agent.

    User and password are asked for at the terminal; the password is kept nowhere. The later edition of the protocol
    (--edition json) takes a token instead: from the environment variable IT3105_AUTH, or asked for.

    Example: tengen oht join --agent zero,simulations=400:RUN --host 129.241.113.109 --server-cert server.crt

    Example: tengen oht join --agent uct,simulations=5000 --server-cert oht/server.crt --verification    (tengen oht serve, here)
    """

    agent: str = "uct,simulations=5000"
    """Who plays; see tengen list agents."""
    host: str = "127.0.0.1"
    """The server's name or address."""
    port: int = oht.PORT
    """The server's port."""
    server_cert: str = "server.crt"
    """The server's certificate, as its organiser gave it to you."""
    edition: str = "text"
    """The protocol: text, the course's first, or json, the later one."""
    user: str | None = None
    """Your user name; asked for if not given."""
    name: str | None = None
    """Your player's name, for printouts; asked for if not given."""
    official: bool = False
    """Play an official round: it counts, and you have five."""
    verification: bool = False
    """Play a verification round. Without either, you are asked."""
    verbose: bool = False
    """Print every message."""
    seed: int = 0
    """The seed of the agent's own chance."""
    json: bool = False
    """Print the result as one JSON object."""

    def run(self) -> None:
        """Play a round."""
        spec = parse_agent(self.agent)
        if spec.text.partition(",")[0] == "human":
            raise SpecError("a tournament is played by an agent")
        if self.official and self.verification:
            raise SpecError("a round is official or a verification, not both")
        if not 0 < self.port < 65_536:
            raise SpecError(f"port is 1 to 65535, not {self.port}")
        choice = True if self.official else False if self.verification else None
        screen.announce_compiling()
        client = AgentActor(
            spec, self.seed, IP_address=self.host, verbose=self.verbose and not self.json, port=self.port,
            server_cert=self.server_cert, edition=self.edition, user=self.user, player_name=self.name, official=choice,
        )  # fmt: skip
        try:
            score = client.connect_to_server()
        except (KeyboardInterrupt, EOFError):
            raise Interrupted(f"left the tournament after {client.games} games") from None
        if score is None:
            raise oht.TournamentError(f"the server ended the tournament after {client.games} games: an illegal move")
        if self.json:
            screen.print_json({"score": score, "games": client.games, "wins": client.wins, "series": client.series})
            return
        for number, (wins, losses) in enumerate(client.series, 1):
            screen.console.print(f"series {number}: {wins} won, {losses} lost")
        screen.console.print(f"score {score:g} %: {client.wins} of {client.games} games won", style="bold")
        if choice is not True:
            where = f"--host {self.host} --port {self.port} --server-cert {self.server_cert} --edition {self.edition}"
            screen.suggest("\nwhen you are sure:", f"tengen oht join --agent {self.agent} {where} --official")


@dataclass(frozen=True)
class Serve:
    """Hold an Online Hex Tournament, for a class or to try a client on one machine.

    A folder holds the server's certificate (give server.crt to the players; it is made the first time) and the results.
    Clients of both editions can come: text at the port, json at the next one.

    Example: tengen oht serve --size 5

    Example: tengen oht serve --size 7 --opponents random uct,simulations=200 net:RUN zero:RUN --host 0.0.0.0 --accounts class.txt
    """

    size: int = 7
    """The board, 3 to 18."""
    opponents: Annotated[tuple[str, ...], arg(metavar="SPEC")] = tuple(DEFAULT_OPPONENTS)
    """The players of the server, the weakest first; with a random one, a client meets all kinds of positions."""
    games: int = 50
    """Games against each opponent in an official round; a verification round has 100 in all."""
    verification_games: int = 100
    """Games of a verification round, all opponents together."""
    move_seconds: float = 60.0
    """What a client's move may take; after that it forfeits."""
    login_seconds: float = 300.0
    """What an answer to a question at the login may take."""
    host: str = "127.0.0.1"
    """Where to listen: this machine alone, or 0.0.0.0 for everybody who can reach it."""
    port: int = oht.PORT
    """The port; 0: any that is free."""
    edition: str = "both"
    """The editions of the protocol: text, json or both."""
    series_word: str = "Series"
    """Series, or Main for copies of the client that wait for `Main start`."""
    accounts: Path | None = None
    """A file of users and passwords (or tokens), a line each. Without it every name is let in, whatever the password."""
    folder: Path = Path(FOLDER)
    """Where certificate and results are kept."""
    most_clients: int = 200
    """How many may play at once."""
    rounds: int = 0
    """End after so many rounds; 0: go on until Ctrl-C."""
    seed: int = 0
    """The seed of the opponents' chance."""
    json: bool = False
    """At the end, print the results as one JSON object."""

    def run(self) -> None:
        """Serve, and print the results at the end."""
        editions = oht.EDITIONS if self.edition == "both" else (self.edition,)
        if editions[0] not in oht.EDITIONS:
            raise SpecError(f"edition is both, {' or '.join(oht.EDITIONS)}, not {self.edition!r}")
        if self.series_word not in ("Series", "Main") or self.rounds < 0:
            raise SpecError("series-word is Series or Main, and rounds 0 or more")
        specs = tuple(parse_agent(text) for text in self.opponents)
        if any(spec.text.partition(",")[0] == "human" for spec in specs):
            raise SpecError("the opponents are agents")
        settings = ServerSettings(
            size=self.size, opponents=specs, official_games=self.games, verification_games=self.verification_games,
            move_seconds=self.move_seconds, login_seconds=self.login_seconds, most_clients=self.most_clients, host=self.host,
            port=self.port, editions=editions, series_word=self.series_word,
            accounts=read_accounts(self.accounts) if self.accounts else {},
        )  # fmt: skip
        screen.announce_compiling()
        for spec in specs:  # an opponent that cannot play this board is found now, and compiled
            warm_up(spec, self.size)
        printing = threading.Lock()

        def log(text: str) -> None:
            with printing:
                screen.errors.print(text, markup=False, soft_wrap=True)

        server = Server(settings, self.folder, log, self.seed)
        server.start()
        where = ", ".join(f"{edition} at port {port}" for edition, port in server.ports.items())
        log(f"the tournament is open at {self.host}: {where}; certificate: {server.certificate}")
        first = next(iter(server.ports.items()))
        log(
            f"try it: tengen oht join --agent uct --server-cert {server.certificate} --port {first[1]} --edition {first[0]} "
            "--verification"
        )
        interrupted = False
        try:
            server.wait_for_rounds(self.rounds)
        except KeyboardInterrupt:
            interrupted = True
        server.stop()
        standings = server.results.standings()
        server.results.close()
        show_results(standings, self.json)
        if interrupted:
            raise Interrupted(f"the tournament is closed; results are in {server.results.file}")


@dataclass(frozen=True)
class ShowResults:
    """The results table of a tournament that was held here.

    Example: tengen oht results --folder oht
    """

    folder: Path = Path(FOLDER)
    """The folder that tengen oht serve was given."""
    json: bool = False
    """Print the table as one JSON object."""

    def run(self) -> None:
        """Print it."""
        file = self.folder / "results.sqlite"
        if not file.is_file():
            raise SpecError(f"there are no results in {self.folder}: tengen oht serve makes some")
        results = Results(file)
        standings = results.standings()
        results.close()
        show_results(standings, self.json)


def warm_up(spec: Any, size: int) -> None:
    """Make an opponent and one move of it, so that nothing has to be compiled while a client waits."""
    from tengen.games import Hex, Position

    game = Hex(size=size)
    agent = spec.make(game)
    agent.new_game(0)
    agent.choose(Position(game))  # type: ignore[arg-type]


def show_results(standings: Sequence[Standing], as_json: bool) -> None:
    """The players, the best first."""
    if as_json:
        screen.print_json({"players": [vars(standing) for standing in standings]})
        return
    table = Table(title="results: the best of the official rounds counts")
    for column in ("", "player", "best", "official rounds", "verifications", "last"):
        table.add_column(column, justify="left" if column == "player" else "right")
    for place, row in enumerate(standings, 1):
        best, last = ("" if x is None else f"{x:.1f} %" for x in (row.best, row.last))
        table.add_row(str(place), row.user, best, f"{row.official} of {ATTEMPTS}", str(row.verification), last)
    screen.console.print(table)


COMMANDS = {"join": Join, "serve": Serve, "results": ShowResults}

HELP = """\
usage: tengen oht join | serve | results …

The Online Hex Tournament: a client logs in at a server and plays series of games against its players.

    join       play in one, with any agent
    serve      hold one
    results    its table

tengen oht join --help says more.

Example: tengen oht serve --size 5
Example: tengen oht join --agent uct --server-cert oht/server.crt --verification"""


def read_oht(arguments: list[str]) -> Any:
    """The subcommand with its options."""
    if arguments and arguments[0] in ("-h", "--help"):
        print(HELP)
        raise SystemExit(0)
    if not arguments or arguments[0] not in COMMANDS:
        said = f", not {arguments[0]!r}" if arguments else ""
        raise SpecError(f"write tengen oht {' or tengen oht '.join(COMMANDS)}{said}")
    return read_options(COMMANDS[arguments[0]], f"tengen oht {arguments[0]}", arguments[1:])
