"""The settings of a search. The documents behind this project are four choices of these, not four programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tengen.errors import SpecError
from tengen.games.verbs import ENDLESS
from tengen.search.choice import move_probabilities
from tengen.specs import did_you_mean

UCT, UCB1, PUCT, FLAT, RAVE, GUMBEL = range(6)
SELECTIONS = {"uct": UCT, "ucb1": UCB1, "puct": PUCT, "flat": FLAT, "rave": RAVE, "gumbel": GUMBEL}

EVALUATIONS = ("rollout", "network", "mix", "sigma")
ROLLOUTS = ("random", "urgent", "likely", "knowledge", "network")
CANDIDATES = ("all", "urgent", "likely", "knowledge")
URGENT, LIKELY = ("urgent", "knowledge"), ("likely", "knowledge")
"""The choices that use a game's urgent moves, and those that use its likely moves."""
ROLLOUT_MOVES = ("greedy", "sample")

FIXED, PARENT = range(2)
FIRST_PLAYS = {"fixed": FIXED, "parent": PARENT}

DEFAULT_C = {"uct": 1.0, "ucb1": 0.5, "puct": 5.0, "flat": 0.0, "rave": 0.05, "gumbel": 1.0}

CONSIDERED = 16
"""How many moves gumbel considers where a network proposes them."""


WHAT_VALUES_MEAN = ("discount", "afterstates", "living_reward")
"""Settings that a critic is trained for: its file says which they were."""


