"""The level that adapts to the player."""

from __future__ import annotations

import pytest

from tengen.errors import SpecError
from tengen.games import parse_game
from tengen.web.adapting import START, STRONGEST, WEAKEST, adaptive_seat
from tengen.web.offers import Offers
from tengen.web.table import PERSON, Table
from tengen.web.thinking import Thinkers
from tengen.web.view import view


def strength(seat):
    return float(seat.name.partition(",")[2])


def test_it_gets_stronger_where_it_loses_and_weaker_where_it_wins():
    game = parse_game("hex:5")
    seat = Offers().seat("adaptive", game)
    assert strength(seat) == START
    assert strength(seat.after(0.0)) > START > strength(seat.after(1.0))
    assert strength(seat.after(0.5)) == START
    assert strength(seat.after(0.0).after(1.0)) == pytest.approx(START, abs=0.02)
    for score, end in ((0.0, STRONGEST), (1.0, WEAKEST)):
        for _ in range(30):
            seat = seat.after(score)
        assert strength(seat) == end
    few, many = (Offers().seat(f"adaptive,{n}", game).spec.options["simulations"] for n in (1, 100))
    assert (few, many) == (25, 2500)


def test_the_next_game_at_a_table_is_against_the_adapted_one():
    thinkers = Thinkers(places=2)
    game = parse_game("gomoku:3,line=3")
    table = Table(game, [PERSON, adaptive_seat("adaptive,4", game)], thinkers, begins=False)
    assert view(table)["seats"][1]["next"] == "adaptive,4"
    table.resign()
    assert view(table)["seats"][1]["next"] == "adaptive,2.22"
    table.again(exchange=True)
    assert [seat.name for seat in table.seats] == ["adaptive,2.22", "human"]
    table.close()
    thinkers.close()


@pytest.mark.parametrize(
    "text", ["adaptive,", "adaptive,x", "adaptive,-1", "adaptive,1e9", "adaptive,99999", "adaptive,1,2"]
)
def test_what_is_no_strength(text):
    with pytest.raises(SpecError):
        Offers().seat(text, parse_game("hex:5"))
