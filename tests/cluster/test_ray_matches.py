"""A tournament whose games are played by Ray's workers: the same games as here, whoever is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="the cluster needs the extra [cluster]: pip install 'tengen[cluster]'")

import tengen
from tengen.agents import parse_agent
from tengen.arena.gauntlet import Gauntlet
from tengen.arena.topp import Topp
from tengen.cluster.connecting import connected
from tengen.cluster.matches import ClusterMatches
from tengen.cluster.parcels import note, read_note
from tengen.cluster.referee import Referee
from tengen.games import parse_game

pytestmark = pytest.mark.jit
NETS = sorted((Path(tengen.__file__).parent / "models" / "hex-5").glob("*.onnx"))


@pytest.fixture(scope="module")
def ray():
    with connected("local", 2) as ray:
        yield ray


def spread(ray, game):
    return ClusterMatches(ray, game, 2)


def test_the_games_are_those_that_are_played_here(ray):
    game = parse_game("hex:5")
    specs = [parse_agent(text) for text in (f"net:{NETS[0]}", f"net,move=sample:{NETS[-1]}", "random")]
    elsewhere, here = [], []
    matches = spread(ray, game)
    killed = []

    def on_game(first, second, played):
        elsewhere.append((first, second, played))
        if len(elsewhere) == 6 and not killed:
            killed.append(matches._crew.ready[0].process)
            os.kill(killed[0], signal.SIGKILL)

    far = Topp(game, specs, ["a", "b", "c"]).play(40, seed=3, on_game=on_game, spread=matches)
    losses = matches._crew.losses
    matches.close()
    near = Topp(game, specs, ["a", "b", "c"]).play(40, seed=3, on_game=lambda *told: here.append(told))
    assert sorted(map(repr, elsewhere)) == sorted(map(repr, here))
    assert far.as_json() == near.as_json()
    assert killed
    assert losses >= 1


def test_a_gauntlet_and_the_names_of_agents(ray):
    game = parse_game("hex:5")
    matches = spread(ray, game)
    specs = [parse_agent("random")], [parse_agent("random"), parse_agent(f"net:{NETS[0]}")]
    far = Gauntlet(game, *specs).play(6, seed=1, spread=matches)
    matches.close()
    near = Gauntlet(game, *specs).play(6, seed=1)
    assert far.as_json(("red", "black")) == near.as_json(("red", "black"))


def test_a_referee_makes_the_agents_of_its_pair_and_calls_them_as_at_home():
    order = note(game="hex:5")
    data = NETS[-1].read_bytes()
    referee = Referee(order, lambda reference: data)
    referee.hello()
    text = "net:somewhere/else.onnx"
    games = [[0, 7, 0, [3, 4]], [1, 8, 1, [3, 4]]]
    said = read_note(referee.play(note(pair=[text, "random"], networks=[0, None], games=games), ["any"]))
    assert [number for number, *_ in said["games"]] == [0, 1]
    [here] = referee._names
    assert not Path(here.partition(":")[2]).exists()  # nothing stays behind
    assert referee._as_at_home(f"{here}: no move") == f"{text}: no move"
