"""What the checker reads: exact numbers, strict JSON, and the chain as plain dictionaries.

Part of the trusted base together with `rules`: standard library only, no code shared with the
solvers or the other readers. What is not as docs/certificate.md and the native format say is a
CertificateRejected.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property, reduce
from pathlib import Path
from typing import Any, TextIO

from .errors import CertificateRejected
from .functions import UNIT, FormulaReader, FunctionOfE, common_form, digits, function, limited, plus, trimmed
from .meter import spend

Belief = dict[str, Fraction]
Vector = Mapping[str, Fraction]
MAX_BYTES, MAX_DIGITS = 512 * 2**20, 50_000
MOST_KNOWN_ROWS = 1_000
"""How many sets of rows are kept over one denominator: a certificate may have as many as it has nodes."""
BLANKS = frozenset(" \t\n\r")
SHORT = 600
"""int() takes so many digits, whatever limit is set for it."""
ZERO = Fraction(0)
COUNTS = "no counts: convert the model first, to what they say of each row"
FORMULA = re.compile(r"exp|[(*^]|[0-9)]\s*[-+]")
NUMBER = re.compile(r"(-?[0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,5}))?(?:/([0-9]+))?\Z")


def need(condition: object, claim: str, rule: str, left: object = None, right: object = None) -> None:
    """Reject unless the condition holds."""
    if not condition:
        raise CertificateRejected(claim, rule, left, right)


class Digits(str):
    """A JSON number, kept as its digits. Shown without quotes, so that it is told from text."""

    __slots__ = ()
    __repr__ = str.__str__


def number(value: Any, *, decimals: bool = False) -> Fraction:
    """An exact number: an integer or text "p/q"; decimals only where a model may have them."""
    rule = "an integer or text 'p/q'"
    need(isinstance(value, str), "number", rule, type(value).__name__)
    need(len(value) <= MAX_DIGITS, "number", f"at most {MAX_DIGITS} characters", len(value))
    match = NUMBER.match(value)
    need(match and (decimals or not (match[2] or match[3])), "number", rule, value[:50])
    whole, part, exponent, below = match.groups()  # type: ignore[union-attr]
    need((below or "1").strip("0"), "number", "a denominator above zero", value[:50])
    shift = int(exponent or 0)
    need(abs(shift) <= MAX_DIGITS, "number", f"an exponent of at most {MAX_DIGITS}", exponent)
    if not (part or shift) and len(value) <= SHORT:
        return Fraction(int(whole), int(below)) if below else Fraction(int(whole))
    spend((len(value) + abs(shift)) ** 2 // 10_000)
    top = int(Decimal(whole + (part or ""))) * 10 ** max(shift, 0)
    return Fraction(top, int(Decimal(below or "1")) * 10 ** (len(part or "") + max(-shift, 0)))


def lists(value: Any, width: int, *, more: bool = False) -> list[list[Any]]:
    """A list of lists of ``width`` entries (or more): text and objects would unpack too, so they are refused."""
    rule = f"malformed: a list of lists of {width} entries" + " or more" * more
    need(isinstance(value, list) and all(isinstance(entry, list) for entry in value), "certificate", rule)
    need(all(len(entry) == width or (more and len(entry) > width) for entry in value), "certificate", rule)
    return value  # type: ignore[no-any-return]


def text(value: Fraction) -> str:
    """``p`` or ``p/q``, whatever the length."""
    # str() refuses more than 4,300 digits.
    top, bottom = (format(Decimal(part), "f") for part in (value.numerator, value.denominator))
    return top if bottom == "1" else f"{top}/{bottom}"


def shown(sentence: str) -> str:
    """The sentence on one line: names may hold line breaks or control characters, and must not forge another one."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in sentence)


def say(line: str, stream: TextIO | None) -> None:
    """Print a line; a stream that has no ≤ gets its escape, one that the caller closed gets nothing."""
    if stream is None:
        return
    encoding = stream.encoding or "ascii"
    print(line.encode(encoding, "backslashreplace").decode(encoding), file=stream)


