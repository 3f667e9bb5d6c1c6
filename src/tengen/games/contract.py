"""The contract that every game keeps, as a test anyone can run on a game of their own: ``check_game(MyGame())``.

Random games are played and at every position the verbs must agree with each other; then the same games are played by
compiled code and must be the same.
"""

from __future__ import annotations

import itertools
import random as python_random
from collections.abc import Callable

import numpy as np

from tengen.compiling import inner, kernel
from tengen.games import randomness
from tengen.games.position import Position
from tengen.games.types import AnyGame, FloatArray, IntArray, RandomState
from tengen.games.verbs import CHANCE, ENDLESS, Game, random_game


class BrokenContract(AssertionError):
    """A game breaks the contract; the message says where."""


def check_game(game: Game, games: int = 10, seed: int = 1, longest: int = 20_000, compiled: bool = True) -> int:
    """Play `games` random games and check every verb at every position; return how many positions were seen.

    `compiled=False` leaves out the comparison with compiled code, which takes some seconds the first time.
    """
    _check_shapes(game)
    seen = 0
    for number in range(games):
        chooser = python_random.Random(seed * 1_000_003 + number)
        position = Position(game)
        known = _studied(position)
        while not position.is_over:
            _check_position(position)
            _check_knowledge(position, known)
            moves = position.legal_moves
            _check_illegal_moves(position, moves)
            weights = position.odds if position.to_move == CHANCE else None
            before = position.array.copy()
            position.play(chooser.choices(moves, weights)[0])
            if len(known) > 0:
                game.learn(position.array, known, position.moves[-1])
            _require(not np.array_equal(before, position.array), position, "a move changes the position")
            seen += 1
            _require(len(position.moves) <= longest, position, f"a game ends within {longest} moves")
        _check_end(position)
        _check_symmetries(position)
        _check_undo(position)
        if compiled:
            _check_compiled(position)
            _check_compiled_knowledge(position)
            _check_playout(game, number)
    return seen


def _require(condition: bool, position: Position, what: str) -> None:
    if not condition:
        raise BrokenContract(f"{position.game}: {what}; it does not after {position.move_names}")


def _check_shapes(game: Game) -> None:
    position = Position(game)
    _require(game.position_size() >= 1 and game.move_count() >= 1, position, "sizes are positive")
    _require(game.players() in (1, 2), position, "a game has 1 or 2 players")
    moves = np.arange(game.move_count())
    for name, table in (("symmetries", game.symmetries()), ("move_views", game.move_views())):
        _require(table.ndim == 2 and table.shape[1] == len(moves), position, f"{name} is [n, moves]")
        for row in table:
            _require(np.array_equal(np.sort(row), moves), position, f"every row of {name} is a permutation")
    _require(np.array_equal(game.symmetries()[0], moves), position, "the first symmetry changes nothing")
    names = [game.move_name(int(move)) for move in moves]
    _require(len(set(names)) == len(names), position, "moves have different names")
    for move, name in enumerate(names):
        _require(game.parse_move(name) == move, position, f"parse_move undoes move_name ({name})")


def _check_position(position: Position) -> None:
    before = position.array.copy()
    _check_verbs(position)
    _require(np.array_equal(before, position.array), position, "only play changes a position")


def _check_verbs(position: Position) -> None:
    game, moves = position.game, position.legal_moves
    player = position.to_move
    _require(player == CHANCE or 0 <= player < game.players(), position, "to_move is a player or CHANCE")
    _require(len(moves) > 0, position, "a game that is not over has a legal move")
    rising = all(a < b for a, b in itertools.pairwise(moves))
    _require(rising and moves[0] >= 0 and moves[-1] < game.move_count(), position, "legal moves rise")
    _require(position.winner is None, position, "nobody has won before the end")
    if player == CHANCE:
        odds = position.odds
        _require(min(odds) >= 0 and abs(sum(odds) - 1) < 1e-9, position, "odds are positive and add up to 1")
        return
    planes = np.full((game.plane_count(), game.plane_rows(), game.plane_columns()), np.nan, np.float32)
    game.encode(position.array, planes)
    _require(bool(np.isfinite(planes).all()), position, "encode writes every number of the planes")
    _require(0 <= game.move_view(position.array) < len(game.move_views()), position, "move_view is a row of move_views")
    cells = game.cells(position.array)
    if len(cells):
        again = Position.from_cells(game, cells.tolist(), player)
        _require(again.legal_moves == moves, position, "set_up undoes cells")
        _require(again.is_over == position.is_over, position, "set_up undoes cells")
        _require(again.to_move == player, position, "set_up has the player to move that it is told")
    made = np.full(game.move_count(), -1, np.int32)
    if game.made_by(position.array, made):
        _require(set(made.tolist()) <= {0, 1, 2}, position, "made_by writes 0, 1 or 2 for every move")
        _require(not made[moves].any(), position, "made_by: nobody has made a move that is still legal")
        last, after = moves[0], position.copy()
        after.push(last)
        game.made_by(after.array, made)
        _require(made[last] == player + 1, position, "made_by says who made a move")
    owners = {cell.move: cell.owner for cell in game.diagram(position.array).cells}
    drawn = [owners.get(move) for move in range(len(cells))] if owners else []
    _require(
        all(c == (0 if o is None else o + 1) for c, o in zip(cells, drawn)), position, "the diagram shows the cells"
    )


