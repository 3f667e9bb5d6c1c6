"""Nim against Bouton's theory, by playing it out in full, and the points, luck and turns of Pig."""

import functools
import itertools
import operator

import numpy as np
import pytest

from tengen.errors import IllegalMove
from tengen.games import CHANCE, Nim, Pig, Position

# --- Nim


def positions_of_nim(game):
    """Every position that is not over, with player 0 and player 1 to move."""
    for heaps in itertools.product(*(range(heap + 2) for heap in range(game.heaps))):
        if any(heaps):
            for player in (0, 1):
                yield np.array([*heaps, player, 0], np.int32)


def minimax(game):
    """A function that gives the best sum of rewards, in the view of the player to move, of a position as bytes."""

    @functools.cache
    def value(position):
        moves, best = np.empty(game.move_count(), np.int32), -np.inf
        array = np.frombuffer(position, np.int32)
        for move in moves[: game.legal_moves(array, moves)]:
            after = array.copy()
            reward = game.play(after, int(move))
            rest = 0.0 if game.is_over(after) else value(after.tobytes())
            best = max(best, reward - rest)
        return best

    return value


def mover_wins_by_theory(heaps, misere):
    """Bouton (1901): the mover loses where the exclusive or is 0; misère is the same until all heaps are single."""
    if misere and max(heaps) <= 1:
        return sum(heaps) % 2 == 0
    return functools.reduce(operator.xor, heaps) != 0


@pytest.mark.parametrize("heaps", [2, 3, 4, 5])
@pytest.mark.parametrize("misere", [False, True])
def test_nim_is_won_where_theory_says(heaps, misere):
    game = Nim(heaps, misere)
    value = minimax(game)
    results = set()
    for position in positions_of_nim(game):
        expected = 1.0 if mover_wins_by_theory(position[:heaps].tolist(), misere) else -1.0
        assert value(position.tobytes()) == expected
        results.add(expected)
    assert results == {1.0, -1.0}


def test_the_last_stone_wins_or_loses():
    for misere in (False, True):
        position = Position(Nim(2, misere), ["1from1", "2from2"])
        assert position.is_over
        assert position.winner == (0 if misere else 1)
        assert position.returns == ([1.0, -1.0] if misere else [-1.0, 1.0])


def test_moves_of_nim_take_stones_from_a_heap():
    position = Position(Nim(3))
    assert [position.game.move_name(move) for move in position.legal_moves] == [
        "1from1", "1from2", "2from2", "1from3", "2from3", "3from3",
    ]  # fmt: skip
    assert position.play("2from3").array[:3].tolist() == [1, 2, 1]
    with pytest.raises(IllegalMove):
        position.play("2from3")


# --- Pig

BANK, ROLL = "bank", "roll"


def face(number):
    """The outcome of a roll."""
    return number - 1


def test_banking_rewards_the_pot_and_ends_the_turn():
    position = Position(Pig(turns=2), [ROLL, face(4), ROLL, face(6), BANK])
    assert position.returns == [10.0, 0.0]
    assert not position.is_over
    position.play(BANK)
    assert position.is_over
    assert position.returns == [10.0, 0.0]
    assert position.winner is None


def test_a_one_loses_the_pot_and_the_turn_but_not_the_bank():
    position = Position(Pig(turns=3), [ROLL, face(5), BANK, ROLL, face(6), ROLL, face(1)])
    assert position.returns == [5.0, 0.0]
    position.play(ROLL).play(face(2)).play(BANK)
    assert position.is_over
    assert position.returns == [7.0, 0.0]


@pytest.mark.parametrize("sides", [2, 6, 20])
def test_every_face_is_equally_likely(sides):
    position = Position(Pig(sides=sides), [ROLL])
    assert position.to_move == CHANCE
    assert position.legal_moves == list(range(sides))
    assert position.odds == pytest.approx([1 / sides] * sides)
    assert position.play(sides - 1).array[2] == sides


def test_a_full_pot_must_be_banked():
    position = Position(Pig(limit=10), [ROLL, face(4), ROLL, face(5)])
    assert len(position.legal_moves) == 2  # nine: one may still roll
    position.play(ROLL).play(face(2))
    assert [position.game.move_name(move) for move in position.legal_moves] == [BANK]
    with pytest.raises(IllegalMove):
        position.play(ROLL)
    assert position.play(BANK).returns == [11.0, 0.0]


def test_a_pot_of_exactly_the_limit_must_be_banked():
    assert len(Position(Pig(limit=10), [ROLL, face(5), ROLL, face(5)]).legal_moves) == 1


def turn(points):
    """The moves of a turn that banks so many points, none by a one."""
    return [ROLL, face(points), BANK] if points else [ROLL, face(1)]


@pytest.mark.parametrize(("first", "second"), [(6, 2), (2, 6), (4, 4), (0, 3), (3, 0), (0, 0)])
def test_with_two_seats_the_larger_bank_wins(first, second):
    position = Position(Pig(turns=1, seats=2), turn(first))
    assert not position.is_over
    assert position.to_move == 1
    assert position.returns == [0.0, 0.0]
    for move in turn(second):
        position.play(move)
    assert position.is_over
    assert position.winner == (None if first == second else int(second > first))
    difference = float(np.sign(first - second))
    assert position.returns == [difference, -difference]


def test_with_two_seats_players_take_turns_and_banks_add_up():
    position = Position(Pig(turns=2, seats=2))
    for player, points in ((0, 6), (1, 5), (0, 2), (1, 4)):
        assert position.to_move == player
        for move in turn(points):
            position.play(move)
    assert position.winner == 1  # 9 to 8


def test_pig_says_for_how_many_it_is_and_whether_rewards_are_bounded():
    assert (Pig().players(), Pig().is_bounded()) == (1, False)
    assert (Pig(seats=2).players(), Pig(seats=2).is_bounded()) == (2, True)
