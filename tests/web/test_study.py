"""What is thought of a game: analysis, hints, review, teaching; without a browser."""

from __future__ import annotations

import time

import pytest

from tengen.agents import Agent, AgentSpec, parse_agent
from tengen.errors import TengenError
from tengen.games import Position, parse_game
from tengen.web.insight import Candidate, Insight, from_record, key_after, suits
from tengen.web.review import judge, review
from tengen.web.table import PERSON, RECORD, Seat, Table
from tengen.web.thinking import Thinkers

GAME = "gomoku:3,line=3"
LOST = [0, 8, 1, 7, 2]  # the fourth move should have been 2


@pytest.fixture
def thinkers():
    made = Thinkers(places=4)
    yield made
    made.close()


@pytest.fixture
def table(thinkers):
    """Two people play; somebody looks."""
    made = seated(thinkers, [PERSON, PERSON])
    yield made
    made.close()


def seated(thinkers, seats, record=(), game=GAME):
    made = Table(parse_game(game), seats, thinkers, record=record)
    made.watch(lambda: None)
    made.study.choose_engine("uct", parse_agent("uct,time=600,memory=16"))
    return made


def wait_for(condition, seconds=240.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


def play(table, moves):
    for ply, move in enumerate(moves):
        table.play(move, ply)


def seen(table):
    with table.lock:
        return table.study.as_json()


def ask(table, verb, *values):
    with table.lock:
        getattr(table.study, verb)(*values)


def test_analysis_follows_the_position_and_keeps_what_it_found(table):
    ask(table, "switch", True)
    wait_for(lambda: seen(table)["now"] and seen(table)["now"]["visits"] > 200)
    first = seen(table)
    assert first["now"]["by"] == "uct"
    assert first["now"]["moves"][0]["name"] == "b2"
    assert len(first["now"]["moves"][0]["line"]) > 1
    table.play(4, 0)
    wait_for(lambda: seen(table)["now"] and seen(table)["now"]["player"] == 1 and seen(table)["now"]["visits"] > 200)
    ask(table, "switch", False)
    wait_for(lambda: not table.study._is_busy)
    after = seen(table)
    assert after["now"]["visits"] > 200  # stopped, and kept
    assert [point[0] for point in after["graph"]] == [0, 1]
    table.undo()
    time.sleep(0.05)
    assert seen(table)["now"]["visits"] >= first["now"]["visits"]  # and still there, without a new search
    assert not table.study._is_busy


def test_the_graph_is_always_from_one_side(thinkers):
    good = Insight(0, 0.8, 500, (Candidate(4, 500, 0.8),))
    bad = Insight(1, 0.3, 500, (Candidate(0, 500, 0.3),))
    table = seated(thinkers, [PERSON, PERSON])
    play(table, [4])
    table.study.add(key_after([])[-1], good)
    table.study.add(key_after([4])[-1], bad)
    assert seen(table)["graph"] == [[0, 0.8, 500], [1, 0.7, 500]]
    table.close()


def test_a_hint(table):
    play(table, LOST[:3])
    ask(table, "give_hint")
    wait_for(lambda: seen(table)["hint"])
    assert seen(table)["now"]["moves"][0]["move"] == 2  # the only move that does not lose at once
    table.play(2, 3)
    assert not seen(table)["hint"]


def test_review_names_the_mistake_and_the_better_move(table):
    play(table, LOST)
    assert table.is_over
    ask(table, "review", 0.1)
    wait_for(lambda: seen(table)["reviewing"] == [6, 6])
    found = seen(table)
    verdict = found["verdicts"][3]
    assert (verdict["kind"], verdict["better"], verdict["player"]) == ("blunder", 2, 1)
    assert found["verdicts"][4]["kind"] == "best"
    assert found["graph"][-1] == [5, 1.0, -1]  # the end is certain
    table.go_to(3)  # and it can be looked at
    assert seen(table)["now"]["moves"][0]["move"] == 2
    table.go_to(5)
    assert table.is_over


def test_a_review_can_be_stopped(table):
    play(table, LOST)
    ask(table, "review", 10.0)
    wait_for(lambda: seen(table)["busy"] == "review")
    ask(table, "stop")
    wait_for(lambda: not table.study._is_busy, 30)
    assert seen(table)["reviewing"] == [0, 0]


def test_teaching_names_a_bad_move_which_is_taken_back(thinkers):
    slow = Seat("slow", AgentSpec("slow", lambda game: Waits(game, "slow")))
    table = seated(thinkers, [slow, PERSON], game=GAME)
    ask(table, "teach", True)
    for ply, move in enumerate(LOST[:4]):
        if ply % 2:
            table.play(move, ply)
        else:
            wait_for(lambda ply=ply: len(table.position.moves) > ply)
    wait_for(lambda: seen(table)["warning"])
    warning = seen(table)["warning"]
    assert (warning["better"], warning["ply"], warning["name"]) == (2, 4, "b1")
    table.go_to(warning["ply"] - 1)
    assert seen(table)["warning"] is None
    table.play(2, 3)
    wait_for(lambda: not table.study._is_busy)
    assert seen(table)["warning"] is None
    table.close()


class Waits(Agent):
    """Plays the game above."""

    def choose(self, position):
        return next((m for m in LOST[::2] if m in position.legal_moves), position.legal_moves[0])


def test_what_an_agent_thinks_is_shown_while_it_thinks(thinkers):
    table = seated(thinkers, [Seat("uct", parse_agent("uct,time=600,memory=16")), PERSON])
    wait_for(lambda: seen(table)["now"] and seen(table)["now"]["visits"] > 300)
    before = seen(table)["now"]
    assert before["by"] == "uct"
    wait_for(lambda: seen(table)["now"]["visits"] > before["visits"])
    table.move_now()
    wait_for(lambda: len(table.position.moves) == 1)
    assert seen(table)["graph"][0][2] >= before["visits"]  # kept for the position before the move
    table.close()


def test_the_tree_is_unfolded_while_it_grows_and_afterwards(table):
    ask(table, "switch", True)
    wait_for(lambda: seen(table)["now"] and seen(table)["now"]["visits"] > 200)
    with table.lock:
        asked = table.study.unfold([4])
    replies = asked.result(60)
    assert len(replies) == 8
    assert replies[0].visits >= replies[-1].visits > 0
    ask(table, "switch", False)
    wait_for(lambda: not table.study._is_busy)
    with table.lock:
        assert len(table.study.unfold([]).result(1)) == 9
        assert table.study.unfold([4, 4]).result(1) == ()
    table.play(4, 0)
    with table.lock:
        assert table.study.unfold([]).result(1) == ()  # the tree is of another position


def test_a_recorded_game_shows_what_the_search_thought():
    position = Position(parse_game(GAME))
    insight = from_record(position, {4: 90, 0: 10}, 0.5, "self-play")
    assert insight.best.move == 4
    assert insight.first_rate() == 0.75
    assert from_record(position, None, 0.0, "self-play") is None


def test_only_games_that_are_won_or_lost_can_be_analysed(thinkers):
    assert not suits(parse_game("pig"))
    table = Table(parse_game("pig"), [PERSON], thinkers)
    table.study.choose_engine("uct", parse_agent("uct"))
    for verb, values in (("switch", [True]), ("give_hint", []), ("review", [1.0]), ("teach", [True])):
        with pytest.raises(TengenError):
            ask(table, verb, *values)
    assert seen(table) == {"possible": False}


def test_an_analyst_that_fails_is_named_and_the_table_goes_on(table):
    class Fails(Agent):
        def choose(self, position):
            raise RuntimeError("out of ideas")

    table.study.choose_engine("fails", AgentSpec("fails", lambda game: Fails(game, "fails")))
    ask(table, "switch", True)
    wait_for(lambda: seen(table)["problem"])
    assert seen(table)["problem"] == "fails has failed: RuntimeError: out of ideas"
    assert not seen(table)["on"]
    table.play(4, 0)


def test_verdicts():
    before = Insight(0, 0.6, 1000, (Candidate(4, 900, 0.7), Candidate(3, 50, 0.5)))
    assert judge(before, 4, Insight(1, 0.9, 1000, ())).kind == "best"
    assert judge(before, 3, Insight(1, 0.32, 1000, ())).kind == "good"
    assert judge(before, 3, Insight(1, 0.36, 1000, ())).kind == "inexact"
    assert judge(before, 3, Insight(1, 0.45, 1000, ())).kind == "mistake"
    worst = judge(before, 3, 0.0)
    assert (worst.kind, worst.better, worst.loss) == ("blunder", 4, 0.7)
    assert review([3, 4], [before, None, before]) == [None, None]


def test_a_record_shows_the_thoughts_that_were_kept(thinkers):
    table = Table(parse_game(GAME), [RECORD, RECORD], thinkers, record=[(4, ""), (0, "")], pause=9)
    table.study.add(key_after([])[-1], Insight(0, 0.5, 40, (Candidate(4, 40, None),)))
    now = seen(table)["now"]
    assert now["few"]
    assert now["moves"][0]["rate"] is None
    table.close()
