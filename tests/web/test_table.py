"""A table without a browser: people, agents and records, back and forth."""

from __future__ import annotations

import time

import pytest

from tengen import compiling
from tengen.agents import Agent, AgentSpec, parse_agent
from tengen.errors import IllegalMove, TengenError
from tengen.games import parse_game
from tengen.web.offers import LONGEST_THOUGHT, Offers
from tengen.web.room import Room
from tengen.web.table import PERSON, RECORD, Seat, Table
from tengen.web.thinking import Thinkers
from tengen.web.view import view


@pytest.fixture
def thinkers():
    made = Thinkers(places=4)
    yield made
    made.close()


def wait_for(condition, seconds=240.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


RANDOM = Seat("random", parse_agent("random"))


class Slow(Agent):
    """Thinks until it is stopped."""

    def choose(self, position):
        while not self.stop():
            self.progress(0.5)
            time.sleep(0.002)
        return position.legal_moves[0]


class Silent(Agent):
    """Thinks until it is stopped, and reports nothing."""

    def choose(self, position):
        while not self.stop():
            time.sleep(0.002)
        return position.legal_moves[0]


SLOW = Seat("slow", AgentSpec("slow", lambda game: Slow(game, "slow")))


class Broken(Agent):
    """Fails, or plays what cannot be played."""

    def __init__(self, game, answer):
        super().__init__(game, "broken")
        self.answer = answer

    def choose(self, position):
        if self.answer is None:
            raise RuntimeError("out of ideas")
        return self.answer


def test_an_agent_moves_when_its_time_is_up(thinkers):
    """Not even many simulations may hold a place for longer than an agent named in a browser is given."""
    hurried = Seat("slow", SLOW.spec, longest=0.2)
    table = Table(parse_game("gomoku:3,line=3"), [PERSON, hurried], thinkers)
    wait_for(lambda: table._thought is None)
    began = time.monotonic()
    table.play(4, 0)
    wait_for(lambda: len(table.position.moves) == 2)
    assert time.monotonic() - began >= 0.2
    assert Offers().seat("uct", parse_game("hex:5")).longest == LONGEST_THOUGHT


def test_two_people_play_to_the_end(thinkers):
    table = Table(parse_game("gomoku:3,line=3"), [PERSON, PERSON], thinkers)
    for ply, move in enumerate([0, 3, 1, 4]):
        table.play(move, ply)
    assert view(table)["status"] == "Black to move"
    table.play(2, 4)
    seen = view(table)
    assert seen["over"]
    assert seen["result"] == "Black wins after 5 moves."
    with pytest.raises(IllegalMove, match="over"):
        table.play(5, 5)


def test_a_click_that_comes_too_late_or_makes_no_sense_changes_nothing(thinkers):
    table = Table(parse_game("hex:3"), [PERSON, PERSON], thinkers)
    table.play(4, 0)
    for move, ply in ((0, 0), (0, 5), (4, 1), (-1, 1), (99, 1), (10**15, 1)):
        with pytest.raises(IllegalMove):
            table.play(move, ply)
    assert table.position.moves == [4]


def test_an_agent_answers_and_undo_goes_back_to_ones_own_move(thinkers):
    table = Table(parse_game("hex:4"), [PERSON, RANDOM], thinkers)
    table.play(5, 0)
    wait_for(lambda: len(table.position.moves) == 2)
    answer = table.position.moves[1]
    table.undo()
    assert table.position.moves == []
    assert not view(table)["can"]["undo"]
    with pytest.raises(IllegalMove):
        table.undo()
    table.redo()  # forward to one's own next decision, with the same answer
    assert table.position.moves == [5, answer]
    table.undo()
    table.play(6, 0)
    assert table.future == []


def test_a_move_made_again_keeps_what_followed_only_while_it_is_followed(thinkers):
    two = Table(parse_game("hex:4"), [PERSON, PERSON], thinkers)
    for ply, move in enumerate((5, 6, 7)):
        two.play(move, ply)
    for _ in range(3):
        two.undo()
    two.play(5, 0)
    assert [move for move, _ in two.future] == [7, 6]
    two.play(8, 1)
    assert two.future == []

    played = iter(range(15, 5, -1))  # an agent that answers otherwise the next time
    seat = Seat("fickle", AgentSpec("fickle", lambda game: Broken(game, next(played))))
    table = Table(parse_game("hex:4"), [PERSON, seat], thinkers)
    wait_for(lambda: table._thought is None)  # it has warmed up
    table.play(5, 0)
    wait_for(lambda: len(table.position.moves) == 2)
    answer = table.position.moves[1]
    table.undo()
    table.forget_agents()
    table.play(5, 0)
    wait_for(lambda: len(table.position.moves) == 2)
    assert table.position.moves[1] != answer
    assert table.future == []
    with pytest.raises(IllegalMove):
        table.redo()  # the old answer would be put on the board as a stone of one's own


def test_undo_leaves_the_opponents_first_move_alone(thinkers):
    table = Table(parse_game("hex:4"), [RANDOM, PERSON], thinkers)
    wait_for(lambda: table.position.moves)
    with pytest.raises(IllegalMove, match="no move of yours"):
        table.undo()
    assert len(table.position.moves) == 1


def test_an_agent_reports_progress_and_moves_when_told_to(thinkers):
    table = Table(parse_game("hex:4"), [SLOW, PERSON], thinkers)
    wait_for(lambda: view(table)["thinking"] and view(table)["thinking"]["share"] == 0.5)
    assert view(table)["status"] == "slow is thinking"
    assert not view(table)["your_move"]
    with pytest.raises(IllegalMove, match="not your move"):
        table.play(3, 0)
    table.move_now()
    wait_for(lambda: table.position.moves == [0])
    with pytest.raises(IllegalMove):
        table.move_now()


def test_undo_while_the_agent_thinks_takes_ones_move_back_and_the_answer_never_comes(thinkers):
    table = Table(parse_game("hex:4"), [PERSON, SLOW], thinkers)
    wait_for(lambda: table._thought is None)  # it has warmed up
    table.play(3, 0)
    wait_for(lambda: view(table)["thinking"])
    table.undo()
    time.sleep(0.1)
    assert table.position.moves == []
    assert view(table)["your_move"]


def test_a_slow_agent_does_not_block_another_table(thinkers):
    for _ in range(2):
        Table(parse_game("hex:4"), [SLOW, PERSON], thinkers)
    quick = Table(parse_game("hex:4"), [RANDOM, PERSON], thinkers)
    wait_for(lambda: quick.position.moves)


def test_beyond_the_places_agents_wait_in_line_and_say_so():
    thinkers = Thinkers(places=1)
    first = Table(parse_game("hex:4"), [SLOW, PERSON], thinkers)
    second = Table(parse_game("hex:4"), [SLOW, PERSON], thinkers)
    wait_for(lambda: first.thinking.has_place)
    assert "waits" in view(second)["status"]
    first.move_now()
    wait_for(lambda: view(second)["status"] == "slow is thinking")
    thinkers.close()


def test_resigning_and_taking_it_back(thinkers):
    table = Table(parse_game("hex:4"), [PERSON, RANDOM], thinkers)
    table.resign()
    assert view(table)["result"] == "You have resigned: black wins."
    with pytest.raises(IllegalMove):
        table.resign()
    table.undo()
    assert view(table)["your_move"]


def test_a_new_game_with_sides_exchanged(thinkers):
    table = Table(parse_game("hex:4"), [PERSON, RANDOM], thinkers)
    table.play(0, 0)
    table.again(exchange=True)
    wait_for(lambda: len(table.position.moves) == 1)
    assert [seat["person"] for seat in view(table)["seats"]] == [False, True]
    assert view(table)["your_move"]


def test_two_agents_are_watched_with_a_pause_that_can_be_changed(thinkers):
    table = Table(parse_game("hex:4"), [RANDOM, RANDOM], thinkers, pause=10.0)
    time.sleep(0.1)
    assert table.position.moves == []
    table.set_pause(0.0)
    wait_for(lambda: table.is_over)
    length = len(table.position.moves)
    assert "random" in view(table)["result"]
    table.undo()
    table.undo()
    assert not table.is_running
    table.run(True)  # the moves that were made are shown again, not thought again
    wait_for(lambda: table.is_over)
    assert len(table.position.moves) == length
    table.go_to(1)
    assert view(table)["ply"] == 1
    assert len(view(table)["moves"]) == length
    for ply in (-1, length + 1):
        with pytest.raises(IllegalMove):
            table.go_to(ply)
    for seconds in (-1.0, 11.0, float("nan"), float("inf")):
        with pytest.raises(TengenError):
            table.set_pause(seconds)


def test_the_game_waits_when_told_to(thinkers):
    table = Table(parse_game("hex:4"), [SLOW, SLOW], thinkers, pause=0.0)
    wait_for(lambda: table.thinking is not None)
    table.run(False)
    assert table.thinking is None
    table.run(True)
    assert table.thinking is not None


def test_a_record_is_replayed_with_its_notes(thinkers):
    record = [(4, "b2 90 %"), (0, ""), (1, "x")]
    table = Table(parse_game("hex:3"), [RECORD, RECORD], thinkers, record=record, pause=0.0)
    wait_for(lambda: len(table.position.moves) == 3)
    assert table.notes == ["b2 90 %", "", "x"]
    with pytest.raises(IllegalMove, match="not your move"):
        table.play(8, 3)
    table.go_to(0)
    assert view(table)["moves"] == ["b2", "a1", "b1"]


def test_a_record_that_was_given_up_ends_with_that(thinkers):
    record = [(4, ""), (0, ""), (1, "")]
    table = Table(parse_game("hex:3"), [RECORD, RECORD], thinkers, record=record, pause=0.0, gave_up=1)
    wait_for(lambda: table.is_over)
    assert len(table.position.moves) == 3
    assert view(table)["result"] == "Black has resigned: red wins."
    table.undo()  # a move back, and it is not yet over there
    assert (len(table.position.moves), table.is_over) == (2, False)
    table.go_to(3)
    assert table.is_over


def test_the_same_seed_is_the_same_game(thinkers):
    def moves(seed):
        table = Table(parse_game("hex:4"), [RANDOM, RANDOM], thinkers, seed=seed, pause=0.0)
        wait_for(lambda: table.is_over)
        return table.position.moves

    assert moves(5) == moves(5) != moves(6)


def test_warming_up_does_not_change_what_an_agent_plays(thinkers):
    def answer():
        searcher = Seat("uct", parse_agent("uct,simulations=60"))
        table = Table(parse_game("hex:3"), [PERSON, searcher], thinkers, seed=3)
        table.play(4, 0)
        wait_for(lambda: len(table.position.moves) == 2)
        return table.position.moves

    assert answer() == answer()


@pytest.mark.parametrize(
    ("answer", "said"), [(None, "out of ideas"), (3, "cannot be played"), (-7, "cannot be played")]
)
def test_an_agent_that_fails_is_named_and_the_table_survives(thinkers, answer, said):
    seat = Seat("broken", AgentSpec("broken", lambda game: Broken(game, answer)))
    table = Table(parse_game("hex:3"), [PERSON, seat], thinkers)
    if answer is not None:
        table.play(3, 0)
    wait_for(lambda: table.problem)
    seen = view(table)
    assert said in seen["status"]
    assert seen["problem"]
    table.again()
    table.play(0, 0)


def test_after_a_failure_undo_lets_the_game_go_on(thinkers):
    agents = iter([Broken(parse_game("hex:3"), 3), Broken(parse_game("hex:3"), 8)])
    seat = Seat("broken", AgentSpec("broken", lambda game: next(agents)))
    table = Table(parse_game("hex:3"), [PERSON, seat], thinkers)
    wait_for(lambda: table._thought is None)
    table.play(3, 0)
    wait_for(lambda: table.problem)
    table.undo()
    table.forget_agents()
    table.play(4, 0)
    wait_for(lambda: table.position.moves == [4, 8])


def test_a_game_for_one_with_luck(thinkers):
    table = Table(parse_game("pig:1"), [PERSON], thinkers, seed=1)
    for _ in range(100):
        seen = view(table)
        if seen["over"]:
            break
        table.play(seen["legal"][-1], seen["ply"])
    assert "points" in view(table)["result"]
    with pytest.raises(TengenError):
        Table(parse_game("pig:1"), [PERSON], thinkers).resign()


def test_trees_are_given_back_when_they_are_too_many_and_the_games_go_on(thinkers):
    searcher = Seat("uct", parse_agent("uct,simulations=100"))
    tables = [Table(parse_game("hex:3"), [PERSON, searcher], thinkers) for _ in range(3)]
    wait_for(lambda: all(table._thought is None for table in tables), 240)
    one = tables[0].memory()
    assert one > 10_000
    room = Room(thinkers, memory=2 * one)
    for table in tables:
        room.add(table)
        table.watchers.add(lambda: None)
    room.get(tables[0].id)  # the one used last keeps its tree
    room.cool_down()
    assert [bool(table.memory()) for table in tables] == [True, False, True]
    tables[0].watchers.clear()  # its tab is closed
    room.cool_down()
    assert [bool(table.memory()) for table in tables] == [False, False, True]
    tables[1].play(4, 0)
    wait_for(lambda: len(tables[1].position.moves) == 2)


def test_compiling_is_said_while_it_lasts(thinkers):
    silent = Seat("slow", AgentSpec("slow", lambda game: Silent(game, "slow")))
    room, told = Room(thinkers), []
    table = room.add(Table(parse_game("hex:4"), [silent, PERSON], thinkers))
    mine = room.add(Table(parse_game("hex:4"), [PERSON, silent], thinkers))
    wait_for(lambda: table.thinking.has_place)
    table.watchers.add(lambda: told.append((view(table)["compiling"], view(table)["status"])))
    compiling._tell_listeners("hex")
    assert told == [("hex", "slow is getting ready")]
    assert (view(mine)["compiling"], view(mine)["status"]) == ("hex", "Your move (red)")
    compiling._tell_listeners(None)
    assert told[1:] == [("", "slow is thinking")]
    assert view(mine)["status"] == "Your move (red)"


def test_a_table_waits_for_its_first_watcher(thinkers):
    table = Table(parse_game("hex:4"), [RANDOM, RANDOM], thinkers, pause=0.0, begins=False)
    time.sleep(0.05)
    assert table.position.moves == []
    table.begin()
    table.begin()
    wait_for(lambda: table.is_over)


def test_agents_rest_where_nobody_looks_and_go_on_when_somebody_does(thinkers, monkeypatch):
    monkeypatch.setattr("tengen.web.table.PATIENCE", 0.05)
    table = Table(parse_game("hex:4"), [SLOW, SLOW], thinkers, pause=0.0)

    def watcher():
        pass

    table.watch(watcher)
    assert table.thinking is not None
    table.unwatch(watcher)
    wait_for(lambda: table.thinking is None)
    table.watch(watcher)
    wait_for(lambda: table.thinking is not None)
    table.unwatch(watcher)
    table.watch(watcher)  # loaded again
    thought = table.thinking
    time.sleep(0.2)
    assert table.thinking is thought


def test_watchers_are_told(thinkers):
    table = Table(parse_game("hex:3"), [PERSON, PERSON], thinkers)
    told = []
    table.watchers.add(lambda: told.append(table.version))
    table.play(0, 0)
    assert told == [table.version]


def test_the_room_gives_up_what_nobody_has_looked_at_for_longest(thinkers):
    room = Room(thinkers, most=3)
    tables = [room.add(Table(parse_game("hex:3"), [PERSON, RANDOM], thinkers)) for _ in range(3)]
    wait_for(lambda: all(table._thought is None for table in tables))
    room.get(tables[0].id)
    tables[1].watchers.add(lambda: None)
    new = room.add(Table(parse_game("hex:3"), [PERSON, RANDOM], thinkers))
    assert room.get(tables[0].id) is tables[0]
    assert room.get(tables[1].id) is tables[1]  # watched
    for text in (tables[2].id, "", "../../etc/passwd"):
        with pytest.raises(TengenError, match="not here"):
            room.get(text)
    for table in (tables[0], new):
        table.watchers.add(lambda: None)
    with pytest.raises(TengenError, match="too many"):
        room.add(Table(parse_game("hex:3"), [PERSON, RANDOM], thinkers))


def test_an_agent_ponders_while_a_person_thinks(thinkers):
    searching = Seat("uct", parse_agent("uct,simulations=2000"))
    table = Table(parse_game("gomoku:3,line=3"), [PERSON, searching], thinkers)
    table.watch(lambda: None)
    wait_for(lambda: table._thought is None, 120)
    table.play(4, 0)
    wait_for(lambda: len(table.position.moves) == 2)
    assert not table.pondering.is_busy
    table.ponder(True)
    agent = table._agents[1]
    wait_for(lambda: set(agent.thoughts.legal) == set(table.position.legal_moves))  # of the person's position
    wait_for(lambda: not table.pondering.is_busy)
    move = table.position.legal_moves[0]
    known = int(agent.thoughts.visits[move])
    table.play(move, 2)
    wait_for(lambda: len(table.position.moves) == 4)
    assert agent.thoughts.visits.sum() >= 2000 + known - 1  # it goes on from there
    table.ponder(False)
    table.undo()
    wait_for(lambda: not table.pondering.is_busy)


def test_pondering_stops_at_once_when_the_person_moves(thinkers):
    searching = Seat("uct", parse_agent("uct,time=600"), longest=0.3)
    table = Table(parse_game("gomoku:3,line=3"), [PERSON, searching], thinkers)
    table.ponder(True)
    table.watch(lambda: None)
    wait_for(lambda: table._thought is None, 120)
    table.play(4, 0)
    wait_for(lambda: len(table.position.moves) == 2)
    wait_for(lambda: table.pondering.is_busy)
    table.play(table.position.legal_moves[0], 2)
    wait_for(lambda: len(table.position.moves) == 4)
    assert table.problem is None
    table.close()
    wait_for(lambda: not table.pondering.is_busy)