def parse(source: str) -> Any:
    """JSON with numbers kept as text; repeated keys and non-numbers are refused."""
    try:
        return Document(source).read()
    except (RecursionError, json.JSONDecodeError) as error:
        raise CertificateRejected("file", f"not JSON, or nested too deeply: {error}") from None


class Document:
    """JSON text, of which the lists in a top object are read entry by entry, and what is equal is kept once.

    The names and beliefs of a certificate come again and again. Read as they stand, they would take five times the
    memory of the text.
    """

    def __init__(self, source: str) -> None:
        self.source, self.place = source, 0
        self.known: dict[str, Any] = {}
        digits: Any = cache(Digits)
        hooks = {"parse_int": digits, "parse_float": digits, "parse_constant": digits}
        self.decoder = json.JSONDecoder(object_pairs_hook=self.unique, **hooks)

    def read(self) -> Any:
        """What the whole text says."""
        if self.takes("{"):
            found: Any = self.unique([self.member() for _ in self.listed("}")])
        else:
            found = self.value()
        if self.next():
            raise json.JSONDecodeError("Extra data", self.source, self.place)
        return found

    def member(self) -> tuple[str, Any]:
        """A key of the top object, and its value."""
        if self.next() != '"':
            raise json.JSONDecodeError("Expecting a key", self.source, self.place)
        key = self.value()
        self.require(":")
        if self.takes("["):
            return key, [self.shared(self.value()) for _ in self.listed("]")]
        return key, self.value()

    def shared(self, entry: Any) -> Any:
        """An entry whose texts, and lists, are those of earlier entries where they are equal to them."""
        if isinstance(entry, list):
            for k, part in enumerate(entry):
                if isinstance(part, list) or type(part) is str:
                    entry[k] = self.known.setdefault(repr(part), part)
        return entry

    def unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """An object. Of two equal keys readers of JSON take the first or the last: a file must not mean two things."""
        found = {self.known.setdefault(repr(key), key): value for key, value in pairs}
        need(len(found) == len(pairs), "file", "each key once", [key for key, _ in pairs][:9])
        return found

    def value(self) -> Any:
        """The JSON value that comes next."""
        self.next()
        found, self.place = self.decoder.raw_decode(self.source, self.place)
        return found

    def listed(self, end: str) -> Iterator[None]:
        """Stops at each entry of a list or an object that is open, to be read, up to its end."""
        if self.takes(end):
            return
        yield
        while self.takes(","):
            yield
        self.require(end)

    def next(self) -> str:
        """The character at which the next value, or mark, begins; none at the end."""
        while self.source[self.place : self.place + 1] in BLANKS:
            self.place += 1
        return self.source[self.place : self.place + 1]

    def takes(self, mark: str) -> bool:
        """Whether this mark comes next, which is then read."""
        taken = self.next() == mark
        self.place += taken
        return taken

    def require(self, mark: str) -> None:
        """Read this mark."""
        if not self.takes(mark):
            raise json.JSONDecodeError(f"Expecting {mark}", self.source, self.place)


@dataclass(frozen=True)
class LimitedRow:
    """A row known within limits: lo ≤ p ≤ hi for each target; at most ``rest`` goes to states outside the model."""

    ends: Mapping[str, tuple[Fraction, Fraction]]
    rest: Fraction

    def text(self) -> list[Any]:
        """The box as it counts in the hash."""
        return [*sorted([j, text(lo), text(hi)] for j, (lo, hi) in self.ends.items()), text(self.rest)]


Row = Mapping[str, Fraction] | LimitedRow
"""Probabilities by target. Functions of e^(1/k) stand in for Fractions wherever there are any, here and in all that is
computed from rows: they mix and compare as Fractions do."""


class ExactRows(dict[str, Any]):
    """Rows by state, without the states that have a box: most rules are about exact rows, and refuse others."""

    def __missing__(self, state: str) -> Any:
        rule = "exact rows: only recipes other than grids are for boxes, or for functions of e^(1/k) without a base"
        raise CertificateRejected(f"state {state}", rule)


