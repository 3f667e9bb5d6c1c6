"""The slides' worked example, number for number."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.lessons.slides import four_simulations
from tengen.search import move_probabilities

# After each simulation: where it went, and N, W, Q of every move that has been visited.
EXPECTED = [
    ((), 1, {}),
    ((2,), 2, {(2,): (1, 0.1, 0.1)}),
    ((2, 9), 3, {(2,): (2, -0.9, -0.45), (2, 9): (1, 1.0, 1.0)}),
    ((9,), 4, {(2,): (2, -0.9, -0.45), (2, 9): (1, 1.0, 1.0), (9,): (1, 0.2, 0.2)}),
]


def visited(branch):
    for child in branch.children:
        if child.visits:
            yield child.cells, child
        yield from visited(child)


def test_every_selection_and_every_number():
    steps = four_simulations()
    assert len(steps) == len(EXPECTED)
    for step, (path, root_visits, numbers) in zip(steps, EXPECTED):
        assert step.path == path
        assert step.after.visits == root_visits
        found = dict(visited(step.after))
        assert found.keys() == numbers.keys()
        for cells, (n, w, q) in numbers.items():
            assert found[cells].visits == n
            assert found[cells].w == pytest.approx(w, abs=1e-6)
            assert found[cells].q == pytest.approx(q, abs=1e-6)


def test_priors_and_scores_of_the_root():
    root = four_simulations()[0].after
    priors = {child.cells[-1]: child.prior for child in root.children}
    assert priors == pytest.approx({2: 0.4, 3: 0.1, 6: 0.05, 7: 0.1, 8: 0.15, 9: 0.2}, abs=1e-6)
    third = four_simulations()[2].before  # the selection that goes to 2 again, against 9 as the next best
    assert third.at(2).score == pytest.approx(0.1 + 5 * 0.4 * np.sqrt(2) / 2, abs=1e-6)
    assert third.at(9).score == pytest.approx(5 * 0.2 * np.sqrt(2), abs=1e-6)


def test_the_slide_with_400_visits():
    visits = [40, 10, 5, 10, 15, 320]
    assert move_probabilities(visits, 1.0) == pytest.approx(np.array(visits) / 400)
    squared = np.array(visits) ** 2.0
    assert move_probabilities(visits, 0.5) == pytest.approx(squared / squared.sum())
    assert move_probabilities(visits, 0.0).tolist() == [0, 0, 0, 0, 0, 1]