def _studied(position: Position) -> IntArray:
    """What the game knows of a position, from nothing."""
    known = np.zeros(position.game.knowledge_size(), np.int32)
    if len(known) > 0:  # a game that offers none with these parameters has nowhere to write it
        position.game.study(position.array, known)
    return known


def _check_knowledge(position: Position, known: IntArray) -> None:
    """What was learnt move by move says the same as what is written from nothing, and both name legal moves."""
    game = position.game
    if len(known) == 0 or position.to_move == CHANCE:
        return
    before, answers = position.array.copy(), []
    for knowledge in (known, known, _studied(position)):
        told = []
        for most in (-1, 0, 1, 3):
            out = np.full(game.move_count(), -1, np.int32)
            if most < 0:
                n = game.urgent_moves(position.array, knowledge, out)
            else:
                n = game.likely_moves(position.array, knowledge, most, out)
            moves = out[:n].tolist()
            _require(set(moves) <= set(position.legal_moves), position, "urgent and likely moves are legal")
            _require(len(set(moves)) == n, position, "urgent_moves and likely_moves name no move twice")
            _require(most <= 0 or n <= most, position, "likely_moves names no more than it is asked for")
            told.append(sorted(moves))
        answers.append(told)
    _require(answers[0] == answers[1], position, "asking for urgent and likely moves changes no answer")
    _require(answers[0][1:] == answers[2][1:], position, "learn says what study says")
    says = answers[2][0] in ([], answers[0][0])
    _require(says, position, "study, which knows no last move, finds urgent what learn does, or nothing")
    _require(np.array_equal(before, position.array), position, "only play changes a position")


def _check_illegal_moves(position: Position, legal: list[int]) -> None:
    illegal = sorted(set(range(position.game.move_count())).difference(legal))
    for move in (-1, position.game.move_count(), *illegal[:2], *illegal[-2:]):
        try:
            position.play(move)
        except ValueError:
            continue
        _require(False, position, f"the illegal move {move} is refused")


def _check_end(position: Position) -> None:
    _require(position.legal_moves == [], position, "after the end no move is legal")
    game, total = position.game, position.returns
    if game.is_bounded():
        _require(abs(total[0]) <= 1, position, "rewards of a bounded game add up to at most 1")
    if game.players() == 2 and game.is_bounded():
        expected = {None: 0.0, 0: 1.0, 1: -1.0}[position.winner]
        _require(total[0] == expected, position, "the rewards tell the winner")


def _check_symmetries(position: Position) -> None:
    """The moves of a game, each replaced by its image, are a game with the same result."""
    for table in position.game.symmetries()[1:]:
        image = Position(position.game)
        for move in position.moves:
            luck = image.to_move == CHANCE
            image.play(move if luck else int(table[move]))
        _require(image.is_over and image.returns == position.returns, position, "symmetries keep the result")


def _check_undo(position: Position) -> None:
    other = Position(position.game, position.moves)
    _require(np.array_equal(other.array, position.array), position, "the same moves give the same position")
    while other.moves:
        other.undo()
    _require(np.array_equal(other.array, Position(position.game).array), position, "undo leads back to the start")


@kernel
def _replay(game: AnyGame, moves: IntArray, position: IntArray, legal: IntArray, rewards: FloatArray) -> int:
    """Play `moves` in compiled code; a checksum over everything the verbs said on the way."""
    checksum = 0
    game.start(position)
    for i in range(len(moves)):
        n = game.legal_moves(position, legal)
        for j in range(n):
            checksum = (checksum * 31 + legal[j]) % 1_000_003
        checksum = (checksum * 31 + game.to_move(position) + 1 + 2 * game.is_over(position)) % 1_000_003
        rewards[i] = game.play(position, int(moves[i]))
    return checksum


