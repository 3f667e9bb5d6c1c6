"""Cached machine code: used again while its sources stay the same, never after an edit, and never in the way."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen import Position, Search, compiling, linking, sources
from tengen.games import Nim

pytestmark = pytest.mark.jit

GAME = """
from typing import NamedTuple
from tengen import game
from prizes import prize

@game
class Coin(NamedTuple):
    "Each player leaves a coin on the table; the second one wins something."
    coins: int = 2

    def position_size(self): return 1
    def move_count(self): return 1
    def start(self, position): position[0] = 0
    def to_move(self, position): return int(position[0] % 2)
    def legal_moves(self, position, out):
        out[0] = 0
        return 1
    def play(self, position, move):
        position[0] += 1
        return prize() if position[0] == self.coins else 0.0
    def is_over(self, position): return bool(position[0] == self.coins)
    def outcome(self, position): return 1 if position[0] == self.coins else -1
"""
PRIZES = """
from tengen.compiling import inner

@inner
def prize(): return 1.0
"""
# Plays games in compiled code; prints the rewards and what was compiled for them.
RUN = """
import sys
import numpy as np
from tengen.compiling import on_compile
from tengen.games import parse_game
from tengen.games.contract import _replay

told = []
on_compile(told.append)
for spec in sys.argv[1:]:
    rewards = np.zeros(2)
    _replay(parse_game(spec), np.zeros(2, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32), rewards)
    print(rewards.tolist(), end=" ")
