"""One game between agents."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tengen.agents.base import Agent
from tengen.errors import AgentFailure, IllegalMove, SpecError
from tengen.games.position import Position
from tengen.games.verbs import CHANCE, Game

CANDIDATES = 8
"""Random openings of which a judge chooses one."""

LONGEST = 100_000
"""Moves after which a game is broken off, and counts as it stands."""


@dataclass(frozen=True)
class PlayedGame:
    """A finished game."""

    moves: tuple[int, ...]
    winner: int | None
    """The player who won; None: a draw, or a game for one."""
    returns: tuple[float, float]
    opening: int
    """How many of the moves were given before the agents began."""
    forfeit: str | None = None
    """Why the loser lost without the rules: an illegal move, or an agent that failed."""


OnMove = Callable[[Position, Agent | None], None]


def play_game(
    game: Game,
    agents: Sequence[Agent],
    seed: int,
    opening: Sequence[int] = (),
    on_move: OnMove | None = None,
) -> PlayedGame:
    """Play a game: `agents` in the order of the players. Luck is drawn from the seed.

    `on_move` sees the position after every move, with the agent that made it (None: luck). An agent that answers with an
    illegal move, or with none (`AgentFailure`), loses the game.
    """
    position = Position(game, opening)
    luck = random.Random(seed)
    for player, one in enumerate(agents):
        one.new_game(seed * 2 + player)
    while not position.is_over and len(position.moves) < LONGEST:
        player = position.to_move
        agent: Agent | None = None
        try:
            if player == CHANCE:
                move = luck.choices(position.legal_moves, position.odds)[0]
            else:
                agent = agents[player]
                move = agent.choose(position)
            position.play(move)
        except (IllegalMove, AgentFailure) as error:
            reason = f"{agents[player].name}: {error}"
            winner = 1 - player if game.players() == 2 else None
            returns = (0.0, 0.0) if winner is None else ((1.0, -1.0) if winner == 0 else (-1.0, 1.0))
            return PlayedGame(tuple(position.moves), winner, returns, len(opening), reason)
        if on_move:
            on_move(position, agent)
    returns = (position.returns[0], position.returns[1])
    return PlayedGame(tuple(position.moves), position.winner, returns, len(opening))


def random_openings(game: Game, count: int, plies: int, seed: int) -> list[list[int]]:
    """Beginnings of `plies` random moves after which the game goes on, different from each other where there are enough."""
    chooser = random.Random(seed)
    found: list[list[int]] = []
    pool: list[list[int]] = []
    while len(found) < count:
        opening = _random_opening(game, plies, chooser)
        tries = 0
        while opening in pool and tries < 50:
            opening, tries = _random_opening(game, plies, chooser), tries + 1
        if opening in pool:
            pool.clear()  # all have had their turn: begin again
        pool.append(opening)
        found.append(opening)
    return found


def even_openings(game: Game, count: int, plies: int, seed: int, judge: Agent) -> list[list[int]]:
    """Beginnings in which neither side is much better, as a judge sees it: of some random ones, the most even.

    In Gomoku the side to move wins most games after a random opening; then a pair of games says little.
    """
    candidates = random_openings(game, count * CANDIDATES, plies, seed)
    judge.new_game(seed)
    return [min(candidates[i::count], key=lambda opening: _advantage(game, opening, judge)) for i in range(count)]


def _advantage(game: Game, opening: Sequence[int], judge: Agent) -> float:
    """How much better one side is, 0 to 1."""
    judge.choose(Position(game, opening))
    outlook = judge.outlook
    if outlook is None:
        raise SpecError(
            f"{judge.name} does not say what a position is worth: a judge is an agent that searches, or classic"
        )
    return abs(outlook)


def _random_opening(game: Game, plies: int, chooser: random.Random) -> list[int]:
    for _ in range(1000):
        position = Position(game)
        while len(position.moves) < plies or position.to_move == CHANCE:
            if position.is_over:
                break
            weights = position.odds if position.to_move == CHANCE else None
            position.play(chooser.choices(position.legal_moves, weights)[0])
        if not position.is_over:
            return position.moves
    raise IllegalMove(f"no opening of {plies} random moves leaves a game to play: choose fewer")
