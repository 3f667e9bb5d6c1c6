"""What Hex knows: bridges, dead and captured cells, and moves that need not be looked at."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tengen.arena.hex_solving import HexSolver
from tengen.games import Hex, Position
from tengen.games.hex_knowledge import fill_in
from tengen.games.randomness import random_state


def random_position(game, chooser, fewest, most):
    while True:
        position = Position(game)
        for _ in range(chooser.randint(fewest, most)):
            if not position.is_over:
                position.play(chooser.choice(position.legal_moves))
        if not position.is_over:
            return position


def studied(position):
    knowledge = np.full(position.game.knowledge_size(), 99, np.int32)
    position.game.study(position.array, knowledge)
    return knowledge


def likely(position, knowledge=None):
    out = np.zeros(position.game.move_count(), np.int32)
    n = position.game.likely_moves(position.array, studied(position) if knowledge is None else knowledge, 0, out)
    return out[:n].tolist()


def filled(position):
    """The board with what is dead or captured filled in."""
    size, knowledge = position.game.size, studied(position)
    fill_in(size, position.array, knowledge)
    return (knowledge[: (size + 2) ** 2].reshape(size + 2, size + 2)[1:-1, 1:-1] & 3).ravel().tolist()


@pytest.mark.parametrize(("size", "count", "fewest", "most"), [(3, 150, 0, 6), (4, 300, 0, 12), (5, 150, 3, 18)])
def test_filling_in_changes_no_winner_and_a_likely_move_wins_if_any_does(size, count, fewest, most):
    game, chooser, left_out, changed = Hex(size), random.Random(size), 0, 0
    solver = HexSolver(game)
    for _ in range(count):
        position = random_position(game, chooser, fewest, most)
        value, winning = solver.value(position), solver.best_moves(position)
        cells = filled(position)
        changed += cells != position.cells().tolist()
        whole = Position.from_cells(game, cells, position.to_move)
        won = whole.winner == position.to_move if whole.is_over else solver.value(whole) == 1
        assert won == (value == 1), position
        moves = likely(position)
        left_out += len(position.legal_moves) - len(moves)
        assert set(moves) <= set(position.legal_moves)
        if value == 1 and moves:
            assert set(moves) & set(winning), (position, moves)
    assert left_out > count
    assert changed > count // 4


def after(game, names):
    """The position after some moves, and what is known of it move by move."""
    position = Position(game)
    knowledge = studied(position)
    for name in names.split():
        position.play(game.parse_move(name))
        game.learn(position.array, knowledge, position.last_move)
    return position, knowledge


def urgent(position, knowledge):
    out = np.zeros(position.game.move_count(), np.int32)
    n = position.game.urgent_moves(position.array, knowledge, out)
    return {position.game.move_name(move) for move in out[:n].tolist()}


@pytest.mark.parametrize(
    ("moves", "saving"),
    [
        ("b2 a5 c3 b3", {"c2"}),  # red's b2 and c3 share b3 and c2
        ("b2 a5 c3 c2", {"b3"}),
        ("c2 a5 e5 c1", {"d1"}),  # c2 and red's first row
        ("c2 a5 e5 d1", {"c1"}),
        ("a1 b3 e1 b4", set()),  # black's own
        ("e5 b2 e1 c3 b3", {"c2"}),  # red breaks one of black's
        ("e5 b3 e1 e4 a3", {"a4"}),  # and one to the left side
        ("b2 a5 c3 e1", set()),
    ],
)
def test_bridges(moves, saving):
    assert urgent(*after(Hex(5), moves)) == saving


def test_who_has_not_seen_the_last_move_knows_of_no_broken_bridge():
    position, _ = after(Hex(5), "b2 a5 c3 b3")
    assert urgent(position, studied(position)) == set()


def test_a_chain_of_bridges_holds_in_rollouts_that_save_them():
    """Random rollouts often lose it; those by knowledge only where one stone breaks two bridges at once."""
    position, knowledge = after(Hex(5), "d2 a1 c4 a2")  # top – d2 – c4 – bottom, all by bridges
    lost = dict.fromkeys([(False, False), (True, False), (False, True), (True, True)], 0)
    position.play(position.game.parse_move("a3"))
    position.game.learn(position.array, knowledge, position.last_move)
    for seed in range(200):
        for urgent_ones, likely_ones in lost:
            array, known_now, dice = position.array.copy(), knowledge.copy(), random_state(seed)
            if urgent_ones or likely_ones:
                value = position.game.informed_playout(array, known_now, 0, urgent_ones, likely_ones, dice)
            else:
                value = position.game.playout(array, 0, dice)
            lost[urgent_ones, likely_ones] += value < 0
    assert lost[False, False] > 40
    assert max(lost[True, False], lost[True, True]) < lost[False, False] / 10


@pytest.mark.parametrize("kind", [(True, False), (False, True), (True, True)])
def test_a_playout_leaves_a_whole_game_in_the_position(kind):
    """Stones in turn on all cells but those filled in; and who is joined on that board is the winner."""
    chooser = random.Random(5)
    for seed in range(40):
        game = Hex(5, first=seed % 2)
        position = random_position(game, chooser, 0, 12)
        array = position.array.copy()
        value = game.informed_playout(array, studied(position), 0, *kind, random_state(seed))
        owners = np.zeros(25, np.int32)
        game.made_by(array, owners)
        cells = filled(position) if kind[1] else position.cells().tolist()
        stays = position.cells().tolist()
        for cell in range(25):
            if stays[cell]:
                assert owners[cell] == stays[cell]
            elif cells[cell]:
                assert owners[cell] == 0
            else:
                assert owners[cell] in (1, 2)
        count = [int((owners == player + 1).sum()) - stays.count(player + 1) for player in (0, 1)]
        assert count[position.to_move] - count[1 - position.to_move] in (0, 1)
        whole = [cells[i] if not owners[i] else int(owners[i]) for i in range(25)]
        end = Position.from_cells(game, whole, 0)
        assert value == (1.0 if end.winner == 0 else -1.0)


def test_random_cells_are_drawn_evenly():
    """Without bridges to save, each of the first moves of a playout is as likely as any other."""
    game, counts = Hex(3), np.zeros(9)
    for seed in range(1, 1800):
        array = Position(game).array.copy()
        game.informed_playout(array, studied(Position(game)), 0, True, False, random_state(seed))
        owners = np.zeros(9, np.int32)
        game.made_by(array, owners)
        counts += owners == 1
    assert (abs(counts / 1799 - 5 / 9) < 0.08).all()


def test_the_best_first_move_with_swap_is_no_likely_one():
    game = Hex(5, swap=True)
    position, knowledge = after(game, "")
    assert likely(position, knowledge) == []
    position, knowledge = after(game, "c3")
    assert 25 in likely(position, knowledge)
    out = np.zeros(26, np.int32)
    assert game.likely_moves(position.array, knowledge, 3, out) == 3
    assert 25 in out[:3]
    position, knowledge = after(game, "b3 swap")
    assert urgent(position, knowledge) == set()
    assert likely(position, knowledge) == likely(position)


def test_of_a_few_moves_those_nearest_to_the_middle():
    position, knowledge = after(Hex(7), "")
    out = np.zeros(49, np.int32)
    n = position.game.likely_moves(position.array, knowledge, 7, out)
    names = {position.game.move_name(move) for move in out[:n].tolist()}
    assert names == {"d4", "c4", "e4", "d3", "d5", "e3", "c5"}
    assert len(likely(position)) < 49  # the acute corners are inferior
    assert not {0, 48} & set(likely(position))


def test_dead_and_captured_cells():
    """A stone on a second row captures the two cells between it and its side; cells off the beaten track are dead."""
    game = Hex(7)
    for player, moves, captured in ((1, "d2 d5", "d1 e1"), (2, "d5 b4", "a4 a5")):
        position, _ = after(game, moves)
        cells = filled(position)
        for name in captured.split():
            assert cells[game.parse_move(name)] == player
        assert cells[game.parse_move("d4")] == cells[game.parse_move("c3")] == 0
    position, _ = after(Hex(4), "b2 a1 c2 d4")
    assert filled(position)[position.game.parse_move("a1")] == 2  # a stone stays what it is
