"""Runs that start from another run's network, as people type them."""

from __future__ import annotations

import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")

from tengen.cli.main import run
from tengen.networks.starting import weights_of
from tengen.runs.directory import RunDirectory

TINY = [
    *("--games", "4", "--nets", "2", "--search-games", "6", "--threads", "1", "--slots", "4", "--network.blocks", "1"),
    *("--network.channels", "8", "--layers", "8", "--rating", "0", "--training.every", "1"),
]


@pytest.fixture(autouse=True)
def runs_in_a_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


def first_and_last(name):
    return [weights_of(net.read_bytes()) for net in RunDirectory.find(name).net_files()]


def differing(one, other):
    return {name for name in one if one[name] != pytest.approx(other[name], abs=1e-4)}


def test_a_run_goes_on_with_what_was_learned_on_a_smaller_board(capsys):
    assert run(["train", "hex-5", "--game", "hex:3", "--name", "small", "--network.pooled", *TINY]) == 0
    assert run(["train", "hex-5", "--name", "large", "--network.pooled", "--start", "small", *TINY]) == 0
    assert "begins anew" not in capsys.readouterr().err
    (_, small), (start, end) = first_and_last("small"), first_and_last("large")
    assert not differing(start, small)
    assert differing(start, end)


def test_a_critic_that_sees_each_cell_begins_anew(capsys):
    assert run(["train", "hex-5", "--game", "hex:3", "--name", "small", *TINY]) == 0
    assert run(["train", "hex-5", "--name", "large", "--start", "small", *TINY]) == 0
    assert "its critic begins anew, since it is not pooled" in " ".join(capsys.readouterr().err.split())
    (_, small), (start, _) = first_and_last("small"), first_and_last("large")
    kept = {name for name in small if not name.startswith("value_head")}
    assert not differing({name: small[name] for name in kept}, start)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("hex-5 --start hex-5", "hex-5 has kind = dense, this run residual"),
        ("hex-5 --start hex-7 --network.blocks 2", "hex-7 has blocks = 4, this run 2"),
        ("gomoku-9 --start hex-7", "hex-7 plays hex:7: a run of gomoku:9 cannot start from it"),
        ("on-policy --start hex-5 --layers 512,256 --game hex:4", "dense network of hex:5"),
        ("hex-5 --start nobody", "no file, run or network called 'nobody'"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line_and_nothing_is_made(arguments, words, capsys, tmp_path):
    preset, *rest = arguments.split()
    assert run(["train", preset, "--name", "refused", *rest]) == 2
    complaint = capsys.readouterr().err.strip()
    assert words in complaint
    assert "\n" not in complaint
    assert not (tmp_path / "runs" / "refused").exists()


def test_the_start_of_a_run_that_has_begun_cannot_change(capsys):
    assert run(["train", "hex-5", "--game", "hex:3", "--name", "small", *TINY]) == 0
    assert run(["resume", "small", "--start", "hex-7"]) == 2
    assert "start cannot change" in capsys.readouterr().err
