"""Tetris once more, slowly and in another way: cells in a set, pieces moved one step at a time. It shares nothing with the package."""

SHAPES = {
    "I": [".... #### .... ....", 4],
    "O": ["## ##", 2],
    "T": [".#. ### ...", 3],
    "S": [".## ##. ...", 3],
    "Z": ["##. .## ...", 3],
    "J": ["#.. ### ...", 3],
    "L": ["..# ### ...", 3],
}


def cells_of(name, turns):
    """The cells of a piece in its box, as (row, column)."""
    text, size = SHAPES[name]
    cells = {(r, c) for r, row in enumerate(text.split()) for c, mark in enumerate(row) if mark == "#"}
    for _ in range(turns):
        cells = {(c, size - 1 - r) for r, c in cells}
    return cells


class SlowTetris:
    """A well with a falling piece: name, turns, and the row and column of its box."""

    def __init__(self, columns, rows):
        self.columns, self.height, self.filled = columns, rows + 2, set()
        self.lines = self.score = 0
        self.combo, self.level = 1, 1
        self.falling = None

    def shifted(self, turns, row, column):
        return {(row + r, column + c) for r, c in cells_of(self.name, turns)}

    def inside(self, cells):
        return all(0 <= r < self.height and 0 <= c < self.columns for r, c in cells)

    def free(self, cells):
        return self.inside(cells) and not cells & self.filled

    def appear(self, name):
        """Whether the new piece finds room."""
        self.name = name
        self.falling = (0, 0, (self.columns - SHAPES[name][1]) // 2)
        return self.free(self.shifted(*self.falling))

    def step(self, down, right):
        turns, row, column = self.falling
        if not self.free(self.shifted(turns, row + down, column + right)):
            return False
        self.falling = (turns, row + down, column + right)
        return True

    def rotate(self):
        turns, row, column = self.falling
        turns = (turns + 1) % 4
        for kick in (0, 1, -1, 2, -2):
            cells = self.shifted(turns, row, column + kick)
            if self.inside(cells):
                if cells & self.filled:
                    return False
                self.falling = (turns, row, column + kick)
                return True
        return False

    def placements(self):
        """All that left, right and turning lead to at the top, as {(turns, leftmost column): falling}."""
        found, waiting, before = {}, [self.falling], self.falling
        seen = {self.falling}
        while waiting:
            here = waiting.pop()
            cells = self.shifted(*here)
            found.setdefault((here[0], min(c for _, c in cells)), here)
            for press in (lambda: self.step(0, -1), lambda: self.step(0, 1), self.rotate):
                self.falling = here
                if press() and self.falling not in seen:
                    seen.add(self.falling)
                    waiting.append(self.falling)
        self.falling = before
        return found

    def drop(self):
        fallen = 0
        while self.step(1, 0):
            fallen += 1
        self.score += 10 * fallen
        return self.lock()

    def lock(self):
        """The rows that are cleared."""
        self.filled |= self.shifted(*self.falling)
        rows = [{c for r, c in self.filled if r == row} for row in range(self.height)]
        kept = [row for row in rows if len(row) < self.columns]
        cleared = self.height - len(kept)
        rows = [set()] * cleared + kept
        self.filled = {(r, c) for r, row in enumerate(rows) for c in row}
        self.score += 100 * cleared**2 * self.combo
        self.combo = self.combo + 1 if cleared else 1
        self.lines += cleared
        self.level += self.lines >= 10 * self.level
        return cleared

    def picture(self):
        return [[(r, c) in self.filled for c in range(self.columns)] for r in range(self.height)]
