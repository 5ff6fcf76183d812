"""The chain in machine integers: what one step of a signed belief is computed with (docs/theory/signed-beliefs.md).

A signed belief w over the states of one label is kept as integers m ≤ w·2^K. One step sends the entry m_i along the arc
i→j as ⌊m_i·p_ij⌋, so that what is kept stays below the truth. A row whose probabilities have a common denominator
D < 2^31 is exact; any other row is rounded to the denominator 2^30, down for entries m_i ≥ 0 and up for m_i < 0, which
keeps the same side. No product leaves 64 bits: with m = qD + r, 0 ≤ r < D, it is q·p + ⌊r·p/D⌋ for the numerator p ≤ D,
where |q·p| ≤ |m| + D and r·p < 2^62.

States are renumbered so that those of one label stand together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from ..kernels.records import Tables
from ..kernels.step import PRIME
from ..model import Chain

LARGEST_DENOMINATOR = 2**31 - 1
ROUNDED_DENOMINATOR = 2**30


def integer_row(probabilities: Sequence[tuple[int, int]]) -> tuple[int, list[tuple[int, int]]]:
    """The denominator of a row given as (numerator, denominator), and (low, high) numerators over it."""
    common = math.lcm(*(bottom for _, bottom in probabilities))
    if common <= LARGEST_DENOMINATOR:
        exact = [top * (common // bottom) for top, bottom in probabilities]
        return common, [(p, p) for p in exact]
    scale = ROUNDED_DENOMINATOR
    return scale, [(top * scale // bottom, -(-top * scale // bottom)) for top, bottom in probabilities]


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
    start, target, low, high, denominators, residues = [0], [], [], [], [], []
    inverse = cache(_inverse)
    for choice in range(chain.layers):
        for state in order:
            rows = chain.moves[state]
            given = rows[choice] if choice < len(rows) else ()
            row = sorted((place[j], p.numerator, p.denominator) for j, p in given)
            bottom, numerators = integer_row([(top, below) for _, top, below in row])
            denominators.append(bottom)
            target += [j for j, _, _ in row]
            low += [p for p, _ in numerators]
            high += [p for _, p in numerators]
            residues += [top * inverse(below) % PRIME for _, top, below in row]
            start.append(len(target))
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
    )
    return tables, order
