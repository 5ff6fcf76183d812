"""From a chain and a certificate in memory to the trusted checker, which reads both as if they came from files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from deltachain_checker import Claim, Meter, Model, parse, verify
from deltachain_checker.certificate import FORMAT
from deltachain_checker.document import read_text
from deltachain_checker.meter import metered
from deltachain_checker.model import Row, checked_row
from deltachain_checker.numbers import AtExponential, OnInterval, Rationals, quotient, stretched

from ..cancel import spend
from ..errors import CertificateRejected, MissingFile
from ..memory import collector_paused
from ..model import AnyRow, Chain
from ..numbers.parameter import OpenParameter, Ratio
from .record import OLDER, Certificate
from .rejection import ours

if TYPE_CHECKING:
    from deltachain_checker_v1 import Model as OlderModel
    from deltachain_checker_v1.families import ChainFamily

MOST_BYTES, MOST_STEPS = 16_000_000, 40_000_000
"""The largest certificate, and the most work of the checker, for an answer that is checked before it is printed.

A step is worth about a tenth of a microsecond, so the work takes some four seconds with compiled loops, two to three
times that without. Bytes are limited as well: an answer should not wait until a file that nobody asked for is written
and read; those of graphs count four times, since it takes longer to check them (`record`). Neither is a time, so the
same question is answered in the same words on every machine. Whatever is larger is checked by ``deltachain verify``."""


AnyCertificate = Certificate | Mapping[str, Any] | str | Path


@cache
def compiled_loops() -> ModuleType | None:
    """The inner loops of recipes as machine code, which the checker's plain source is compiled to; or nothing."""
    try:
        return import_module("deltachain_checker._sums")
    except ModuleNotFoundError:  # not ImportError: machine code that is there and does not load is an error
        return None


@dataclass(frozen=True, eq=False)
class Seen:
    """A chain as the checkers see it: that of certificates of today, and the frozen one of format 1.

    Each view is made when a certificate asks for it. With an ``interval``, the chain was made at the point of a
    parameter, and is seen for every value of it.
    """

    chain: Chain
    interval: OpenParameter | None = None

    @cached_property
    def model(self) -> Model:
        """For the checker."""
        if self.interval is None:
            return model_of(self.chain)
        return open_model_of(self.chain, self.interval)

    @cached_property
    def older(self) -> OlderModel | ChainFamily:
        """For the checker of format 1."""
        if self.interval is None:
            return _older().older_model_of(self.chain)  # type: ignore[no-any-return]
        return _older().family_of(self.chain, self.interval)  # type: ignore[no-any-return]

    def verify(self, document: Any, meter: Meter | None = None) -> list[Claim]:
        """The claims of a document, as `parse_document` gives it, proved about the chain; CertificateRejected else."""
        with ours(), collector_paused():
            given = document.get("format") if isinstance(document, dict) else None
            if given == FORMAT:
                recipes = "recipes" in (document.get("extensions") or ())
                return verify(self.model, document, meter, compiled_loops() if recipes else None)
            if given != OLDER:
                raise CertificateRejected("file", f"an object of format {FORMAT} or {OLDER}", given)
            return _older().verify_older(self.older, document, meter)  # type: ignore[no-any-return]


CertificateJudge = Callable[[Seen, Any], list[Claim]]
"""A checker: the claims of a document, as `parse_document` gives it, proved about a chain; CertificateRejected else."""
OURS: CertificateJudge = Seen.verify


def verify_certificate(chain: Chain, certificate: AnyCertificate) -> list[Claim]:
    """The claims of the certificate, its document, or the file of one, proved about the chain; CertificateRejected."""
    return Seen(chain).verify(parse_document(certificate))


@ours()
def parse_document(certificate: AnyCertificate) -> Any:
    """The document as the checker reads it from a file; a MissingFile, no rejection, where there is none."""
    if isinstance(certificate, str | Path):
        if not Path(certificate).exists():
            raise MissingFile(str(certificate))
        written = read_text(str(certificate))
    else:
        written = "".join(certificate.chunks()) if isinstance(certificate, Certificate) else _text(certificate)
    with collector_paused():
        return parsed_text(written)


