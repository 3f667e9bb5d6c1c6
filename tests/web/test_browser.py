"""The page in a real Chromium, clicked as a person does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

import pytest
from serving import ServerProcess

from tengen.games import Position, parse_game


def expect(locator):
    """Playwright's assertions wait until they hold."""
    from playwright.sync_api import expect as check

    return check(locator, "the page")


def choose(page, kind, seats, specs=(), **rules):
    """Fill in the form for a new game and start it."""
    page.locator("#new").click()
    page.get_by_role("radio", name=kind).click()
    for name, value in rules.items():
        field = page.locator(f"#new-rules [name={name}]")
        if value is True:
            field.check()
        elif name == "first":
            field.select_option(str(value))
        else:
            field.fill(str(value))
            field.blur()
    for i, seat in enumerate(seats):
        page.locator(f"[name=seat{i}]").select_option(seat)
        if seat == "spec":
            page.locator(f"[name=spec{i}]").fill(specs[i])
    page.locator("#new-start").click()
    page.locator("#new-game").wait_for(state="hidden")


def cell(page, move):
    return page.locator(f'.stage .cell[data-move="{move}"]')


def moves(page):
    return [text.partition(" ")[2] for text in page.locator("#moves li").all_inner_texts()]


def wait_for_ply(page, ply):
    expect(page.locator("#moves li.done")).to_have_count(ply)


