"""`epsilon`: the least ε that is proved for a given δ, and the largest that is refuted.

δ falls as ε grows. Where the belief graphs are finite, δ(α) is known exactly for all α, and so is the least α = e^ε.
Otherwise α is bisected on exact rationals: ``proved`` is the least α found with upper(α) ≤ δ, and every α below
``refuted`` has lower(α) > δ. For δ = 0 a pair is proved by the zero set of ld (docs/theory/zero-set.md) at any α' ≤ α,
also one that a bisection would not try (`pure`), and refuted by any word whose likelihood ratio exceeds α.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cancel import Cancel, Report
from ..errors import InputError, Stopped
from ..model import Chain
from ..rational import ExpEpsilon, Number, as_fraction, as_probability, log_above, log_below, simplest_between
from ..render.html import html_table
from ..render.numbers import decimal, exactly, json_number
from ..render.results import exact_value, pairs_text
from .parameters import State, loss_budget, prepared, search_for, watching
from .pure import in_zero_set, ratios

if TYPE_CHECKING:
    from ..beliefs.answers import Answer, Search
    from ..beliefs.intervals import Prepared
    from ..certificate.record import Certificate

LARGEST_ALPHA = Fraction(2**64)
"""Beyond this e^ε (ε ≈ 44) the search for a sufficient ε is given up: such an ε protects nobody."""
BISECTION_NODES = 15_000
"""Belief pairs for each α that a bisection tries, unless a budget is given: there are dozens of them."""
BISECTION_GAP = Fraction(1, 10**12)
"""An interval narrower than this, on both sides of δ, is not narrowed further."""


@dataclass(frozen=True, repr=False)
class EpsilonBound:
    """The interval for the least e^ε at which all pairs are (ε, δ)-private: refuted ≤ e^ε ≤ proved. A value."""

    pairs: tuple[tuple[str, str], ...]
    delta: Fraction
    proved: Fraction | None
    """(ε, δ)-privacy is proved from this e^ε on; None if no such value was found."""
    refuted: Fraction
    """(ε, δ)-privacy is refuted for every smaller e^ε (1: for none)."""
    exact: bool
    """Whether ``proved`` is exactly the least e^ε."""
    least_delta: Fraction | None = None
    """If it is proved that no ε at all is enough: nor is any for a δ below this one."""
    certificate: Certificate | None = field(default=None, compare=False)
    """If it was asked for: proof of the interval of δ at ``proved``, or at ``refuted`` if nothing was proved."""

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

    def __repr__(self) -> str:
        return f"<EpsilonBound: {self._sentence()}, δ = {decimal(self.delta)}, {pairs_text(self.pairs)}>"

    def _sentence(self) -> str:
        if self.least_delta is not None:
            return f"no ε is enough (δ must be at least {exactly(self.least_delta)})"
        if self.proved is None:
            return f"not proved for any e^ε, refuted below {decimal(self.refuted)}"
        if self.exact:
            return f"least {exact_value('e^ε', self.proved)}"
        return f"proved from {exact_value('e^ε', self.proved)}, refuted below {decimal(self.refuted)}"

    def _repr_html_(self) -> str:
        proved = "none found" if self.epsilon is None else decimal(self.epsilon, 9, "upper")
        rows = [
            ("proved from ε", proved),
            ("refuted below ε", decimal(self.epsilon_refuted, 9, "lower")),
            ("exact", "yes" if self.exact else "no"),
        ]
        return html_table(f"{self._sentence()}, δ = {decimal(self.delta)}, {pairs_text(self.pairs)}", ("", ""), rows)

    def to_dict(self) -> dict[str, object]:
        """The result as plain data, the keys of its own of ``deltachain epsilon --json``; exact numbers as text."""
        proved = self.epsilon
        return {
            "pairs": [list(pair) for pair in self.pairs],
            "delta": json_number(self.delta),
            "epsilon": None if proved is None else json_number(proved, "upper"),
            "exp_epsilon": None if self.proved is None else json_number(self.proved, "upper"),
            "epsilon_refuted": json_number(self.epsilon_refuted, "lower"),
            "exp_epsilon_refuted": json_number(self.refuted, "lower"),
            "exact": self.exact,
            "pure": self.pure,
            "impossible": self.impossible,
            "delta_least": None if self.least_delta is None else json_number(self.least_delta, "lower"),
        }


def epsilon(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    delta: Number,
    pairs: Iterable[tuple[State, State]] | None = None,
    precision: Number = "1e-6",
    certificate: bool = False,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> EpsilonBound:
    """The least ε proved at δ, and the largest refuted; ``precision`` is where a bisection stops, relative in e^ε.

    With ``certificate``, the result carries the proof that δ is allowed at the ε proved (or, if none is, that it is not
    at the ε refuted).

    >>> import deltachain as dc
    >>> bound = epsilon(dc.examples.survey(), delta=0)
    >>> bound.proved, bound.exact
    (Fraction(3, 1), True)
    """
    allowed = as_probability(delta, "delta")
    width = as_fraction(precision, "precision")
    if width <= 0:
        raise InputError("precision: it must be above 0")
    with watching(cancel, timeout, report, interruptible) as cancel:
        ready = prepared(chain, s, t, pairs)
        search = search_for(None, max_nodes, cancel)
        names = tuple((chain.states[a], chain.states[b]) for a, b in ready.pairs)
        known = _from_losses(ready, allowed, search)
        if known is None:
            known = _bisect(_Judge(ready, allowed, search), width)
        proved, refuted, least_delta = known
        exact = proved is not None and proved == refuted
        proof = _certificate(ready, allowed, proved, refuted, search) if certificate else None
        return EpsilonBound(names, allowed, proved, refuted, exact, least_delta, proof)


def _certificate(
    ready: Prepared, delta: Fraction, proved: Fraction | None, refuted: Fraction, search: Search
) -> Certificate | None:
    """The proof of δ's interval at the e^ε proved or refuted; None if the search there did not find it again."""
    from ..certificate.deltas import delta_certificate

    judge = _Judge(ready, delta, search)
    answer = judge.answer(refuted if proved is None else proved)
    lower, upper = (max(getattr(p.interval, side) for p in answer.pairs) for side in ("lower", "upper"))
    shown = lower > delta if proved is None else upper <= delta
    return delta_certificate(answer) if shown else None


