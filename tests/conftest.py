"""Options and settings that all tests share."""

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
