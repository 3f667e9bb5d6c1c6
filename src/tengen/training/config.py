"""All settings of a run, nested: what the presets hold, and what the command line changes."""

from __future__ import annotations

import contextlib
import dataclasses
import tomllib
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tengen.errors import SpecError
from tengen.games.verbs import Game
from tengen.networks.settings import NetworkSettings
from tengen.search import SearchSettings
from tengen.search.solving import why_not
from tengen.selfplay.worker import SelfPlaySettings
from tengen.specs import did_you_mean

PRESETS = Path(__file__).parent.parent / "presets"
TARGETS = ("visits", "played")
METHODS = ("search", "dqn", "ac")
_READ_BY_ALL = {"games", "nets", "learning_rate_end", "value_discount", "environments", "living_reward"}
READ_BY = {
    "dqn": _READ_BY_ALL
    | {"batch", "window", "uses", "value_steps", "epsilon", "epsilon_moves", "target_every", "warm_up"},
    "ac": _READ_BY_ALL | {"normalise_advantage", "entropy_bonus", "value_weight", "rollout", "trace"},
}
"""Settings of training and baseline that count where there is no search."""


@dataclass(frozen=True)
class TrainingSettings:
    """How the network is trained."""

    games: int = 200
    """Actual games, of self-play, in the whole run."""

    nets: int = 5
    """Networks kept for the tournament, at equal distances, the untrained one among them (M)."""

    batch: int = 64
    """Cases in a random minibatch."""

    start: str = ""
    """A network to start from, in place of random weights: a file, a run, or a name that ships. It may be one of a smaller board;
    see `network.pooled`."""

    every: int = 1
    """Actual games between two trainings (C of the slides); 1 in the algorithm of the Hex project."""

    steps: int = 1
    """Minibatches in each training; 1 in the literal algorithm."""

    uses: float = 0.0
    """How often a case is used, on average, before it is forgotten, in place of `every` and `steps`: there is a minibatch for
    each batch / `uses` new cases, however long the games are. 0: by games."""

    target: str = "visits"
    """What the policy learns. visits: the search's distribution D, by cross-entropy; with gumbel, its improved policy.
    played: policy gradient, log π(a|s)·(z − v(s)) for the move a that was played and the final score z."""

    normalise_advantage: bool = False
    """With target=played, and with method=ac: z − v(s) is brought to mean 0 and deviation 1 in each minibatch."""

    entropy_bonus: float = 0.0
    """How much an undecided policy is rewarded: the loss is less by this times the policy's entropy."""

    value_weight: float = 1.0
    """How much the critic's loss counts beside the actor's (AlphaGo Zero: 1). Its errors are squares of a share of the range of
    values: where that is wide, they are small."""

    symmetries: bool = False
    """Whether each case is turned or mirrored at random, in all ways that leave the game the same, when it is drawn."""

    learning_rate_end: float = 1.0
    """What the learning rate has fallen to at the last game, as a share, along a cosine; 1: it stays."""

    window: int = 20_000
    """Cases that the replay buffer holds; older ones are forgotten."""

    sigma_end: float = 0.1
    """What σ has fallen to, in equal steps from 1, at the last game; with evaluation=sigma only."""

    value_discount: float = 1.0
    """The critic's target is the final score times this to the power of the moves left."""

    value_steps: int = 0
    """The critic's target is what the next moves brought, so many of them, luck among them, and then what the search said
    (MuZero: 10 in Atari); 0: what the whole game brought."""

    topp_games: int = 25
    """Games of each pair in the tournament (G)."""

    def __post_init__(self) -> None:
        for name, low in (
            ("games", 1),
            ("nets", 2),
            ("batch", 1),
            ("steps", 0),
            ("window", 1),
            ("topp_games", 1),
            ("every", 1),
        ):
            if getattr(self, name) < low:
                raise SpecError(f"{name} is at least {low}, not {getattr(self, name)}")
        if not (0 <= self.sigma_end <= 1 and 0 < self.value_discount <= 1):
            raise SpecError("sigma_end is from 0 to 1, value_discount above 0 and at most 1")
        if not (0 <= self.uses <= 1000 and 0 <= self.value_steps <= 1_000_000):
            raise SpecError("uses is from 0 to 1000, value_steps from 0 to 1000000")
        if self.uses and (self.every, self.steps) != (TrainingSettings.every, TrainingSettings.steps):
            raise SpecError("every and steps would do nothing with uses")
        if not 0 < self.value_weight <= 1000:
            raise SpecError(f"value_weight is above 0 and at most 1000, not {self.value_weight:g}")
        if self.target not in TARGETS:
            raise SpecError(f"target cannot be {self.target!r}{did_you_mean(self.target, TARGETS)}")
        if not (0 <= self.entropy_bonus < 100 and 0 < self.learning_rate_end <= 1):
            raise SpecError("entropy_bonus is from 0 to 100, learning_rate_end above 0 and at most 1")
        if self.games < self.nets - 1:
            raise SpecError(f"{self.nets} networks at equal distances need {self.nets - 1} games at least")

    def is_saved_after(self, games: int) -> bool:
        """Whether the network is kept after so many games: 0, 50, 100, 150, 200 for 200 games and 5 networks."""
        return any(games == round(i * self.games / (self.nets - 1)) for i in range(self.nets))


