"""From a text to an agent: ``name[,option=value…][:target]``, as in ``uct,simulations=1000,c=0.7``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tengen.agents.base import Agent, HumanAgent, RandomAgent
from tengen.agents.classic.joined import THREAT_NODES, JoinedAgent, joined_settings
from tengen.agents.classic.players import SECONDS as CLASSIC_SECONDS
from tengen.agents.classic.players import AlphaBetaAgent, ClassicAgent, check_limits, check_seconds
from tengen.agents.gomocup import SECONDS as GOMOCUP_SECONDS
from tengen.agents.gomocup import GomocupAgent
from tengen.agents.htp import SECONDS as HTP_SECONDS
from tengen.agents.htp import HtpAgent
from tengen.agents.lingz import SECONDS, LingzAgent, program_file
from tengen.agents.searching import SearchAgent
from tengen.agents.targets import find_network
from tengen.agents.tetris import LinearAgent
from tengen.agents.zero import DEFAULTS as ZERO_DEFAULTS
from tengen.agents.zero import ONE_LOOK, TAUGHT_FOR_ONE, check_symmetry, zero_agent, zero_settings
from tengen.errors import SpecError
from tengen.games.verbs import Game
from tengen.protocols.child import split_command
from tengen.search import SearchSettings
from tengen.search.settings import setting_kinds
from tengen.specs import did_you_mean, read_options, split_options

Maker = Callable[[Game], Agent]

FLAT_SIMULATIONS = 100
"""What `flat` and `hmcts` give each move, unless told otherwise."""


@dataclass(frozen=True)
class Entry:
    """A kind of agent."""

    about: str
    read: Callable[[str, dict[str, Any], str], Maker]
    """From the spec's text, its options and its target to a function that makes the agent; checks the options at once."""
    options: dict[str, type] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Of options, where they are not those of the search's settings."""
    target: str = ""
    """What stands behind the colon, where something must."""
    is_foreign: bool = False
    """Whether it is another program, whose `time` is what it is waited for."""


