"""Throw changed inputs at every parser: `make fuzz`, or

    python tests/fuzz/run.py --count 1000000 --seed 1
    python tests/fuzz/run.py --only sgf page --seconds 60     as long as you like, some parsers alone

Every input follows from the seed, the parser's name and its number, so whatever is found can be made again. A parser may accept an
input or refuse it in one line; any other exception, a crash of the process, and an input that takes longer than `PATIENCE` is a find.
Finds are printed, shortened, and written to the folder `--out`; mended, they belong into tests/fuzz/found, where the suite tries them.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import math
import mmap
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

PATIENCE = 20.0
"""Seconds for one input: the first of a kind may compile something."""

MOST_MEMORY = 16 << 30
"""Bytes of address space: a small input that asks for more has found something."""

SHORTENINGS = 400
LAST = struct.Struct("<q")


class Hang(BaseException):
    """An input has taken too long."""


def chooser_of(seed: int, name: str, number: int) -> random.Random:
    return random.Random(f"{seed} {name} {number}")


def what_happens(parser, data: bytes) -> tuple[str, str] | None:
    """Where an input is mishandled and how; None when all is well."""
    import parsers

    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        parsers.check(parser, data)
    except (Exception, Hang) as error:
        ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "tengen" in frame.filename]
        where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "the check"
        return f"{type(error).__name__} at {where}", "".join(traceback.format_exception(error))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def shorten(parser, data: bytes, kind: str) -> bytes:
    """A shorter input that is mishandled in the same place."""
    step, tries = max(1, len(data) // 2), 0
    while step and tries < SHORTENINGS:
        at, shorter = 0, False
        while at < len(data) and tries < SHORTENINGS:
            tries += 1
            fewer = data[:at] + data[at + step :]
            found = what_happens(parser, fewer)
            if found and found[0] == kind:
                data, shorter = fewer, True
            else:
                at += step
        if not shorter:
            step //= 2
    return data


def fuzz(name: str, first: int, count: int, seed: int, seconds: float, out: Path, last: Path) -> int:
    """In a process of its own: inputs of one parser; the number of finds."""
    import parsers
    from mutating import Mutator

    faulthandler.enable()

    def too_long(*_: object) -> None:
        raise Hang

    signal.signal(signal.SIGALRM, too_long)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    parser = parsers.PARSERS[name]
    os.chdir(parsers.folder())
    mutator = Mutator(parser.seeds(), parser.is_binary)
    with last.open("r+b") as file:
        told = mmap.mmap(file.fileno(), LAST.size)
    finds: set[str] = set()
    end = time.monotonic() + seconds if seconds else float("inf")
    number = first
    while number < first + count and time.monotonic() < end:
        told[:] = LAST.pack(number)
        data = mutator.make(chooser_of(seed, name, number))
        found = what_happens(parser, data)
        if found is not None and found[0] not in finds:
            finds.add(found[0])
            short = data if found[0].startswith("Hang") else shorten(parser, data, found[0])
            file = out / f"{name}-{zlib.crc32(found[0].encode()):08x}"
            file.write_bytes(short)
            print(f"FOUND {name}, input {number}: {found[0]}\n{found[1]}{short[:300]!r}\nkept as {file}", flush=True)
        number += 1
    told[:] = LAST.pack(number)
    parsers.clean_up()
    return len(finds)


def in_a_process(name: str, count: int, seed: int, seconds: float, out: Path) -> tuple[int, int]:
    """How many inputs were tried and how many finds there were; a process that dies is a find, and another goes on."""
    tried = finds = 0
    with tempfile.NamedTemporaryFile() as last:
        while tried < count:
            last.seek(0)
            last.write(LAST.pack(tried))
            last.flush()
            done = subprocess.run([
                sys.executable, __file__, "--child", name, "--first", str(tried), "--count", str(count - tried), "--seed", str(seed),
                "--seconds", str(seconds), "--out", str(out), "--last", last.name,
            ])  # fmt: skip
            (at,) = LAST.unpack(Path(last.name).read_bytes()[: LAST.size])
            if done.returncode >= 0:
                return at, finds + done.returncode
            print(f"FOUND {name}, input {at}: the process has died of signal {-done.returncode}", flush=True)
            tried, finds = at + 1, finds + 1
    return tried, finds


def main() -> int:
    parser = argparse.ArgumentParser(description="fuzz every parser")
    parser.add_argument("--count", type=int, default=100_000, help="inputs in all, shared out among the parsers")
    parser.add_argument("--seconds", type=float, default=0, help="at most so long for each parser; 0: no limit")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", default=[], metavar="PARSER")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "tengen-fuzz-finds")
    for option in ("--child", "--first", "--last"):
        parser.add_argument(option, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.child:
        return fuzz(
            asked.child, int(asked.first), asked.count, asked.seed, asked.seconds, asked.out.resolve(), Path(asked.last)
        )

    import parsers

    unknown = set(asked.only) - set(parsers.PARSERS)
    if unknown:
        parser.error(f"there is no parser {', '.join(unknown)}; there are {', '.join(parsers.PARSERS)}")
    chosen = {name: one for name, one in parsers.PARSERS.items() if not asked.only or name in asked.only}
    whole = sum(one.share for one in chosen.values())
    began, tried, finds = time.monotonic(), 0, 0
    for name, one in chosen.items():
        start = time.monotonic()
        n, found = in_a_process(name, math.ceil(asked.count * one.share / whole), asked.seed, asked.seconds, asked.out)
        tried, finds = tried + n, finds + found
        print(f"{name:16} {n:9,} inputs {time.monotonic() - start:6.0f} s   {found} finds", flush=True)
    print(f"\n{tried:,} inputs, seed {asked.seed}, {time.monotonic() - began:.0f} s: {finds} finds")
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())
