"""The solver: what it proves is true, it is used at the root, and games that it cannot be used for are refused."""

from __future__ import annotations

import numpy as np
import pytest
from evaluators import hashed, uniform

from tengen.errors import SpecError
from tengen.games import Gomoku, Hex, Nim, Pig, Position
from tengen.search import Forest, Search, SearchSettings

ENOUGH = 1_000_000


def prove(position, **settings):
    return Search(position.game, SearchSettings(simulations=ENOUGH, solver=True, **settings), seed=1).run(position)


@pytest.mark.jit
@pytest.mark.parametrize(("size", "winning"), [(3, "a2 a3 b2 c1 c2"), (4, "a4 b3 c2 d1")])
@pytest.mark.parametrize("selection", ["uct", "rave"])
def test_winning_first_moves_of_hex(size, winning, selection):
    game, found = Hex(size), []
    for move in range(size * size):
        result = prove(Position(game, [move]), selection=selection)
        assert result.proven in (-1.0, 1.0)
        assert result.simulations < ENOUGH
        if result.proven == -1.0:  # the other player has lost
            found.append(game.move_name(move))
    assert sorted(found) == winning.split()
    first = prove(Position(game), selection=selection)
    assert first.proven == 1.0
    assert game.move_name(first.best) in winning.split()


@pytest.mark.jit
@pytest.mark.parametrize("selection", ["uct", "puct", "rave"])
def test_tic_tac_toe_is_a_draw(selection):
    result = prove(Position(Gomoku(3, line=3)), selection=selection)
    assert result.proven == 0.0
    assert result.value == 0.0
    assert result.moves[0].proven == 0.0
    assert result.simulations < ENOUGH


def minimax(position, known):
    """What a position is worth to its mover, by looking at everything."""
    key = position.array.tobytes()
    if key not in known:
        best = -1.0
        for move in position.legal_moves:
            child = position.copy()
            child.play(move)
            reward = child.returns[position.to_move] - position.returns[position.to_move]
            best = max(best, reward if child.is_over else -minimax(child, known))
        known[key] = best
    return known[key]


@pytest.mark.parametrize("evaluator", [None, hashed], ids=["rollouts", "network"])
@pytest.mark.parametrize("game", [Gomoku(3, line=3), Nim(3), Nim(3, misere=True)], ids=str)
def test_nothing_false_is_proven(game, evaluator):
    settings = SearchSettings(simulations=1000, solver=True, evaluation="network" if evaluator else "rollout")
    forest = Forest(game, settings, seed=3)
    forest.begin(0, settings.simulations)
    forest.run(evaluator)
    truth, proven, waiting = {}, 0, [(0, Position(game))]
    while waiting:
        node, position = waiting.pop()
        best = minimax(position, truth)
        sign = 1 if node == 0 else -1  # both games alternate: the chooser of the move is the other player
        low, high = (forest.trees.facts[0, node][name] for name in ("low", "high"))
        assert min(sign * low, sign * high) <= best <= max(sign * low, sign * high)
        proven += low == high
        children = forest.children(0, node)
        for child in range(children.start, children.stop):
            after = position.copy()
            after.play(int(forest.trees.edges[0, child]["move"]))
            if after.is_over:
                reward = after.returns[position.to_move]
                assert forest.trees.facts[0, child]["low"] == forest.trees.facts[0, child]["high"] == reward
            else:
                waiting.append((child, after))
    assert proven > 0


NEARLY_WON = Position(Gomoku(3, line=3), ["a1", "b1", "a2", "b2"])
"""The player to move can win (a3) or let the other one win (b3)."""


def test_a_proven_win_is_played_and_learned_from():
    forest = Forest(NEARLY_WON.game, SearchSettings(selection="puct", solver=True, evaluation="network"), seed=2)
    forest.reset(0, NEARLY_WON.array)
    forest.begin(0, 400)
    forest.run(uniform)
    move, weights = forest.decide(0, 0)
    assert NEARLY_WON.game.move_name(move) == "a3"
    assert [m for m, weight in weights.items() if weight] == [move]
    assert forest.proven(0) == forest.value(0) == 1.0
    assert forest.simulations(0) < 400  # there is nothing left to search


def test_proven_losses_are_not_played():
    """Black threatens a3; white, to move, has one move that does not lose at once."""
    position = Position(NEARLY_WON.game, ["a1", "b2", "a2"])
    result = Search(position.game, SearchSettings(simulations=3000, solver=True), seed=1).run(position)
    for move in result.moves:
        if move.name == "a3":
            assert move.proven != -1.0
        else:
            assert move.proven == -1.0
            assert result.weights[move.move] == 0
    assert result.moves[0].name == "a3"
    assert result.line[0] == result.best


def test_what_is_proven_is_kept_when_the_game_goes_on():
    game = NEARLY_WON.game
    forest = Forest(game, SearchSettings(solver=True), seed=1)
    position = Position(game, ["a1", "b2"])
    forest.reset(0, position.array)
    forest.begin(0, 20_000)
    forest.run()
    assert forest.proven(0) == 0.0
    low, high = forest.bounds(0)
    drawn = next(move for move in position.legal_moves if low[move] == high[move] == 0.0)
    forest.advance(0, drawn)
    assert forest.proven(0) == 0.0
    assert np.isfinite(forest.values(0)).all()
    children = forest.trees.nodes[0, forest.children(0)]
    assert (children["q"] > -np.inf).any()  # a draw at the root collects visits again
    done = forest.simulations(0)
    forest.begin(0, 50)
    forest.run()
    assert forest.simulations(0) == done


@pytest.mark.parametrize(
    ("game", "why"),
    [(Pig(2), "for one"), (Pig(1, limit=8, seats=2), "without luck")],
    ids=str,
)
def test_games_that_cannot_be_solved_are_refused(game, why):
    with pytest.raises(SpecError, match=why) as refused:
        Forest(game, SearchSettings(solver=True))
    assert "\n" not in str(refused.value)


def test_rewards_before_the_end_are_refused():
    """Told by the search, since no verb says it: here the flag is set as the kernel sets it."""
    forest = Forest(Nim(3), SearchSettings(solver=True))
    forest.begin(0, 10)
    forest.trees.state[0]["flaw"] = 1
    with pytest.raises(SpecError, match="rewards come before"):
        forest.run()


def test_solver_that_would_do_nothing_or_wrong_is_refused():
    with pytest.raises(SpecError, match="solver"):
        SearchSettings(selection="flat", solver=True)
    with pytest.raises(SpecError, match="solver needs discount=1"):
        SearchSettings(discount=0.9, solver=True)
