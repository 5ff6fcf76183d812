"""`check`, `epsilon` and `parametric` of programs at all integers: each verb hands them here.

Every function returns None where the model is not asked about at all integers: it is then read as ever. What is proved
is a value as of any other model, with one pair that stands for all. A violation is a pair of integers, and the answer
is the ordinary one about the chain of these two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import fmpz_poly

import deltachain_checker
from deltachain_checker.integers import NAME

from ...beliefs.question import Terms
from ...cancel import Cancel
from ...certificate.checked import NOT_ASKED, Checked
from ...certificate.families import open_parameter
from ...certificate.rejection import ours
from ...errors import CertificateRejected, Defect, InputError, SolverError, Stopped
from ...integers.rings import AtPowerOfE, NumberRing
from ...integers.search import Alpha, Found, Reached, Spot, largest_ratio
from ...integers.supremum import Share, supremum
from ...model import Chain
from ...numbers.exponential import Exponential
from ...numbers.field import Exact, as_text
from ...numbers.flint import to_fraction
from ...numbers.parameter import OpenParameter, Ratio
from ...results.scope import Covered
from ...settings import Settings
from ..delta.show import Delta, PairDelta, Verdict
from ..epsilon.show import EpsilonBound
from ..parametric.find import DeltaCurve, violations
from ..parametric.show import Parametric
from .find import (
    IntegerQuestion,
    IntegersProof,
    SecretPair,
    at_epsilon,
    at_formula,
    at_rational,
    decide,
    document_of,
    is_about_all_integers,
    subject_of,
)

if TYPE_CHECKING:
    from ...beliefs.question import StopReason
    from ...certificate.claims import Claim
    from ...loading import AnyModel

NOTHING = Checked(None, "nothing was proved")
UNCHECKED = Checked(None, "exact in the search, not seen by an independent checker")
EXACT = Checked(False, "a ratio that the search computed exactly")
WORD = Checked(False, "a word's gain, which the search computed exactly")
BITS = 128
Ordinary = Callable[[Chain], Verdict]
"""What answers about the chain of a pair that was found."""


def _refuse(settings: Settings, name: str, what: str) -> None:
    raise InputError(Defect(settings.place(name), what, "give 0, or a finite domain of secrets"))


def refuse_beside(settings: Settings, **given: object) -> None:
    """InputError with everything that is asked beside a question for all integers, and has no meaning there."""
    fix = "leave it out, or give a finite domain of secrets"
    defects = [
        Defect(settings.place(name), "not used where inputs are all integers", fix)
        for name, value in given.items()
        if value not in (None, 1, (), [], False)
    ]
    if defects:
        raise InputError(defects)


def _search(subject: IntegerQuestion, found: Found) -> str:
    """How much was looked at, for people."""
    words = len(subject.mechanism.words)
    cut = f", {found.splits:,} of them cut in two" if found.splits else ""
    return f"{words:,} word{'s' * (words != 1)}, {found.regions:,} regions{cut}, {found.corners:,} corners"


def _pair_of(subject: IntegerQuestion, found: Found) -> SecretPair | None:
    """A pair that violates it; or one of the region that was left open, whose outputs far apart may do so."""
    place = found.violation or found.left
    return None if place is None else subject.pair_at(place)


def _require_decided(found: Found) -> None:
    if found.undecided is not None or found.violation is not None:
        what = "undecided: a region of integers is left open, where neither a proof nor a violating pair was found"
        raise SolverError(f"{what}; give a finite domain of secrets")


def check_integers(
    model: AnyModel, settings: Settings, terms: Terms, cancel: Cancel, ordinary: Ordinary, *, check: bool = True
) -> Verdict | None:
    """Is δ at most what is allowed, for all integers? None where that is not the question."""
    subject = subject_of(model, settings, cancel)
    if subject is None:
        return None
    if terms.allowed:
        _refuse(settings, "delta", "over all integers only δ = 0 is decided")
    subject, alpha, text = at_epsilon(subject, terms.at)
    found, stopped = Found(), False
    try:
        found = decide(subject, alpha, cancel)
    except Stopped:
        stopped = True
    pair = _pair_of(subject, found)
    if pair is not None:
        verdict = ordinary(subject.chain_of(pair, cancel))
        if verdict.verdict == "violated":
            return verdict
    _require_decided(found)
    proof = None if stopped else IntegersProof(subject, "delta", "0", text)
    checked = NOTHING if proof is None else proof.check(cancel) if check else NOT_ASKED
    upper = Fraction(int(stopped))
    why: StopReason = "finished" if cancel.reason is None else cancel.reason
    result = PairDelta(subject.pair, Fraction(0), upper, "regions of all integers", why, 0)
    return Verdict(
        terms.at,
        (result,),
        proof,
        terms.allowed or Fraction(0),
        checked=checked,
        inputs=Covered(everything=subject.everything),
        explanation=None if stopped else f"Searched: {_search(subject, found)}.",
    )


def delta_integers(model: AnyModel, settings: Settings, terms: Terms, cancel: Cancel) -> Delta | None:
    """The supremum of δ over all integers, exactly or between two bounds; None where that is not the question.

    Bounds from above are the search's own, exact in its arithmetic, and not checked by an independent checker.
    """
    subject = subject_of(model, settings, cancel)
    if subject is None:
        return None
    if not subject.mechanism.finite:
        what = "it announces integers, so that outputs are not finitely many: over all integers only δ = 0 is decided"
        fix = "ask epsilon or check with a δ of 0, or give a finite domain of secrets"
        raise InputError(Defect(subject.program.name, what, fix))
    subject, above, _ = at_epsilon(subject, terms.at)
    below = (
        above if terms.at.epsilon is None or isinstance(subject.mechanism.letter, int) else at_rational(subject, terms)
    )
    ring = subject.ring()
    with cancel.govern():
        high = supremum(subject.mechanism, ring, above, subject.shifts, cancel, subject.is_real)
        same = below is above
        low = high if same else supremum(subject.mechanism, ring, below, subject.shifts, cancel, subject.is_real)
    upper, lower = _exact(ring, high.upper), _exact(ring, low.lower)
    exact = same and upper == lower
    pair = None if low.place is None else subject.pair_at(low.place)
    if pair is None:
        where = "It is approached as inputs move apart."
    else:
        one, other = map(subject.show_secret, pair)
        where = f"It is attained by ({one}) and ({other})."
    return Delta(
        terms.at,
        (
            PairDelta(
                subject.pair,
                _between(lower)[0],
                min(_between(upper)[1], Fraction(1)),
                "corners of all integers",
                "finished",
                0,
                value=upper if exact else None,
            ),
        ),
        None,
        checked=UNCHECKED,
        inputs=Covered(everything=subject.everything),
        explanation=f"{where if exact else ''} Searched: {high.regions:,} regions, {high.corners:,} corners.".strip(),
    )


def _between(value: Exact) -> tuple[Fraction, Fraction]:
    """Fractions around the number."""
    return value.enclose(BITS) if isinstance(value, Exponential) else (Fraction(value), Fraction(value))


def parametric_integers(
    model: AnyModel,
    settings: Settings,
    interval: OpenParameter,
    alpha: Ratio,
    formula: str,
    allowed: Fraction | None,
    cancel: Cancel,
    ordinary: Callable[[IntegerQuestion, list[dict[str, Any]]], Parametric],
    *,
    check: bool = True,
) -> Parametric | None:
    """Is δ 0 for all integers and every value of the parameter? Else what ``ordinary`` says of a pair that violates."""
    subject = subject_of(model, settings, cancel, interval)
    if subject is None:
        return None
    if allowed is None or allowed:
        _refuse(settings, "delta", "over all integers and every value of a parameter only δ = 0 is decided")
    if not 0 <= interval.low < interval.high <= 1:
        what = f"{interval.name} is the ratio of noise, which lies between 0 and 1"
        raise InputError(Defect(settings.place("parameter"), what, f"give {interval.name}=0:1"))
    at, text = at_formula(alpha)
    found = decide(subject, at, cancel)
    pair = _pair_of(subject, found)
    if pair is not None:
        try:
            answer = ordinary(subject, list(pair))
        except InputError:  # noise is cut off in the chain of this pair: it is no function of the parameter
            if found.violation is None:
                raise
            return _violated_by_one_word(subject, found.violation, pair, interval, at, formula)
        if answer.violated:
            return answer
    _require_decided(found)
    proof = IntegersProof(subject, "delta", "0", text)
    return Parametric(
        interval=interval,
        exp_epsilon=formula,
        allowed=Fraction(0),
        violated=(),
        pieces=(),
        maximum=None,
        covers=subject.everything,
        seen=(1, found.corners),
        searched=_search(subject, found),
        checked=proof.check(cancel) if check else NOT_ASKED,
        _proof=proof,
    )


def _violated_by_one_word(
    subject: IntegerQuestion, place: Spot, pair: SecretPair, interval: OpenParameter, at: Alpha, formula: str
) -> Parametric:
    """Where a word's gain is positive at two inputs: its numerator, whose other factors are positive."""
    ((p, q), *_) = place.ratios
    gain = Ratio(at.bottom * p - at.top * q, fmpz_poly([1]))
    (word,) = place.words
    return Parametric(
        interval=interval,
        exp_epsilon=formula,
        allowed=Fraction(0),
        violated=tuple(violations([DeltaCurve(interval, (gain,))], Fraction(0))),
        pieces=(),
        maximum=None,
        covers=subject.everything,
        seen=(1, 1),
        against=((subject.show_secret(pair[0]), subject.show_secret(pair[1])),),
        searched=f"the word {' '.join(word.letters)}",
        by_one_word=True,
        checked=WORD,
    )


