"""`EpsilonBound`: the least ε that is proved for a given δ, and the largest that is refuted."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...certificate.checked import NOT_ASKED, Checked
from ...model.words import written_word
from ...numbers.fraction import format_fraction, log_above, log_below, round_down, round_up
from ...results.numbers import SHORT_FRACTION, decimal, exact_text, exactly, interval, json_number, outward
from ...results.scope import ALONE, ONLY_THESE, Covered, Covering, Scope, Scoped
from ...results.sections import Fields, Paragraph, ProvedValue, Section
from ...results.text import pairs_text

if TYPE_CHECKING:
    from ...certificate.claims import Evidence
    from ...numbers.field import Exact

PLACES = 9
"""Decimal places of an ε that is shown."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why no ε at all is enough for δ = 0.

    Attributes:
        first: the state that shows it.
        second: the state that cannot, or ever less.
        word: what ``first`` can show and ``second`` cannot, with the inputs that are given; empty if a cycle proves it.
        probability: of the word, from ``first``.
        prefix: what is seen first, where the ratio of the two grows without end along prefix, prefix cycle, …
        cycle: what is seen again and again.
        growth: what ``first`` shows is multiplied by at least this in each round, but for a constant.
        decay: what ``second`` shows, by at most this.
    """

    first: str
    second: str
    word: tuple[str, ...] = ()
    probability: Exact = Fraction(0)
    prefix: tuple[str, ...] = ()
    cycle: tuple[str, ...] = ()
    growth: Fraction = Fraction(0)
    decay: Fraction = Fraction(0)

    def sentence(self) -> str:
        """In words."""
        if self.word:
            chance = exactly(self.probability)
            chance = chance.removeprefix("≈ ") if chance.endswith(")") else chance  # it stands beside the number itself
            return (
                f"{self.first} shows `{written_word(self.word)}` with probability {chance}; {self.second} never does."
            )
        rounds = f"after `{written_word(self.prefix)}`, each further `{written_word(self.cycle)}` multiplies"
        more, less = outward(self.growth, "lower"), outward(self.decay, "upper")
        if self.growth == self.decay:
            return (
                f"{rounds[0].upper()}{rounds[1:]} what {self.second} shows by at most {less}, but for a constant, and "
                f"what {self.first} shows by as much, and adds to it: the ratio grows with the number of rounds."
            )
        return (
            f"{rounds[0].upper()}{rounds[1:]} what {self.first} shows by at least {more} and what {self.second} shows "
            f"by at most {less}, but for constants: the ratio grows without end."
        )

    def to_dict(self) -> dict[str, Any]:
        """The key ``reason`` of ``deltachain epsilon --json``."""
        whose = {"first": self.first, "second": self.second}
        if self.word:
            return whose | {"word": list(self.word), "probability": json_number(self.probability)}
        numbers = {"growth": json_number(self.growth, "lower"), "decay": json_number(self.decay, "upper")}
        return whose | {"prefix": list(self.prefix), "cycle": list(self.cycle), **numbers}


@dataclass(frozen=True, repr=False)
class EpsilonBound(Scoped, Covering, ProvedValue):
    """The interval for the least e^ε at which all pairs are (ε, δ)-private: refuted ≤ e^ε ≤
    exp_epsilon_proved. A value.

    Attributes:
        pairs: the pairs, by name, in the order asked.
        delta: the δ that is allowed.
        exp_epsilon_proved: (ε, δ)-privacy is proved from this e^ε on; None if no such value was found. Its ε is
            `epsilon`.
        refuted: (ε, δ)-privacy is refuted for every smaller e^ε (1: for none).
        exact: whether the least e^ε is known exactly: it is ``exp_epsilon_proved``, e^``least`` or ``value``.
        least_delta: if it is proved that no ε at all is enough: nor is any for a δ below this one.
        least: the least ε itself, exactly, where it is a rational number.
        proved_epsilon: the ε from which on privacy is proved, where it is a rational number; ``exp_epsilon_proved``
            is at e^ε or just above.
        value: the least e^ε itself, exactly, where it is a function of e and no power of it.
        scope: of how many independent runs it is, beside which models, over which limits, at which confidence.
        checked_proved: what the checker said of the proof of δ at ``exp_epsilon_proved``.
        checked_refuted: what the checker said of the proof that a larger δ is needed at ``refuted``, or just below.
        reached: where nothing was proved: the smallest δ for which some ε was, as (δ, e^ε).
        outside: the most that a row leaves out of the model, where noise is cut off.
        reason: why no ε is enough for δ = 0, where that is proved.
        inputs: how the pairs were chosen; `covers` says it.
    """

    pairs: tuple[tuple[str, str], ...]
    delta: Fraction
    exp_epsilon_proved: Fraction | None
    refuted: Fraction
    exact: bool
    least_delta: Fraction | None = None
    least: Fraction | None = None
    proved_epsilon: Fraction | None = None
    value: Exact | None = None
    scope: Scope = ALONE
    checked_proved: Checked = field(default=NOT_ASKED, compare=False)
    checked_refuted: Checked = field(default=NOT_ASKED, compare=False)
    reached: tuple[Fraction, Fraction] | None = None
    outside: Fraction = Fraction(0)
    reason: Reason | None = None
    inputs: Covered = ONLY_THESE
    _proof: Evidence | None = field(default=None, compare=False)

    @property
    def _compared(self) -> Sequence[tuple[str, str]]:
        return self.pairs

    @property
    def checked(self) -> Checked:
        """What the checker said before this was printed: accepted, if it accepted each end that says anything."""
        if self.exp_epsilon_proved is None:
            return self.checked_refuted
        return self.checked_proved + self.checked_refuted if self.refuted > 1 else self.checked_proved

    @property
    def impossible(self) -> bool:
        """Whether it is proved that no ε at all is enough for this δ."""
        return self.least_delta is not None or self.reason is not None

    @property
    def pure(self) -> bool:
        """Whether this is about pure ε-privacy, δ = 0."""
        return self.delta == 0

    @property
    def epsilon(self) -> Fraction | None:
        """A decimal ε, rounded up: (ε, δ)-privacy is proved from it on.

        The least ε, or the one proved, itself, where that is known.
        """
        known = self.least if self.least is not None else self.proved_epsilon
        if known is not None:
            return known
        return None if self.exp_epsilon_proved is None else log_above(self.exp_epsilon_proved)

    @property
    def proved(self) -> Fraction | None:
        """`exp_epsilon_proved`, under the name that it had; to be removed in the next release."""
        what = "EpsilonBound.proved is e^ε and reads like ε: ask for .epsilon, or for .exp_epsilon_proved"
        warnings.warn(what, DeprecationWarning, stacklevel=2)
        return self.exp_epsilon_proved

    @property
    def epsilon_refuted(self) -> Fraction:
        """A decimal, rounded down, or the least ε itself: every smaller ε is refuted."""
        return log_below(self.refuted) if self.least is None else self.least

    @property
    def _asked(self) -> str:
        return pairs_text(self.pairs) if len(self.pairs) == 1 else ""

    def __repr__(self) -> str:
        proved = "" if self.epsilon is None else f"epsilon={self._epsilon()}, "
        return super().__repr__().replace(": ", f": {proved}", 1)

    @property
    def headline(self) -> str:
        """What is proved, and what is refuted, by ε and e^ε; and what of it was checked."""
        trust = f"{self.scope.trust[1:]}: " if self.scope.trust else ""
        said = self._said
        return f"{trust}{self._answer()}{f'; {said}' if said else ''}{self.scope.aside}"

    @property
    def _said(self) -> str:
        """What the checker said, of each end where it is not the same."""
        proved, refuted = self.checked_proved, self.checked_refuted
        if self.exp_epsilon_proved is None and self.refuted <= 1:
            return ""
        everywhere: Exact = Fraction(0) if self.reason is None else self.reason.probability
        if refuted.accepted and (self.least_delta or 0) > everywhere:
            # A word proves less of δ, at every ε, than a search at one.
            return f"{refuted} up to ε = {self._epsilon_refuted()}"
        if str(proved) == str(refuted) or self.exp_epsilon_proved is None or self.refuted <= 1:
            return str(self.checked)
        return f"proved end {proved}, refuted end {refuted}"

    def _answer(self) -> str:
        kind = "pure ε-privacy" if self.pure else f"(ε, δ)-privacy with {interval('δ', self.delta, self.delta)}"
        runs = self.scope.runs.removeprefix(", ")
        kind += f" of {runs}" if self.repeat > 1 else f", {runs}," if runs else ""
        # Of a single pair the fields tell; of several, what is said is about the worst of them.
        several = len(self.pairs) > 1
        several = several or bool(self.inputs.everything)
        which = f" {self.inputs.which(len(self.pairs), self.pairs[0], self.scope.everywhere)}"
        kind += which if several else self.scope.everywhere
        if self.impossible and self.least_delta is None:
            return f"no ε is enough for {kind}: the likelihood ratio of some outputs grows without end"
        if self.least_delta is not None:
            because = "some outputs are possible from only one state of a pair"
            least = exactly(self.least_delta, side="lower").removeprefix("≥ ")
            return f"no ε is enough for {kind}: {because}, and δ must be at least {least}"
        refuted = f"refuted for every ε < {self._epsilon_refuted()}" if self.refuted > 1 else "refuted for no ε"
        if self.exp_epsilon_proved is None:
            because = ": noise is cut off" if self.outside else ""
            return f"{kind} is not proved for any ε that was tried{because}; {refuted}"
        if self.exp_epsilon_proved == 1 or self.least == 0:
            return f"{kind} holds for every ε ≥ 0"
        if self.least is not None:
            return f"{kind} holds from {_name(self.least)} on, exactly, and for no smaller one"
        if self.exact:
            return f"{kind} holds from {self._least()} on, and for no smaller one: ε = {self._epsilon()}, rounded up"
        if self.proved_epsilon is not None:
            return f"{kind} is proved from {_name(self.proved_epsilon)} on; {refuted}"
        return f"{kind} is proved from {self._least()} on (ε = {self._epsilon()}, rounded up); {refuted}"

    def sections(self) -> Sequence[Section]:
        """What it covers; why no ε is enough, or, where nothing was proved: what was, and what is in the way."""
        return [Fields([("covers", self.covers)]), *self._reasons()]

    def _reasons(self) -> Sequence[Section]:
        """Why no ε is enough; where nothing was proved: what was, for a larger δ, and what is in the way."""
        if self.reason is not None:
            return [Paragraph(self.reason.sentence())]
        if self.exp_epsilon_proved is not None or self.impossible or self.reached is None:
            return ()
        delta, alpha = self.reached
        most = outward(delta, "upper")
        at = outward(round_up(log_above(alpha), PLACES), "upper", PLACES + 3)
        told = f"At ε = {at}, δ ≤ {most} is proved: ask for a δ of at least {most}."
        if self.outside:
            cut = outward(self.outside, "upper", 2)
            told += (
                f"\nNoise is cut off: up to {cut} per row is not in the model, and no ε bounds it. "
                "For a smaller δ above 0, give the noise a smaller tail= in the program."
            )
        return [Paragraph(told)]

    def _least(self) -> str:
        """The e^ε proved: exactly if its fraction is short, else rounded up."""
        proved = self.exp_epsilon_proved or Fraction(1)
        if self.value is not None:
            formula = exact_text(self.value)
            shown = decimal(self.value, PLACES)
            return f"e^ε = {formula} {decimal(self.value)}" if len(formula) <= SHORT_FRACTION else f"e^ε {shown}"
        if len(format_fraction(proved)) <= SHORT_FRACTION:
            return interval("e^ε", proved, proved)
        return f"e^ε = {outward(proved, 'upper', PLACES)} (rounded up)"

    def _epsilon(self) -> str:
        """The ε proved, rounded up."""
        return outward(round_up(self.epsilon or Fraction(0), PLACES), "upper", PLACES + 3)

    def _epsilon_refuted(self) -> str:
        """The ε below which it is refuted, rounded down."""
        return outward(round_down(self.epsilon_refuted, PLACES), "lower", PLACES + 3)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, the keys of its own of ``deltachain epsilon --json``; exact numbers as text."""
        proved = self.epsilon
        return {
            "pairs": [list(pair) for pair in self.pairs],
            "delta": json_number(self.delta),
            "epsilon": None if proved is None else json_number(proved, "upper"),
            "exp_epsilon": None if self.exp_epsilon_proved is None else json_number(self.exp_epsilon_proved, "upper"),
            "epsilon_refuted": json_number(self.epsilon_refuted, "lower"),
            "exp_epsilon_refuted": json_number(self.refuted, "lower"),
            "exact": self.exact,
            **({} if self.value is None else {"value": json_number(self.value)}),
            "checked": self.checked.accepted,
            "covers": self.covered,
            "pure": self.pure,
            "impossible": self.impossible,
            "none": self.impossible,
            "reason": None if self.reason is None else self.reason.to_dict(),
            "delta_least": None if self.least_delta is None else json_number(self.least_delta, "lower"),
            **({} if self.reached is None else {"delta_reached": json_number(self.reached[0], "upper")}),
            **self.scope.keys(),
        }


def _name(epsilon: Fraction) -> str:
    """``ε = 0.5 (1/2)``, or ``ε ≈ 0.333333 (1/3)``."""
    shown = exactly(epsilon)
    return f"ε {shown}" if shown.startswith("≈") else f"ε = {shown}"
