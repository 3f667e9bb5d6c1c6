"""The compiled search grows, node for node, the tree that the readable reference grows."""

from __future__ import annotations

import numpy as np
import pytest
from evaluators import hashed
from knowing_games import KnowingPig
from reference import Node, Reference

from tengen.errors import SpecError, TengenError
from tengen.games import CHANCE, Gomoku, Hex, Nim, Pig, Position
from tengen.search import Forest, SearchSettings
from tengen.search.gumbel import PARTS

GAMES = [
    Hex(3), Hex(5), Hex(4, swap=True), Hex(4, first=1), Gomoku(3, line=3), Gomoku(5, line=4, exact=True),
    Nim(3), Nim(3, misere=True), Pig(2), Pig(1, limit=8, seats=2),
]  # fmt: skip

SETTINGS = {
    "uct": {"selection": "uct"},
    "uct, parent": {"selection": "uct", "c": 0.4, "first_play": "parent", "first_play_value": -0.1},
    "ucb1": {"selection": "ucb1"},
    "puct": {"selection": "puct"},
    "puct, parent": {"selection": "puct", "c": 1.5, "first_play": "parent", "first_play_value": -0.2},
    "flat": {"selection": "flat"},
    "epsilon": {"selection": "ucb1", "epsilon": 0.3},
    "discount": {"selection": "puct", "discount": 0.9},
    "gumbel": {"selection": "gumbel"},
    "gumbel, noise": {"selection": "gumbel", "noise": 1.0, "c": 0.3, "considered": 6},
}


def assert_same_tree(forest: Forest, tree: int, place: int, node: Node, line: str = "root") -> int:
    """Compare two trees, all the way down; how many nodes were compared."""
    nodes, edges = forest.trees.nodes[tree], forest.trees.edges[tree]
    assert nodes[place]["visits"] == node.visits, line
    assert nodes[place]["total"] == pytest.approx(node.total, abs=1e-9), line
    if place != 0 and node.visits and nodes[place]["q"] > -np.inf:  # that of a closed move is not kept
        assert nodes[place]["q"] == pytest.approx(node.q, abs=1e-9), line
    children = forest.children(tree, place)
    moves = edges[children]["move"].tolist()
    assert moves == [child.move for child in node.tried], line
    if len(forest.trees.facts[tree]) and (node.visits or place == 0):
        known = forest.trees.facts[tree, place]
        assert (known["low"], known["high"]) == (node.low, node.high), line
        if forest.settings.selection == "gumbel":
            assert known["raw"] == pytest.approx(node.raw, abs=1e-9), line
    compared = 1
    for i, child in zip(range(children.start, children.stop), node.tried):
        assert edges[i]["prior"] == pytest.approx(child.prior, rel=1e-6), line
        compared += assert_same_tree(forest, tree, i, child, f"{line} {child.move}")
    return compared


def positions(game):
    """The start, and a position after two moves of players."""
    start = Position(game)
    yield start
    later = Position(game)
    while len(later.moves) < 2 or later.to_move < 0:
        later.play(later.legal_moves[-1])
    if not later.is_over:
        yield later


SOLVING = {
    "uct": {"selection": "uct"},
    "ucb1": {"selection": "ucb1"},
    "puct": {"selection": "puct", "first_play": "parent", "first_play_value": -0.2},
    "gumbel": {"selection": "gumbel", "noise": 1.0},
    "epsilon": {"selection": "uct", "epsilon": 0.3},
}
NO_LUCK = [Hex(3), Gomoku(3, line=3), Gomoku(4, line=3, exact=True), Nim(3), Nim(3, misere=True)]


@pytest.mark.parametrize("with_network", [False, True])
@pytest.mark.parametrize("name", SOLVING)
@pytest.mark.parametrize("game", NO_LUCK, ids=str)
def test_solver(game, name, with_network):
    evaluation = "network" if with_network else "rollout"
    settings = SearchSettings(simulations=400, solver=True, evaluation=evaluation, **SOLVING[name])
    ends = 0
    for position in positions(game):
        forest = Forest(game, settings, 1, seed=6)
        forest.reset(0, position.array)
        forest.begin(0, settings.simulations)
        forest.run(hashed if with_network else None)
        reference = Reference(position, settings, hashed if with_network else None, seed=6)
        while reference.done < settings.simulations and not reference.root.is_proven:
            reference.simulate()
        assert forest.simulations(0) == reference.done
        assert forest.proven(0) == (reference.root.low if reference.root.is_proven else None)
        assert assert_same_tree(forest, 0, 0, reference.root) > 1
        ends += proofs(reference.root)
        weights, chosen = forest.weights(0)
        moves = {child.move: child for child in reference.root.tried + reference.root.untried}
        if name == "gumbel":
            assert_same_policy(weights, chosen, reference)
        else:
            kept = {move: child.visits for move, child in moves.items() if reference.is_kept(child)}
            kept = kept if any(kept.values()) else dict.fromkeys(kept, 1)
            assert {int(move): int(weights[move]) for move in np.flatnonzero(weights)} == {
                m: n for m, n in kept.items() if n
            }
    assert ends > 0


