"""``tengen tournament``."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from rich import box
from rich.markup import escape
from rich.table import Table
from tyro.conf import Positional, arg

from tengen.agents import AgentSpec, parse_agent
from tengen.arena import MatchResult, PlayedGame, Tally
from tengen.arena.gauntlet import GAMES, Gauntlet, GauntletResult
from tengen.arena.keeping import GameFolder
from tengen.arena.ladder import WORD, Place, ladder_of, place, rung_ratings, with_rungs
from tengen.arena.match import Spread
from tengen.arena.topp import OPENING, Topp
from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.cli.topp import show_table
from tengen.cluster.connecting import check_address, connected
from tengen.errors import SpecError
from tengen.games import Game, parse_game
from tengen.runs.directory import runs_folder

ROUND_ROBIN_GAMES = 50


@dataclass(frozen=True)
class Tournament:
    """A round robin of agents, with ratings; or a gauntlet: one agent, or several, against a list of others.

    Games come in pairs: the same random opening, played once from each side. They are kept, as SGF where the game has it, in a
    new folder under runs/tournaments/ (TENGEN_RUNS moves runs/), with the result.

    Example: tengen tournament hex:7 random uct,simulations=100 uct,simulations=1000 flat

    Example: tengen tournament gomoku:9 uct,simulations=2000 --against random flat puct

    Example: tengen tournament hex:7 zero:hex-7 --against ladder   (where does it stand? the graded opponents of that game)

    Example: tengen tournament gomoku:15 uct,time=1 --against "gomocup,time=1:pbrain-a" "gomocup,time=1:pbrain-b"

    Example: tengen tournament hex:11 uct,simulations=10000 puct,simulations=10000 rave,simulations=10000 --cluster auto

    Example: tengen tournament hex:5 net:old.onnx net:new.onnx --against random uct --games 50   (two candidates)
    """

    game: Annotated[Positional[str], arg(metavar="GAME")]
    """The game; see tengen list games."""
    agents: Annotated[Positional[tuple[str, ...]], arg(metavar="SPEC")]
    """The agents, everyone against everyone; with --against, the candidates. See tengen list agents."""
    against: Annotated[tuple[str, ...] | None, arg(metavar="SPEC")] = None
    """The opponents of a gauntlet: every candidate plays each of them, and nobody else. The word ladder stands for the graded
    opponents of the game, on whose scale each candidate then is placed."""
    games: int = 0
    """Games of each pair; 0: 50, or 12 with --against."""
    opening: int = OPENING
    """How many random moves each pair of games begins with."""
    judge: Annotated[str, arg(metavar="SPEC")] = ""
    """An agent that searches, or classic: of several random openings, each pair of games gets the one that it finds most even."""
    seed: int = 0
    """The same seed gives the same games (unless an agent thinks by the clock)."""
    threads: int = 0
    """How many games are played at once, with --cluster by how many workers; 0: one for each processor."""
    cluster: Annotated[str, arg(metavar="auto|ADDRESS|local")] = ""
    """Have the games played on all machines of a Ray cluster; see tengen train --help."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Play and print."""
        if self.cluster:
            check_address(self.cluster)
        game = parse_game(self.game)
        if game.players() != 2:
            raise SpecError("a tournament needs a game for two players")
        names = with_rungs(self.agents, game) if self.against is None else self.agents
        specs = _agents(names)
        if self.against is None:
            self._round_robin(game, specs)
        elif not specs or not self.against:
            raise SpecError(
                "a gauntlet is tengen tournament GAME SPEC --against SPEC …: one agent at least on each side"
            )
        else:
            opponents = _agents(with_rungs(self.against, game))
            self._gauntlet(game, Gauntlet(game, specs, opponents))

    @property
    def _judge(self) -> AgentSpec | None:
        return _agents((self.judge,))[0] if self.judge else None

    @contextlib.contextmanager
    def _spread(self, game: Game) -> Iterator[Spread | None]:
        """Who plays the games, where it is not this process."""
        if not self.cluster:
            yield None
            return
        from tengen.cluster.matches import ClusterMatches

        with connected(self.cluster, self.threads) as ray:
            matches = ClusterMatches(ray, game, self.threads)
            try:
                yield matches
            finally:
                matches.close()

    def _round_robin(self, game: Game, specs: list[AgentSpec]) -> None:
        names = tuple(spec.text for spec in specs)
        topp, games = Topp(game, specs, names), self.games or ROUND_ROBIN_GAMES
        pairs = len(specs) * (len(specs) - 1) // 2
        screen.announce_compiling()
        interrupted, folder = False, GameFolder(runs_folder() / "tournaments", game)
        with screen.progress_bar() as progress:
            task = progress.add_task("games", total=max(0, pairs * games))
            threads = self.threads or os.cpu_count() or 1

            def on_game(first: int, second: int, played: PlayedGame) -> None:
                folder.keep(played, (names[first], names[second]))
                progress.advance(task)

            try:
                with self._spread(game) as spread:
                    topp.play(games, self.seed, threads, self.opening, None, on_game, self._judge, spread)
            except KeyboardInterrupt:
                interrupted = True
        result = topp.result
        data = {**result.as_json(), "forfeits": topp.forfeits}
        if folder.path:
            folder.keep_result(data)
        if self.json:
            screen.print_json({**data, "folder": str(folder.path) if folder.path else None})
        else:
            show_table(result, games, "agent")
            screen.show_forfeits(topp.forfeits)
            _say_where(folder)
        if interrupted:
            raise Interrupted(f"stopped after {topp.games} of {pairs * games} games; the result counts these")

    def _gauntlet(self, game: Game, gauntlet: Gauntlet) -> None:
        games, threads = self.games or GAMES, self.threads or os.cpu_count() or 1
        total = games * len(gauntlet.candidates) * len(gauntlet.opponents)
        screen.announce_compiling()
        interrupted, folder = False, GameFolder(runs_folder() / "tournaments", game)

        def on_game(i: int, j: int, match: MatchResult, played: PlayedGame) -> None:
            names = (gauntlet.candidates[i].text, gauntlet.opponents[j].text)
            folder.keep(played, names if match.last_side == 0 else names[::-1])
            progress.advance(task)

        with screen.progress_bar() as progress:
            task = progress.add_task("games", total=max(total, 0))
            try:
                with self._spread(game) as spread:
                    gauntlet.play(games, self.seed, threads, self.opening, on_game, self._judge, spread)
            except KeyboardInterrupt:
                interrupted = True
        result, sides = gauntlet.result, screen.side_names(game)
        places = self._places(game, result)
        data = result.as_json(sides)
        if places:
            data["ladder"] = [
                {"name": one.name, "rating": one.rating, "interval": [one.low, one.high]} for one in places
            ]
        if folder.path:
            folder.keep_result(data)
        if self.json:
            screen.print_json({**data, "folder": str(folder.path) if folder.path else None})
        else:
            _show_gauntlet(result, sides, places)
            self._say_about_the_ladder(game, places)
            _say_where(folder)
            command = shlex.join(["tengen", "watch", self.game, *_hardest(result)])
            screen.suggest("\nwatch the hardest opponent:", command)
        if interrupted:
            played = sum(match.total.games for row in result.matches for match in row)
            raise Interrupted(f"stopped after {played} of {total} games; the result counts these")

    def _climbs(self) -> bool:
        return any(word.strip() == WORD for word in self.against or ())

    def _places(self, game: Game, result: GauntletResult) -> list[Place]:
        """Rungs and candidates from the strongest to the weakest, where the ladder of this game has ratings."""
        rungs = rung_ratings(game)
        if not (self._climbs() and rungs and any(name in rungs for name in result.opponents)):
            return []
        met = [
            place(result, i, rungs)
            for i, row in enumerate(result.matches)
            if any(match.total.games for name, match in zip(result.opponents, row, strict=True) if name in rungs)
        ]
        return sorted([*rungs.values(), *met], key=lambda one: -one.rating)

    def _say_about_the_ladder(self, game: Game, places: list[Place]) -> None:
        if not self._climbs():
            return
        for reason in ladder_of(game)[1]:
            screen.console.print(f"not on this ladder: {reason}", style="dim", markup=False)
        if not places:
            said = f"the rungs have not been measured in {self.game}: the ratings are from these games alone"
            screen.console.print(said, style="dim", markup=False)


