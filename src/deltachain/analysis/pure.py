"""Pure ε by zero sets: δ_α ≤ δ_α' ≤ ld_α' for every α' ≤ α, so one α' with every pair in the zero set of ld is enough.

The zero set is not monotone in α (docs/theory/open-questions.md): a pair may be in it at 2 and at 4 and not at 5/2. A
bisection of α can therefore miss the least α' that proves δ = 0, and end above it. Whether a pair is in the set changes
where some x_i = α y_i, for probabilities of two states or labels, so beside the bisection's α these ratios are tried.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ..cancel import Cancel
from ..model import Chain

if TYPE_CHECKING:
    from ..beliefs.intervals import Prepared

MOST_RATIOS = 64
"""So many ratios are tried at most, the smallest first."""
MOST_PROBABILITIES = 1000
"""Of chains with more different probabilities, no ratios are tried: they are all close to each other."""


def in_zero_set(ready: Prepared, alpha: Fraction, cancel: Cancel) -> bool:
    """Whether every pair is private with δ = 0 at α, by the zero set of ld of the quotient. Raises Stopped."""
    from ..distances.pair_space import PairSpace, relevant_states
    from ..distances.zero_set import zero_set

    if len(ready.alike) < len(ready.pairs):
        return False
    block = ready.quotient.block
    places = [tuple(block[ready.part.number(ready.chain.states[state])] for state in pair) for pair in ready.pairs]
    chain = ready.quotient.chain
    space = PairSpace.of(chain, alpha, relevant_states(chain, [(s, t) for s, t in places]))
    member = zero_set(space, "ld", cancel=cancel).member
    return all(bool(member[space.pair_of_states(s, t)] and member[space.pair_of_states(t, s)]) for s, t in places)


def ratios(chain: Chain, low: Fraction, high: Fraction) -> list[Fraction]:
    """The first ratios p/q with low ≤ p/q < high, of probabilities of states and of labels in rows of the chain."""
    found: set[Fraction] = set()
    for row in {row for moves in chain.moves for row in moves}:
        by_label: dict[str, Fraction] = {}
        for target, p in row:
            by_label[chain.labels[target]] = by_label.get(chain.labels[target], Fraction(0)) + p
        found.update(p for _, p in row)
        found.update(by_label.values())
    if len(found) > MOST_PROBABILITIES:
        return []
    between = {p / q for p in found for q in found if low * q <= p < high * q}
    return sorted(between)[:MOST_RATIOS]
