"""Millions of pairs as four arrays: what is looked up is what was computed, and a table is a value."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

import deltachain as dc
from deltachain.distances.fixed_point import solve
from deltachain.distances.pair_table import PairTable, largest_of, top_of
from deltachain.distances.upper_side import Certified
from deltachain.errors import InputError

CHAIN = dc.examples.build("random,n=60,labels=2,degree=3")
FOUND = solve(CHAIN, Fraction(6, 5), exact=False)


def table() -> PairTable:
    assert isinstance(FOUND.proof, Certified)
    rows = FOUND.table()
    assert isinstance(rows, PairTable)
    return rows


def test_rows_are_the_distances() -> None:
    rows = table()
    assert len(rows) == sum(len(states) * (len(states) - 1) // 2 for states in CHAIN.by_label.values())
    for row in rows:
        s, t = row.pair
        assert (row.value, row.reverse, row.side) == (FOUND[s, t], FOUND[t, s], "upper")
        assert rows.find(rows.number[s], rows.number[t]) == row.value
        assert rows.find(rows.number[t], rows.number[s]) == row.reverse
    assert [*rows][3] == rows[3]
    assert rows[2:5] == tuple([*rows][2:5])


def test_what_is_not_there_is_not_found() -> None:
    apart = next(t for t in range(len(CHAIN)) if CHAIN.labels[t] != CHAIN.labels[0])
    assert table().find(0, apart) is None
    found = dc.distance(CHAIN, pairs="all", exp_epsilon="6/5", exact=False)
    assert isinstance(found.results, PairTable)
    with pytest.raises(InputError, match="was not asked for"):
        _ = found["s0", "nobody"]


def test_the_largest_come_first() -> None:
    rows = table()
    top = top_of(rows, 10)
    assert largest_of(rows) == top[0].largest == max(row.largest for row in rows)
    assert all(one.largest >= other.largest for one, other in pairwise(top))
    assert top == top_of(tuple(rows), 10)


def test_a_table_is_a_value() -> None:
    one, other = table(), table()
    assert one == other
    assert hash(one) == hash(other)
    assert one == tuple(one)
    assert one != tuple(one)[:-1]
    assert repr(one) == f"<PairTable: {len(one)} pairs>"
