"""Wins by force: all positions of the file are solved, quickly; no claim is false; traps of fours, threes and blocks."""

from random import Random
from statistics import median
from time import thread_time

import numpy as np
import pytest
from proving import FILE, Prover, random_board, read_positions
from threat_asking import asking

from tengen.games import Gomoku
from tengen.games.gomoku_patterns import ACTIVE_PLACE, HEAD, RECORD, active_list

pytestmark = pytest.mark.jit


def board(game, black, white):
    cells = [0] * game.move_count()
    for colour, names in ((1, black), (2, white)):
        for name in names.split():
            cells[game.parse_move(name)] = colour
    return cells


def test_every_win_by_fours_is_found_and_proven_by_every_defence():
    positions = list(read_positions())
    assert len(positions) >= 50
    seconds = []
    asked = {game: asking(game, threes=False) for game, _, _ in positions}
    for game, cells, attacker in positions:
        ask = asked[game]
        ask.engine.forget()
        start = thread_time()
        assert ask(cells, attacker) is not None
        seconds.append(thread_time() - start)
        assert Prover(game, cells, ask).is_won(attacker)
    assert median(seconds) <= 0.010
    assert max(seconds) <= 1.0


def check_claims(games, wanted, seed):
    """Random positions until so many wins have been claimed; the prover confirms each."""
    chooser, asked, claims, by_threes = (
        Random(seed),
        {game: asking(game, threes=True, seconds=0.3) for game in games},
        0,
        0,
    )
    while claims < wanted:
        game = games[chooser.randrange(len(games))]
        cells, attacker, ask = random_board(game, chooser), chooser.randint(1, 2), asked[game]
        prover = Prover(game, cells, ask)
        ask.seconds = 0.3
        if prover.fives(attacker) or ask(cells, attacker) is None:
            continue
        ask.seconds = 60.0
        claims += 1
        by_threes += ask.by_threes
        assert prover.is_won(attacker), f"{game}, colour {attacker}: {cells}"
    assert by_threes > wanted // 20


def test_no_claim_is_false():
    check_claims([Gomoku(9), Gomoku(15), Gomoku(11, exact=True)], wanted=25, seed=3)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_no_claim_of_five_hundred_is_false():
    check_claims([Gomoku(7), Gomoku(9), Gomoku(15), Gomoku(19), Gomoku(11, exact=True), Gomoku(8, line=4)], 500, seed=4)


def test_the_prover_refutes_a_false_claim():
    game = Gomoku(9)
    cells = board(game, "c5 d5", "a1 a3")
    first_empty = lambda cells, colour: cells.index(0)  # noqa: E731
    assert not Prover(game, cells, first_empty).is_won(1)


@pytest.mark.parametrize(
    ("game", "black", "white", "wins"),
    [
        # Two blocked fours that cross in h8.
        (Gomoku(15), "e8 f8 g8 h5 h6 h7", "d8 h4 a1 a3 a5 o1", True),
        # A four, then the three that it leaves; but where the block makes a four of the opponent's own, nothing.
        (Gomoku(15), "h8 i8 j8 g6 g7", "k8 f6 f7 a1 o1", True),
        (Gomoku(15), "h8 i8 j8 g6 g7", "k8 f5 f6 f7 a1", False),
        # A four that can be made only as six does not help in the exact game; in freestyle it does.
        (Gomoku(15, exact=True), "c8 d8 e8 g8 h8", "b8 i9 o1 o3 o5", False),
        (Gomoku(15), "c8 d8 e8 g8 h8", "b8 i9 o1 o3 o5", True),
        # A four at the edge, with nowhere to go.
        (Gomoku(9), "a1 b1 c1", "d1 i9 i7", False),
        # Two fours in one line: x.xxx.x
        (Gomoku(15), "c8 e8 g8 i8", "o1 o3 o5 o7", True),
    ],
)
def test_traps_of_fours(game, black, white, wins):
    cells = board(game, black, white)
    ask = asking(game, threes=False)
    assert (ask(cells, 1) is not None) == wins
    assert (ask([3 - c if c else 0 for c in cells], 2) is not None) == wins
    if wins:
        assert Prover(game, cells, ask).is_won(1)


@pytest.mark.parametrize(
    ("black", "white", "wins"),
    [
        ("f8 g8 h6 h7", "a1 a3 c1 c3", True),  # h8 makes two threes
        ("f8 g8 h6 h7", "a1 b1 c1 o9", True),  # the opponent can make a four, but it leads nowhere
        ("f8 g8 h6 h7", "j10 k10 l10 i5", False),  # and here the opponent makes a winning four first
        ("f8 g8", "a1 a3", False),
    ],
)
def test_two_threes(black, white, wins):
    game = Gomoku(15)
    cells = board(game, black, white)
    ask = asking(game, threes=True)
    assert (ask(cells, 1) is not None) == wins
    if wins:
        assert Prover(game, cells, ask).is_won(1)


def test_a_search_leaves_the_board_as_it_was():
    game = Gomoku(15)
    ask = asking(game, threes=True)
    chooser = Random(5)
    for limit in (0.0, 0.001, 1.0):
        for _ in range(10):
            cells = np.array(random_board(game, chooser), np.int32)
            ask.engine.set_up(cells, 0)
            before = ask.engine.board.copy()
            key = ask.engine.hashes[0]
            start = thread_time()
            ask.engine.seek_win(0, True, lambda start=start, limit=limit: thread_time() > start + limit, 6)
            after, end = ask.engine.board, active_list(before)
            assert np.array_equal(after[:HEAD], before[:HEAD])
            records = [
                b[HEAD:end].reshape(-1, RECORD)[:, :ACTIVE_PLACE] for b in (before, after)
            ]  # lists may be in another order
            assert np.array_equal(*records)
            assert ask.engine.hashes[0] == key


def test_the_file_names_its_positions_once():
    lines = FILE.read_text(encoding="utf-8").splitlines()
    assert len(set(lines)) == len(lines)