@dataclass(frozen=True)
class SearchSettings:
    """Everything that decides how a tree grows. Values are in [−1, 1], in the view of the player who chooses."""

    selection: str = "uct"
    """How a move is chosen in the tree; N: visits of the position, n: of the move, Q: mean value, P: prior.
    uct: Q + c·sqrt(log(N−1) / (1+n)), ties to the larger prior.  ucb1: every move once, then Q + 2c·sqrt(2 log N / n),
    which is c·sqrt(2 log N / n) for rewards in [0, 1].  puct: Q + c·P·sqrt(N) / (1+n).  flat: no tree, each move in turn.
    rave: (1−β)·Q + β·Q̃ + the U of uct; Q̃ is the mean of all simulations in which the player made the move at any later time.
    gumbel: a plan for few simulations: `considered` moves, halved again and again, and an improved policy to learn from."""

    simulations: int = 1000
    """How many simulations a move gets (AlphaGo Zero: 1,600); with flat, how many *each legal move* gets; 0: no limit."""

    time: float = 0.0
    """Seconds that a move gets; 0: no limit. With both limits, whichever is reached first."""

    c: float | None = None
    """How much to explore. Default by rule: uct 1, ucb1 0.5, puct 5 (the slides' c_puct), rave 0.05.
    For gumbel the c of σ(q) = (c_visit + max N)·c·q, how much a value counts beside a prior, for q in [0, 1] (the paper: 1)."""

    c_visit: float = 50.0
    """c_visit of gumbel's σ(q), see `c` (the paper: 50)."""

    considered: int = 0
    """How many moves gumbel considers at the root (the paper: 16); 0: 16 where a network knows moves apart, else all."""

    rave_bias: float = 0.03
    """b of rave, how far Q̃ may be from the truth for rewards in [0, 1]: β = ñ / (n + ñ + 4·n·ñ·b²), ñ: simulations behind Q̃."""

    evaluation: str = "rollout"
    """What a new position is worth. rollout: z, how one game from there ends. network: v, what the network says.
    mix: (1−λ)·v + λ·z with λ = `mix`.  sigma: z with probability `sigma`, else v."""

    mix: float = 0.5
    """λ of evaluation=mix (AlphaGo: 0.5)."""

    sigma: float = 1.0
    """σ of evaluation=sigma, the probability of a rollout; training lets it fall from 1."""

    rollouts: str = "random"
    """Who plays a rollout, for both players: random moves; the network's policy; or what the game knows. urgent: one of its
    urgent moves where there are any, else any; likely: one of its likely moves; knowledge: an urgent, else a likely one."""

    rollout_choice: str = "greedy"
    """How the network chooses in a rollout: its best move (greedy), or one drawn from its policy (sample)."""

    rollout_epsilon: float = 0.0
    """The probability of a random move in a network's rollout."""

    rollout_moves: int = 0
    """Stop a rollout after this many moves, with what has been won so far; 0: play to the end."""

    discount: float = 1.0
    """What a reward one move later is worth."""

    living_reward: float = 0.0
    """What each move of the player brings, beside the game's own reward, in the search and in what the critic is taught: a game
    for one that pays late, to those who last, is learned sooner from how long it lasts. With evaluation=network."""

    epsilon: float = 0.0
    """The probability of a random move, instead of the best one, at each step down the tree."""

    candidates: str = "all"
    """Which moves are looked at in the tree: all; or by what the game knows: urgent: where some are urgent, only those;
    likely: only those worth a look; knowledge: the urgent ones, or else the likely ones."""

    most_likely: int = 0
    """How many likely moves at most are looked at in the tree, the best by what the game knows; 0: all of them."""

    first_play: str = "fixed"
    """Q of a move not yet tried. fixed: `first_play_value`. parent: the position's mean value + `first_play_value`."""

    first_play_value: float = 0.0
    """See `first_play`. KataGo's habit is parent with −0.2."""

    noise: float = 0.0
    """The share of Dirichlet noise in the priors at the root (AlphaGo Zero in self-play: 0.25); puct only.
    For gumbel the scale of its noise: 1 in self-play, where it makes different games; 0 plays what is best."""

    noise_alpha: float = 0.0
    """The noise's concentration; 0: 10 / number of legal moves (AlphaGo Zero: 0.03 on 361 points)."""

    temperature: float = 0.0
    """The move is drawn with probability ∝ N^(1/τ); 0: the most visited one.
    With gumbel the improved policy stands for N, and 0 is the move that has won the halving."""

    temperature_moves: int = 0
    """The temperature holds for this many moves of a game (AlphaGo Zero: 30); 0: always."""

    temperature_end: float = 0.0
    """The temperature after `temperature_moves`. A move with a single visit, never looked at twice, is then not drawn."""

    afterstates: bool = False
    """Whether the network is asked about positions where luck moves next, what a move has left behind, before any of luck's moves
    is made. One answer there stands for all that may be drawn. Training then teaches the critic such positions, too. For one
    player, with evaluation=network."""

    solver: bool = False
    """Whether wins, losses and draws that are proven in the tree are taken up to the root, used there, and not searched again.
    For two players without luck."""

    batch: int = 1
    """How many leaves of one tree the network is asked about at once. Until it answers, the moves on the way to a leaf count as
    visited once more, and lost (virtual loss). For a search of one position; in self-play `slots` makes the batch."""

    reuse: bool = True
    """Whether the tree goes on from the move that was played."""

    memory: int = 512
    """Megabytes that the tree may take. When they are used up it stops growing, and goes on counting."""

    def __post_init__(self) -> None:
        choices: dict[str, Iterable[str]] = {
            "selection": SELECTIONS, "evaluation": EVALUATIONS, "first_play": FIRST_PLAYS, "rollouts": ROLLOUTS,
            "rollout_choice": ROLLOUT_MOVES, "candidates": CANDIDATES,
        }  # fmt: skip
        for name, known in choices.items():
            value = getattr(self, name)
            if value not in known:
                raise SpecError(f"{name} cannot be {value!r}{did_you_mean(value, known)}")
        for name in (
            "simulations",
            "time",
            "rollout_moves",
            "most_likely",
            "noise_alpha",
            "temperature",
            "temperature_moves",
            "temperature_end",
        ):
            self._require(name, 0 <= getattr(self, name) < float("inf"), "is 0 or more, and finite")
        for name in ("epsilon", "noise", "mix", "sigma", "rollout_epsilon"):
            self._require(name, 0 <= getattr(self, name) <= 1, "is from 0 to 1")
        self._require("c", self.c is None or 0 <= self.c < float("inf"), "is 0 or more, and finite")
        self._require("rave_bias", 0 <= self.rave_bias <= 100, "is from 0 to 100")
        self._require("c_visit", 0 <= self.c_visit <= 1_000_000, "is from 0 to 1,000,000")
        self._require("considered", 0 <= self.considered <= 1_000_000, "is from 0 to 1,000,000")
        self._require("discount", 0 < self.discount <= 1, "is above 0 and at most 1")
        self._require("first_play_value", -2 <= self.first_play_value <= 2, "is from −2 to 2")
        self._require("living_reward", -1e6 <= self.living_reward <= 1e6, "is from −1e6 to 1e6")
        self._require("memory", 1 <= self.memory <= 1_000_000, "is 1 to 1,000,000 megabytes")
        self._require("batch", 1 <= self.batch <= 1024, "is 1 to 1024")
        for name in ("simulations", "rollout_moves", "most_likely"):
            self._require(name, getattr(self, name) <= 1_000_000_000, "is at most 1,000,000,000")
        self._require(
            "simulations", self.simulations > 0 or self.time > 0, "is 0 and so is time: nothing ends the search"
        )
        self._refuse_what_would_do_nothing()

    def _require(self, name: str, condition: bool, what: str) -> None:
        if not condition:  # also where the value is not a number
            raise SpecError(f"{name} {what}, not {getattr(self, name)}")

    def _refuse_what_would_do_nothing(self) -> None:
        """A setting that the chosen rule does not read is an error, not a surprise."""
        first_play = self.first_play != "fixed" or self.first_play_value != 0
        useless = {
            "noise": self.noise > 0 and self.selection not in ("puct", "gumbel"),
            "noise_alpha": self.noise_alpha > 0 and (self.noise == 0 or self.selection == "gumbel"),
            "first_play": first_play and self.selection in ("ucb1", "flat", "gumbel"),
            "c_visit": self.c_visit != SearchSettings.c_visit and self.selection != "gumbel",
            "considered": self.considered > 0 and self.selection != "gumbel",
            "solver": self.solver and self.selection == "flat",
            "batch": self.batch > 1 and (not self.asks or self.selection == "flat"),
            "rave_bias": self.rave_bias != SearchSettings.rave_bias and self.selection != "rave",
            "evaluation": self.evaluation != "rollout" and self.selection == "rave",  # nothing is played out
            "rollouts": (self.rollouts != "random" and self.evaluation == "network")
            or (self.rollouts == "network" and self.selection == "rave"),
            "most_likely": self.most_likely > 0 and self.candidates not in LIKELY,
            "c": self.c is not None and self.selection == "flat",
            "epsilon": self.epsilon > 0 and self.selection == "flat",
            "reuse": not self.reuse and self.selection == "flat",
            "temperature": self.temperature > 0 and self.selection == "flat",  # equal visits: any move
            "rollout_moves": self.rollout_moves > 0 and self.evaluation == "network",
            "rollout_choice": self.rollout_choice != "greedy" and self.rollouts != "network",
            "rollout_epsilon": self.rollout_epsilon > 0 and self.rollouts != "network",
            "mix": self.mix != 0.5 and self.evaluation != "mix",
            "sigma": self.sigma != 1.0 and self.evaluation != "sigma",
            "temperature_moves": self.temperature_moves > 0 and self.temperature == self.temperature_end,
            "temperature_end": self.temperature_end > 0 and self.temperature_moves == 0,
            "afterstates": self.afterstates and self.evaluation != "network",
            "living_reward": self.living_reward != 0 and self.evaluation != "network",
        }
        for name, is_useless in useless.items():
            if is_useless:
                raise SpecError(f"{name} would do nothing with selection={self.selection} and the other settings")
        if self.solver and self.discount < 1:
            raise SpecError("solver needs discount=1: a proven win would be worth less the later it comes")
        if self.solver and self.candidates != "all":
            raise SpecError("solver needs candidates=all: what is left out might win")
        if self.batch > 1 and self.wanted_verbs:
            raise SpecError(f"batch={self.batch} does not go together with {next(iter(self.wanted_verbs.values()))}")

    @property
    def asks(self) -> bool:
        """Whether the search needs a network."""
        return self.evaluation != "rollout" or self.rollouts == "network"

    @property
    def wanted_verbs(self) -> dict[str, str]:
        """The optional verbs of knowledge that a game must offer, each with the setting that wants it."""
        settings = {"rollouts": self.rollouts, "candidates": self.candidates}
        return {
            verb: f"{name}={value}"
            for name, value in settings.items()
            for verb, values in (("urgent_moves", URGENT), ("likely_moves", LIKELY))
            if value in values
        }

    @property
    def what_values_mean(self) -> dict[str, Any]:
        """Those of `WHAT_VALUES_MEAN` that are not the usual ones."""
        usual = type(self)
        return {name: getattr(self, name) for name in WHAT_VALUES_MEAN if getattr(self, name) != getattr(usual, name)}

    def for_kernel(self) -> KernelSettings:
        """The part that compiled code reads."""
        sigma, share = {
            "rollout": (1.0, 1.0), "network": (0.0, 0.0), "mix": (1.0, self.mix), "sigma": (self.sigma, 1.0)
        }[self.evaluation]  # fmt: skip
        return KernelSettings(
            selection=SELECTIONS[self.selection],
            c=float(DEFAULT_C[self.selection] if self.c is None else self.c),
            rave=4.0 * float(self.rave_bias) ** 2,
            asks=self.asks,
            sigma=float(sigma),
            rollout_share=float(share),
            network_rolls=self.rollouts == "network",
            rollout_samples=self.rollout_choice == "sample",
            rollout_epsilon=float(self.rollout_epsilon),
            rollout_moves=self.rollout_moves or ENDLESS,
            discount=float(self.discount),
            living_reward=float(self.living_reward),
            epsilon=float(self.epsilon),
            knows=bool(self.wanted_verbs),
            rolls_known=self.rollouts in (*URGENT, *LIKELY),
            rolls_urgent=self.rollouts in URGENT,
            rolls_likely=self.rollouts in LIKELY,
            grows_urgent=self.candidates in URGENT,
            grows_likely=self.candidates in LIKELY,
            most_likely=self.most_likely,
            first_play=FIRST_PLAYS[self.first_play],
            first_play_value=float(self.first_play_value),
            noise=0.0 if self.selection == "gumbel" else float(self.noise),
            noise_alpha=float(self.noise_alpha),
            gumbel=float(self.noise) if self.selection == "gumbel" else 0.0,
            c_visit=float(self.c_visit),
            considered=self.considered or (CONSIDERED if self.asks else 1_000_000),
            solver=self.solver,
            afterstates=self.afterstates,
            batches=self.batch > 1,
        )

    def temperature_at(self, moves_made: int) -> float:
        """The temperature for the next move of a game."""
        return self.temperature_end if self.is_late(moves_made) else self.temperature

    def is_late(self, moves_made: int) -> bool:
        """Whether the moves in which everything is tried are over."""
        return bool(self.temperature_moves) and moves_made >= self.temperature_moves

    def move_odds(self, visits: ArrayLike, moves_made: int) -> NDArray[np.float64]:
        """The distribution from which the next move of a game is drawn."""
        counts = np.asarray(visits)
        if self.is_late(moves_made) and counts.max(initial=0) > 1:
            counts = np.where(counts > 1, counts, 0)
        return move_probabilities(counts, self.temperature_at(moves_made))


