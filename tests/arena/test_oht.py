"""The Online Hex Tournament: whole rounds over real sockets, in both editions, and clients that misbehave."""

from __future__ import annotations

import getpass
import io
import json
import socket
import sqlite3
import ssl
import threading
import time
from pathlib import Path

import pytest

from tengen.agents import parse_agent
from tengen.agents.oht import AgentActor
from tengen.arena.oht_results import ATTEMPTS, Results
from tengen.arena.oht_server import Server, ServerSettings, clean_name, read_accounts, state_of
from tengen.cli.main import run
from tengen.errors import SpecError, TengenError
from tengen.games import Hex, Position
from tengen.protocols.oht import BasicClientActor, TournamentError
from tengen.protocols.oht.certificate import ensure_certificate
from tengen.protocols.oht.wire import JsonLine, LineBroken, TextLine, connect

SECRET = "correct horse battery"


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """Start servers on free ports; all are stopped at the end."""
    monkeypatch.setattr(getpass, "getpass", lambda prompt="": SECRET)
    monkeypatch.setenv("IT3105_AUTH", SECRET)
    started = []

    def make(**options):
        opponents = tuple(parse_agent(text) for text in options.pop("opponents", ("random", "random")))
        settings = ServerSettings(**{"size": 3, "opponents": opponents, "port": 0, "official_games": 4} | options)
        server = Server(settings, tmp_path / f"oht{len(started)}", log.append)
        server.start()
        started.append(server)
        return server

    log: list[str] = []
    make.log = log
    yield make
    for server in started:
        server.stop()


def join(server, actor=None, edition="text", **options):
    """Play a round; the client that played it, and its score."""
    options = {"user": "alice", "player_name": "Deep Alice", "official": False, "verbose": False} | options
    options |= {"port": server.ports[edition], "server_cert": server.certificate, "edition": edition}
    client = actor(**options) if actor else AgentActor(parse_agent("random"), **options)
    return client, client.connect_to_server()


def games_of(server):
    database = sqlite3.connect(server.results.file)
    rows = database.execute(
        "select seat, first, moves, winner, forfeit from games join series on series = series.id"
    ).fetchall()
    database.close()
    return rows


class Diary(BasicClientActor):
    """Writes down every call."""

    def __init__(self, **options):
        super().__init__(**options)
        self.calls = []

    def handle_series_start(self, unique_player_id, series_id, player_id_map, num_games, game_params):
        super().handle_series_start(unique_player_id, series_id, player_id_map, num_games, game_params)
        self.calls.append(("series", unique_player_id, series_id, player_id_map, num_games, game_params))

    def handle_game_start(self, series_id):
        self.calls.append(("game", series_id))

    def handle_get_action(self, state):
        self.calls.append(("state", state))
        return super().handle_get_action(state)

    def handle_game_over(self, winner_series_id, final_state):
        self.calls.append(("over", winner_series_id, final_state))

    def handle_series_over(self, stats):
        self.calls.append(("stats", stats))

    def handle_tournament_over(self, score):
        self.calls.append(("score", score))


@pytest.mark.parametrize("edition", ["text", "json"])
def test_a_verification_round_has_a_hundred_games_and_tells_all_of_it(serve, edition):
    server = serve()
    client, score = join(server, Diary, edition)
    calls = client.calls
    series = [call for call in calls if call[0] == "series"]
    assert [(s[2], s[4], s[5]) for s in series] == [(1, 50, [3]), (2, 50, [3])]
    assert series[0][3] == [(series[0][1], 1), (1, 2)]
    assert series[1][3] == [(2, 1), (series[0][1], 2)]
    starters = [call[1] for call in calls if call[0] == "game"]
    assert starters == [1, 2] * 50
    seat, wins = 0, 0
    for call in calls:
        if call[0] == "series":
            seat = call[2]
        if call[0] == "state":
            assert call[1][0] == seat
            assert len(call[1]) == 10
        if call[0] == "over":
            position = Position.from_cells(Hex(size=3), call[2][1:], call[2][0] - 1)
            assert position.winner == call[1] - 1  # the board says the same
            wins += call[1] == seat
    stats = [call[1] for call in calls if call[0] == "stats"]
    assert sum(row[2] for table in stats for row in table if row[0] == series[0][1]) == wins
    assert all(row[2] + row[3] == 50 for table in stats for row in table)
    assert calls[-1] == ("score", score)
    assert score == wins
    assert len(games_of(server)) == 100