@dataclass(frozen=True)
class Model:
    """The chain as the checker sees it: for each state name a label, and a row for each input.

    Where the observer has no choice, the one row stands at None. States of one label offer the same inputs. A row is
    exact, or a box that holds more than one. Exact rows of functions of e^(1/k) count as boxes for recipes, and for
    other rules unless ``base`` is set: numbers of the certificate may then be functions, of e^(1/base).
    """

    label: Mapping[str, str]
    given: Mapping[str, Mapping[str | None, Row]]
    base: int | None = None

    @cached_property
    def boxed(self) -> set[str]:
        """The states that have a box, or a row of functions, which recipes take as one."""
        return {
            s
            for s, rows in self.given.items()
            if any(isinstance(r, LimitedRow) or irrational(r) for r in rows.values())
        }

    @cached_property
    def moves(self) -> Mapping[str, Mapping[str | None, Mapping[str, Fraction]]]:
        """The exact rows; whoever asks for those of a state that has a box is refused."""
        if not self.boxed:
            return self.given  # type: ignore[return-value]  # no row is a box
        known = {*self.given} - self.boxed
        if self.base is not None:
            known |= {s for s in self.boxed if not any(isinstance(row, LimitedRow) for row in self.given[s].values())}
        return ExactRows({state: self.given[state] for state in known})

    @cached_property
    def interactive(self) -> bool:
        """Whether the observer has anything to choose."""
        return any(None not in rows for rows in self.given.values())

    @cached_property
    def row(self) -> Mapping[str, Mapping[str, Fraction]]:
        """The one exact row of each state, for rules about chains without inputs."""
        need(not self.interactive, "model", "no inputs, where a rule is about chains without")
        rows = {state: rows[None] for state, rows in self.moves.items()}
        return ExactRows(rows) if self.boxed else rows

    def sha256(self) -> str:
        """The content hash of docs/certificate.md."""
        digest = hashlib.sha256()
        for state in sorted(self.given):
            spend(40 * sum(1 + size(row) for row in self.given[state].values()))
            rows = {asked: hashed(row) for asked, row in self.given[state].items()}
            said = [state, self.label[state], rows.get(None, rows)]
            line = json.dumps(said, separators=(",", ":"), sort_keys=True)
            digest.update(line.encode() + b"\n")
        return digest.hexdigest()

    @cached_property
    def by_label(self) -> Mapping[str, list[str]]:
        """The states of each label."""
        groups: dict[str, list[str]] = {}
        for state, label in self.label.items():
            groups.setdefault(label, []).append(state)
        return groups

    @cached_property
    def _whole(self) -> dict[Any, tuple[Any, dict[str, list[tuple[str, Any]]]]]:
        """What `whole_rows` found."""
        return {}

    def whole_rows(self, states: frozenset[str], asked: str | None) -> tuple[Any, dict[str, list[tuple[str, Any]]]]:
        """The rows of these states under an input, over one denominator: that, and the numerators."""
        found = self._whole.get((states, asked))
        if found is None:
            bottom, tops = whole({(i, j): p for i in states for j, p in self.moves[i][asked].items()})
            rows = {i: [(j, tops[i, j]) for j in self.moves[i][asked]] for i in states}
            if len(self._whole) >= MOST_KNOWN_ROWS:
                self._whole.clear()
            found = self._whole[states, asked] = bottom, rows
        return found

    def step(self, belief: Mapping[str, Any], rows: Mapping[str, list[tuple[str, Any]]]) -> dict[str, dict[str, Any]]:
        """One step of a belief by these rows, split by label."""
        split: dict[str, dict[str, Any]] = {}
        for state, mass in belief.items():
            for target, p in rows[state]:
                part = split.setdefault(self.label[target], {})
                part[target] = part.get(target, 0) + mass * p
        return split


