"""Every parser refuses in a line what it cannot read. The long run is `make fuzz`; here are some inputs of each, and all that it has found."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import parsers
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutating import Mutator
from parsers import PARSERS, check

FOUND = sorted(file for file in (Path(__file__).parent / "found").rglob("*") if file.is_file())
EXAMPLES = 40


@pytest.fixture(scope="module", autouse=True)
def in_a_folder_of_its_own():
    runs, before = os.environ.get("TENGEN_RUNS"), os.getcwd()
    os.chdir(parsers.folder())
    os.environ["TENGEN_RUNS"] = str(parsers.folder() / "runs")
    yield
    os.chdir(before)
    if runs is None:
        del os.environ["TENGEN_RUNS"]
    else:
        os.environ["TENGEN_RUNS"] = runs
    parsers.clean_up()


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_accepts_or_refuses_in_a_line(name):
    parser = PARSERS[name]
    mutator = Mutator(parser.seeds(), parser.is_binary)
    for seed in mutator.seeds:
        check(parser, seed)

    @settings(max_examples=EXAMPLES, database=None)
    @given(st.one_of(st.integers(0, 1 << 30), st.binary(max_size=60), st.text(max_size=60)))
    def any_input(given):
        if isinstance(given, int):
            given = mutator.make(random.Random(given))
        check(parser, given.encode("utf-8", "surrogatepass") if isinstance(given, str) else given)

    any_input()


def test_most_of_what_the_mutations_begin_with_is_valid():
    """Or everything would be refused in the first line of a parser. What is played with foreign engines and clients breaks off."""
    valid = {name: [check(parser, seed) for seed in parser.seeds()] for name, parser in PARSERS.items()}
    broken_off = {"htp-engine", "gomocup-engine", "oht-visitor"}
    assert all(any(said) for name, said in valid.items() if name not in broken_off), valid


@pytest.mark.parametrize("file", FOUND, ids=lambda file: f"{file.parent.name}-{file.name}")
def test_what_the_fuzzer_has_found_is_mended(file):
    check(PARSERS[file.parent.name], file.read_bytes())


def test_the_check_sees_what_is_wrong():
    from tengen.errors import TengenError

    def careless(data):
        raise KeyError("x")

    def wordy(data):
        error = TengenError("a")
        error.args = ("two\nlines",)
        raise error

    for read in (careless, wordy):
        with pytest.raises((KeyError, AssertionError)):
            check(parsers.Parser(read, list), b"")


def test_the_same_seed_gives_the_same_inputs():
    mutator = Mutator(PARSERS["sgf"].seeds())
    made = [[mutator.make(random.Random(f"{seed} {i}")) for i in range(50)] for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert len(set(made[0])) > 30


def test_the_long_run_counts_and_finds(tmp_path):
    """A bug planted into a parser is found, shortened and kept."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import run, parsers; from pathlib import Path;"
        "bug = lambda data: 1 / (b'B[' not in data);"
        "parsers.PARSERS['sgf'] = parsers.Parser(bug, parsers.PARSERS['sgf'].seeds);"
        "last = Path(sys.argv[2]) / 'last'; last.write_bytes(bytes(8));"
        "sys.exit(run.fuzz('sgf', 0, 100, 1, 0, Path(sys.argv[2]), last))"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parent), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "ZeroDivisionError" in done.stdout
    (kept,) = tmp_path.glob("sgf-*")
    assert kept.read_bytes() == b"B["
