"""A clone of AlphaZero_Gomoku beside ours: its own search, its own network on PyTorch, in a process of its own."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tengen.bench.turns import Work
from tengen.errors import SpecError, TengenError

NEEDED = ("game.py", "mcts_alphaZero.py", "policy_value_net_pytorch.py")

# What the other process runs: one search of 400 playouts from the empty board for each line that it is sent.
HOST = """
import sys
sys.path.insert(0, sys.argv[1])
import warnings
warnings.filterwarnings("ignore")
from game import Board
from mcts_alphaZero import MCTS
from policy_value_net_pytorch import PolicyValueNet
size = int(sys.argv[2])
net = PolicyValueNet(size, size)
board = Board(width=size, height=size, n_in_row=5)
board.init_board()
print("ready", flush=True)
for line in sys.stdin:
    MCTS(net.policy_value_fn, 5, 400).get_move_probs(board)
    print(400, flush=True)
"""


@contextlib.contextmanager
def peer_search(folder: Path, size: int) -> Iterator[Work]:
    """Its playouts, as it comes: one search at a time, PyTorch on all processors."""
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    if missing:
        raise SpecError(f"{folder} is no clone of junxiaosong/AlphaZero_Gomoku: {missing[0]} is not there")
    command = [sys.executable, "-c", HOST, str(folder.resolve()), str(size)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    told, heard = process.stdin, process.stdout

    def work() -> int:
        told.write("go\n")
        told.flush()
        answer = heard.readline()
        if not answer:
            raise TengenError("the other program has died")
        return int(answer)

    try:
        if heard.readline().strip() != "ready":
            complaint = process.stderr.read().strip().splitlines()
            raise TengenError(f"{folder.name} does not run: {complaint[-1] if complaint else 'it said nothing'}")
        yield work
    finally:
        process.kill()
        process.communicate()
