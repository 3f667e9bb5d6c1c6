"""Any agent as a client of the Online Hex Tournament."""

from __future__ import annotations

from typing import Any

from tengen.agents.base import Agent
from tengen.agents.catalog import AgentSpec
from tengen.errors import TengenError
from tengen.games.hex import Hex
from tengen.games.position import Position
from tengen.games.verbs import Game
from tengen.protocols.oht import BasicClientActor, TournamentError


class AgentActor(BasicClientActor):
    """Lets an agent answer. Between two moves the game goes on, so that a search keeps its tree."""

    def __init__(self, spec: AgentSpec, seed: int = 0, **options: Any) -> None:
        super().__init__(**options)
        self._spec, self._seed = spec, seed
        self._agent: Agent | None = None
        self._position: Position | None = None
        self.games = self.wins = 0
        self.series: list[tuple[int, int]] = []
        """Wins and losses of each series that has ended."""

    def handle_series_start(
        self,
        unique_player_id: int,
        series_id: int,
        player_id_map: list[tuple[int, int]],
        num_games: int,
        game_params: list[int],
    ) -> None:
        super().handle_series_start(unique_player_id, series_id, player_id_map, num_games, game_params)
        rules = Hex(size=self.size)
        try:
            rules.check()
        except ValueError as error:
            raise TournamentError(f"the server's board cannot be played on: {error}") from None
        game: Game = rules  # type: ignore[assignment]
        if self._agent is None or self._agent.game != game:
            self._agent = self._spec.make(game)

    def handle_game_start(self, series_id: int) -> None:
        super().handle_game_start(series_id)
        self._position = None
        if self._agent is None:
            raise TournamentError("the server starts a game before any series has started")
        self._agent.new_game(self._seed + self.games)

    def handle_game_over(self, winner_series_id: int, final_state: tuple[int, ...]) -> None:
        super().handle_game_over(winner_series_id, final_state)
        self.games += 1
        self.wins += winner_series_id == self.series_id

    def handle_series_over(self, stats: list[tuple[int, int, int, int]]) -> None:
        super().handle_series_over(stats)
        self.series += [(row[2], row[3]) for row in stats if row[1] == self.series_id]

    def handle_get_action(self, state: tuple[int, ...]) -> tuple[int, int]:
        if self._agent is None:
            raise TournamentError("the server asks for a move before any series has started")
        position = self._position = self._follow(state)
        move = self._agent.choose(position)
        position.play(move)
        return move // self.size, move % self.size

    def _follow(self, state: tuple[int, ...]) -> Position:
        """The position of a state: our last one and the opponent's stone, or one that is set up."""
        assert self._agent is not None
        cells, mover = list(state[1:]), state[0] - 1
        known = self._position
        if known is not None and not known.is_over and len(cells) == len(known.cells()):
            new = [i for i, (old, now) in enumerate(zip(known.cells().tolist(), cells)) if old != now]
            if len(new) == 1 and cells[new[0]] == known.to_move + 1 and mover != known.to_move:
                return known.play(new[0])
        try:
            return Position.from_cells(self._agent.game, cells, mover)
        except TengenError:
            raise TournamentError(f"the server's state {state} is no position on this board") from None
