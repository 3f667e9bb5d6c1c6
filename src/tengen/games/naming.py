"""Names of cells, as in `d4`: the letter is the column, the number the row."""

import re

_NAME = re.compile(r"([a-z])([1-9][0-9]?)", re.ASCII)


def cell_name(row: int, column: int) -> str:
    """`a1` for row 0, column 0. No letter is skipped."""
    return f"{chr(ord('a') + column)}{row + 1}"


def parse_cell(text: str, size: int) -> tuple[int, int]:
    """Row and column of a name; ValueError with a sentence when it is not a cell of this board."""
    match = _NAME.fullmatch(text.strip().lower())
    last = cell_name(size - 1, size - 1)
    if not match:
        raise ValueError(f"{text!r} is not a cell: write a letter and a number, a1 to {last}")
    column, row = ord(match[1]) - ord("a"), int(match[2]) - 1
    if row >= size or column >= size:
        raise ValueError(f"{text!r} is not on this board, which goes from a1 to {last}")
    return row, column
