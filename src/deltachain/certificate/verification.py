"""From a chain and a certificate in memory to the trusted checker, which reads both as if they came from files."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from deltachain_checker_v1 import Claim, Meter, sums, verify
from deltachain_checker_v1.functions import function
from deltachain_checker_v1.meter import metered
from deltachain_checker_v1.read import LimitedRow, Model, Row, exact_row, parse, read_file

from ..cancel import spend
from ..errors import CertificateRejected, MissingFile
from ..model import AnyRow, Chain
from .record import Certificate
from .rejection import ours

if TYPE_CHECKING:
    from deltachain_checker_v1.families import ChainFamily

try:
    loops = import_module("deltachain_checker_v1._sums")
except ModuleNotFoundError:  # not ImportError: machine code that is there and does not load is an error
    loops = sums

MOST_BYTES, MOST_STEPS = 4_000_000, 40_000_000
"""The largest certificate, and the most work of the checker, for an answer that is checked before it is printed.

A step is worth about a tenth of a microsecond, so the work takes some four seconds with compiled loops, two to three
times that without. Bytes are limited as well: an answer should not wait until a file that nobody asked for is written
and read. Neither is a time, so the same question is answered in the same words on every machine. Whatever is larger is
checked by ``deltachain verify``."""


AnyCertificate = Certificate | Mapping[str, Any] | str | Path
Judge = Callable[[Model, Any], list[Claim]]
"""A checker: the claims of a document, as `parsed` reads it, proved about a model; CertificateRejected otherwise."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Within the block nothing looks for circles of references.

    A document and what is read from it are millions of small lists and dicts that all stay, and have no circles. Going
    through them again and again takes longer than to read them: 100 MB are read in 1.4 s instead of 6.8 s.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@ours()
def _verify(model: Model, document: Any) -> list[Claim]:
    with collector_paused():
        return verify(model, document, loops=loops)


OURS: Judge = _verify


def verify_certificate(chain: Chain, certificate: AnyCertificate) -> list[Claim]:
    """The claims of the certificate, its document, or the file of one, proved about the chain; CertificateRejected."""
    return OURS(model_of(chain), parsed(certificate))


@ours()
def parsed(certificate: AnyCertificate) -> Any:
    """The document as the checker reads it from a file; a MissingFile, no rejection, where there is none."""
    if isinstance(certificate, str | Path):
        if not Path(certificate).exists():
            raise MissingFile(str(certificate))
        with collector_paused():
            return read_file(str(certificate))
    written = "".join(certificate.chunks()) if isinstance(certificate, Certificate) else _text(certificate)
    with collector_paused():
        return parse(written)


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
def verify_bytes(model: Model | ChainFamily, data: bytes, meter: Meter | None = None) -> list[Claim]:
    """The claims in the bytes of a certificate's file, all of them proved; CertificateRejected otherwise.

    All work counts on the meter, that of reading included: `Unfinished` where it is more than the meter allows.
    """
    with metered(meter):
        try:
            document = parse(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise CertificateRejected("certificate", f"UTF-8 text: {error}") from None
        return verify(model, document, meter, loops)


@ours()
def model_of(chain: Chain) -> Model:
    """The chain as the checker sees it."""
    names = chain.states

    def seen(name: str, row: AnyRow) -> Row:
        spend(len(row) * (10 if row.functions is None else 1000))
        if row.fractions is not None:
            return {names[t]: p for t, p in row.fractions}
        if row.functions is not None:
            exact = row.functions
            functions = {names[t]: function(exact.k, top, exact.bottom) for t, top in exact.tops}
            return exact_row(f"state {name}", cast("dict[str, Fraction]", functions))
        return LimitedRow({names[t]: (lo, hi) for t, lo, hi in row.box}, row.box.rest)

    given = {
        name: {asked: seen(name, row) for asked, row in zip(chain.offered(s), rows, strict=True)}
        for s, (name, rows) in enumerate(zip(names, chain.given, strict=True))
    }
    return Model(dict(zip(names, chain.labels, strict=True)), given)


def _text(document: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(document))
    except (TypeError, ValueError, RecursionError) as reason:
        raise CertificateRejected("certificate", f"not a JSON document: {reason}") from None
