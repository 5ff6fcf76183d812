"""A certificate in memory: the JSON document of docs/certificate.md, ready to be saved, shown or checked.

Proofs write its parts by a `Writer`: what several claims share is written once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from ..cancel import spend
from ..files import write_atomically
from ..model import Chain, Quotient
from ..numbers.fraction import ExpEpsilon, format_fraction
from .checked import TooLarge

FORMAT = "deltachain.certificate/1"


class Entries(list[str]):
    """The entries of a long part, each as the text of its line: lists of lists of names take five times the memory."""

    def add(self, entry: object) -> int:
        """Append an entry; the length of its text."""
        line = json.dumps(entry)
        self.append(line)
        return len(line)


@dataclass(frozen=True)
class Certificate:
    """A proof as it is written: its parts, with numbers as text. `deltachain_checker_v1.verify` says what it proves."""

    written: Mapping[str, Any]

    @property
    def document(self) -> dict[str, Any]:
        """What is in the file."""
        return {
            key: [json.loads(line) for line in part] if isinstance(part, Entries) else part
            for key, part in self.written.items()
        }

    def chunks(self) -> Iterator[str]:
        """The file's text: one line an entry of the long lists, so that files can be read and compared."""
        yield "{"
        separator = "\n"
        for key, value in self.written.items():
            yield f"{separator} {json.dumps(key)}: "
            separator = ",\n"
            if isinstance(value, list) and value:
                between = "[\n  "
                for entry in value:
                    yield between
                    yield entry if isinstance(value, Entries) else json.dumps(entry)
                    between = ",\n  "
                yield "]"
            else:
                yield json.dumps(value)
        yield "}\n"

    def save(self, path: str | Path) -> None:
        """Write the file, atomically; InputError if it cannot be written."""
        write_atomically(Path(path), self.chunks())


def exact_text(value: Any) -> str:
    """A Fraction, an int or a flint rational as text ``"p/q"``."""
    return format_fraction(value) if isinstance(value, (Fraction, int)) else str(value)


def document_of(
    chain: Chain,
    exp_epsilon: ExpEpsilon | None,
    claims: list[Any],
    **parts: Any,
) -> dict[str, Any]:
    """The document about ``chain``: header, the parts that are not empty, and the claims.

    δ falls as α grows, so upper claims are about the smaller e^ε and lower claims about the larger. What is not about
    any ε has None.
    """
    header: dict[str, Any] = {"format": FORMAT, "model": chain.sha256}
    if exp_epsilon is not None:
        alphas = {"upper": format_fraction(exp_epsilon.below), "lower": format_fraction(exp_epsilon.above)}
        header["exp_epsilon"] = alphas
    return header | {key: value for key, value in parts.items() if value} | {"claims": claims}


def merge_of(part: Chain, quotient: Quotient) -> list[list[str]]:
    """The blocks of more than one state, by name; ``part`` is the chain that was merged."""
    return [[part.states[s] for s in block] for block in quotient.members if len(block) > 1]


Found = TypeVar("Found")

PARTS = (
    *("merge", "base", "alpha", "beliefs", "nodes", "values", "upper", "lower", "basis", "splits", "endings", "ratios"),
    *("bits", "row_bits", "vectors", "recipes", "kind", "distances"),
    *("steps", "settled", "weights"),
)
"""The parts of a certificate of δ, in the order of the file."""


WEIGHT = {"recipes": 4}
"""How often a byte counts where a certificate must not be too large for a check: in a tree, one is an expansion."""


class Writer:
    """Collects parts while proofs make their claims; `certificate` puts them together.

    With ``most_bytes``, what has become longer is given up by `TooLarge`, long before the rest of it is written. With
    ``alone`` there will be one claim: of what is shared with others, only what it rests on need be written.
    """

    def __init__(self, most_bytes: int | None = None, *, alone: bool = False) -> None:
        self.alone = alone
        self._room = most_bytes
        self._lists: dict[str, Entries] = {}
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
        known = self._lists.setdefault(part, Entries())
        first = len(known)
        for entry in entries:
            length = known.add(entry)
            spend(20 + length)
            if self._room is not None:
                # A little less than the file will have: separators are not counted.
                self._room -= WEIGHT.get(part, 1) * length
                if self._room < 0:
                    raise TooLarge
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

    def certificate(self, chain: Chain, at: ExpEpsilon | None, claims: Iterable[dict[str, object]]) -> Certificate:
        """The document about the chain: header, parts and claims."""
        made = Entries()
        for claim in claims:  # making a claim writes the parts that it cites
            made.add(claim)
        return Certificate(document_of(chain, at, made, **self.parts()))
