"""The server: who may come in, what it serves, and many clients at once."""

from __future__ import annotations

import http.client
import json
import socket
import time

import pytest
from clients import BAD, play_many
from serving import ServerProcess
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import connect

from tengen.errors import TengenError
from tengen.web.room import COOL_EVERY, WARM_MEMORY
from tengen.web.server import FILES, Server, is_loopback, listen
from tengen.web.table import PATIENCE


def get(port, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), answer.headers


def ask(tab, say, verb, **fields):
    """Send a message and wait for an answer of that kind."""
    tab.send(json.dumps({"do": verb, **fields}))
    while True:
        message = json.loads(tab.recv(timeout=90))
        if message["say"] == say:
            return message


def test_the_page_and_its_files_and_no_others(server):
    status, text, headers = get(server.port, "/")
    assert status == 200
    assert "<title>Tengen" in text
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    for name, kind in FILES.items():
        status, _, headers = get(server.port, f"/static/{name}")
        assert (status, headers["Content-Type"].split(";")[0]) == (200, kind)
    for path in (
        "/static/../server.py",
        "/static/%2e%2e%2fserver.py",
        "/static/..%5cserver.py",
        "/etc/passwd",
        "//etc/passwd",
        "/static/",
    ):
        assert get(server.port, path)[0] == 404


def test_every_file_of_the_page_is_served():
    from importlib import resources

    assert {file.name for file in (resources.files("tengen.web") / "static").iterdir()} == set(FILES)


def test_a_page_of_another_site_is_turned_away(server):
    """A site that somebody visits in the same browser must not play here, nor one whose name points to this machine."""
    assert get(server.port, "/", Host="evil.example")[0] == 403
    assert get(server.port, "/", Origin="http://evil.example")[0] == 403
    assert get(server.port, "/", Host=f"localhost:{server.port}")[0] == 200
    with pytest.raises(InvalidStatus):
        connect(server.socket_address, origin="http://evil.example")
    with connect(server.socket_address, origin=f"http://127.0.0.1:{server.port}") as tab:
        assert ask(tab, "hello", "hello")["level"] == "medium"


def test_another_address_needs_the_token():
    process = ServerProcess("serve", "--host", "0.0.0.0")
    try:
        token = process.address.partition("?token=")[2]
        assert len(token) > 15
        assert get(process.port, "/")[0] == 403
        assert get(process.port, "/?token=wrong")[0] == 403
        assert get(process.port, "/?token=" + "%f0" * 9)[0] == 403
        assert get(process.port, "/static/app.js")[0] == 403
        for url in (process.socket_address, process.socket_address + "?token=x"):
            with pytest.raises(InvalidStatus):
                connect(url)
        status, _, headers = get(process.port, f"/?token={token}")
        assert (status, headers["Location"]) == (303, "/")
        cookie = headers["Set-Cookie"]
        assert "httponly" in cookie.lower()
        assert "samesite=strict" in cookie.lower()
        assert get(process.port, "/", Cookie=cookie.partition(";")[0])[0] == 200
        with connect(process.socket_address, additional_headers={"Cookie": cookie.partition(";")[0]}) as tab:
            assert ask(tab, "hello", "hello")["games"]
    finally:
        process.stop()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("192.168.1.5", False),
        ("x.org", False),
    ],
)
def test_loopback(host, expected):
    assert is_loopback(host) == expected
    server = Server(host=host)
    assert (server.token is None) == expected
    server.close()


def test_a_taken_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(TengenError, match="cannot listen"):
            listen("127.0.0.1", port)
    for port in (-1, 70_000):
        with pytest.raises(TengenError):
            listen("127.0.0.1", port)
    with pytest.raises(TengenError):
        listen("no such host", 0)