def proofs(node: Node) -> int:
    return node.is_proven + sum(proofs(child) for child in node.tried)


def assert_same_policy(weights, chosen, reference):
    policy, winner = reference.improved_policy()
    assert chosen == winner
    for move in range(len(weights)):
        assert weights[move] / PARTS == pytest.approx(policy.get(move, 0.0), abs=2 / PARTS)


@pytest.mark.parametrize("simulations", [2, 7, 16, 40, 150])
@pytest.mark.parametrize("considered", [0, 1, 2, 5, 16])
@pytest.mark.parametrize("with_network", [False, True])
def test_the_improved_policy_and_the_winner_of_the_halving(simulations, considered, with_network):
    game, evaluation = Hex(4), "network" if with_network else "rollout"
    settings = SearchSettings(
        selection="gumbel", simulations=simulations, considered=considered, noise=1.0, evaluation=evaluation
    )
    forest = Forest(game, settings, 1, seed=8)
    forest.begin(0, simulations)
    forest.run(hashed if with_network else None)
    reference = Reference(Position(game), settings, hashed if with_network else None, seed=8)
    for _ in range(simulations):
        reference.simulate()
    assert_same_tree(forest, 0, 0, reference.root)
    assert_same_policy(*forest.weights(0), reference)


BATCHED = {
    "puct": {"selection": "puct", "c": 1.5, "first_play": "parent", "first_play_value": -0.2},
    "uct": {"selection": "uct", "epsilon": 0.2},
    "solver": {"selection": "puct", "solver": True},
    "gumbel": {"selection": "gumbel", "noise": 1.0},
    "rollouts": {"selection": "puct", "evaluation": "mix"},
}


@pytest.mark.parametrize("lanes", [2, 8])
@pytest.mark.parametrize("name", BATCHED)
@pytest.mark.parametrize("game", [Hex(4), Gomoku(3, line=3), Nim(3), Pig(2), Pig(1, limit=8, seats=2)], ids=str)
def test_batches(game, name, lanes):
    if name == "solver" and isinstance(game, Pig):
        pytest.skip("luck")
    settings = SearchSettings(**{"simulations": 120, "batch": lanes, "evaluation": "network", **BATCHED[name]})
    for position in positions(game):
        forest = Forest(game, settings, 1, seed=6)
        forest.reset(0, position.array)
        forest.begin(0, settings.simulations)
        forest.run(hashed)
        reference = Reference(position, settings, hashed, seed=6)
        reference.search_in_batches(settings.simulations, lanes)
        assert forest.simulations(0) == reference.done
        assert assert_same_tree(forest, 0, 0, reference.root) > 1


RAVE = {
    "rave": {},
    "exploring": {"c": 1.0, "rave_bias": 0.1},
    "no exploration": {"c": 0.0},
    "biased": {"rave_bias": 0.5, "c": 1.0, "first_play": "parent", "first_play_value": -0.1},
    "discount": {"discount": 0.9, "epsilon": 0.2},
    "short": {"rollout_moves": 3},
}


@pytest.mark.parametrize("name", RAVE)
@pytest.mark.parametrize("game", [game for game in GAMES if isinstance(game, Hex | Gomoku)], ids=str)
def test_rave(game, name):
    settings = SearchSettings(selection="rave", simulations=150, **RAVE[name])
    for position in positions(game):
        forest = Forest(game, settings, 1, seed=2)
        forest.reset(0, position.array)
        forest.begin(0, settings.simulations)
        forest.run()
        reference = Reference(position, settings, seed=2)
        for _ in range(settings.simulations):
            reference.simulate()
        assert assert_same_tree(forest, 0, 0, reference.root) > 1
        first, count = (int(forest.trees.nodes[0, 0][name]) for name in ("first", "children"))
        found = {
            int(edge["move"]): (int(as_first["visits"]), float(as_first["total"]))
            for edge, as_first in zip(forest.trees.edges[0, first : first + count], forest.trees.amaf[0, first:])
        }
        for child in reference.root.tried + reference.root.untried:
            visits, total = found[child.move]
            assert visits == child.as_first
            assert total == pytest.approx(child.as_first_total, abs=1e-9)


