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
from math import frexp, ldexp
from typing import Any, NamedTuple

import numpy as np

from ..jit import compiled
from ..kernels.records import Tables
from ..model import Chain

BITS = 62
OVERFLOW = 2.0**300
SPARSE = 4
"""States are listed while this many times their number is below that of the next label."""


class Steps(NamedTuple):
    """The chain's rows in CSR form, arcs by target; states of one label stand together."""

    first: Any
    label: Any
    start: Any
    target: Any
    chance: Any
    """The probability of each arc, as the nearest float."""
    bar: Any
    """⌊2^BITS · (the row's probabilities up to this arc, added up)⌋."""


class Strata(NamedTuple):
    """Beliefs in integers: where a word may start."""

    label: Any
    begin: Any
    """Where the entries of each stratum start in ``values``."""
    spot: Any
    """Where its states start in ``states``; −1 if it has an entry for every state of its label."""
    length: Any
    sign: Any
    """1 if |m^+| ≤ |m^-|, else −1: the belief is turned."""
    ends: Any
    """Gaps, added up."""
    values: Any
    states: Any


class Draws(NamedTuple):
    """What a batch of words says, and what it took."""

    below: Any
    """below[k, a] is at most the statistic from below of word k at the scale a."""
    beyond: Any
    """beyond[k, a] is at most 1 − the statistic from above."""
    letters: Any
    arcs: Any
    """Arcs visited, word by word."""
    apart: Any
    """apart[k, c]: how far the two statistics were apart after checkpoints[c] letters, about, at worst over scales."""


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


def _start(steps: Steps, strata: Strata, stratum: int, ticket: int, now: Any, support: Any) -> tuple[int, int]:
    """Write p and q of a stratum; the number of its states, and the hidden state that the ticket draws."""
    begin, spot, sign = strata.begin[stratum], strata.spot[stratum], strata.sign[stratum]
    low = steps.first[strata.label[stratum]]
    hidden, count = -1, 0
    for e in range(strata.length[stratum]):
        value = sign * strata.values[begin + e]
        if value == 0:
            continue
        state = low + e if spot < 0 else strata.states[spot + e]
        support[count] = state
        count += 1
        if value > 0:
            now[state, 0] = float(value)
            if hidden < 0 and ticket < value:
                hidden = state
            ticket -= value
        else:
            now[state, 1] = float(-value)
    return count, hidden


def _next_hidden(steps: Steps, hidden: int, bits: int) -> int:
    """The next hidden state; −1 if the bits do not decide."""
    arc = steps.start[hidden]
    while bits > steps.bar[arc]:
        arc += 1
    return -1 if bits == steps.bar[arc] else steps.target[arc]


def _filter(
    steps: Steps, label: int, scale: float, view: Any, now: Any, support: Any, then: Any, reached: Any, seen: Any
) -> int:
    """One letter: p and q over the states of ``label``; the arcs visited.

    ``view`` tells which states ``now`` may have entries at: (how many, the first one), or (how many, −1) if
    ``support`` lists them. Lists are for few states; where many are reached, all of a label are gone through in turn.
    """
    count, base = view[0], view[1]
    low, high = steps.first[label], steps.first[label + 1]
    listed = base < 0 and SPARSE * count < high - low
    found = arcs = 0
    for k in range(count):
        i = support[k] if base < 0 else base + k
        p, q = now[i, 0] * scale, now[i, 1] * scale
        if p == 0.0 and q == 0.0:
            continue
        now[i, 0] = now[i, 1] = 0.0
        arcs += steps.start[i + 1] - steps.start[i]
        for arc in range(steps.start[i], steps.start[i + 1]):
            j = steps.target[arc]
            if j < low:
                continue
            if j >= high:
                break
            if listed and not seen[j]:
                seen[j] = True
                reached[found] = j
                found += 1
            then[j, 0] += p * steps.chance[arc]
            then[j, 1] += q * steps.chance[arc]
    for k in range(found):
        seen[reached[k]] = False
    view[0], view[1] = (found, -1) if listed else (high - low, low)
    return arcs


