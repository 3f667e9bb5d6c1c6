"""A search of one position: limits, memory, the tree that goes on, what it reports."""

from __future__ import annotations

import functools
import time

import numpy as np
import pytest
from evaluators import hashed

from tengen.errors import TengenError
from tengen.games import Gomoku, Hex, Nim, Pig, Position
from tengen.search import Forest, Search, SearchSettings
from tengen.search import forest as forest_module
from tengen.search.trees import NODE


def run(game, position=None, seed=1, **settings):
    return Search(game, SearchSettings(**settings), seed=seed).run(position or Position(game))


# --- limits


@pytest.mark.parametrize("simulations", [1, 2, 31, 32, 33, 500])
def test_the_number_of_simulations_is_kept_exactly(simulations):
    result = run(Hex(4), simulations=simulations)
    assert result.simulations == simulations
    assert result.visits.sum() == max(0, simulations - 1)  # the first one evaluates the position itself


@pytest.mark.jit
def test_time_ends_a_search():
    search = Search(Hex(4), SearchSettings(simulations=0, time=0.2))
    search.run(Position(Hex(4)))  # whatever has to be compiled is compiled
    start = time.monotonic()
    result = search.run(Position(Hex(4)))
    assert 0.2 <= time.monotonic() - start < 2.0
    assert result.simulations > 50


def test_with_both_limits_the_first_one_counts():
    assert run(Hex(4), simulations=64, time=60.0).simulations == 64


def test_a_search_can_be_stopped_and_keeps_its_result():
    search = Search(Hex(4), SearchSettings(simulations=0, time=60.0))
    shares = []
    result = search.run(Position(Hex(4)), progress=shares.append, stop=lambda: len(shares) >= 3)
    assert len(shares) == 3
    assert shares == sorted(shares)
    assert result.visits.sum() > 0


def test_there_is_nothing_to_search_after_the_end_or_where_luck_moves():
    over = Position(Gomoku(3, line=3), ["a1", "b1", "a2", "b2", "a3"])
    with pytest.raises(TengenError, match="over"):
        run(over.game, over)
    with pytest.raises(TengenError, match="luck"):
        run(Pig(), Position(Pig(), ["roll"]))


def test_a_position_of_another_game_is_refused():
    search = Search(Hex(3), SearchSettings(simulations=5))
    for other in (Hex(4), Hex(3, swap=True), Nim(3)):
        with pytest.raises(TengenError, match="a search of"):
            search.run(Position(other))


def test_network_and_evaluator_go_together():
    with pytest.raises(TengenError):
        Search(Hex(3), SearchSettings(evaluation="network"))
    with pytest.raises(TengenError):
        Search(Hex(3), SearchSettings(), evaluator=hashed)


# --- memory


@pytest.mark.parametrize("game", [Hex(5), Gomoku(5, line=4), Nim(4), Pig(3), Pig(2, seats=2)], ids=str)
@pytest.mark.parametrize("evaluator", [None, hashed], ids=["rollouts", "network"])
def test_a_full_tree_stops_growing_and_goes_on_counting(game, evaluator, monkeypatch):
    nodes = 3 * game.move_count() + 1
    monkeypatch.setattr(forest_module, "enough_nodes", lambda *_: nodes)
    evaluation = "network" if evaluator else "rollout"
    search = Search(game, SearchSettings(simulations=300, evaluation=evaluation), evaluator, seed=1)
    result = search.run(Position(game))
    assert result.full
    assert result.nodes <= nodes
    assert result.simulations == 300
    assert result.visits.sum() == 299


def test_memory_is_what_the_setting_says():
    for memory in (1, 3):
        forest = Forest(Gomoku(15), SearchSettings(simulations=100_000, memory=memory))
        assert forest.trees.nodes.shape[1] * NODE.itemsize <= memory * 1_000_000
    small = Forest(Hex(3), SearchSettings(simulations=10))
    assert small.trees.nodes.shape[1] <= 22 * 9  # no more than it can need


@pytest.mark.jit
def test_a_line_longer_than_the_path_is_evaluated(monkeypatch):
    """The tree of a game with one move in each position is one long line."""
    from tengen.search import trees

    monkeypatch.setattr(trees, "DEEPEST", 20)
    game = Pig(turns=40, sides=2, limit=2)
    result = run(game, simulations=2000)
    assert result.visits.sum() == 1999


