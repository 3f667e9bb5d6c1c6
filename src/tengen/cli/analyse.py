"""``tengen analyse``."""

from __future__ import annotations

import sys
from collections import OrderedDict
from dataclasses import dataclass

from tengen.agents import Agent, parse_agent
from tengen.agents.engine import analysis_of
from tengen.errors import TengenError
from tengen.games import CHANCE, parse_game
from tengen.protocols.queries import Query, QueryError, position_at, read_query, write_answer, write_error

KEPT = 4
"""Agents that are kept for the next query: one for each game and number of visits."""


@dataclass(frozen=True)
class Analyse:
    """Analysis for other programs: a query in JSON on each line that comes in, an answer on each line that goes out.

    The queries and answers are in the manner of KataGo's analysis engine; docs/page.md describes them. It ends with its input.

    Example: tengen analyse --game hex:7 --agent zero:hex-7   (then {"id": "1", "moves": ["d4"], "maxVisits": 800} and so on)
    """

    agent: str = "uct,simulations=1000"
    """Who analyses: an agent that searches."""
    game: str = ""
    """The game of queries that name none."""
    seed: int = 0
    """Decides everything random."""

    def run(self) -> None:
        """Answer until the input ends."""
        parse_agent(self.agent)  # what is wrong with it is said at once
        if self.game:
            parse_game(self.game)
        agents: OrderedDict[tuple[str, int | None], Agent] = OrderedDict()
        for line in sys.stdin:
            if not line.strip():
                continue
            try:
                query = read_query(line)
            except QueryError as error:
                _say(write_error(str(error), error.id))
                continue
            try:
                for turn in query.turns:
                    _say(self._answer(query, turn, agents))
            except TengenError as error:
                _say(write_error(str(error), query.id))

    def _answer(self, query: Query, turn: int, agents: OrderedDict[tuple[str, int | None], Agent]) -> str:
        text = query.game or self.game
        if not text:
            raise TengenError("the query names no game, and the command line has named none: --game hex:7")
        game = parse_game(text)
        position = position_at(query, game, turn)
        if position.is_over or position.to_move == CHANCE:
            raise TengenError(f"after {turn} moves there is nobody to move")
        if game.players() != 2 or not game.is_bounded():
            raise TengenError("win rates are for games of two players that are won or lost")
        key = (text, query.visits)
        agent = agents.pop(key, None)
        if agent is None:
            limits = {} if query.visits is None else {"simulations": query.visits}
            agent = parse_agent(self.agent, limits).make(game)
        agents[key] = agent
        if len(agents) > KEPT:
            agents.popitem(last=False)
        agent.new_game(self.seed)  # so that an answer does not depend on the queries before it
        agent.watch = lambda result: None  # or it would not keep what is expected after each move
        agent.choose(position)
        if agent.thoughts is None:
            raise TengenError(f"{self.agent} does not say what it thinks: choose an agent that searches")
        return write_answer(query, turn, position, analysis_of(agent.thoughts), agent.thoughts.lines)


def _say(line: str) -> None:
    print(line, flush=True)
