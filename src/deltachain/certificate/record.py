"""A certificate in memory: the JSON document of docs/certificate.md, ready to be saved, shown or checked.

Proofs write its parts by a `Writer`: what several claims share is written once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from deltachain_checker.certificate import FORMAT

from ..cancel import spend
from ..files import write_atomically
from ..model import Chain, Quotient
from ..numbers.fraction import format_fraction
from ..numbers.parameter import OpenParameter
from .checked import TooLarge


class Entries(list[str]):
    """The entries of a long part, each as the text of its line: lists of lists of names take five times the memory."""

    def add(self, entry: object) -> int:
        """Append an entry; the length of its text."""
        line = json.dumps(entry)
        self.append(line)
        return len(line)


@dataclass(frozen=True)
class Certificate:
    """A proof as it is written: its parts, with numbers as text. `deltachain_checker.verify` says what it proves."""

    written: Mapping[str, Any]

    def __repr__(self) -> str:
        claims = len(claims_of(self.written))
        return f"<Certificate: {claims} {'claim' if claims == 1 else 'claims'}, {self.written['format']}>"

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


def claims_of(document: Mapping[str, Any]) -> Any:
    """What a document claims: its entry ``proves``, which in format 1 was called ``claims``."""
    return document["proves"] if "proves" in document else document["claims"]


def exact_text(value: Any) -> str:
    """A Fraction, an int or a flint rational as text ``"p/q"``."""
    return format_fraction(value) if isinstance(value, (Fraction, int)) else str(value)


def merge_of(part: Chain, quotient: Quotient) -> list[list[str]]:
    """The blocks of more than one state, by name; ``part`` is the chain that was merged."""
    return [[part.states[s] for s in block] for block in quotient.members if len(block) > 1]


Found = TypeVar("Found")

PARTS = (
    *("merge", "states", "unseen", "claims", "beliefs", "graph", "values", "visits", "distances"),
    *("units", "vectors", "recipes", "split", "outcomes"),
)
"""The parts of a certificate, in the order of the file."""


USUAL = 4
"""How often a byte counts where nothing else is said: a node takes longer to check than a cover of its length."""


WEIGHTS: Mapping[str, int] = {"claims": 1, "merge": 1, "visits": 1, "proves": 1, "recipes": 16}
"""The same for a byte of a part; in a tree, a byte is an expansion."""
OLDER = "deltachain.certificate/1"
"""The format of earlier versions, which is read (`older`) and no longer written."""


class Writer:
    """Collects the parts of a certificate while what was found writes its claims; `certificate` puts them together.

    With ``most_bytes``, what becomes longer is given up, by `TooLarge`, long before it is written. With ``alone`` there
    will be one claim: of what is shared with others, only what it rests on need be written.
    """

    def __init__(
        self,
        most_bytes: int | None = None,
        *,
        alone: bool = False,
        base: int | None = None,
        parameter: OpenParameter | None = None,
    ) -> None:
        self._room = most_bytes
        self._lists: dict[str, Entries] = {}
        self._written: dict[int, tuple[object, object]] = {}
        self.alone, self.base, self._parameter = alone, base, parameter
        self.extensions: list[str] = []
        self._known: dict[str, int] = {}
        self._distances: dict[str, object] = {}
        self._units: list[int] = []
        self._states: dict[str, object] = {}
        self._split: dict[str, object] = {}
        self._outcomes: list[dict[str, object]] = []
        self._places: list[dict[str, int]] = []

    def once(self, owner: object, write: Callable[[], Found]) -> Found:
        """What ``write`` returns, which is called once for each owner: a graph, a forest or a distance."""
        if id(owner) not in self._written:
            self._written[id(owner)] = owner, write()  # the owner is kept, so that its id stays its own
        found: Found = self._written[id(owner)][1]  # type: ignore[assignment]  # one owner has one kind of writer
        return found

    def next(self, part: str) -> int:
        """The number that the next entry of a part will have."""
        return len(self._lists.get(part, ()))

    def add(self, part: str, entries: Iterable[object]) -> int:
        """Append entries to a part that is a list; the number of the first of them."""
        known = self._lists.setdefault(part, Entries())
        first = len(known)
        for entry in entries:
            self._count(part, known.add(entry))
        return first

    def add_line(self, part: str, line: str) -> int:
        """Append an entry that is text already; its number."""
        known = self._lists.setdefault(part, Entries())
        known.append(line)
        self._count(part, len(line))
        return len(known) - 1

    def _count(self, part: str, length: int) -> None:
        spend(20 + length)
        if self._room is not None:
            # A little less than the file will have: separators are not counted.
            self._room -= WEIGHTS.get(part, USUAL) * length
            if self._room < 0:
                raise TooLarge

    def belief(self, entries: Sequence[Sequence[object]]) -> int:
        """The number of a belief, which is written once: few beliefs are in many nodes."""
        text = json.dumps(entries)
        if text not in self._known:
            self._known[text] = self.add_line("beliefs", text)
        return self._known[text]

    def use(self, extension: str) -> None:
        """Name an extension of the checker that a claim needs."""
        if extension not in self.extensions:
            self.extensions.append(extension)

    def put_distances(self, value: Mapping[str, object]) -> None:
        """Which claims are distances, and prices."""
        self.use("distances")
        self._distances = dict(value)

    def put_split(self, states: Mapping[str, object], split: Mapping[str, object]) -> None:
        """States that are added, and what tells classes of these apart."""
        self.use("splits")
        self._states, self._split = dict(states), dict(split)

    def put_outcomes(self, words: Sequence[object], ends: Sequence[int]) -> int:
        """Words that runs of many states show; the states are those of the claims that cite them."""
        self.use("outcomes")
        self._outcomes.append({"words": words, "ends": ends})
        self._places.append({})
        self._count("outcomes", len(json.dumps(words)))
        return len(self._outcomes) - 1

    def put_units(self, bits: int, row_bits: int) -> None:
        """Beliefs of recipes are in units of 2^-bits, and rows that are rounded in units of 2^-row_bits."""
        self._units = [bits, row_bits]

    def certificate(self, model: str, alphas: Sequence[str], claims: Iterable[Mapping[str, object]]) -> Certificate:
        """The document about the chain of this hash; ``alphas`` are e^ε of upper and of lower bounds, if about any.

        δ falls as α grows: where e^ε is between two numbers, upper bounds are about the smaller one.
        """
        made = Entries()
        for claim in self._gathered(claims):  # making a claim writes the parts that it cites
            made.add(claim)
        header: dict[str, object] = {"format": FORMAT, "model": model}
        if self.base is not None:
            header["field"] = {"base": self.base}
        elif (given := self._parameter) is not None:
            header["field"] = {"parameter": {given.name: [format_fraction(given.low), format_fraction(given.high)]}}
        if alphas:
            upper, lower = alphas
            header["alpha"] = upper if upper == lower else {"upper": upper, "lower": lower}
        header |= {"extensions": self.extensions} if self.extensions else {}
        written = {**self._lists, "distances": self._distances, "units": self._units}
        written |= {"states": self._states, "split": self._split}
        named = zip(self._outcomes, self._places, strict=True)
        written["outcomes"] = [outcomes | {"states": [*places]} for outcomes, places in named]
        parts = {part: written[part] for part in PARTS if written.get(part)}
        return Certificate(header | parts | {"proves": made})

    def _gathered(self, claims: Iterable[Mapping[str, object]]) -> Iterator[Mapping[str, object]]:
        """The claims; those that cite outcomes, of many pairs, as one for each two bounds."""
        together: dict[tuple[Any, ...], list[list[int]]] = {}
        for claim in claims:
            if "outcomes" not in claim:
                yield claim
                continue
            given: Mapping[str, Any] = claim
            places = self._places[given["outcomes"]]
            pair = [places.setdefault(name, len(places)) for name in given["pair"]]
            self._count("proves", len(str(pair)))
            together.setdefault(tuple(given[key] for key in ("outcomes", "lower", "upper")), []).append(pair)
        for (outcomes, lower, upper), pairs in together.items():
            yield {"claim": "delta", "lower": lower, "upper": upper, "outcomes": outcomes, "pairs": pairs}
