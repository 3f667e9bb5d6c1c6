"""Boards, charts and the lesson's tree as SVG."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tengen.games import Position, parse_game
from tengen.records.record import GameRecord
from tengen.records.store import GameResult, RecordStore
from tengen.runs.directory import RunDirectory
from tengen.web import board, charts
from tengen.web.figures import accuracy_by_stage, figures_of

SVG = "{http://www.w3.org/2000/svg}"


def groups(text):
    """Cells by move: classes and place."""
    found = {}
    for group in ElementTree.fromstring(text).iter(f"{SVG}g"):
        x, y = map(float, re.findall(r"-?[\d.]+", group.get("transform")))
        found[int(group.get("data-move"))] = (group.get("class").split(), x, y)
    return found


@pytest.mark.parametrize("spec", ["gomoku:15", "gomoku:3,line=3", "hex:3", "hex:11", "hex:19,swap", "nim:3", "pig:2"])
@pytest.mark.parametrize("layout", board.LAYOUTS)
def test_every_board_is_well_formed_and_has_every_cell_once(spec, layout):
    position = Position(parse_game(spec))
    root = ElementTree.fromstring(board.draw(position, layout))
    moves = [int(g.get("data-move")) for g in root.iter(f"{SVG}g")]
    size = len(position.cells())
    assert sorted(moves) == list(range(size))
    _, _, width, height = map(float, root.get("viewBox").split())
    for _, x, y in groups(board.draw(position, layout)).values():
        assert 0 < x < width
        assert 0 < y < height


def test_the_diamond_is_as_the_course_draws_it():
    """(0, 0) alone at the top; row 0 runs to the right corner, column 0 to the left one."""
    cells = groups(board.draw(Position(parse_game("hex:5")), "diamond"))
    place = {move: (x, y) for move, (_, x, y) in cells.items()}
    assert min(place, key=lambda m: place[m][1]) == 0
    assert max(place, key=lambda m: place[m][1]) == 24
    assert max(place, key=lambda m: place[m][0]) == 4  # the end of row 0
    assert min(place, key=lambda m: place[m][0]) == 20  # the end of column 0


@pytest.mark.parametrize("layout", board.LAYOUTS)
def test_cells_touch_exactly_their_neighbours(layout):
    size = 5
    cells = groups(board.draw(Position(parse_game(f"hex:{size}")), layout))
    width = math.sqrt(3) * board.RADIUS
    for a, (_, xa, ya) in cells.items():
        for b, (_, xb, yb) in cells.items():
            down, right = b // size - a // size, b % size - a % size
            touches = abs(math.hypot(xa - xb, ya - yb) - width) < 0.1
            assert touches == ((down, right) in board._NEIGHBOURS)


@pytest.mark.parametrize("layout", board.LAYOUTS)
def test_the_sides_belong_to_their_players(layout):
    """Red has the first and the last row, black the columns; as much of the edge for each."""
    text = board.draw(Position(parse_game("hex:4")), layout)
    lines = list(ElementTree.fromstring(text).iter(f"{SVG}line"))
    length = {"p0": 0.0, "p1": 0.0}
    cells = groups(text)
    for line in lines:
        x1, y1, x2, y2 = (float(line.get(name)) for name in ("x1", "y1", "x2", "y2"))
        owner = line.get("class").split()[1]
        length[owner] += math.hypot(x1 - x2, y1 - y2)
        middle = ((x1 + x2) / 2, (y1 + y2) / 2)
        nearest = min(cells, key=lambda m: math.hypot(cells[m][1] - middle[0], cells[m][2] - middle[1]))
        edge = nearest // 4 in (0, 3) if owner == "p0" else nearest % 4 in (0, 3)
        assert edge
    assert length["p0"] == pytest.approx(length["p1"], abs=0.1)


def test_stones_last_move_and_winning_line_are_classes():
    position = Position(parse_game("gomoku:3,line=3"), [0, 3, 1, 4, 2])
    cells = groups(board.draw(position))
    assert cells[2][0] == ["cell", "p0", "last", "win"]
    assert cells[0][0] == ["cell", "p0", "win"]
    assert cells[3][0] == ["cell", "p1"]
    assert cells[8][0] == ["cell"]
    marks = board.marks(position)
    assert marks["cells"] == {0: 1, 1: 1, 2: 1, 3: 2, 4: 2}
    assert marks["last"] == 2
    assert marks["winning"] == [0, 1, 2]


def test_after_a_swap_the_stone_is_shown_where_it_lies():
    position = Position(parse_game("hex:4,swap"), ["a2"])
    assert board.marks(position)["buttons"] == [{"move": 16, "name": "swap"}]
    position.play("swap")
    assert position.game.move_name(board.last_cell(position)) == "b1"
    assert board.marks(position)["buttons"] == []


def teststar_points_are_on_the_board_and_symmetric():
    for size in range(3, 21):
        points = set(board.star_points(size))
        assert {(size - 1 - r, c) for r, c in points} == points == {(c, r) for r, c in points}
    assert (9, 9) in board.star_points(19)
    assert (7, 7) in board.star_points(15)


# --- charts


def test_ticks_are_round_and_inside():
    assert charts.ticks(0, 1) == [0, 0.25, 0.5, 0.75, 1]
    assert charts.ticks(3, 3) == [3]
    for low, high in ((0, 7), (-846, 215), (1.91, 2.6), (0, 4000)):
        found = charts.ticks(low, high)
        assert 2 <= len(found) <= 8
        assert all(low <= tick <= high for tick in found)


def test_thinning_and_smoothing_keep_the_mean():
    values = [float(i % 7) for i in range(1000)]
    thinned = charts.thin(values, 100)
    assert len(thinned) == 100
    assert sum(thinned) / 100 == pytest.approx(sum(values) / 1000)
    assert charts.smooth([0, 2, 4, 6], 2) == [0, 1, 3, 5]


def test_a_chart_is_well_formed_whatever_its_numbers():
    cases = [[1.0], [2.0, 2.0], [float("nan"), 1.0], [1e9, -1e9], list(range(500))]
    for values in cases:
        text = charts.chart("<loss> & more", [charts.Series("a<b", range(len(values)), values)])
        ElementTree.fromstring(text)
    assert charts.chart("nothing", []) == ""
    with_interval = charts.chart("r", [charts.Series("r", [0, 1], [1, 2], [0, 1], [2, 3])])
    assert 'class="band' in with_interval


def _charts(run=None, metrics=(), results=(), axis="games", accuracy=()):
    run = run or RunDirectory(Path("there is none"))
    return figures_of(run, parse_game("hex:5"), list(metrics), list(results), axis, list(accuracy)).charts()


def test_curves_over_hours_speeds_and_two_runs_side_by_side():
    metrics = [{"step": n, "length": 9.0, "seconds": 36.0 * n, "evaluations": 3600 * n} for n in range(1, 101)]
    results = [GameResult(number, 0, number % 2, 9) for number in range(100)]
    game, none = parse_game("hex:5"), RunDirectory(Path("there is none"))
    found = figures_of(none, game, metrics, results, "hours", [])
    (length,), _ = found.curves["moves of a game"]
    assert length.x[-1] == pytest.approx(1.0)
    (speed,), _ = found.curves["evaluations per second"]
    assert set(speed.y) == {100.0}
    (pace,), _ = found.curves["games per hour"]
    assert pace.y[0] == pytest.approx(100.0)
    won, _ = found.curves["share of games won"]
    assert [s.name for s in won] == ["first to move", "red", "black"]
    assert won[1].y[-1] == pytest.approx(0.5)
    charts = found.charts("mine", found, "yours")
    assert "mine: length" in "".join(charts)
    assert "yours: length" in "".join(charts)
    for text in charts:
        ElementTree.fromstring(text)


def test_how_often_the_value_was_right_by_stage(tmp_path):
    """In these games the search is right at their end and wrong at their beginning."""
    game = parse_game("gomoku:3,line=3")
    store = RecordStore(tmp_path / "games.sqlite")
    moves = (0, 8, 1, 7, 2)  # the first player wins
    values = (-0.5, 0.5, 0.5, 0.5, 0.9)  # in the mover's view
    for number in range(40):
        visits = tuple({move: 3} for move in moves)
        store.add(GameRecord(number, 1, 0, moves, visits, values, (1.0, -1.0), 0, 0, 0.1))
    opening, middle, end = accuracy_by_stage(store, game, store.numbers())
    assert set(opening.y) == {0.0}  # its first two positions, both judged wrongly
    assert set(middle.y) == {0.5}
    assert set(end.y) == {1.0}
    assert accuracy_by_stage(store, game, store.numbers()[:5]) == []
    store.close()


def test_a_run_that_does_not_learn_after_every_game_shows_what_it_learned():
    metrics = [{"step": step, "length": 9.0} for step in range(1, 100)]
    for row in metrics[15::16]:
        row |= {"policy_loss": 2.0, "search_entropy": 5.0, "network_entropy": 6.0, "age": 40.0}
    results = [GameResult(number, 0, 0, 9) for number in range(99)]
    found = {re.search(r'aria-label="([^"]*)"', text)[1]: text for text in _charts(metrics=metrics, results=results)}
    names = [
        "loss", "moves of a game", "entropy: among how many moves", "age of replayed cases, in steps", "share of games won",
    ]  # fmt: skip
    assert list(found) == names
    assert re.findall(r"<title>policy loss ([^<]*)</title>", found["loss"]) == ["2"] * 6
    assert re.findall(r"<title>age ([^<]*)</title>", found[names[-2]]) == ["40"] * 6


def test_a_run_shows_the_curves_that_were_measured(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path))
    run = RunDirectory.create("mine", {})
    assert _charts(run) == []
    points = [{"games": n, "score": n / 100, "interval": [n / 200, 0.9]} for n in (0, 50)]
    curves = [
        {"name": "network alone", "against": "lingz:/somewhere/private/gomokuai", "points": points},
        {"name": "with search", "against": "lingz:/somewhere/private/gomokuai", "points": points},
        {"name": "network alone", "against": "uct", "points": points[:1]},
        {"name": "nothing yet", "against": "random", "points": []},
        {"name": "broken", "against": "random", "points": [{"games": "many"}]},
    ]
    run.save_curves(curves)
    charts = _charts(run)
    assert len(charts) == 2
    assert "score against lingz:gomokuai" in charts[0]
    assert "private" not in "".join(charts)
    assert "with search" in charts[0]
    (run.folder / "curve.json").write_text("{")
    assert _charts(run) == []