def test_the_first_state_of_a_game_that_we_begin_is_empty(serve):
    client, _ = join(serve(), Diary)
    starts = [b[1] for a, b in zip(client.calls, client.calls[1:]) if a == ("game", 1) and b[0] == "state"]
    ours = [state for state in starts if state[0] == 1]  # of the series as player 1
    assert len(ours) == 25
    assert set(ours) == {(1,) + (0,) * 9}
    assert all(sum(state[1:]) == 1 for state in starts if state[0] == 2)  # red has begun


def test_official_rounds_count_five_times_and_the_best_is_kept(serve):
    server = serve()
    scores = []
    for attempt in range(ATTEMPTS):
        agent = "uct,simulations=300" if attempt == 2 else "random"
        client = AgentActor(
            parse_agent(agent), port=server.ports["text"], server_cert=server.certificate, user="alice", player_name="x",
            official=True, verbose=False,
        )  # fmt: skip
        scores.append(client.connect_to_server())
        assert client.games == 8
    with pytest.raises(TournamentError, match="no official attempt is left"):
        join(server, official=True, user="alice", player_name="another name")
    join(server)  # a verification is always possible
    (standing,) = server.results.standings()
    assert (standing.user, standing.official, standing.verification) == ("alice", 5, 1)
    assert standing.best == max(scores) > 80
    assert join(server, official=True, user="bob")[1] is not None


def test_searching_opponents_are_stronger(serve):
    server = serve(opponents=("random", "uct,simulations=300"), verification_games=20)
    client, score = join(server)
    (won_random, _), (won_search, lost_search) = client.series
    assert won_search + lost_search == 10
    assert won_search < won_random + 3
    assert score == 5 * (won_random + won_search)


def test_an_agent_follows_the_game_and_keeps_its_tree(serve):
    server = serve(verification_games=6)
    client = AgentActor(
        parse_agent("uct,simulations=200"), port=server.ports["text"], server_cert=server.certificate, user="a",
        player_name="b", official=False, verbose=False,
    )  # fmt: skip
    seen = []
    follow = client._follow

    def watched(state):
        position = follow(state)
        seen.append((state, state_of(position), len(position.moves)))
        return position

    client._follow = watched
    assert client.connect_to_server() is not None
    assert all(told == followed for told, followed, _ in seen)
    assert any(moves > 2 for _, _, moves in seen)  # it went on from its own last position


def test_fifty_clients_at_once(serve):
    server = serve(verification_games=10)
    scores, errors = [], []

    def play(number):
        try:
            scores.append(join(server, edition=("text", "json")[number % 2], user=f"user{number}")[1])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=play, args=(i,)) for i in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert errors == []
    assert len(scores) == 50
    assert len(games_of(server)) == 500
    standings = server.results.standings()
    assert len(standings) == 26  # 25 names, and one token for all the others
    assert sum(s.verification for s in standings) == 50


# --- clients that misbehave


class Liar(BasicClientActor):
    """Plays some moves, then answers nonsense."""

    def __init__(self, answer, after=5, **options):
        super().__init__(**options)
        self.answer, self.left, self.illegal = answer, after, None

    def handle_get_action(self, state):
        self.left -= 1
        honest = self.left >= 0 or not any(state[1:])  # on an empty board no cell is taken
        return super().handle_get_action(state) if honest else self.answer(state)

    def handle_illegal_action(self, state, act):
        self.illegal = (state, act)


def taken(state):
    return divmod(next(i for i, owner in enumerate(state[1:]) if owner), 3)


@pytest.mark.parametrize("answer", [lambda s: (-1, 0), lambda s: (3, 3), taken, lambda s: (0, 99999)])
def test_an_illegal_move_is_told_and_forfeits_the_round(serve, answer):
    server = serve()
    client, score = join(server, lambda **options: Liar(answer, **options), official=True)
    assert score is None
    state, act = client.illegal
    assert act == answer(state)
    wait_for(lambda: server.rounds_ended)
    (standing,) = server.results.standings()
    assert standing.official == 1  # it counts as an attempt
    assert standing.best is not None
    assert standing.best < 50  # games that were not played are lost
    assert "illegal move" in games_of(server)[-1][4]


