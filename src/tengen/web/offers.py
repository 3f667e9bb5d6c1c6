"""What a page may name: games, levels, agents, networks. Nothing that a browser sends becomes a path.

Networks are offered by name and looked up in a list that is made here; agents that take a file, and games from a file, can
only be named by whoever started the server.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tengen
from tengen.agents import AGENTS, Agent, AgentSpec, parse_agent
from tengen.agents.levels import LEVELS, MEMORY, parse_opponent
from tengen.errors import SpecError, TengenError
from tengen.games import Game, Gomoku, Hex, game_spec, parse_game
from tengen.games.catalog import GAMES
from tengen.games.gomoku_patterns import LONGEST, SHORTEST
from tengen.runs.directory import list_runs
from tengen.specs import split_options
from tengen.web.adapting import adaptive_seat, is_adaptive
from tengen.web.table import PERSON, Seat

MODELS = Path(tengen.__file__).parent / "models"

LONGEST_THOUGHT = 60.0
"""Seconds that an agent named in a browser may take for a move."""

MOST_SIMULATIONS = 10_000_000

WITH_SEARCH = ", with search"
SIMULATIONS_WITH_NETWORK = 400

ENOUGH_GAMES = 1000
"""A network that has learned from fewer says less of a position than a plain search."""

LARGE = 7
"""A board of Gomoku on which random games alone say too little."""

ANALYST_SECONDS = 3600
"""More than any analysis takes: it is stopped before."""

DEFAULT_LEVEL = "medium"


def title(game: Game) -> str:
    """What people call a game."""
    if isinstance(game, Gomoku):
        row = "" if game.line == 5 and not game.exact else f", {'exactly ' if game.exact else ''}{game.line} in a row"
        return f"Gomoku {game.size}×{game.size}{row}"
    if isinstance(game, Hex):
        return f"Hex {game.size}×{game.size}" + (" with swap" if game.swap else "")
    return game_spec(game).rpartition("/")[2]


class Offers:
    """What there is to choose from. `given` are games and agents from the command line: those may name files."""

    def __init__(self, games: Sequence[str] = (), agents: Sequence[str] = ()) -> None:
        self._games = {text: parse_game(text) for text in games}
        self._agents = {text: parse_agent(text) for text in agents if text not in ("human", *LEVELS)}

    def as_json(self) -> dict[str, Any]:
        """The lists that the page's form shows."""
        return {
            "games": [
                *({"spec": text, "title": title(game)} for text, game in self._games.items() if _is_special(game)),
                *(
                    {"spec": name, "title": entry.about}
                    for name, entry in GAMES.items()
                    if name not in ("gomoku", "hex")
                ),
            ],
            "levels": [{"name": level.name, "about": level.about} for level in LEVELS.values()],
            "level": DEFAULT_LEVEL,
            "agents": list(self._agents),
            "networks": {key: game for key, (game, _) in self._networks().items()},
        }

    def game(self, text: str) -> Game:
        """A game that a browser names."""
        if text in self._games:
            return self._games[text]
        if not text.isprintable() or text.partition(":")[0].strip() not in GAMES or ".py" in text:
            raise SpecError(f"there is no game called {text!r}")
        return parse_game(text)

    def seat(self, text: str, game: Game) -> Seat:
        """Who plays: human, a level, a network of the list, an agent of the command line, or a spec without a file."""
        if text == "human":
            return PERSON
        if is_adaptive(text):
            return adaptive_seat(text, game)
        if text in LEVELS:
            return Seat(text, parse_opponent(text, game))
        if text in self._agents:
            return Seat(text, self._agents[text])
        networks, name = self._networks(), text.removesuffix(WITH_SEARCH)
        if name in networks:
            file = networks[name][1]
            return Seat(text, parse_agent(f"net:{file}") if name == text else _search_with(file))
        return Seat(text, self._free_spec(text), longest=LONGEST_THOUGHT)

    def seats(self, texts: Sequence[str], game: Game) -> list[Seat]:
        """The seats of a game."""
        wanted = game.players()
        if wanted == 1 and len(texts) == 2:
            texts = texts[:1]  # a page cannot know that somebody's own game is for one
        if len(texts) != wanted:
            raise SpecError(f"this game has {wanted} seats, not {len(texts)}")
        return [self.seat(text, game) for text in texts]

    def analysts(self, game: Game) -> list[str]:
        """Who can analyse a game, the best first: networks with a search, the longest trained first; then plain searches; then
        networks that have hardly learned anything yet."""
        fitting = [(int(file.stem), name) for name, (spec, file) in self._networks().items() if _is_same(spec, game)]
        fitting.sort(key=lambda one: one[0], reverse=True)
        plain, rules = ["uct"], game
        if isinstance(rules, Hex):
            plain = ["rave", "uct"]
        elif isinstance(rules, Gomoku) and rules.size >= LARGE and SHORTEST <= rules.line <= LONGEST:
            plain = ["uct,rollouts=knowledge", "uct"]
        trained = [name + WITH_SEARCH for games, name in fitting if games >= ENOUGH_GAMES]
        beginners = [name + WITH_SEARCH for games, name in fitting if games < ENOUGH_GAMES]
        return [*trained, *plain, *beginners]

    def analyst(self, text: str, game: Game) -> tuple[str, AgentSpec]:
        """Somebody of that list, the first where none is named; searches until it is stopped."""
        known = self.analysts(game)
        name = text or known[0]
        if name not in known:
            raise SpecError(f"there is nobody called {text[:60]!r} to analyse this game")
        limits = f"time={ANALYST_SECONDS},memory={MEMORY}"
        if name.endswith(WITH_SEARCH):
            return name, _search_with(self._networks()[name.removesuffix(WITH_SEARCH)][1], limits)
        return name, parse_agent(f"{name},{limits}")

    def _free_spec(self, text: str) -> AgentSpec:
        name, _, options = text.partition(",")
        if name not in AGENTS or AGENTS[name].target or ":" in text or not text.isprintable() or name == "human":
            raise SpecError(f"there is no agent called {text[:60]!r} here")
        spec = parse_agent(text)  # refuses what makes no sense
        given = split_options(options, text)
        for option, most in (("memory", 2 * MEMORY), ("time", LONGEST_THOUGHT), ("simulations", MOST_SIMULATIONS)):
            if option in given and float(given[option]) > most:
                raise SpecError(f"{option} is at most {most:g} in the page; start the server with that agent instead")
        if "memory" in AGENTS[name].options and "memory" not in given:
            spec = AgentSpec(text, parse_agent(f"{text},memory={MEMORY}").make)
        return spec

    def _networks(self) -> dict[str, tuple[str, Path]]:
        """Name → game and file: those that ship, and those of the runs."""
        found: dict[str, tuple[str, Path]] = {}
        for folder in sorted(MODELS.glob("*")):
            match = re.fullmatch(r"([a-z]+)-(\d+)", folder.name)
            for file in sorted(folder.glob("[0-9]*.onnx")) if match else ():
                found[f"network {folder.name}, {int(file.stem)} games"] = (f"{match[1]}:{match[2]}", file)  # type: ignore[index]
        for run in list_runs():
            try:
                game = str(run.read_config()["game"])
            except TengenError:
                continue
            for file in run.net_files():
                found[f"run {run.name}, {int(file.stem)} games"] = (game, file)
        return found


def _search_with(file: Path, options: str = f"simulations={SIMULATIONS_WITH_NETWORK},memory={MEMORY}") -> AgentSpec:
    """A search guided by a network: by its value where it has learned one, else by games that it plays against itself."""
    by_value = parse_agent(f"zero,{options}:{file}")
    by_rollouts = parse_agent(f"zero,evaluation=rollout,rollouts=network,{options}:{file}")

    def make(game: Game) -> Agent:
        try:
            return by_value.make(game)
        except SpecError:
            return by_rollouts.make(game)

    return AgentSpec(by_value.text, make)


def _is_same(spec: str, game: Game) -> bool:
    """Whether a network for a game can look at another: who begins, and whether one may swap, are no matter of the board."""
    try:
        known: object = parse_game(spec)
    except TengenError:
        return False
    if isinstance(known, Hex) and isinstance(game, Hex):
        return known._replace(first=game.first) == game
    return type(known) is type(game) and known == game


def _is_special(game: Game) -> bool:
    return type(game) not in {entry.rules for entry in GAMES.values()}
