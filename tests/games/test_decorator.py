"""``@game`` refuses a class that is no game and says in words what is missing."""

from typing import NamedTuple

import pytest
from broken_games import strip

from tengen.games import game


@pytest.mark.parametrize(
    "verb", ["position_size", "move_count", "start", "to_move", "legal_moves", "play", "is_over", "outcome"]
)
def test_a_class_without_a_required_verb_is_refused(verb):
    with pytest.raises(TypeError, match=rf"Strip lacks the verb {verb}\(self"):
        strip(**{verb: None})


def test_a_verb_with_other_parameters_is_refused():
    with pytest.raises(TypeError, match=r"Strip.play takes \(self, move\), it should take \(self, position, move\)"):
        strip(play=lambda self, move: 0.0)
    with pytest.raises(TypeError, match=r"Strip.players takes \(\), it should take \(self\)"):
        strip(players=lambda: 2)


def test_a_parameter_that_has_the_name_of_a_verb_is_refused():
    class Confused(NamedTuple):
        players: int = 2

    with pytest.raises(TypeError, match="Confused: a parameter cannot be called 'players', that is a verb"):
        game(Confused)


def test_a_class_that_is_no_named_tuple_is_refused():
    class Plain:
        pass

    with pytest.raises(TypeError, match="Plain must be a NamedTuple of its parameters"):
        game(Plain)