print(told)
"""
COMPILED, NOT_COMPILED = "['coin', None]", "[]"


class Workshop:
    """A folder with a user's game, and a cache of its own; `run` is a new process."""

    def __init__(self, folder):
        self.folder, self.cache = folder, folder / "cache"
        self.write("coin.py", GAME)
        self.write("prizes.py", PRIZES)
        self.write("run.py", RUN)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run(self, script="run.py", files=("coin.py",), **environment):
        package = Path(tengen.__file__).parents[1]
        # Python's own cache of bytecode goes by the time of an edit in seconds, and these edits follow at once.
        settings = {"TENGEN_CACHE": str(self.cache), "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, str(self.folder / script), *(f"{self.folder / file}:Coin" for file in files)]
        done = subprocess.run(
            command, env={**os.environ, **settings, **environment}, cwd=self.folder, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def cached(self, ending):
        return sorted(self.cache.rglob(f"*{ending}"))


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path)


def test_code_is_compiled_once_and_anew_after_an_edit_of_the_game_or_of_what_it_imports(workshop):
    assert workshop.run() == f"[0.0, 1.0] {COMPILED}"
    assert workshop.run() == f"[0.0, 1.0] {NOT_COMPILED}"

    workshop.write("coin.py", GAME.replace("else 0.0", "else 0.25"))
    assert workshop.run() == f"[0.25, 1.0] {COMPILED}"

    workshop.write("prizes.py", PRIZES.replace("1.0", "0.5"))
    assert workshop.run() == f"[0.25, 0.5] {COMPILED}"

    # Back to what there was: its code is still there.
    workshop.write("coin.py", GAME)
    workshop.write("prizes.py", PRIZES)
    assert workshop.run() == f"[0.0, 1.0] {NOT_COMPILED}"


def test_listeners_hear_the_end_of_a_compilation_that_fails(workshop):
    """Or a page would say "compiling" for ever."""
    workshop.write("coin.py", GAME.replace("else 0.0", "else no_such_name"))
    workshop.write(
        "run.py",
        RUN.replace("    _replay(", "    try: _replay(").replace(
            "rewards)\n", "rewards)\n    except Exception: pass\n", 1
        ),
    )
    assert workshop.run() == f"[0.0, 0.0] {COMPILED}"


def test_games_of_the_same_name_keep_their_own_rules(workshop):
    # Numba would take the second for the first: it looks only at the name and the fields of a named tuple.
    workshop.write("other.py", GAME.replace("else 0.0", "else 0.25"))
    assert workshop.run(files=["coin.py", "other.py"]) == "[0.0, 1.0] [0.25, 1.0] ['coin', None, 'coin', None]"
    assert workshop.run(files=["other.py", "coin.py"]) == "[0.25, 1.0] [0.0, 1.0] []"


@pytest.mark.parametrize("ending", [".nbi", ".nbc"], ids=["index", "code"])
@pytest.mark.parametrize("garbage", [b"", b"garbage"], ids=["empty", "garbage"])
def test_a_damaged_file_costs_a_compilation_and_no_more(workshop, ending, garbage):
    workshop.run()
    assert workshop.cached(ending)
    for file in workshop.cached(ending):
        file.write_bytes(garbage)
    assert workshop.run() == f"[0.0, 1.0] {COMPILED}"
    assert workshop.run() == f"[0.0, 1.0] {NOT_COMPILED}"  # it has been repaired


def test_without_a_place_for_the_cache_code_is_compiled_each_time(workshop):
    workshop.write("file", "")
    nowhere = str(workshop.folder / "file" / "cache")  # below a file there can be no folder, not even for root
    assert workshop.run(TENGEN_CACHE=nowhere) == f"[0.0, 1.0] {COMPILED}"


def test_checks_of_indices_have_code_of_their_own(workshop):
    workshop.run(NUMBA_BOUNDSCHECK="0")
    assert workshop.run(NUMBA_BOUNDSCHECK="1") == f"[0.0, 1.0] {COMPILED}"
    assert workshop.run(NUMBA_BOUNDSCHECK="0") == f"[0.0, 1.0] {NOT_COMPILED}"


KERNEL = """
from tengen.compiling import kernel

@kernel
def answer(): return 41
"""


def test_a_kernel_outside_the_package_is_compiled_anew_after_an_edit(workshop):
    workshop.write("answers.py", KERNEL)
    workshop.write("ask.py", "import answers\nprint(answers.answer())")
    assert workshop.run("ask.py") == "41"
    workshop.write("answers.py", KERNEL.replace("41", "42"))
    assert workshop.run("ask.py") == "42"


# --- how often kernels are compiled


def test_numba_lets_parts_be_linked_only_once():
    """With a Numba of which we do not know how, everything still works, but compiling takes three times as long."""
    assert linking.pipelines() is not None


def test_a_part_has_no_code_of_its_own_and_brings_its_own_parts_along(workshop):
    workshop.write(
        "parts.py",
        "import numpy as np\nfrom tengen.compiling import apart, inner, kernel\n"
        "@apart\ndef low(x): return x * 2\n"
        "@inner\ndef middle(a, i):\n    a[i] = low(i)\n    return a[i] + low(1)\n"
        "@inner\ndef other(a): return middle(a, 1) + len(np.zeros(3))\n"
        "@kernel\ndef top(a): return middle(a, 2) + other(a) + low(5)\n"
        "if __name__ != '__main__':\n    print(top(np.zeros(4, np.int64)))\n",
    )
    workshop.write(
        "ask.py",
        "import collections\nfrom numba.core import event\n"
        "with event.install_recorder('numba:compile') as told:\n    import parts\n"
        "names = [seen.data['dispatcher'].py_func.__name__ for _, seen in told.buffer if seen.is_start]\n"
        "print(collections.Counter(name for name in names if hasattr(parts, name)).most_common(1)[0][1] if names else 0)\n",
    )
    assert workshop.run("ask.py") == "23\n1"  # each part is compiled once, whether for a kernel or another part
    assert workshop.run("ask.py") == "23\n0"  # from the cache
    (code,) = {file.name.split(".")[1] for file in workshop.cached(".nbc")}
    assert code.startswith("top")


def test_a_game_costs_one_compilation_of_each_kernel_whatever_the_settings():
    """Settings are run-time flags: a specialisation for one of them would double the time that the first search takes."""
    from tengen.search import SearchSettings, kernel

    def hashed(game, positions):
        n = len(positions)
        return np.full((n, game.move_views().shape[1]), 0.5, np.float32), np.full(n, 0.1, np.float32)

    game = Nim(3)
    asking = {"evaluation": "network"}
    for settings in (
        {}, {"selection": "ucb1", "epsilon": 0.1}, {"selection": "flat", "simulations": 5}, {"solver": True},
        {"selection": "gumbel"}, {"selection": "puct", "noise": 0.25, **asking}, {"selection": "gumbel", "noise": 1.0, **asking},
        {"solver": True, **asking}, {"batch": 4, **asking}, {"rollouts": "network"}, {"evaluation": "mix", "time": 0.01},
    ):  # fmt: skip
        chosen = SearchSettings(**{"simulations": 30, **settings})
        search = Search(game, chosen, hashed if chosen.asks else None)
        position = Position(game)
        search.run(position)
        search.run(position.play(position.legal_moves[0]))
    counts = {}
    for name in ("ask", "turn", "decide", "reset", "advance"):
        signatures = [types for types in getattr(kernel, name).signatures if is_for(types, Nim)]
        counts[name] = len(signatures)
    assert counts == {"ask": 1, "turn": 1, "decide": 1, "reset": 1, "advance": 1}


def is_for(types, rules):
    """Whether a signature is for a game, or for all."""
    games = [
        kind for kind in types if isinstance(kind, compiling.type_of_game) and hasattr(kind.instance_class, "play")
    ]
    return not games or games[0].instance_class is rules


# --- what the key is made of


def test_sources_are_the_modules_below_the_folder_and_no_others(tmp_path):
    files = {
        "game.py": "import json, one as first; from two import (\n    x,\n)\nfrom package import inside\nimport package.deep.down",
        "one.py": "from three import *",
        "two.py": "import game",  # in a circle
        "three.py": "",
        "json.py": "not python!",  # never imported, the library's own json is; still no reason to fail
        "unused.py": "",
        "package/__init__.py": "",
        "package/inside.py": "from . import beside",
        "package/beside.py": "",
        "package/deep/__init__.py": "",
        "package/deep/down.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = {source.relative_to(tmp_path.resolve()).as_posix() for source in sources.sources(tmp_path / "game.py")}
    assert found == set(files) - {"unused.py"}


def test_the_search_is_made_from_search_and_games_and_nothing_above_them():
    """An edit of the page or of the training must not cost a compilation."""
    package = Path(tengen.__file__).resolve().parent
    found = {file.relative_to(package).as_posix() for file in sources.sources(package / "search" / "kernel.py")}
    assert {"search/kernel.py", "search/trees.py", "search/gumbel.py", "games/randomness.py", "games/verbs.py"} <= found
    assert {file.split("/")[0] for file in found if "/" in file} == {"games", "search"}
    assert not {"games/hex.py", "games/tetris.py"} & found  # these belong to the game


def test_a_users_game_is_made_from_the_parts_of_this_package_that_it_uses(tmp_path):
    (tmp_path / "game.py").write_text("from tengen import game\nfrom tengen.games.hex import Hex")
    found = {file.name for file in sources.sources(tmp_path / "game.py")}
    assert {"game.py", "hex.py", "verbs.py", "compiling.py"} <= found
    assert "loop.py" not in found


def test_only_old_generations_are_forgotten(tmp_path):
    now = tmp_path / f"{99:016x}"
    for age in range(10):
        (tmp_path / f"{age:016x}").mkdir()
        os.utime(tmp_path / f"{age:016x}", (1_000_000 - age, 1_000_000 - age))
    now.mkdir()
    # What a user keeps beside the cache is none of our business, whatever the length of its name.
    theirs = [tmp_path / name for name in ("holiday-pictures", "thesis-chapter-1", "notes")]
    for folder in theirs:
        folder.mkdir()
        os.utime(folder, (1, 1))
    compiling._forget_old(now, compiling._GENERATION)
    kept = {f"{age:016x}" for age in range(compiling.KEPT_GENERATIONS)}
    assert {folder.name for folder in tmp_path.iterdir()} == {now.name, *kept, *(folder.name for folder in theirs)}


def test_the_folder_of_the_cache_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path))
    assert compiling.cache_root() == tmp_path
    monkeypatch.delenv("TENGEN_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert compiling.cache_root() == tmp_path / "xdg" / "tengen"