@pytest.mark.parametrize("edition", ["text", "json"])
@pytest.mark.parametrize(
    "words", ["hello", "(1, 2, 3)", "(np.int64(0), 1)", "[", "(" * 900, "()", "1e9, 2", "x" * 5000]
)
def test_nonsense_forfeits(serve, edition, words):
    server = serve()
    line = log_in(server, edition)
    answer_states(line, edition, words)
    wait_for(lambda: server.rounds_ended)
    assert "forfeited: it answered" in serve.log[-1] or "far too long" in serve.log[-1]
    assert SECRET not in "".join(serve.log)


def log_in(server, edition="text"):
    """A bare connection that has got as far as the first state."""
    sock = connect("127.0.0.1", server.ports[edition], server.certificate)
    if edition == "json":
        line = JsonLine(sock)
        assert line.receive(30) == {"topic": "authentication"}
        line.send(SECRET)
        assert line.receive(30)["question"] == "qualify"
        line.send(False)
        return line
    line = TextLine(sock)
    for word, answer in (("username", "mallory"), ("password", SECRET), ("player-name", "m"), ("qualify", "n")):
        assert word in line.receive(30)
        line.send(answer)
    assert "Welcome" in line.receive(30)
    return line


def answer_states(line, edition, words):
    """Wait for the first question and answer it with some words."""
    while True:
        message = line.receive(30)
        if (message["topic"] == "request_action") if edition == "json" else message.startswith("("):
            break
    if edition == "json":
        line.send(words)
    else:
        line._sock.sendall(words.encode())


def test_a_client_that_hangs_forfeits_and_disturbs_nobody(serve):
    server = serve(move_seconds=3)
    hanging = [log_in(server, edition) for edition in ("text", "json", "text")]
    answer_states(hanging[2], "text", "(0, 0)")  # and then no more
    assert join(server)[1] is not None
    wait_for(lambda: server.rounds_ended == 4)
    assert sum("no answer within 3 seconds" in text for text in serve.log) == 3
    for line in hanging:
        line.close()


def test_a_client_that_disconnects_forfeits(serve):
    server = serve()
    for edition in ("text", "json"):
        log_in(server, edition).close()
    wait_for(lambda: server.rounds_ended == 2)
    assert sum("it has disconnected" in text for text in serve.log) == 2


def test_strangers_at_the_door_are_let_go(serve):
    """No TLS, a slow handshake, nothing at all, a login that is never finished."""
    server = serve(login_seconds=4)
    strangers = [socket.create_connection(("127.0.0.1", server.ports["text"])) for _ in range(5)]
    for stranger in strangers[:2]:
        stranger.sendall(b"GET / HTTP/1.0\r\n\r\n")
    slow = TextLine(connect("127.0.0.1", server.ports["text"], server.certificate))
    slow.receive(30)
    forger = JsonLine(connect("127.0.0.1", server.ports["json"], server.certificate))
    forger._send(b"\xff\xff\xff\x7f", 1)
    assert join(server)[1] is not None
    with pytest.raises(LineBroken):
        slow.receive(30)
    assert forger.receive(30) == {"topic": "authentication"}
    with pytest.raises(LineBroken):
        forger.receive(30)
    for stranger in strangers:
        stranger.close()
    assert join(server)[1] is not None


def test_a_full_house_turns_people_away(serve):
    server = serve(most_clients=1)
    line = log_in(server)
    with pytest.raises(TournamentError):
        join(server)
    line.close()
    wait_for(lambda: server.rounds_ended)
    time.sleep(0.2)
    assert join(server)[1] is not None


def test_stopping_the_server_costs_nobody_an_attempt(serve):
    server = serve(opponents=("random",))
    waiting = threading.Event()

    class Slow(BasicClientActor):
        def handle_get_action(self, state):
            waiting.set()
            time.sleep(1)
            return super().handle_get_action(state)

    def play():
        with pytest.raises(TournamentError):
            join(server, Slow, official=True)

    thread = threading.Thread(target=play)
    thread.start()
    assert waiting.wait(20)
    server.stop()
    thread.join(60)
    (standing,) = Results(server.results.file).standings()
    assert (standing.official, standing.best) == (0, None)


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


# --- who is let in


