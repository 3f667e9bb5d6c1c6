"""--cluster: what it takes, and what it says where something is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tengen.cli.main import run
from tengen.cluster.connecting import ClusterError, check_address


@pytest.fixture(autouse=True)
def runs_in_a_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


def without_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)


@pytest.mark.parametrize(
    "line",
    [
        "train on-policy --cluster local",
        "train on-policy --cluster=auto",
        "tournament hex:3 random random --cluster local",
    ],
)
def test_without_ray_it_says_what_to_install_and_makes_nothing(capsys, monkeypatch, tmp_path, line):
    without_ray(monkeypatch)
    assert run(line.split()) == 2
    said = capsys.readouterr()
    assert said.err == "tengen: --cluster needs Ray: pip install 'tengen[cluster]'\n"
    assert said.out == ""
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("address", ["here", "10.0.0.5", "ray://10.0.0.5:10001", "a b:1", "", ":6379", "x:123456"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(ClusterError, match="auto") as caught:
        check_address(address)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("line", ["train on-policy --cluster", "train on-policy --cluster --show"])
def test_a_word_is_missing(capsys, line):
    assert run(line.split()) == 2
    assert "--cluster needs a word" in capsys.readouterr().err


def test_a_cluster_that_is_not_there_is_one_line(tmp_path):
    pytest.importorskip("ray", reason="the cluster needs the extra [cluster]")
    command = [sys.executable, "-m", "tengen.cli", "train", "on-policy", "--cluster", "127.0.0.1:1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "no cluster was found at 127.0.0.1:1" in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_a_cluster_that_does_not_start_is_one_line(monkeypatch):
    ray = pytest.importorskip("ray", reason="the cluster needs the extra [cluster]")
    from tengen.cluster.connecting import connected

    def init(**options):
        raise Exception("The current node timed out during startup.\nSee the logs.")

    monkeypatch.setattr(ray, "init", init)
    with (
        pytest.raises(ClusterError, match="could not be started on this machine: The current node") as caught,
        connected("local"),
    ):
        pass
    assert "\n" not in str(caught.value)


def test_no_cluster_on_this_machine_is_one_line(monkeypatch):
    ray = pytest.importorskip("ray", reason="the cluster needs the extra [cluster]")
    from tengen.cluster.connecting import connected

    def init(**options):
        raise ConnectionError("Could not find any running Ray instance.")

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(ClusterError, match="no cluster was found on this machine; begin one"), connected("auto"):
        pass
