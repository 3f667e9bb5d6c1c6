"""Analysis by JSON lines."""

from __future__ import annotations

import io
import json

import pytest

from tengen.cli.main import run
from tengen.games import parse_game
from tengen.protocols.queries import QueryError, position_at, read_query


def answers(capsys, monkeypatch, *queries, arguments=()):
    lines = "".join((q if isinstance(q, str) else json.dumps(q)) + "\n" for q in queries)
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert run(["analyse", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_position_is_analysed_and_the_query_answered_turn_by_turn(capsys, monkeypatch):
    query = {"id": "a", "game": "gomoku:3,line=3", "moves": ["a1", "c3", "b1"], "maxVisits": 400, "analyzeTurns": [3, 0], "includePolicy": True}  # fmt: skip
    blocks, start = answers(capsys, monkeypatch, query)
    assert (blocks["id"], blocks["turnNumber"], start["turnNumber"]) == ("a", 3, 0)
    assert blocks["moveInfos"][0]["move"] == "c1"
    assert blocks["moveInfos"][0]["pv"][0] == "c1"
    assert len(blocks["moveInfos"][0]["pv"]) > 1
    assert blocks["rootInfo"]["currentPlayer"] == "W"
    assert 399 <= blocks["rootInfo"]["visits"] <= 400
    assert sum(info["visits"] for info in start["moveInfos"]) == start["rootInfo"]["visits"]
    assert len(start["policy"]) == 9
    worse = [info["winrate"] for info in blocks["moveInfos"][1:]]
    assert max(worse) < blocks["moveInfos"][0]["winrate"]


def test_an_answer_does_not_depend_on_what_was_asked_before(capsys, monkeypatch):
    query = {"id": "a", "moves": ["b2"], "maxVisits": 100}
    other = {"id": "b", "moves": ["b2", "a1"], "maxVisits": 100}
    arguments = ["--game", "gomoku:3,line=3"]
    first, _, again = answers(capsys, monkeypatch, query, other, query, arguments=arguments)
    assert first == again


def test_what_is_wrong_is_said_in_a_line_and_the_next_query_is_answered(capsys, monkeypatch):
    good = {"id": "z", "game": "gomoku:3,line=3", "maxVisits": 20}
    found = answers(
        capsys, monkeypatch, "{", "[1]", {"id": 5}, {"id": "a"}, {"id": "b", "game": "chess"}, "",
        {"id": "c", "game": "hex:3", "moves": ["z9"]}, {"id": "d", "game": "gomoku:3,line=3", "moves": ["a1", "b1", "a2", "b2", "a3"]},
        {"id": "e", "game": "pig"}, {"id": "f", "game": "hex:3", "visits": 3}, good,
    )  # fmt: skip
    assert [row.get("id") for row in found] == [None, None, None, "a", "b", "c", "d", "e", "f", "z"]
    assert all("error" in row for row in found[:-1])
    assert "after 5 moves there is nobody to move" in found[6]["error"]
    assert "no field 'visits'" in found[8]["error"]
    assert found[-1]["moveInfos"]


def test_an_agent_that_does_not_search_says_nothing(capsys, monkeypatch):
    (row,) = answers(capsys, monkeypatch, {"id": "a", "game": "hex:3"}, arguments=["--agent", "random"])
    assert "does not say what it thinks" in row["error"]


@pytest.mark.parametrize(
    "text",
    ['{"id":"a","moves":"d4"}', '{"id":"a","moves":[4]}', '{"id":"a","moves":[["X","d4"]]}', '{"id":"a","maxVisits":0}',
     '{"id":"a","maxVisits":true}', '{"id":"a","analyzeTurns":[1]}', '{"id":"a","analyzeTurns":[]}',
     '{"id":"a","includePolicy":1}', '{"id":"a","game":7}', "[" * 100_000, '{"id":"a","maxVisits":1e999}'],
)  # fmt: skip
def test_what_is_no_query(text):
    with pytest.raises(QueryError):
        read_query(text)


def test_colours_must_be_those_of_the_one_to_move():
    query = read_query('{"id":"a","moves":[["B","a1"],["W","b1"]]}')
    assert position_at(query, parse_game("hex:3"), 2).move_names == ["a1", "b1"]
    wrong = read_query('{"id":"a","moves":[["B","a1"],["B","b1"]]}')
    with pytest.raises(QueryError, match="move 2: it is not B's turn"):
        position_at(wrong, parse_game("hex:3"), 2)