def whole(values: Mapping[Any, Any]) -> tuple[Any, dict[Any, Any]]:
    """Numbers over one denominator, and all numerators: integers, or polynomials of e^(1/k)."""
    if irrational(values):
        tops, below, k = common_form(values)
        return function(k, below, UNIT), {key: function(k, top, UNIT) for key, top in tops.items()}
    bottom = math.lcm(*(value.denominator for value in values.values()))
    return bottom, {key: value.numerator * (bottom // value.denominator) for key, value in values.items()}


def divided(top: Any, bottom: Any) -> Any:
    """top/bottom, exactly: of integers too."""
    return Fraction(top, bottom) if isinstance(top, int) and isinstance(bottom, int) else top / bottom


def irrational(row: Mapping[str, Fraction]) -> bool:
    """Whether it has functions of e^(1/k)."""
    return any(isinstance(p, FunctionOfE) for p in row.values())


def size(row: Row) -> int:
    """How many targets it has."""
    return len(row.ends) if isinstance(row, LimitedRow) else len(row)


def hashed(row: Row) -> list[Any]:
    """The row as it counts in the hash."""
    if isinstance(row, LimitedRow):
        return row.text()
    if irrational(row):
        tops, bottom, k = common_form(row)
        return [*sorted([j, [*map(digits, top)]] for j, top in tops.items()), [*map(digits, bottom)], k]
    return sorted([j, text(p)] for j, p in row.items())


def read_model(data: Any) -> Model:
    """A chain from the native format; states of one label must offer the same inputs."""
    need(isinstance(data, dict) and data.get("format") == "deltachain.chain/1", "model", "a deltachain.chain/1 file")
    need(isinstance(data.get("states"), dict) and data["states"], "model", "an object of states")
    label: dict[str, str] = {}
    given: dict[str, dict[str | None, Row]] = {}
    like: dict[str, str] = {}
    for state, entry in data["states"].items():
        name = f"state {state}"
        need(not (isinstance(entry, dict) and "counts" in entry), name, COUNTS)
        need(isinstance(entry, dict) and ("to" in entry) != ("on" in entry), name, "an object with label, and to or on")
        need(type(entry.get("label")) is str, name, "a label that is text")
        need("to" in entry or "rest" not in entry, name, "rest beside to, in the row of each input")
        rows: Any = entry.get("on", {None: entry})
        need(isinstance(rows, dict) and rows, name, "a row for each input, at least one")
        label[state] = entry["label"]
        given[state] = {asked: read_row(name, row, data["states"], asked) for asked, row in rows.items()}
        first = like.setdefault(entry["label"], state)
        need(given[state].keys() == given[first].keys(), name, "the inputs of its label", [*rows], [*given[first]])
    return Model(label, given)


def premise(data: Any, model: Model) -> str:
    """What a proof about the model rests on, as the end of "proved": limits of rows, and the confidence of counts."""
    limited = any(isinstance(row, LimitedRow) for rows in model.given.values() for row in rows.values())
    said = ", for every chain within the limits given" if limited else ""
    if "confidence" not in data:
        return said
    confidence = number(data["confidence"], decimals=True)
    need(0 < confidence < 1, "model", "a confidence between 0 and 1", confidence)
    return f" at confidence {text(confidence)}, given the counts{said}"


def read_row(name: str, row: Any, known: Mapping[str, Any], asked: str | None) -> Row:
    """A row as an object of probabilities; or one with such an object as ``to``, and perhaps a ``rest``, beside it.

    Under an input both are allowed. They are told apart by the value of ``to``: a target's is no object.
    """
    rest = ZERO
    entries = row
    if asked is None or (isinstance(row, dict) and isinstance(row.get("to"), dict)):
        entries, rest = row["to"], number(row.get("rest", "0"), decimals=True)
    need(isinstance(entries, dict), name, "an object of probabilities")
    need(asked is None or not isinstance(row.get("counts"), dict), name, COUNTS)
    need(entries.keys() <= known.keys(), name, "known targets")
    if rest or any(isinstance(value, list) for value in entries.values()):
        return tightened(name, {target: read_ends(name, value) for target, value in entries.items()}, rest)
    return exact_row(name, {target: read_probability(value) for target, value in entries.items()})


def exact_row(name: str, row: Mapping[str, Fraction]) -> Row:
    """The positive entries, once none is negative and they add up to 1: of functions, by identity."""
    exact = {target: p for target, p in row.items() if p}
    need(all(p > 0 for p in exact.values()), name, "probabilities that are not negative")
    if irrational(exact):  # over one denominator, which is sooner done than one sum after the other
        tops, bottom, k = common_form(exact)
        total: Any = function(k, reduce(plus, tops.values()), bottom)
    else:
        total = sum(exact.values(), ZERO)
    need(total == 1, name, "a row that sums to one", total, 1)
    return exact


def read_probability(value: Any) -> Fraction:
    """A number, or a formula: text that has an exp, a parenthesis, * or ^ in it, or a sign after a number."""
    if isinstance(value, str) and FORMULA.search(value):
        return FormulaReader(value).read()  # type: ignore[return-value]  # functions stand in for Fractions
    return number(value, decimals=True)


def read_function(value: Any, base: int) -> Fraction:
    """A number of a certificate that has a base: as others, or two lists of integers, in powers of e^(1/base)."""
    if not isinstance(value, list):
        return number(value)
    need(len(value) == 2 and all(isinstance(part, list) for part in value), "number", "two lists of coefficients")
    limited(max(map(len, value)), 0)  # before so many are read
    parts = [[number(c) for c in part] for part in value]
    need(all(c.denominator == 1 for part in parts for c in part), "number", "whole coefficients")
    top, bottom = (trimmed(c.numerator for c in part) for part in parts)
    return function(base, top, bottom)  # type: ignore[return-value]  # functions stand in for Fractions


def read_ends(name: str, value: Any) -> tuple[Fraction, Fraction]:
    """The two ends of a box; a number is both."""
    ends = value if isinstance(value, list) else [value, value]
    need(len(ends) == 2, name, "a probability, or the two ends of what it may be", len(ends))
    return number(ends[0], decimals=True), number(ends[1], decimals=True)


def tightened(name: str, ends: Mapping[str, tuple[Fraction, Fraction]], rest: Fraction) -> Row:
    """The least box with the same rows inside, as docs/theory/boxes.md says; an exact row if there is one."""
    need(all(0 <= lo <= hi for lo, hi in ends.values()) and rest >= 0, name, "ends 0 ≤ lo ≤ hi, and a rest ≥ 0")
    low, high = (sum((pair[k] for pair in ends.values()), ZERO) for k in (0, 1))
    need(low <= 1 <= high + rest, name, "a box that is not empty: Σ lo ≤ 1 ≤ Σ hi + rest", low, high + rest)
    rest = min(rest, 1 - low)
    tight = {j: (max(lo, 1 - rest - (high - hi)), min(hi, 1 - (low - lo))) for j, (lo, hi) in ends.items()}
    # A target that no row inside reaches is none: it would change the hash, and count as a way to go.
    tight = {j: (lo, hi) for j, (lo, hi) in tight.items() if hi}
    if rest == 0 and all(lo == hi for lo, hi in tight.values()):
        return {j: lo for j, (lo, _) in tight.items()}
    return LimitedRow(tight, rest)


def mass(belief: Vector) -> Fraction:
    """|x|."""
    return sum(belief.values(), ZERO)


def merged(model: Model, blocks: Any) -> tuple[Model, dict[str, str]]:
    """R5: the quotient by a bisimulation, and the first member of each state's block."""
    first = {state: state for state in model.given}
    listed = [state for block in lists(blocks, 1, more=True) for state in block]
    need(len(set(listed)) == len(listed) and set(listed) <= first.keys(), "merge", "known states, each in one block")
    first |= {state: block[0] for block in blocks for state in block}
    given = {
        state: {asked: into_blocks(row, first) for asked, row in rows.items()} for state, rows in model.given.items()
    }
    for state, name in first.items():
        need(model.label[state] == model.label[name], "merge", "R5: equal labels", state, name)
        need(given[state] == given[name], "merge", "R5: equal probability into every block", state, name)
        # Rows in two equal boxes need not be equal.
        points = state == name or not any(isinstance(row, LimitedRow) for row in given[state].values())
        need(points, "merge", "R5: exact probability into every block", state, name)
    kept = set(first.values())
    return Model({s: model.label[s] for s in kept}, {s: given[s] for s in kept}), first


def into_blocks(row: Row, first: Mapping[str, str]) -> Row:
    """What a row sends into each block: the sums, of a box those of its ends."""
    if isinstance(row, LimitedRow):
        ends: dict[str, tuple[Fraction, Fraction]] = {}
        for target, (lo, hi) in row.ends.items():
            low, high = ends.get(first[target], (ZERO, ZERO))
            ends[first[target]] = low + lo, high + hi
        return tightened("merge", ends, row.rest)
    into: Belief = {}
    for target, p in row.items():
        into[first[target]] = into.get(first[target], ZERO) + p
    return into


def checked_basis(model: Model, basis: Any, start: Iterable[str]) -> list[Vector]:
    """R5 for traces: columns that, on all states that ``start`` can reach, span 1 and are closed under P·1_a."""
    reached: set[str] = set()
    waiting = [*start]
    while waiting:
        state = waiting.pop()
        if state not in reached:
            reached.add(state)
            waiting.extend(model.row[state])
    columns: list[Vector] = [{i: number(value) for i, value in lists(vector, 2)} for vector in basis["vectors"]]
    wanted: list[tuple[str, Vector, Any]] = [("the all-one vector", dict.fromkeys(reached, Fraction(1)), basis["one"])]
    # A span that is larger than need be only tells more beliefs apart, which is sound for merging. For the tests of a
    # split it would not be: those recompute words.
    for a in {model.label[i] for i in reached}:
        for column, coordinates in zip(columns, basis["step"][a], strict=True):
            image = {}
            for i in reached:
                row = model.row[i].items()
                image[i] = mass({j: p * column.get(j, ZERO) for j, p in row if model.label[j] == a})
            wanted.append((f"closed under the letter {a}", image, coordinates))
    for name, vector, coordinates in wanted:
        spend(20 * len(reached) * (2 + len(columns)))
        weights = [number(value) for value in coordinates]
        for i in reached:
            right = sum((w * c.get(i, ZERO) for w, c in zip(weights, columns, strict=True)), ZERO)
            need(vector[i] == right, "basis", f"R5: {name}, at {i}", vector[i], right)
    return columns


def coordinates(vector: Vector, basis: list[Vector] | None) -> list[Fraction]:
    """The vector in the coordinates of the basis; without one, its own entries."""
    if basis is None:
        return list(vector.values())
    spend(20 * len(vector) * len(basis))
    return [mass({i: value * column.get(i, ZERO) for i, value in vector.items()}) for column in basis]


def read_file(path: str) -> Any:
    """The JSON value in a file of at most MAX_BYTES."""
    try:
        usual = Path(path).is_file() or not Path(path).exists()  # a pipe or a device could go on for ever
        need(usual, path, "a readable UTF-8 file, not a folder, a pipe or a device")
        need(Path(path).stat().st_size <= MAX_BYTES, path, f"a file of at most {MAX_BYTES} bytes")
        return parse(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CertificateRejected(path, f"a readable UTF-8 file: {error}") from None


def bounds(claim: Any) -> tuple[Fraction, Fraction]:
    """The two bounds that a claim states."""
    return number(claim.get("lower", "0")), number(claim.get("upper", "1"))


@contextmanager
def refusing_what_is_malformed() -> Iterator[None]:
    """What cannot be read as docs/certificate.md says is rejected, however it fails."""
    try:
        yield
    except CertificateRejected:
        raise
    except (TypeError, KeyError, IndexError, AttributeError, ValueError, RecursionError) as error:
        raise CertificateRejected("certificate", f"malformed: {error!r:.200}") from None