def test_accounts(serve, tmp_path):
    file = tmp_path / "class.txt"
    file.write_text(f"# the class\nalice {SECRET.split()[0]}\nbob x\n")
    accounts = read_accounts(file)
    assert accounts == {"alice": "correct", "bob": "x"}
    server = serve(accounts={"alice": SECRET})
    assert join(server)[1] is not None
    assert join(server, edition="json")[1] is not None
    assert [s.user for s in server.results.standings()] == ["alice"]  # the token is hers
    with pytest.raises(TournamentError, match="does not accept"):
        join(server, user="bob")
    other = serve(accounts={"alice": "something else"})
    with pytest.raises(TournamentError, match="Invalid credentials"):
        join(other, edition="json")
    for text in ("", "alice\n", "a b\na c\n"):
        file.write_text(text)
        with pytest.raises(SpecError):
            read_accounts(file)


def test_nothing_secret_is_kept_or_said(serve, tmp_path, capsys):
    server = serve()
    for edition in ("text", "json"):
        join(server, edition=edition, verbose=True)
    server.stop()
    out = capsys.readouterr()
    assert SECRET not in out.out + out.err + "".join(serve.log)
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or SECRET.encode() not in file.read_bytes()


def test_an_unique_id_is_for_ever(serve):
    server = serve(verification_games=2)
    first, again, other = (join(server, Diary, user=user)[0].calls[0][1] for user in ("alice", "alice", "bob"))
    assert first == again != other


def test_names_are_made_printable():
    assert clean_name("  a\nb\x1b[31m" + "é" * 99) == "a b [31m" + "é" * 32


def test_the_example_of_the_documents_plays_a_round(serve):
    text = (Path(__file__).parents[2] / "docs" / "tournament.md").read_text(encoding="utf-8")
    names = {"__name__": "example"}
    exec(text.partition("```python\n")[2].partition("```")[0], names)
    server = serve()
    client, score = join(server, names["MyActor"])
    assert client.size == 3
    assert score > 50  # the middle of a small board is strong


# --- the certificate, and what a client refuses


def test_the_certificate_is_made_once_and_its_key_is_private(tmp_path):
    certificate, key = ensure_certificate(tmp_path)
    before = certificate.read_bytes()
    assert key.stat().st_mode & 0o077 == 0
    assert ensure_certificate(tmp_path) == (certificate, key)
    assert certificate.read_bytes() == before
    certificate.write_text("broken")
    ensure_certificate(tmp_path)
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)


def test_a_server_with_another_certificate_is_refused(serve, tmp_path):
    server = serve()
    other, _ = ensure_certificate(tmp_path / "other")
    with pytest.raises(TournamentError, match="does not have the certificate"):
        BasicClientActor(port=server.ports["text"], server_cert=other).connect_to_server()
    with pytest.raises(TournamentError, match="there is no certificate"):
        BasicClientActor(server_cert=tmp_path / "none").connect_to_server()
    port = server.ports["text"]
    server.stop()
    with pytest.raises(TournamentError, match="no connection"):
        BasicClientActor(port=port, server_cert=other).connect_to_server()


def test_the_questions_are_asked_at_the_terminal(serve, monkeypatch):
    server = serve(verification_games=2)
    asked = []
    answers = iter(["", "carol", "C", "n"])  # an empty answer is asked for again
    monkeypatch.setattr("builtins.input", lambda prompt="": asked.append(prompt) or next(answers))
    assert join(server, user=None, player_name=None, official=None)[1] is not None
    assert ["username" in asked[0], "username" in asked[1], "player-name" in asked[2]] == [True] * 3
    assert "You have 5 remaining attempts. (Y/n)" in asked[3]


class Speaker:
    """A line that says what a server might say."""

    def __init__(self, *messages):
        self.messages, self.heard = list(messages), []

    def receive(self, seconds=None):
        if not self.messages:
            raise LineBroken("it has disconnected")
        return self.messages.pop(0)

    def send(self, message, seconds=None):
        self.heard.append(message)


def test_the_documents_own_words_and_those_of_other_copies():
    client = BasicClientActor(verbose=False, user="u", player_name="p", official=True)
    line = Speaker(
        "Do you want to attempt to play an official tournament? You have 5 remaining attempts. (Y/n)", "Welcome", "Main start",
        "7", "[(7, 2), (9, 1)]", "1", "[3]", "Game start", "2", "(2, 0, 0, 0, 0, 1, 2, 1, 2, 1)", "Main end", "[]",
        "Tournament end", "50.0",
    )  # fmt: skip
    assert client._text_session(line) == 50.0
    assert client.series_id == 2
    assert line.heard[0] == "Y"
    assert line.heard[1] in ("(0, 0)", "(0, 1)", "(0, 2)", "(1, 0)")


