"""A level that adapts to the player: after a game that it wins it is weaker, after one that it loses stronger."""

from __future__ import annotations

import re

from tengen.agents import parse_agent
from tengen.agents.levels import MEMORY
from tengen.errors import SpecError
from tengen.games import Game
from tengen.web.table import Seat

NAME = "adaptive"
START = 8.0
"""Simulations for each cell of the board, in the first game: a little less than `easy`."""

WEAKEST, STRONGEST = 0.5, 2000.0
STEP = 1.8
"""What a game that was won or lost makes of it: some four games lie between two levels."""

_SPEC = re.compile(rf"{NAME}(?:,(\d{{1,4}}(?:\.\d{{1,2}})?))?", re.ASCII)


def is_adaptive(text: str) -> bool:
    """Whether a seat's text means this level."""
    return text.partition(",")[0] == NAME


def adaptive_seat(text: str, game: Game) -> Seat:
    """The seat for ``adaptive`` or ``adaptive,12``, its strength."""
    found = _SPEC.fullmatch(text)
    if found is None:
        raise SpecError(f"write {NAME} or {NAME},{START:g}: its simulations for each cell")
    strength = min(STRONGEST, max(WEAKEST, float(found[1]))) if found[1] else START
    spec = parse_agent(f"uct,simulations={max(2, round(strength * game.move_count()))},memory={MEMORY}")

    def after(score: float) -> Seat:
        return adaptive_seat(f"{NAME},{min(STRONGEST, max(WEAKEST, strength * STEP ** (1 - 2 * score))):.2f}", game)

    return Seat(f"{NAME},{strength:g}", spec, after=after)
