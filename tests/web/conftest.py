"""A server in a process of its own, and a real browser."""

from __future__ import annotations

import shutil

import pytest
from serving import ServerProcess

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def runs_folder(tmp_path_factory):
    """Where the server of the browser tests looks for runs."""
    return tmp_path_factory.mktemp("web") / "runs"


@pytest.fixture(scope="session")
def server(runs_folder):
    process = ServerProcess("serve", TENGEN_RUNS=str(runs_folder))
    yield process
    process.stop()
    assert process.complaints() == []


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser is driven by playwright")
    playwright.expect.set_options(timeout=240_000)
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def new_page(browser):
    """Makes pages of which nothing goes wrong unseen: an error in the page's code fails the test."""
    contexts, problems = [], []

    def make(address: str, width: int = 1200, height: int = 800, **settings):
        context = browser.new_context(viewport={"width": width, "height": height}, **settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(240_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.goto(address)
        return page

    yield make
    for context in contexts:
        context.close()
    assert [text for text in problems if "ERR_CONNECTION_REFUSED" not in text] == []  # a server that a test has stopped
