"""The book can be built: every chapter has its place, and every reference to code finds something."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CHAPTERS = sorted((ROOT / "docs").glob("*.md"))
OTHERS = [
    ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")
]


@pytest.mark.parametrize("file", [*CHAPTERS, *OTHERS], ids=lambda file: file.name)
def test_references_to_code_find_something(script, file):
    assert script("sources").references(file.read_text(encoding="utf-8"))[1] == []


def test_a_wrong_reference_is_found(script):
    sources = script("sources")
    assert sources.references("`search/kernel.py:descend` and `search/kernel.py`")[1] == []
    assert sources.references("`search/kernel.py:ascend`")[1] == ["search/kernel.py defines no ascend"]
    assert sources.references("`search/colonel.py`")[1] == ["there is no file search/colonel.py"]
    assert sources.references("<!-- source: search/kernel.py:ascend -->")[1] == ["search/kernel.py defines no ascend"]
    lines, first = sources.listing("search/choice.py", "move_probabilities")
    assert lines.startswith("def move_probabilities")
    assert (ROOT / "src/tengen/search/choice.py").read_text(encoding="utf-8").splitlines()[
        first - 1
    ] == lines.splitlines()[0]


@pytest.mark.parametrize("file", [*CHAPTERS, *OTHERS], ids=lambda file: file.name)
def test_links_lead_somewhere(file):
    text = re.sub(r"^\s*```.*?^\s*```", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
        if not re.match(r"[a-z]+:", target):
            assert (file.parent / target).exists(), f"{file.name}: {target}"


def test_chapters_in_the_table_of_contents_exist():
    made = {"benchmarks.md", "architecture.md", "contributing.md", "changelog.md"}  # from the project's own documents
    named = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    assert {*named} - made <= {file.name for file in CHAPTERS}
    assert len(named) > 20


def test_python_in_the_chapters_is_python():
    for file in CHAPTERS:
        for code in re.findall(r"^```python\n(.*?)^```", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            compile(code, file.name, "exec")


@pytest.mark.slow
def test_the_website_is_built_without_a_warning(tmp_path):
    pytest.importorskip("material", reason="pip install -e '.[docs]'")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "mcts.html").read_text(encoding="utf-8")
    assert 'href="source/search/kernel.html#__codelineno-0-' in page
    for file in (tmp_path / "site").rglob("*.html"):  # nothing is fetched from elsewhere when a page is read
        fetched = re.findall(
            r'(?:src=|<link [^>]*rel="(?:stylesheet|preconnect)"[^>]*href=)"(https?://[^"]+)',
            file.read_text(encoding="utf-8"),
        )
        assert not fetched, file