class KernelSettings(NamedTuple):
    """`SearchSettings` in numbers: run-time flags, so that no setting costs another compilation."""

    selection: int
    c: float
    rave: float
    """4·b² of rave."""
    asks: bool
    """Whether a new position is shown to the network, for its priors at least."""
    sigma: float
    """The probability that a rollout is played from there."""
    rollout_share: float
    """What the rollout counts beside the network's value: value = (1 − share)·v + share·z."""
    network_rolls: bool
    rollout_samples: bool
    rollout_epsilon: float
    rollout_moves: int
    discount: float
    living_reward: float
    epsilon: float
    knows: bool
    """Whether what the game knows of a position is kept up to date, for one of the next."""
    rolls_known: bool
    rolls_urgent: bool
    rolls_likely: bool
    grows_urgent: bool
    grows_likely: bool
    most_likely: int
    first_play: int
    first_play_value: float
    noise: float
    noise_alpha: float
    gumbel: float
    """The scale of Gumbel noise."""
    c_visit: float
    considered: int
    solver: bool
    afterstates: bool
    """Whether the network is asked where luck moves next."""
    batches: bool


def setting_kinds() -> dict[str, type]:
    """The names and types of the settings, as texts are read into them."""
    kinds: dict[str, Any] = {"int": int, "float": float, "str": str, "bool": bool, "float | None": float}
    return {field.name: kinds[str(field.type)] for field in fields(SearchSettings)}
