"""``tengen watch RUN``: the games of a run, as they end or one of them move by move."""

from __future__ import annotations

import time

from tengen.cli import screen
from tengen.cli.main import Interrupted
from tengen.errors import SpecError
from tengen.games import Game, Position, parse_game
from tengen.records.record import GameRecord
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory
from tengen.selfplay.worker import start_position

LOOK_EVERY = 0.5  # seconds


def replay_game(run: RunDirectory, number: int, pause: float, as_json: bool) -> None:
    """One recorded game, with what the search thought before each move."""
    game, record = record_of(run, number)
    position = start_position(game, record.first)
    if as_json:
        names = [game.move_name(move) for move in record.moves]
        screen.print_json({"number": number, "seed": record.seed, "moves": names, "winner": record.winner})
        return
    screen.show_board(position)
    try:
        for move, visits, value in zip(record.moves, record.visits, record.values, strict=True):
            position.play(move)
            screen.console.print(screen.describe_move(position, "self-play"))
            if visits:
                total = sum(visits.values())
                best = sorted(visits.items(), key=lambda item: -item[1])[:3]
                shares = "  ".join(f"{game.move_name(m)} {n / total:.0%}" for m, n in best)
                screen.console.print(f"{shares} · value {value:+.2f}", style="dim")
            screen.show_board(position)
            if screen.console.is_terminal:
                time.sleep(pause)
    except KeyboardInterrupt:
        raise Interrupted("stopped watching") from None
    screen.console.print(_result_text(record, position), style="bold")


def record_of(run: RunDirectory, number: int) -> tuple[Game, GameRecord]:
    """A game of a run, and its rules."""
    game = parse_game(str(run.read_config()["game"]))
    store = _store(run)
    record = store.get(number)
    numbers = store.numbers()
    store.close()
    if record is None:
        raise SpecError(f"{run.name} has no game {number}; it has {len(numbers)}, up to {max(numbers, default=0)}")
    return game, record


def follow(run: RunDirectory) -> None:
    """The last game, then every new one when it has ended, until Ctrl-C or the end of the run."""
    config = run.read_config()
    game, wanted = parse_game(str(config["game"])), int(config["training"]["games"])
    store = _store(run)
    try:
        shown = max(0, len(store) - 1)
        while True:
            count = len(store)
            for record in store.latest(count - shown) if count > shown else ():
                show_end(record, game)
            shown = count
            if count >= wanted:
                break
            time.sleep(LOOK_EVERY)
    except KeyboardInterrupt:
        raise Interrupted("stopped watching; the run goes on") from None
    finally:
        store.close()
    screen.suggest(
        f"\nthe run has all its {wanted} games; replay one:", f"tengen watch {run.name} --game-number {wanted - 1}"
    )


def show_end(record: GameRecord, game: Game) -> None:
    """The last position of a game, and who won it."""
    title, position = end_of(record, game)
    screen.console.print(title, style="bold")
    screen.show_board(position)


def end_of(record: GameRecord, game: Game) -> tuple[str, Position]:
    """A line that says how a game ended, and its last position."""
    position = start_position(game, record.first)
    for move in record.moves:
        position.play(move)
    return f"game {record.number}: {_result_text(record, position)}", position


def _result_text(record: GameRecord, position: Position) -> str:
    if position.is_over or record.winner is None:
        return screen.result_text(position)
    sides = screen.side_names(position.game)
    return f"{sides[record.winner].capitalize()} wins: {sides[1 - record.winner]} gives up after {len(record.moves)} moves."


def _store(run: RunDirectory) -> RecordStore:
    if not run.games.exists():
        raise SpecError(f"{run.name} has no games yet")
    return RecordStore(run.games)
