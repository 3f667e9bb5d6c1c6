"""A long run needs no more memory at its end than after its first third."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")

SECONDS = 150

# The games are tiny and the window is soon full, so that whatever is kept of each game, network or step adds up.
RUN = """
import json, resource, sys, time
from tengen.runs.directory import RunDirectory
from tengen.training.config import config_from, load_preset
from tengen.training.loop import Events, train

data = load_preset("on-policy").as_dict()
data["game"] = "hex:3"
data["training"] |= {"games": 10**6, "nets": 1001, "batch": 16, "steps": 1, "window": 500}
data["search"]["simulations"] = 16
data["network"]["layers"] = [8]
data["selfplay"] |= {"threads": 2, "slots": 8}
config = config_from(data, "test")
began, seen = time.monotonic(), []

def on_game(progress):
    if not seen or time.monotonic() - began > seen[-1][0] + 1:
        pages = int(open("/proc/self/statm").read().split()[1])
        seen.append((time.monotonic() - began, progress.games, pages * resource.getpagesize() / 1e6))

train(RunDirectory.create("long", config.as_dict()), config, Events(on_game, stop=lambda: time.monotonic() - began > SECONDS))
json.dump(seen, sys.stdout)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
def test_memory_levels_off(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", RUN.replace("SECONDS", str(SECONDS))],
        capture_output=True, text=True, env={**os.environ, "TENGEN_RUNS": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    third = next(entry for entry in seen if entry[0] > SECONDS / 3)
    last = seen[-1]
    print(f"{third[1]} games: {third[2]:.1f} MB; {last[1]} games: {last[2]:.1f} MB")
    assert last[1] - third[1] > 1000, "too few games to tell"
    most = max(memory for seconds, _, memory in seen if seconds > SECONDS / 3)
    assert most < 1.02 * third[2] + 5
