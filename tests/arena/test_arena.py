"""Games and matches: fair, counted right, the same for the same seed."""

from __future__ import annotations

import pytest

from tengen.agents import Agent, AgentSpec, parse_agent
from tengen.arena import MatchResult, PlayedGame, play_game, play_match, random_openings, wilson_interval
from tengen.arena.playing import even_openings
from tengen.errors import AgentFailure, SpecError, TengenError
from tengen.games import Gomoku, Hex, Nim, Pig, Position, parse_game


def test_wilson_against_published_values():
    """Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    for successes, games, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        assert wilson_interval(successes, games) == pytest.approx((low, high), abs=5e-5)
    assert wilson_interval(20, 20)[1] == 1.0
    assert wilson_interval(0, 0) == (0.0, 1.0)


class First(Agent):
    """Always the first legal move."""

    def choose(self, position):
        return position.legal_moves[0]


class Cheat(Agent):
    """Plays on an occupied cell from its second move on."""

    def choose(self, position):
        return position.moves[0] if len(position.moves) > 1 else position.legal_moves[0]


FIRST = AgentSpec("first", lambda game: First(game, "first"))
CHEAT = AgentSpec("cheat", lambda game: Cheat(game, "cheat"))


def test_a_game_is_played_by_the_rules_and_can_be_replayed():
    game = Hex(4)
    seen = []
    agents = [First(game, "a"), First(game, "b")]
    played = play_game(
        game, agents, seed=1, on_move=lambda position, agent: seen.append((len(position.moves), agent.name))
    )
    assert Position(game, played.moves).winner == played.winner
    assert seen == [(n + 1, "ab"[n % 2]) for n in range(len(played.moves))]
    assert played.returns in ((1.0, -1.0), (-1.0, 1.0))


def test_luck_comes_from_the_seed():
    game = Pig(3)
    games = [play_game(game, [parse_agent("random").make(game)], seed=seed) for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]
    assert all(played.winner is None for played in games)


def test_an_illegal_move_forfeits_the_game():
    result = play_match(Hex(4), CHEAT, FIRST, games=4, opening=0)
    assert result.total.losses == 4
    assert len(result.forfeits) == 4
    assert "cheat" in result.forfeits[0]


def test_an_agent_that_fails_loses_the_game():
    class Failing(Agent):
        def choose(self, position):
            raise AgentFailure("out of ideas")

    spec = AgentSpec("lost", lambda game: Failing(game, "lost"))
    result = play_match(Hex(4), FIRST, spec, games=4, opening=1)
    assert result.total.wins == 4
    assert result.forfeits == ["lost: out of ideas"] * 4
    alone = play_game(Pig(2), [Failing(Pig(2), "lost")], seed=1)
    assert (alone.winner, alone.forfeit) == (None, "lost: out of ideas")


def test_colours_and_draws_are_counted():
    result = MatchResult(("a", "b"))
    for winner, side in ((0, 0), (0, 1), (1, 1), (None, 0), (1, 0)):
        result.add(PlayedGame((winner or 0, side), winner, (0.0, 0.0), 0), side)
    assert (result.total.wins, result.total.losses, result.total.draws) == (2, 2, 1)
    assert result.total.score == 0.5
    assert (result.by_side[0].wins, result.by_side[0].losses, result.by_side[0].draws) == (1, 1, 1)
    assert (result.by_side[1].wins, result.by_side[1].losses) == (1, 1)


def test_identical_games_are_not_counted_as_distinct():
    result = play_match(Hex(4), FIRST, FIRST, games=10, opening=0)
    assert result.distinct_games == 2  # one for each side
    varied = play_match(Hex(4), FIRST, FIRST, games=10, opening=1)
    assert varied.distinct_games == 10


def test_both_games_of_a_pair_have_the_same_opening_with_sides_exchanged():
    openings = []

    def note(result, played):
        openings.append((played.moves[: played.opening], len(played.moves)))

    result = play_match(Hex(5), parse_agent("random"), parse_agent("random"), 10, seed=3, opening=3, on_game=note)
    assert result.by_side[0].games == result.by_side[1].games == 5
    assert [o for o, _ in openings[::2]] == [o for o, _ in openings[1::2]]
    assert len({o for o, _ in openings}) == 5


def test_openings_leave_a_game_and_differ_while_they_can():
    openings = random_openings(Gomoku(3, line=3), 9, 1, seed=1)
    assert sorted(openings) == [[move] for move in range(9)]
    assert len(random_openings(Gomoku(3, line=3), 30, 1, seed=1)) == 30
    for opening in random_openings(Gomoku(3, line=3), 50, 6, seed=1):
        assert not Position(Gomoku(3, line=3), opening).is_over
    with pytest.raises(TengenError, match="fewer"):
        random_openings(Gomoku(3, line=3), 1, 9, seed=1)


@pytest.mark.jit
def test_threads_change_nothing():
    specs = parse_agent("uct,simulations=50"), parse_agent("puct,simulations=50,temperature=1")
    game = parse_game("hex:4")
    alone, together = (play_match(game, *specs, games=12, seed=5, threads=threads) for threads in (1, 2))
    assert alone.total == together.total
    assert alone._seen == together._seen


def test_a_temperature_needs_no_visit():
    game = Hex(3)
    assert parse_agent("uct,simulations=1,temperature=1").make(game).choose(Position(game)) in range(9)


def test_a_match_needs_two_players_and_sensible_numbers():
    with pytest.raises(SpecError, match="two players"):
        play_match(Pig(), FIRST, FIRST, 2)
    for bad in ({"games": 0}, {"games": 1, "threads": 0}, {"games": 1, "opening": -1}):
        with pytest.raises(SpecError):
            play_match(Nim(), FIRST, FIRST, **bad)


def test_uct_beats_random_from_both_sides():
    result = play_match(parse_game("hex:5"), parse_agent("uct,simulations=500"), parse_agent("random"), 10)
    assert result.total.wins == 10


@pytest.mark.jit
def test_tic_tac_toe_is_drawn_by_strong_players():
    spec = parse_agent("uct,simulations=20000")
    result = play_match(parse_game("gomoku:3,line=3"), spec, spec, 10, seed=1, threads=2)
    assert result.total.draws == 10


def test_a_judge_chooses_even_openings():
    """On 4×4 Hex an inner first move wins and a corner loses; a search sees it. After two random moves both can happen."""
    game = Hex(4)

    def advantage(opening):
        judge = parse_agent("uct,simulations=3000").make(game)
        judge.choose(Position(game, opening))
        return abs(judge.thoughts.moves[0].q)

    judge = parse_agent("uct,simulations=1000").make(game)
    even = even_openings(game, 5, 2, 3, judge)
    assert even == even_openings(game, 5, 2, 3, judge)
    assert len({tuple(opening) for opening in even}) == 5
    plain = random_openings(game, 20, 2, 3)
    assert sum(map(advantage, even)) / 5 < 0.8 * sum(map(advantage, plain)) / 20
    first, second = parse_agent("random"), parse_agent("flat,simulations=2")
    openings = {}
    for judge_spec in (None, parse_agent("uct,simulations=300")):
        seen = openings[judge_spec is None] = set()
        play_match(
            game, first, second, 6, 3, 1, 2, lambda _, played, seen=seen: seen.add(played.moves[:2]), None, judge_spec
        )
    assert len(openings[True]) == len(openings[False]) == 3
    assert openings[True] != openings[False]
    with pytest.raises(SpecError, match="does not say what a position is worth"):
        play_match(game, first, second, 2, judge=first)
