"""``tengen tune``."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import Annotated

from rich import box
from rich.table import Table
from tyro.conf import Positional, arg

from tengen.agents import parse_agent
from tengen.arena import MatchResult, play_match, random_openings
from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.errors import SpecError
from tengen.games import Game, parse_game
from tengen.tuning.evolution import MOST_LIVES, Population, TuneSettings, first_generation, live_a_generation
from tengen.tuning.folder import TuneFolder, question
from tengen.tuning.genes import Genome, read_genome
from tengen.tuning.pictures import draw_population

DEFAULTS = TuneSettings()
SHOWN = 5
CHECK_SEED = 900_001
"""Added to the seed for the games at the end: openings and luck that no battle has had."""


@dataclass(frozen=True)
class Tune:
    """Tune an agent's options by natural selection: players with different values fight, losers die, winners breed.

    Every generation is kept: after Ctrl-C, or worse, the same command goes on; with more generations it goes on longer.

    Example: tengen tune hex:5 uct,simulations=100 --vary c=0.1..5

    Example: tengen tune gomoku:9 ucb1,simulations=500 --vary c=0.05..2 epsilon=0..0.5 --generations 30

    Example: tengen tune hex:5 zero,simulations=50:mine --vary c=0.5..10 first_play_value=-1..0.5 --players 12
    """

    game: Annotated[Positional[str], arg(metavar="GAME")]
    """A game for two players; see tengen list games."""
    agent: Annotated[Positional[str], arg(metavar="SPEC")]
    """The agent; it takes part as it is, with its values or their defaults. See tengen list agents."""
    vary: Annotated[tuple[str, ...], arg(metavar="OPTION=LOW..HIGH")] = ()
    """Which of its numbers vary, and how far. A range over a factor of ten or more is logarithmic; c=0.1..5:linear and
    c=1..4:log say it."""
    generations: int = 20
    """How many generations there are in all."""
    players: int = DEFAULTS.players
    """How many players are alive."""
    battles: int = DEFAULTS.battles
    """Battles that each fights in a generation: two games, the same opening from both sides."""
    pressure: float = DEFAULTS.pressure
    """The survival pressure: the share of the players that dies in each generation."""
    variation: float = DEFAULTS.variation
    """How much children are varied, in parts of the spread that the survivors have."""
    opening: int = DEFAULTS.opening
    """How many random moves each battle begins with."""
    check: int = 200
    """Games at the end between the winner and the agent as given, from fresh openings; 0: none."""
    name: str = ""
    """The folder under runs/ in which it is kept; by default its name comes from the question."""
    seed: int = 0
    """The same seed gives the same evolution (unless the agent thinks by the clock)."""
    threads: int = 0
    """How many battles are fought at once; 0: one for each processor."""
    json: bool = False
    """Print one JSON object; the picture is drawn all the same."""

    def run(self) -> None:
        """Live the generations, print and draw."""
        game, genome, settings = self._read()
        folder = TuneFolder(self.name, question(self.game, self.agent, genome, settings))
        kept = folder.load()
        if kept is not None and kept.generation > self.generations:
            raise SpecError(
                f"{folder.path} is {kept.generation} generations old already: --generations {kept.generation}"
            )
        folder.open()
        try:
            population = folder.load() or first_generation(genome, settings)
            self._evolve(game, genome, settings, population, folder)
            check = self._check(game, genome, population)
            draw_population(population, genome, f"{self.game} {self.agent}", folder.picture)
        finally:
            folder.close()
        if self.json:
            screen.print_json(self._as_json(game, genome, population, check, folder))
        else:
            self._show(genome, population, check, folder)

    def _read(self) -> tuple[Game, Genome, TuneSettings]:
        game = parse_game(self.game)
        if game.players() != 2:
            raise SpecError("a battle needs a game for two players")
        if not 1 <= self.generations <= 10_000:
            raise SpecError(f"generations is 1 to 10,000, not {self.generations}")
        if self.threads < 0 or self.check < 0:
            raise SpecError("threads and check are 0 or more")
        settings = TuneSettings(self.players, self.battles, self.pressure, self.variation, self.opening, self.seed)
        lives = settings.lives(self.generations)
        if lives > MOST_LIVES:
            raise SpecError(
                f"at most {MOST_LIVES:,} players may ever live, not {lives:,}: fewer players or generations"
            )
        genome = read_genome(self.agent, self.vary)
        random_openings(game, 1, self.opening, self.seed)  # refuses an opening that leaves no game
        parse_agent(self.agent).make(game)  # and an agent that does not play this game
        return game, genome, settings

    def _evolve(
        self, game: Game, genome: Genome, settings: TuneSettings, population: Population, folder: TuneFolder
    ) -> None:
        screen.announce_compiling()
        total = self.generations * settings.battles * (settings.players // 2)
        done = population.generation * settings.battles * (settings.players // 2)
        with screen.progress_bar() as progress:
            task = progress.add_task("battles", total=total, completed=done)
            while population.generation < self.generations:
                progress.update(task, description=f"generation {population.generation + 1}")
                try:
                    live_a_generation(
                        game, genome, settings, population, self._threads(), lambda: progress.advance(task)
                    )
                    folder.save(population)
                except KeyboardInterrupt:
                    raise Interrupted(
                        f"{population.generation} of {self.generations} generations are kept in {folder.path}; "
                        "the same command goes on"
                    ) from None

    def _threads(self) -> int:
        return self.threads or os.cpu_count() or 1

    def _check(self, game: Game, genome: Genome, population: Population) -> MatchResult | None:
        """The winner against the agent as given; None where nothing is to be played, or both are the same."""
        if self.check == 0 or (population.winner() == 0 and genome.founder is not None):
            return None
        best = parse_agent(genome.spec(population.players[population.winner()].genes))
        seed, opening = self.seed + CHECK_SEED, self.opening
        with screen.progress_bar() as progress:
            task = progress.add_task("the winner against the agent as given", total=self.check)
            return play_match(
                game, best, parse_agent(self.agent), self.check, seed, self._threads(), opening,
                lambda *_: progress.advance(task),
            )  # fmt: skip

    def _show(self, genome: Genome, population: Population, check: MatchResult | None, folder: TuneFolder) -> None:
        rating, interval = population.ratings()
        table = Table(
            title=f"the living after {population.generation} generations, {population.games:,} games",
            box=box.SIMPLE_HEAD,
        )
        for column in (*(rule.option for rule in genome.ranges), "rating", "95 % interval", "born"):
            table.add_column(column, justify="right")
        fought = sorted(filter(population.fought, population.living), key=lambda number: -interval[number, 0])
        for number in fought[:SHOWN]:
            values = genome.values(population.players[number].genes).values()
            low, high = interval[number]
            born = str(population.players[number].born + 1)
            table.add_row(*(f"{v:g}" for v in values), f"{rating[number]:+.0f}", f"{low:+.0f} to {high:+.0f}", born)
        screen.console.print(table)
        winner = population.winner()
        best = genome.spec(population.players[winner].genes)
        if check is not None:
            low, high = check.interval
            screen.console.print(
                f"against {self.agent}, {check.total.games} games from fresh openings: {check.total.score:.1%}, "
                f"95 % interval {low:.1%} to {high:.1%}", markup=False,
            )  # fmt: skip
            screen.show_forfeits(check.forfeits)
        elif genome.founder is not None and winner == 0:
            screen.console.print("nobody was fitter than the agent as given")
        if population.forfeits:
            screen.console.print(f"{population.forfeits} games were lost without the rules", style="red")
        screen.suggest("the picture:", str(folder.picture))
        screen.suggest("the winner:", best)
        line = [
            "tengen",
            "match",
            self.game,
            best,
            self.agent,
            "--games",
            "400",
            "--opening",
            str(self.opening),
            "--seed",
            "1",
        ]
        screen.suggest("measure it:", shlex.join(line))

    def _as_json(
        self, game: Game, genome: Genome, population: Population, check: MatchResult | None, folder: TuneFolder
    ) -> dict[str, object]:
        rating, interval = population.ratings()
        winner = population.winner()
        return {
            "winner": genome.spec(population.players[winner].genes),
            "values": genome.values(population.players[winner].genes),
            "rating": float(rating[winner]),
            "interval": interval[winner].tolist(),
            "generations": population.generation,
            "games": population.games,
            "forfeits": population.forfeits,
            "population": [
                {"agent": genome.spec(player.genes), "rating": float(rating[n]), "born": player.born + 1}
                for n, player in enumerate(population.players) if player.died is None and population.fought(n)
            ],
            "check": None if check is None else check.as_json(screen.side_names(game)),
            "folder": str(folder.path),
            "picture": str(folder.picture),
        }  # fmt: skip
