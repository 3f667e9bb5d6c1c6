"""The command ``tengen``: finds the subcommand, reads its options, runs it, and turns errors into one line.

Exit codes: 0 done, 1 failed while running, 2 bad input (one line on stderr, nothing changed), 130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import re
import sys
from typing import Any

from tengen.errors import AgentFailure, TengenError
from tengen.specs import did_you_mean

# The module and class of each command. A module is imported only when its command is used.
COMMANDS = {
    "play": ("tengen.cli.play:Play", "play against an agent, in the browser or in the terminal"),
    "serve": ("tengen.cli.serve:Serve", "the page with everything: play, watch, follow runs"),
    "watch": ("tengen.cli.watch:Watch", "watch two agents play, move by move, or a worked example of the search"),
    "match": ("tengen.cli.match:Match", "many games between two agents: who is stronger, and how sure is it?"),
    "train": ("tengen.cli.training:read_train", "train a network by self-play"),
    "resume": ("tengen.cli.training:read_resume", "go on with a run"),
    "topp": ("tengen.cli.topp:ToppCommand", "the networks of a run against each other: do later ones win?"),
    "curve": ("tengen.cli.curve:Curve", "the networks of a run against one opponent, as a curve"),
    "tournament": ("tengen.cli.tournament:Tournament", "a round robin of agents, with ratings"),
    "compare": ("tengen.cli.compare:Compare", "methods that learn on the same games for one: a table and plots"),
    "tune": ("tengen.cli.tune:Tune", "tune an agent's options by natural selection"),
    "solve": ("tengen.cli.solve:Solve", "who wins a small game, exactly, and by which moves"),
    "audit": ("tengen.cli.audit:Audit", "how often an agent keeps a won position, beside perfect play"),
    "analyse": ("tengen.cli.analyse:Analyse", "analysis for other programs: JSON, one query a line"),
    "engine": ("tengen.cli.engine:EngineCommand", "be an engine in someone else's program"),
    "oht": ("tengen.cli.oht:read_oht", "the Online Hex Tournament: join one, or hold one"),
    "export": ("tengen.cli.export:Export", "a game as SGF or a link, a network as a file for other programs"),
    "check": ("tengen.cli.check:Check", "does a game of yours keep the contract? what is missing?"),
    "bandits": ("tengen.cli.bandits:Bandits", "the bandits behind flat Monte Carlo and UCT: regret beside its bounds"),
    "bench": ("tengen.cli.bench:Bench", "speed, beside other programs"),
    "list": ("tengen.cli.listing:List", "the games and agents there are, with their options"),
}

DISK_TROUBLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO)
"""Where nobody has foreseen it, it is still no fault of the program: a full disk, one that may not be written, a broken one."""

USAGE = """\
tengen: games, compiled tree search, networks that learn by self-play, and matches that show it.

usage: tengen COMMAND …            tengen COMMAND --help says more, with examples

{commands}

try:   tengen watch hex:5 uct random
       tengen train on-policy
       tengen play gomoku:9 --against uct,simulations=5000
       tengen match hex:7 uct,c=0.5 puct --games 100"""


class Interrupted(Exception):
    """The user has pressed Ctrl-C and everything is in order; the message says what is kept."""


def main() -> None:
    """Entry point of the command; exits."""
    with contextlib.suppress(AttributeError, OSError):  # a board has characters that an old terminal has not
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:  # `tengen … | head`: nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run a command line; its exit code."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        lines = (f"    {name:10} {about}" for name, (_, about) in COMMANDS.items())
        print(USAGE.format(commands="\n".join(lines)))
        return 0
    if arguments[0] in ("-V", "--version", "version"):
        print(f"tengen {importlib.import_module('tengen').__version__}")
        return 0
    name = arguments[0]
    try:
        if name not in COMMANDS:
            raise TengenError(f"there is no command {name!r}{did_you_mean(name, COMMANDS)}")
        command = _read(name, arguments[1:])
        command.run()
    except AgentFailure as error:  # outside a game, which it would lose
        print(f"tengen: the agent has failed: {error}", file=sys.stderr)
        return 1
    except TengenError as error:
        print(f"tengen: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if error.errno not in DISK_TROUBLE:
            raise
        print(f"tengen: {error.filename or 'a file'} cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    except Interrupted as interruption:
        print(f"tengen: {interruption}", file=sys.stderr)
        return 130
    return 0


def _read(name: str, arguments: list[str]) -> Any:
    """The command's dataclass with the options in it; TengenError, in one line, when they do not fit."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    command = getattr(importlib.import_module(module), attribute)
    if not isinstance(command, type):  # it reads its options itself
        return command(arguments)
    return read_options(command, f"tengen {name}", arguments)


def read_options(command: type, program: str, arguments: list[str]) -> Any:
    """A command's dataclass, filled from its options."""
    import tyro  # here, so that `tengen --help` is quick

    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.cli(command, prog=program, args=arguments, config=(tyro.conf.FlagCreatePairsOff,))
    except SystemExit as end:
        if end.code in (0, None):
            raise
        raise TengenError(f"{one_line(complaint.getvalue())}; see {program} --help") from None


def one_line(box: str) -> str:
    """The gist of tyro's error, a box of several lines (in ASCII where that is all the terminal has): what stands above its
    first rule."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip("│| \t") for line in box.splitlines()[1:]]
    gist: list[str] = []
    for line in lines:
        if not line or set(line) <= set("─╭╮╰╯-+"):
            if gist:
                break
            continue
        gist.append(line)
    return " ".join(gist) or "the options do not fit"