def test_play_opens_the_game_that_was_asked_for():
    process = ServerProcess("play", "hex:4", "--against", "random", "--side", "second")
    try:
        with connect(process.socket_address) as tab:
            table = ask(tab, "hello", "hello")["table"]
            state = ask(tab, "table", "open", table=table)
            assert state["title"] == "Hex 4×4"
            assert [seat["person"] for seat in state["seats"]] == [False, True]
            assert state["seats"][0]["name"] == "random"
    finally:
        process.stop()
    assert process.complaints() == []


def test_every_bad_message_gets_an_answer_and_the_game_goes_on(server):
    with connect(server.socket_address) as tab:
        ask(tab, "table", "new", game="gomoku:3,line=3", seats=["human", "human"])
        for text in BAD:
            tab.send(text)
            while json.loads(message := tab.recv(timeout=60))["say"] != "error":
                pass
            assert "went wrong" not in message
        assert ask(tab, "table", "play", move=4, ply=0)["cells"] == {"4": 1}
    # Too large to be a message of ours: the line is cut, and that is all.
    with connect(server.socket_address) as tab:
        tab.send("x" * 1_000_000)
        with pytest.raises(WebSocketException):
            tab.recv(timeout=60)
    assert get(server.port, "/")[0] == 200


def test_a_game_survives_the_tab_and_can_be_watched_by_another(server):
    with connect(server.socket_address) as first:
        table = ask(first, "table", "new", game="hex:4", seats=["human", "human"])["table"]
        with connect(server.socket_address) as second:
            ask(second, "table", "open", table=table)
            ask(first, "table", "play", move=5, ply=0)
            assert json.loads(second.recv(timeout=60))["cells"] == {"5": 1}
    with connect(server.socket_address) as third:
        assert ask(third, "table", "open", table=table)["moves"] == ["b2"]


def test_a_slow_agent_in_one_tab_does_not_delay_another(server):
    with connect(server.socket_address) as slow, connect(server.socket_address) as quick:
        ask(slow, "table", "new", game="hex:5", seats=["uct,time=30", "human"])
        ask(quick, "table", "new", game="hex:5", seats=["human", "random"])
        began = time.monotonic()
        while ask(quick, "table", "play", move=12, ply=0)["ply"] < 1:
            pass
        assert time.monotonic() - began < 15  # of the thirty seconds that the other agent thinks
        ask(slow, "table", "now")


def test_many_clients_with_random_clicks_and_malformed_messages(server):
    """The short form of the load test below."""
    tally = play_many(server.socket_address, 50, 8.0)
    assert tally["unforeseen"] == 0
    assert tally["checked"] >= 50
    assert tally["bad"] > 100
    assert server.complaints() == []


def memory_at_rest(process):
    """What the server holds when all tabs are closed and agents have given their trees back."""
    time.sleep(PATIENCE + 2)
    with connect(process.socket_address) as tab:
        ask(tab, "table", "new", game="hex:5", seats=["human", "human"])
        for _ in range(2):  # whoever acts at a table has the room look at the memory, not more often than it is used to
            time.sleep(COOL_EVERY + 0.5)
            ask(tab, "error", "undo")
    return process.memory()


@pytest.mark.slow
def test_fifty_games_at_once_for_two_minutes():
    """No error, no lost game, and memory stays level: measured after a first minute of growing into its size."""
    process = ServerProcess("serve")
    try:
        play_many(process.socket_address, 50, 60.0, seed=1)
        before = memory_at_rest(process)
        tally = play_many(process.socket_address, 50, 120.0, seed=2)
        at_work, after = process.memory(), memory_at_rest(process)
        print(dict(tally), f"{before:.0f} MB → {after:.0f} MB at rest, {at_work:.0f} MB at work")
        assert tally["unforeseen"] == 0
        assert tally["checked"] >= 50
        assert tally["games"] > 100
        assert after < before * 1.15 + 20
        assert at_work < after + 2 * WARM_MEMORY / 1e6
        assert process.complaints() == []
    finally:
        process.stop()
