"""Runs the ``matris.py`` of a clone of github SmartViking/MaTris; started by `matris`, in a process of its own.

MaTris's own loop runs, window, gravity and all. It asks its clock for the time once a frame: there this program sits. When a new
piece falls it says what there is to see, as one JSON object a line, reads which keys are to be pressed, and puts them into
pygame's queue, as a keyboard would. The time of the game stands while the answer is awaited.

    {"piece", "next", "well", "lines", "score"}    answered by    {"keys": ["left", "drop"]}    or    {"end": true}
    {"over": true, "closed", "lines", "score"}     the last line
    {"error": …}                                   what went wrong

Only pygame and the clone are used here, and nothing of the clone is changed; its file of high scores is left to people.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
import time
from typing import Any

CALLED = {
    "long": "I", "square": "O", "hat": "T", "right_snake": "S", "left_snake": "Z", "left_gun": "J", "right_gun": "L",
}  # fmt: skip
"""What MaTris calls the pieces."""


class Host:
    """What MaTris takes for its clock."""

    def __init__(self, module: Any, pygame: Any, answers: Any, pause: float) -> None:
        self.module, self.pygame, self.answers, self.pause = module, pygame, answers, pause
        self.names = {
            id(piece): CALLED[name] for name, piece in importlib.import_module("tetrominoes").tetrominoes.items()
        }
        self.codes = {
            "left": pygame.K_LEFT, "right": pygame.K_RIGHT, "rotate": pygame.K_UP, "drop": pygame.K_SPACE,
        }  # fmt: skip
        self.game: Any = None
        self.shown = False
        """Whether the game's first frame, the empty well, is over."""
        self.ends = False

    def say(self, data: dict[str, Any]) -> None:
        self.answers.write(json.dumps(data) + "\n")
        self.answers.flush()

    def tick(self, frames: int = 0) -> int:
        """A frame begins; the milliseconds that have passed in the game."""
        matris = self.game.matris
        if matris.paused:
            time.sleep(0.02)
            return 0
        if self.shown:
            self.game.redraw()
            time.sleep(self.pause)
        self.shown = True
        rows = [
            sum(1 << x for x in range(self.module.MATRIX_WIDTH) if matris.matrix[y, x])
            for y in range(self.module.MATRIX_HEIGHT)
        ]
        piece, following = (self.names[id(one)] for one in (matris.current_tetromino, matris.next_tetromino))
        self.say({"piece": piece, "next": following, "well": rows, "lines": matris.lines, "score": matris.score})
        answer = json.loads(sys.stdin.readline() or '{"end": true}')
        if "end" in answer:
            self.ends = True
            keys = [self.pygame.K_ESCAPE]
        else:
            keys = [self.codes[key] for key in answer["keys"]]
        for key in keys:
            for kind in (self.pygame.KEYDOWN, self.pygame.KEYUP):
                self.pygame.event.post(self.pygame.event.Event(kind, key=key, mod=0, unicode=""))
        return 0


def main() -> None:
    """Play one game."""
    file, seed, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout = sys.stderr  # what pygame and MaTris print is no answer
    os.dup2(2, 1)
    host: Host | None = None
    closed = False
    try:
        import pygame

        os.chdir(os.path.dirname(file))
        sys.path.insert(0, os.path.dirname(file))
        module: Any = importlib.import_module("matris")
        try:
            pygame.mixer.init()
        except pygame.error:  # no loudspeaker
            os.environ["SDL_AUDIODRIVER"] = "dummy"
            pygame.mixer.init()
        pygame.init()
        module.screen = pygame.display.set_mode((module.WIDTH, module.HEIGHT))
        pygame.display.set_caption("MaTris, played by tengen")
        module.write_score = lambda score: None
        host = Host(module, pygame, answers, pause)
        pygame.time.Clock = lambda: host
        host.game = module.Game()
        random.seed(seed)
        try:
            host.game.main(module.screen)
        except SystemExit:
            closed = True
        matris = host.game.matris
        closed = closed or (bool(matris.blend()) and not host.ends)  # Escape, by someone who watches
        host.say({"over": True, "closed": closed, "lines": matris.lines, "score": matris.score})
        time.sleep(5 * pause)
    except Exception as error:  # whatever it is, it is told in one line
        answers.write(json.dumps({"error": " ".join(f"{type(error).__name__}: {error}".split())}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
