"""The commands that documents and help texts tell a reader to type: found, tried without running them, and shrunk so that they can be run.

A command is a line of an indented or fenced block that begins with ``tengen``; what stands behind two spaces is a remark. In running
text it stands in backquotes. Words in capitals are placeholders, and ``…`` says that something is left out.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.agents import AGENTS, AgentSpec
from tengen.agents.levels import parse_opponent
from tengen.agents.targets import SHIPPED, shipped_names
from tengen.arena.ladder import WORD as LADDER
from tengen.cli import main
from tengen.errors import SpecError
from tengen.games import Game, parse_game
from tengen.runs.directory import RunDirectory, RunError
from tengen.training.config import PRESETS, RunConfig, load_preset

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "benchmarks" / "README.md"]
HELP_TEXTS = sorted((ROOT / "src" / "tengen" / "cli").glob("*.py"))

PLACEHOLDERS = {
    "GAME": "hex:5", "SPEC": "uct", "NETWORK": "hex-5", "NAME": "hex-5", "PRESET": "on-policy", "ADDRESS": "127.0.0.1",
    "FOLDER": "gomokuai", "COMMAND": "./pbrain",
}  # fmt: skip
"""What stands in a command for what a reader would put there; RUN is a run of that name."""

GAME_FIELDS = ("game", "games")
AGENT_FIELDS = ("agent", "agents", "against", "first", "second", "judge", "opponents", "player")


@dataclass(frozen=True)
class Command:
    """A command in a document."""

    text: str
    where: str

    @property
    def words(self) -> list[str]:
        """As the shell would give them to the program, placeholders filled in."""
        try:
            words = shlex.split(self.text)[1:]
        except ValueError as error:
            raise SpecError(f"{self}: {error}") from None
        return [re.sub(r"\b[A-Z]{4,}\b", lambda found: PLACEHOLDERS.get(found[0], found[0]), word) for word in words]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out of it."""
        return "…" not in self.text

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"


def commands_of(file: Path) -> list[Command]:
    """All commands of a document or of a module with help texts."""
    text = file.read_text(encoding="utf-8")
    where = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else file.name
    if file.suffix == ".py":
        found = re.findall(r'Example: (tengen (?:(?!""").)*)', text)
        return [Command(piece, where) for line in found for piece in pieces(line)]
    return [Command(piece, where) for line in lines_of(text) for piece in pieces(line)] + [
        Command(piece, where) for line in inline_of(text) for piece in pieces(line)
    ]


def lines_of(text: str) -> list[str]:
    """The lines of code blocks that begin with ``tengen``."""
    found, fence = [], None
    for line in text.splitlines():
        mark = re.match(r"\s*```\s*(\S*)", line)
        if mark:
            fence = mark[1] if fence is None else None
            continue
        is_shell = (
            fence in ("", "sh", "bash", "shell", "console", "text") if fence is not None else line.startswith("    ")
        )
        words = line.strip().removeprefix("$ ")
        if is_shell and words.startswith("tengen "):
            found.append(words)
    return found


