"""`epsilon`: the least ε that is proved for a given δ, and the largest that is refuted.

δ falls as ε grows. Where the belief graphs are finite, δ(α) is known exactly for all α, and so is the least α = e^ε.
Otherwise α is bisected on exact rationals: ``proved`` is the least α found with upper(α) ≤ δ, and every α below
``refuted`` has lower(α) > δ. For δ = 0 a pair is proved by the zero set of ld (THEORY: zero set), and refuted by any
word whose likelihood ratio exceeds α.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..chain import Chain
from ..errors import InputError
from ..rational import ExpEpsilon, Number, as_fraction, as_probability, log_above, log_below, simplest_between
from ..watch import Report, Watch
from .parameters import State, prepared, search_for, watching

if TYPE_CHECKING:
    from ..beliefs.intervals import Prepared, Search

__all__ = ["EpsilonBound", "epsilon"]

LARGEST_ALPHA = Fraction(2**64)
"""Beyond this e^ε (ε ≈ 44) the search for a sufficient ε is given up: such an ε protects nobody."""
FINITE_NODES = 20_000
BISECTION_NODES = 1000
"""Belief pairs for each α that a bisection tries, unless a budget is given: there are dozens of them."""


@dataclass(frozen=True)
class EpsilonBound:
    """The interval for the least e^ε at which all pairs are (ε, δ)-private: refuted ≤ e^ε ≤ proved."""

    delta: Fraction
    proved: Fraction | None
    """(ε, δ)-privacy is proved from this e^ε on; None if no such value was found."""
    refuted: Fraction
    """(ε, δ)-privacy is refuted for every smaller e^ε (1: for none)."""
    exact: bool
    """Whether ``proved`` is exactly the least e^ε."""
    least_delta: Fraction | None = None
    """If it is proved that no ε at all is enough: nor is any for a δ below this one."""

    @property
    def impossible(self) -> bool:
        """Whether it is proved that no ε at all is enough for this δ."""
        return self.least_delta is not None

    @property
    def pure(self) -> bool:
        """Whether this is about pure ε-privacy, δ = 0."""
        return self.delta == 0

    @property
    def epsilon(self) -> Fraction | None:
        """A decimal ε, rounded up, with e^ε ≥ proved."""
        return None if self.proved is None else log_above(self.proved)

    @property
    def epsilon_refuted(self) -> Fraction:
        """A decimal, rounded down: every smaller ε is refuted."""
        return log_below(self.refuted)


def epsilon(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    delta: Number,
    pairs: Iterable[tuple[State, State]] | None = None,
    precision: Number = "1e-6",
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    watch: Watch | None = None,
) -> EpsilonBound:
    """The least ε proved at δ, and the largest refuted; ``precision`` is where a bisection stops, relative in e^ε.

    >>> import deltachain as dc
    >>> bound = epsilon(dc.examples.survey(), delta=0)
    >>> bound.proved, bound.exact
    (Fraction(3, 1), True)
    """
    allowed = as_probability(delta, "delta")
    width = as_fraction(precision, "precision")
    if width <= 0:
        raise InputError("precision: it must be above 0")
    with watching(watch, timeout, report, interruptible) as watch:
        ready = prepared(chain, s, t, pairs)
        search = search_for(None, max_nodes, watch)
        exact = _from_losses(ready, allowed, search)
        return exact if exact is not None else _bisect(ready, allowed, width, search)


def _from_losses(ready: Prepared, delta: Fraction, search: Search) -> EpsilonBound | None:
    """The exact answer where every pair's belief graph is finite."""
    from ..beliefs.losses import find_losses

    worst, least_delta = Fraction(1), delta
    for pair in ready.pairs:
        losses = find_losses(ready, pair, max_nodes=search.max_nodes or FINITE_NODES, watch=search.watch)
        if losses is None:
            if least_delta == delta:
                return None
            break  # one pair without any ε is enough to know
        least_delta = max(least_delta, losses.one_sided)
        worst = max(worst, losses.exp_epsilon(delta) or worst)
    if least_delta > delta:
        return EpsilonBound(delta, None, LARGEST_ALPHA, exact=False, least_delta=least_delta)
    return EpsilonBound(delta, worst, worst, exact=True)


def _bisect(ready: Prepared, delta: Fraction, width: Fraction, search: Search) -> EpsilonBound:
    """Two bisections, for the least α that is proved and the greatest that is refuted."""
    from dataclasses import replace

    def over() -> bool:
        return search.watch.stopped()

    def judge(alpha: Fraction) -> tuple[bool, bool]:
        if over():
            return False, False
        search.watch.report(f"trying e^ε = {float(alpha):.9g}")
        if delta == 0 and _in_zero_set(ready, alpha):
            return True, False
        aim = replace(
            search,
            gap=Fraction(1, 10**12),
            max_nodes=search.max_nodes or BISECTION_NODES,
            enough=lambda found: max(i.upper for i in found) <= delta or max(i.lower for i in found) > delta,
        )
        answer = ready.bound(ExpEpsilon.exactly(alpha), aim)
        intervals = [pair.interval for pair in answer.pairs]
        return max(i.upper for i in intervals) <= delta, max(i.lower for i in intervals) > delta

    seen: dict[Fraction, tuple[bool, bool]] = {}

    def verdict(alpha: Fraction) -> tuple[bool, bool]:
        if alpha not in seen:
            seen[alpha] = judge(alpha)
        return seen[alpha]

    if verdict(Fraction(1))[0]:
        return EpsilonBound(delta, Fraction(1), Fraction(1), exact=True)
    high = Fraction(2)
    while not verdict(high)[0] and high < LARGEST_ALPHA and not over():
        high *= high
    proved = _last(Fraction(1), high, width, lambda a: not verdict(a)[0], over)[1] if verdict(high)[0] else None
    refuted = Fraction(1)
    if verdict(Fraction(1))[1]:
        top = proved if proved is not None else high
        refuted = _last(Fraction(1), top, width, lambda a: verdict(a)[1], over)[0]
    return EpsilonBound(delta, proved, refuted, exact=proved is not None and proved == refuted)


def _last(
    low: Fraction, high: Fraction, width: Fraction, holds: Callable[[Fraction], bool], over: Callable[[], bool]
) -> tuple[Fraction, Fraction]:
    """(low, high) around the last α at which ``holds``, which holds at low; high/low ≤ 1 + width unless stopped."""
    if holds(high):
        return high, high
    while high > low * (1 + width) and not over():
        third = (high - low) / 4
        middle = simplest_between(low + third, high - third)
        if holds(middle):
            low = middle
        else:
            high = middle
    return low, high


def _in_zero_set(ready: Prepared, alpha: Fraction) -> bool:
    """Whether every pair is private with δ = 0 at α, by the zero set of ld of the quotient."""
    from ..distances.space import PairSpace, relevant_states
    from ..distances.zero_set import zero_set

    if len(ready.alike) < len(ready.pairs):
        return False
    block = ready.quotient.block
    places = [tuple(block[ready.part.number(ready.chain.states[state])] for state in pair) for pair in ready.pairs]
    chain = ready.quotient.chain
    space = PairSpace.of(chain, alpha, relevant_states(chain, [(s, t) for s, t in places]))
    member = zero_set(space, "ld").member
    return all(bool(member[space.pair_of_states(s, t)] and member[space.pair_of_states(t, s)]) for s, t in places)
