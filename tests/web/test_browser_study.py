"""Analysis, review, teaching, sharing and training in a real Chromium, clicked as a person does."""

from __future__ import annotations

import re

import pytest
from PIL import Image
from test_browser import cell, choose, expect, moves, wait_for_ply

LOST = [0, 8, 1, 7, 2]  # three in a row on 3×3: the fourth move should have been 2
LONG = 420_000


@pytest.fixture
def page(new_page, server):
    made = new_page(server.address)
    made.locator("svg.board").wait_for()
    return made


def play(page, stones):
    for ply, move in enumerate(stones, 1):
        cell(page, move).click()
        wait_for_ply(page, ply)


def three_in_a_row(page, seats=("human", "human")):
    choose(page, "Gomoku", seats, size=3, line=3)


def test_it_is_seen_what_a_search_thinks_and_each_layer_is_hidden_alone(page):
    three_in_a_row(page)
    page.keyboard.press("v")
    expect(page.locator("#analyse")).to_have_text("Stop")
    expect(page.locator(".candidate.first")).to_have_count(1, timeout=LONG)
    expect(page.locator("#study-text")).to_contain_text("visits")
    text = page.locator("#study-text").inner_text()
    page.wait_for_function("t => document.querySelector('#study-text').textContent !== t", arg=text)  # it lives
    page.locator("#layer-list").check()
    page.locator("#candidates tr").nth(1).hover()  # the first row is the heading
    expect(page.locator(".overlay .coming").nth(1)).to_be_visible()  # the line that is expected
    page.mouse.move(2, 2)
    expect(page.locator(".overlay .coming")).to_have_count(0)
    cell(page, 4).hover()
    expect(page.locator(".overlay .coming").nth(1)).to_be_visible()
    page.mouse.move(2, 2)
    page.locator("#layer-moves").uncheck()
    expect(page.locator(".candidate")).to_have_count(0)
    expect(page.locator("#graph")).to_be_visible()
    page.locator("#layer-graph").uncheck()
    expect(page.locator("#graph")).to_be_hidden()
    page.locator("#layer-graph").check()
    page.keyboard.press("v")
    expect(page.locator("#analyse")).to_have_text("Analyse")
    expect(page.locator("#study-text")).not_to_contain_text("analysing")
    expect(page.locator("#candidates tr").nth(1)).to_be_visible()  # stopped, and kept
    page.locator("#tree-box summary").first.click()
    page.locator(".tree-list li summary").first.click()
    page.locator(".tree-list .tree-list li b").first.wait_for()


def test_a_hint_is_drawn_on_the_board(page):
    three_in_a_row(page)
    play(page, LOST[:3])
    page.keyboard.press("h")
    page.locator(".overlay .hinted").wait_for(timeout=LONG)
    where = page.locator(".overlay .hinted").bounding_box()
    stone = cell(page, 2).bounding_box()
    assert abs(where["x"] + where["width"] / 2 - stone["x"] - stone["width"] / 2) < 10


def test_a_game_is_reviewed_and_the_graph_jumps(page):
    three_in_a_row(page)
    play(page, LOST)
    expect(page.locator("#result")).to_be_visible()
    page.locator("#review").click()
    page.locator("#counts table").wait_for(timeout=LONG)
    row = page.locator("#counts tr").nth(2).locator("td").all_inner_texts()
    assert int(row[-1]) >= 1  # white has blundered
    page.locator("#moves li").nth(3).click()
    wait_for_ply(page, 4)
    expect(page.locator("#verdict")).to_contain_text("b1: blunder")
    expect(page.locator("#verdict")).to_contain_text("better c3")
    width = page.locator(".win-graph").bounding_box()["width"]
    page.locator(".win-graph").click(position={"x": 0.6 * width, "y": 10})
    wait_for_ply(page, 3)
    page.keyboard.press("PageDown")
    wait_for_ply(page, 4)
    page.keyboard.press("PageUp")
    wait_for_ply(page, 3)
    expect(page.locator("#status")).to_contain_text("looking back")


