"""What commands keep goes into the test's own folder."""

import pytest


@pytest.fixture(autouse=True)
def runs_of_the_test(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))
