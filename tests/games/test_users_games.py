"""A game in a user's own file: found, imported with its neighbours, named, and refused in words."""

import sys

import pytest

from tengen.errors import SpecError
from tengen.games import Position, check_game, game_spec, parse_game

RACE = """
from typing import NamedTuple
from tengen import game
from {helper} import farthest

@game
class Race(NamedTuple):
    "Step 1 or 2; whoever reaches the goal first wins."
    goal: int{default}

    def check(self):
        if self.goal < 1:
            raise ValueError("the goal is too near")
    def position_size(self): return 2
    def move_count(self): return 2
    def start(self, position): position[:] = 0
    def to_move(self, position): return int(position[1])
    def legal_moves(self, position, out):
        out[0], out[1] = 0, 1
        return min(farthest(), self.goal - position[0])
    def play(self, position, move):
        position[0] += move + 1
        position[1] = 1 - position[1]
        return 1.0 if position[0] == self.goal else 0.0
    def is_over(self, position): return bool(position[0] == self.goal)
    def outcome(self, position): return int(1 - position[1]) if position[0] == self.goal else -1

class NoGame:
    pass
"""


@pytest.fixture
def race(tmp_path):
    """A file with a game that imports a module beside it; each test has a helper of its own name."""

    def write(folder=tmp_path, default=" = 7"):
        folder.mkdir(exist_ok=True)
        helper = f"steps_of_{folder.name}".replace("-", "_").replace(":", "_")
        (folder / f"{helper}.py").write_text(
            "from tengen.compiling import inner\n\n@inner\ndef farthest():\n    return 2\n"
        )
        (folder / "race.py").write_text(RACE.format(helper=helper, default=default))
        return folder / "race.py"

    return write


def test_a_game_in_a_users_file_is_played(race):
    file = race()
    path = list(sys.path)
    game = parse_game(f"{file}:Race")
    assert sys.path == path  # the user's folder was on it only for the import
    assert game.goal == 7
    assert Position(game, ["1", "0", "1", "1"]).winner == 1
    assert check_game(game, compiled=False) > 0
    assert parse_game(f"{file}:Race,goal=9").goal == 9


def test_a_users_game_has_a_text_that_names_it(race):
    file = race()
    game = parse_game(f"{file}:Race,goal=9")
    assert game_spec(game) == f"{file}:Race,goal=9"
    assert parse_game(game_spec(game)) == game
    assert type(parse_game(game_spec(game))) is type(game)


@pytest.mark.parametrize("package", [False, True])
def test_helpers_of_the_same_name_in_two_folders_are_two(tmp_path, package):
    games = []
    for folder, steps in ((tmp_path / "one", 1), (tmp_path / "two", 2)):
        folder.mkdir()
        helper = folder / "helper_of_race.py"
        if package:
            helper = folder / "helper_of_race" / "__init__.py"
            helper.parent.mkdir()
        helper.write_text(f"from tengen.compiling import inner\n\n@inner\ndef farthest():\n    return {steps}\n")
        (folder / "race.py").write_text(RACE.format(helper="helper_of_race", default=" = 7"))
        games.append(parse_game(f"{folder / 'race.py'}:Race"))
    assert [len(Position(game).legal_moves) for game in games] == [1, 2]
    assert "helper_of_race" not in sys.modules


def test_a_neighbour_of_the_same_name_as_a_module_in_use_leaves_that_as_it_is(race, tmp_path, monkeypatch):
    other = type(sys)("steps_of_mine")
    monkeypatch.setitem(sys.modules, "steps_of_mine", other)
    game = parse_game(f"{race(tmp_path / 'mine')}:Race")
    assert len(Position(game).legal_moves) == 2
    assert sys.modules["steps_of_mine"] is other


@pytest.mark.skipif(sys.platform == "win32", reason="no file name contains a colon there, but every full path does")
def test_a_path_may_contain_a_colon(race, tmp_path):
    file = race(tmp_path / "c:")
    game = parse_game(f"{file}:Race,goal=9")
    assert parse_game(game_spec(game)) == game


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        (":Rade", "race.py has no game called 'Rade'; did you mean 'Race'?"),
        (":NoGame", "has no game called 'NoGame'; there are: Race"),
        (":Race,goal=x", "goal is a whole number, not 'x'"),
        (":Race,gaol=3", "has no option 'gaol'; did you mean 'goal'?"),
        (":Race,goal=0", "the goal is too near"),
        ("", "which game of that file"),
    ],
)
def test_bad_texts_of_a_users_game_are_refused(race, rest, message):
    with pytest.raises(SpecError, match=message):
        parse_game(f"{race()}{rest}")


def test_a_parameter_without_default_must_be_given(race):
    file = race(default="")
    assert parse_game(f"{file}:Race,goal=5").goal == 5
    with pytest.raises(SpecError, match=r"race\.py:Race needs goal=…"):
        parse_game(f"{file}:Race")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import no_such_module", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        ("def broken(:", "cannot be imported: SyntaxError"),
        ("raise RuntimeError('one\\ntwo')", "cannot be imported: RuntimeError: one two"),
        (RACE.replace("def is_over", "def is_done").replace("from {helper} import farthest", "").format(default=""),
         "cannot be imported: TypeError: Race lacks the verb is_over"),
    ],
    ids=["missing module", "syntax", "two lines", "missing verb"],
)  # fmt: skip
def test_a_file_that_cannot_be_imported_is_refused_in_one_line(tmp_path, source, message):
    file = tmp_path / "race.py"
    file.write_text(source)
    with pytest.raises(SpecError, match=message) as caught:
        parse_game(f"{file}:Race")
    assert len(str(caught.value).splitlines()) == 1
    # A file repaired after a failure is read again.
    file.write_text(RACE.replace("from {helper} import farthest", "def farthest(): return 2").format(default=" = 7"))
    assert parse_game(f"{file}:Race").goal == 7


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "game.py").mkdir()
    with pytest.raises(SpecError, match="there is no file"):
        parse_game(f"{tmp_path / 'game.py'}:Race")
