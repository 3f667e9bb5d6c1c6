"""What a browser sends: one JSON object at a time. Whatever else it sends is refused in a sentence."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from tengen.errors import TengenError

LONGEST = 16_384
"""Characters of a message."""

_LARGEST = 1 << 53

T = TypeVar("T", int, float, str, bool)


class BadMessage(TengenError):
    """A message that no page of ours sends."""


class Message:
    """One message: its verb, and fields of the kinds that are expected."""

    def __init__(self, text: str) -> None:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            raise BadMessage("that is not a message: not JSON") from None
        if not isinstance(data, dict) or not isinstance(data.get("do"), str):
            raise BadMessage('that is not a message: an object with a verb in "do" is expected')
        self.verb: str = data["do"][:40]
        self._data: dict[str, Any] = data

    def get(self, name: str, kind: type[T], default: T | None = None) -> T:
        """A field; BadMessage when it is missing or of another kind."""
        value = self._data.get(name, default)
        if kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST:
            value = float(value)
        fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if isinstance(value, int) and not -_LARGEST < value < _LARGEST:
            fits = False
        if isinstance(value, str) and len(value) > 500:
            fits = False
        if not fits:
            raise BadMessage(f"{self.verb}: {name} is not what is expected there")
        return value  # type: ignore[return-value]

    def long_text(self, name: str) -> str:
        """A field that may be as long as a message: a file."""
        value = self._data.get(name)
        if not isinstance(value, str):
            raise BadMessage(f"{self.verb}: {name} is not what is expected there")
        return value

    def texts(self, name: str, most: int) -> list[str]:
        """A field that is a list of texts."""
        value = self._data.get(name)
        if not isinstance(value, list) or len(value) > most:
            raise BadMessage(f"{self.verb}: {name} is not what is expected there")
        for text in value:
            if not isinstance(text, str) or len(text) > 500:
                raise BadMessage(f"{self.verb}: {name} is not what is expected there")
        return value

    def numbers(self, name: str, most: int) -> list[int]:
        """A field that is a list of whole numbers."""
        value = self._data.get(name)
        fits = isinstance(value, list) and len(value) <= most
        if not fits or any(type(item) is not int or not -_LARGEST < item < _LARGEST for item in value):  # type: ignore[union-attr]
            raise BadMessage(f"{self.verb}: {name} is not what is expected there")
        return value  # type: ignore[return-value]

    def table(self, name: str, most: int = 40) -> dict[str, str]:
        """A field that is an object of short texts."""
        value = self._data.get(name)
        if not isinstance(value, dict) or len(value) > most:
            raise BadMessage(f"{self.verb}: {name} is not what is expected there")
        for text in value.values():
            if not isinstance(text, str) or len(text) > 200:
                raise BadMessage(f"{self.verb}: {name} is not what is expected there")
        return value
