"""Plays games between agents on a machine elsewhere. Ray makes an actor of it."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tengen.agents import parse_agent
from tengen.agents.base import Agent
from tengen.agents.catalog import AGENTS
from tengen.arena.match import Fixture, play_fixture
from tengen.cluster.parcels import note, read_note
from tengen.cluster.player import Fetch, fetch_by_ray, one_at_a_time, who_am_i
from tengen.errors import AgentFailure
from tengen.games import Game, parse_game
from tengen.games.position import Position
from tengen.games.verbs import CHANCE


class Referee:
    """Plays games of a tournament."""

    def __init__(self, order: bytes, fetch: Fetch | None = None) -> None:
        self._order, self._fetch = order, fetch or fetch_by_ray
        self._pair: list[str] = []
        self._agents: tuple[Agent, Agent] | None = None
        self._names: dict[str, str] = {}
        """What agents are called here and at home, where that is not the same."""
        self._met: set[str] = set()

    def hello(self) -> bytes:
        """Get ready."""
        self._game: Game = parse_game(read_note(self._order)["game"])
        return who_am_i(self._game)

    def play(self, question: bytes, networks: Sequence[Any]) -> bytes:
        """Play some games of a pair. `networks`: those of the agents that have one, to be fetched."""
        said, began = read_note(question), time.monotonic()
        pair = [str(text) for text in said["pair"]]
        if self._agents is None or pair != self._pair:
            first, second = (self._make(text, said["networks"][i], networks) for i, text in enumerate(pair))
            self._pair, self._agents = pair, (first, second)
        games = []
        for number, seed, side, opening in said["games"]:
            played = play_fixture(self._game, self._agents, Fixture(seed, side, tuple(opening)))
            games.append([number, played.moves, played.winner, played.returns, self._as_at_home(played.forfeit)])
        return note(games=games, seconds=time.monotonic() - began)

    def _make(self, text: str, network: int | None, networks: Sequence[Any]) -> Agent:
        if network is None:
            agent = parse_agent(text).make(self._game)
        else:
            with tempfile.TemporaryDirectory(prefix="tengen-") as folder:  # an agent has read its file when it is made
                file = Path(folder) / "network.onnx"
                file.write_bytes(self._fetch(networks[network]))
                here = f"{text.partition(':')[0]}:{file}"
                self._names[here] = text
                agent = parse_agent(here).make(self._game)
        if text not in self._met and not AGENTS[text.partition(":")[0].partition(",")[0]].is_foreign:
            self._met.add(text)
            self._warm(agent)
        return agent

    def _warm(self, agent: Agent) -> None:
        """Have it compile what it needs, one process of this machine after the other."""
        position = Position(self._game)
        if position.is_over or position.to_move == CHANCE:
            return
        with one_at_a_time():
            agent.stop = lambda: True
            agent.new_game(0)
            with contextlib.suppress(AgentFailure):  # it will lose its games
                agent.choose(position)
            agent.stop = None

    def _as_at_home(self, forfeit: str | None) -> str | None:
        for here, text in self._names.items():
            forfeit = forfeit.replace(here, text) if forfeit else forfeit
        return forfeit
