"""A game as a text that others can read: SGF with what was thought, Piskvork's psq, a link that holds it. And back."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.errors import TengenError
from tengen.games import Game, Gomoku, Hex, Position, game_spec
from tengen.protocols.hexworld import read_link, write_link
from tengen.protocols.psq import is_psq, read_psq, write_psq
from tengen.protocols.sgf_games import read_game, write_game
from tengen.web.insight import Insight, key_after
from tengen.web.table import Table

KINDS = ("sgf", "psq", "hexworld", "link")
MOST_MOVES = 2000


@dataclass(frozen=True)
class Shared:
    """A game that somebody has brought."""

    game: Game
    moves: tuple[int, ...]
    notes: tuple[str, ...]
    gave_up: int | None
    title: str


def write(table: Table, kind: str) -> str:
    """The whole game of a table, with the moves taken back, as a text."""
    with table.lock:
        moves = [*table.position.moves, *(move for move, _ in reversed(table.future))]
        position = Position(table.game, moves)
        names = [seat.name for seat in table.seats[: table.game.players()]]
        gave_up = table.gave_up
        comments = _comments(table, moves)
    winner = None if gave_up is None or position.is_over else 1 - gave_up
    if kind == "sgf":
        return write_game(position, winner, names, comments)
    if kind == "psq":
        return write_psq(position, winner, names)
    if kind == "hexworld":
        return write_link(position, gave_up if winner is not None else None)
    if kind == "link":
        return link(position)
    raise TengenError(f"a game is written as {', '.join(KINDS)}, not {kind[:20]!r}")


def link(position: Position) -> str:
    """What stands behind the # of an address that holds the whole game."""
    game = position.game
    spec = game_spec(game)
    if "/" in spec or ".py" in spec:
        raise TengenError("a link can hold games of the package only: this one stands in a file of yours")
    return f"#/game/{spec}/{'.'.join(position.move_names)}"


def _comments(table: Table, moves: list[int]) -> list[str]:
    """For each move, what was thought before it."""
    found = []
    for key, move in zip(key_after(moves), moves):
        insight = table.study.insight(key)
        found.append("" if insight is None else _comment(table, insight, move))
    return found


def _comment(table: Table, insight: Insight, move: int) -> str:
    game, side = table.game, table.sides[insight.player]
    lines = [f"{side} wins {insight.best_rate:.0%} · {insight.visits} visits · {insight.by}"]
    for candidate in insight.candidates[:3]:
        rate = "" if candidate.rate is None else f" {candidate.rate:.0%}"
        line = " ".join(game.move_name(m) for m in candidate.line[1:6])
        played = " (played)" if candidate.move == move else ""
        lines.append(
            f"{game.move_name(candidate.move)}{played}{rate}, {candidate.visits} visits{': ' + line if line else ''}"
        )
    return "\n".join(lines)


def read(text: str) -> Shared:
    """A game from SGF, psq or a link of HexWorld. TengenError says where it breaks."""
    text = text.strip()
    if is_psq(text):
        found = read_psq(text)
        gave_up = None if found.winner is None or found.position.is_over else 1 - found.winner
        return _shared(found.position, (), gave_up, " – ".join(found.names) or "a game of Piskvork")
    if text.startswith("(") or "(;" in text[:400]:
        file = read_game(text)
        gave_up = None if file.winner is None or file.position.is_over else 1 - file.winner
        players = [file.root.get(name) for name in ("PB", "PW")]
        return _shared(
            file.position, tuple(file.comments), gave_up, " – ".join(p for p in players if p) or "a game of SGF"
        )
    if "hexworld" in text.lower() or text.startswith("#"):
        position, resigned = read_link(text)
        return _shared(position, (), resigned, "a game of HexWorld")
    raise TengenError("that is no game that can be read here: SGF, Piskvork's psq, or a link of HexWorld")


def from_link(game: Game, text: str) -> Shared:
    """The game that an address holds: its moves by name, with dots between them."""
    names = [name for name in text.split(".") if name]
    if len(names) > MOST_MOVES:
        raise TengenError("that link holds too many moves")
    position = Position(game)
    for number, name in enumerate(names, 1):
        try:
            position.play(name)
        except ValueError as error:
            raise TengenError(f"move {number} of the link: {error}") from None
    return Shared(game, tuple(position.moves), ("",) * len(names), None, "a shared game")


def _shared(position: Position, comments: tuple[str, ...], gave_up: int | None, title: str) -> Shared:
    """Only games from the start on: the page goes back to it."""
    moves = tuple(position.moves)
    try:
        again = Position(position.game, moves)
    except ValueError:
        again = None
    start = position.copy()
    while start.moves:
        start.undo()
    if again is None or start.cells().any() or (again.array != position.array).any():
        raise TengenError(
            "this game begins with stones that were set up, or has moves out of turn: the page shows games from the start on"
        )
    notes = tuple(" · ".join(c.split("\n"))[:300] for c in comments[: len(moves)])
    notes += ("",) * (len(moves) - len(notes))
    return Shared(position.game, moves, notes, gave_up, title)


def knows(game: Game) -> list[str]:
    """In what forms a game can be shared."""
    rules: object = game
    found = ["link", "sgf"] if isinstance(rules, Hex | Gomoku) else ["link"]
    if isinstance(rules, Hex):
        found.append("hexworld")
    if isinstance(rules, Gomoku) and rules.line == 5:
        found.append("psq")
    return found
