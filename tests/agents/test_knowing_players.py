"""Players that search with knowledge: `hmcts`, and `uct` with its options."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.agents import parse_agent
from tengen.errors import SpecError
from tengen.games import Gomoku, Nim, Position
from tengen.search import Search, SearchSettings

SIZE = 9
# Black to move: a win in one, a win of white to be blocked, an open four to be made.
TO_SOLVE = {
    "win": ("c3 d3 e3 f3", "c5 d5 e5 f5 b3", {"g3"}),
    "block": ("b5 d3 h8", "c5 d5 e5 f5", {"g5"}),
    "make a four": ("d4 e4 f4", "a1 i9 b7", {"c4", "g4"}),
}


def board(mine: str, theirs: str) -> Position:
    game = Gomoku(SIZE)
    cells = np.zeros(game.move_count(), np.int32)
    for colour, names in ((1, mine), (2, theirs)):
        for name in names.split():
            cells[game.parse_move(name)] = colour
    return Position.from_cells(game, cells.tolist(), 0)


@pytest.mark.parametrize("name", TO_SOLVE)
@pytest.mark.parametrize(
    "spec",
    [
        "hmcts,simulations=30",
        "hmcts,simulations=30,candidates=all",
        "uct,simulations=600,rollouts=knowledge,candidates=knowledge",
        "ucb1,simulations=600,rollouts=urgent,candidates=likely,most_likely=12,epsilon=0.1",
        "flat,simulations=40,rollouts=urgent",
    ],
)
def test_they_win_block_and_make_fours(spec, name):
    mine, theirs, expected = TO_SOLVE[name]
    agent = parse_agent(spec).make(Gomoku(SIZE))
    agent.new_game(1)
    position = board(mine, theirs)
    assert Gomoku(SIZE).move_name(agent.choose(position)) in expected


def test_hmcts_gives_each_likely_move_as_many_games():
    position = board("e5", "f6")
    result = Search(
        Gomoku(SIZE), SearchSettings(selection="flat", simulations=7, candidates="likely", rollouts="knowledge"), seed=3
    ).run(position)
    out = np.zeros(SIZE * SIZE, np.int32)
    known = np.zeros(Gomoku(SIZE).knowledge_size(), np.int32)
    Gomoku(SIZE).study(position.array, known)
    near = out[: Gomoku(SIZE).likely_moves(position.array, known, 0, out)].tolist()
    assert sorted(result.legal) == sorted(near)
    assert [int(result.visits[move]) for move in near] == [7] * len(near)
    assert result.simulations == 7 * len(near) + 1
    assert result.visits.sum() == 7 * len(near)


def test_candidates_shrink_the_tree():
    position = board("e5", "f6")
    everything = Search(Gomoku(SIZE), SearchSettings(simulations=100), seed=1).run(position)
    best = Search(Gomoku(SIZE), SearchSettings(simulations=100, candidates="likely", most_likely=5), seed=1).run(
        position
    )
    forced = Search(Gomoku(SIZE), SearchSettings(simulations=100, candidates="urgent"), seed=1).run(
        board(*TO_SOLVE["block"][:2])
    )
    assert (len(everything.legal), len(best.legal), len(forced.legal)) == (SIZE * SIZE - 2, 5, 1)
    assert best.visits.sum() == everything.visits.sum() == 99


def test_the_tree_goes_on_with_what_is_known():
    """After moves of a game the root's knowledge is that of the new position."""
    game = Gomoku(SIZE)
    search = Search(game, SearchSettings(simulations=200, rollouts="knowledge", candidates="knowledge"), seed=1)
    position = Position(game)
    for name in ("e5", "a1", "e6", "a2", "e7", "a3"):  # a three: black makes a four that wins
        search.run(position)
        position.play(name)
    assert {game.move_name(move) for move in search.run(position).legal} == {"e4", "e8"}


@pytest.mark.parametrize("spec", ["uct,rollouts=knowledge", "hmcts", "ucb1,candidates=likely", "rave,rollouts=urgent"])
@pytest.mark.parametrize("game", [Nim(3), Gomoku(9, line=7)], ids=str)
def test_a_game_that_knows_nothing_is_refused(game, spec):
    with pytest.raises(SpecError, match=r"offers no (urgent|likely) moves") as caught:
        parse_agent(spec).make(game)
    assert "\n" not in str(caught.value)


def test_a_network_is_asked_for_in_a_line():
    with pytest.raises(SpecError, match="zero,rollouts=network"):
        parse_agent("uct,rollouts=network")