@dataclass(frozen=True)
class BaselineSettings:
    """How a network learns without search, in a game for one: with `method` dqn or ac, what a search is compared with."""

    environments: int = 64
    """Games played at once, a move of each at a time (A3C: 16)."""

    living_reward: float = 0.0
    """What each move brings, beside the game's own reward, in what is learned: as `search.living_reward`."""

    epsilon: float = 0.02
    """dqn: the share of random moves when they have become few (DQN: 0.1; Rainbow without noisy nets: 0.01)."""

    epsilon_moves: int = 200_000
    """dqn: the moves in which they become so few, from 1 on in equal steps (DQN in Atari: 1,000,000)."""

    target_every: int = 500
    """dqn: minibatches after which the target network is replaced (DQN: 10,000 moves)."""

    warm_up: int = 5_000
    """dqn: moves before the first minibatch (DQN: 50,000)."""

    rollout: int = 8
    """ac: moves of each game between two minibatches, which are all of these moves (A3C: 5)."""

    trace: float = 0.95
    """ac: λ of generalised advantage estimation (Schulman et al.: 0.95 to 0.99)."""

    def __post_init__(self) -> None:
        if not (1 <= self.environments <= 4096 and 1 <= self.rollout <= 10_000):
            raise SpecError("environments is 1 to 4096, rollout 1 to 10000")
        if not (0 <= self.epsilon <= 1 and 0 <= self.trace <= 1 and -1e6 <= self.living_reward <= 1e6):
            raise SpecError("epsilon and trace are from 0 to 1, living_reward from −1e6 to 1e6")
        if not (self.epsilon_moves >= 1 and self.target_every >= 1 and self.warm_up >= 0):
            raise SpecError("epsilon_moves and target_every are at least 1, warm_up at least 0")


