"""`joined`: sees wins by threats, its own and the opponent's, in a tree that a network guides; limits, clocks, refusals."""

from __future__ import annotations

import time

import pytest
from evaluators import uniform
from proving import read_positions

from tengen.agents import parse_agent
from tengen.agents.classic import joined
from tengen.agents.classic.engine import Engine
from tengen.agents.searching import SearchAgent
from tengen.agents.zero import zero_settings
from tengen.errors import SpecError
from tengen.games import Gomoku, Hex, Position

pytestmark = pytest.mark.jit


@pytest.fixture(autouse=True)
def ignorant(monkeypatch, tmp_path):
    """The network knows nothing: all that is seen is seen by search."""
    monkeypatch.setattr(joined, "network_for", lambda *_: uniform)
    (tmp_path / "any.onnx").write_bytes(b"")
    monkeypatch.chdir(tmp_path)


def make(options, game):
    return parse_agent(f"joined,{options}:any.onnx").make(game)


def test_wins_by_fours_are_played():
    for game, cells, attacker in list(read_positions())[:12]:
        agent = make("simulations=100", game)
        position = Position.from_cells(game, cells, attacker - 1)
        move = agent.choose(position)
        assert agent.outlook == 1.0
        engine = Engine(game)
        position.play(move)
        if not position.is_over:  # whatever the opponent does, another four follows, or the end
            engine.set_up(position.cells(), 1 - position.to_move)
            assert engine.can_win_at_once(1 - position.to_move)


def lets_it_win(position, move):
    """Whether the opponent then wins by fours."""
    after = position.copy().play(move)
    engine = Engine(position.game)
    engine.set_up(after.cells(), after.to_move)
    return engine.seek_win(after.to_move, False, lambda: False, most_nodes=100_000) is not None


def test_moves_that_allow_a_win_by_threats_are_struck_out():
    """The opponent would win by fours if it were to move; a search without threats overlooks that, this one does not."""
    overlooked = tried = 0
    for game, cells, attacker in read_positions():
        position, engine = Position.from_cells(game, cells, 2 - attacker), Engine(game)
        engine.set_up(position.cells(), position.to_move)
        nearly_over = engine.can_win_at_once(2 - attacker) or engine.can_win_at_once(attacker - 1)
        if nearly_over or engine.seek_win(2 - attacker, True, lambda: False, most_nodes=20_000) is not None:
            continue
        agent = make("simulations=2000,threat_nodes=50", game)
        move = agent.choose(position)
        assert agent.outlook == -1.0 or not lets_it_win(position, move)  # or every move loses
        settings = zero_settings({"simulations": 2000})
        overlooked += lets_it_win(position, SearchAgent(game, settings, "zero", uniform).choose(position))
        tried += 1
        if tried == 6:
            break
    assert tried == 6
    assert overlooked >= 3


def test_the_same_seed_plays_the_same_game():
    game = Gomoku(9)
    games = []
    for _ in range(2):
        agent, position = make("simulations=200", game), Position(game, ["e5"])
        agent.new_game(4)
        while not position.is_over and len(position.moves) < 12:
            position.play(agent.choose(position))
        games.append(position.moves)
    assert games[0] == games[1]


@pytest.mark.parametrize(("options", "deadline"), [("time=0.3", None), ("time=60", 0.3), ("simulations=1000000", 0.3)])
def test_the_clock_is_kept(options, deadline, waited):
    agent = make(options, Gomoku(15))
    position = Position(Gomoku(15), ["h8", "i9", "h10", "h9", "g9", "i11"])
    make("simulations=10", Gomoku(15)).choose(position)  # compiled, or read from the cache
    start, lost = time.monotonic(), waited()
    if deadline:
        agent.deadline = start + deadline
    assert agent.choose(position) in position.legal_moves
    assert time.monotonic() - start - (waited() - lost) < 0.3 * 1.05 + 0.1
    assert agent.deadline == (start + deadline if deadline else None)


@pytest.mark.parametrize(
    ("spec", "game", "words"),
    [
        ("joined:any.onnx", Hex(5), "plays gomoku alone"),
        ("joined:any.onnx", Gomoku(9, 7), "rows of 3 to 6"),
        ("joined,threat_nodes=0:any.onnx", Gomoku(9), "threat_nodes is 1 to"),
        ("joined,candidates=urgent:any.onnx", Gomoku(9), "no option"),
        ("joined,selection=flat:any.onnx", Gomoku(9), "no tree"),
        ("joined", Gomoku(9), "needs a target"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(spec, game, words):
    with pytest.raises(SpecError, match=words):
        parse_agent(spec).make(game)
