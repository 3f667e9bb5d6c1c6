"""The audit and the committed sets of solved positions."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tengen.agents import Agent, parse_agent
from tengen.arena.audit import AuditSet, audit, draw_set, load_set, main, set_file
from tengen.arena.solvers import solver_for
from tengen.arena.solving import Solver
from tengen.cli.main import run
from tengen.errors import SpecError
from tengen.games import Gomoku, Hex, Nim, Position

COMMITTED = [Hex(4), Hex(5), Hex(6)]


class Perfect(Agent):
    """Looks the move up in the solver."""

    def choose(self, position):
        self.solver = getattr(self, "solver", None) or solver_for(self.game)
        return self.solver.best_moves(position)[0]


class Spoiler(Perfect):
    """Throws every win away."""

    def choose(self, position):
        best = {super().choose(position), *self.solver.best_moves(position)}
        return next(move for move in position.legal_moves if move not in best)


@pytest.mark.parametrize("game", COMMITTED, ids=str)
def test_committed_sets(game):
    solved = load_set(game, "it")
    assert len(solved) >= 5000
    assert set_file(game).stat().st_size < 300_000
    boards = {(board.tobytes(), int(side)) for board, side in zip(solved.cells, solved.to_move)}
    assert len(boards) == len(solved)
    assert 0.3 < solved.to_move.mean() < 0.7
    assert np.all(solved.winning > 0)
    plies, positions = np.unique(solved.plies, return_counts=True)
    assert plies.tolist() == list(range(game.size**2 - 1))  # every one, but for the last, at which there is no choice
    assert positions[0] == 2  # the empty board, red or black to move
    share = len(solved) / len(plies)
    assert np.mean(positions >= share) > 0.7  # the same part for most


@pytest.mark.parametrize(("game", "first", "step"), [(Hex(4), 0, 25), (Hex(5), 10, 50), (Hex(6), 20, 50)], ids=str)
def test_a_sample_of_the_committed_sets_solved_anew(game, first, step):
    """By the generic solver without the must-play region: only from some stones on, for the time."""
    solved, solver = load_set(game, "it"), Solver(game)
    solver._narrow = False
    for i in np.flatnonzero(solved.plies >= first)[::step]:
        position = solved.position(game, int(i))
        assert solver.value(position) == 1
        best = solver.best_moves(position)
        assert int(solved.winning[i]) == sum(1 << move for move in best)
        assert len(best) < len(position.legal_moves)  # it is critical


def test_the_perfect_player_is_perfect_and_the_spoiler_is_not():
    game = Hex(4)
    solved = load_set(game, "hex:4")
    assert audit(Perfect(game, "perfect"), solved, 200).perfect == 1.0
    assert audit(Spoiler(game, "spoiler"), solved, 200).perfect == 0.0


@pytest.mark.parametrize("game", COMMITTED, ids=str)
def test_random_scores_what_is_expected_of_it(game):
    solved = load_set(game, "it")
    result = audit(parse_agent("random").make(game), solved, seed=1)
    assert result.perfect == pytest.approx(result.random, abs=4 * 0.5 / len(solved) ** 0.5)
    rows = result.by_ply()
    assert sum(row["positions"] for row in rows) == len(solved)
    assert sum(row["positions"] * row["perfect"] for row in rows) / len(solved) == pytest.approx(result.perfect)


def test_more_search_is_closer_to_perfect():
    game = Hex(4)
    solved = load_set(game, "hex:4")
    shares = [audit(parse_agent(spec).make(game), solved, 300).perfect for spec in ("random", "uct,simulations=400")]
    assert shares[0] < 0.45
    assert shares[1] > 0.8


def test_a_set_is_made_again_from_its_seed(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("tengen.arena.audit.PATIENCE", 200)
    files = [tmp_path / name for name in ("a.npz", "b.npz", "c.npz")]
    for file, seed in zip(files, (1, 1, 2)):
        main(["hex:3", "--positions", "80", "--seed", str(seed), "--out", str(file)])
    a, b, c = (AuditSet.load(file) for file in files)
    assert np.array_equal(a.cells, b.cells)
    assert np.array_equal(a.winning, b.winning)
    assert a.cells.shape != c.cells.shape or not np.array_equal(a.cells, c.cells)
    assert len(a) == 80
    assert "80 positions" in capsys.readouterr().out


def test_a_game_with_few_positions_gives_what_there_is(monkeypatch):
    monkeypatch.setattr("tengen.arena.audit.PATIENCE", 200)
    solved = draw_set(Gomoku(3, line=2), 1000, seed=1)
    assert 0 < len(solved) < 1000
    position = solved.position(Gomoku(3, line=2), 0)
    assert Solver(position.game).value(position) == 1


def test_names_of_sets():
    assert set_file(Hex(5)).name == "hex-5.npz"
    assert set_file(Hex(5, first=1)).name == "hex-5-first-1.npz"
    assert set_file(Gomoku(6, line=4)).name == "gomoku-6-line-4.npz"


def test_bad_input(tmp_path):
    with pytest.raises(SpecError, match="board"):
        draw_set(Nim(3), 10, 1)
    with pytest.raises(SpecError, match="1 position"):
        draw_set(Hex(3), 0, 1)
    with pytest.raises(SpecError, match="ply"):
        draw_set(Hex(3), 1, 1, first_ply=9)
    with pytest.raises(SpecError, match="6000"):
        audit(parse_agent("random").make(Hex(4)), load_set(Hex(4), "hex:4"), 6000)
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"no")
    with pytest.raises(SpecError, match="no set of positions"):
        AuditSet.load(broken)
    np.savez(broken, cells=np.zeros((2, 9), np.int8), to_move=np.zeros(1, np.int8), winning=np.zeros(2, np.uint64))
    with pytest.raises(SpecError, match="fit together"):
        AuditSet.load(broken)
    np.savez(broken, cells=np.array([{}], object), to_move=np.zeros(1), winning=np.zeros(1))
    with pytest.raises(SpecError, match="no set of positions"):  # a pickle is not opened
        AuditSet.load(broken)
    with pytest.raises(SystemExit):
        main(["nim:3"])


def test_the_command(capsys, tmp_path):
    assert run(["audit", "hex:4", "random", "--positions", "100", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["positions"] == 100
    assert 0 < data["random"] < 1
    assert data["by_ply"][0]["ply"] == 0
    assert data["by_ply"][-1]["ply"] == 14
    assert run(["audit", "hex:4", "random", "--positions", "100"]) == 0
    assert "random" in capsys.readouterr().out
    for command, said in (
        (["hex:7", "random"], "python -m tengen.arena.audit hex:7"),
        (["hex:4", "human"], "agents"),
        (["hex:4", "random", "--positions", "-1"], "positions"),
        (["hex:4", "random", "--set", str(set_file(Hex(5)))], "another board"),
    ):
        assert run(["audit", *command]) == 2
        assert said in capsys.readouterr().err


def test_positions_are_set_up_as_they_were():
    solved = load_set(Hex(4), "hex:4")
    position = solved.position(Hex(4), 1234)
    assert isinstance(position, Position)
    assert np.array_equal(position.cells(), solved.cells[1234])
    assert position.to_move == solved.to_move[1234]
