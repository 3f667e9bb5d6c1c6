"""What a disk can do to a run: full, not to be written, damaged. One clear line each, and nothing that was kept is lost.

Where this may mount a file system of a few hundred kilobytes it does; elsewhere the largest size of a file is limited.
Engines that crash, hang, flood or answer nonsense: tests/agents/test_gomocup_agent.py, test_htp_agent.py and tests/arena/test_oht.py.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")

from tengen.cli.main import run as command
from tengen.errors import TengenError
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory, RunError, RunNotWritten
from tengen.runs.live import FILE, read_live
from tengen.training.config import RunConfig, config_from, load_preset
from tengen.training.loop import Events, train


def small(games: int) -> RunConfig:
    data = load_preset("on-policy").as_dict() | {"game": "hex:3", "seed": 5}
    data["training"] |= {"games": games, "nets": 3, "batch": 16, "steps": 1}
    data["search"] |= {"simulations": 12}
    data["network"] |= {"layers": [8]}
    data["selfplay"] |= {"slots": 1, "threads": 1, "random_start": 0.0}
    return config_from(data, "test")


def kept(run: RunDirectory) -> list[tuple[int, tuple[int, ...]]]:
    store = RecordStore(run.games)
    games = [(record.number, record.moves) for record in store.all_after(0)]
    store.close()
    return games


@pytest.fixture
def mounted(tmp_path):
    """Mounts a tmpfs, and again with other options: ("size=200k"), ("ro")."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options: str) -> Path:
        again = ["-o", f"remount,{options}"] if os.path.ismount(folder) else ["-o", options]
        line = ["mount", "-t", "tmpfs", *again, "tmpfs", str(folder)]
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"a file system cannot be mounted here: {done.stderr.strip()}")
        return folder

    try:
        mount("size=64m")
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    yield mount
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def config(mounted, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(mounted("size=64m") / "runs"))
    return small(40)


def test_a_full_disk(config, mounted, capsys):
    run = RunDirectory.create("run", config.as_dict())
    seen: list[int] = []
    filling = mounted("size=64m") / "filling"

    def fill(progress):
        seen.append(progress.record.number)
        if len(seen) == 10:
            filling.write_bytes(b"")
            with contextlib.suppress(OSError), filling.open("ab", buffering=0) as out:
                while True:
                    out.write(bytes(1 << 16))
            with contextlib.suppress(OSError), filling.open("ab", buffering=0) as out:
                while True:
                    out.write(b"x")

    mounted("size=6m")
    with pytest.raises(TengenError, match=r"cannot be written.*safe") as caught:
        train(run, config, Events(fill))
    assert "\n" not in str(caught.value)
    assert 10 <= len(seen) < 40
    assert not list(run.folder.glob("*.part"))
    before = kept(run)
    assert {number for number, _ in before} >= set(seen)

    with pytest.raises(TengenError, match="cannot be written"):  # it is still full
        train(run, config)
    assert kept(run) == before
    filling.unlink()
    assert train(run, config).games == 40
    after = kept(run)
    assert after[: len(before)] == before
    assert sorted(number for number, _ in after) == list(range(40))


def test_a_full_disk_at_the_very_beginning(config, mounted, capsys):
    folder = mounted("size=4k")
    (folder / "filling").write_bytes(b"")
    with contextlib.suppress(OSError):
        (folder / "filling").write_bytes(bytes(4096))
    assert command(["train", "on-policy", "--game", "hex:3", "--games", "5"]) in (1, 2)
    err = capsys.readouterr().err
    assert err.startswith("tengen: ")
    assert len(err.strip().splitlines()) == 1


def test_a_run_directory_that_may_not_be_written(config, mounted, capsys):
    run = RunDirectory.create("run", config.as_dict())
    seen: list[int] = []
    train(run, config, Events(lambda progress: seen.append(1), stop=lambda: len(seen) == 3))
    before = kept(run)
    mounted("ro")
    assert command(["resume", "run"]) == 2
    err = capsys.readouterr().err
    assert err.count("tengen: ") == 1
    assert "Read-only file system" in err
    assert "Traceback" not in err
    mounted("rw,size=64m")
    assert kept(run) == before
    assert train(run, config).games == 40


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_files_that_may_not_grow(runs):
    """A full disk for those who may not mount one; also what a quota looks like."""
    import resource

    config = small(40)
    run = RunDirectory.create("run", config.as_dict())
    seen: list[int] = []
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(progress):
        seen.append(progress.record.number)
        if len(seen) == 10:
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))

    try:
        with pytest.raises(TengenError, match=r"cannot be written.*safe") as caught:
            train(run, config, Events(limit))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "\n" not in str(caught.value)
    assert {number for number, _ in kept(run)} >= set(seen)
    assert train(run, config).games == 40
    assert sorted(number for number, _ in kept(run)) == list(range(40))


