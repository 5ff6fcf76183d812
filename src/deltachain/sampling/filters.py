"""Words drawn from a signed belief, and what the filter says at their ends (docs/theory/sampling.md).

A *stratum* is a belief m over the states of one label, turned so that |m^+| ≤ |m^-|; then V(m) lies between 0 and
|m^+|, its gap. Draw a word u from m^+ (normalised) by running the chain from a hidden state, and follow p = m^+ P_u and
q = m^- P_u. Over words that end by a rule about the word alone,

    |m^+| · E[(1 − |q|/|p|)^+]  ≤  V(m)  ≤  |m^+| · E[|(p − q)^+| / |p|].

`draw` returns, for each word, a number at most the first statistic and one at most 1 minus the second one. A word ends
when the two statistics differ by at most ``tolerance``, and at ``horizon`` letters.

*The draw is exact*, given ideal random bits. The next state is told by the first BITS bits of a real number in [0, 1);
where these do not decide, the word is given up and counts as (0, 0), which is at most what it would have been.

*Rounding.* p and q are sums of products of non-negative floats. Each entry has the relative error k·2^-53 (and a
little) after k roundings: one at its start, and for each letter one in the chance of an arc, one in the product, and
at most as many as arcs lead into a state in the sum. Scaling is by powers of two. `rounding_error` bounds what that
does to both statistics, and is subtracted. Entries below 2^-1022 may vanish; that changes the expected value of a
statistic by no more than what vanished, less than 2^-900 for all letters together, far below the bound's slack. A
word on which q outgrows p beyond OVERFLOW counts as (0, 0).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..kernels import draw_words
from ..kernels.records import Draft, Draws, Steps, Strata, Tables
from ..kernels.types import ConstReals2
from ..model import Chain

BITS = 62


def steps_of(chain: Chain, tables: Tables, order: list[int]) -> Steps:
    """Rows in floats, and what decides a draw in integers."""
    rows = np.repeat(np.arange(len(order)), np.diff(tables.start))
    bottom = tables.denominator[rows]
    chance = tables.low / bottom
    summed = np.cumsum(tables.low)
    summed -= (summed - tables.low)[tables.start[rows]]
    half = BITS // 2
    whole, rest = np.divmod(summed << half, bottom)
    bar = (whole << half) + (rest << half) // bottom
    place = {state: i for i, state in enumerate(order)}
    for row in np.unique(rows[tables.low != tables.high]).tolist():
        total = Fraction(0)
        for arc, (_, p) in enumerate(sorted((place[j], p) for j, p in chain.rows[order[row]]), int(tables.start[row])):
            total += p
            chance[arc], bar[arc] = float(p), (total.numerator << BITS) // total.denominator
    return Steps(tables.first, tables.label, tables.start, tables.target, chance, bar)


def rounding_error(steps: Steps, horizon: int) -> float:
    """A bound for what rounding changes in a statistic: 8(k + n + 8)·2^-53 with k roundings in an entry, n states."""
    into = int(np.bincount(steps.target, minlength=1).max())
    roundings = 4 + horizon * (into + 2)
    return float(8 * (roundings + len(steps.label) + 8) * 2.0**-53)


def draw(
    steps: Steps,
    strata: Strata,
    stream: np.random.Generator,
    size: int,
    horizon: int,
    tolerance: float,
    scales: ConstReals2,
    checkpoints: tuple[int, ...] = (),
) -> Draws:
    """``size`` words from the strata, each stratum in proportion to its gap.

    ``scales``: rows (α above, α below) by which q is multiplied for the statistic from below and from above.
    """
    tickets = stream.integers(0, int(strata.ends[-1]), size=size, dtype=np.int64)
    bits = stream.integers(0, 1 << BITS, size=(size, horizon), dtype=np.int64)
    shape = (size, len(scales))
    out = Draws(
        np.zeros(shape),
        np.zeros(shape),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros((size, len(checkpoints))),
    )
    draft = Draft(tickets, bits, scales, tolerance, rounding_error(steps, horizon), np.array(checkpoints, np.int64))
    draw_words(steps, strata, draft, out)
    return out