def epsilon_integers(
    model: AnyModel,
    settings: Settings,
    terms: Terms,
    cancel: Cancel,
    ordinary: Callable[[Chain], EpsilonBound],
    *,
    check: bool = True,
) -> EpsilonBound | None:
    """The least ε with δ = 0 for all integers; None where that is not the question."""
    subject = subject_of(model, settings, cancel)
    if subject is None:
        return None
    if terms.allowed:
        _refuse(settings, "delta", "over all integers the least ε is found for δ = 0")
    ring = subject.ring()
    reached, found = _largest(subject, ring, cancel)
    pair = None if reached.place is None or not reached.real else subject.pair_at(reached.place)
    if ring.at_most_zero(reached.bottom):
        if pair is not None:
            return ordinary(subject.chain_of(pair, cancel))
        raise SolverError("undecided: ratios of outputs seem to grow without end; give a finite domain of secrets")
    value = _exact(ring, reached)
    proved = found.violation is None and found.undecided is None and not cancel.reason
    low, high = _between(value)
    least = value.power if isinstance(value, Exponential) else Fraction(0) if value == 1 else None
    proof = None
    if proved:
        letter = subject.mechanism.letter
        proof = IntegersProof(subject, "ratio", as_text(value, letter if isinstance(letter, int) else 1), "")
    return EpsilonBound(
        pairs=(subject.pair,),
        delta=Fraction(0),
        exp_epsilon_proved=high if proved else None,
        refuted=low if reached.real else Fraction(1),
        exact=proved and reached.real,
        least=least if proved and reached.real else None,
        proved_epsilon=least if proved else None,
        value=value if proved and least is None and isinstance(value, Exponential) else None,
        checked_proved=NOTHING if proof is None else proof.check(cancel) if check else NOT_ASKED,
        checked_refuted=_checked_pair(subject, pair, least, value, cancel, ordinary) or EXACT,
        inputs=Covered(everything=f"{subject.everything}{_attain(subject, reached, pair)}"),
        _proof=proof,
    )


