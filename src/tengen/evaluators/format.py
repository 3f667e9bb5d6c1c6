"""What a network's file says about itself."""

from __future__ import annotations

import hashlib
import inspect

from tengen.games.verbs import Game

FORMAT_VERSION = 1
LARGEST_FILE = 500_000_000


def rules_hash(game: Game) -> str:
    """A fingerprint of how a game shows positions to a network: its planes, outputs, and the text of `encode`.

    A file made under other rules of encoding must not be played in silence.
    """
    encode = getattr(type(game).encode, "py_func", type(game).encode)
    try:
        text = inspect.getsource(encode)
    except OSError:  # a game typed into a session
        text = ""
    shape = (game.plane_count(), game.plane_rows(), game.plane_columns(), game.move_views().tolist())
    return hashlib.sha256(repr((shape, text)).encode()).hexdigest()[:16]