def _check_compiled(position: Position) -> None:
    game = position.game
    moves = np.array(position.moves, np.int32)
    function: Callable[..., int] = _replay
    results = []
    for run in (function, getattr(function, "py_func", function)):
        array = np.zeros(game.position_size(), np.int32)
        rewards = np.zeros(len(moves))
        checksum = run(game, moves, array, np.zeros(game.move_count(), np.int32), rewards)
        results.append((checksum, array.tolist(), rewards.tolist()))
    _require(results[0] == results[1], position, "compiled code plays as plain Python does")


@kernel
def _relearn(game: AnyGame, moves: IntArray, position: IntArray, known: IntArray, out: IntArray) -> int:
    """Play `moves` in compiled code and keep the knowledge; a checksum over all that it said on the way."""
    checksum = 0
    game.start(position)
    game.study(position, known)
    for i in range(len(moves)):
        if game.to_move(position) != CHANCE:
            for most in range(-1, 4):
                if most < 0:
                    n = game.urgent_moves(position, known, out)
                else:
                    n = game.likely_moves(position, known, most, out)
                checksum = (checksum * 31 + n + 1) % 1_000_003
                for j in range(n):
                    checksum = (checksum * 31 + out[j]) % 1_000_003
        game.play(position, int(moves[i]))
        game.learn(position, known, int(moves[i]))
    return checksum


def _check_compiled_knowledge(position: Position) -> None:
    game = position.game
    if game.knowledge_size() == 0:
        return
    function: Callable[..., int] = _relearn
    sums = []
    for run in (function, getattr(function, "py_func", function)):
        array, known, out = (
            np.zeros(n, np.int32) for n in (game.position_size(), game.knowledge_size(), game.move_count())
        )
        sums.append(run(game, np.array(position.moves, np.int32), array, known, out))
    _require(sums[0] == sums[1], position, "compiled code knows what plain Python knows")


@inner
def _walk(game: AnyGame, position: IntArray, plies: int, random: RandomState) -> int:
    """Random moves; the number of the player from whose view the position is seen."""
    moves, odds = np.empty(game.move_count(), np.int32), np.empty(game.move_count(), np.float64)
    viewer = 0
    for _ in range(plies):
        n = game.legal_moves(position, moves)
        if game.to_move(position) == CHANCE:
            game.chance_odds(position, odds)
            i = randomness.choose(random, odds, n)
        else:
            viewer = game.to_move(position)
            i = randomness.below(random, n)
        game.play(position, int(moves[i]))
        if game.is_over(position):
            break
    return viewer


@kernel
def _playout_totals(game: AnyGame, plies: int, playouts: int, random: RandomState, totals: FloatArray) -> None:
    """The game's own playout beside the plain one, from positions `plies` deep, each in both players' views."""
    start, scratch = np.zeros(game.position_size(), np.int32), np.zeros(game.position_size(), np.int32)
    game.start(start)
    viewer = _walk(game, start, plies, random)
    for _ in range(playouts):
        scratch[:] = start
        totals[0] += game.playout(scratch, viewer, random)
        scratch[:] = start
        totals[1] += random_game(game, scratch, viewer, 1.0, ENDLESS, random)
        if game.players() == 2 and game.to_move(start) != CHANCE:  # where luck moves, only the view of the last mover
            state = random[0]
            scratch[:] = start
            mine = game.playout(scratch, viewer, random)
            random[0] = state
            scratch[:] = start
            totals[2] += abs(mine + game.playout(scratch, 1 - viewer, random))


def _check_playout(game: Game, number: int) -> None:
    """A game's own playout has the mean of plain random moves, and what one player wins the other loses."""
    playouts, totals = 4000, np.zeros(3)
    _playout_totals(game, number, playouts, randomness.random_state(number), totals)
    position = Position(game)
    _require(totals[2] == 0.0, position, "a playout is worth the opposite to the other player")
    if game.is_bounded():  # five standard deviations of the difference of two means of values in [−1, 1]
        close = abs(totals[0] - totals[1]) / playouts < 5 * (2 / playouts) ** 0.5
        _require(bool(close), position, "the game's playout agrees with random moves in the mean")
