"""What the documents and the help texts tell a reader to type works."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from commands import (
    DOCUMENTS,
    HELP_TEXTS,
    ROOT,
    Command,
    commands_of,
    furnish,
    is_long,
    is_runnable,
    pieces,
    run_names,
    runs_in,
    shrunk,
    try_out,
)

from tengen.arena import ladder
from tengen.cli.main import COMMANDS, run
from tengen.errors import TengenError

FILES = [*DOCUMENTS, *HELP_TEXTS]
ALL = [command for file in FILES for command in commands_of(file)]
RUNS = run_names([command.text for command in ALL])
SHOWN = {
    " ".join(shrunk(command.words)): command
    for command in ALL
    if command.where.endswith(".md") and is_runnable(command)
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder in which everything is that the commands speak of."""
    folder = tmp_path_factory.mktemp("reader")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("TENGEN_RUNS", str(folder / "runs"))
        furnish(folder, [command.text for command in ALL])
        yield folder


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_commands_fit(place, file):
    wrong = []
    for command in commands_of(file):
        try:
            try_out(command)
        except TengenError as error:
            wrong.append(f"{command}\n    {error}")
    assert not wrong, "\n" + "\n".join(wrong)


def test_documents_have_commands():
    assert len(ALL) > 100
    assert {command.words[0] for command in ALL} == set(COMMANDS), "a command that no document and no help text shows"


def is_wrong(command: Command) -> bool:
    try:
        try_out(command)
    except TengenError:
        return True
    return False


@pytest.mark.parametrize(
    "text",
    [
        "    tengen match hex:5 uct random --gams 3", "    tengen match hex:5 utc random", "    tengen wach hex:5 uct random",
        "    tengen match hex:5 uct,sims=5 random", "    tengen match hex:99 uct random", "    tengen train hex-6 --lr 0.1",
        "    tengen train on-policy --network.layer 5", "    tengen train on-policy --game gomok:9",
        "    tengen tournament hex:5 uct --against ladder radom", "    tengen topp nobodys-run", "    tengen play hex:5 --against hardest",
        "    tengen match hex:5 classic random", "    tengen watch hex:5 net:hex-7 random", "    tengen engine htp --agent uct,x=1",
        "```\n$ tengen list games && tengen list gams\n```", "as `tengen match hex:5 uct random --gams 3` does",
        "    tengen watch hex:5 uct random a remark after a single space", "    tengen oht serve --opponents nobody",
    ],
)  # fmt: skip
def test_a_wrong_command_in_a_new_document_is_found(place, tmp_path, text):
    document = tmp_path / "new.md"
    document.write_text(f"# A new document\n\n{text}\n", encoding="utf-8")
    found = commands_of(document)
    assert found
    assert any(is_wrong(command) for command in found)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("tengen list games;  tengen list agents     what there is", ["tengen list games", "tengen list agents"]),
        ("tengen train on-policy --name live && tengen topp live", ["tengen train on-policy --name live", "tengen topp live"]),
        ("tengen topp live   then; tengen x", ["tengen topp live"]),
        ('tengen match hex:9 uct "htp,setup=a; b  c:mohex" --games 2   far', ['tengen match hex:9 uct "htp,setup=a; b  c:mohex" --games 2']),
        ("tengen list games  # a remark", ["tengen list games"]),
        ("tengen curve mine | less", ["tengen curve mine"]),
    ],
)  # fmt: skip
def test_a_line_is_taken_apart(line, found):
    assert pieces(line) == found


def test_code_of_other_languages_is_no_command(tmp_path):
    document = tmp_path / "new.md"
    document.write_text(
        "```python\ntengen nonsense\n```\n\nsome text\ntengen in it\n\n    $ tengen list games\n", encoding="utf-8"
    )
    assert [command.text for command in commands_of(document)] == ["tengen list games"]


def _run(command: Command, monkeypatch, capsys) -> None:
    line = "quit\n" if command.words[0] == "play" or "htp" in command.words else "END\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(line))
    rungs = dict.fromkeys(ladder.LADDERS, ("random", "uct,simulations=5"))
    monkeypatch.setattr(ladder, "LADDERS", rungs)
    code = run(shrunk(command.words))
    captured = capsys.readouterr()
    assert code == (130 if command.words[0] == "play" else 0), (
        f"{command}, as {' '.join(shrunk(command.words))}\n{captured.err}"
    )


@pytest.mark.jit
@pytest.mark.parametrize("command", [one for one in SHOWN.values() if not is_long(one, RUNS)], ids=str)
def test_quick_commands_run(place, monkeypatch, capsys, command):
    if command.words[0] == "engine":  # it reads from the real standard input
        words = [sys.executable, "-m", "tengen", *shrunk(command.words)]
        done = subprocess.run(words, input="quit\nEND\n", capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        return
    _run(command, monkeypatch, capsys)


@pytest.fixture(scope="module")
def trained(place):
    """Makes the runs that a command speaks of, as the documents say, but shrunk; those that are a reader's own as on-policy."""
    pytest.importorskip("keras")
    usual = "train on-policy --training.games 20 --training.nets 2 --search.simulations 4 --selfplay.slots 2 --name "
    lines: dict[str, str] = {}
    for command in ALL:
        if command.words[0] == "train" and "--name" in command.words:
            lines[command.words[command.words.index("--name") + 1]] = " ".join(shrunk(command.words))
    done: set[str] = set()

    def train(names: list[str]) -> None:
        for name in names:
            if name not in done:
                done.add(name)
                shutil.rmtree(place / "runs" / name)
                line = lines.get(name, usual + name)
                assert run(line.split()) == 0, line

    return train


@pytest.mark.slow
@pytest.mark.parametrize("command", [one for one in SHOWN.values() if is_long(one, RUNS)], ids=str)
def test_long_commands_run(place, trained, monkeypatch, capsys, command):
    if command.words[0] != "train":
        trained(runs_in(command.words, RUNS))
    _run(command, monkeypatch, capsys)


def test_targets_of_make_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for file in DOCUMENTS:
        text = file.read_text(encoding="utf-8")
        named = re.findall(r"^ {4}make ([a-z-]+)|`make ([a-z-]+)`", text, re.MULTILINE)
        assert {one or other for one, other in named} <= targets, file


def test_scripts_that_are_named_exist():
    for file in DOCUMENTS:
        text = file.read_text(encoding="utf-8")
        named = re.findall(r"(?:^ {4}|`)python ((?:\w+/)+\w+\.py)", text, re.MULTILINE)
        assert all((ROOT / name).is_file() for name in named), file
