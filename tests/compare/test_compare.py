"""The comparison of methods, shrunk to seconds: it trains, plays, goes on where it stopped, and makes a table and plots."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("keras", reason="networks are trained with the extra [train]")

from tengen.cli.main import run as command
from tengen.compare.figures import interval_over_seeds, table
from tengen.compare.folder import CompareFolder
from tengen.compare.settings import COMPARISONS, load_comparison
from tengen.errors import SpecError
from tengen.runs.directory import runs_folder

AC = """
game = "pig:2,limit=12"
method = "ac"
[training]
games = 100000
[baseline]
environments = 4
[network]
layers = [8]
critic = true
value_low = -1.0
value_high = 40.0
indicator = false
"""
SMALL = """
boards = ["pig:2,limit=12"]
players = ["random"]
seeds = 2
minutes = 0.02
games = 6
cap = 50
simulations = [2, 4]
sweep_games = 3
[[learners]]
label = "with search"
preset = "ac.toml"
agent = "zero,simulations=3:RUN"
[[learners]]
label = "ac"
preset = "ac.toml"
agent = "ac:RUN"
of = "with search"
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))
    (tmp_path / "ac.toml").write_text(AC)
    (tmp_path / "small.toml").write_text(SMALL)


def test_it_trains_plays_and_goes_on(capsys):
    assert command(["compare", "small.toml", "--games", "4", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["rows"]
    folder = CompareFolder("small")
    assert [(row["player"], row["simulations"]) for row in first] == [
        ("random", 0), ("with search", 0), ("ac", 0), ("with search", 2), ("with search", 4),
    ]  # fmt: skip
    by_name = {(row["player"], row["simulations"]): row for row in first}
    assert by_name["random", 0]["games"] == 4
    assert by_name["random", 0]["training_minutes"] == 0
    assert by_name["ac", 0]["games"] == 8
    assert len(by_name["ac", 0]["by_seed"]) == 2
    assert by_name["ac", 0]["training_minutes"] >= 0.02
    assert by_name["with search", 2]["games"] == 3
    for row in first:
        assert row["interval"][0] <= row["mean_lines"] <= row["interval"][1]
        assert row["ms_per_move"] > 0
    kept, runs = folder.games(), sorted(path.name for path in runs_folder().glob("small-*"))
    assert len(runs) == 2
    assert (folder.folder / "table.md").read_text().count("`with search`") == 3
    for plot in ("lines-placements.png", "lines-minutes.png", "lines-simulations.png"):
        assert (folder.folder / plot).stat().st_size > 5000
    with (folder.folder / "games.jsonl").open("a") as out:
        out.write('{"board": "pig')  # what a kill may leave
    assert command(["compare", "small.toml"]) == 0  # two games more of each, nothing else
    assert sorted(path.name for path in runs_folder().glob("small-*")) == runs
    again = folder.games()
    assert again[: len(kept)] == kept
    assert len(again) == len(kept) + 2 + 2 * 2 + 2 * 2
    assert all(game.number >= 4 for game in again[len(kept) :])


def test_runs_that_exist_take_part(capsys):
    assert command(["compare", "small.toml", "--games", "2", "--seeds", "1", "--only", "ac", "--json"]) == 0
    capsys.readouterr()
    (run,) = [path.name for path in runs_folder().glob("small-*")]
    text = (
        SMALL.partition("[[learners]]")[0]
        + f'[[learners]]\nlabel = "old"\npreset = "ac.toml"\nagent = "ac:RUN"\nruns = ["{run}"]\n'
    )
    with open("other.toml", "w") as out:
        out.write(text)
    assert command(["compare", "other.toml", "--games", "2", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["player"] for row in rows] == ["random", "old"]
    assert len(list(runs_folder().glob("other-*"))) == 0


@pytest.mark.parametrize("wrong", [
    {"seeds = 2": "seeds = 0"}, {"seeds = 2": "sedes = 2"}, {"games = 6": "games = true"}, {'["random"]': '["rando"]'}, {'["random"]': '["human"]'},
    {"zero,simulations=3:RUN": "random"}, {"pig:2,limit=12": "hex:5"}, {'of = "with search"': 'of = "nobody"'},
    {'label = "ac"': 'label = "random"'},
])  # fmt: skip
def test_a_wrong_comparison_is_refused_in_one_line(wrong, tmp_path):
    ((old, new),) = wrong.items()
    (tmp_path / "wrong.toml").write_text(SMALL.replace(old, new))
    with pytest.raises(SpecError) as caught:
        load_comparison("wrong.toml")
    assert len(str(caught.value).splitlines()) == 1


def test_a_comparison_that_nobody_knows():
    with pytest.raises(SpecError, match="no comparison called 'tetriss'; did you mean 'tetris'"):
        load_comparison("tetriss")


def test_the_comparisons_of_the_package_are_sound():
    for file in COMPARISONS.glob("*.toml"):
        settings = load_comparison(file.stem)
        for board in settings.boards:
            for learner in settings.learners:
                assert settings.config(learner, board, 1).seed == 1
        assert table(settings, CompareFolder(file.stem)) == []


def test_the_interval_knows_that_trainings_differ():
    chooser = np.random.default_rng(0)
    games = [list(chooser.exponential(mean, 100)) for mean in (50, 100, 150)]
    low, high = interval_over_seeds(games)
    pooled_low, pooled_high = interval_over_seeds([[game for group in games for game in group]])
    assert low < pooled_low < pooled_high < high
