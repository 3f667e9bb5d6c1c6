"""The rating curve of a run that goes on: who plays next, what is found, and what survives."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.agents import parse_agent
from tengen.arena import following
from tengen.arena.following import Follower, Following
from tengen.arena.ratings import elo_ratings
from tengen.arena.tracking import OPPONENT, Tracking, standings_from
from tengen.errors import SpecError, TengenError
from tengen.games import Hex, Pig
from tengen.runs.directory import RunDirectory
from tengen.training.config import RatingSettings, load_preset

SHIPPED = Path(tengen.__file__).parent / "models" / "hex-5"
RATING = {"share": 1.0, "points": 3, "games": 20, "opponent": "random"}
NETS = [0, 1600, 8000]


def random_agents(game):
    agent = parse_agent("random").make(game)
    return lambda player: agent


def test_a_new_network_plays_next_and_at_last_all_have_played_what_they_should():
    game = Hex(3)
    tracking = Tracking(game, 10)
    agents = random_agents(game)
    assert tracking.next_pair([]) is None
    assert tracking.next_pair([0]) == (0, OPPONENT)
    for _ in range(3):
        tracking.play((0, OPPONENT), agents)
    assert tracking.next_pair([0, 50]) == (50, OPPONENT)
    tracking.play((50, OPPONENT), agents)
    assert tracking.next_pair([0, 50]) == (50, 0)
    played = 0
    while pair := tracking.next_pair([0, 50, 100, 150]):
        tracking.play(pair, agents)
        played += 2
    results = {(one, other): won + lost + drawn for one, other, won, lost, drawn in tracking.as_json()}
    against_opponent = {pair: games for pair, games in results.items() if pair[1] == OPPONENT}
    assert against_opponent == {(n, OPPONENT): 10 for n in (0, 50, 100, 150)}
    assert {pair for pair in results if pair not in against_opponent} == {(50, 0), (100, 50), (150, 100), (150, 50)}
    assert all(games in (5, 6) for pair, games in results.items() if pair not in against_opponent)
    assert tracking.next_pair([0, 50, 100, 150], enough=0.2) is None


def test_the_rating_of_a_stronger_network_is_higher_and_the_opponent_is_zero():
    game = Hex(4)
    strong, weak = parse_agent("uct,simulations=100").make(game), parse_agent("random").make(game)
    tracking = Tracking(game, 20)
    while pair := tracking.next_pair([0, 10]):
        tracking.play(pair, lambda player: strong if player == 10 else weak)
    first, second = tracking.standings()
    assert (first.games, second.games, second.played) == (0, 10, 20)
    assert first.rating_interval[0] < 0 < first.rating_interval[1]  # random against random
    assert second.rating_interval[0] > 0
    assert second.rating > first.rating_interval[1]
    assert second.score > 0.8
    assert second.interval[0] < second.score <= second.interval[1]
    again = Tracking(game, 20)
    again.load(json.loads(json.dumps(tracking.as_json())))
    assert again.standings() == tracking.standings()
    assert (
        standings_from({"standings": json.loads(json.dumps([s.as_json() for s in again.standings()]))})
        == again.standings()
    )


def test_an_anchor_moves_ratings_and_changes_no_distance():
    chooser = np.random.default_rng(3)
    games = np.full((4, 4), 30.0) - 30 * np.eye(4)
    won = np.triu(chooser.integers(5, 26, (4, 4)).astype(float), 1)
    points = won + np.tril(30 - won.T, -1)
    free, _ = elo_ratings(points, games)
    rating, interval = elo_ratings(points, games, anchor=2)
    assert rating == pytest.approx(free - free[2])
    assert interval[2] == pytest.approx([0, 0])
    assert (interval[[0, 1, 3], 1] - interval[[0, 1, 3], 0] > 50).all()


def test_a_game_for_one_has_no_rating():
    with pytest.raises(TengenError, match="two players"):
        Tracking(Pig(2)._replace(seats=1) if "seats" in Pig._fields else Pig(2), 10)


def run_with(folder, nets, monkeypatch, **rating):
    monkeypatch.setenv("TENGEN_RUNS", str(folder))
    run = RunDirectory.create("followed", {"game": "hex:5", "selfplay": {"threads": 1}, "rating": {**RATING, **rating}})
    for games in nets:
        run.save_net(games, (SHIPPED / f"{games:06}.onnx").read_bytes(), "nets" if games else "rated")
    return run


def follower(run):
    return Follower(run, run.read_config()["rating"], "hex:5", 1)


def test_networks_are_rated_as_they_appear(tmp_path, monkeypatch):
    run = run_with(tmp_path, NETS[:1], monkeypatch)
    one, waits = follower(run), iter([False] * 15 + [True])
    monkeypatch.setattr(following, "LOOK_EVERY", 0.0)
    one.follow(lambda: next(waits))
    for games in NETS[1:]:
        run.save_net(games, (SHIPPED / f"{games:06}.onnx").read_bytes())
    one.look_once_more(60)
    data = run.read_rating()
    found = standings_from(data)
    assert [s.games for s in found] == NETS
    assert [s.played for s in found] == [20, 4, 4]
    assert found[-1].rating > found[0].rating
    again = follower(run)
    again.look_once_more(60)
    assert run.read_rating() == data  # nothing is played twice, and nothing is lost
    run.save_rating({**data, "results": "nonsense"})
    assert follower(run).tracking.standings() == []


def test_it_takes_no_more_than_its_share(tmp_path, monkeypatch):
    run = run_with(tmp_path, NETS, monkeypatch, share=0.05, games=400)
    one = follower(run)
    end = time.monotonic() + 3
    one.follow(lambda: time.monotonic() > end)
    assert 0 < run.read_rating()["processor_seconds"] < 0.05 * 3 + 0.4  # a pair of games may be played to its end


def wait_for(condition, seconds=200):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def begin(run):
    command = [sys.executable, "-m", "tengen.arena.following", str(run.folder)]
    return subprocess.Popen(command, stdin=subprocess.PIPE)


def test_a_killed_process_loses_little_and_the_next_one_goes_on(tmp_path, monkeypatch):
    run = run_with(tmp_path, NETS, monkeypatch, games=4000)

    def played():
        data = run.read_rating()
        return sum(sum(row[2:]) for row in data["results"]) if data else 0

    process = begin(run)
    wait_for(lambda: played() > 0)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = played()
    after = begin(run)
    wait_for(lambda: played() > before)
    after.stdin.close()  # as when a training is killed
    assert after.wait(60) == 0


def test_the_process_begins_late_and_ends_with_the_training(tmp_path, monkeypatch):
    run = run_with(tmp_path, NETS, monkeypatch)
    with Following(run):
        pass  # over at once: there was nothing to follow
    assert not (run.folder / "rating.lock").exists()
    monkeypatch.setattr(following, "SHORTEST", 0.0)
    with Following(run) as one:
        wait_for((run.folder / "rating.lock").exists)
        one.end(is_complete=True)
        found = standings_from(run.read_rating())
    assert [s.games for s in found] == NETS
    assert all(s.played >= 4 for s in found)


def test_what_goes_wrong_is_kept_for_the_page(tmp_path, monkeypatch):
    run = run_with(tmp_path, NETS, monkeypatch)
    (run.nets / "001600.onnx").write_bytes(b"no network")
    with pytest.raises(TengenError):
        following.rate(run, lambda: False, lambda: False)
    assert "001600.onnx" in run.read_rating()["problem"]
    other = RunDirectory(run.folder)
    other.lock("rating.lock")  # it was given back
    following.rate(run, lambda: True, lambda: True)  # and here somebody else has it
    other.unlock()


def test_settings_that_would_do_nothing_are_refused():
    usual = load_preset("on-policy")
    for wrong in ({"share": 0.0, "points": 5}, {"share": 1.5}, {"points": 1}, {"games": 0}):
        with pytest.raises(SpecError):
            RatingSettings(**wrong)
    with pytest.raises(SpecError, match="two players"):
        replace(usual, rating=RatingSettings(games=4)).check_fit(Pig())
    training = replace(usual.training, games=40, nets=3)
    config = replace(usual, game="hex:3", training=training, rating=RatingSettings(points=5))
    assert [games for games in range(41) if config.is_rated_after(games)] == [0, 10, 20, 30, 40]
    assert config.is_rated(Hex(3))
    assert not replace(usual, rating=RatingSettings(share=0)).is_rated(Hex(3))
    assert not usual.is_rated(Pig())
