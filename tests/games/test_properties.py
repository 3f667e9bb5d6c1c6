"""Properties that hold for any game, any moves and any text, with examples drawn by Hypothesis."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tengen.errors import IllegalMove, MalformedMove, SpecError
from tengen.games import CHANCE, Gomoku, Hex, Nim, Pig, Position, game_spec, parse_game

small_games = st.sampled_from(
    [
        Hex(3), Hex(5), Hex(4, swap=True), Hex(4, first=1), Hex(3, True, 1),
        Gomoku(3, 3), Gomoku(5, 4), Gomoku(6, 3, True), Nim(3), Nim(4, True), Pig(2), Pig(3, 4, 8), Pig(2, seats=2),
    ]
)  # fmt: skip
board_games = small_games.filter(lambda game: isinstance(game, Hex | Gomoku))
numbers = st.lists(st.integers(0, 10_000), max_size=40)


def play_by_numbers(game, numbers):
    """Each number chooses among the legal moves; a finished game leaves the rest unused."""
    position = Position(game)
    for number in numbers:
        if position.is_over:
            break
        moves = position.legal_moves
        position.play(moves[number % len(moves)])
    return position


def everything(position):
    """All that a player could notice of a position, to see whether something has changed."""
    return (
        position.array.tolist(), position.moves, list(position.returns), position.to_move, position.legal_moves,
        position.is_over, position.winner, position.text(),
    )  # fmt: skip


@given(small_games, numbers)
def test_moves_are_taken_back_one_by_one(game, numbers):
    position, history = Position(game), []
    for number in numbers:
        if position.is_over:
            break
        history.append((everything(position.copy()), position.legal_moves[number % len(position.legal_moves)]))
        position.play(history[-1][1])
    for before, _ in reversed(history):
        assert everything(position.undo()) == before
    with pytest.raises(IllegalMove, match="no move to take back"):
        position.undo()


@given(small_games, numbers)
def test_a_copy_goes_its_own_way(game, numbers):
    position = play_by_numbers(game, numbers)
    before = everything(position.copy())
    onward, back = position.copy(), position.copy()
    while not onward.is_over:
        onward.play(onward.legal_moves[-1])
    while back.moves:
        back.undo()
    assert everything(position) == before


@given(small_games, numbers)
def test_what_one_wins_the_other_loses(game, numbers):
    position = play_by_numbers(game, numbers)
    if game.players() == 2:
        assert position.returns[0] == -position.returns[1]
    else:
        assert position.returns[1] == 0.0


@given(board_games, numbers)
def test_an_occupied_cell_is_never_legal_and_an_empty_one_always(game, numbers):
    position = play_by_numbers(game, numbers)
    cells = position.cells()
    legal = [move for move in position.legal_moves if move < len(cells)]
    expected = [] if position.is_over else np.flatnonzero(cells == 0).tolist()
    assert legal == expected


@given(small_games, numbers)
def test_the_names_of_moves_can_be_read(game, numbers):
    position = play_by_numbers(game, numbers)
    for move in range(game.move_count()):
        assert position.parse(game.move_name(move)) == move
        assert position.parse(f"  {game.move_name(move).upper()} ") == move
    assert np.array_equal(Position(game, position.move_names).array, position.array)


@given(small_games, numbers, st.text(max_size=6))
def test_a_text_that_is_no_move_changes_nothing(game, numbers, text):
    position = play_by_numbers(game, numbers)
    before = everything(position.copy())
    if text.strip().lower() in ("swap-pieces", *(game.move_name(move) for move in range(game.move_count()))):
        return
    with pytest.raises(MalformedMove) as caught:
        position.play(text)
    assert len(str(caught.value).splitlines()) == 1
    assert everything(position) == before


@given(small_games, numbers, st.integers(-3, 40))
def test_an_illegal_move_changes_nothing(game, numbers, move):
    position = play_by_numbers(game, numbers)
    before = everything(position.copy())
    if move in position.legal_moves:
        return
    moves = [move, game.move_name(move)] if 0 <= move < game.move_count() else [move]
    for way_to_say_it in moves:
        with pytest.raises(IllegalMove):
            position.play(way_to_say_it)
        assert everything(position) == before


@given(small_games, numbers, st.data())
def test_the_image_of_a_game_has_the_images_of_its_moves(game, numbers, data):
    table = data.draw(st.sampled_from(list(game.symmetries())))
    position, image = Position(game), Position(game)
    for number in numbers:
        legal = position.legal_moves
        moved = position.to_move
        assert sorted(legal if moved == CHANCE else [int(table[move]) for move in legal]) == image.legal_moves
        assert (image.to_move, image.is_over, image.winner) == (moved, position.is_over, position.winner)
        if position.is_over:
            break
        move = legal[number % len(legal)]
        position.play(move)
        image.play(move if moved == CHANCE else int(table[move]))


# --- specifications

any_game = st.one_of(
    st.builds(Hex, st.integers(3, 19), st.booleans(), st.integers(0, 1)),
    st.integers(3, 20).flatmap(lambda size: st.builds(Gomoku, st.just(size), st.integers(2, size), st.booleans())),
    st.builds(Nim, st.integers(1, 20), st.booleans()),
    st.builds(Pig, st.integers(1, 100), st.integers(2, 20), st.integers(2, 1000), st.integers(1, 2)),
)
# Almost-right texts, which reach more of the parser than letters at random.
almost_specs = st.lists(
    st.sampled_from([
        "hex", "gomoku", "nim", "pig", "go", "no.py", "x" * 300, ":", ",", "=", " ", "\n", "\0", "\u2028", "²",
        "5", "19", "-1", "0", "1e3", "true", "swap", "first", "line", "size", "exact", "heaps", "misere", "seats",
    ]),
    max_size=8,
).map("".join)  # fmt: skip


@given(any_game)
def test_the_text_of_a_game_names_that_game(game):
    text = game_spec(game)
    assert parse_game(text) == game
    assert type(parse_game(text)) is type(game)
    assert game_spec(parse_game(text)) == text


@settings(max_examples=400)
@given(st.one_of(st.text(), almost_specs))
@example("hex:2\n")
@example("hex:5\n,swop")
@example("hex:5,\x85swop")
@example("x" * 300 + ".py:Game")
@example("\0.py:Game")
@example("hex:" + "9" * 5000)
def test_any_text_is_a_game_or_one_line_that_says_why_not(text):
    try:
        game = parse_game(text)
    except SpecError as error:
        message = str(error)
    else:
        assert parse_game(game_spec(game)) == game
        return
    assert len(message.splitlines()) == 1
