"""The ladder: its rungs exist, its ratings belong to them, and an agent is put where its games say."""

from __future__ import annotations

import json
import math

import pytest

from tengen.agents import parse_agent
from tengen.arena import ladder
from tengen.arena.gauntlet import GauntletResult
from tengen.arena.ladder import LADDERS, Place, ladder_of, place, rung_ratings, with_rungs
from tengen.arena.ladder_ratings import RATINGS
from tengen.arena.match import MatchResult, Tally
from tengen.cli.main import run
from tengen.errors import SpecError
from tengen.games import GAMES, parse_game

RUNGS = {"weak": Place("weak", -200.0, -300, -100), "strong": Place("strong", 200.0, 100, 300)}


def result(*tallies: Tally) -> GauntletResult:
    matches = tuple(MatchResult(("me", name), tally) for name, tally in zip(RUNGS, tallies))
    return GauntletResult(("me",), tuple(RUNGS), (matches,))


@pytest.mark.parametrize("rungs", LADDERS.values(), ids=list(LADDERS))
def test_rungs_are_agents_and_none_stands_twice(rungs):
    assert [parse_agent(rung).text for rung in rungs] == list(rungs)
    assert len(set(rungs)) == len(rungs)
    assert "random" in rungs


def test_ladders_are_of_known_games():
    assert set(LADDERS) - set(GAMES) == {"any other game"}


def test_measured_ratings_are_of_the_rungs_that_there_are():
    for text, rated in RATINGS.items():
        game = parse_game(text)
        assert set(rated) == set(ladder_of(game)[0]), f"{text}: python benchmarks/ladder.py {text}"
        assert abs(sum(rating for rating, _, _ in rated.values())) <= len(rated)  # the mean is 0, but for rounding
        assert all(low < rating < high for rating, low, high in rated.values())
        assert rung_ratings(game)["random"].rating < 0


def test_rungs_that_do_not_know_a_game_are_left_out():
    rungs, refusals = ladder_of(parse_game("gomoku:5,line=2"))
    assert "uct,simulations=400" in rungs
    assert not any(rung.startswith(("classic", "alphabeta")) for rung in rungs)
    assert len(rungs) + len(refusals) == len(LADDERS["gomoku"])
    assert any("rows of 3 to 6" in reason for reason in refusals)


def test_the_word_stands_for_the_rungs():
    game = parse_game("nim:3")
    rungs = LADDERS["any other game"]
    assert with_rungs(("flat", "ladder"), game) == ("flat", *rungs)
    assert with_rungs(("flat",), game) == ("flat",)


def test_an_even_score_against_two_stands_between_them():
    placed = place(result(Tally(9, 1), Tally(1, 9)), 0, RUNGS)
    assert placed.rating == pytest.approx(0, abs=1e-6)
    assert placed.low == pytest.approx(-placed.high)


def test_a_score_against_one_rung_is_that_far_from_it():
    placed = place(result(Tally(), Tally(7500, 2500)), 0, RUNGS)
    assert placed.rating == pytest.approx(200 + 400 * math.log10(3), abs=2)
    assert placed.high - placed.low < 20
    few = place(result(Tally(), Tally(75, 25)), 0, RUNGS)
    assert few.high - few.low > 100  # the fewer games, the less is known


def test_draws_are_half_a_point():
    drawn = place(result(Tally(0, 0, 20), Tally(0, 0, 20)), 0, RUNGS)
    assert drawn.rating == pytest.approx(0, abs=1e-6)


def test_a_clean_sweep_is_finite_and_above_all():
    placed = place(result(Tally(50, 0), Tally(50, 0)), 0, RUNGS)
    assert 200 < placed.low < placed.rating < 2000
    assert place(result(Tally(0, 50), Tally(0, 50)), 0, RUNGS).rating == pytest.approx(-placed.rating)


def test_who_met_no_rung_has_no_place():
    with pytest.raises(SpecError, match="no rung"):
        place(result(Tally(), Tally()), 0, RUNGS)


def test_the_command_places_an_agent(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path))
    monkeypatch.setitem(LADDERS, "hex", ("random", "uct,simulations=200"))
    figures = {"random": (-300, -400, -200), "uct,simulations=200": (300, 200, 400)}
    monkeypatch.setattr(ladder, "RATINGS", {"hex:3": figures})
    line = "tournament hex:3 flat,simulations=20 --against ladder random,x --games 6"
    assert run(line.split()) == 2  # the word may stand beside others, which are read as ever
    assert "random has no option 'x'" in capsys.readouterr().err
    assert run([*line.replace(" random,x", "").split(), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["opponents"] == ["random", "uct,simulations=200"]
    placed = {one["name"]: one for one in data["ladder"]}
    assert placed["random"]["rating"] == -300
    assert placed["flat,simulations=20"]["rating"] > -300
    assert run(line.replace(" random,x", " flat,simulations=1").split()) == 0
    out = capsys.readouterr().out
    assert "on the ladder" in out
    assert "ratings from these games" in out  # the one that is no rung
    monkeypatch.setattr(ladder, "RATINGS", {})
    assert run(line.replace(" random,x", "").split()) == 0
    assert "have not been measured in hex:3" in " ".join(capsys.readouterr().out.split())
