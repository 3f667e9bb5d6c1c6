"""What varies between players: numeric options of an agent, each within a range.

A gene is a number from 0 to 1; its range says which value of the option it stands for. So mutation and crossover are
the same for all options, whole or real, on a logarithmic scale or not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

from tengen.agents.catalog import AGENTS, parse_agent
from tengen.errors import SpecError
from tengen.search import SearchSettings
from tengen.search.settings import DEFAULT_C
from tengen.specs import did_you_mean, split_options

LOG_FROM = 10.0
"""A range whose ends differ by this factor is logarithmic, unless it begins at 0 or below."""

MOST = 8
"""Options varied at once: more would need a population that nobody waits for."""

DIGITS = 4
"""Significant digits of a value in a spec."""


@dataclass(frozen=True)
class Range:
    """The values of an option among which the fittest is sought."""

    option: str
    low: float
    high: float
    is_whole: bool
    is_log: bool

    def value(self, gene: float) -> float:
        """The option's value: what stands in a spec, so a round number."""
        low, high = self._ends()
        if self.is_log:
            exact = math.exp(math.log(low) + gene * (math.log(high) - math.log(low)))
        else:
            exact = low + gene * (high - low)
        rounded = round(exact) if self.is_whole else float(f"{exact:.{DIGITS}g}")
        return min(max(rounded, self.low), self.high)

    def gene(self, value: float) -> float:
        """The inverse of `value`."""
        low, high = self._ends()
        if self.is_log:
            return (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
        return (value - low) / (high - low)

    def _ends(self) -> tuple[float, float]:
        """Whole numbers have half a step more on each side, so that the first and the last are as likely as others."""
        return (self.low - 0.5, self.high + 0.5) if self.is_whole else (self.low, self.high)

    def text(self, value: float) -> str:
        """The option as it stands in a spec."""
        return f"{self.option}={int(value) if self.is_whole else f'{value:.{DIGITS}g}'}"

    def __str__(self) -> str:
        scale = "log" if self.is_log else "linear"
        return f"{self.option}={self.low:.12g}..{self.high:.12g}:{scale}"


def parse_range(text: str, agent: str) -> Range:
    """``c=0.1..5``, or with the scale said, ``c=0.1..5:linear``; SpecError when the agent has no such number."""
    body, _, scale = text.partition(":")
    option, equals, ends = body.partition("=")
    low_text, dots, high_text = ends.partition("..")
    option = option.strip()
    if not equals or not dots or not option:
        raise SpecError(f"{text!r} is not a range: write option=low..high, as in c=0.1..5")
    kinds = AGENTS[agent].options
    numeric = {name: kind for name, kind in kinds.items() if kind in (int, float)}
    if option not in numeric:
        if option in kinds:
            raise SpecError(f"{option} of {agent} is no number, it cannot vary from {low_text} to {high_text}")
        raise SpecError(f"{agent} has no option {option!r} that is a number{did_you_mean(option, numeric)}")
    is_whole = numeric[option] is int
    try:
        low, high = float(low_text), float(high_text)
    except ValueError:
        raise SpecError(f"{text!r}: the ends of a range are numbers") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise SpecError(f"{text!r}: a range goes from a smaller number to a larger one")
    if is_whole and (low != round(low) or high != round(high)):
        raise SpecError(f"{text!r}: {option} is a whole number, and so are the ends of its range")
    if scale not in ("", "log", "linear"):
        raise SpecError(f"{text!r}: the scale of a range is log or linear, not {scale!r}")
    if scale == "log" and low <= 0:
        raise SpecError(f"{text!r}: a logarithmic range begins above 0")
    is_log = scale == "log" or (scale == "" and low > 0 and high / low >= LOG_FROM)
    return Range(option, low, high, is_whole, is_log)


@dataclass(frozen=True)
class Genome:
    """An agent of which some options vary."""

    agent: str
    fixed: tuple[str, ...]
    """Options that all players share, as texts."""
    target: str
    """With its colon; none where there is none."""
    ranges: tuple[Range, ...]
    founder: tuple[float, ...] | None
    """The genes of the agent as it was given; None where it leaves one of them to a rule."""

    def spec(self, genes: Sequence[float]) -> str:
        """The player with these genes, as a text that can be pasted."""
        varied = (rule.text(rule.value(gene)) for rule, gene in zip(self.ranges, genes, strict=True))
        return ",".join((self.agent, *self.fixed, *varied)) + self.target

    def values(self, genes: Sequence[float]) -> dict[str, float]:
        """The options that vary, with their values."""
        return {rule.option: rule.value(gene) for rule, gene in zip(self.ranges, genes, strict=True)}


def read_genome(spec: str, ranges: Sequence[str]) -> Genome:
    """The agent `spec` with these options varied; SpecError in one line where that makes no sense."""
    parse_agent(spec)  # its own errors first
    head, colon, target = spec.strip().partition(":")
    agent, _, options = head.partition(",")
    if agent == "human":
        raise SpecError("you are not tuned by natural selection: name an agent")
    if not ranges:
        raise SpecError(f"nothing varies: add --vary option=low..high, as in tengen tune hex:5 {spec} --vary c=0.1..5")
    if len(ranges) > MOST:
        raise SpecError(f"at most {MOST} options vary at once, not {len(ranges)}")
    rules = tuple(parse_range(text, agent) for text in ranges)
    names = [rule.option for rule in rules]
    if len(set(names)) < len(names):
        raise SpecError(f"the option {max(names, key=names.count)!r} varies twice")
    given = split_options(options, spec)
    fixed = tuple(f"{name}={value}" for name, value in given.items() if name not in names)
    genome = Genome(agent, fixed, colon + target, rules, _founder(agent, given, rules))
    for corner in itertools.product((0.0, 1.0), repeat=len(rules)):  # what the agent refuses, it refuses now
        try:
            parse_agent(genome.spec(corner))
        except SpecError as error:
            raise SpecError(f"not every player in these ranges can play: {error}") from None
    return genome


def _founder(agent: str, given: dict[str, str], rules: tuple[Range, ...]) -> tuple[float, ...] | None:
    genes = []
    for rule in rules:
        value = _present_value(agent, given, rule.option)
        if value is None:
            return None
        if not rule.low <= value <= rule.high:
            if rule.option in given:
                raise SpecError(
                    f"{rule.option}={given[rule.option]} lies outside its range {rule.low:g}..{rule.high:g}: widen the "
                    "range, or leave the option out of the agent"
                )
            return None
        genes.append(rule.gene(value))
    return tuple(genes)


def _present_value(agent: str, given: dict[str, str], option: str) -> float | None:
    """What the option is in the agent as given: said, or by default; None where a rule decides."""
    if option in given:
        return float(given[option])
    if option == "simulations" and "time" in given:
        return None  # the time alone is the limit
    defaults: dict[str, object] = {field.name: field.default for field in fields(SearchSettings)}
    value = {**defaults, "c": DEFAULT_C.get(agent), **AGENTS[agent].defaults}.get(option)
    return float(value) if isinstance(value, int | float) else None
