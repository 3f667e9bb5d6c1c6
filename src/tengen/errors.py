"""The errors a person can cause. Front ends print them as one line and exit with 2."""

LONGEST_MESSAGE = 2000


class TengenError(ValueError):
    """Something the user asked for cannot be done; the message says what to do instead.

    It is one line that any terminal can show, whatever it quotes: file names and what other programs say may hold anything.
    """

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(_one_line(said) if isinstance(said, str) else said for said in arguments))


class SpecError(TengenError):
    """A game or agent specification that does not make sense (`hex:2`, `uct,simulations=-1`)."""


class MalformedMove(TengenError):
    """A text that is not the name of any move of this game (`zz`, `a0`)."""


class IllegalMove(TengenError):
    """A move of this game that cannot be played in this position (an occupied cell)."""


class AgentFailure(TengenError):
    """An agent that has no move to offer: a foreign program that has stopped, say. It loses the game."""


def _one_line(text: str) -> str:
    if len(text) > LONGEST_MESSAGE:
        text = text[:LONGEST_MESSAGE] + " …"
    if text.isprintable():
        return text
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