def _masses(view: Any, now: Any, support: Any) -> tuple[float, float]:
    """|p| and |q|."""
    p = q = 0.0
    for k in range(view[0]):
        i = support[k] if view[1] < 0 else view[1] + k
        p += now[i, 0]
        q += now[i, 1]
    return p, q


def _statistics(
    view: Any, now: Any, support: Any, p: float, q: float, scales: Any, error: float, below: Any, beyond: Any
) -> float:
    """Write both statistics for each (α above, α below), rounded inward; how far they are apart at worst."""
    if not p > 0.0:  # all of it has vanished: `_draw` gives the word up
        return 1.0
    apart = 0.0
    for a in range(len(scales)):
        alpha = scales[a, 1]
        over = 0.0
        for k in range(view[0]):
            i = support[k] if view[1] < 0 else view[1] + k
            over += max(now[i, 0] - alpha * now[i, 1], 0.0)
        least, most = 1.0 - scales[a, 0] * q / p, over / p
        apart = max(apart, most - max(least, 0.0))
        below[a], beyond[a] = max(least - error, 0.0), max(1.0 - most - error, 0.0)
    return apart


def _draw(
    steps: Steps,
    strata: Strata,
    tickets: Any,
    bits: Any,
    scales: Any,
    tolerance: float,
    error: float,
    checkpoints: Any,
    out: Draws,
) -> None:
    n, horizon = len(steps.label), bits.shape[1]
    now, then = np.zeros((n, 2)), np.zeros((n, 2))
    support, reached, seen = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n, np.bool_)
    view = np.zeros(2, np.int64)
    for k in range(len(tickets)):
        stratum = np.searchsorted(strata.ends, tickets[k], side="right")
        ticket = tickets[k] - (strata.ends[stratum - 1] if stratum > 0 else 0)
        view[0], hidden = _start(steps, strata, stratum, ticket, now, support)
        view[1] = -1
        at = letters = 0
        p, q = _masses(view, now, support)
        apart = _statistics(view, now, support, p, q, scales, error, out.below[k], out.beyond[k])
        while letters < horizon and apart > tolerance:
            hidden = _next_hidden(steps, hidden, bits[k, letters])
            if hidden < 0 or not (p > 1.0 / OVERFLOW and p < OVERFLOW and q < OVERFLOW * p):
                out.below[k] = 0.0
                out.beyond[k] = 0.0
                break
            scale = ldexp(1.0, -frexp(p)[1])
            out.arcs[k] += _filter(steps, steps.label[hidden], scale, view, now, support, then, reached, seen)
            now, then = then, now
            support, reached = reached, support
            letters += 1
            p, q = _masses(view, now, support)
            # With many scales the statistics cost more than the letter: look less often.
            if letters == horizon or len(scales) == 1 or letters & (letters - 1) == 0 or letters % 16 == 0:
                apart = _statistics(view, now, support, p, q, scales, error, out.below[k], out.beyond[k])
            while at < len(checkpoints) and checkpoints[at] <= letters:
                out.apart[k, at] = apart
                at += 1
        for c in range(at, len(checkpoints)):
            out.apart[k, c] = apart
        for e in range(view[0]):
            i = support[e] if view[1] < 0 else view[1] + e
            now[i, 0] = now[i, 1] = 0.0
        out.letters[k] = letters


def draw(
    steps: Steps,
    strata: Strata,
    stream: np.random.Generator,
    size: int,
    horizon: int,
    tolerance: float,
    scales: Any,
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
    marks = np.array(checkpoints, np.int64)
    kernel = compiled(_draw, _start, _next_hidden, _filter, _masses, _statistics)
    kernel(steps, strata, tickets, bits, scales, tolerance, rounding_error(steps, horizon), marks, out)
    return out
