"""What a browser may name, and what it may not."""

from __future__ import annotations

import json

import pytest

from tengen.agents.levels import LEVELS, parse_opponent
from tengen.errors import SpecError, TengenError
from tengen.games import Position, parse_game
from tengen.web.messages import BadMessage, Message
from tengen.web.offers import Offers
from tengen.web.runs import Runs

HEX = parse_game("hex:5")


@pytest.fixture(autouse=True)
def no_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


def test_levels_networks_and_specs_are_found():
    offers = Offers()
    for level in LEVELS:
        assert offers.seat(level, HEX).spec is not None
    assert offers.seat("human", HEX).is_person
    name = "network hex-5, 0 games"
    assert offers.as_json()["networks"][name] == "hex:5"
    for text in (name, f"{name}, with search"):
        agent = offers.seat(text, HEX).spec.make(HEX)
        assert agent.choose(Position(HEX)) in range(25)
    assert agent.thoughts.simulations == 400
    assert offers.seat("uct,simulations=2000", HEX).name == "uct,simulations=2000"


def test_who_has_hardly_learned_anything_is_the_last_to_be_asked():
    names = Offers().analysts(HEX)
    games = [int(name.split()[-4]) if name.startswith("network") else None for name in names]
    trained = games[: games.index(None)]
    assert trained == sorted(trained, reverse=True)
    assert trained[-1] >= 1000
    assert games[-1] == 0, names


@pytest.mark.parametrize(
    "text",
    [
        "net:/etc/passwd", "net", "net:", "net,move=sample:model.onnx", "../../etc/passwd", "network ../hex-5, 0 games", "/etc/passwd, with search", "zero:hex-5", "lingz:/bin", "zero", "human,x",
        "uct,memory=100000", "uct,time=1000000", "uct,simulations=999999999", "uct:file", "uct,simulations=-1", "uct,x", "", "\ud800",
        "uct\n", "nobody", "uct,simulations=" + "9" * 400, "uct,time=nan", "uct,time=inf",
    ],
)  # fmt: skip
def test_no_file_and_nothing_huge_comes_from_a_browser(text):
    with pytest.raises(SpecError):
        Offers().seat(text, HEX)


@pytest.mark.parametrize(
    "text", ["my_game.py:Name", "/etc/passwd", "hex.py:Hex", "hex:99", "hex:" + "9" * 300, "gomoku:15,line=99", "", "nim:10000000", "\ud800", "hex:5\n.py:x"]
)  # fmt: skip
def test_no_game_comes_from_a_file_that_a_browser_names(text):
    with pytest.raises(SpecError):
        Offers().game(text)


def test_what_the_command_line_names_can_be_chosen(tmp_path):
    file = tmp_path / "my.py"
    file.write_text("from tengen.games.nim import Nim as Other\nfrom tengen import Hex\n")
    spec = f"{file}:Other,heaps=2"
    offers = Offers(games=[spec], agents=["uct,memory=1000", "human", "easy"])
    assert offers.game(spec).heaps == 2
    assert offers.seat("uct,memory=1000", HEX).spec is not None
    assert offers.as_json()["agents"] == ["uct,memory=1000"]
    with pytest.raises(SpecError):
        offers.game(f"{file}:Other,heaps=3")


def test_a_tree_of_the_page_is_small():
    agent = Offers().seat("uct,simulations=1000000", parse_game("gomoku:20")).spec.make(parse_game("gomoku:20"))
    assert agent.settings.memory <= 256


def test_seats_are_as_many_as_players():
    for texts in ([], ["human"], ["human"] * 3):
        with pytest.raises(SpecError):
            Offers().seats(texts, HEX)
    assert len(Offers().seats(["human", "easy"], parse_game("pig:2"))) == 1


def test_each_level_thinks_more_than_the_one_before():
    agents = [parse_opponent(name, HEX).make(HEX) for name in LEVELS]
    simulations = [agent.settings.simulations for agent in agents[:-1]]
    assert simulations == sorted(set(simulations))
    assert agents[-1].settings.time > 0


@pytest.mark.parametrize("name", ["", ".", "..", "../runs", "/etc", "x" * 500, "\ud800"])
def test_a_run_is_found_only_by_its_name(name, tmp_path):
    (tmp_path / "runs" / "real").mkdir(parents=True)
    (tmp_path / "runs" / "real" / "config.json").write_text("{}")
    (tmp_path / "config.json").write_text("{}")
    runs = Runs(None)
    assert runs.find("real").name == "real"
    with pytest.raises(TengenError, match="no run"):
        runs.find(name)
    assert runs.listing() == []  # what cannot be read is left out


# --- messages


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "5", "null", '"play"', "{}", '{"do": 5}', '{"do": null}', "[" * 10_000, "NaN", '{"do":"x"' * 99],
)
def test_what_is_no_message_is_refused(text):
    with pytest.raises(BadMessage):
        Message(text)


@pytest.mark.parametrize("value", [None, "5", 5.5, True, [], {}, 10**400, -(2**60)])
def test_a_number_is_a_number(value):
    with pytest.raises(BadMessage):
        Message(json.dumps({"do": "play", "move": value})).get("move", int)


def test_fields_are_read_by_kind():
    message = Message('{"do":"x","a":3,"b":"text","c":true,"d":0.5,"e":["p","q"],"long":"' + "y" * 600 + '"}')
    assert message.get("a", int) == 3
    assert message.get("a", float) == 3.0
    assert message.get("b", str) == "text"
    assert message.get("c", bool) is True
    assert message.get("d", float) == 0.5
    assert message.get("missing", bool, False) is False
    assert message.texts("e", 2) == ["p", "q"]
    for kind, name in ((str, "long"), (bool, "a"), (str, "missing"), (float, "c")):
        with pytest.raises(BadMessage):
            message.get(name, kind)
    for most in (1, 0):
        with pytest.raises(BadMessage):
            message.texts("e", most)
