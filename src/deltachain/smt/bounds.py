"""Exact bounds of bd on every pair that a question depends on: the zero set, and sweeps of Γ from below and above.

Γ is monotone with least fixed point bd. From 0 upwards every iterate is ≤ bd, and so is anything below it. From the
pre-fixed point 1_{not Z} downwards every iterate is ≥ bd, and so is anything above it; iterates that never rise stay
pre-fixed points. So long iterates may be rounded outward to short dyadic numbers. No float takes part. The sweeps stop
when the bounds are as near as asked (`CLOSE`, relative) or after `most_sweeps`; they are bounds whenever they stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..distances.closure import ExactClosure, close_exactly
from ..distances.pair_space import PairSpace, relevant_states
from ..distances.step_exact import Entry, Flow, by_label, flow_value, pair_imbalance, solve_label, unfold_amounts
from ..distances.zero_set import ZeroSet, zero_set
from .question import Question
from .reduction import Bounds, Pair, unordered

if TYPE_CHECKING:
    from flint import fmpq

LONGEST, BITS = 128, 40
"""An iterate whose denominator is longer than LONGEST bits is rounded outward to a multiple of 2^−BITS. Shorter ones
stay as they are, so that on chains without cycles the two sides meet."""

MOST_STEPS = 100_000
"""So many exact steps are spent on bounds in all; with more pairs there are fewer sweeps."""

CLOSE = Fraction(1, 64)
"""Sweeping stops when upper − lower ≤ CLOSE · upper on every pair."""


@dataclass(frozen=True)
class Background:
    """The pairs that the asked pair depends on, and which of them are zero, with proofs."""

    space: PairSpace
    zero: ZeroSet

    @property
    def zero_bounds(self) -> dict[Pair, tuple[Fraction, Fraction]]:
        """(0, 0) for the pairs of the zero set, the diagonal included."""
        u, v = self.space.ends
        states = self.space.states
        nothing = (Fraction(0), Fraction(0))
        members = [int(p) for p in self.zero.member.nonzero()[0]]
        return {unordered(states[u[p]], states[v[p]]): nothing for p in members}


def look(question: Question) -> Background:
    """The relevant pairs and their zero set, exactly."""
    states = relevant_states(question.chain, [(question.s, question.t)])
    space = PairSpace.of(question.chain, question.alpha, states)
    return Background(space, zero_set(space, "bd"))


def as_exact(value: fmpq) -> Fraction:
    """A flint rational as a Fraction."""
    return Fraction(int(value.p), int(value.q))


def as_flint(value: Fraction) -> fmpq:
    """A Fraction as a flint rational."""
    from flint import fmpq

    return fmpq(value.numerator, value.denominator)


def optimal_flow(space: PairSpace, pair: int, closure: ExactClosure) -> Flow:
    """The cheapest flow of an ordered pair at the costs of an exact closure; exact."""
    u, v = space.ends
    amounts: dict[Entry, fmpq] = {}
    for part in by_label(space, pair_imbalance(space, int(u[pair]), int(v[pair]))):
        amounts |= solve_label(part, closure.cost, closure.gains).amounts
    return unfold_amounts(space, amounts, closure)


def sweep_bounds(background: Background, most_sweeps: int = 48) -> Bounds:
    """(lower, upper) of bd for every relevant pair, zero on the zero set; upper is a pre-fixed point."""
    space, member = background.space, background.zero.member
    u, v = space.ends
    pairs = [int(p) for p in (~member).nonzero()[0] if u[p] < v[p]]
    lower = [as_flint(Fraction(0))] * len(space)
    upper = [as_flint(Fraction(0 if member[p] else 1)) for p in range(len(space))]
    for _ in range(min(most_sweeps, MOST_STEPS // max(1, 4 * len(pairs)))):
        lower = _applied(space, pairs, lower, up=False)
        upper = _applied(space, pairs, upper, up=True)
        close = as_flint(CLOSE)
        if all(upper[p] - lower[p] <= close * upper[p] for p in pairs):
            break
    states = space.states
    found = {unordered(states[u[p]], states[v[p]]): (as_exact(lower[p]), as_exact(upper[p])) for p in pairs}
    return background.zero_bounds | found


def _applied(space: PairSpace, pairs: list[int], d: list[fmpq], *, up: bool) -> list[fmpq]:
    """Γ(d) on the pairs, rounded outward; d itself elsewhere."""
    from flint import fmpq

    closure = close_exactly(space, d)
    after = list(d)
    scale = 2**BITS
    for pair in pairs:
        other = int(space.swapped[pair])
        value = max(flow_value(space, optimal_flow(space, p, closure), d) for p in (pair, other))
        if int(value.q).bit_length() > LONGEST:
            scaled = value * scale
            value = fmpq(int(scaled.ceil() if up else scaled.floor()), scale)
            # Above Γ(d), not above d: with d a pre-fixed point, so is what comes after it.
            value = min(value, d[pair]) if up else value
        after[pair] = after[other] = value
    return after
