"""Certificates as the engine writes them today: judged as from a file, and where their numbers and references are."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from deltachain import Chain
from deltachain.certificate.claims import as_exact
from deltachain.certificate.verification import Seen, parsed_text
from deltachain.errors import CertificateRejected
from deltachain_checker.certificate import FORMAT, field_of

from .older_form import older_form

Path = tuple[Any, ...]


def written(certificate: Any) -> Any:
    """The document as plain JSON values."""
    return json.loads("".join(certificate.chunks()))


def judged(seen: Seen | Chain, document: Any) -> list[str]:
    """What the checker of its format proves by a document, read as from a file; CertificateRejected otherwise."""
    seen = seen if isinstance(seen, Seen) else Seen(seen)
    return [*map(str, seen.verify(parsed_text(json.dumps(document))))]


def accepted(seen: Seen | Chain, document: Any) -> bool:
    """Whether the checker accepts it."""
    try:
        judged(seen, document)
    except CertificateRejected:
        return False
    return True


def as_older(seen: Seen | Chain, document: Any) -> Any:
    """A certificate of today in the words of format 1, as plain JSON values."""
    seen = seen if isinstance(seen, Seen) else Seen(seen)
    return json.loads(json.dumps(older_form(seen, parsed_text(json.dumps(document)))))


def read(document: Any, text: Any) -> Any:
    """A number of a document, as the engine has it."""
    return as_exact(field_of(document.get("field", {})).read(text))


def at(document: Any, path: Path) -> Any:
    """What stands there."""
    for key in path:
        document = document[key]
    return document


def changed(document: Any, path: Path, value: Any) -> Any:
    """A copy with another value there."""
    found = copy.deepcopy(document)
    at(found, path[:-1])[path[-1]] = value
    return found


def numbers(document: Any) -> Iterator[Path]:
    """The places of all numbers of the field, and of orders, priors and gains: not of references and ranks."""
    if document["format"] != FORMAT:
        return
    yield from _sides(document, "alpha")
    for part in ("unseen", "beliefs"):
        for n, vector in enumerate(document.get(part, ())):
            yield from _entries(vector, (part, n))
    for n, (w, _, _, given) in enumerate(document.get("claims", ())):
        if not all(isinstance(state, str) for state in w):
            yield from _entries(w, ("claims", n, 0))
        yield ("claims", n, 1)
        yield from _covers(given, ("claims", n, 3))
    for n, (_, *both) in enumerate(document.get("values", ())):
        for way in (0, 1):
            value = both[way]
            if isinstance(value, list):
                yield from (("values", n, way + 1, end) for end in (0, 1) if value[end] is not None)
            else:
                yield ("values", n, way + 1)
        if len(both) == 3:
            for way, cover in enumerate(both[2]):
                yield from _covers(cover, ("values", n, 3, way))
    for n, each in enumerate(document.get("visits", ())):
        yield from (("visits", n, "visits", k) for k in range(len(each["visits"])))
    for n, (_, _, _, f, _, g, *_) in enumerate(document.get("distances", {}).get("prices", ())):
        yield ("distances", "prices", n, 2)
        yield from _entries(f, ("distances", "prices", n, 3))
        yield from _entries(g, ("distances", "prices", n, 5))
    for name, (_, row) in document.get("states", {}).items():
        yield from _entries(row, ("states", name, 1))
    for n, (*_, weights) in enumerate(document.get("split", {}).get("tests", ())):
        yield from _entries(weights, ("split", "tests", n, 3))
    for n, claim in enumerate(document["proves"]):
        yield from _of_claim(claim, ("proves", n))


def _sides(document: Any, key: str) -> Iterator[Path]:
    if isinstance(document.get(key), dict):
        yield from ((key, side) for side in document[key])
    elif key in document:
        yield (key,)


def _entries(vector: Sequence[Any], path: Path) -> Iterator[Path]:
    return ((*path, k, 1) for k in range(len(vector)))


def _covers(given: Any, path: Path) -> Iterator[Path]:
    if isinstance(given, dict):
        for key, inside in given.items():
            yield from _entries(inside, (*path, key)) if key == "eta" else _covers(inside, (*path, key))
    elif given is not None:
        yield from _entries(given, path)


def _of_claim(claim: Mapping[str, Any], path: Path) -> Iterator[Path]:
    for key in ("lower", "upper", "below", "above", "delta", "order", "moment"):
        if key in claim and claim[key] != "infinity":
            yield (*path, key)
    yield from ((*path, "split", g, 1) for g, part in enumerate(claim.get("split", ())) if part is not None)
    for key in ("corners", "gains", "prior"):
        yield from _texts(claim.get(key, ()), (*path, key))
    for way, cover in enumerate(claim.get("covers", ())):
        yield from _covers(cover, (*path, "covers", way))
    if isinstance(claim.get("words"), dict):
        for key, inside in claim["words"].items():
            if key in ("vector", "more", "less", "feeds"):
                yield from _entries(inside, (*path, "words", key))
            elif key == "rest":
                for k, vector in enumerate(inside):
                    yield from _entries(vector, (*path, "words", key, k))
            elif key not in ("prefix", "cycle", "times"):
                yield from _texts(inside, (*path, "words", key))


def _texts(value: Any, path: Path) -> Iterator[Path]:
    if isinstance(value, list | tuple):
        for k, inside in enumerate(value):
            yield from _texts(inside, (*path, k))
    else:
        yield path


def references(document: Any) -> Iterator[Path]:
    """The places of whole numbers that name an entry of another part, or a rank, or how often."""
    if document["format"] != FORMAT:
        return
    for n, (_, _, _, given) in enumerate(document.get("claims", ())):
        yield from _cited(given, ("claims", n, 3))
    for n, (places, *more) in enumerate(document.get("graph", ())):
        yield from (("graph", n, 0, k) for k in range(len(places)))
        yield from _whole(more[0] if more else None, ("graph", n, 1))
    for n, (_, *both) in enumerate(document.get("values", ())):
        yield ("values", n, 0)
        if len(both) == 3:
            for way, cover in enumerate(both[2]):
                yield from _cited(cover, ("values", n, 3, way))
    for n, each in enumerate(document.get("visits", ())):
        yield ("visits", n, "from")
        yield from (("visits", n, "start", k) for k in range(len(each["start"])))
    distances = document.get("distances", {})
    yield from (("distances", "claims", n) for n in range(len(distances.get("claims", ()))))
    yield from (("distances", "prices", n, 4) for n in range(len(distances.get("prices", ()))))
    split = document.get("split", {})
    yield from (("split", "words", n, 1) for n in range(len(split.get("words", ()))))
    for n, (*_, weights) in enumerate(split.get("tests", ())):
        yield from (("split", "tests", n, *place) for place in ((0,), (1,), *((3, k, 0) for k in range(len(weights)))))
    yield from _whole(split.get("groups"), ("split", "groups"))
    for n, claim in enumerate(document["proves"]):
        yield from (("proves", n, "split", g, 0) for g, part in enumerate(claim.get("split", ())) if part is not None)
        yield from (("proves", n, key) for key in ("node", "visits", "guesses") if key in claim)
        for way, cover in enumerate(claim.get("covers", ())):
            yield from _cited(cover, ("proves", n, "covers", way))
        if isinstance(claim.get("words"), dict) and "times" in claim["words"]:
            yield ("proves", n, "words", "times")


def _whole(value: Any, path: Path) -> Iterator[Path]:
    if isinstance(value, dict | list):
        for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _whole(inside, (*path, key))
    elif type(value) is int:
        yield path


def _cited(given: Any, path: Path) -> Iterator[Path]:
    if isinstance(given, dict):
        for key, inside in given.items():
            yield from () if key == "eta" else _cited(inside, (*path, key))
    elif given is not None:
        for k, (cited, _) in enumerate(given):
            yield from _whole(cited, (*path, k, 0))


WHOLE = re.compile(r"-?\d+")


def text(value: Any) -> str:
    """A rational number as a certificate has it."""
    value = Fraction(value)
    return f"{value.numerator}/{value.denominator}"
