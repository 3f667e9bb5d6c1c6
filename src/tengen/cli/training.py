"""``tengen train`` and ``tengen resume``."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tengen.agents import parse_agent
from tengen.agents.targets import find_network
from tengen.arena.following import Following
from tengen.cli import screen
from tengen.cli.liveview import LiveView
from tengen.cli.main import Interrupted, one_line
from tengen.cluster.connecting import check_address, connected
from tengen.cluster.crew import Member
from tengen.errors import SpecError, TengenError
from tengen.games import parse_game
from tengen.records.store import RecordStore
from tengen.runs.directory import RunDirectory
from tengen.runs.live import LiveWriter
from tengen.training.config import RunConfig, config_from, load_preset
from tengen.training.sources import Source

# The names of the settings that people change every minute.
SHORT = {
    "--games": "--training.games", "--nets": "--training.nets", "--topp-games": "--training.topp-games",
    "--batch": "--training.batch", "--search-games": "--search.simulations", "--lr": "--network.learning-rate",
    "--layers": "--network.layers", "--activation": "--network.activation", "--optimizer": "--network.optimizer",
    "--start": "--training.start", "--threads": "--selfplay.threads", "--slots": "--selfplay.slots", "--rating": "--rating.share",
}  # fmt: skip

TRAIN_HELP = f"""\
usage: tengen train PRESET [--name NAME] [--show] [--cluster auto|ADDRESS|local] [settings]

Train a network by self-play. A new run is made under runs/; it can be interrupted, and goes on with tengen resume NAME.

--show prints the board of every game when it ends. In a terminal the key s switches that on and off while the run goes on, and
q, like Ctrl-C, ends the run after the game in progress, with everything kept (on Windows: Ctrl-C alone). The live view gives the
entropy of the search's visits and of the network's policy as a number of moves: 1 is a player who is sure, 5 one who wavers
between five equally good moves; as training succeeds, both fall and come close to each other.

--cluster has the games played on all machines of a Ray cluster, while this one learns: auto, the cluster that this machine is
part of; ADDRESS, its head's, like 10.0.0.5:6379; local, processes on this machine alone. docs/cluster.md says how to begin one in
three commands. With it, --threads is the number of workers; 0: one for each processor that the cluster has at the time.

Example: tengen train on-policy

Example: tengen train on-policy --game hex:4 --games 100 --search-games 50 --layers 64,64 --activation tanh --lr 0.01

Example: tengen train hex-7 --cluster auto

short names: {", ".join(["--game", "--seed", *SHORT])}
every setting: --training.… --search.… --network.… --selfplay.… --rating.…  (tengen train PRESET --help lists them all)
"""

RESUME_HELP = """\
usage: tengen resume RUN [--show] [--cluster auto|ADDRESS|local] [settings]

Go on with a run that was stopped, killed or interrupted. Settings given here are changed from now on, and the change is recorded.

Example: tengen resume on-policy

