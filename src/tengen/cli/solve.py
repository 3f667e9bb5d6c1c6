"""``tengen solve``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional, arg

from tengen.arena.solvers import solver_for
from tengen.arena.solving import BudgetExhausted
from tengen.cli import screen
from tengen.errors import SpecError
from tengen.games import parse_game
from tengen.games.position import Position

MOST_MOVES = 64
"""A game with more moves than this is refused at once: it would not be solved in a lifetime."""


@dataclass(frozen=True)
class Solve:
    """Find out, exactly, who wins a small game and by which first moves. On the board, a star marks a move that wins.

    Example: tengen solve hex:6

    Example: tengen solve gomoku:3,line=3 --json
    """

    game: Annotated[Positional[str], arg(metavar="GAME")]
    """A game for two players without luck, on a small board: hex:6, gomoku:4,line=4, nim:5."""
    moves: Annotated[tuple[str, ...], arg(metavar="MOVE")] = ()
    """Moves from the start of the game: solve the position after them."""
    nodes: int = 1_000_000_000
    """Give up after looking at this many positions; 0: never."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Solve and print."""
        game = parse_game(self.game)
        if game.players() == 2 and game.move_count() > MOST_MOVES:
            raise SpecError(
                f"{self.game} is too large to be solved: it has {game.move_count()} moves, {MOST_MOVES} is the most"
            )
        position = Position(game, self.moves)
        screen.announce_compiling()
        with screen.errors.status("solving …") as status:
            decided = ""

            def on_slice(nodes: int) -> None:
                status.update(f"solving … {decided}{nodes:,} positions looked at")

            def on_move(done: int, of: int) -> None:
                nonlocal decided
                decided = f"{done} of {of} moves decided, "

            solver = solver_for(game, self.nodes, on_slice=on_slice)
            try:
                worth, best = solver.value(position), solver.best_moves(position, on_move)
            except BudgetExhausted:
                raise SpecError(
                    f"{self.game} is not solved within {self.nodes:,} positions; allow more: --nodes"
                ) from None
        winning = [game.move_name(move) for move in best] if worth >= 0 else []
        mover, sides = position.to_move, screen.side_names(game)
        winner = None if worth == 0 else mover if worth == 1 else 1 - mover
        if self.json:
            screen.print_json({"winner": winner, "winning_moves": winning})
            return
        screen.show_board(position, starred=best if worth >= 0 else ())
        if winner is None:
            text = f"A draw, if {sides[mover]}, to move, plays one of: {' '.join(winning)}"
        elif winner == mover:
            text = f"{sides[mover].capitalize()}, to move, wins with: {' '.join(winning)}"
        else:
            text = f"{sides[winner].capitalize()} wins, whatever {sides[mover]} plays."
        screen.console.print(text)
        screen.console.print(f"{solver.nodes:,} positions looked at", style="dim")
