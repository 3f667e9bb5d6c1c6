"""A server in a process of its own, and a real browser."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


class ServerProcess:
    """``tengen serve`` or ``tengen play``, as a person starts it."""

    def __init__(self, *arguments: str, port: int = 0, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tengen", *arguments, "--no-browser", "--port", str(port)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200", **environment},
        )  # fmt: skip
        self.output: list[str] = []
        lines: queue.Queue[str] = queue.Queue()

        def read() -> None:
            for line in self.process.stdout:
                self.output.append(line)
                lines.put(line)

        threading.Thread(target=read, daemon=True).start()
        while True:
            line = lines.get(timeout=60)
            if "Tengen is at" in line:
                break
        self.started = time.monotonic()
        self.address = line.split()[3]
        self.port = int(self.address.split(":")[2].split("/")[0])

    @property
    def socket_address(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    def memory(self) -> float:
        """Megabytes that the process holds."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def complaints(self) -> list[str]:
        """What it printed, besides its address and its farewell."""
        return [line for line in self.output if "Tengen is at" not in line and "page is closed" not in line]


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
    playwright.expect.set_options(timeout=30_000)
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
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.goto(address)
        return page

    yield make
    for context in contexts:
        context.close()
    assert [text for text in problems if "ERR_CONNECTION_REFUSED" not in text] == []  # a server that a test has stopped
