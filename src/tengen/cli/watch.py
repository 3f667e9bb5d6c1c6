"""``tengen watch``."""

from __future__ import annotations

import shlex
import time
from dataclasses import asdict, dataclass
from typing import Annotated

from tyro.conf import Positional, arg

from tengen.agents import Agent, AgentSpec, parse_agent
from tengen.arena import PlayedGame, play_game, random_openings
from tengen.arena.matris import clone_of, play_in_matris, rules_for_matris
from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.errors import SpecError
from tengen.games import GAMES, Game, Position, game_spec, parse_game
from tengen.games.tetris import LINES, PLACED, SCORE
from tengen.runs.directory import RunDirectory, RunError


@dataclass(frozen=True)
class Watch:
    """Watch a game between two agents, or a worked example of the search.

    Example: tengen watch hex:5 uct random

    Example: tengen watch gomoku:9 uct,simulations=5000 flat --pause 1

    Example: tengen watch gomoku:9 zero:my-run lingz:gomokuai          (a trained network with search; a foreign program)

    Example: tengen watch pig:2 uct          (a game for one player has one agent)

    Example: tengen watch tetris:10x20 bcts --in matris:MaTris          (in your clone of github SmartViking/MaTris, by its keys)

    Example: tengen watch example            (four simulations of the AlphaZero slides, step by step)

    Example: tengen watch on-policy          (a run: its games as they end; with --game-number 17, one of them)
    """

    what: Annotated[Positional[str], arg(metavar="GAME|RUN|example")]
    """The game, the name of a run, or the word example."""
    agents: Annotated[Positional[tuple[str, ...]], arg(metavar="SPEC")] = ()
    """The agents, in the order of the players."""
    pause: float = 0.08
    """Seconds between two moves; none where nobody watches, in a pipe."""
    opening: int = 0
    """How many random moves the game begins with."""
    seed: int = 0
    """The same seed gives the same game (unless an agent thinks by the clock)."""
    game_number: int | None = None
    """Of a run: the game to replay, move by move. Without it, games are shown as they end."""
    within: Annotated[str, arg(name="in", metavar="matris:FOLDER")] = ""
    """Have the agent play in another program, by its keys: MaTris, in your clone of it. It needs pygame (pip install pygame)."""
    json: bool = False
    """Print the game as one JSON object instead of boards."""

    def run(self) -> None:
        """Play and show."""
        if not 0 <= self.pause <= 3600 or self.opening < 0:
            raise SpecError("pause is 0 to 3600 seconds, and opening 0 moves or more")
        if self.within and self.what.partition(":")[0] != "tetris":
            raise SpecError("--in is for tetris: tengen watch tetris:10x20 AGENT --in matris:FOLDER")
        if self.what == "example":
            from tengen.cli.example import step_through

            if self.agents:
                raise SpecError("tengen watch example takes no agents")
            step_through(self.json)
            return
        if self.game_number is not None or self._is_run():
            from tengen.cli.recorded import follow, replay_game

            if self.agents:
                raise SpecError("a run is watched without agents")
            run = RunDirectory.find(self.what)
            if self.opening or self.seed:
                raise SpecError("--opening and --seed would do nothing: the games of a run are played already")
            if self.game_number is None:
                if self.json:
                    raise SpecError("--json needs --game-number: which game of the run?")
                follow(run)
            else:
                replay_game(run, self.game_number, self.pause, self.json)
            return
        if not self.agents and self.what.partition(":")[0] not in GAMES and ".py" not in self.what:
            raise SpecError(
                f"there is no run and no game called {self.what!r}; see tengen list runs, tengen list games"
            )
        game = parse_game(self.what)
        if len(self.agents) != game.players():
            wanted = "one agent" if game.players() == 1 else "two agents"
            raise SpecError(f"{self.what} is watched with {wanted}, not {len(self.agents)}: tengen watch GAME SPEC …")
        specs = [parse_agent(text) for text in self.agents]
        if any(spec.text.partition(",")[0] == "human" for spec in specs):
            raise SpecError("watching is for agents alone; to play yourself: tengen play")
        if self.within:
            self._play_in_matris(game, specs[0])
            return
        screen.announce_compiling()
        agents = [spec.make(game) for spec in specs]
        opening = random_openings(game, 1, self.opening, self.seed)[0] if self.opening else []
        if not self.json:
            screen.show_board(Position(game, opening))
        on_move = None if self.json else self._show_move
        try:
            played = play_game(game, agents, self.seed, opening, on_move)
        except KeyboardInterrupt:
            raise Interrupted("stopped watching") from None
        position = Position(game, played.moves)
        if self.json:
            screen.print_json(_as_json(position, played, self.agents))
            return
        ending = f"forfeited: {played.forfeit}" if played.forfeit else screen.result_text(position)
        screen.console.print(ending, style="bold", markup=False)
        if game.players() == 2:
            command = shlex.join(["tengen", "match", self.what, *self.agents, "--games", "20"])
            screen.suggest("\nwho is stronger?", command)

    def _play_in_matris(self, game: Game, spec: AgentSpec) -> None:
        file = clone_of(self.within)
        rules_for_matris(game)
        if self.opening:
            raise SpecError("--opening would do nothing: MaTris begins with an empty well")
        screen.announce_compiling()
        agent = spec.make(game)

        def on_piece(position: Position, agent: Agent) -> None:
            if not self.json and screen.console.is_terminal:
                placed, lines, score = (position.array[i] for i in (PLACED, LINES, SCORE))
                screen.console.print(f"{placed} pieces, {lines} lines, score {score:,}", end="\r")

        try:
            played = play_in_matris(file, game, agent, self.seed, self.pause, on_piece)
        except KeyboardInterrupt:
            raise Interrupted("stopped watching") from None
        if self.json:
            screen.print_json(asdict(played))
            return
        ended = "closed" if played.closed else "over" if played.over else "ended"
        about = f"{played.lines:,} lines, {played.pieces:,} pieces, score {played.score:,}"
        screen.console.print(f"MaTris is {ended}: {about}", style="bold", soft_wrap=True)

    def _is_run(self) -> bool:
        """Whether a name is that of a run and of no game."""
        try:
            RunDirectory.find(self.what)
        except RunError:
            return False
        return self.what.partition(":")[0] not in GAMES

    def _show_move(self, position: Position, agent: Agent | None) -> None:
        screen.console.print(screen.describe_move(position, agent.name if agent else None))
        if agent and agent.thoughts:
            screen.console.print(screen.describe_thoughts(agent.thoughts), style="dim")
        screen.show_board(position)
        if screen.console.is_terminal:
            time.sleep(self.pause)


def _as_json(position: Position, played: PlayedGame, agents: tuple[str, ...]) -> dict[str, object]:
    return {
        "game": game_spec(position.game),
        "agents": list(agents),
        "moves": position.move_names,
        "winner": None if played.winner is None else agents[played.winner],
        "returns": list(played.returns[: position.game.players()]),
        "forfeit": played.forfeit,
    }
