"""Each game once, whatever becomes of the workers. No Ray is needed for it."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tengen.cluster.ledger import Ledger


def test_what_a_lost_worker_had_is_given_to_others():
    ledger = Ledger(iter(range(5)))
    assert ledger.lease("a", 3) == [0, 1, 2]
    assert ledger.accept(1)
    assert ledger.lose("a") == 2
    assert ledger.lease("b", 9) == [0, 2, 3, 4]
    assert ledger.lease("b", 1) == []
    assert not ledger.is_done
    assert [ledger.accept(n) for n in (0, 2, 3, 4)] == [True] * 4
    assert ledger.is_done


def test_a_result_that_comes_twice_is_refused():
    ledger = Ledger(iter([7]))
    ledger.lease("a", 1)
    ledger.lose("a")  # the way to it was lost: it plays on
    assert ledger.lease("b", 1) == [7]
    assert [ledger.accept(7), ledger.accept(7)] == [True, False]
    assert ledger.is_done


def test_a_late_result_takes_the_number_out_of_what_is_to_be_given():
    ledger = Ledger(iter([7, 8]))
    ledger.lease("a", 1)
    ledger.lose("a")
    assert ledger.accept(7)  # after all
    assert ledger.lease("b", 2) == [8]


def test_a_number_that_nobody_was_given_is_refused():
    ledger = Ledger(iter(range(3)))
    assert not ledger.accept(0)
    assert not ledger.accept(99)
    assert ledger.lease("a", 3) == [0, 1, 2]


def test_losing_somebody_twice_changes_nothing():
    ledger = Ledger(iter(range(2)))
    ledger.lease("a", 2)
    assert (ledger.lose("a"), ledger.lose("a")) == (2, 0)
    assert ledger.lease("b", 9) == [0, 1]


@given(st.integers(0, 40), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 9)), max_size=200))
def test_every_number_has_one_result_in_any_order_of_events(count, happenings):
    ledger, has = Ledger(iter(range(count))), {worker: [] for worker in range(4)}
    kept, late = [], []
    for kind, worker, number in happenings:
        if kind == 0:
            has[worker] += ledger.lease(worker, number)
        elif kind == 1 and has[worker]:
            done = has[worker].pop(number % len(has[worker]))
            kept += [done] if ledger.accept(done) else []
            ledger.finished(worker, done)
        elif kind == 2:
            late += has[worker]  # it may be heard of again
            ledger.lose(worker)
            has[worker] = []
        elif late:
            done = late[number % len(late)]
            kept += [done] if ledger.accept(done) else []
    for worker in itertools.cycle(range(4)):
        if ledger.is_done:
            break
        has[worker] += ledger.lease(worker, 5)
        for done in has[worker]:
            kept += [done] if ledger.accept(done) else []
        has[worker] = []
    assert sorted(kept) == list(range(count))
