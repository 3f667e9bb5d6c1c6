"""Urgent and likely moves of Gomoku: on stated boards, beside the reply list of the threat search, and as pruning that changes nothing."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tengen.agents.classic.threats import replies
from tengen.games import Gomoku, Position
from tengen.games.gomoku_knowledge import tables_of
from tengen.games.gomoku_patterns import KIND_COUNTS, KINDS, WINNING_FOUR, WINS, move_of


def knowledge(position: Position) -> np.ndarray:
    known = np.zeros(position.game.knowledge_size(), np.int32)
    position.game.study(position.array, known)
    return known


def urgent(position: Position) -> set[str]:
    out = np.zeros(position.game.move_count(), np.int32)
    n = position.game.urgent_moves(position.array, knowledge(position), out)
    assert len(set(out[:n].tolist())) == n
    return {position.game.move_name(int(move)) for move in out[:n]}


def likely(position: Position, most: int = 0) -> list[str]:
    out = np.zeros(position.game.move_count(), np.int32)
    n = position.game.likely_moves(position.array, knowledge(position), most, out)
    return [position.game.move_name(int(move)) for move in out[:n]]


BOARD = Gomoku(15)


def board(mine: str, theirs: str, game: Gomoku = BOARD) -> Position:
    """The player to move (black) has `mine`."""
    cells = np.zeros(game.move_count(), np.int32)
    for colour, text in ((1, mine), (2, theirs)):
        for name in text.split():
            cells[game.parse_move(name)] = colour
    return Position.from_cells(game, cells.tolist(), 0)


BOARDS = {
    # 1. a win comes before everything else, also on two cells at once
    "win": ("f8 g8 h8 i8", "f9 g9 h9 i9", "e8 j8"),
    "win in a gap": ("f8 g8 i8 j8", "e8 k8 c3 c4", "h8"),
    # 2. a win of the opponent is blocked, rather than making a four that wins
    "block a win": ("h5 h6 h7", "f9 g9 h9 i9 a1", "e9 j9"),
    "block in a gap": ("h5 h6 h7 e9", "f9 g9 i9 j9", "h9"),
    # 3. a four that wins: open on both sides, or two at once
    "make a four": ("h6 h7 h8", "a1 f2 m4", "h5 h9"),
    "make two fours": ("e8 f8 g8 h5 h6 h7 d8 a1", "c8 h4 d4", "h8"),
    # 4. a four of the opponent is blocked: on its cell, or where it would win. A three with room on both sides:
    "block a four": ("a1 c2 m4", "f8 g8 h8", "e8 i8"),
    "beside the edge of its room": ("d8 c2 m4", "f8 g8 h8", "e8 i8 j8"),
    "with a gap": ("a1 c2 m4", "f8 h8 i8", "e8 g8 j8"),
    "or a four comes first": ("b1 c1 d1 m4", "a1 f8 g8 h8", "e8 i8 e1 f1"),
    # a blocked three and a lone two press nobody
    "nothing": ("a1 e8", "f8 g8 h8 c2", ""),
}


@pytest.mark.parametrize("name", BOARDS)
def test_urgent_moves(name):
    mine, theirs, expected = BOARDS[name]
    assert urgent(board(mine, theirs)) == set(expected.split())


def test_in_the_exact_game_six_in_a_row_is_no_win():
    mine, theirs = "e8 f8 g8 h8 j8", "d8 a1 b5 c9"
    assert urgent(board(mine, theirs)) == {"i8"}
    assert urgent(board(mine, theirs, Gomoku(15, exact=True))) == set()


def test_likely_moves_lie_near_stones():
    assert likely(Position(Gomoku(15))) == ["h8"]
    assert likely(Position(Gomoku(6, line=4))) == ["d3"]
    corner = board("a1", "")
    assert set(likely(corner)) == {"a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"}
    everything = board("c3 c4 c5", "d4 e5")
    assert likely(everything, most=2) == [
        "c6",
        "c2",
    ]  # the two open fours; of equals the lower number, which is the upper cell
    scores = likely(everything, most=10)
    assert len(scores) == 10
    assert scores[:2] == ["c6", "c2"]
    assert set(scores) < set(likely(everything))
    assert set(likely(everything, most=1000)) == set(likely(everything))


def test_games_without_patterns_offer_nothing():
    for game in (Gomoku(9, line=7), Gomoku(9, line=2), Gomoku(9, line=6, exact=True)):
        assert game.knowledge_size() == 0


def random_position(game: Gomoku, chooser: random.Random) -> Position | None:
    """Some moves near each other, so that there is something to see."""
    position = Position(game)
    for _ in range(chooser.randint(4, 20)):
        out = np.zeros(game.move_count(), np.int32)
        n = game.likely_moves(position.array, knowledge(position), 0, out)
        position.play(int(chooser.choice(out[:n].tolist())))
        if position.is_over:
            return None
    return position


def test_replies_to_a_four_are_those_of_the_threat_search():
    chooser, seen = random.Random(5), 0
    game = Gomoku(9)
    while seen < 25:
        position = random_position(game, chooser)
        if position is None:
            continue
        known, mover = knowledge(position), position.to_move
        counts = [[int(known[KIND_COUNTS + KINDS * c + kind]) for kind in (WINS, WINNING_FOUR)] for c in (0, 1)]
        if counts[0][0] or counts[1][0] or counts[mover][1] or not counts[1 - mover][1]:
            continue
        out = np.zeros(2 * game.move_count(), np.int64)
        n = replies(known.copy(), tables_of(game), 1 - mover, out, 0)
        expected = {game.move_name(int(move_of(known, 9, int(cell)))) for cell in out[:n]}
        assert urgent(position) == expected or not expected
        seen += 1


@pytest.mark.parametrize("game", [Gomoku(4, line=3), Gomoku(4, line=4), Gomoku(4, line=3, exact=True)], ids=str)
def test_looking_at_urgent_moves_only_never_changes_who_wins(game):
    """Exhaustively, from random positions on: the value with all moves is the value with the urgent ones."""
    known: dict[bytes, int] = {}

    def value(position: Position, prunes: bool) -> int:
        key = bytes([prunes]) + position.array.tobytes()
        if key not in known:
            moves = [game.parse_move(name) for name in urgent(position)] if prunes else []
            best = -1
            for move in moves or position.legal_moves:
                after = position.copy()
                after.push(move)
                won = after.winner is not None
                best = max(best, 1 if won else 0 if after.is_over else -value(after, prunes))
                if best == 1:
                    break
            known[key] = best
        return known[key]

    chooser = random.Random(1)
    for _ in range(8):
        position = Position(game)
        for _ in range(7):
            if not position.is_over:
                position.play(chooser.choice(position.legal_moves))
        if not position.is_over:
            assert value(position, prunes=True) == value(position, prunes=False), str(position)
