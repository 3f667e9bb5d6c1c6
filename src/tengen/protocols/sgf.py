"""SGF, the Smart Game Format (FF[4]): a tree of nodes, each with properties. It knows no game.

Values are kept as the text they stand for: escapes undone, line ends as ``\\n``, other white space as blanks. Nothing here calls
itself, so a file can nest as deeply as it likes.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tengen.errors import TengenError

WIDTH = 78
"""Columns after which the writer begins a new line, between nodes."""


class SgfError(TengenError):
    """A text that is not SGF; the message names line and column."""


@dataclass
class Node:
    """A node: its properties in order, and what may follow; the first child is the main line."""

    properties: dict[str, list[str]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list, repr=False)
    place: tuple[int, int] = field(default=(0, 0), compare=False)
    """Line and column in the file that it was read from."""

    def get(self, name: str) -> str | None:
        """The first value of a property, if it is there."""
        values = self.properties.get(name)
        return values[0] if values else None

    def main_line(self) -> Iterator[Node]:
        """This node and its first children, to the end."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.children[0] if node.children else None

    def all_nodes(self) -> Iterator[Node]:
        """This node and all below it, variations too."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)


def decode(data: bytes) -> str:
    """The text of a file: UTF-8, or Latin-1, which is what SGF was when it began."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse_sgf(text: str) -> list[Node]:
    """The game trees of a file, each by its root; SgfError when there is none or one is broken."""
    return _Reader(text).trees()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\n\r", "\n").replace("\r", "\n")
        self.at = 0
        self.line_starts = [0, *(i + 1 for i, char in enumerate(self.text) if char == "\n")]

    def place(self, at: int | None = None) -> tuple[int, int]:
        at = self.at if at is None else at
        line = bisect.bisect_right(self.line_starts, at)
        return line, at - self.line_starts[line - 1] + 1

    def error(self, what: str, at: int | None = None) -> SgfError:
        line, column = self.place(at)
        return SgfError(f"line {line}, column {column}: {what}")

    def skip_blanks(self) -> None:
        while self.at < len(self.text) and (self.text[self.at].isspace() or self.text[self.at] in "\0\x1a\ufeff"):
            self.at += 1

    def trees(self) -> list[Node]:
        self.at = self._first_tree()
        roots: list[Node] = []
        above: list[Node | None] = []  # for each open bracket, the node that its first node follows
        last: Node | None = None
        opened: list[int] = []
        while True:
            self.skip_blanks()
            if self.at >= len(self.text):
                break
            char = self.text[self.at]
            if char == "(":
                above.append(last)
                opened.append(self.at)
                self.at += 1
                self.skip_blanks()
                if self.text[self.at : self.at + 1] != ";":
                    raise self.error("a variation begins with ';' after its '('")
            elif char == ")":
                if not opened:
                    raise self.error("this ')' closes nothing")
                opened.pop()
                last = above.pop()
                self.at += 1
            elif char == ";" and opened:
                node = self._node()
                (roots if last is None else last.children).append(node)
                last = node
            elif char == ";":
                raise self.error("a node stands outside of every '('")
            else:
                raise self.error(f"{char!r} is not expected here")
        if opened:
            raise self.error("the file ends before this '(' is closed", opened[-1])
        return roots

    def _first_tree(self) -> int:
        """Where the first tree begins: some programs write a letter's head before it."""
        at = self.text.find("(")
        while at >= 0:
            rest = self.text[at + 1 : at + 200].lstrip()
            if rest.startswith(";"):
                return at
            at = self.text.find("(", at + 1)
        raise self.error("no game is here: SGF begins with '(;'", 0)

    def _node(self) -> Node:
        node = Node(place=self.place())
        self.at += 1
        while True:
            self.skip_blanks()
            start = self.at
            while self.at < len(self.text) and self.text[self.at].isascii() and self.text[self.at].isalnum():
                self.at += 1
            word = self.text[start : self.at]
            if not word:
                return node
            name = "".join(char for char in word if not char.islower())  # FF[1]: GaMe means GM
            if not name:
                raise self.error(f"{word!r} is no property: names are capital letters", start)
            self.skip_blanks()
            if self.text[self.at : self.at + 1] != "[":
                raise self.error(f"the property {word} has no value: '[' is missing", start)
            values = node.properties.setdefault(name, [])
            while self.text[self.at : self.at + 1] == "[":
                values.append(self._value())
                self.skip_blanks()

    def _value(self) -> str:
        opening = self.at
        self.at += 1
        parts: list[str] = []
        while True:
            if self.at >= len(self.text):
                raise self.error("the file ends before this '[' is closed", opening)
            char = self.text[self.at]
            if char == "]":
                self.at += 1
                return "".join(parts)
            if char == "\\":
                self.at += 1
                char = self.text[self.at : self.at + 1]
                if char == "\n":  # a line broken only to keep it short
                    char = ""
                    self.at += 1
                    continue
                if not char:
                    continue
            parts.append(" " if char.isspace() and char != "\n" else char)
            self.at += 1


def write_sgf(roots: Sequence[Node]) -> str:
    """Game trees as text."""
    parts: list[str] = []
    for root in roots:
        waiting: list[Node | str] = [")", root, "("]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            parts.append(_node_text(item))
            if len(item.children) == 1:
                waiting.append(item.children[0])
            else:
                for child in reversed(item.children):
                    waiting += [")", child, "("]
        parts.append("\n")
    return _in_lines(parts)


def _node_text(node: Node) -> str:
    text = ";"
    for name, values in node.properties.items():
        text += name + "".join(f"[{_escape(value)}]" for value in values)
    return text


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("]", "\\]")


def _in_lines(parts: list[str]) -> str:
    lines, line = [], ""
    for part in parts:
        if part == "\n":
            lines.append(line)
            line = ""
        elif line and part[0] in ";(" and len(line) + len(part) > WIDTH:
            lines.append(line)
            line = part
        else:
            line += part
    return "\n".join([*lines, line]) if line else "\n".join(lines) + "\n"