@dataclass(frozen=True)
class RatingSettings:
    """The rating curve that grows while a run trains, in a game for two: networks play a fixed opponent and earlier ones."""

    share: float = 0.05
    """The share of the processors' time that the games of the curve may take; 0: no curve."""

    points: int = 21
    """Networks of the curve, at equal distances, the untrained one among them; those kept for the tournament come on top."""

    games: int = 100
    """Games of each network against the opponent, once there has been time for them; half as many against each of two
    earlier networks."""

    opponent: str = "uct,simulations=100"
    """The fixed opponent, whose rating is 0. The networks play without search, as in the tournament."""

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise SpecError(f"share is from 0 to 1, not {self.share:g}")
        if self.points < 2 or self.games < 2:
            raise SpecError("points and games are at least 2")
        usual = RatingSettings
        if not self.share and (self.points, self.games, self.opponent) != (usual.points, usual.games, usual.opponent):
            raise SpecError("points, games and opponent would do nothing with share = 0")


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides a run."""

    game: str = "hex:5"
    """The game."""
    seed: int = 0
    """Decides everything random; with one thread the same seed gives the same games."""
    method: str = "search"
    """How a network learns. search: from the search's play with itself. Without search, in a game for one: dqn: double Q-learning
    from what was played before (van Hasselt et al. 2016), with targets some moves long.  ac: advantage actor-critic (Mnih et al.
    2016), with generalised advantages."""
    training: TrainingSettings = field(default_factory=TrainingSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)
    baseline: BaselineSettings = field(default_factory=BaselineSettings)
    rating: RatingSettings = field(default_factory=RatingSettings)

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 1 << 32:
            raise SpecError(f"seed is 0 to 4294967295, not {self.seed}")
        if self.method not in METHODS:
            raise SpecError(f"method cannot be {self.method!r}{did_you_mean(self.method, METHODS)}")
        if self.method != "search":
            self._check_baseline()
            return
        if self.baseline != BaselineSettings():
            raise SpecError("the settings of baseline would do nothing with method=search")
        if not self.search.asks:
            raise SpecError("a run needs a search that asks the network: evaluation or rollouts")
        if self.training.normalise_advantage and self.training.target != "played":
            raise SpecError("normalise_advantage would do nothing with target=visits")
        if self.search.evaluation != "rollout" and not self.network.critic:
            raise SpecError(f"evaluation={self.search.evaluation} needs a value: network.critic = true")
        training, usual = self.training, TrainingSettings
        if training.value_weight != usual.value_weight and not self.network.critic:
            raise SpecError("value_weight would do nothing without network.critic = true")
        if self.training.target == "played" and not self.network.critic:
            raise SpecError("target=played needs a value: network.critic = true")
        if training.sigma_end != usual.sigma_end and self.search.evaluation != "sigma":
            raise SpecError("sigma_end would do nothing without evaluation=sigma")
        if training.value_discount != usual.value_discount and not self.network.critic:
            raise SpecError("value_discount would do nothing without network.critic = true")
        if training.value_steps != usual.value_steps and not self.network.critic:
            raise SpecError("value_steps would do nothing without network.critic = true")
        if self.selfplay.int8 and (self.network.kind, self.network.activation) != ("residual", "relu"):
            raise SpecError("int8 is for residual networks with relu")
        if self.search.simulations == 0 or self.search.time > 0:
            raise SpecError("self-play is limited by simulations, not by time")
        if self.search.batch > 1:
            raise SpecError("batch is for a search of one position: in self-play selfplay.slots makes the batch")

    def _check_baseline(self) -> None:
        """SpecError for what learning without search does not read."""
        if (self.search, self.selfplay, self.rating) != (SearchSettings(), SelfPlaySettings(), RatingSettings()):
            raise SpecError(f"the settings of search, selfplay and rating would do nothing with method={self.method}")
        reads = READ_BY[self.method]
        for part, usual in ((self.training, TrainingSettings()), (self.baseline, BaselineSettings())):
            for name, value in vars(part).items():
                if value != getattr(usual, name) and name not in reads:
                    raise SpecError(f"{name} would do nothing with method={self.method}")
        if self.network.critic != (self.method == "ac"):
            raise SpecError("network.critic: ac has a critic, dqn has none")
        if self.method == "dqn" and not (self.training.uses > 0 and self.training.value_steps > 0):
            raise SpecError("dqn needs training.uses and training.value_steps above 0")

    def check_fit(self, game: Game) -> None:
        """SpecError for a setting that this game cannot use; before anything is made or played."""
        if self.method != "search" and game.players() != 1:
            raise SpecError(f"method={self.method} is for games of one player")
        if not self.selfplay.alternate and "first" not in getattr(game, "_fields", ()):
            raise SpecError(f"alternate = false would do nothing: in {self.game} the same player always begins")
        why = why_not(game) if self.search.solver else None
        if why is not None:
            raise SpecError(why)
        for name in ("afterstates", "living_reward"):
            if getattr(self.search, name) and game.players() != 1:
                raise SpecError(f"{name} is for games of one player")
        if self.selfplay.resign > 0 and not (game.players() == 2 and game.is_bounded()):
            raise SpecError("resign is for games of two players that are won or lost")
        if self.selfplay.longest and game.players() != 1:
            raise SpecError(
                "longest is for games of one player: of a game for two that is broken off, nobody knows who won"
            )
        if game.players() != 2 and self.rating not in (RatingSettings(), RatingSettings(share=0)):
            raise SpecError(f"the settings of rating are for games of two players: {self.game} shows its scores")
        ranged = (self.network.value_low, self.network.value_high) != (-1.0, 1.0)
        if ranged and game.is_bounded():
            raise SpecError(
                f"value_low and value_high are for games with other rewards: in {self.game} values are in [−1, 1]"
            )
        if self.network.critic and not ranged and not game.is_bounded():
            raise SpecError(
                f"the rewards of {self.game} are not in [−1, 1]: say by network.value_low and value_high where its values are"
            )

    def check_start(self, game: str, network: Mapping[str, Any]) -> None:
        """SpecError for a network that this run cannot start from: `game` it plays, `network` are its settings."""
        start, ours = self.training.start, dataclasses.asdict(self.network)
        if game.partition(":")[0] != self.game.partition(":")[0]:
            raise SpecError(f"{start} plays {game}: a run of {self.game} cannot start from it")
        for name in ("kind", "blocks", "channels", "first_kernel", "activation", "indicator", "separate"):
            if network.get(name, ours[name]) != ours[name]:
                raise SpecError(f"{start} has {name} = {network[name]}, this run {ours[name]}: its trunk would not fit")
        if self.network.kind == "dense" and (game, tuple(network["layers"])) != (self.game, self.network.layers):
            raise SpecError(f"{start} is a dense network of {game}: only the same one can start from it")

    def is_rated(self, game: Game) -> bool:
        """Whether a rating curve is made."""
        return self.rating.share > 0 and game.players() == 2

    def is_rated_after(self, games: int) -> bool:
        """Whether the network after so many games is one of the rating curve's."""
        last = self.rating.points - 1
        return any(games == round(i * self.training.games / last) for i in range(self.rating.points))

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def config_from(data: Mapping[str, Any], where: str) -> RunConfig:
    """Settings from nested tables; SpecError for an unknown key or a value of the wrong kind."""
    return typing.cast(RunConfig, _read(RunConfig, data, where))