def _agents(texts: tuple[str, ...]) -> list[AgentSpec]:
    specs = [parse_agent(text) for text in texts]
    if any(spec.text.partition(",")[0] == "human" for spec in specs):
        raise SpecError("a tournament is played by agents alone; to play yourself: tengen play")
    return specs


def _show_gauntlet(result: GauntletResult, sides: tuple[str, str], places: list[Place]) -> None:
    for i, candidate in enumerate(result.candidates):
        title = f"{escape(candidate)}: wins–losses–draws"
        table = Table(title=title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))  # narrow, for the sake of long names
        table.add_column("against", overflow="fold")
        for column in ("result", *(f"as {side}" for side in sides), "score", "95 %\ninterval", "distinct\ngames"):
            table.add_column(column, justify="right", no_wrap=True)
        for opponent, match in zip(result.opponents, result.matches[i], strict=True):
            counts = [_counts(tally) for tally in (match.total, *match.by_side)]
            table.add_row(escape(opponent), *counts, *_score(match.total, match.interval), str(match.distinct_games))
        if len(result.opponents) > 1:
            table.add_section()
            total = result.total(i)
            table.add_row("all", _counts(total), "", "", *_score(total, result.interval(i)), "")
        screen.console.print(table)
    if places:
        screen.console.print(_ladder_table(result, places))
    if {*result.opponents} - {one.name for one in places}:  # somebody is not on the ladder
        screen.console.print(_ratings_table(result))
    if any(match.total.games and match.total.score in (0, 1) for row in result.matches for match in row):
        screen.console.print("a clean sweep says only who is stronger, not by how much", style="dim")
    forfeits = [reason for row in result.matches for match in row for reason in match.forfeits]
    screen.show_forfeits(forfeits)


