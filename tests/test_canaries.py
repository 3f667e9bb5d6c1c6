"""The bugs of `canaries.py` are all caught by the tests that should catch them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("keras", reason="some of the bugs are in the networks, which need the extra [train]")

SCRIPT = Path(__file__).parent / "canaries.py"


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_planted_bug_survives():
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_bug_can_still_be_planted():
    """In seconds: the texts that the canaries replace are where they say, once each."""
    sys.path.insert(0, str(SCRIPT.parent))
    try:
        import canaries
    finally:
        sys.path.pop(0)
    package = canaries.PROJECT / "src" / "tengen"
    for canary in canaries.CANARIES:
        text = (package / canary.file).read_text(encoding="utf-8")
        assert text.count(canary.old) == 1, canary.name
        assert canary.old != canary.new
