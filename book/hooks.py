"""What MkDocs does on top for this book: pages of the sources that the text speaks of, listings, the project's own documents.

The text stays plain Markdown that can be read in the repository: links to files outside of docs/ lead to pages made from them.
"""

from __future__ import annotations

import html
import logging
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))

import sources

log = logging.getLogger("mkdocs.hooks.book")

DOCUMENTS = {
    "ARCHITECTURE.md": "architecture.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md", "README.md": "index.md",
}  # fmt: skip
"""Documents of the project that are no chapters, and the pages they become. README.md is for those who are not here yet."""

_LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")


def on_config(config: Any) -> Any:
    """Chapters that nobody has given a place in mkdocs.yml yet stand at the end, rather than nowhere."""
    placed = set(re.findall(r"'([\w./-]+\.md)'", str(config["nav"])))
    folder = Path(config["docs_dir"])
    others = [file.name for file in sorted(folder.glob("*.md")) if file.name not in placed]
    if others:
        config["nav"].append({"More": others})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Pages of the project's documents and of every source file that some page speaks of."""
    texts = [Path(file.abs_src_path).read_text(encoding="utf-8") for file in files.documentation_pages()]
    for name, page in DOCUMENTS.items():
        if name != "README.md":
            text = (sources.ROOT / name).read_text(encoding="utf-8")
            files.append(File.generated(config, page, content=text))
            texts.append(text)
    mentioned: set[Path] = set()
    for text in texts:
        mentioned |= sources.references(text)[0] | _linked_sources(text)
    for file in sorted(mentioned):
        files.append(File.generated(config, _page_of(file), content=_source_page(file)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links out of docs/, references to code, listings."""
    here = page.file.src_uri
    if here.startswith("source/"):
        return markdown
    origin = next((name for name, made in DOCUMENTS.items() if made == here and name != "README.md"), f"docs/{here}")
    for problem in sources.references(markdown)[1]:
        log.warning("%s: %s", origin, problem)

    def to(target: str, anchor: str = "") -> str:
        return posixpath.relpath(target, posixpath.dirname(here) or ".") + anchor

    def link(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), found[2]))
        if path in DOCUMENTS:
            return found[1] + to(DOCUMENTS[path], found[3] or "") + found[4]
        if path.startswith("docs/"):
            return found[1] + to(path.removeprefix("docs/"), found[3] or "") + found[4]
        if path.endswith(".py") and (sources.ROOT / path).is_file():
            return found[1] + to(_page_of(sources.ROOT / path)) + found[4]
        return found[0]

    def code(file: Path | None, text: str, name: str | None) -> str:
        if file is None:
            return f"`{text}`"
        line = sources.definitions(file).get(name or "", (0, 0))[0]
        target = to(_page_of(file)).removesuffix(".md") + ".html"  # no Markdown link: MkDocs knows no anchors of lines
        return f'<a href="{target}{f"#__codelineno-0-{line}" if line else ""}"><code>{html.escape(text)}</code></a>'

    def block(found: re.Match[str]) -> str:
        try:
            lines, first = sources.listing(found[1], found[2])
        except LookupError:
            return ""  # already told
        body = "\n".join(f"    {line}".rstrip() for line in lines.splitlines())
        return f'??? quote "{found[1]}, {found[2]}"\n\n    ~~~~~~{{.python linenums="{first}"}}\n{body}\n    ~~~~~~\n'

    parts = re.split(r"(^\s*```.*?^\s*```\s*?$|^(?: {4}[^\n]*\n)+)", markdown, flags=re.MULTILINE | re.DOTALL)
    for i in range(0, len(parts), 2):  # not inside of code blocks
        text = _LINK.sub(link, parts[i])
        text = sources.FILE.sub(lambda m: code(sources.find_file(m[1]), m[0].strip("`"), m[2]), text)
        text = sources.DOTTED.sub(lambda m: code(sources.dotted(m[1], m[2]), m[0].strip("`"), m[2]), text)
        parts[i] = sources.LISTING.sub(block, text)
    return "".join(parts)


def _linked_sources(text: str) -> set[Path]:
    found = (sources.ROOT / match[2].lstrip("./") for match in _LINK.finditer(text) if match[2].endswith(".py"))
    return {file for file in found if file.is_file()}


def _page_of(file: Path) -> str:
    folder = sources.PACKAGE if file.is_relative_to(sources.PACKAGE) else sources.ROOT
    return f"source/{file.relative_to(folder).with_suffix('').as_posix()}.md"


def _source_page(file: Path) -> str:
    title = file.relative_to(sources.ROOT).as_posix()
    head = "---\nsearch:\n  exclude: true\nhide: [toc]\n---\n"
    return f'{head}# `{title}`\n\n~~~~~~{{.python linenums="1"}}\n{file.read_text(encoding="utf-8")}~~~~~~\n'
