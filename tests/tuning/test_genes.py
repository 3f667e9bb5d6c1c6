"""What varies: ranges, and players as specs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.agents import parse_agent
from tengen.errors import SpecError
from tengen.tuning.genes import parse_range, read_genome


def test_values_by_hand():
    c = parse_range("c=0.1..10", "uct")
    assert c.is_log
    assert [c.value(gene) for gene in (0, 0.25, 0.5, 0.75, 1)] == [0.1, 0.3162, 1.0, 3.162, 10.0]
    even = parse_range("c=0.1..10:linear", "uct")
    assert [even.value(gene) for gene in (0, 0.5, 1)] == [0.1, 5.05, 10.0]
    assert not parse_range("c=0.5..4.9", "uct").is_log  # less than a factor of ten
    assert parse_range("c=0.5..4.9:log", "uct").value(0.5) == pytest.approx((0.5 * 4.9) ** 0.5, rel=1e-3)
    assert not parse_range("epsilon=0..0.5", "uct").is_log
    assert parse_range("first_play_value=-1..1", "uct").value(0.25) == -0.5


def test_every_whole_number_is_as_likely():
    rule = parse_range("simulations=1..4", "uct")
    values = [rule.value((i + 0.5) / 4000) for i in range(4000)]
    assert [values.count(n) for n in (1, 2, 3, 4)] == [1000] * 4
    assert rule.text(rule.value(0.3)) == "simulations=2"


@given(st.floats(0, 1), st.sampled_from(["c=0.1..10", "epsilon=0..0.5", "simulations=10..2000", "c=1..4:linear"]))
def test_a_gene_says_its_value_and_back(gene, text):
    rule = parse_range(text, "ucb1")
    value = rule.value(gene)
    assert rule.low <= value <= rule.high
    assert rule.value(rule.gene(value)) == pytest.approx(value, rel=1e-3)


def test_a_player_is_a_spec_that_can_be_pasted():
    genome = read_genome("rave,simulations=50,c=0.5,temperature=0.5", ["c=0.05..5", "rave_bias=0.001..0.5"])
    spec = genome.spec((0.5, 1.0))
    assert spec == "rave,simulations=50,temperature=0.5,c=0.5,rave_bias=0.5"
    assert parse_agent(spec).options["rave_bias"] == 0.5
    assert genome.spec(genome.founder) == "rave,simulations=50,temperature=0.5,c=0.5,rave_bias=0.03"


def test_any_numeric_option_of_any_agent():
    for spec, rule, options in (
        ("alphabeta", "depth=1..5", {"depth": 5}), ("classic", "time=0.01..0.5", {"time": 0.5}),
        ("net:hex-5", "epsilon=0..1", {"epsilon": 1.0}), ("zero:hex-5", "first_play_value=-1..0.5", {"first_play_value": 0.5}),
        ("flat", "simulations=5..50", {"simulations": 50}), ("puct", "c=0.5..20", {"c": 20.0}),
        ("uct,simulations=20", "memory=1..64", {"memory": 64}),
    ):  # fmt: skip
        genome = read_genome(spec, [rule])
        best = genome.spec((1.0,))
        assert dict(parse_agent(best).options).items() >= options.items()
        assert best.endswith(spec.partition(":")[2])


def test_the_agent_as_given_takes_part_where_it_lies_in_the_ranges():
    assert read_genome("uct", ["c=0.1..10"]).founder == (pytest.approx(0.5),)  # c = 1 by default
    assert read_genome("ucb1,c=5", ["c=0.1..10"]).values((1.0,)) == {"c": 10.0}
    assert read_genome("uct", ["c=2..10"]).founder is None  # the default lies outside, and was not asked for
    assert read_genome("uct,time=0.1", ["simulations=10..2000"]).founder is None  # the time alone is its limit
    with pytest.raises(SpecError, match="outside"):
        read_genome("uct,c=1", ["c=2..10"])


@pytest.mark.parametrize(
    ("ranges", "complaint"),
    [
        ([], "nothing varies"), (["c"], "not a range"), (["c=1"], "not a range"), (["c=1..x"], "numbers"),
        (["c=3..1"], "smaller"), (["c=1..1"], "smaller"), (["c=nan..1"], "smaller"), (["c=0..inf"], "smaller"),
        (["cc=1..2"], "did you mean 'c'"), (["reuse=0..1"], "no number"), (["c=0..1:log"], "above 0"),
        (["c=1..2:cubic"], "log or linear"), (["simulations=1.5..9"], "whole"), (["c=1..2", "c=1..3"], "twice"),
        (["epsilon=0..3"], "not every player"), (["c=-1..1"], "not every player"), (["noise=0..0.5"], "do nothing"),
        (["simulations=0..99"], "nothing ends"), ([f"c={n}..20" for n in range(1, 10)], "at most 8"),
    ],
)  # fmt: skip
def test_ranges_that_make_no_sense_are_refused_in_a_line(ranges, complaint):
    with pytest.raises(SpecError, match=complaint) as caught:
        read_genome("uct,simulations=10", ranges)
    assert "\n" not in str(caught.value)