# --- the tree goes on


@pytest.mark.parametrize("game", [Hex(4), Gomoku(4, line=3), Nim(4), Pig(2)], ids=str)
def test_advancing_keeps_the_subtree_as_it_was(game):
    def subtree(forest, node):
        """Everything below a node, as nested tuples."""
        record = forest.trees.nodes[0, node]
        children = forest.children(0, node)
        first = int(record["first"])
        below = forest.trees.edges[0, first : first + int(record["children"])] if first > 0 else []
        untried = [(int(child["move"]), float(child["prior"])) for child in below[children.stop - children.start :]]
        inner = [subtree(forest, i) for i in range(children.start, children.stop)]
        return int(record["visits"]), float(record["total"]), int(forest.trees.edges[0, node]["move"]), inner, untried

    forest = Forest(game, SearchSettings(selection="uct", simulations=400), seed=1)
    position = Position(game)
    forest.begin(0, 400)
    forest.run()
    for _ in range(3):  # on along the tree, through luck as well
        children = forest.children(0)
        node = children.start + int(np.argmax(forest.trees.nodes[0, children]["visits"]))
        move = int(forest.trees.edges[0, node]["move"])
        expected = subtree(forest, node)
        forest.advance(0, move)
        position.play(move)
        assert subtree(forest, 0) == expected
        assert forest.trees.root[0].tolist() == position.array.tolist()
        if position.is_over or position.to_move < 0:
            continue
        forest.begin(0, 50)
        forest.run()  # it can be searched further
        assert forest.trees.nodes[0, 0]["visits"] == expected[0] + 50


def test_a_move_that_was_never_tried_begins_a_new_tree():
    game = Hex(4)
    forest = Forest(game, SearchSettings(selection="uct", simulations=5), seed=1)
    forest.begin(0, 5)
    forest.run()
    untried = int(np.flatnonzero(forest.visits(0) == 0)[0])
    forest.advance(0, untried)
    assert forest.trees.root[0].tolist() == Position(game, [untried]).array.tolist()
    assert forest.trees.nodes[0, 0]["visits"] == 0
    assert forest.moves(0) == []
    forest.begin(0, 40)
    forest.run()
    assert forest.visits(0)[untried] == 0  # it is no longer legal
    assert forest.visits(0).sum() == 39


def test_a_search_follows_the_game():
    game = Hex(5)
    search = Search(game, SearchSettings(simulations=500), seed=1)
    position = Position(game)
    first = search.run(position)
    position.play(first.best).play(first.line[1])
    second = search.run(position)
    assert second.simulations == 500
    assert second.visits.sum() > 499  # what was known is still known
    elsewhere = search.run(Position(game, ["a1"]))
    assert elsewhere.visits.sum() == 499  # nothing is known of another game


def test_without_reuse_nothing_is_kept():
    game = Hex(5)
    search = Search(game, SearchSettings(simulations=200, reuse=False), seed=1)
    position = Position(game)
    for _ in range(3):
        result = search.run(position)
        assert result.visits.sum() == 199
        position.play(result.best)


def test_taking_back_a_move_starts_a_new_tree():
    game = Hex(4)
    search = Search(game, SearchSettings(simulations=100), seed=1)
    position = Position(game)
    search.run(position.play("b2").play("c3"))
    position.undo().play("a1")
    assert search.run(position).visits.sum() == 99


# --- randomness


@pytest.mark.parametrize("settings", [
    {"selection": "uct"}, {"selection": "ucb1", "epsilon": 0.2}, {"selection": "puct", "noise": 0.25}, {"selection": "flat"},
], ids=str)  # fmt: skip
def test_the_seed_decides_everything(settings):
    game = Gomoku(5, line=4)
    first, again, other = (run(game, seed=seed, simulations=200, **settings) for seed in (1, 1, 2))
    assert first.visits.tolist() == again.visits.tolist()
    assert first.q.tolist() == again.q.tolist()
    assert first.q.tolist() != other.q.tolist()


