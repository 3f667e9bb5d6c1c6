"""``tengen check``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional, arg

from tengen.cli import screen
from tengen.errors import IllegalMove, SpecError, TengenError
from tengen.games import BrokenContract, Position, check_game, parse_game
from tengen.games.verbs import Defaults, Game

WHAT_FOR = {
    "encode": "what a network sees: without it a network can learn nothing",
    "symmetries": "the ways to turn the board: learning is faster with them",
    "diagram": "a board to look at and to click on",
    "move_name": "what people call the moves",
    "cells": "the board as numbers: positions can be set up, and audited",
}
"""What a game may do without, and what it misses then."""


@dataclass(frozen=True)
class Check:
    """See whether a game keeps the contract that search, training and the page rely on; say what is wrong, and what is missing.

    Example: tengen check examples/connect_four.py:ConnectFour

    Example: tengen check my_game.py:MyGame,size=5 --games 100
    """

    game: Annotated[Positional[str], arg(metavar="GAME")]
    """Yours, FILE.py:NAME,option=value, or a built-in one."""
    games: int = 20
    """How many random games are played; at each position all methods must agree."""
    seed: int = 1
    """Other games."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Check and print."""
        if self.games < 1:
            raise SpecError(f"at least 1 game, not {self.games}")
        game = parse_game(self.game)
        screen.announce_compiling()
        try:
            with screen.errors.status("playing random games, in Python and compiled …"):
                positions = check_game(game, self.games, self.seed)
        except (BrokenContract, IllegalMove) as broken:
            raise TengenError(f"{self.game} breaks the contract: {' '.join(str(broken).split())}") from None
        missing = [name for name in WHAT_FOR if not _has(game, name)]
        if self.json:
            screen.print_json({"game": self.game, "positions": positions, "games": self.games, "missing": missing})
            return
        screen.console.print(f"{self.game} keeps the contract: {self.games} games, {positions} positions.")
        for name in missing:
            screen.console.print(f"  it has no method [bold]{name}[/bold]: {WHAT_FOR[name]}")
        screen.show_board(Position(game))
        screen.suggest("play it:  ", f"tengen play {self.game}")
        screen.suggest("train it: ", f"tengen train alphazero --game {self.game} --name mine")


def _has(game: Game, name: str) -> bool:
    """Whether the game says it itself."""
    return getattr(type(game), name) is not getattr(Defaults, name)
