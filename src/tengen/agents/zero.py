"""Search guided by a network, as AlphaZero plays: `SearchAgent` with a network to ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tengen.agents.searching import SearchAgent
from tengen.errors import SpecError
from tengen.games.verbs import Game
from tengen.search import Evaluator, SearchSettings
from tengen.search.settings import WHAT_VALUES_MEAN

DEFAULTS: Mapping[str, Any] = {
    "selection": "puct", "evaluation": "network", "simulations": 400, "c": 1.5, "first_play": "parent",
    "first_play_value": -0.2,
}  # fmt: skip
"""What `zero` does unless told otherwise."""

TAUGHT_FOR_ONE = tuple(name for name in WHAT_VALUES_MEAN if name != "discount")
"""Options that only a network can use; its file says those that it was trained with, and they hold unless told otherwise."""

BATCH = 8
"""How many leaves it asks about at once, unless told otherwise, if these are at most a fiftieth of the simulations."""


ONE_LOOK = "off"
SYMMETRIES = (ONE_LOOK, "random", "mean")
"""Whether the network is asked about a position as it is, about a mirror image of it, or about all of them."""


def check_symmetry(how: str) -> str:
    """`how`, or SpecError where it is no way of asking."""
    if how not in SYMMETRIES:
        raise SpecError(f"symmetry is one of {', '.join(SYMMETRIES)}, not {how!r}")
    return how


def zero_settings(options: Mapping[str, Any]) -> SearchSettings:
    """The settings of a search that asks a network; defaults that would not fit the options given fall away."""
    values = {**DEFAULTS, **options}
    if values["selection"] != "puct":
        if values["selection"] == "flat":
            raise SpecError("selection=flat has no tree that a network could guide: choose puct, uct or ucb1")
        for name in ("c", "first_play", "first_play_value"):  # made for puct
            if name not in options:
                del values[name]
    if options.get("first_play") == "fixed" and "first_play_value" not in options:
        del values["first_play_value"]
    if "time" in options and "simulations" not in options:
        values["simulations"] = 0  # a time alone is the only limit
    settings = SearchSettings(**values)
    if not settings.asks:
        raise SpecError("evaluation=rollout asks no network: add rollouts=network")
    if "batch" not in options and not settings.wanted_verbs:
        settings = replace(settings, batch=max(1, min(BATCH, (settings.simulations or BATCH * 50) // 50)))
    return settings


def needs_value(settings: SearchSettings) -> bool:
    """Whether the search reads the network's value, not only its policy."""
    kernel = settings.for_kernel()
    return kernel.sigma < 1 or kernel.rollout_share < 1


def taught_with(evaluator: Evaluator) -> dict[str, Any]:
    """The settings that a network was trained with, of those that its values depend on, where they are not the usual ones."""
    about = getattr(evaluator, "about", None)
    said = about.more.get("search", {}) if about is not None else {}
    return {name: said[name] for name in WHAT_VALUES_MEAN if name in said}


def network_for(game: Game, settings: SearchSettings, file: Path, name: str, symmetry: str = ONE_LOOK) -> Evaluator:
    """A network that knows what the search wants to know; SpecError in one sentence where it does not.

    `symmetry`: see `evaluators.turned`.
    """
    from tengen.evaluators.onnx import OnnxEvaluator  # ONNX Runtime is loaded when a network plays

    evaluator = OnnxEvaluator(file, game)
    if needs_value(settings) and not evaluator.about.settings.get("critic", True):
        raise SpecError(
            f"{name}: {file.name} has no critic to say what a position is worth; this works: "
            "zero,evaluation=rollout,rollouts=network:…, or net:… without search"
        )
    if symmetry == ONE_LOOK:
        return evaluator
    from tengen.evaluators.turned import TurnedEvaluator

    try:
        return TurnedEvaluator(evaluator, symmetry)
    except SpecError as error:
        raise SpecError(f"{name}: {error}") from None


def zero_agent(game: Game, options: Mapping[str, Any], file: Path, name: str, symmetry: str = ONE_LOOK) -> SearchAgent:
    """The agent, with a network of its own, and the settings that this was trained with."""
    evaluator = network_for(game, zero_settings(options), file, name, symmetry)
    taught = taught_with(evaluator) if options.get("evaluation", "network") == "network" else {}
    return SearchAgent(game, zero_settings({**taught, **options}), name, evaluator)