def finished(config: RunConfig) -> RunDirectory:
    run = RunDirectory.create("run", config.as_dict())
    train(run, config)
    return run


def test_a_store_whose_middle_is_damaged_is_refused_and_left_alone(runs):
    run = finished(small(30))
    data = bytearray(run.games.read_bytes())
    assert len(data) > 3 * 4096
    data[2 * 4096 : 3 * 4096] = bytes(range(256)) * 16
    run.games.write_bytes(data)
    with pytest.raises(TengenError, match=r"games\.sqlite") as caught:
        train(run, small(40))
    assert "\n" not in str(caught.value)
    assert bytes(data[:4096]) == run.games.read_bytes()[:4096]


def test_a_damaged_learner_costs_time_and_no_game(runs):
    config = small(6)
    run = RunDirectory.create("run", config.as_dict())
    learner = train(run, config)
    file, expected = run.folder / "learner.npz", learner.network.state()
    whole = file.read_bytes()
    for wrong in (b"", whole[: len(whole) // 2], whole.replace(b"games.npy", b"gamez.npy"), b"\x80\x04K*."):
        file.write_bytes(wrong)
        with pytest.raises(RunError, match=r"learner\.npz") as caught:
            train(run, config)
        assert "\n" not in str(caught.value)
        assert file.read_bytes() == wrong
    file.unlink()  # as the message says
    again = train(run, config)
    for name, array in again.network.state().items():
        assert array == pytest.approx(expected[name], abs=1e-6), name


def test_a_damaged_network_is_one_line_and_the_run_goes_on(runs, capsys):
    run = finished(small(6))
    net = run.net_files()[-1]
    net.write_bytes(net.read_bytes()[:100])
    assert command(["match", "hex:3", f"net:{net}", "random", "--games", "2"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("tengen: ")
    assert len(err.strip().splitlines()) == 1
    assert train(run, small(6)).games == 6


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such lock")
def test_a_second_process_is_refused_until_the_first_has_gone(runs):
    config = small(4)
    run = RunDirectory.create("run", config.as_dict())
    code = "import sys, time; from pathlib import Path; from tengen.runs.directory import RunDirectory\n"
    code += "run = RunDirectory(Path(sys.argv[1])); run.lock(); print('held', flush=True); time.sleep(600)"
    other = subprocess.Popen([sys.executable, "-c", code, str(run.folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(RunError, match="another process is training run"):
            train(run, config)
        assert not run.games.exists()
    finally:
        other.kill()  # it cannot clean up
        other.wait()
        other.stdout.close()
    assert train(run, config).games == 4


def test_a_clock_that_goes_backwards(runs, monkeypatch):
    config = small(6)
    run, ticks = RunDirectory.create("run", config.as_dict()), itertools.count()
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0 - 3600 * next(ticks))
    seen: list[int] = []
    train(run, config, Events(lambda progress: seen.append(1), stop=lambda: len(seen) == 3))
    assert train(run, config).games == 6
    store = RecordStore(run.games)
    seconds = [figures["seconds"] for figures in store.metrics()]
    store.close()
    assert seconds == sorted(seconds)
    assert all(0 <= value < 600 for value in seconds)


def test_a_game_from_the_future_is_not_live(runs):
    run = RunDirectory.create("run", {})
    (run.folder / FILE).write_text('{"number": 1, "first": 0, "moves": [3]}')
    assert read_live(run) is not None
    later = time.time() + 3600  # the clock was set back by an hour
    os.utime(run.folder / FILE, (later, later))
    assert read_live(run) is None


def test_a_disk_that_nobody_has_thought_of_is_one_line(monkeypatch, capsys):
    from tengen.cli import listing

    def full(self):
        raise OSError(28, "No space left on device", "somewhere")

    monkeypatch.setattr(listing.List, "run", full)
    assert command(["list", "games"]) == 1
    assert capsys.readouterr().err == "tengen: somewhere cannot be written: No space left on device\n"
    assert issubclass(RunNotWritten, RunError)
