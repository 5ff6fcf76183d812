"""Claims, the trunk: what an answer says is a list of them, and the checker says which of them are proved.

The class is the checker's, which shares no code with us: an accepted claim is read into our numbers, and results are
made of that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

from flint import fmpz_poly

from deltachain_checker import Claim
from deltachain_checker.numbers import Quotient

from ..numbers.exponential import Exponential, function_of
from ..numbers.field import Exact, as_text
from ..numbers.fraction import ExpEpsilon, format_fraction
from .checked import NOT_ASKED, Checked
from .record import Certificate

__all__ = ["Accepted", "Claim", "Evidence", "Unproved", "accepted_of", "as_exact", "in_our_numbers", "write_claim"]

INFINITY = "infinity"


class Evidence(Protocol):
    """What was found, whatever it is about: the claims that it proves, and how their certificate is made."""

    @property
    def claims(self) -> Sequence[Claim]:
        """What is proved, in the order in which it is said."""

    @property
    def missing(self) -> str:
        """Why there is no certificate; empty if there is one."""

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """The proof of the claims; `TooLarge` if it would be longer than asked for."""


@dataclass(frozen=True)
class Accepted:
    """The claims that a result is made of, in the order of those that were found, and what the checker said of them.

    Where it was not asked, or did not finish, they are the claims that were found.
    """

    claims: Sequence[Claim]
    checked: Checked = NOT_ASKED


class Unproved(Exception):
    """What was found is not among the claims that the checker accepted."""


def accepted_of(found: Sequence[Claim], accepted: Iterable[Claim]) -> list[Claim]:
    """For each claim that was found the accepted one that proves it, in our numbers; `Unproved` if there is none."""
    named: dict[tuple[str, tuple[str, ...]], list[Claim]] = defaultdict(list)
    for claim in accepted:
        named[claim.measure, claim.subject].append(claim)
    return [_proof_of(claim, named[claim.measure, claim.subject]) for claim in found]


def _proof_of(claim: Claim, accepted: Sequence[Claim]) -> Claim:
    about = [in_our_numbers(each) for each in accepted if _same_terms(claim.terms, each.terms)]
    if about and not any(_same_place(claim, each) for each in about):
        raise Unproved("its certificate is about another ε")
    for each in about:
        if _same_place(claim, each) and _proves(each, claim):
            return each
    raise Unproved("its numbers are not those that its certificate proves")


def _same_terms(found: Mapping[str, Any], accepted: Mapping[str, Any]) -> bool:
    """Whether a claim is about what was asked: its order, its prior, its guesses; and about nothing less."""
    if not found and not accepted:
        return True
    asked = all(key in accepted and (key in EXACT or accepted[key] == value) for key, value in found.items())
    return asked and all(found.get(key, False) == accepted.get(key, False) for key in NARROWING)


NARROWING = ("merged", "traces", "part", "view")
"""Terms with which a claim says less: of the merged chain, up to traces, for some values of a parameter, of a view."""
EXACT = ("corners", "moment", "delta")
"""Terms that are numbers which were found, and are compared as such."""


def _same_place(found: Claim, accepted: Claim) -> bool:
    """Whether an accepted claim is about the e^ε of one that was found, and no other near it."""
    if not found.at:
        return not accepted.at
    (asked,) = found.at
    if not isinstance(asked, ExpEpsilon):
        return all(number == asked for number in accepted.at)
    if len(accepted.at) == 2:
        return accepted.at == (asked.below, asked.above)
    (itself,) = accepted.at
    if asked.epsilon is None:
        return bool(itself == asked.below == asked.above)
    power = itself.power if isinstance(itself, Exponential) else Fraction(0) if itself == 1 else None
    return bool(power == asked.epsilon)


def _proves(accepted: Claim, found: Claim) -> bool:
    """Whether what was accepted is at least what was found."""
    if "part" in found.terms:  # of the terms, strict bounds among them, it is known already that they are the same
        return bool((accepted.lower, accepted.upper) == (found.lower, found.upper))
    if found.infinite or accepted.infinite:
        return found.infinite == accepted.infinite and _at_least(accepted.terms.get("delta"), found.terms.get("delta"))
    exact = all(accepted.terms[key] == found.terms[key] for key in EXACT if key in found.terms)
    above = found.upper is None or (accepted.upper is not None and accepted.upper <= found.upper)
    value = found.value is None or accepted.value == found.value
    return exact and above and value and _at_least(accepted.lower, found.lower)


def _at_least(proved: Exact | None, found: Exact | None) -> bool:
    return found is None or (proved is not None and bool(proved >= found))


def write_claim(claim: Claim, base: int | None = None) -> dict[str, object]:
    """The claim as a certificate has it, its functions of e in powers of e^(1/base); what it cites is beside it."""

    def number(value: Exact) -> str:
        return as_text(value, base or 1)

    terms, subject = claim.terms, list(claim.subject)
    made: dict[str, object] = {"claim": claim.measure, "secrets" if claim.measure == "guess" else "pair": subject}
    if "order" in terms:
        made["order"] = format_fraction(terms["order"])
    if "prior" in terms:
        made["prior"] = [*map(format_fraction, terms["prior"])]
    if "guesses" in terms:
        made["guesses"] = terms["guesses"]
    if "gains" in terms:
        made["gains"] = [[*map(format_fraction, row)] for row in terms["gains"]]
    if "corners" in terms:
        made["corners"] = [[number(a), number(b)] for a, b in terms["corners"]]
    if claim.infinite:
        made["lower"] = INFINITY
    bounds = {"lower": claim.lower, "upper": claim.upper}
    made |= {side: number(bound) for side, bound in bounds.items() if bound is not None}
    if "moment" in terms:
        made["moment"] = number(terms["moment"])
    return made


def in_our_numbers(claim: Claim) -> Claim:
    """The claim with functions of e as numbers of ours; one about every value of a parameter stays as it is."""
    if "part" in claim.terms:
        return claim
    numbers = (claim.lower, claim.upper, claim.value, *claim.at)
    if not claim.terms and all(number is None or isinstance(number, Fraction) for number in numbers):
        return claim

    def exact(number: Any) -> Exact | None:
        return None if number is None else as_exact(number)

    terms = dict(claim.terms)
    if "corners" in terms:
        terms["corners"] = [(as_exact(a), as_exact(b)) for a, b in terms["corners"]]
    if "moment" in terms:
        terms["moment"] = as_exact(terms["moment"])
    at, value = tuple(map(as_exact, claim.at)), exact(claim.value)
    return replace(claim, lower=exact(claim.lower), upper=exact(claim.upper), value=value, at=at, terms=terms)


def as_exact(number: Any) -> Exact:
    """A number of the checker: a fraction, or a function of e^(1/k)."""
    if isinstance(number, Quotient) and isinstance(number.x, int):
        return function_of(number.x, *(fmpz_poly([*part]) for part in (number.top, number.bottom)))
    found: Fraction = number
    return found
