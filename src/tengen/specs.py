"""The grammar of specifications: ``name[,option=value…][:target]`` for agents, ``name[:size][,option…]`` for games."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from tengen.errors import SpecError


def split_options(text: str, what: str) -> dict[str, str]:
    """``"a=1,b"`` → ``{"a": "1", "b": "true"}``; SpecError for anything else."""
    options: dict[str, str] = {}
    for part in text.split(",") if text else []:
        key, equals, value = part.partition("=")
        key = key.strip()
        if not key or (equals and not value.strip()):
            raise SpecError(f"{what}: {part!r} is not an option; write option=value")
        if key in options:
            raise SpecError(f"{what}: the option {key!r} is given twice")
        options[key] = value.strip() if equals else "true"
    return options


def read_value(text: str, kind: type, what: str) -> Any:
    """The value of an option of type bool, int, float or str; SpecError with a sentence."""
    if kind is bool:
        if text.lower() in ("true", "yes", "on", "1"):
            return True
        if text.lower() in ("false", "no", "off", "0"):
            return False
        raise SpecError(f"{what} is on or off, not {text!r}")
    try:
        return kind(text)
    except ValueError:
        noun = {int: "a whole number", float: "a number"}.get(kind, kind.__name__)
        raise SpecError(f"{what} is {noun}, not {text!r}") from None


def read_options(given: Mapping[str, str], kinds: Mapping[str, type], what: str) -> dict[str, Any]:
    """Options as text to options as values; unknown names are errors that show the nearest known one."""
    values = {}
    for key, text in given.items():
        if key not in kinds:
            raise SpecError(f"{what} has no option {key!r}{did_you_mean(key, kinds)}")
        values[key] = read_value(text, kinds[key], f"{what}: {key}")
    return values


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of an error message: the nearest known word, or all of them."""
    known = list(known)
    near = difflib.get_close_matches(word, known, 1)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; there are: {', '.join(known)}" if known else "; it takes none"
