"""`epsilon`: the least ε that is proved for a given δ, and the largest that is refuted.

How they are found is in `beliefs.least_epsilon`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cancel import Cancel, Report
from ..errors import InputError
from ..model import Chain
from ..rational import Number, as_fraction, as_probability, log_above, log_below
from ..render.html import html_table
from ..render.numbers import decimal, exactly, json_number
from ..render.results import exact_value, pairs_text
from .parameters import State, asked_pairs, budget_of, watching

if TYPE_CHECKING:
    from ..beliefs.least_epsilon import Judge, LeastAlpha
    from ..certificate.record import Certificate


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
    budget = budget_of(max_nodes)
    with watching(cancel, timeout, report, interruptible) as cancel:
        from ..beliefs.least_epsilon import Judge, least_alpha
        from ..beliefs.workspace import Workspace

        work = Workspace(chain, asked_pairs(chain, s, t, pairs))
        names = tuple((chain.states[a], chain.states[b]) for a, b in work.pairs)
        found = least_alpha(work, allowed, width, budget, cancel)
        exact = found.proved is not None and found.proved == found.refuted
        proof = _certificate(Judge(work, allowed, budget, cancel), allowed, found) if certificate else None
        return EpsilonBound(names, allowed, found.proved, found.refuted, exact, found.least_delta, proof)


def _certificate(judge: Judge, delta: Fraction, found: LeastAlpha) -> Certificate | None:
    """The proof of δ's interval at the e^ε proved or refuted; None if the search there did not find it again."""
    answer = judge.answer(found.refuted if found.proved is None else found.proved)
    shown = answer.lower > delta if found.proved is None else answer.upper <= delta
    return answer.certificate() if shown else None
