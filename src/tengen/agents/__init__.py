"""Everything that chooses a move. `catalog` reads ``uct,simulations=1000``."""

from tengen.agents.base import Agent, HumanAgent, RandomAgent
from tengen.agents.catalog import AGENTS, AgentSpec, parse_agent
from tengen.agents.searching import SearchAgent

__all__ = ["AGENTS", "Agent", "AgentSpec", "HumanAgent", "RandomAgent", "SearchAgent", "parse_agent"]
