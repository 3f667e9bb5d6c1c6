"""The game in progress that a run shows."""

from __future__ import annotations

import os
import time

from tengen.games import Position, parse_game
from tengen.runs import live
from tengen.runs.directory import RunDirectory


def follow(writer, number, position):
    writer(number, position.game.first, position.moves, position.is_over)


def test_one_game_is_followed_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "WRITE_EVERY", 0.0)
    run = RunDirectory(tmp_path)
    writer = live.LiveWriter(run)
    game = parse_game("hex:3,first=1")
    assert live.read_live(run) is None
    follow(writer, 4, Position(game, ["a1"]))
    follow(writer, 5, Position(game, ["c3"]))  # another game meanwhile
    assert live.read_live(run) == live.LiveGame(4, 1, (0,))
    ended = Position(game, ["a1", "c3", "b1", "c2", "c1"])
    assert ended.is_over
    follow(writer, 4, ended)
    assert live.read_live(run).moves == tuple(ended.moves)
    follow(writer, 5, Position(game, ["c3", "b2"]))
    assert live.read_live(run) == live.LiveGame(5, 1, (8, 4))
    writer.ended(6)
    follow(writer, 6, Position(game, ["a1"]))
    assert live.read_live(run).number == 5
    writer.ended(5)  # given up: no move tells of it
    follow(writer, 6, Position(game, ["a1"]))
    assert live.read_live(run).number == 6


def test_it_is_written_now_and_then_and_a_stale_one_is_none(tmp_path):
    run = RunDirectory(tmp_path)
    writer = live.LiveWriter(run)
    game = parse_game("hex:3")
    follow(writer, 0, Position(game, ["a1"]))
    follow(writer, 0, Position(game, ["a1", "a2"]))
    assert live.read_live(run).moves == (0,)  # too soon
    follow(writer, 0, Position(game, ["a1", "c3", "a2", "c2", "a3"]))
    assert len(live.read_live(run).moves) == 5  # its end is never too soon
    os.utime(tmp_path / live.FILE, (time.time() - 60, time.time() - 60))
    assert live.read_live(run) is None


def test_a_damaged_file_is_none(tmp_path):
    for text in (
        "",
        "{",
        "[]",
        '{"number": 1}',
        '{"number": "x", "first": 0, "moves": []}',
        '{"number": 1, "first": 0, "moves": 5}',
    ):
        (tmp_path / live.FILE).write_text(text)
        assert live.read_live(RunDirectory(tmp_path)) is None


def test_a_full_disk_is_no_reason_to_stop(tmp_path):
    follow(live.LiveWriter(RunDirectory(tmp_path / "missing")), 0, Position(parse_game("hex:3"), ["a1"]))
