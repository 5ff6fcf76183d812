"""Certificates about every value of a parameter: the chain that was made at its point, as the checker sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from deltachain_checker import Claim
from deltachain_checker.numbers import text as fraction_text

from ..errors import CertificateRejected, InputError
from ..model import Chain
from ..numbers.fraction import format_fraction
from ..numbers.parameter import OpenParameter
from .rejection import ours
from .verification import Seen, open_model_of


def is_about_integers(document: Any) -> bool:
    """Whether a certificate is about a program at all integers."""
    return isinstance(document, dict) and document.get("extensions") == ["integers"]


def open_parameter(document: Any) -> OpenParameter | None:
    """The parameter and its interval, if the certificate is about every value of one; nothing else of it is read."""
    given = document if isinstance(document, dict) else {}
    if isinstance(given.get("field"), dict):
        found = given["field"].get("parameter")
        if isinstance(found, dict) and len(found) == 1 and all(isinstance(ends, list) for ends in found.values()):
            given = {"parameter": [part for name, ends in found.items() for part in (name, *ends)]}
        else:
            given = given["field"]
    if "parameter" not in given:
        return None
    parts = given["parameter"]
    if not (isinstance(parts, list) and len(parts) == 3 and all(isinstance(part, str) for part in parts)):
        raise CertificateRejected("parameter", "a name and the two ends of its interval")
    name, low, high = parts
    try:
        return OpenParameter.read(f"{name}={low}:{high}")
    except InputError as error:
        raise CertificateRejected("parameter", str(error)) from None


@ours()
def verify_everywhere(chain: Chain, document: Any, interval: OpenParameter, *, formal: bool = False) -> list[Claim]:
    """The claims of the certificate, proved for every value of the parameter; the chain is the one at its point."""
    seen = Seen(chain, interval)
    if formal:
        from .formal import verify_formally  # few ask for it, and it asks for the file of the model

        return verify_formally(seen, document)
    return seen.verify(document)


def open_hash(chain: Chain, interval: OpenParameter) -> str:
    """The content hash of that."""
    return open_model_of(chain, interval).sha256()


def family_document(chain: Chain, interval: OpenParameter) -> dict[str, Any]:
    """The native file of the model with its parameter open, which the checker reads by itself."""
    found = open_model_of(chain, interval)
    states = {
        state: {"label": label, "to": {target: _formula(p) for target, p in found.rows[state][None].items()}}
        for state, label in found.label.items()
    }
    ends = [format_fraction(interval.low), format_fraction(interval.high)]
    header = {"format": "deltachain.chain/1", "parameter": {interval.name: ends}}
    return header | {"states": states, "relation": [list(pair) for pair in chain.pairs]}


def _formula(number: Any) -> str:
    return fraction_text(number) if isinstance(number, Fraction) else str(number)


def require_claimed_everywhere(chain: Chain, claims: Iterable[Claim], interval: OpenParameter) -> bool:
    """CertificateRejected unless what is claimed from above of one pair is claimed of all: one bound, the same values.

    A certificate that only refutes needs no more than one pair: False, since it says nothing of the others.
    """
    first, last = Cut(interval.low, True), Cut(interval.high, False)  # no claim is about an end of the interval
    parts: dict[frozenset[str], dict[BoundTexts, list[ParameterPart]]] = {frozenset(pair): {} for pair in chain.pairs}
    for claim in claims:
        low, high, (after, before) = claim.terms["part"]
        part = max(Cut(low, after), first), min(Cut(high, not before), last)
        for side, bound in (("upper", claim.upper), ("below", claim.terms.get("below"))):
            if bound is not None:
                bounds = parts.setdefault(frozenset(claim.subject), {})
                bounds.setdefault((side, str(bound)), []).append(part)
    found = {pair: {bound: _union(some) for bound, some in bounds.items()} for pair, bounds in parts.items()}
    whole = {bound: _union(p for bounds in found.values() for p in bounds.get(bound, ())) for bound in _all(found)}
    for pair in chain.pairs:
        if found[frozenset(pair)] != whole:
            rule = "every pair of the domain is claimed, by the same bounds at the same values"
            raise CertificateRejected("domain", f"{rule}; ({', '.join(pair)}) is not")
    return bool(whole)


class Cut(NamedTuple):
    """A place between values of the parameter: just before a value, or just behind it."""

    value: Fraction
    behind: bool


ParameterPart = tuple[Cut, Cut]
"""The values between two cuts."""
BoundTexts = tuple[str, str]
"""δ ≤ a function of the parameter, "upper", or δ < it, "below"."""


def _all(found: Mapping[Any, Mapping[BoundTexts, object]]) -> set[BoundTexts]:
    return {bound for bounds in found.values() for bound in bounds}


def _union(parts: Iterable[ParameterPart]) -> list[ParameterPart]:
    """Parts that overlap, or between which no value lies, as one."""
    found: list[ParameterPart] = []
    for low, high in sorted(parts):
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found
