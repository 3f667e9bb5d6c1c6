"""Options and settings that all tests share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every machine: a failure seen once can be seen again. The first example may compile for seconds.
settings.register_profile("tengen", deadline=None, derandomize=True)
settings.load_profile("tengen")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="write the stored playthroughs anew")


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    """Whether stored playthroughs are to be written anew instead of compared."""
    return bool(request.config.getoption("--rewrite"))


@pytest.fixture
def waited() -> Callable[[int | None], float]:
    """For how many seconds so far the threads of a process (None: this thread) could run and had no processor.

    A program with a clock of its own cannot be blamed for these. 0 where the system does not tell.
    """

    def seconds(process: int | None = None) -> float:
        tasks = [Path("/proc/thread-self")] if process is None else [*Path(f"/proc/{process}/task").glob("*")]
        try:
            return sum(int((task / "schedstat").read_text().split()[1]) for task in tasks) / 1e9
        except (OSError, IndexError):
            return 0.0

    return seconds
