"""What may happen to a cluster: a machine that goes, a driver that is killed. Workers alone: tests/cluster."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")
pytest.importorskip("ray", reason="the cluster needs the extra [cluster]: pip install 'tengen[cluster]'")

from test_player import small

from tengen.cluster.connecting import connected
from tengen.cluster.selfplay import Happenings, cluster_source
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory
from tengen.training.config import config_from
from tengen.training.loop import Events, train

pytestmark = [pytest.mark.jit, pytest.mark.slow]


@pytest.fixture(autouse=True)
def runs_in_a_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


def numbers_of(run: RunDirectory) -> list[int]:
    store = RecordStore(run.games)
    numbers = [record.number for record in store.all_after(0)]
    store.close()
    return numbers


def test_a_machine_goes_and_another_comes():
    from ray.cluster_utils import Cluster

    data = small().as_dict()
    data["training"] |= {"games": 400, "nets": 2, "batch": 16, "steps": 1}
    data["selfplay"] |= {"threads": 0}
    config = config_from(data, "test")
    run = RunDirectory.create("run", config.as_dict())
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    crews: list[int] = []
    seen, second = [], cluster.add_node(num_cpus=1)

    def on_game(progress):
        seen.append(progress.record.number)
        if len(seen) == 100:
            cluster.remove_node(second, allow_graceful=False)
        if len(seen) == 200:
            cluster.add_node(num_cpus=1)
        if len(seen) > 100 and len(seen) < 390:
            time.sleep(0.05)  # so that there is time to notice

    try:
        with connected(cluster.address) as ray:
            source = cluster_source(ray, Happenings(lambda members: crews.append(len(members))))
            assert train(run, config, Events(on_game), source).games == 400
    finally:
        cluster.shutdown()
    assert sorted(numbers_of(run)) == list(range(400))
    assert max(crews) == 2
    assert 1 in crews[crews.index(2) :]  # one was alone for a while
    assert len(seen) == len(set(seen))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_a_driver_is_killed_and_goes_on(tmp_path):
    options = [
        "--game",
        "hex:3",
        "--games",
        "3000",
        "--nets",
        "2",
        "--search-games",
        "60",
        "--layers",
        "8",
        "--threads",
        "2",
        "--slots",
        "4",
        "--rating",
        "0",
    ]
    begin = [sys.executable, "-m", "tengen"]
    words = ["train", "on-policy", *options, "--name", "run", "--cluster", "local"]
    run, before = RunDirectory(tmp_path / "runs" / "run"), 0
    for _ in range(2):
        process = subprocess.Popen([*begin, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 200
        while time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.5)
            if run.games.exists() and len(numbers_of(run)) > before + 50:
                break
        workers = {pid for pid in _children(process.pid) if "Player" in _title(pid)}
        assert workers
        process.send_signal(signal.SIGKILL)
        process.wait()
        numbers = numbers_of(run)
        assert len(numbers) == len(set(numbers)) > before
        before, words = len(numbers), ["resume", "run", "--cluster", "local"]
        end = time.monotonic() + 60
        while any(_is_alive(pid) for pid in workers) and time.monotonic() < end:
            time.sleep(0.5)
        assert not [pid for pid in workers if _is_alive(pid)], "workers have outlived their driver"
    games = before + 100
    done = subprocess.run([*begin, *words, "--games", str(games)], capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr
    assert sorted(numbers_of(run)) == list(range(games))


def _children(process: int) -> set[int]:
    """All processes below one."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found, size = {process}, 0
    while len(found) > size:
        size = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found - {process}


def _title(process: int) -> str:
    try:
        with open(f"/proc/{process}/cmdline") as file:
            return file.read()
    except OSError:
        return ""


def _is_alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