@pytest.mark.parametrize(
    "messages",
    [
        ["Sorry, no"], ["gibberish"], ["Welcome", "gibberish"], ["Welcome", "Series start", "1", "[]", "1", "[3]"],
        ["Welcome", "Game start", "__import__('os')"], ["Welcome", "(" * 500], ["Welcome", "7"], ["Invalid credentials"],
    ],
)  # fmt: skip
def test_a_server_that_talks_nonsense_is_one_clear_line(messages):
    with pytest.raises(TournamentError) as error:
        BasicClientActor(verbose=False)._text_session(Speaker(*messages))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "message", [{}, [], 7, {"topic": "series_start"}, {"topic": "error", "error": "a\nb"}, {"topic": "sing"}]
)
def test_the_same_in_the_later_edition(message):
    with pytest.raises(TournamentError) as error:
        BasicClientActor(verbose=False, edition="json")._json_session(Speaker(message))
    assert "\n" not in str(error.value)


def test_numbers_of_numpy_are_sent_as_plain_ones():
    import numpy as np

    class Student(BasicClientActor):
        def handle_get_action(self, state):
            return np.int64(1), np.int64(2)

    line = Speaker("(1, 0, 0, 0, 0, 0, 0, 0, 0, 0)", "Tournament end", "0")
    Student(verbose=False)._text_tournament(line)
    assert line.heard == ["(1, 2)"]


def test_copies_that_wait_for_main_start(serve):
    server = serve(series_word="Main", verification_games=2)
    line = log_in(server)
    assert line.receive(30) == "Main start"
    line.close()
    assert join(server)[1] is not None


def test_a_state_of_the_largest_board_fits_a_message():
    assert len(repr(state_of(Position(Hex(size=18))))) <= 1024
    with pytest.raises(SpecError, match="3 to 18"):
        ServerSettings(size=19, opponents=(parse_agent("random"),))


# --- the commands


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def test_serve_join_and_results_as_commands(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr(getpass, "getpass", lambda prompt="": SECRET)
    folder = tmp_path / "oht"
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    codes = []
    line = f"oht serve --size 3 --opponents random --verification-games 4 --rounds 1 --port {port} --edition text --folder {folder}"
    server = threading.Thread(target=lambda: codes.append(run(line.split())), daemon=True)
    server.start()
    wait_for(lambda: answers(port))
    joining = f"oht join --agent random --port {port} --server-cert {folder}/server.crt --user dora --name D --verification --json"
    assert run(joining.split()) == 0
    server.join(60)
    assert codes == [0]
    assert run(["oht", "results", "--folder", str(folder), "--json"]) == 0
    out = capsys.readouterr().out
    objects = [json.loads(text) for text in out.splitlines() if text.startswith("{")]
    assert objects[0]["games"] == 4
    assert objects[-1]["players"][0]["user"] == "dora"
    assert "dora" in out


@pytest.mark.parametrize(
    "line",
    [
        "oht", "oht sing", "oht join --agent nobody", "oht join --agent human", "oht join --official --verification",
        "oht join --port 0", "oht join --server-cert none.crt", "oht join --edition morse", "oht serve --size 19",
        "oht serve --opponents human", "oht serve --opponents nobody", "oht serve --edition morse", "oht serve --games 0",
        "oht serve --accounts none.txt", "oht serve --verification-games 1", "oht serve --series-word Day",
        "oht serve --move-seconds nan", "oht serve --port 99999", "oht serve --rounds -1", "oht results --folder none",
        "oht serve --host no.such.host.invalid --opponents random --folder FOLDER", "engine", "engine morse",
        "engine htp --agent human", "engine htp --size 2", "engine htp --agent nobody",
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_line_and_exit_code_2(capsys, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    assert run([word.replace("FOLDER", str(tmp_path)) for word in line.split()]) == 2
    out, err = capsys.readouterr()
    assert err.strip().count("\n") == 0, err
    assert err.startswith("tengen: ")
    assert out == ""


def test_results_of_something_else_are_refused(tmp_path):
    file = tmp_path / "results.sqlite"
    file.write_text("no database at all, " * 100)
    with pytest.raises(TengenError, match="holds no results"):
        Results(file)
