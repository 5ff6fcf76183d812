"""The chain in machine integers: what one step of a signed belief is computed with (docs/theory/signed-beliefs.md).

A signed belief w over the states of one label is kept as integers m ≤ w·2^K. One step sends the entry m_i along the arc
i→j as ⌊m_i·p_ij⌋, so that what is kept stays below the truth. A row whose probabilities have a common denominator
D < 2^31 is exact; any other row is rounded to the denominator 2^30, down for entries m_i ≥ 0 and up for m_i < 0, which
keeps the same side. No product leaves 64 bits: with m = qD + r, 0 ≤ r < D, it is q·p + ⌊r·p/D⌋ for the numerator p ≤ D,
where |q·p| ≤ |m| + D and r·p < 2^62.

A row that is a box has its lower ends for entries m_i ≥ 0 and its upper ends for m_i < 0, and ``rest``, rounded up. One
step may then multiply Σ|m| by the largest sum of upper ends: ``largest`` leaves room for that.

States are renumbered so that those of one label stand together.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from ...cancel import spend
from ...kernels.records import Tables
from ...kernels.step import PRIME
from ...kernels.vectors import VECTOR_BITS
from ...model import AnyRow, Box, Chain, PointRow
from ...model.rows import once_per_row

LARGEST_DENOMINATOR = 2**31 - 1
ROW_BITS = 30
"""Rows with longer denominators are rounded to 2^-30, unless they are asked for in longer integers."""


LARGEST_BELIEF = 2**61
NO_ROW = PointRow(())


class IntegerRow(NamedTuple):
    """A row over one denominator: for each target the lower end rounded down and the upper end rounded up; rest."""

    denominator: int
    entries: list[tuple[int, int]]
    rest: int = 0


def integer_row(row: AnyRow, row_bits: int = ROW_BITS) -> IntegerRow:
    """The row in integers: exactly if it has a short common denominator, else over 2^row_bits; entries as given."""
    if row.fractions is None:
        return _integer_box(row.box, row_bits)
    exact = [p.as_integer_ratio() for _, p in row.fractions]
    common = math.lcm(*(bottom for _, bottom in exact))
    if common <= LARGEST_DENOMINATOR:
        return IntegerRow(common, [(p := top * (common // bottom), p) for top, bottom in exact])
    return IntegerRow(
        1 << row_bits, [((top << row_bits) // bottom, -((-top << row_bits) // bottom)) for top, bottom in exact]
    )


def _integer_box(row: Box, row_bits: int) -> IntegerRow:
    common = math.lcm(row.rest.denominator, *(end.denominator for _, *ends in row for end in ends))
    if common > LARGEST_DENOMINATOR:
        common = 1 << row_bits
    entries = [(math.floor(lo * common), math.ceil(hi * common)) for _, lo, hi in row]
    return IntegerRow(common, entries, math.ceil(row.rest * common))


def lost_by(row: AnyRow) -> int:
    """What a step by the row may lose of an event vector, in its units, where lower ends leave mass out; rounded up."""
    whole = integer_row(row)
    missing = sum(high - low for low, high in whole.entries) + whole.rest
    return -(-(missing << VECTOR_BITS) // whole.denominator)


def lost_beside(chain: Chain, part: Chain, merged: Chain) -> dict[tuple[int, int], int]:
    """The most that rows of states outside a part lose, by label and input, as the part with states merged has them.

    A certificate is about the chain as given, and the height of an event vector is that of all states of its label.
    """
    number = {label: b for b, label in enumerate(merged.alphabet)}
    inside = set(part.states)
    found: dict[tuple[int, int], int] = {}
    for state, rows in enumerate(chain.given if len(part) < len(chain) else ()):
        label = chain.labels[state]
        if label in number and chain.states[state] not in inside:
            asked = merged.inputs.get(label, (None,))
            for name, row in zip(chain.offered(state), rows, strict=True):
                place = number[label], asked.index(name)
                found[place] = max(found.get(place, 0), lost_by(row))
    return found


def _inverse(value: int) -> int:
    """1/value modulo `PRIME`; 0 where there is none."""
    return pow(value, -1, PRIME) if value % PRIME else 0


def tables_of(chain: Chain) -> tuple[Tables, list[int]]:
    """The tables, and the chain's states in their order."""
    rank = {label: b for b, label in enumerate(chain.alphabet)}
    order = sorted(range(len(chain)), key=lambda s: (rank[chain.labels[s]], s))
    place = {state: i for i, state in enumerate(order)}
    labels = np.array([rank[chain.labels[state]] for state in order], np.int64)
    sizes = np.bincount(labels, minlength=len(rank))
    inputs = [len(chain.inputs.get(label, (None,))) for label in rank]
    start, target, low, high, denominators, residues, rest = [0], [], [], [], [], [], []
    inverse = cache(_inverse)
    growth = 1

    @once_per_row
    def in_order(given: AnyRow) -> tuple[AnyRow, IntegerRow]:
        row = given.renumber(place)
        return row, integer_row(row)

    for choice in range(chain.layers):
        for state in order:
            rows = chain.given[state]
            # States with fewer inputs get empty rows, so that row choice·n + state always exists.
            spend(30 * len(rows[choice]) if choice < len(rows) else 10)
            row, whole = in_order(rows[choice]) if choice < len(rows) else (NO_ROW, integer_row(NO_ROW))
            denominators.append(whole.denominator)
            target += [j for j, *_ in row]
            low += [p for p, _ in whole.entries]
            high += [p for _, p in whole.entries]
            rest.append(whole.rest)
            if row.fractions is None:
                residues += [0] * len(row)
                # Upper ends may add up to more than 1: the factor by which one step can enlarge Σ|m|.
                growth = max(growth, -(-sum(p for _, p in whole.entries) // whole.denominator))
            else:
                # For looking ahead, which only guesses: a denominator that the prime divides may do as 0.
                residues += [p.numerator * inverse(p.denominator) % PRIME for _, p in row.fractions]
            start.append(len(target))
    boxed = not chain.rational
    tables = Tables(
        first=np.concatenate(([0], np.cumsum(sizes))),
        label=labels,
        inputs=np.array(inputs, np.int64),
        start=np.array(start, np.int64),
        target=np.array(target, np.int32),
        low=np.array(low, np.int32),
        high=np.array(high, np.int32),
        denominator=np.array(denominators, np.int64),
        residue=np.array(residues, np.int32),
        rest=np.array(rest, np.int32),
        boxed=boxed,
        # Exact rows enlarge Σ|m| by less than one unit per arc, which never fills the second 2^61.
        largest=LARGEST_BELIEF // growth if boxed else 2 * LARGEST_BELIEF - 1,
    )
    return tables, order
