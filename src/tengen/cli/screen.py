"""What all commands show alike: boards, a note while something compiles, colours where they are wanted."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Sequence

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tengen import compiling
from tengen.games.position import Position
from tengen.games.verbs import CHANCE, Game
from tengen.search import SearchResult

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


def announce_compiling() -> None:
    """Say so, once a game, when machine code has to be made: the wait is not a fault."""
    told: set[str] = set()

    def listener(game: str | None) -> None:
        if game is not None and game not in told:
            told.add(game)
            errors.print(f"compiling the search for {game}, once …", style="dim")

    compiling.on_compile(listener)


def print_json(data: object) -> None:
    """One object and nothing else."""
    print(json.dumps(data))


def suggest(text: str, command: str) -> None:
    """What to type next, on one line however long it is, so that it can be copied."""
    console.print(f"{escape(text)} [bold]{escape(command)}[/bold]", soft_wrap=True)


def unicode_is_safe() -> bool:
    """Whether this terminal can show the characters of the board."""
    return "utf" in (sys.stdout.encoding or "").lower()


def board_text(position: Position, starred: Collection[int] = ()) -> str:
    """The board, with colours on a terminal that has them, and stars where the given moves play."""
    colour = console.is_terminal and not console.no_color
    return position.text(colour=colour, ascii=not unicode_is_safe(), starred=starred) + "\n\n"


def show_board(position: Position, starred: Collection[int] = ()) -> None:
    """The board, at once."""
    sys.stdout.write(board_text(position, starred))
    sys.stdout.flush()


def side_names(game: Game) -> tuple[str, str]:
    """What people call the two sides: red and black."""
    return game.diagram(Position(game).array).names


def describe_move(position: Position, name: str | None) -> str:
    """`7. c3  uct (red)`, of the last move of a position."""
    before = position.copy().undo()
    player = before.to_move
    who = "luck" if player == CHANCE else f"{name} ({side_names(position.game)[player]})"
    return f"{len(position.moves)}. [bold]{position.move_names[-1]}[/bold]  {who}"


def describe_thoughts(result: SearchResult, top: int = 3) -> str:
    """The best moves with their share of the visits and their value, and the line that is expected."""
    total = max(1, int(result.visits.sum()))
    moves = "  ".join(f"{m.name} {m.visits / total:.0%} {m.q:+.2f}" for m in result.moves[:top])
    line = " ".join(result.game.move_name(move) for move in result.line[:6])
    speed = result.simulations / max(result.seconds, 1e-9)
    return f"{result.simulations:,} simulations, {speed:,.0f}/s · {moves} · expects {line}"


def result_text(position: Position) -> str:
    """How a finished game ended."""
    if position.game.players() == 1:
        return f"The game is over: {position.returns[0]:g} points."
    if position.winner is None:
        return "A draw."
    return f"{side_names(position.game)[position.winner].capitalize()} wins after {len(position.moves)} moves."


def duration_text(seconds: float) -> str:
    """`40 s`, `3 min 20 s`, `2 h 05 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def show_forfeits(reasons: Sequence[str]) -> None:
    """Why games were lost without the rules, and how often."""
    for reason in sorted(set(reasons)):
        console.print(f"forfeited {reasons.count(reason)} times: {reason}", style="red", markup=False)


def progress_bar() -> Progress:
    """The bar of long work; it goes to stderr, so that results can be piped."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    )