def play_until_over(page, spec, mine):
    """Click a winning-looking move in turn until somebody has won: the rules here are the judge."""
    game = parse_game(spec)
    for _ in range(200):
        position = Position(game, moves(page))
        if position.is_over:
            break
        assert position.to_move == mine
        before = len(position.moves)
        cell(page, position.legal_moves[len(position.legal_moves) // 2]).click()
        page.wait_for_function(
            "n => document.querySelectorAll('#moves li.done').length > n + 1 || document.querySelector('#result')?.checkVisibility()",
            arg=before,
        )
    return position


@pytest.fixture
def page(new_page, server):
    made = new_page(server.address)
    made.locator("svg.board").wait_for()
    return made


@pytest.mark.slow  # it measures: for a machine that is not busy
def test_the_page_paints_within_two_seconds_of_the_start_line(new_page, browser):
    page = new_page("about:blank")
    process = ServerProcess("play", "gomoku:15")
    try:
        page.goto(process.address)
        page.locator("svg.board .stone").first.wait_for(state="attached")
        seconds = time.monotonic() - process.started
        painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        print(f"board {seconds:.2f} s after the start line; first paint {painted:.0f} ms after the request")
        assert seconds < 2.0
    finally:
        process.stop()


def test_a_game_of_gomoku_is_played_to_the_end_by_clicking(page):
    choose(page, "Gomoku", ["human", "spec"], ["", "uct,simulations=400"], size=5, line=4)
    expect(page.locator("#status")).to_contain_text("Your move (black)")
    position = play_until_over(page, "gomoku:5,line=4", mine=0)
    expect(page.locator("#result")).to_be_visible()
    if position.winner is not None:
        winning = sum(c.winning for c in position.game.diagram(position.array).cells)
        expect(page.locator(".cell.win")).to_have_count(winning)
    expect(page.locator(".cell.last")).to_have_count(1)
    for owner in (0, 1):
        expect(page.locator(f".stage .cell.p{owner}")).to_have_count(int((position.cells() == owner + 1).sum()))
    page.get_by_role("button", name="Exchange sides").click()
    expect(page.locator("#status")).to_contain_text("Your move (white)")


@pytest.mark.parametrize("layout", ["diamond", "flat"])
def test_a_game_of_hex_is_played_to_the_end_by_clicking(page, layout):
    choose(page, "Hex", ["human", "easy"], size=4)
    if layout == "flat":
        page.keyboard.press("l")
    page.locator(f"svg.board.hex.{layout}").wait_for()
    position = play_until_over(page, "hex:4", mine=0)
    assert position.winner is not None
    expect(page.locator("#result")).to_contain_text("You win" if position.winner == 0 else "Black (easy) wins")
    assert page.locator(".cell.win").count() >= 4


def time_a_click(page):
    """Milliseconds from a click to one's own stone, and to the answer of an agent that has played before."""
    choose(page, "Gomoku", ["human", "spec"], ["", "uct,simulations=2000"], size=9, line=5)
    expect(page.locator("#status")).to_have_text("Your move (black)", timeout=120_000)  # compiled, loaded
    cell(page, 40).click()
    wait_for_ply(page, 2)
    page.keyboard.press("u")
    wait_for_ply(page, 0)
    page.evaluate("""() => {
        window.times = {};
        const seen = new MutationObserver(() => {
            const stones = document.querySelectorAll('.stage .cell.p0, .stage .cell.p1').length;  // the first: one's own
            if (stones && !window.times[stones]) window.times[stones] = performance.now();
        });
        seen.observe(document.querySelector('.stage'), { subtree: true, attributes: true, childList: true });
        addEventListener('click', () => { window.times.click = performance.now(); }, true);
    }""")
    cell(page, 41).click()
    wait_for_ply(page, 2)
    times = page.evaluate("window.times")
    stone, answer = times["1"] - times["click"], times["2"] - times["click"]
    print(f"the stone after {stone:.0f} ms, the answer after {answer:.0f} ms")
    return stone, answer


def test_a_stone_appears_before_the_answer(page):
    stone, answer = time_a_click(page)
    assert stone < answer


@pytest.mark.slow  # it measures: for a machine that is not busy
def test_a_stone_appears_at_once_and_the_answer_within_a_second(page):
    stone, answer = time_a_click(page)
    assert stone < 100
    assert answer < 1000


def test_undo_redo_and_resign(page):
    choose(page, "Hex", ["human", "human"], size=5)
    for ply, move in enumerate((12, 6, 7), 1):
        cell(page, move).dblclick()  # the second click is no second move, and no error
        wait_for_ply(page, ply)
        expect(cell(page, move)).to_have_class(re.compile("p[01]"))
    assert page.locator("#toast").inner_text() == ""
    page.get_by_role("button", name="Undo").click()
    wait_for_ply(page, 2)
    expect(cell(page, 7)).not_to_have_class(re.compile("p[01]"))
    page.get_by_role("button", name="Redo").click()
    wait_for_ply(page, 3)
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Resign").click()
    expect(page.locator("#result")).to_contain_text("Black has resigned: red wins.")
    page.keyboard.press("u")
    expect(page.locator("#status")).to_have_text("Black to move")


def test_a_stone_that_the_server_refuses_goes_away_again(page):
    choose(page, "Hex", ["human", "human"], size=5)
    wait_for_ply(page, 0)
    page.evaluate("() => { WebSocket.prototype.send = new Proxy(WebSocket.prototype.send, { apply: (send, socket, [text]) =>"
                  " Reflect.apply(send, socket, [text.replace('\"ply\":0', '\"ply\":7')]) }); }")  # fmt: skip
    cell(page, 12).click()
    expect(page.locator("#toast")).to_have_text("the board has changed in the meantime")
    expect(page.locator(".stage .cell.p0")).to_have_count(0)


def test_swap_in_hex(page):
    choose(page, "Hex", ["human", "human"], size=5, swap=True)
    cell(page, 1).click()
    page.get_by_role("button", name="swap", exact=True).click()
    wait_for_ply(page, 2)
    expect(cell(page, 5)).to_have_class(re.compile("p1 last"))
    expect(cell(page, 1)).not_to_have_class(re.compile("p0"))


def test_the_agent_thinks_with_progress_and_moves_when_told_to(page):
    choose(page, "Hex", ["spec", "human"], ["uct,time=50", ""], size=5)
    expect(page.locator("#status")).to_contain_text("is thinking", timeout=120_000)
    expect(page.locator(".thinking")).to_be_visible()
    page.get_by_role("button", name="Move now").click()
    wait_for_ply(page, 1)
    expect(page.locator("#status")).to_have_text("Your move (black)")


def test_the_keyboard_plays_a_game(page):
    choose(page, "Gomoku", ["human", "human"], size=3, line=3)
    page.keyboard.press("ArrowUp")  # the cursor appears in the middle
    page.keyboard.press("Enter")
    expect(cell(page, 4)).to_have_class(re.compile("p0"))
    wait_for_ply(page, 1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    page.keyboard.press(" ")
    expect(cell(page, 0)).to_have_class(re.compile("p1"))
    theme = page.locator("html").get_attribute("data-theme")
    page.keyboard.press("d")
    assert page.locator("html").get_attribute("data-theme") != theme
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()


def test_a_bad_wish_is_answered_in_the_form(page):
    page.locator("#new").click()
    page.get_by_role("radio", name="Hex").click()
    page.locator("[name=seat1]").select_option("spec")
    page.locator("[name=spec1]").fill("net:/etc/passwd")
    page.locator("#new-start").click()
    expect(page.locator("#new-error")).to_contain_text("no agent called")


def test_the_form_stays_open_while_the_game_behind_it_goes_on(page):
    choose(page, "Hex", ["beginner", "beginner"], size=9)
    page.locator("#new").click()
    before = page.locator("#moves li").count()
    page.wait_for_function("n => document.querySelectorAll('#moves li').length > n + 1", arg=before)
    expect(page.locator("#new-game")).to_be_visible()


def test_after_the_form_space_means_the_game_again(page):
    choose(page, "Hex", ["beginner", "beginner"], size=7)
    expect(page.locator("#moves li.done").first).to_be_visible()
    page.keyboard.press(" ")
    expect(page.locator("#status")).to_contain_text("waiting")
    expect(page.locator("#new-game")).to_be_hidden()


def test_what_is_not_there_is_said_where_it_would_have_been(page, server):
    page.goto(f"{server.address}#/run/gone")
    expect(page.locator("#no-run")).to_contain_text("there is no run called 'gone'")
    page.goto(f"{server.address}#/run/%E0%A4%A")  # not an encoding of anything
    expect(page.locator("#no-run")).to_contain_text("there is no run called '%E0%A4%A'")
    page.evaluate("localStorage.setItem('tengen.choice', JSON.stringify({ seats: ['human', 'run gone, 40 games'] }))")
    page.goto(f"{server.address}#/play")
    expect(page.locator("#new-error")).to_contain_text("there is no agent called 'run gone, 40 games'")
    page.locator("#new-start").click()
    wait_for_ply(page, 0)
    expect(page.locator("#new-game")).to_be_hidden()


def test_two_agents_are_watched_with_speed_and_steps(page):
    choose(page, "Hex", ["beginner", "easy"], size=4)
    page.locator(".speed input").fill("6")
    expect(page.locator("#result")).to_be_visible(timeout=120_000)
    length = page.locator("#moves li").count()
    page.keyboard.press("Home")
    wait_for_ply(page, 0)
    page.keyboard.press("ArrowRight")
    wait_for_ply(page, 1)
    page.locator("#moves li").nth(2).click()
    wait_for_ply(page, 3)
    page.keyboard.press("End")
    wait_for_ply(page, length)


def test_a_game_survives_a_reload(page):
    choose(page, "Hex", ["human", "human"], size=4)
    cell(page, 5).click()
    wait_for_ply(page, 1)
    page.reload()
    wait_for_ply(page, 1)
    expect(cell(page, 5)).to_have_class(re.compile("p0"))


def test_other_games_have_buttons(page):
    choose(page, "Other", ["human", "human"], other="nim:2")
    count = page.locator(".panel .row button.main").count()
    page.locator(".panel .row button.main").first.click()
    wait_for_ply(page, 1)
    assert count > 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone(new_page, server, scheme):
    """390 pixels: nothing sticks out, the board is as wide as the screen, cells can be touched."""
    page = new_page(server.address, 390, 844, has_touch=True, is_mobile=True, color_scheme=scheme)
    page.locator("svg.board").wait_for()
    choose(page, "Gomoku", ["human", "human"], size=15)
    cell(page, 112).tap()  # the cells are small: the first tap aims
    expect(page.locator("#toast")).to_have_text("h8: tap again to play there")
    wait_for_ply(page, 0)
    cell(page, 113).tap()
    wait_for_ply(page, 0)
    cell(page, 113).tap()
    wait_for_ply(page, 1)
    page.locator("#guard").uncheck()
    cell(page, 112).tap()
    wait_for_ply(page, 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("svg.board").bounding_box()["width"] > 360
    assert page.get_by_role("button", name="Undo").bounding_box()["y"] < 844
    for name in ("Undo", "Resign", "New game …"):
        assert page.get_by_role("button", name=name).bounding_box()["height"] >= 40
    assert page.locator("html").get_attribute("data-theme") == scheme
    for kind in ("diamond", "flat"):
        choose(page, "Hex", ["human", "human"], size=7)
        if page.locator(f"svg.hex.{kind}").count() == 0:
            page.locator(".panel button", has_text=re.compile("diamond|flat")).click()
        page.locator(f"svg.hex.{kind}").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.goto(server.address + "#/lesson")
    page.locator("#forward").tap(timeout=420_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.goto(server.address + "#/runs")
    page.locator("#runs .card").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_lesson_is_stepped(page, server):
    page.goto(server.address + "#/lesson")
    page.locator("#forward").wait_for(timeout=420_000)
    for _ in range(6):
        page.locator("#forward").click()
    expect(page.locator("#step-title")).to_contain_text("Simulation 3 of 4")
    text = page.locator("#tree").inner_text()
    assert "Q=-0.45" in text
    assert "Q=1.00" in text
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#step-title")).to_contain_text("Simulation 3 of 4: select")
    assert page.locator(".tree .edge.path").count() == 2


def test_no_server_is_said_and_noticed_when_it_is_back(new_page, browser):
    process = ServerProcess("serve")
    page = new_page(process.address)
    page.locator("svg.board").wait_for()
    process.stop()
    expect(page.locator("#lost")).to_be_visible()
    back = ServerProcess("serve", port=process.port)
    expect(page.locator("#lost")).to_be_hidden()
    expect(page.locator("#toast")).to_contain_text(
        "not here any more"
    )  # the game went with the server: a new one begins
    expect(page.locator("svg.board")).to_be_visible()
    expect(page.locator("#status")).to_contain_text("Your move")
    page.context.close()
    back.stop()


def test_a_run_is_followed_live_its_games_replayed_its_networks_compared(new_page, server, runs_folder):
    pytest.importorskip("keras", reason="networks are trained with the extra [train]")
    training = subprocess.Popen(
        [sys.executable, "-m", "tengen", "train", "on-policy", "--name", "live", "--game", "hex:3", "--games", "120",
         "--nets", "3", "--search-games", "60", "--layers", "16", "--threads", "1", "--slots", "2", "--topp-games", "4"],
        env={**os.environ, "TENGEN_RUNS": str(runs_folder)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        page = new_page(server.address + "#/runs")
        page.get_by_role("link", name="live").click(timeout=120_000)
        page.locator("#charts svg.chart").first.wait_for(timeout=420_000)

        def games():
            return int(re.search(r"(\d+) of 120", page.locator("#run-games").inner_text())[1])

        expect(page.locator("#playing")).to_contain_text("Being played now")
        assert page.locator("#playing .cell.p0").count() >= 1
        first, curve = games(), page.locator("#charts .curve").first.get_attribute("d")
        page.wait_for_function(
            "n => Number(document.querySelector('#run-games').textContent.match(/(\\d+) of/)[1]) > n",
            arg=first,
            timeout=120_000,
        )
        page.wait_for_function("d => document.querySelector('#charts .curve').getAttribute('d') !== d", arg=curve)
        assert training.wait(120) == 0, training.stderr.read()
        expect(page.locator("#run-games")).to_contain_text("120 of 120")

        page.locator("#games button").nth(3).click()
        number = re.search(r"\d+", page.locator("#games button").nth(3).inner_text())[0]
        expect(page.locator(".panel h1")).to_have_text(f"live, game {number}")
        page.locator(".speed input").fill("6")
        expect(page.locator("#result")).to_be_visible()
        page.keyboard.press("Home")
        wait_for_ply(page, 0)
        page.keyboard.press("ArrowRight")
        wait_for_ply(page, 1)

        page.locator("#hold").click()
        page.locator("#crosstable").wait_for(timeout=420_000)
        assert page.locator("#crosstable tr").count() == 4
        assert page.locator("#topp svg.chart").count() == 1
    finally:
        if training.poll() is None:
            training.kill()
            training.wait()