def test_rave_keeps_what_it_knows_when_the_game_goes_on():
    game, settings = Hex(4), SearchSettings(selection="rave", simulations=300)
    forest = Forest(game, settings, 1, seed=2)
    forest.begin(0, settings.simulations)
    forest.run()
    line = forest.principal_variation(0)[:1]
    child = next(i for i in range(1, 17) if forest.trees.edges[0, i]["move"] == line[0])
    first, count = (int(forest.trees.nodes[0, child][name]) for name in ("first", "children"))
    known = {
        int(forest.trees.edges[0, i]["move"]): forest.trees.amaf[0, i].tolist() for i in range(first, first + count)
    }
    forest.advance(0, line[0])
    kept = {int(forest.trees.edges[0, i]["move"]): forest.trees.amaf[0, i].tolist() for i in range(1, 1 + count)}
    assert kept == known
    assert sum(visits for _, visits in known.values()) > 0


@pytest.mark.parametrize("game", [Nim(3), Pig(2)], ids=str)
def test_rave_says_where_it_cannot_be_used(game):
    with pytest.raises(TengenError, match="made_by"):
        Forest(game, SearchSettings(selection="rave"), 1)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_rollouts(game, name):
    settings = SearchSettings(simulations=150, **SETTINGS[name])
    for position in positions(game):
        for seed in (1, 2):
            forest = Forest(game, settings, 1, seed)
            forest.reset(0, position.array)
            forest.begin(0, settings.simulations)
            forest.run()
            reference = Reference(position, settings, seed=seed)
            for _ in range(settings.simulations):
                reference.simulate()
            assert assert_same_tree(forest, 0, 0, reference.root) > 1


@pytest.mark.parametrize("name", [name for name in SETTINGS if name != "flat"])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_network(game, name):
    settings = SearchSettings(simulations=120, evaluation="network", **SETTINGS[name])
    for position in positions(game):
        forest = Forest(game, settings, 1, seed=3)
        forest.reset(0, position.array)
        forest.begin(0, settings.simulations)
        forest.run(hashed)
        reference = Reference(position, settings, hashed, seed=3)
        for _ in range(settings.simulations):
            reference.simulate()
        assert assert_same_tree(forest, 0, 0, reference.root) > 1


@pytest.mark.parametrize("selection", ["puct", "gumbel", "uct"])
def test_afterstates(selection):
    """The network is asked where luck moves next, and each move brings something of its own."""
    game = Pig(2)
    settings = SearchSettings(
        selection=selection, simulations=150, evaluation="network", afterstates=True, living_reward=0.7, discount=0.9
    )
    asked = []

    def listening(game, positions):
        asked.extend(game.to_move(position) == CHANCE for position in positions)
        return hashed(game, positions)

    forest = Forest(game, settings, 1, seed=3)
    forest.begin(0, settings.simulations)
    forest.run(listening)
    assert any(asked)
    assert not all(asked)
    reference = Reference(Position(game), settings, hashed, seed=3)
    for _ in range(settings.simulations):
        reference.simulate()
    assert assert_same_tree(forest, 0, 0, reference.root) > 1


def test_afterstates_in_batches():
    settings = SearchSettings(
        selection="puct", simulations=100, evaluation="network", afterstates=True, living_reward=0.7, batch=4
    )
    forest = Forest(Pig(2), settings, 1, seed=3)
    forest.begin(0, settings.simulations)
    forest.run(hashed)
    reference = Reference(Position(Pig(2)), settings, hashed, seed=3)
    reference.search_in_batches(settings.simulations, 4)
    assert assert_same_tree(forest, 0, 0, reference.root) > 1


@pytest.mark.parametrize("setting", [{"afterstates": True}, {"living_reward": 0.5}], ids=str)
def test_what_is_for_one_player_is_refused_elsewhere(setting):
    with pytest.raises(SpecError, match="one player"):
        Forest(Nim(3), SearchSettings(evaluation="network", **setting), 1)
    with pytest.raises(SpecError, match="would do nothing"):
        SearchSettings(**setting)


