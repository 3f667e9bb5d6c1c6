"""From a text to an agent: ``name[,option=value…][:target]``, as in ``uct,simulations=1000,c=0.7``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tengen.agents.base import Agent, HumanAgent, RandomAgent
from tengen.agents.searching import SearchAgent
from tengen.errors import SpecError
from tengen.games.verbs import Game
from tengen.search import SearchSettings
from tengen.search.settings import setting_kinds
from tengen.specs import did_you_mean, read_options, split_options

Maker = Callable[[Game], Agent]

FLAT_SIMULATIONS = 100
"""What `flat` gives each legal move, unless told otherwise."""


@dataclass(frozen=True)
class Entry:
    """A kind of agent."""

    about: str
    read: Callable[[str, dict[str, Any], str], Maker]
    """From the spec's text, its options and its target to a function that makes the agent; checks the options at once."""
    options: dict[str, type] = field(default_factory=dict)
    target: str = ""
    """What stands behind the colon, where something must."""


@dataclass(frozen=True)
class AgentSpec:
    """An agent that can be made, for any game."""

    text: str
    make: Maker


def _random(text: str, options: dict[str, Any], target: str) -> Maker:
    return lambda game: RandomAgent(game, text)


def _human(text: str, options: dict[str, Any], target: str) -> Maker:
    return lambda game: HumanAgent(game, text)


def _net(text: str, options: dict[str, Any], target: str) -> Maker:
    def make(game: Game) -> Agent:
        from tengen.agents.network import NetAgent  # ONNX Runtime is loaded when a network plays

        return NetAgent(game, Path(target), options.get("move", "greedy"), options.get("epsilon", 0.1), text)

    return make


def _search_by(selection: str) -> Callable[[str, dict[str, Any], str], Maker]:
    def read(text: str, options: dict[str, Any], target: str) -> Maker:
        if "time" in options and "simulations" not in options:
            options = {**options, "simulations": 0}  # a time alone is the only limit
        if selection == "flat":
            options = {"simulations": FLAT_SIMULATIONS, **options}
        settings = SearchSettings(selection=selection, **options)
        return lambda game: SearchAgent(game, settings, text)

    return read


_NET_OPTIONS: dict[str, type] = {"move": str, "epsilon": float}
_NEEDS_A_NETWORK = ("evaluation", "mix", "sigma", "rollouts", "rollout_choice", "rollout_epsilon")
_SEARCH_OPTIONS = {k: v for k, v in setting_kinds().items() if k not in ("selection", *_NEEDS_A_NETWORK)}

AGENTS = {
    "random": Entry("any legal move", _random),
    "human": Entry("you, at the keyboard", _human),
    "uct": Entry("tree search, Q + c·sqrt(log N / (1+n)), random rollouts", _search_by("uct"), _SEARCH_OPTIONS),
    "ucb1": Entry("tree search that tries each move once, then UCB1", _search_by("ucb1"), _SEARCH_OPTIONS),
    "puct": Entry("tree search, Q + c·P·sqrt(N) / (1+n), equal priors", _search_by("puct"), _SEARCH_OPTIONS),
    "net": Entry("a network alone, no search; move=greedy, epsilon or sample", _net, _NET_OPTIONS, "FILE"),
    "flat": Entry("`simulations` random games for each legal move, no tree", _search_by("flat"), _SEARCH_OPTIONS),
}


def parse_agent(text: str) -> AgentSpec:
    """The agent that a text names; SpecError with one clear sentence when it names none."""
    text = text.strip()
    head, colon, target = text.partition(":")
    name, _, options = head.partition(",")
    if name not in AGENTS:
        raise SpecError(f"there is no agent called {name!r}{did_you_mean(name, AGENTS)}")
    entry = AGENTS[name]
    if colon and not entry.target:
        raise SpecError(f"{name} takes no target: leave out {':' + target!r}")
    if entry.target and not target:
        raise SpecError(f"{name} needs a target: write {name}:{entry.target}")
    values = read_options(split_options(options, text), entry.options, name)
    try:
        return AgentSpec(text, entry.read(text, values, target))
    except SpecError as error:
        raise SpecError(f"{text}: {error}") from None
