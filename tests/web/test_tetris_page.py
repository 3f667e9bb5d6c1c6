"""Tetris in the page: what a tab may say, and a real browser that plays it with keys."""

from __future__ import annotations

import pytest
from test_browser import expect

from tengen.web.tetris import BadMessage, TetrisTab, read


def begun(**rules):
    tab = TetrisTab()
    assert tab.hear({"do": "new", "seed": 3, **rules})
    return tab


def test_before_the_first_game_nothing_happens():
    tab = TetrisTab()
    assert not tab.hear({"do": "press", "key": "drop"})
    assert not tab.hear({"do": "hint"})
    assert not tab.tick(1.0)
    assert tab.state()["number"] == 0


def test_keys_move_the_piece_and_drop_it():
    tab = begun()
    before = tab.state()["falling"]
    assert tab.hear({"do": "press", "key": "left"})
    assert tab.state()["falling"] == [[row, column - 1] for row, column in before]
    tab.hear({"do": "release", "key": "left"})
    ghost = sorted(map(tuple, tab.state()["ghost"]))
    promised = tab.state()["next"]
    assert tab.hear({"do": "press", "key": "drop"})
    state = tab.state()
    assert sorted((r, c) for r, row in enumerate(state["cells"]) for c, name in enumerate(row) if name != ".") == ghost
    assert (state["pieces"], state["piece"]) == (1, promised)
    assert state["score"] > 0


def test_time_makes_it_fall_and_a_pause_does_not():
    tab = begun()
    assert any(tab.tick(0.25) for _ in range(3))
    tab.hear({"do": "press", "key": "pause"})
    assert tab.state()["paused"]
    assert not any(tab.tick(0.25) for _ in range(30))


def test_a_game_ends():
    tab = begun(columns=6, rows=5)
    for _ in range(60):
        tab.hear({"do": "press", "key": "drop"})
    state = tab.state()
    assert state["over"]
    assert state["falling"] == state["ghost"] == []
    assert tab.hear({"do": "new"})
    assert not tab.state()["over"]
    assert tab.state()["number"] == 2


def test_an_agent_plays_by_keys():
    tab = begun(player="dellacherie", columns=6, rows=8)
    for _ in range(600):
        if planner := tab.planner:
            planner.plan()
        tab.tick(0.1)
        if tab.game.lines >= 2:
            break
    assert tab.game.lines >= 2
    assert not tab.hear({"do": "press", "key": "drop"})  # a person does not play for it


def test_an_agent_beside_plays_the_same_pieces_one_whenever_the_person_has_placed_one():
    tab, alone = begun(beside="dellacherie", columns=6, rows=8), begun(columns=6, rows=8)
    assert tab.state()["beside"]["player"] == "dellacherie"
    for placed in range(1, 6):
        assert tab.planner_beside is None  # it waits for the person
        falls = alone.state()["piece"]
        assert (tab.state()["piece"], tab.state()["beside"]["piece"]) == (falls, falls)
        for each in (tab, alone):
            each.hear({"do": "press", "key": "drop"})
            each.hear({"do": "release", "key": "drop"})
        for _ in range(60):
            if planner := tab.planner_beside:
                planner.plan()
            tab.beside.tick(0.1)
        assert tab.state()["beside"]["pieces"] == placed
    assert tab.planner is None
    assert tab.state()["beside"]["cells"] != tab.state()["cells"]
    assert begun().state()["beside"] is None


def test_a_hint_is_a_place_where_the_piece_rests_until_it_is_placed():
    tab = begun()
    assert tab.hear({"do": "hint"})
    hint = tab.state()["hint"]
    assert len(hint) == 4
    assert max(row for row, _ in hint) == 19
    tab.hear({"do": "press", "key": "drop"})
    assert tab.state()["hint"] == []


@pytest.mark.parametrize(
    "message",
    [
        {}, {"do": "dance"}, {"do": "press"}, {"do": "press", "key": "hold"}, {"do": "press", "key": ["left"]},
        {"do": "new", "columns": 3}, {"do": "new", "rows": 1000}, {"do": "new", "columns": "10"}, {"do": "new", "bag": 1},
        {"do": "new", "columns": True}, {"do": "new", "player": "uct"}, {"do": "new", "player": ["bcts"]}, {"do": "new", "seed": -1},
        {"do": "new", "preview": 2}, {"do": "new", "beside": "uct"}, {"do": "new", "beside": ["bcts"]},
        {"do": "new", "beside": "bcts", "player": "greedy"}, {"do": "new", "columns": 1e9}, {"do": ["new"]},
    ],
    ids=str,
)  # fmt: skip
def test_nonsense_is_refused_in_a_sentence(message):
    with pytest.raises(BadMessage):
        begun().hear(message)


@pytest.mark.parametrize("text", ["", "[]", "3", "{", "x" * 2000, "[" * 900, '"new"'])
def test_only_small_objects_are_read(text):
    with pytest.raises(BadMessage):
        read(text)


def test_a_person_plays_in_the_browser(server, new_page):
    page = new_page(server.address + "tetris")
    page.locator("[name=columns]").fill("4")
    page.locator("[name=rows]").fill("8")
    page.locator("#start").click()
    pieces = page.locator("body[data-pieces='0']")
    pieces.wait_for(state="attached")
    page.keyboard.press("p")
    page.get_by_text("Paused.").wait_for()
    page.keyboard.press("p")
    for number in range(1, 40):
        for key in ("ArrowLeft", "ArrowUp", "ArrowRight")[number % 3 :]:
            page.keyboard.press(key)
        page.keyboard.press("Space")
        if page.locator("#say").inner_text() == "Game over.":
            break
        page.wait_for_timeout(60)
    page.get_by_text("Game over.").wait_for()
    score = page.locator("#score").inner_text()
    assert int(score) > 0
    assert page.locator("#high li").first.inner_text().startswith(f"{score} (")
    page.keyboard.press("Escape")
    page.locator("body[data-pieces='0']").wait_for(state="attached")


def test_an_agent_plays_beside_a_person_in_the_browser(server, new_page):
    page = new_page(server.address + "tetris")
    page.locator("[name=beside]").select_option("dellacherie")
    page.locator("[name=columns]").fill("5")
    page.locator("#start").click()
    page.locator("#beside").wait_for()
    page.keyboard.press("Space")
    page.locator("body[data-beside='1']").wait_for(state="attached", timeout=120_000)
    expect(page.locator("#besays")).to_contain_text("dellacherie:")


def test_an_agent_is_watched_and_clears_lines(server, new_page):
    page = new_page(server.address + "tetris")
    page.locator("[name=player]").select_option("dellacherie")
    page.locator("[name=columns]").fill("5")
    page.locator("#start").click()
    page.get_by_text("dellacherie plays.").wait_for(timeout=120_000)
    expect(page.locator("#lines")).not_to_have_text("0", timeout=120_000)