ROLLING = {
    "greedy": {"rollouts": "network"},
    "epsilon": {"rollouts": "network", "rollout_epsilon": 0.3},
    "sample": {"rollouts": "network", "rollout_choice": "sample", "rollout_epsilon": 0.1},
    "discounted": {"rollouts": "network", "rollout_choice": "sample", "discount": 0.9},
    "short": {"rollouts": "network", "rollout_moves": 2},
    "mix": {"evaluation": "mix", "mix": 0.3, "rollouts": "network"},
    "mix, random": {"evaluation": "mix", "mix": 0.7},
    "sigma": {"evaluation": "sigma", "sigma": 0.6, "rollouts": "network"},
    "sigma, random": {"evaluation": "sigma", "sigma": 0.4},
}


@pytest.mark.parametrize("name", ROLLING)
@pytest.mark.parametrize(
    "game", [Hex(4), Gomoku(3, line=3), Nim(3, misere=True), Pig(2), Pig(1, limit=8, seats=2)], ids=str
)
def test_rollouts_by_the_network_and_mixtures(game, name):
    settings = SearchSettings(simulations=80, **ROLLING[name])
    forest = Forest(game, settings, 1, seed=4)
    forest.begin(0, settings.simulations)
    forest.run(hashed)
    reference = Reference(Position(game), settings, hashed, seed=4)
    for _ in range(settings.simulations):
        reference.simulate()
    assert assert_same_tree(forest, 0, 0, reference.root) > 1


@pytest.mark.parametrize("game", [Hex(4), Gomoku(3, line=3), Nim(3), Pig(2)], ids=str)
def test_short_rollouts(game):
    settings = SearchSettings(simulations=100, rollout_moves=2, discount=0.8)
    forest = Forest(game, settings, 1, seed=5)
    forest.begin(0, settings.simulations)
    forest.run()
    reference = Reference(Position(game), settings, seed=5)
    for _ in range(settings.simulations):
        reference.simulate()
    assert assert_same_tree(forest, 0, 0, reference.root) > 1


KNOWING = {
    "knowledge": {"rollouts": "knowledge", "candidates": "knowledge"},
    "urgent": {"selection": "ucb1", "rollouts": "urgent", "candidates": "urgent", "epsilon": 0.2},
    "likely": {"selection": "ucb1", "rollouts": "likely", "candidates": "likely", "most_likely": 3, "epsilon": 0.2},
    "rollouts only": {"rollouts": "knowledge", "rollout_moves": 4, "discount": 0.9},
    "tree only": {"candidates": "knowledge", "most_likely": 5},
    "rave": {"selection": "rave", "rollouts": "knowledge", "candidates": "likely"},
    "flat": {"selection": "flat", "rollouts": "urgent", "candidates": "likely"},
    "puct, network": {"selection": "puct", "evaluation": "network", "candidates": "knowledge"},
    "mix": {"selection": "puct", "evaluation": "mix", "rollouts": "knowledge", "candidates": "likely"},
}


@pytest.mark.parametrize("name", KNOWING)
@pytest.mark.parametrize(
    "game",
    [Gomoku(7), Gomoku(5, line=4, exact=True), Gomoku(4, line=3), Hex(5), Hex(4, swap=True, first=1), KnowingPig(1)],
    ids=str,
)
def test_knowledge(game, name):
    settings = SearchSettings(simulations=120, **KNOWING[name])
    if settings.selection == "rave" and isinstance(game, KnowingPig):
        return
    evaluator = hashed if settings.asks else None
    for position in positions(game):
        forest = Forest(game, settings, 1, seed=6)
        forest.reset(0, position.array)
        forest.begin(0, settings.simulations)
        forest.run(evaluator)
        reference = Reference(position, settings, evaluator, seed=6)
        for _ in range(settings.simulations):
            reference.simulate()
        assert assert_same_tree(forest, 0, 0, reference.root) > 1


def test_many_trees_at_once_grow_as_each_alone():
    """Trees in one forest do not touch each other, whatever the batch."""
    game, settings = Hex(4), SearchSettings(selection="puct", simulations=60, evaluation="network")
    starts = [Position(game, [move]) for move in range(8)]
    forest = Forest(game, settings, len(starts), seed=1)
    for tree, position in enumerate(starts):
        forest.reset(tree, position.array)
        forest.begin(tree, 20 + 5 * tree)
    forest.run(hashed)
    for tree, position in enumerate(starts):
        reference = Reference(position, settings, hashed)
        for _ in range(20 + 5 * tree):
            reference.simulate()
        assert_same_tree(forest, tree, 0, reference.root)