Bounds = tuple[Fraction | None, Fraction, Fraction | None]
"""What is proved, what is refuted, and the least δ if no ε is enough: see `EpsilonBound`."""


def _from_losses(ready: Prepared, delta: Fraction, search: Search) -> Bounds | None:
    """The exact answer where every pair's belief graph is finite."""
    from ..beliefs.losses import find_losses

    worst, least_delta = Fraction(1), delta
    for pair in ready.pairs:
        losses = find_losses(ready, pair, max_nodes=loss_budget(ready, search), cancel=search.cancel)
        if losses is None:
            if least_delta == delta:
                return None
            break  # one pair without any ε is enough to know
        least_delta = max(least_delta, losses.one_sided)
        worst = max(worst, losses.exp_epsilon(delta) or worst)
    if least_delta > delta:
        return None, LARGEST_ALPHA, least_delta
    return worst, worst, None


class _Judge:
    """Says of any α whether (ε, δ)-privacy is proved there, or refuted; each α is judged once.

    Neither is said of an α that was not judged before the work was cancelled; what other α have shown stands.
    """

    def __init__(self, ready: Prepared, delta: Fraction, search: Search) -> None:
        self._ready, self._delta = ready, delta
        self.cancel = search.cancel
        self._search = replace(
            search,
            gap=BISECTION_GAP,
            max_nodes=search.max_nodes or BISECTION_NODES,
            enough=lambda found: max(i.upper for i in found) <= delta or max(i.lower for i in found) > delta,
        )
        self._bounds: dict[Fraction, tuple[Fraction, Fraction]] = {}

    def proves(self, alpha: Fraction) -> bool:
        """Whether δ(α) ≤ δ is proved."""
        return self._bound(alpha)[1] <= self._delta

    def refutes(self, alpha: Fraction) -> bool:
        """Whether δ(α) > δ is proved."""
        return self._bound(alpha)[0] > self._delta

    def _bound(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """(lower, upper) of δ at α."""
        if alpha not in self._bounds:
            if self.cancel.stopped():
                return Fraction(0), Fraction(2)
            self.cancel.report(f"trying e^ε = {float(alpha):.9g}")
            self._bounds[alpha] = self._measured(alpha)
        return self._bounds[alpha]

    def _measured(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        if self.in_zero_set(alpha):
            return Fraction(0), Fraction(0)
        found = [pair.interval for pair in self.answer(alpha).pairs]
        return max(i.lower for i in found), max(i.upper for i in found)

    def in_zero_set(self, alpha: Fraction) -> bool:
        """Whether the question is about δ = 0, and the zero set of ld at α answers it. False if cancelled."""
        try:
            return self._delta == 0 and in_zero_set(self._ready, alpha, self.cancel)
        except Stopped:
            return False

    def ratios(self, low: Fraction, high: Fraction) -> list[Fraction]:
        """Where zero sets may do better than a bisection; none if δ is not 0."""
        return ratios(self._ready.quotient.chain, low, high) if self._delta == 0 else []

    def answer(self, alpha: Fraction) -> Answer:
        """The intervals of all pairs at α, as far as the verdict needs them."""
        return self._ready.bound(ExpEpsilon.exactly(alpha), self._search)


def _bisect(judge: _Judge, width: Fraction) -> Bounds:
    """Two bisections: for the least α that is proved, and for the greatest that is refuted."""
    one = Fraction(1)
    if judge.proves(one):
        return one, one, None
    top = _sufficient(judge)
    proved = None
    if judge.proves(top):
        _, proved = _narrowed(one, top, width, lambda alpha: not judge.proves(alpha), judge.cancel)
    refuted = one
    if judge.refutes(one):
        end = top if proved is None else proved
        refuted = end if judge.refutes(end) else _narrowed(one, end, width, judge.refutes, judge.cancel)[0]
    return _by_ratios(judge, refuted, proved), refuted, None


def _by_ratios(judge: _Judge, refuted: Fraction, proved: Fraction | None) -> Fraction | None:
    """The first ratio between what is refuted and what is proved whose zero set proves δ = 0; else what was proved."""
    for alpha in judge.ratios(refuted, LARGEST_ALPHA if proved is None else proved):
        if judge.cancel.stopped():
            break
        judge.cancel.report(f"zero set at e^ε = {float(alpha):.9g}")
        if judge.in_zero_set(alpha):
            return alpha
    return proved


def _sufficient(judge: _Judge) -> Fraction:
    """The first of 2, 4, 16, 256, … that is proved; the last one tried if none is."""
    alpha = Fraction(2)
    while not judge.proves(alpha) and alpha < LARGEST_ALPHA and not judge.cancel.stopped():
        alpha *= alpha
    return alpha


def _narrowed(
    low: Fraction, high: Fraction, width: Fraction, holds: Callable[[Fraction], bool], cancel: Cancel
) -> tuple[Fraction, Fraction]:
    """(low, high) moved together: ``holds`` at low, not at high; high/low ≤ 1 + width unless it is cancelled."""
    while high > low * (1 + width) and not cancel.stopped():
        quarter = (high - low) / 4
        middle = simplest_between(low + quarter, high - quarter)
        if holds(middle):
            low = middle
        else:
            high = middle
    return low, high
