"""``tengen play``."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from tengen.agents import Agent, AgentSpec, HumanAgent, SearchAgent, parse_agent
from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.errors import IllegalMove, MalformedMove, SpecError
from tengen.games import CHANCE, Game, Position, parse_game

ADVISER = "uct,simulations=5000"
"""Who plays when nobody is named, and who gives hints when the opponent cannot."""

HELP = "a move such as {move} · undo · hint · moves · board · resign · quit"


@dataclass(frozen=True)
class Play:
    """Play against an agent.

    Example: tengen play hex:5 --terminal

    Example: tengen play gomoku:9 --against uct,simulations=20000 --side second

    Example: tengen play hex:7,swap --against human        (two people at one keyboard)
    """

    game: Annotated[Positional[str], arg(metavar="GAME")]
    """The game: hex:7, gomoku:15, my_game.py:Name; see tengen list games."""
    against: Annotated[str, arg(metavar="SPEC")] = ""
    """Your opponent, or human; see tengen list agents. Without it: uct,simulations=5000."""
    side: Literal["first", "second"] = "first"
    """Whether you are the first or the second player of the game."""
    terminal: bool = False
    """Play in the terminal. (There is no page in the browser yet, so this is where games are played without it, too.)"""
    seed: int | None = None
    """The same seed gives the same opponent; by default another one every time."""

    def run(self) -> None:
        """Play until somebody has won or had enough."""
        game, opponent = parse_game(self.game), parse_agent(self.against or ADVISER)
        if game.players() == 1 and (self.against or self.side == "second"):
            raise SpecError(f"{self.game} is for one player: leave out --against and --side")
        if not self.terminal:
            screen.errors.print("there is no page in the browser yet: playing here, as with --terminal", style="dim")
        screen.announce_compiling()
        seed = random.SystemRandom().randrange(1 << 30) if self.seed is None else self.seed
        mine = 0 if self.side == "first" else 1
        try:
            TerminalGame(game, opponent, mine, seed).play()
        except (KeyboardInterrupt, EOFError):
            raise Interrupted("the game is broken off") from None


class TerminalGame:
    """A game at the keyboard."""

    def __init__(self, game: Game, opponent: AgentSpec, mine: int, seed: int) -> None:
        self.game, self.mine = game, mine
        self.position = Position(game)
        self.luck = random.Random(seed)
        self.opponent: Agent = opponent.make(game)
        self.opponent.new_game(seed)
        self.has_resigned = False

    def play(self) -> None:
        """Alternate until the end."""
        sides = screen.side_names(self.game)
        if self.game.players() == 2 and not isinstance(self.opponent, HumanAgent):
            screen.console.print(
                f"You are [bold]{sides[self.mine]}[/bold]; {self.opponent.name} is {sides[1 - self.mine]}."
            )
        screen.console.print(HELP.format(move=self.game.move_name(self.position.legal_moves[0])), style="dim")
        screen.show_board(self.position)
        while not self.position.is_over and not self.has_resigned:
            player = self.position.to_move
            if player == CHANCE:
                self._make(self.luck.choices(self.position.legal_moves, self.position.odds)[0], None)
            elif player == self.mine or isinstance(self.opponent, HumanAgent):
                self._ask(sides[player] if self.game.players() == 2 else "you")
            else:
                self._let_opponent_move()
        text = "You have resigned." if self.has_resigned else screen.result_text(self.position)
        screen.console.print(text, style="bold")

    def _make(self, move: int, name: str | None) -> None:
        self.position.play(move)
        screen.console.print(screen.describe_move(self.position, name))
        screen.show_board(self.position)

    def _let_opponent_move(self) -> None:
        with screen.errors.status(f"{self.opponent.name} is thinking …"):
            move = self.opponent.choose(self.position)
        if self.opponent.thoughts:
            screen.console.print(screen.describe_thoughts(self.opponent.thoughts), style="dim")
        self._make(move, self.opponent.name)

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
