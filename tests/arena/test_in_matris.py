"""An agent at the keys of MaTris: a stand-in of the same shape here, the clone that ``TENGEN_MATRIS`` names where there is one."""

import json
import os
import shutil

import pytest

from tengen.agents import parse_agent
from tengen.arena.matris import clone_of, play_in_matris
from tengen.cli.main import run
from tengen.errors import AgentFailure, SpecError
from tengen.games import parse_game

PYGAME = """
K_LEFT, K_RIGHT, K_UP, K_SPACE, K_ESCAPE, KEYDOWN, KEYUP = range(7)
class error(Exception): pass
class Events:
    waiting = []
    class Event:
        def __init__(self, type, key, mod, unicode): self.type, self.key = type, key
    def post(self, event): self.waiting.append(event)
    def get(self):
        events, self.waiting = self.waiting, []
        return events
class Anything:
    def __getattr__(self, name): return lambda *more: Anything()
event, time, display = Events(), Anything(), Anything()
class mixer:
    def init():
        if "SDL_AUDIODRIVER" not in __import__("os").environ: raise error("no loudspeaker")
def init(): pass
"""
TETROMINOES = """
class Tetromino:
    pass
tetrominoes = {name: Tetromino() for name in ("long", "square", "hat", "right_snake", "left_snake", "left_gun", "right_gun")}
"""
MATRIS = """
import random
import pygame
from tengen.games import Tetris
from tengen.games.tetris import well
from tengen.games.tetris_keys import KeyTetris
from tetrominoes import tetrominoes

MATRIX_WIDTH, MATRIX_HEIGHT, WIDTH, HEIGHT = 10, 22, 1, 1
KEYS = {pygame.K_LEFT: "left", pygame.K_RIGHT: "right", pygame.K_UP: "rotate", pygame.K_SPACE: "drop"}
PIECES = dict(zip("IOTSZJL", tetrominoes.values()))

def write_score(score):
    raise AssertionError("the high scores are for people")

class Matris:
    paused = False
    def __init__(self):
        self.inner = KeyTetris(Tetris(10, 20), random.randrange(1 << 30))
    matrix = property(lambda self: {(y, x): bool(cell) for y, row in enumerate(well(self.inner.rules, self.inner.array)) for x, cell in enumerate(row)})
    current_tetromino = property(lambda self: PIECES[self.inner.piece])
    next_tetromino = property(lambda self: PIECES[self.inner.following])
    lines = property(lambda self: self.inner.lines)
    score = property(lambda self: self.inner.score + WRONG)
    def blend(self):
        return not self.inner.is_over

class Game:
    def main(self, screen):
        print("noise")
        clock, self.matris = pygame.time.Clock(), Matris()
        while not self.matris.inner.is_over:
            clock.tick(50)
            for event in pygame.event.get():
                if event.type == pygame.KEYDOWN:
                    if event.key == pygame.K_ESCAPE:
                        return
                    self.matris.inner.press(KEYS[event.key])
                elif event.key in KEYS:
                    self.matris.inner.release(KEYS[event.key])
    def redraw(self):
        pass
"""


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A folder that looks like a clone of MaTris, on a machine with something that looks like pygame."""
    for name, text in (("pygame", PYGAME), ("tetrominoes", TETROMINOES), ("matris", "WRONG = 0\n" + MATRIS)):
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.delenv("SDL_AUDIODRIVER", raising=False)
    return tmp_path


@pytest.mark.jit
def test_it_plays_to_the_end(clone):
    game = parse_game("tetris:10x20,preview=0")
    agent = parse_agent("random").make(game)
    seen = []
    played = play_in_matris(
        clone / "matris.py", game, agent, 3, 0.0, lambda position, _: seen.append(position.array.copy())
    )
    assert (played.over, played.closed) == (True, False)
    assert played.pieces == len(seen) > 15
    again = play_in_matris(clone / "matris.py", game, agent, 3, 0.0)
    assert again == played  # the same seed, the same pieces


@pytest.mark.jit
def test_it_ends_after_the_pieces_asked_for_and_says_so(clone, capsys):
    assert (
        run(["watch", "tetris:10x20,pieces=40", "dellacherie", "--in", f"matris:{clone}", "--pause", "0", "--json"])
        == 0
    )
    played = json.loads(capsys.readouterr().out)
    assert (played["pieces"], played["over"], played["closed"]) == (40, False, False)
    assert played["lines"] >= 8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("WRONG = 0", "WRONG = 7"), "after 0 pieces MaTris shows another score than its rules give"),
        (('print("noise")', "1 / 0"), "MaTris cannot be played: ZeroDivisionError"),
        (('print("noise")', "import os; os._exit(3)"), "it has stopped with exit code 3"),
        (("import pygame\n", "import pygame_of_tomorrow\n"), "ModuleNotFoundError.*: pip install pygame"),
    ],
)
def test_faults_are_one_line(clone, change, message):
    file = clone / "matris.py"
    file.write_text(file.read_text().replace(*change))
    game = parse_game("tetris:10x20")
    with pytest.raises(AgentFailure, match=message):
        play_in_matris(file, game, parse_agent("random").make(game), pause=0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tetris:10x20", "random", "--in", "matris:/nowhere"], "there is no matris.py in /nowhere"),
        (["tetris:10x20", "random", "--in", "/nowhere"], "not in '/nowhere'"),
        (["tetris:10x10", "random", "--in", "{}"], "MaTris plays tetris:10x20"),
        (["tetris:10x20", "random", "--in", "{}", "--opening", "3"], "--opening would do nothing"),
        (["hex:5", "random", "random", "--in", "{}"], "--in is for tetris"),
    ],
)
def test_what_cannot_be_is_refused(clone, capsys, words, message):
    assert run(["watch", *(word.format(f"matris:{clone}") for word in words)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.jit
def test_in_matris_itself(tmp_path, monkeypatch):
    folder = os.environ.get("TENGEN_MATRIS")
    if not folder:
        pytest.skip("TENGEN_MATRIS names no clone of MaTris")
    pytest.importorskip("pygame")
    shutil.copytree(folder, tmp_path / "MaTris")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    game = parse_game("tetris:10x20,pieces=60")
    played = play_in_matris(
        clone_of(f"matris:{tmp_path / 'MaTris'}"), game, parse_agent("dellacherie").make(game), 1, 0.0
    )
    assert (played.pieces, played.over) == (60, False)
    assert played.lines >= 15
    with pytest.raises(SpecError, match="matris"):
        clone_of("MaTris")
