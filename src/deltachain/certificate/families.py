"""Certificates about every value of a parameter: the chain that was made at its point, as the checker sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from ..checker import verify
from ..checker.families import ChainFamily, family
from ..checker.kernel import NOT_PROVED
from ..checker.open_numbers import OpenNumber
from ..errors import CertificateRejected, InputError
from ..model import Chain
from ..numbers.field import Exact
from ..numbers.fraction import format_fraction
from ..numbers.parameter import OpenParameter

ENDS = (("from", "after"), ("to", "before"))


def open_parameter(document: Any) -> OpenParameter | None:
    """The parameter and its interval, if the certificate is about every value of one; nothing else of it is read."""
    if not isinstance(document, dict) or "parameter" not in document:
        return None
    given = document["parameter"]
    if not (isinstance(given, list) and len(given) == 3 and all(isinstance(part, str) for part in given)):
        raise CertificateRejected("parameter", "a name and the two ends of its interval")
    name, low, high = given
    try:
        return OpenParameter.read(f"{name}={low}:{high}")
    except InputError as error:
        raise CertificateRejected("parameter", str(error)) from None


def verify_everywhere(chain: Chain, document: Any, interval: OpenParameter, *, formal: bool = False) -> list[str]:
    """What the certificate proves for every value of the parameter; the chain is the one at its point."""
    if formal:
        raise CertificateRejected("parameter", NOT_PROVED)
    return verify(family_of(chain, interval), document)


def family_of(chain: Chain, interval: OpenParameter) -> ChainFamily:
    """The chain that was made at the point of an open parameter, for every value of it, as the checker sees it."""
    names = chain.states

    def seen(p: Exact) -> OpenNumber:
        found = interval.function(p)
        top, bottom = (tuple(map(int, part.coeffs())) for part in (found.top, found.bottom))
        return OpenNumber.of(top, bottom)

    rows = {}
    for name, (row,) in zip(names, chain.points, strict=True):
        rows[name] = {names[t]: seen(p) for t, p in row}
    return family(interval.name, interval.low, interval.high, dict(zip(names, chain.labels, strict=True)), rows)


def family_document(chain: Chain, interval: OpenParameter) -> dict[str, Any]:
    """The native file of the model with its parameter open, which the checker reads by itself."""
    found = family_of(chain, interval)
    rows: Any = {state: rows[None] for state, rows in found.chain.given.items()}
    states = {
        state: {"label": label, "to": {target: p.text(found.name) for target, p in rows[state].items()}}
        for state, label in found.chain.label.items()
    }
    ends = [format_fraction(interval.low), format_fraction(interval.high)]
    header = {"format": "deltachain.chain/1", "parameter": {interval.name: ends}}
    return header | {"states": states, "relation": [list(pair) for pair in chain.pairs]}


def require_claimed_everywhere(chain: Chain, document: Mapping[str, Any]) -> bool:
    """CertificateRejected unless what is claimed from above of one pair is claimed of all, at the same values.

    A certificate that only refutes needs no more than one pair: False, since it says nothing of the others.
    """
    parts: dict[frozenset[str], list[tuple[Fraction, Fraction]]] = {frozenset(pair): [] for pair in chain.pairs}
    for claim in document["claims"]:
        if claim.keys() & {"upper", "below"}:
            low, high = (Fraction(claim.get(closed, claim.get(open_))) for closed, open_ in ENDS)
            parts.setdefault(frozenset(claim["pair"]), []).append((low, high))
    whole = _union(part for found in parts.values() for part in found)
    for pair in chain.pairs:
        if _union(parts[frozenset(pair)]) != whole:
            rule = f"every pair of the domain is claimed, at the same values; ({', '.join(pair)}) is not"
            raise CertificateRejected("domain", rule)
    return bool(whole)


def _union(parts: Iterable[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Closed intervals, those that touch as one."""
    found: list[tuple[Fraction, Fraction]] = []
    for low, high in sorted(parts):
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found