def _read(kind: type, data: Mapping[str, Any], where: str) -> Any:
    hints = typing.get_type_hints(kind)
    values: dict[str, Any] = {}
    for key, value in data.items():
        if key not in hints:
            raise SpecError(f"{where} has no setting {key!r}{did_you_mean(key, hints)}")
        hint = hints[key]
        if dataclasses.is_dataclass(hint):
            if not isinstance(value, Mapping):
                raise SpecError(f"{where}: {key} is a table of settings")
            values[key] = _read(typing.cast(type, hint), value, f"{where}, {key}")
        else:
            values[key] = _value(value, hint, f"{where}: {key}")
    return kind(**values)


def _value(value: Any, hint: Any, where: str) -> Any:
    if hint == tuple[int, ...]:
        if isinstance(value, list | tuple) and all(isinstance(n, int) and not isinstance(n, bool) for n in value):
            return tuple(value)
    elif hint == float | None and value is None:
        return None
    elif hint in (float, float | None):
        if isinstance(value, int | float) and not isinstance(value, bool):
            with contextlib.suppress(OverflowError):  # a whole number of hundreds of digits
                return float(value)
    elif isinstance(value, hint) and not (hint is int and isinstance(value, bool)):
        return value
    raise SpecError(f"{where} cannot be {value!r}")


def load_preset(text: str) -> RunConfig:
    """A preset of the package by name, or a TOML file."""
    file = Path(text) if text.endswith(".toml") else PRESETS / f"{text}.toml"
    known = sorted(preset.stem for preset in PRESETS.glob("*.toml"))
    if not text.endswith(".toml") and text not in known:
        raise SpecError(f"there is no preset called {text!r}{did_you_mean(text, known)}")
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(f"{file} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{file} is not TOML: {error}") from None
    return config_from(data, file.name)