def test_a_bad_move_is_named_and_taken_back(page):
    three_in_a_row(page)
    page.locator("#teach").check()
    play(page, LOST[:4])
    expect(page.locator("#warning")).to_contain_text("c3 was better", timeout=LONG)
    page.locator("#take-back").click()
    wait_for_ply(page, 3)
    expect(page.locator("#warning")).to_be_hidden()
    cell(page, 2).click()
    wait_for_ply(page, 4)


def test_a_game_goes_out_and_comes_back(page, server, new_page):
    choose(page, "Hex", ["human", "human"], size=5)
    play(page, [12, 6, 7])
    page.locator("#share summary").click()
    with page.expect_download() as file:
        page.locator("#share-sgf").click()
    sgf = file.value.path().read_text(encoding="utf-8")
    assert "GM[11]" in sgf
    for kind in ("png", "gif"):
        with page.expect_download() as file:
            page.locator(f"#share-{kind}").click()
        picture = Image.open(file.value.path())
        assert getattr(picture, "n_frames", 1) == (1 if kind == "png" else 4)
    page.locator("#share-link").click()
    expect(page.locator("#bring-text")).to_have_value(re.compile("#/game/hex:5"))
    link = page.locator("#bring-text").input_value()
    other = new_page(link)
    wait_for_ply(other, 3)
    assert moves(other) == ["c3", "b2", "c2"]
    other.keyboard.press("Home")
    wait_for_ply(other, 0)
    other.locator("#share summary").click()
    other.locator("#bring-text").fill(sgf.replace("c3", "d3"))
    other.locator("#bring").click()
    wait_for_ply(other, 3)
    assert moves(other) == ["d3", "b2", "c2"]
    other.locator("#bring-text").fill("no game")
    other.locator("#bring").click()
    expect(other.locator("#toast")).to_contain_text("no game that can be read")


def test_a_phone_shows_all_of_it(new_page, server):
    page = new_page(server.address, 390, 844, has_touch=True, is_mobile=True)
    page.locator("svg.board").wait_for()
    three_in_a_row(page)
    page.locator("#analyse").tap()
    page.locator(".candidate").first.wait_for(timeout=LONG)
    page.locator("#layer-list").check()
    page.locator("#share summary").tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#analyse").tap()


def test_a_run_is_started_from_the_form_stopped_resumed_and_compared(new_page, server, runs_folder):
    pytest.importorskip("keras", reason="networks are trained with the extra [train]")
    page = new_page(server.address + "#/runs")
    page.locator("#train-box summary").click()
    page.locator("#train-preset").select_option("on-policy")
    page.locator("#train-name").fill("formed")
    for name, value in (
        ("game", "hex:3"),
        ("games", "100000"),
        ("search_games", "no"),
        ("layers", "16"),
        ("threads", "1"),
    ):
        page.locator(f"#train-box [name={name}]").fill(value)
    page.locator("#train-start").click()
    expect(page.locator("#train-error")).to_contain_text("no", timeout=LONG)  # which is no number
    page.locator("#train-box [name=search_games]").fill("20")
    page.locator("#train-start").click()
    page.locator("#charts svg.chart").first.wait_for(timeout=LONG)
    page.locator("#stop-run").click()
    expect(page.locator("#stop-run")).to_be_hidden(timeout=LONG)
    games = int(re.search(r"(\d+) of 100000", page.locator("#run-games").inner_text())[1])
    page.locator("#resume-games").fill(str(games + 20))
    page.locator("#resume-games").blur()
    page.locator("#resume-run").click()
    expect(page.locator("#run-games")).to_contain_text(f"{games + 20} of {games + 20}", timeout=LONG)
    expect(page.locator("#stop-run")).to_be_hidden(timeout=LONG)
    page.locator("#axis").select_option("hours")
    expect(page.locator("#charts svg.chart").first).to_contain_text("hours")