def _ratings_table(result: GauntletResult) -> Table:
    rating, interval = result.ratings()
    table = Table("agent", title="ratings from these games")
    for column in ("rating", "95 % interval"):
        table.add_column(column, justify="right")
    for i in rating.argsort()[::-1]:
        low, high = interval[i]
        table.add_row(escape(result.names[i]), f"{rating[i]:+.0f}", f"{low:+.0f} to {high:+.0f}")
    return table


def _ladder_table(result: GauntletResult, places: list[Place]) -> Table:
    """The candidates among the rungs, whose ratings were measured before and are taken as they are."""
    table = Table("agent", title="on the ladder")
    for column in ("rating", "95 % interval"):
        table.add_column(column, justify="right")
    for one in places:
        style = "bold" if one.name in result.candidates else "dim"
        table.add_row(escape(one.name), f"{one.rating:+.0f}", f"{one.low:+.0f} to {one.high:+.0f}", style=style)
    return table


def _say_where(folder: GameFolder) -> None:
    if folder.path:
        screen.console.print(f"the games are in {folder.path}", markup=False, soft_wrap=True)


def _counts(tally: Tally) -> str:
    return f"{tally.wins}–{tally.losses}–{tally.draws}"


def _score(tally: Tally, interval: tuple[float, float]) -> list[str]:
    low, high = (100 * share for share in interval)
    return [f"{tally.score:.1%}", f"{low:.0f}–{high:.0f} %"] if tally.games else ["", ""]


def _hardest(result: GauntletResult) -> tuple[str, str]:
    pairs = [(match.total.score, match.names) for row in result.matches for match in row if match.total.games]
    return min(pairs)[1] if pairs else (result.candidates[0], result.opponents[0])
