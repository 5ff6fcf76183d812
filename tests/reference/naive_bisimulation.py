"""Bisimilarity by the definition: split by label, then by what goes where, until nothing changes. O(n·m)."""

from __future__ import annotations

from fractions import Fraction

from deltachain import Chain


def naive_bisimilarity(chain: Chain) -> tuple[int, ...]:
    """The coarsest bisimulation, as block numbers by first occurrence."""
    blocks = _numbered(list(chain.labels))
    while True:
        finer = _numbered([(blocks[state], _into_blocks(chain, state, blocks)) for state in range(len(chain))])
        if finer == blocks:
            return blocks
        blocks = finer


def _into_blocks(chain: Chain, state: int, blocks: tuple[int, ...]) -> frozenset[tuple[int, Fraction]]:
    into: dict[int, Fraction] = {}
    for target, probability in chain.rows[state]:
        into[blocks[target]] = into.get(blocks[target], Fraction(0)) + probability
    return frozenset(into.items())


def _numbered(keys: list[object]) -> tuple[int, ...]:
    order: dict[object, int] = {}
    return tuple(order.setdefault(key, len(order)) for key in keys)