def parsed_text(written: str, meter: Meter | None = None) -> Any:
    """The document as the checker of its format reads it."""
    if f'"{FORMAT}"' in written[:HEAD]:
        return parse(written)
    document = _older().parse_older(written, meter)
    return parse(written) if isinstance(document, dict) and document.get("format") == FORMAT else document


HEAD = 1_000
"""Characters of a file in which its format is looked for: it comes first."""


BOUNDING = ("delta", "tradeoff", "ratio", "bd", "ld", "sd")
"""What bounds δ: itself, at every ε, by a ratio or by a distance."""


def claimed_pairs(claims: Iterable[Claim]) -> set[frozenset[str]]:
    """The pairs whose δ accepted claims bound, in whichever order."""
    return {frozenset(claim.subject) for claim in claims if claim.measure in BOUNDING}


def require_claimed(chain: Chain, claims: Iterable[Claim]) -> bool:
    """CertificateRejected unless every pair of the chain's relation is the subject of an accepted claim."""
    claimed = claimed_pairs(claims)
    for pair in chain.pairs:
        if frozenset(pair) not in claimed:
            rule = f"every pair of the domain is claimed; ({', '.join(pair)}) is not"
            raise CertificateRejected("domain", rule)
    return True


@ours()
def verify_bytes(seen: Seen, data: bytes, meter: Meter | None = None) -> list[Claim]:
    """The claims in the bytes of a certificate's file, all of them proved; CertificateRejected otherwise.

    All work counts on the meter, that of reading included: `Unfinished` where it is more than the meter allows.
    """
    with metered(meter):
        try:
            document = parsed_text(data.decode("utf-8"), meter)
        except UnicodeDecodeError as error:
            raise CertificateRejected("certificate", f"UTF-8 text: {error}") from None
        return seen.verify(document, meter)


@ours()
def model_of(chain: Chain) -> Model:
    """The chain as the checker sees it."""
    names, base = chain.states, chain.base_of_functions
    field = Rationals() if base is None else AtExponential(base)

    def see(name: str, row: AnyRow) -> Any:
        spend(len(row) * (10 if row.functions is None else 1000))
        if row.fractions is not None:
            return {names[t]: p for t, p in row.fractions}
        exact = row.functions
        if exact is None or base is None:
            from deltachain_checker.limits import Limits  # few models have any

            return Limits({names[t]: (lo, hi) for t, lo, hi in row.box}, row.box.rest)
        bottom, factor = stretched(exact.bottom, base // exact.k), base // exact.k
        found = {names[t]: quotient(base, stretched(top, factor), bottom) for t, top in exact.tops}
        return checked_row(f"state {name}", found, field)

    return Model(dict(zip(names, chain.labels, strict=True)), see_rows(chain, see), field)


@ours()
def open_model_of(chain: Chain, interval: OpenParameter) -> Model:
    """The chain that was made at the point of an open parameter, for every value of it, as the checker sees it."""
    names, field = chain.states, OnInterval(interval.name, interval.low, interval.high)
    rows: dict[str, dict[str | None, Row]] = {}
    for name, (row,) in zip(names, chain.points, strict=True):
        found = {names[t]: exact_number(interval.function(p), interval.name) for t, p in row}
        rows[name] = {None: checked_row(f"state {name}", found, field)}
    return Model(dict(zip(names, chain.labels, strict=True)), rows, field)


def exact_number(found: Ratio, name: str) -> Any:
    """A function of the parameter as claims have it."""
    return quotient(name, *coefficients(found))


def coefficients(found: Ratio) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of numerator and denominator."""
    top, bottom = (tuple(map(int, part.coeffs())) for part in (found.top, found.bottom))
    return top, bottom


def see_rows(chain: Chain, seen: Callable[[str, AnyRow], Any]) -> dict[str, dict[str | None, Any]]:
    """The rows of each state by input, each as it is seen."""
    return {
        name: {asked: seen(name, row) for asked, row in zip(chain.offered(s), rows, strict=True)}
        for s, (name, rows) in enumerate(zip(chain.states, chain.given, strict=True))
    }


def _older() -> ModuleType:
    """What is imported where a certificate of format 1 is met."""
    return import_module(".older", __package__)


def _text(document: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(document))
    except (TypeError, ValueError, RecursionError) as reason:
        raise CertificateRejected("certificate", f"not a JSON document: {reason}") from None
