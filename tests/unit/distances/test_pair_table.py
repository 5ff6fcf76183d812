"""Millions of pairs as four arrays: what is looked up is what was computed, and a table is a value."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import deltachain as dc
from deltachain.distances.fixed_point import solve
from deltachain.distances.pair_table import PairTable, largest_lower_of, largest_of, top_below_one, top_of
from deltachain.distances.upper_side import Certified
from deltachain.errors import UnknownState
from tests.words import refuses

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
    assert len(found.results) == len(table())
    with refuses(UnknownState, "state 'nobody': the"):
        _ = found["s0", "nobody"]
    assert found["s0", CHAIN.states[apart]] == 1
    assert found[3, 3] == found["s3", "s3"] == 0


def test_the_largest_come_first() -> None:
    rows = table()
    top = top_of(rows, 10)
    assert largest_of(rows) == top[0].largest == max(row.largest for row in rows)
    assert all(one.largest >= other.largest for one, other in pairwise(top))
    assert top == top_of(tuple(rows), 10)
    below, ones = top_below_one(rows, 10)
    assert (below, ones) == top_below_one(tuple(rows), 10)
    assert below[0].largest == max(row.largest for row in rows if row.largest < 1)
    assert ones == sum(row.largest == 1 for row in rows)


def test_a_table_is_a_value() -> None:
    one, other = table(), table()
    assert one == other
    assert hash(one) == hash(other)
    assert one == tuple(one)
    assert one != tuple(one)[:-1]
    assert repr(one) == f"<PairTable: {len(one)} pairs>"


def test_lower_sides_travel_with_their_rows() -> None:
    one = table()
    low, back = one.value / 2, one.reverse / 4
    both = PairTable(one.states, one.first, one.second, one.value, one.reverse, (low, back))
    assert one[3].lower is one[3].reverse_lower is largest_lower_of(one) is largest_lower_of(tuple(one)) is None
    assert (both[3].lower, both[3].reverse_lower) == (Fraction(low[3]), Fraction(back[3]))
    assert [*both][3] == both[3] != one[3]
    assert largest_lower_of(both) == largest_lower_of(tuple(both)) == Fraction(max(low.max(), back.max()))
    assert both != one
    assert both == PairTable(one.states, one.first, one.second, one.value, one.reverse, (low, back))
    assert both != PairTable(one.states, one.first, one.second, one.value, one.reverse, (low, low))