def inline_of(text: str) -> list[str]:
    """What stands in backquotes and begins with ``tengen``, outside of fenced blocks."""
    outside = re.sub(r"^\s*```.*?^\s*```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(found.split()) for found in re.findall(r"(?<!`)`(tengen [^`]+)`(?!`)", outside)]


def pieces(line: str) -> list[str]:
    """The commands of a line, without the remark behind them: ``tengen a && tengen b;  tengen c   like this``."""
    masked = re.sub(r"\"[^\"]*\"|'[^']*'", lambda found: "_" * len(found[0]), line)  # what is quoted separates nothing
    end = re.search(r"(?<![;&])\s{2,}|\s[#>]", masked)
    if end:
        line, masked = line[: end.start()], masked[: end.start()]
    found, begin = [], 0
    for separator in re.finditer(r"\s*(?:;|&&|\||$)\s*", masked):
        found.append(line[begin : separator.start()])
        begin = separator.end()
    named = [piece.split()[1:2] for piece in found]
    no_command = ([], ["COMMAND"], ["--help"], ["--version"])  # the program itself is meant
    return [piece for piece, name in zip(found, named) if piece.startswith("tengen") and name not in no_command]


def furnish(folder: Path, texts: list[str]) -> None:
    """Files and runs that the commands speak of, in a folder of their own. Each run has two networks and no game."""
    rules = re.search(
        r"```python\n# matches.py\n(.*?)```", (ROOT / "docs" / "games.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert rules, "docs/games.md has its game no more"
    (folder / "matches.py").write_text(rules[1], encoding="utf-8")
    others = [
        rules[1].replace("class Matches", "class Name"),
        rules[1].replace("class Matches", "class MyGame").replace("matches", "size"),
    ]
    (folder / "my_game.py").write_text("\n".join(others), encoding="utf-8")
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copy(PRESETS / "on-policy.toml", folder / "mine.toml")
    nets = sorted((SHIPPED / "hex-5").glob("*.onnx"))[:2]
    for name in ("my.onnx", "old.onnx", "new.onnx"):
        shutil.copy(nets[1], folder / name)
    (folder / "gomokuai").mkdir()
    (folder / "gomokuai" / "ai.py").write_text("", encoding="utf-8")
    (folder / "game.sgf").write_text("(;FF[4]GM[11]SZ[5];B[c3];W[b4])", encoding="utf-8")
    (folder / "game.psq").write_text("Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n0\n", encoding="utf-8")
    for name in run_names(texts):
        run = RunDirectory.create(name, load_preset("hex-5-long").as_dict())
        for net in nets:
            run.save_net(int(net.stem), net.read_bytes())


def run_names(texts: list[str]) -> list[str]:
    """Runs that the commands train, and those that stand for a reader's own."""
    named = re.findall(r"--name (\S+)", " ".join(texts))
    return sorted(
        {"RUN", "mine", "my-run", *(file.stem for file in PRESETS.glob("*.toml")), *named} - {*shipped_names()}
    )


def try_out(command: Command) -> None:
    """Read a command as the program would, and everything that it names, without running it; TengenError when it does not fit."""
    words = command.words
    if not words or words[0] not in main.COMMANDS:
        raise SpecError(f"there is no command {words[:1]}")
    if not command.is_whole or len(words) == 1:
        return  # it is named, not shown
    with contextlib.suppress(SystemExit):  # --help
        if words[0] in ("topp", "curve"):
            RunDirectory.find(words[1])
        _check_values(main._read(words[0], words[1:]))


def _check_values(read: Any) -> None:
    config = getattr(read, "config", None)
    if isinstance(config, RunConfig):
        config.check_fit(parse_game(config.game))
    if not dataclasses.is_dataclass(read):
        return
    values = {one.name: getattr(read, one.name) for one in dataclasses.fields(read)}
    game = parse_game("hex:5")
    for name in GAME_FIELDS:
        for text in _texts(values.get(name)):
            game = parse_game(text)
    if "what" in values and "agents" in values and values["what"] != "example":
        game = _game_or_run(values["what"], game)
    if "protocol" in values:
        game = parse_game("hex:11" if values["protocol"] == "htp" else "gomoku:15")
    for name in AGENT_FIELDS:
        for text in _texts(values.get(name)):
            if text != LADDER:
                _make(parse_opponent(text, game), text, game)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    return [text for text in value if isinstance(text, str)] if isinstance(value, tuple) else []


def _game_or_run(what: str, game: Game) -> Game:
    try:
        RunDirectory.find(what)
    except RunError:
        return parse_game(what)
    return game


def _make(spec: AgentSpec, text: str, game: Game) -> None:
    """Make the agent, unless it needs a program, or a network that only the reader has."""
    name, _, target = text.partition(":")
    entry = AGENTS.get(name.partition(",")[0])
    if entry is None or not entry.target or target in shipped_names():
        spec.make(game)


NEVER = ("serve", "oht", "compare")
"""They go on until somebody ends them, or for hours; tests of their own run them."""
LONG = ("train", "resume", "topp", "curve", "audit", "bench", "bandits", "tune", "check")


def is_runnable(command: Command) -> bool:
    """Whether it can be run here: no foreign program, no page."""
    words = command.words
    if not command.is_whole or len(words) < 2 or words[0] in NEVER or "--help" in words or "--peer" in words:
        return False
    if "--cluster" in words:  # tests of their own begin one
        return False
    if any(re.match(r"(lingz|htp|gomocup|matris)[,:]", word) for word in words[1:]):
        return False
    return words[0] != "play" or "--terminal" in words


def is_long(command: Command, runs: list[str]) -> bool:
    """Whether it needs a trained run, Keras, a new compilation or minutes."""
    words = command.words
    return words[0] in LONG or bool(runs_in(words, runs)) or any(".py:" in word for word in words)


def runs_in(words: list[str], runs: list[str]) -> list[str]:
    """Which of these runs a command speaks of: by itself, as `net:RUN`, or in a path."""
    return [run for run in runs if any(run in re.split(r"[:/]", word) for word in words[1:])]


COUNTS = {
    "match": ["--games", "2"], "tournament": ["--games", "2"], "topp": ["--games", "2"], "curve": ["--games", "2", "--simulations", "5"],
    "audit": ["--positions", "20"], "bandits": ["--steps", "500", "--repetitions", "3"], "check": ["--games", "2"],
    "tune": ["--generations", "1", "--players", "4", "--battles", "1", "--check", "2"], "bench": ["--seconds", "0.05", "--rounds", "1"],
    "train": ["--training.games", "8", "--training.nets", "2", "--search.simulations", "4", "--selfplay.slots", "2"],
    "resume": ["--training.games", "24"],
}  # fmt: skip
LONG_NAMES = {
    "--games": "--training.games", "--search-games": "--search.simulations", "--nets": "--training.nets", "--slots": "--selfplay.slots",
}  # fmt: skip


def shrunk(words: list[str]) -> list[str]:
    """The same command with few games, simulations and seconds."""
    words = [re.sub(r"simulations=\d+", "simulations=5", word) for word in words]
    words = [re.sub(r"\btime=[\d.]+", "time=0.02", word) for word in words]
    words = [re.sub(r"\bdepth=\d+", "depth=2", word) for word in words]
    words = [re.sub(r"^(uct|ucb1|puct|rave|flat)$", r"\1,simulations=5", word) for word in words]
    words = ["hex:4" if words[0] == "solve" and word == "hex:6" else word for word in words]
    extra = list(COUNTS.get(words[0], []))
    if words[0] == "train" and words[1] in {file.stem for file in PRESETS.glob("*.toml")}:
        searches = load_preset(words[1]).method == "search"
        extra = extra if searches else extra[:4]  # the others have no search to be shrunk
    if words[0] == "watch" and words[1] != "example":
        extra += ["--pause", "0"]
    if words[0] == "watch" and "--json" in words:
        extra = []
    for option, value in zip(extra[::2], extra[1::2]):
        names = [
            option,
            *(short for short, name in LONG_NAMES.items() if name == option and words[0] in ("train", "resume")),
        ]
        at = next((i for i, word in enumerate(words) if word in names), None)
        if at is None:
            words = [*words, option, value]
        else:
            words = [*words[: at + 1], value, *words[at + 2 :]]
    return words
