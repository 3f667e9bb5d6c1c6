"""Proofs from outside: they go up the tree as the solver's own do, change no truth, and are asked for in good time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from evaluators import uniform

from tengen.arena.solving import Solver
from tengen.errors import TengenError
from tengen.games import Gomoku, Hex, Position
from tengen.search import Forest, Search, SearchSettings
from tengen.search.proving import AGAIN, RIPE, settle

UNDECIDED = SearchSettings(solver=True, simulations=300)


def true_bounds(forest, node=0):
    """What an expanded position is worth at least and at most in its own view, by the moves below it, as in `solving`."""
    tried = forest.children(0, node)
    known = forest.trees.facts[0][tried]
    rest = 1.0 if len(known) < forest.trees.nodes[0, node]["children"] else -1.0
    return max(-1.0, known["low"].max()), max(rest, known["high"].max())


@pytest.mark.parametrize("value", [1.0, -1.0, 0.0])
def test_a_proof_goes_up_the_tree(value):
    """All positions on its way have the bounds that follow from their moves; others are as they were."""
    game = Gomoku(4, line=4)
    forest = Forest(game, UNDECIDED, seed=2)
    forest.begin(0, 3000)
    forest.run()
    line = forest.principal_variation(0)[:4]
    before = forest.trees.facts[0].copy()
    settle(forest, line, value)
    node, path = 0, []
    for move in line:
        tried = forest.children(0, node)
        node = tried.start + int(np.flatnonzero(forest.trees.edges[0][tried]["move"] == move)[0])
        path.append(node)
    facts = forest.trees.facts[0]
    assert facts[path[-1]]["low"] == facts[path[-1]]["high"] == -value  # in the view of the one who moved there
    for above in path[:-1]:
        low, high = true_bounds(forest, above)
        assert (facts[above]["low"], facts[above]["high"]) == (-high, -low)
    assert (facts[0]["low"], facts[0]["high"]) == true_bounds(forest)
    others = np.setdiff1d(np.arange(forest.used(0)), [0, *path])
    assert facts[others].tobytes() == before[others].tobytes()  # bytes: where nothing was tried yet, anything may stand


@pytest.mark.jit
def test_with_a_prover_who_knows_everything_the_root_is_proven_early_and_rightly():
    game = Hex(4)
    solver, shown = Solver(game), []

    def knows(position, effort):
        shown.append(tuple(position.moves))
        return solver.value(position)

    for opening, worth in (([], 1.0), (["a1"], 1.0), (["b3"], -1.0)):
        settings = SearchSettings(solver=True, simulations=2000, selection="puct", evaluation="network", c=1.5)
        searches = [Search(game, settings, uniform, seed=1, prover=prover) for prover in (None, knows)]
        alone, helped = (search.run(Position(game, opening)) for search in searches)
        assert alone.proven is None
        assert helped.proven == worth
        if worth > 0:
            assert solver.value(Position(game, opening).play(helped.best)) == -1.0
    assert shown


@pytest.mark.jit
def test_a_move_that_is_proven_to_lose_is_not_played_and_not_visited_any_more():
    """The prover knows of every first move but one that it loses; that the last one does is found by nobody."""
    game, kept = Hex(5), 7

    def knows(position, effort):
        return 1.0 if len(position.moves) == 1 and position.moves[0] != kept else None

    search = Search(game, SearchSettings(solver=True, simulations=5000), seed=1, prover=knows)
    result = search.run(Position(game))
    assert result.best == kept
    assert result.proven is None
    others = np.delete(result.visits, kept)
    assert others.max() < 2000 < result.visits[kept]
    assert (np.delete(result.weights, kept) < RIPE).all()  # a few were never shown


@pytest.mark.jit
def test_positions_are_shown_when_they_are_ripe_and_again_when_their_visits_have_grown():
    game, shown = Gomoku(6, line=4), {}

    def notes(position, effort):
        assert position.array.tobytes() == Position(game, position.moves).array.tobytes()
        shown.setdefault(tuple(position.moves), []).append(effort)
        return

    search = Search(game, SearchSettings(solver=True, simulations=4000), seed=1, prover=notes)
    position = Position(game, ["c3"])
    result = search.run(position)
    assert all(moves[0] == position.moves[0] for moves in shown)
    for efforts in shown.values():
        assert efforts[0] >= RIPE
        assert all(later >= AGAIN * earlier for earlier, later in pairwise(efforts))
    often = {move for move in result.legal if result.visits[move] >= 2 * RIPE}
    assert often <= {moves[1] for moves in shown if len(moves) == 2}
    assert max(len(efforts) for efforts in shown.values()) >= 2
    before = {moves: list(efforts) for moves, efforts in shown.items()}
    search.run(position.play(result.best))  # the tree goes on, and what it was shown is remembered
    for moves, efforts in shown.items():
        assert all(later >= AGAIN * earlier for earlier, later in pairwise(efforts)), (
            before.get(moves),
            efforts,
        )


@pytest.mark.jit
def test_the_same_search_finds_the_same_proofs():
    game, solver = Hex(4), Solver(Hex(4))

    def knows(position, effort):
        return solver.value(position) if len(position.moves) > 4 else None

    settings = SearchSettings(solver=True, simulations=700)
    results = [
        Search(game, settings, seed=3, prover=knows).run(Position(game), progress=watcher, watch=watcher)
        for watcher in (None, lambda seen: None)
    ]
    assert (results[0].visits == results[1].visits).all()


def test_proofs_need_the_solver():
    with pytest.raises(TengenError, match="solver=True"):
        Search(Hex(4), SearchSettings(), prover=lambda position, effort: None)