def _checked_pair(
    subject: IntegerQuestion,
    pair: SecretPair | None,
    least: Fraction | None,
    value: Exact,
    cancel: Cancel,
    ordinary: Callable[[Chain], EpsilonBound],
) -> Checked | None:
    """What the checker says of the pair that attains the ratio, where its chain is small, and has the same ε."""
    if pair is None or len(subject.mechanism.outputs) > 1:
        return None
    found = ordinary(subject.chain_of(pair, cancel))
    same = found.least == least if least is not None else value in (found.value, found.exp_epsilon_proved)
    return found.checked_refuted if found.exact and same else None


def _attain(subject: IntegerQuestion, reached: Reached, pair: SecretPair | None) -> str:
    """Where the largest ratio is attained, in a clause."""
    if not reached.real:
        return ""
    if pair is None:
        return " (approached as inputs move apart)" if reached.place is None else ""
    one, other = map(subject.show_secret, pair)
    return f" (attained by ({one}) and ({other}))"


def _largest(subject: IntegerQuestion, ring: NumberRing, cancel: Cancel) -> tuple[Reached, Found]:
    with cancel.govern():
        return largest_ratio(
            subject.mechanism, ring, subject.shifts, cancel, lambda place: subject.pair_at(place) is not None
        )


def _exact(ring: NumberRing, reached: Reached | Share) -> Exact:
    """The ratio, as a number."""
    if isinstance(ring, AtPowerOfE):
        found = ring.quotient(reached.top, reached.bottom)
        return found if found.rational is None else found.rational
    return to_fraction(reached.top / reached.bottom)


@ours()
def verify_integers(model: AnyModel, settings: Settings, certificate: Any, *, formal: bool = False) -> list[Claim]:
    """The claims of a certificate about all integers, proved about the program; for the neighbours given, if any are.

    Raises:
        CertificateRejected: it does not prove what it claims, or is about other neighbours.
        InputError: the program is not one of all integers.
    """
    if formal:
        raise CertificateRejected("extensions", f"{NAME} is not proved in Coq: leave out the formal checker")
    try:
        rules = [" ".join(map(str, claim["neighbours"])) for claim in certificate["proves"]]
        field = certificate.get("field", {})
        base = field.get("base", 1)
        claimed = rules[0]
    except (KeyError, TypeError, IndexError, AttributeError):
        raise CertificateRejected("certificate", "malformed: claims with neighbours") from None
    asked = settings.neighbours
    if asked is not None and any(" ".join(str(asked).split()) != rule for rule in rules):
        raise CertificateRejected("neighbours", "the neighbours that are asked about", asked, claimed)
    cancel = settings.cancel or Cancel()
    subject = subject_of(model, replace(settings, neighbours=claimed), cancel, open_parameter(certificate))
    if subject is None:
        what = "the certificate is about all integers, and this model is not asked about at all of them"
        raise InputError(Defect("model", what, "give the program without secrets, as it was asked about"))
    letter = subject.mechanism.letter
    if isinstance(letter, int) and isinstance(base, int) and base > 0 and base % letter == 0:
        subject = subject.finer(base // letter)
    return deltachain_checker.verify(deltachain_checker.ModelFile(document_of(subject)), certificate)


__all__ = [
    "check_integers",
    "delta_integers",
    "epsilon_integers",
    "is_about_all_integers",
    "parametric_integers",
    "refuse_beside",
    "verify_integers",
]
