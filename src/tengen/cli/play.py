"""``tengen play``."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from tengen.agents import Agent, AgentSpec, HumanAgent, SearchAgent, parse_agent
from tengen.agents.levels import parse_opponent
from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.cli.serve import Page
from tengen.errors import AgentFailure, IllegalMove, MalformedMove, SpecError
from tengen.games import CHANCE, Game, Position, parse_game
from tengen.web import PORT

ADVISER = "uct,simulations=5000"
"""Who plays when nobody is named, and who gives hints when the opponent cannot."""

HELP = "a move such as {move} · undo · hint · moves · board · resign · quit"


@dataclass(frozen=True)
class Play:
    """Play against an agent: on a board in the browser, or here with --terminal.

    Example: tengen play gomoku:15

    Example: tengen play hex:7,swap --against hard --side second

    Example: tengen play gomoku:9 --against uct,simulations=20000 --terminal

    Example: tengen play hex:5 --against human               (two people at one board)

    Example: tengen play hex:5 --against uct --player puct   (two agents, and you watch)
    """

    game: Annotated[Positional[str], arg(metavar="GAME")]
    """The game: hex:7, gomoku:15, my_game.py:Name; see tengen list games."""
    against: Annotated[str, arg(metavar="SPEC")] = ""
    """Your opponent: beginner, easy, medium, hard, full, human, or any agent (tengen list agents). Without it:
    medium in the browser, uct,simulations=5000 in the terminal."""
    side: Literal["first", "second"] = "first"
    """Whether you are the first or the second player of the game."""
    player: Annotated[str, arg(metavar="SPEC")] = "human"
    """Who plays your side, in the browser: you, or an agent that you watch."""
    terminal: bool = False
    """Play here, in the terminal."""
    host: str = "127.0.0.1"
    """The address to listen on; any but this machine's own asks for a token, which is printed."""
    port: int = PORT
    """The port; 0, or when the usual one is taken: any free one."""
    no_browser: bool = False
    """Only print the address, open no browser."""
    seed: int | None = None
    """The same seed gives the same opponent; by default another one every time."""

    def run(self) -> None:
        """Play until somebody has won or had enough."""
        game = parse_game(self.game)
        default = ADVISER if self.terminal else "medium"
        opponent = parse_opponent(self.against or default, game)
        if game.players() == 1 and (self.against or self.side == "second"):
            raise SpecError(f"{self.game} is for one player: leave out --against and --side")
        if not self.terminal:
            self._play_in_browser(game.players(), self.against or default)
            return
        if (self.player, self.host, self.port, self.no_browser) != ("human", "127.0.0.1", PORT, False):
            raise SpecError("--player, --host, --port and --no-browser belong to the page: leave out --terminal")
        screen.announce_compiling()
        seed = random.SystemRandom().randrange(1 << 30) if self.seed is None else self.seed
        mine = 0 if self.side == "first" else 1
        try:
            TerminalGame(game, opponent, mine, seed).play()
        except (KeyboardInterrupt, EOFError):
            raise Interrupted("the game is broken off") from None

    def _play_in_browser(self, players: int, against: str) -> None:
        seats = [self.player, against] if self.side == "first" else [against, self.player]
        page = Page(self.host, self.port, self.no_browser)
        page.serve((self.game,), [against, self.player], (self.game, seats[:players], self.seed))


class TerminalGame:
    """A game at the keyboard."""

    def __init__(self, game: Game, opponent: AgentSpec, mine: int, seed: int) -> None:
        self.game, self.mine = game, mine
        self.position = Position(game)
        self.luck = random.Random(seed)
        self.opponent: Agent = opponent.make(game)
        self.opponent.new_game(seed)
        self.has_resigned = False
        self.forfeit = ""

    def play(self) -> None:
        """Alternate until the end."""
        sides = screen.side_names(self.game)
        if self.game.players() == 2 and not isinstance(self.opponent, HumanAgent):
            screen.console.print(
                f"You are [bold]{sides[self.mine]}[/bold]; {self.opponent.name} is {sides[1 - self.mine]}."
            )
        screen.console.print(HELP.format(move=self.game.move_name(self.position.legal_moves[0])), style="dim")
        screen.show_board(self.position)
        while not (self.position.is_over or self.has_resigned or self.forfeit):
            player = self.position.to_move
            if player == CHANCE:
                self._make(self.luck.choices(self.position.legal_moves, self.position.odds)[0], None)
            elif player == self.mine or isinstance(self.opponent, HumanAgent):
                self._ask(sides[player] if self.game.players() == 2 else "you")
            else:
                self._let_opponent_move()
        if self.forfeit:
            text = f"Your opponent has lost: {self.forfeit}"
        else:
            text = "You have resigned." if self.has_resigned else screen.result_text(self.position)
        screen.console.print(text, style="bold", markup=False)

    def _make(self, move: int, name: str | None) -> None:
        self.position.play(move)
        screen.console.print(screen.describe_move(self.position, name))
        screen.show_board(self.position)

    def _let_opponent_move(self) -> None:
        try:
            with screen.errors.status(f"{self.opponent.name} is thinking …"):
                move = self.opponent.choose(self.position)
            if self.opponent.thoughts:
                screen.console.print(screen.describe_thoughts(self.opponent.thoughts), style="dim")
            self._make(move, self.opponent.name)
        except (AgentFailure, IllegalMove) as error:
            self.forfeit = str(error)

    def _ask(self, who: str) -> None:
        """One line from the person: a move, or a word."""
        text = input(f"{who}> ").strip().lower()
        if not sys.stdin.isatty():
            print(text)  # so that a piped game can be read
        words: dict[str, Callable[[], None]] = {
            "undo": self._undo, "hint": self._hint, "moves": self._list_moves, "resign": self._resign,
            "board": lambda: screen.show_board(self.position),
        }  # fmt: skip
        if text in ("quit", "exit", "q"):
            raise EOFError
        if text in words:
            words[text]()
        elif text in ("", "help", "?"):
            screen.console.print(HELP.format(move=self.game.move_name(self.position.legal_moves[0])), style="dim")
        else:
            try:
                self._make(self.position.parse(text), "you")
            except (MalformedMove, IllegalMove) as error:
                screen.errors.print(str(error), style="yellow", markup=False)  # it quotes what was typed

    def _undo(self) -> None:
        """Back to your own last decision."""
        alone = isinstance(self.opponent, HumanAgent) or self.game.players() == 1
        earlier = self.position.copy()
        while earlier.moves:
            earlier.undo()
            if earlier.to_move != CHANCE and (alone or earlier.to_move == self.mine):
                self.position = earlier
                screen.show_board(self.position)
                return
        screen.errors.print("there is no move of yours to take back", style="yellow")

    def _hint(self) -> None:
        adviser = self.opponent
        if not isinstance(adviser, SearchAgent):
            adviser = parse_agent(ADVISER).make(self.game)
        adviser.choose(self.position)
        if adviser.thoughts:
            screen.console.print(screen.describe_thoughts(adviser.thoughts, top=5), style="green")

    def _list_moves(self) -> None:
        screen.console.print(" ".join(self.game.move_name(move) for move in self.position.legal_moves))

    def _resign(self) -> None:
        self.has_resigned = True
