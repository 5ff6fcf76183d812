"""A chain in machine integers: exact where it can be, and rounded to both sides where it cannot."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

import deltachain as dc
from deltachain.beliefs.signed.tables import LARGEST_BELIEF, LARGEST_DENOMINATOR, ROW_BITS, integer_row, tables_of
from deltachain.kernels.step import PRIME
from deltachain.model import PointRow
from tests.reference.boxes import random_boxes
from tests.reference.random_chains import random_chain

F = Fraction


def test_a_short_denominator_is_kept_and_a_long_one_rounded_outward() -> None:
    short = PointRow(((0, F(1, 3)), (1, F(1, 2)), (2, F(1, 6))))
    assert integer_row(short) == (6, [(2, 2), (3, 3), (1, 1)], 0)
    long = PointRow(((0, F(1, LARGEST_DENOMINATOR + 2)), (1, F(LARGEST_DENOMINATOR + 1, LARGEST_DENOMINATOR + 2))))
    for bits in (ROW_BITS, 60):
        found = integer_row(long, bits)
        assert found.denominator == 2**bits
        for (low, high), (_, p) in zip(found.entries, long.entries, strict=True):
            assert F(low, 2**bits) <= p <= F(high, 2**bits)
            assert high - low == 1


@pytest.mark.parametrize("seed", range(10))
def test_every_arc_of_a_chain_is_there(seed: int) -> None:
    chain = random_chain(Random(seed))
    tables, order = tables_of(chain)
    assert sorted(order) == list(range(len(chain)))
    labels = [chain.labels[state] for state in order]
    assert labels == sorted(labels, key=chain.alphabet.index), "states of one label stand together"
    for place, state in enumerate(order):
        span = slice(tables.start[place], tables.start[place + 1])
        denominator = int(tables.denominator[place])
        found = {order[j]: F(int(p), denominator) for j, p in zip(tables.target[span], tables.low[span], strict=True)}
        assert found == dict(chain.rows[state])
        assert tables.low[span].tolist() == tables.high[span].tolist()
        for j, residue in zip(tables.target[span], tables.residue[span], strict=True):
            p = found[order[j]]
            assert (int(residue) * p.denominator - p.numerator) % PRIME == 0
    assert not tables.boxed


@pytest.mark.parametrize("seed", range(10))
def test_boxes_are_enlarged_and_leave_room(seed: int) -> None:
    chain = random_boxes(Random(seed))
    tables, order = tables_of(chain)
    assert tables.boxed
    growth = 1
    for place, state in enumerate(order):
        span = slice(tables.start[place], tables.start[place + 1])
        denominator = int(tables.denominator[place])
        box = chain.boxes[state][0]
        ends = {j: (low, high) for j, low, high in box}
        for j, low, high in zip(tables.target[span], tables.low[span], tables.high[span], strict=True):
            lo, hi = ends[order[j]]
            assert F(int(low), denominator) <= lo <= hi <= F(int(high), denominator)
        assert F(int(tables.rest[place]), denominator) >= box.rest
        if chain.given[state][0].fractions is None:
            growth = max(growth, -(-int(tables.high[span].sum()) // denominator))
    assert tables.largest * growth <= LARGEST_BELIEF


def test_states_with_fewer_inputs_have_empty_rows() -> None:
    chain = dc.examples.build("probe")
    tables, order = tables_of(chain)
    assert len(tables.start) == chain.layers * len(order) + 1
    for choice in range(chain.layers):
        for place, state in enumerate(order):
            row = choice * len(order) + place
            assert (tables.start[row] < tables.start[row + 1]) == (choice < len(chain.given[state]))
