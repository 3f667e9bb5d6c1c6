"""Games for one: the same luck for everyone, caps, means and their intervals."""

import json

import numpy as np
import pytest

from tengen.agents import parse_agent
from tengen.agents.base import Agent
from tengen.agents.catalog import AgentSpec
from tengen.agents.tetris import LinearAgent
from tengen.arena.solo import play_alone, play_solo
from tengen.arena.statistics import bootstrap_interval
from tengen.cli.main import run
from tengen.games import Pig, Tetris
from tengen.games.tetris import PIECES

BOARD = Tetris(8, 8, 0)


class Slowly(Agent):
    """A linear player, asked placement by placement; it notes which pieces it was given."""

    def __init__(self, game, player="dellacherie"):
        super().__init__(game, "slowly")
        self.player = LinearAgent(game, player, "inside")
        self.pieces = []

    def choose(self, position):
        self.pieces = [move for move in position.moves if move < PIECES]
        return self.player.choose(position)


@pytest.mark.parametrize("game", [BOARD, Tetris(8, 6, 1), Tetris(6, 8, 0, bag=True)], ids=str)
def test_the_fast_way_through_a_game_is_the_slow_one(game):
    for seed in range(3):
        fast = play_alone(game, LinearAgent(game, "dellacherie", "fast"), 0, seed, 40)
        slow = play_alone(game, Slowly(game), 0, seed, 40)
        assert fast == slow


def test_everyone_gets_the_same_pieces():
    one, other = Slowly(BOARD), Slowly(BOARD, "greedy")
    play_alone(BOARD, one, 0, 5, 30)
    play_alone(BOARD, other, 0, 5, 30)
    common = min(len(one.pieces), len(other.pieces))
    assert common > 8
    assert one.pieces[:common] == other.pieces[:common]


def test_a_cap_breaks_a_game_off():
    for game, cap in ((Tetris(10, 20), 7), (Tetris(10, 20, pieces=7), 0)):
        for agent in (LinearAgent(game, "bcts", "bcts"), Slowly(game)):
            played = play_alone(game, agent, 0, 1, cap)
            assert (played.moves, played.capped) == (7, True)
    short = play_alone(Tetris(4, 4, 0), Slowly(Tetris(4, 4, 0), "greedy"), 0, 1, 100_000)
    assert not short.capped


def test_threads_change_nothing():
    agents = [parse_agent("dellacherie"), parse_agent("random")]
    one, two = (play_solo(BOARD, agents, 6, 3, threads, 50) for threads in (1, 2))
    for i in range(2):
        assert sorted(map(repr, one.games[i])) == sorted(map(repr, two.games[i]))
    row = one.as_json()["dellacherie"]
    assert row["games"] == 6
    assert row["mean_lines"] == np.mean([game.total for game in one.games[0]])
    assert row["mean_lines"] > one.as_json()["random"]["mean_lines"]


def test_an_agent_that_breaks_the_rules_keeps_what_it_had():
    class Breaker(Agent):
        def choose(self, position):
            return position.legal_moves[0] if len(position.moves) < 5 else 0

    result = play_solo(BOARD, [AgentSpec("breaker", lambda game: Breaker(game, "breaker"))], 1)
    row = result.as_json()["breaker"]
    assert len(row["forfeits"]) == 1
    assert row["capped"] == 0


def test_games_that_are_not_tetris():
    result = play_solo(Pig(2), [parse_agent("random"), parse_agent("uct,simulations=200")], 20)
    assert result.as_json()["uct,simulations=200"]["mean_reward"] > result.as_json()["random"]["mean_reward"]


def test_the_bootstrap_covers_the_mean_nineteen_times_in_twenty():
    chooser = np.random.default_rng(1)
    covered = 0
    for trial in range(200):
        low, high = bootstrap_interval(chooser.exponential(100.0, 60).tolist(), seed=trial)
        covered += low <= 100 <= high
    assert 0.86 <= covered / 200 <= 0.99
    assert bootstrap_interval([3.0, 3.0]) == (3.0, 3.0)


def test_the_command(capsys):
    assert run(["match", "tetris:6x6,preview=0", "greedy", "random", "--games", "3", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert set(said) == {"greedy", "random"}
    assert set(said["greedy"]) >= {"games", "mean_lines", "interval", "mean_score", "capped"}
    assert run(["match", "tetris:6x6,preview=0", "greedy", "--games", "2", "--cap", "5"]) == 0
    assert "greedy" in capsys.readouterr().out
