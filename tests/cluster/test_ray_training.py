"""A run whose games are played by Ray's workers: every game once, whoever is killed."""

from __future__ import annotations

import os
import signal
import threading

import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")
pytest.importorskip("ray", reason="the cluster needs the extra [cluster]: pip install 'tengen[cluster]'")

from test_player import small

from tengen.cluster.connecting import ClusterError, connected
from tengen.cluster.player import Player
from tengen.cluster.selfplay import Happenings, cluster_source
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory
from tengen.training.config import config_from
from tengen.training.loop import Events, train

pytestmark = pytest.mark.jit


@pytest.fixture(autouse=True)
def runs_in_a_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


@pytest.fixture(scope="module")
def ray():
    with connected("local", 2) as ray:
        yield ray


def config_of(games: int, **training):
    data = small().as_dict()
    data["training"] |= {"games": games, "nets": 3, "batch": 16, "steps": 1, **training}
    data["selfplay"] |= {"threads": 2}
    return config_from(data, "test")


def games_of(run) -> list[int]:
    store = RecordStore(run.games)
    numbers = [record.number for record in store.all_after(0)]
    store.close()
    return numbers


def test_a_run_to_its_end_with_a_worker_killed_and_a_stop_between(ray, capfd):
    config = config_of(120)
    run = RunDirectory.create("run", config.as_dict())
    seen, workers, killed = [], [], []

    def on_game(progress):
        seen.append(progress)
        if len(seen) >= 20 and not killed and workers:
            killed.append(workers[-1][0].process)
            os.kill(killed[0], signal.SIGKILL)

    source = cluster_source(ray, Happenings(lambda members: workers.append(list(members))))
    train(run, config, Events(on_game, stop=lambda: len(seen) == 50), source)
    assert len(seen) == 50
    assert killed
    learner = train(run, config, Events(on_game), source)
    assert learner.games == 120
    assert sorted(games_of(run)) == list(range(120))
    assert [progress.games for progress in seen] == list(range(1, 121))
    assert [int(file.stem) for file in run.net_files()] == [0, 60, 120]
    processes = {member.process for members in workers for member in members}
    assert killed[0] in processes
    assert len(processes) >= 3  # the killed one was replaced, if not before the stop then after it
    assert seen[-1].evaluations > 120
    out, err = capfd.readouterr()
    assert "died" not in out + err  # Ray has paragraphs about it
    assert max(progress.record.network for progress in seen) > 0  # they play with networks that have learned


def test_a_worker_that_cannot_play_ends_the_run_in_one_line(ray):
    class Refusing(Player):
        def play(self, question, network):
            raise ValueError("no\nway")

    import tengen.cluster.selfplay as selfplay

    config = config_of(10)
    run = RunDirectory.create("run", config.as_dict())
    before = threading.active_count()
    original, selfplay.Player = selfplay.Player, Refusing
    try:
        with pytest.raises(ClusterError, match="says: ValueError: no way") as caught:
            train(run, config, source=cluster_source(ray))
    finally:
        selfplay.Player = original
    assert "\n" not in str(caught.value)
    assert threading.active_count() == before
    assert train(run, config, source=cluster_source(ray)).games == 10


def test_a_worker_of_another_version_is_refused(ray):
    class Older(Player):
        def hello(self):
            return super().hello().replace(b'"version": "', b'"version": "0.0.')

    import tengen.cluster.selfplay as selfplay

    config = config_of(10)
    run = RunDirectory.create("run", config.as_dict())
    original, selfplay.Player = selfplay.Player, Older
    try:
        with pytest.raises(ClusterError, match="another version"):
            train(run, config, source=cluster_source(ray))
    finally:
        selfplay.Player = original
    assert games_of(run) == []
