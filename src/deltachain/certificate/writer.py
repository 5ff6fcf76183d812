"""The parts of one certificate, as proofs write them: what claims share is written once (docs/certificate.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from ..model import Chain
from ..rational import ExpEpsilon
from .record import Certificate, document_of

Found = TypeVar("Found")

PARTS = (
    *("merge", "nodes", "upper", "lower", "basis", "splits"),
    *("bits", "vectors", "recipes", "kind", "distances"),
)
"""The parts of a certificate of δ, in the order of the file."""


class Writer:
    """Collects parts while proofs make their claims; `certificate` puts them together."""

    def __init__(self) -> None:
        self._lists: dict[str, list[object]] = {}
        self._values: dict[str, object] = {}
        self._written: dict[int, tuple[object, object]] = {}
        self._last: list[Callable[[], None]] = []

    def once(self, owner: object, write: Callable[[], Found]) -> Found:
        """What ``write`` returns, which is called once for each owner: a graph, a forest or a distance."""
        if id(owner) not in self._written:
            self._written[id(owner)] = owner, write()  # the owner is kept, so that its id stays its own
        found: Found = self._written[id(owner)][1]  # type: ignore[assignment]  # one owner has one kind of writer
        return found

    def add(self, part: str, entries: Iterable[object]) -> int:
        """Append entries to a part that is a list; the number of the first of them."""
        known = self._lists.setdefault(part, [])
        first = len(known)
        known.extend(entries)
        return first

    def put(self, part: str, value: object) -> None:
        """Set a part that is one value."""
        self._values[part] = value

    def at_end(self, write: Callable[[], None]) -> None:
        """Call ``write`` when all claims are made: for parts that hold what many claims cite."""
        self._last.append(write)

    def parts(self) -> dict[str, object]:
        """The parts that are not empty, in the order of the file."""
        for write in self._last:
            write()
        self._last.clear()
        written = self._lists | self._values
        return {part: written[part] for part in PARTS if written.get(part)}

    def certificate(self, chain: Chain, at: ExpEpsilon, claims: Iterable[dict[str, object]]) -> Certificate:
        """The document about the chain: header, parts and claims."""
        made = list(claims)  # making a claim writes the parts that it cites
        return Certificate(document_of(chain, at, made, **self.parts()))