def test_noise_changes_the_search_but_not_the_priors_it_reports():
    game = Hex(5)
    quiet, noisy = (
        Search(
            game,
            SearchSettings(selection="puct", c=1.5, simulations=100, evaluation="network", noise=noise),
            hashed,
            seed=1,
        )
        for noise in (0.0, 0.5)
    )
    a, b = quiet.run(Position(game)), noisy.run(Position(game))
    assert a.prior == pytest.approx(b.prior)
    assert a.visits.tolist() != b.visits.tolist()
    again = noisy.run(Position(game))  # on the same root: fresh noise, the same clean priors
    assert again.prior == pytest.approx(a.prior)


def test_noise_is_a_distribution_of_the_wanted_weight():
    game = Hex(5)
    settings = SearchSettings(selection="puct", simulations=2, evaluation="network", noise=0.25, noise_alpha=0.4)
    forest = Forest(game, settings, trees=200, seed=1)
    for tree in range(len(forest)):
        forest.begin(tree, 2)
    forest.run(hashed)
    children = forest.trees.edges[:, 1:26]
    clean = forest.priors(0)[children["move"]]
    noise = (children["prior"] - 0.75 * clean) / 0.25
    assert noise.sum(axis=1) == pytest.approx(np.ones(200))
    assert noise.min() >= -1e-9
    by_move = np.zeros((200, 25))
    np.put_along_axis(by_move, children["move"].astype(int), noise, axis=1)
    assert by_move.mean(axis=0) == pytest.approx(np.full(25, 1 / 25), abs=0.03)
    variance = (1 / 25) * (24 / 25) / (25 * 0.4 + 1)  # of a symmetric Dirichlet distribution
    assert by_move.var(axis=0).mean() == pytest.approx(variance, rel=0.25)


@pytest.mark.jit
def test_epsilon_one_is_a_random_walk():
    result = run(Hex(3), simulations=9001, selection="uct", epsilon=1.0)
    assert result.visits.min() > 850
    assert result.visits.max() < 1150


def test_flat_gives_each_move_its_share():
    result = run(Hex(4), simulations=25, selection="flat")
    assert result.visits.tolist() == [25] * 16
    assert not result.full


def test_flat_plays_the_best_mean_however_often_it_is_asked():
    win = Position(Gomoku(3, line=3), ["a1", "b1", "a2", "b2"])
    search = Search(win.game, SearchSettings(selection="flat", simulations=20), seed=1)
    for _ in range(4):  # each run begins where the last one ended: one of the moves is a visit ahead
        result = search.run(win)
        assert win.game.move_name(result.best) == "a3"
    assert len(set(result.visits[list(result.legal)])) > 1


def test_flat_searches_a_game_of_two_moves():
    result = run(Pig(turns=1, sides=2, limit=2), simulations=25, selection="flat")
    assert result.visits.tolist() == [25, 25]


# --- strength: small games with a known truth (marked jit: too many simulations for plain Python)


@pytest.mark.jit
def test_a_win_in_one_is_found_and_a_loss_in_one_is_blocked():
    game = Gomoku(3, line=3)
    win = Position(game, ["a1", "b1", "a2", "b2"])
    assert run(game, win, simulations=300).moves[0].name == "a3"
    block = Position(game, ["a1", "b2", "a2"])
    for selection in ("uct", "ucb1", "puct"):
        assert run(game, block, simulations=1000, selection=selection).moves[0].name == "a3"


def nim_is_won(heaps):
    """Bouton 1901: the mover wins unless the binary sum is zero."""
    return functools.reduce(lambda a, b: a ^ b, heaps) != 0


@pytest.mark.jit
@pytest.mark.parametrize("selection", ["uct", "ucb1", "puct"])
def test_nim_is_played_perfectly(selection):
    game = Nim(4)
    for seed in range(3):
        position = Position(game)
        position.play("1from1")  # 2, 3, 4 are left: a win for the mover
        while not position.is_over:
            heaps = position.array[:4].tolist()
            if nim_is_won(heaps):
                position.play(run(game, position, seed=seed, simulations=5000, selection=selection).best)
                assert not nim_is_won(position.array[:4].tolist())
            else:
                position.play(position.legal_moves[-1])