@dataclass(frozen=True)
class AgentSpec:
    """An agent that can be made, for any game."""

    text: str
    make: Maker
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those that the text gives a value."""


def _random(text: str, options: dict[str, Any], target: str) -> Maker:
    return lambda game: RandomAgent(game, text)


def _human(text: str, options: dict[str, Any], target: str) -> Maker:
    return lambda game: HumanAgent(game, text)


def _net(text: str, options: dict[str, Any], target: str) -> Maker:
    file = find_network(target)

    def make(game: Game) -> Agent:
        from tengen.agents.network import NetAgent  # ONNX Runtime is loaded when a network plays

        return NetAgent(game, file, options.get("move", "greedy"), options.get("epsilon", 0.1), text)

    return make


def _baseline(method: str) -> Callable[[str, dict[str, Any], str], Maker]:
    def read(text: str, options: dict[str, Any], target: str) -> Maker:
        file = find_network(target)

        def make(game: Game) -> Agent:
            from tengen.agents.baselines import baseline_agent  # ONNX Runtime is loaded when a network plays

            return baseline_agent(game, method, file, text)

        return make

    return read


def _zero(text: str, options: dict[str, Any], target: str) -> Maker:
    symmetry = check_symmetry(options.get("symmetry", ONE_LOOK))
    options = {name: value for name, value in options.items() if name != "symmetry"}
    zero_settings(options)  # refused at once where they cannot be
    file = find_network(target)
    return lambda game: zero_agent(game, options, file, text, symmetry)


def _joined(text: str, options: dict[str, Any], target: str) -> Maker:
    nodes = options.get("threat_nodes", THREAT_NODES)
    settings, file = joined_settings({k: v for k, v in options.items() if k != "threat_nodes"}), find_network(target)
    return lambda game: JoinedAgent(game, settings, nodes, file, text)


def _lingz(text: str, options: dict[str, Any], target: str) -> Maker:
    file = program_file(target)
    return lambda game: LingzAgent(game, file, options.get("time", SECONDS), text)


def _htp(text: str, options: dict[str, Any], target: str) -> Maker:
    command = split_command(target)
    setup = [line.strip() for line in options.get("setup", "").split(";") if line.strip()]
    return lambda game: HtpAgent(game, command, options.get("time", HTP_SECONDS), setup, text)


def _gomocup(text: str, options: dict[str, Any], target: str) -> Maker:
    command = split_command(target)
    return lambda game: GomocupAgent(game, command, options.get("time", GOMOCUP_SECONDS), text)


def _alphabeta(text: str, options: dict[str, Any], target: str) -> Maker:
    seconds = options.get("time", 0.0 if "depth" in options else CLASSIC_SECONDS)  # a depth alone is the only limit
    depth = options.get("depth", 0)
    check_limits(seconds, depth)
    return lambda game: AlphaBetaAgent(game, seconds, depth, text)


def _classic(text: str, options: dict[str, Any], target: str) -> Maker:
    seconds = options.get("time", CLASSIC_SECONDS)
    check_seconds(seconds)
    return lambda game: ClassicAgent(game, seconds, text)


def _linear(player: str) -> Callable[[str, dict[str, Any], str], Maker]:
    return lambda text, options, target: lambda game: LinearAgent(game, player, text)


def _search_by(
    selection: str, defaults: Mapping[str, Any] = MappingProxyType({})
) -> Callable[[str, dict[str, Any], str], Maker]:
    def read(text: str, options: dict[str, Any], target: str) -> Maker:
        if "time" in options and "simulations" not in options:
            options = {**options, "simulations": 0}  # a time alone is the only limit
        settings = SearchSettings(selection=selection, **{**defaults, **options})
        if settings.asks:
            raise SpecError("rollouts=network needs a network: zero,rollouts=network:NETWORK")
        return lambda game: SearchAgent(game, settings, text)

    return read


_NET_OPTIONS: dict[str, type] = {"move": str, "epsilon": float}
_NEEDS_A_NETWORK = ("evaluation", "mix", "sigma", "rollout_choice", "rollout_epsilon", *TAUGHT_FOR_ONE)
_SEARCH_OPTIONS = {k: v for k, v in setting_kinds().items() if k not in ("selection", *_NEEDS_A_NETWORK)}
_JOINED_OPTIONS = {
    k: v for k, v in setting_kinds().items() if k not in ("solver", "candidates", "most_likely", *TAUGHT_FOR_ONE)
}
_FLAT_DEFAULTS = {"simulations": FLAT_SIMULATIONS}
_HMCTS_DEFAULTS = {"simulations": FLAT_SIMULATIONS, "rollouts": "knowledge", "candidates": "likely"}

# fmt: off
AGENTS = {
    "random": Entry("any legal move", _random),
    "human": Entry("you, at the keyboard", _human),
    "uct": Entry("tree search, Q + c·sqrt(log N / (1+n)), random rollouts", _search_by("uct"), _SEARCH_OPTIONS),
    "ucb1": Entry("tree search that tries each move once, then UCB1", _search_by("ucb1"), _SEARCH_OPTIONS),
    "rave": Entry("tree search by MC-RAVE: judges a move by all games in which it is made", _search_by("rave"), _SEARCH_OPTIONS),
    "gumbel": Entry(
        "tree search by sequential halving and an improved policy, for few simulations", _search_by("gumbel"), _SEARCH_OPTIONS
    ),
    "puct": Entry("tree search, Q + c·P·sqrt(N) / (1+n), equal priors", _search_by("puct"), _SEARCH_OPTIONS),
    "flat": Entry(
        "`simulations` random games for each legal move, no tree", _search_by("flat", _FLAT_DEFAULTS), _SEARCH_OPTIONS,
        _FLAT_DEFAULTS,
    ),
    "hmcts": Entry(
        "gomoku, or a game that knows urgent and likely moves: `simulations` games by that knowledge for each likely move, "
        "no tree; the best mean wins", _search_by("flat", _HMCTS_DEFAULTS), _SEARCH_OPTIONS, _HMCTS_DEFAULTS,
    ),
    "alphabeta": Entry(
        "gomoku: alpha-beta by the report's score table; `time`: seconds a move; `depth`: moves ahead", _alphabeta,
        {"time": float, "depth": int}, {"time": CLASSIC_SECONDS, "depth": 0},
    ),
    "classic": Entry(
        "gomoku: the strongest without a network: threat search and alpha-beta; `time`: seconds a move", _classic,
        {"time": float}, {"time": CLASSIC_SECONDS},
    ),
    "greedy": Entry("tetris: low, even, without holes: four features (Lee)", _linear("greedy")),
    "dellacherie": Entry("tetris: the best placement by Dellacherie's six features", _linear("dellacherie")),
    "bcts": Entry("tetris: the best placement by eight features with learnt weights (Thiery and Scherrer)", _linear("bcts")),
    "net": Entry(
        "a network alone, no search; move=greedy, epsilon or sample", _net, _NET_OPTIONS, {"move": "greedy", "epsilon": 0.1},
        "NETWORK",
    ),
    "dqn": Entry("a network that learned by Q-learning: the preset tetris-dqn; no search", _baseline("dqn"), target="NETWORK"),
    "ac": Entry("an actor-critic that learned as in the preset tetris-ac, no search", _baseline("ac"), target="NETWORK"),
    "zero": Entry(
        "tree search with a network's policy and value, as AlphaZero plays; symmetry=random or mean: the network is asked about "
        "a mirror image of each position, or about all of them", _zero, {**setting_kinds(), "symmetry": str},
        {**ZERO_DEFAULTS, "symmetry": ONE_LOOK}, "NETWORK",
    ),
    "joined": Entry(
        "gomoku: `zero` and threat search: positions of the tree are searched for wins by fours and threes; `threat_nodes`: how "
        "far, for each of their visits", _joined, {**_JOINED_OPTIONS, "threat_nodes": int},
        {**ZERO_DEFAULTS, "threat_nodes": THREAT_NODES}, "NETWORK",
    ),
    "lingz": Entry(
        "gomoku: your clone of github lingz/gomokuai; `time`: seconds after which a move is lost", _lingz, {"time": float},
        {"time": SECONDS}, "FOLDER", is_foreign=True,
    ),
    "htp": Entry(
        "hex: a program that speaks HTP, such as MoHex; `time`: seconds after which a move is lost; `setup`: commands it is "
        "sent first, with ; between", _htp, {"time": float, "setup": str}, {"time": HTP_SECONDS, "setup": ""}, "COMMAND",
        is_foreign=True,
    ),
    "gomocup": Entry(
        "gomoku: a program that speaks Gomocup's protocol (Piskvork's); `time`: seconds that it is given for a move", _gomocup,
        {"time": float}, {"time": GOMOCUP_SECONDS}, "COMMAND", is_foreign=True,
    ),
}
# fmt: on


def parse_agent(text: str, limits: Mapping[str, Any] | None = None) -> AgentSpec:
    """The agent that a text names; SpecError with one clear sentence when it names none.

    `limits` are options that hold instead of the text's own, for an agent that thinks here and has such options.
    """
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
    held = {} if entry.is_foreign else {key: value for key, value in (limits or {}).items() if key in entry.options}
    try:
        return AgentSpec(text, entry.read(text, {**values, **held}, target), values)
    except SpecError as error:
        raise SpecError(f"{text}: {error}") from None
