"""Games for one: each agent plays the same games, by their seeds, and what it got in them is compared.

In Tetris the same seed gives the same pieces to everyone. Games end when they are over, or after `cap` moves of the player.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tengen.agents.base import Agent
from tengen.agents.catalog import AgentSpec
from tengen.agents.tetris import LinearAgent
from tengen.arena.match import in_threads
from tengen.arena.statistics import bootstrap_interval
from tengen.errors import AgentFailure, IllegalMove, SpecError
from tengen.games.position import Position
from tengen.games.randomness import choose, random_state
from tengen.games.tetris import LINES, PLACED, SCORE, Tetris
from tengen.games.verbs import CHANCE, Game

NO_CAP = 1_000_000_000


@dataclass(frozen=True)
class SoloGame:
    """How one game went."""

    agent: int
    total: float
    """The sum of the rewards: in Tetris, lines."""
    score: float
    """The points that people count: in Tetris, those of MaTris; elsewhere the rewards."""
    moves: int
    """Of the player: in Tetris, pieces."""
    capped: bool
    """Whether it was broken off."""
    forfeit: str | None = None
    """Why it ended without the rules: an illegal move, or an agent that failed. It counts with what had been got until then."""


@dataclass
class SoloResult:
    """The games of each agent."""

    names: tuple[str, ...]
    unit: str
    games: list[list[SoloGame]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.games = [[] for _ in self.names]

    def as_json(self) -> dict[str, dict[str, object]]:
        """The object that ``--json`` prints: for each agent what `row` says."""
        return {name: self.row(i) for i, name in enumerate(self.names) if self.games[i]}

    def row(self, agent: int) -> dict[str, object]:
        """Games, their mean and its 95 % interval, the mean of the points and of the moves, and the share of games broken off."""
        played = self.games[agent]
        totals = [game.total for game in played]
        return {
            "games": len(played),
            f"mean_{self.unit}": float(np.mean(totals)),
            "interval": list(bootstrap_interval(totals)),
            "mean_score": float(np.mean([game.score for game in played])),
            "mean_moves": float(np.mean([game.moves for game in played])),
            "capped": sum(game.capped for game in played) / len(played),
            "forfeits": [game.forfeit for game in played if game.forfeit],
        }


OnGame = Callable[[SoloResult, SoloGame], None]


def play_solo(
    game: Game,
    agents: list[AgentSpec],
    games: int,
    seed: int = 0,
    threads: int = 1,
    cap: int = 0,
    on_game: OnGame | None = None,
    result: SoloResult | None = None,
) -> SoloResult:
    """Have every agent play the games of the seeds; `cap` 0: to the end. `result` may be given from outside, to be read early."""
    if game.players() != 1:
        raise SpecError("these are the games of a single player")
    if games < 1 or threads < 1 or cap < 0:
        raise SpecError("there is at least 1 game, 1 thread and a cap of 0 (none) moves or more")
    if len({agent.text for agent in agents}) < len(agents):
        raise SpecError("an agent is named twice: on the same games it would get the same")
    result = result if result is not None else new_result(game, agents)
    own = threading.local()

    def play(number: int) -> tuple[SoloGame, int]:
        if not hasattr(own, "agents"):
            own.agents = [agent.make(game) for agent in agents]
        which = number % len(agents)
        return play_alone(game, own.agents[which], which, seed * 1_000_003 + number // len(agents), cap), which

    for played, which in in_threads(play, games * len(agents), threads):
        result.games[which].append(played)
        if on_game:
            on_game(result, played)
    return result


def new_result(game: Game, agents: list[AgentSpec]) -> SoloResult:
    """A result without games."""
    return SoloResult(
        tuple(agent.text for agent in agents), "lines" if isinstance(_anything(game), Tetris) else "reward"
    )


def play_alone(game: Game, agent: Agent, number: int, seed: int, cap: int) -> SoloGame:
    """One game. Luck is drawn from the seed, the same for every agent that plays as long."""
    luck, position = random_state(seed), Position(game)
    agent.new_game(seed)
    cap = cap or NO_CAP
    if isinstance(agent, LinearAgent):
        made = agent.play_through(position.array, luck, cap)
        total = float(position.array[LINES])
        return _finished(game, position, number, total, made, None)
    made, forfeit, odds = 0, None, np.zeros(game.move_count())
    while not position.is_over:
        try:
            if position.to_move == CHANCE:
                moves = position.legal_moves
                game.chance_odds(position.array, odds)
                position.push(moves[choose(luck, odds, len(moves))])
            elif made == cap:
                break
            else:
                position.play(agent.choose(position))
                made += 1
        except (IllegalMove, AgentFailure) as error:
            forfeit = f"{agent.name}: {error}"
            break
    return _finished(game, position, number, position.returns[0], made, forfeit)


def _finished(game: Game, position: Position, number: int, total: float, made: int, forfeit: str | None) -> SoloGame:
    array, rules = position.array, _anything(game)
    if not isinstance(rules, Tetris):
        return SoloGame(number, total, total, made, not position.is_over and forfeit is None, forfeit)
    by_rule = 0 < rules.pieces <= int(array[PLACED])
    capped = by_rule or (not position.is_over and forfeit is None)
    return SoloGame(number, total, float(array[SCORE]), made, capped, forfeit)


def _anything(game: Game) -> object:
    """The game, for a look at what it is."""
    return game