Example: tengen resume on-policy --games 400
"""


@dataclass(frozen=True)
class Train:
    """A run to be made."""

    config: RunConfig
    name: str
    show: bool
    cluster: str = ""

    def run(self) -> None:
        if self.cluster:
            check_address(self.cluster)
        game = parse_game(self.config.game)
        self.config.check_fit(game)  # before anything is made
        if self.cluster and self.config.method != "search":
            raise SpecError(f"--cluster would do nothing with method={self.config.method}: who learns plays the games")
        parse_agent(self.config.rating.opponent)
        if self.config.training.symmetries and len(game.symmetries()) == 1:
            screen.errors.print(f"{self.config.game} names no symmetries: every case is seen as it was", style="dim")
        start = _read_start(self.config)
        run = RunDirectory.create(self.name, self.config.as_dict())
        if start:
            run.write("start.onnx", start)
        _train(run, self.config, self.show, self.cluster)


@dataclass(frozen=True)
class Resume:
    """A run that goes on."""

    directory: RunDirectory
    config: RunConfig
    show: bool
    cluster: str = ""

    def run(self) -> None:
        if self.cluster:
            check_address(self.cluster)
        before = config_from(self.directory.read_config(), self.directory.name)
        if self.config != before:
            rate = before.network.learning_rate  # the only part of the network that may change
            fixed: dict[str, tuple[object, object]] = {
                "game": (before.game, self.config.game),
                "seed": (before.seed, self.config.seed),
                "start": (before.training.start, self.config.training.start),
                "network": (before.network, replace(self.config.network, learning_rate=rate)),
            }
            for name, (old, new) in fixed.items():
                if old != new:
                    raise SpecError(f"{name} cannot change in a run that has begun: make a new one with tengen train")
            parse_agent(self.config.rating.opponent)
            self.directory.change_config(self.config.as_dict(), self._games_so_far())
        _train(self.directory, self.config, self.show, self.cluster)

    def _games_so_far(self) -> int:
        if not self.directory.games.exists():
            return 0
        store = RecordStore(self.directory.games)
        try:
            return len(store)
        finally:
            store.close()


def _read_start(config: RunConfig) -> bytes:
    """The network that a run starts from, if it starts from one that fits."""
    if not config.training.start:
        return b""
    from tengen.evaluators.onnx import read_about

    file = find_network(config.training.start)
    about = read_about(file)
    config.check_start(about.game, about.settings)
    same_board = about.game == config.game
    if not same_board and config.network.critic and not (config.network.pooled and about.settings.get("pooled")):
        screen.errors.print(
            f"{config.training.start} plays {about.game}: its critic begins anew, since it is not pooled", style="dim"
        )
    return file.read_bytes()


def read_train(arguments: Sequence[str]) -> Train:
    """From the command line."""
    preset, rest = _subject(arguments, TRAIN_HELP, "train")
    rest, name, show, cluster = _own_options(rest)
    config = _override(load_preset(preset), rest, f"tengen train {preset}")
    return Train(config, name or preset.rpartition("/")[2].removesuffix(".toml"), show, cluster)


def read_resume(arguments: Sequence[str]) -> Resume:
    """From the command line."""
    text, rest = _subject(arguments, RESUME_HELP, "resume")
    rest, name, show, cluster = _own_options(rest)
    if name:
        raise SpecError("a run keeps its name: leave out --name")
    directory = RunDirectory.find(text)
    config = config_from(directory.read_config(), directory.name)
    return Resume(directory, _override(config, rest, f"tengen resume {text}"), show, cluster)


def _subject(arguments: Sequence[str], text: str, command: str) -> tuple[str, list[str]]:
    if not arguments or arguments[0] in ("-h", "--help"):
        if arguments:
            print(text)
            sys.exit(0)
        raise SpecError(f"{'which preset' if command == 'train' else 'which run'}? see tengen {command} --help")
    return arguments[0], list(arguments[1:])


def _own_options(arguments: list[str]) -> tuple[list[str], str, bool, str]:
    """What is left, the name, whether to show games, and the cluster."""
    rest, name, show, cluster = [], "", False, ""
    words = iter(arguments)
    for word in words:
        if word == "--show":
            show = True
        elif word == "--name":
            name = next(words, "")
        elif word == "--cluster" or word.startswith("--cluster="):
            cluster = word.partition("=")[2] or next(words, "")
            if not cluster or cluster.startswith("--"):
                raise SpecError("--cluster needs a word: auto, local, or the address of the cluster's head")
        else:
            rest.append(word)
    return rest, name, show, cluster


def _override(config: RunConfig, arguments: list[str], prog: str) -> RunConfig:
    """Settings from the command line over those of a preset or run; unknown ones are errors."""
    import tyro

    words: list[str] = []
    for word in arguments:
        option, equals, value = word.partition("=")
        option = SHORT.get(option, option)
        is_layers = bool(words) and words[-1] == "--network.layers" and not word.startswith("--")
        words += word.replace(",", " ").split() if is_layers else [option + equals + value]
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.cli(RunConfig, prog=prog, args=words, default=config, config=(tyro.conf.FlagCreatePairsOff,))
    except SystemExit as end:
        if end.code in (0, None):
            raise
        raise TengenError(f"{one_line(complaint.getvalue())}; see {prog} --help") from None


@contextlib.contextmanager
def _games_from(cluster: str, config: RunConfig) -> Iterator[Source]:
    """A source of games on a cluster."""
    from tengen.cluster.selfplay import Happenings, cluster_source

    def on_workers(members: Sequence[Member]) -> None:
        machines = {member.machine for member in members}
        screen.errors.print(f"workers: {len(members)}, machines: {len(machines)}", style="dim")

    with contextlib.ExitStack() as stack:
        with screen.errors.status("looking for the cluster …"):
            ray = stack.enter_context(connected(cluster, config.selfplay.threads))
        yield cluster_source(ray, Happenings(on_workers))


def _train(run: RunDirectory, config: RunConfig, show: bool, cluster: str) -> None:
    with screen.errors.status("loading the network library …"):
        from tengen.training.loop import Events, Progress, train

    screen.announce_compiling()
    stopped: list[bool] = []
    view = LiveView(config, run.name, show, lambda: stopped.append(True))
    live = LiveWriter(run)

    def on_game(progress: Progress) -> None:
        live.ended(progress.record.number)
        view.on_game(progress)

    previous = signal.signal(signal.SIGINT, lambda *_: view.stop())  # the loop ends after the next game
    is_rated = config.is_rated(parse_game(config.game))
    try:
        with Following(run) if is_rated else contextlib.nullcontext() as following:
            with contextlib.ExitStack() as stack:
                source = stack.enter_context(_games_from(cluster, config)) if cluster else None
                stack.enter_context(view)
                learner = train(run, config, Events(on_game, live, lambda: bool(stopped)), source)
            if following and not stopped:
                following.end(is_complete=True)
    finally:
        signal.signal(signal.SIGINT, previous)
    nets = run.net_files()
    screen.console.print(
        f"{learner.games} games, {learner.steps} steps; {len(nets)} networks in {run.nets}\n", soft_wrap=True
    )
    if stopped and learner.games < config.training.games:
        raise Interrupted(f"stopped after {learner.games} games, nothing is lost: tengen resume {run.name}")
    for question, command in next_commands(config, run.name, str(nets[-1])):
        screen.suggest(f"{question:<19}", command)


def next_commands(config: RunConfig, run: str, net: str) -> list[tuple[str, str]]:
    """What to try with a finished run: a question, and the command that answers it."""
    game = config.game
    if config.method != "search":
        agent = f"{config.method}:{run}"
        return [
            ("how good is it?", f"tengen match {game} {agent} random"),
            ("watch it play:", f"tengen watch {game} {agent}"),
        ]
    if parse_game(game).players() == 1:
        return [
            ("how good is it?", f"tengen match {game} zero:{run} net:{run} random"),
            ("watch it play:", f"tengen watch {game} zero:{run}"),
        ]
    return [
        ("how good are they?", f"tengen topp {run}"),
        ("watch it play:", f"tengen watch {game} net:{net} uct,simulations=1000"),
        ("play against it:", f"tengen play {game} --against net:{net}"),
    ]