def pig_value(game):
    """The exact value of one-player Pig, by dynamic programming."""

    @functools.cache
    def value(turns_left, pot):
        if turns_left == 0:
            return 0.0
        bank = pot + value(turns_left - 1, 0)
        if pot >= game.limit:
            return bank
        faces = [value(turns_left, pot + face) for face in range(2, game.sides + 1)]
        roll = (value(turns_left - 1, 0) + sum(faces)) / game.sides
        return max(bank, roll)

    return value


@pytest.mark.jit
@pytest.mark.parametrize("selection", ["uct", "ucb1", "puct"])
def test_pig_is_played_as_dynamic_programming_says(selection):
    """One player, luck, and rewards far outside [−1, 1]."""
    game = Pig(turns=1, limit=30)
    value = pig_value(game)
    for faces, expected in (((6, 6, 6, 6), "bank"), ((2,), "roll"), ((6, 6, 3), "roll")):
        position = Position(game)
        for face in faces:
            position.play("roll").play(face - 1)
        pot = int(sum(faces))
        result = run(game, position, simulations=20_000, selection=selection, c=0.5)
        assert result.moves[0].name == expected, (faces, result.moves)
        best = value(1, pot)
        assert 0.85 * best < result.moves[0].q < 1.03 * best  # a mean over exploration too, so from below


@pytest.mark.jit
def test_discount_makes_a_later_reward_smaller():
    game = Pig(turns=1, sides=2, limit=2)  # roll: nothing, or 2 points that must be banked
    full, half = (run(game, simulations=4000, discount=discount) for discount in (1.0, 0.5))
    # two moves lie between the first roll and the banked points: luck, then banking
    assert full.q[1] == pytest.approx(1.0, abs=0.1)
    assert half.q[1] == pytest.approx(0.25, abs=0.05)


WINNING_FIRST_MOVES = {"a2", "a3", "b2", "c1", "c2"}  # of 3×3 Hex


@pytest.mark.jit
def test_the_best_first_move_on_3x3_hex_wins():
    for selection in ("uct", "ucb1", "puct"):
        for seed in range(3):
            assert run(Hex(3), seed=seed, simulations=20_000, selection=selection).moves[0].name in WINNING_FIRST_MOVES


def test_an_evaluator_that_answers_nonsense_is_an_error():
    game = Hex(3)
    settings = SearchSettings(simulations=5, evaluation="network")
    for answer in (
        lambda g, p: (np.ones((len(p), 4)), np.zeros(len(p))),
        lambda g, p: (np.ones((len(p), 9)), np.full(len(p), np.nan)),
    ):
        with pytest.raises(TengenError):
            Search(game, settings, answer).run(Position(game))


def test_a_policy_without_legal_weight_becomes_uniform_and_nan_counts_as_nothing():
    game = Hex(3)
    position = Position(game, ["a1"])

    def only_illegal(game, positions):
        policy = np.zeros((len(positions), 9), np.float32)
        policy[:, 0] = 1.0
        policy[:, 4] = np.nan
        return policy, np.zeros(len(positions), np.float32)

    search = Search(game, SearchSettings(selection="puct", simulations=50, evaluation="network"), only_illegal)
    result = search.run(position)
    assert result.prior[0] == 0.0
    assert result.visits[0] == 0
    assert result.prior[1:] == pytest.approx(np.full(8, 1 / 8))


def test_watching_a_search_changes_nothing_and_shows_it_growing():
    game = Hex(size=4)
    alone = Search(game, SearchSettings(simulations=30_000), seed=3).run(Position(game))
    shown = []
    search = Search(game, SearchSettings(simulations=30_000), seed=3)
    watched = search.run(Position(game), watch=shown.append)
    assert (watched.visits == alone.visits).all()
    assert [r.simulations for r in shown] == sorted(r.simulations for r in shown)
    assert alone.lines == {}
    assert watched.lines[watched.best] == watched.line[: len(watched.lines[watched.best])]
    assert [m.visits for m in search.unfold()] == sorted(watched.visits[watched.visits > 0].tolist(), reverse=True)
    replies = search.unfold([watched.best])
    assert sum(reply.visits for reply in replies) in (watched.visits[watched.best] - 1, watched.visits[watched.best])
    assert search.unfold([watched.best, watched.best]) == ()
