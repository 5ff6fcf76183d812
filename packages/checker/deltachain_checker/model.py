"""The chain: for each state a label, and for each input a row; read from the native format (docs/formats.md).

States of one label offer the same inputs.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from .document import lists
from .errors import need
from .meter import spend
from .numbers import (
    ZERO,
    Formula,
    OnInterval,
    Over,
    Quotient,
    Rationals,
    Terms,
    digits,
    divided,
    ends,
    over_one,
    rational,
    stretched,
    text,
    times,
    whole,
)

Vector = Mapping[str, Any]
"""Numbers by state, without zeros."""
Row = Mapping[str, Any]
"""A dictionary of positive numbers that sum to one, by identity."""
MOST_KNOWN_ROWS = 1_000
"""How many sets of rows are kept over one denominator: a certificate may have as many as it has nodes."""
FORMULA = re.compile(r"exp|[(*^]|[0-9)]\s*[-+]")
NAME = re.compile(r"[^\W\d]\w*\Z")
COUNTS = "no counts: convert the model first, to what they say of each row"


def mass(vector: Vector) -> Any:
    """The sum of its entries."""
    return sum(vector.values(), ZERO)


@dataclass(frozen=True)
class Model:
    """A labelled Markov chain, whose numbers are of one field. None stands for the input where there is no choice."""

    label: Mapping[str, str]
    rows: Mapping[str, Mapping[str | None, Any]]
    """By state and input, the row; or what is known of it (extension "limits"), which is no dictionary."""
    field: Rationals

    def over(self, field: Rationals) -> Model:
        """The same chain, its functions of e^(1/k) in powers of the field's X; only fields that refine it will do."""
        old, new = self.field.x, field.x
        if isinstance(old, int):
            need(isinstance(new, int) and new % old == 0, "field", f"a multiple of the model's base {old}", new)
            factor = new // old  # type: ignore[operator]
            rows = {
                state: {a: refined(row, new, factor) for a, row in by_input.items()}
                for state, by_input in self.rows.items()
            }
            return replace(self, rows=rows, field=field)
        if isinstance(self.field, OnInterval):
            inside = isinstance(field, OnInterval) and field.x == old
            inside = inside and self.field.low <= field.low and field.high <= self.field.high  # type: ignore[attr-defined]
            need(inside, "field", f"a part of the interval of {old}")
            first, last = field.closed  # type: ignore[attr-defined]
            first = not first or field.low > self.field.low or self.field.closed[0]  # type: ignore[attr-defined]
            last = not last or field.high < self.field.high or self.field.closed[1]  # type: ignore[attr-defined]
            need(first and last, "field", f"ends that are values of {old}")
        return replace(self, field=field)

    @cached_property
    def limited(self) -> bool:
        """Whether some row is known within limits alone."""
        return any(map(self.is_limited, self.rows))

    def is_limited(self, state: str) -> bool:
        """Whether a row of the state is."""
        return any(not isinstance(row, dict) for row in self.rows[state].values())

    @cached_property
    def interactive(self) -> bool:
        """Whether some label has inputs."""
        return any(None not in by_input for by_input in self.rows.values())

    def inputs(self, state: str) -> list[str | None]:
        """The inputs of the state's label."""
        return [*self.rows[state]]

    def by_input(self, name: str, state: str, given: Any) -> dict[str | None, Any]:
        """What is given for each input of the state's label: an object of exactly these, where it has inputs."""
        inputs = self.rows[state].keys()
        if None in inputs:
            return {None: given}
        need(isinstance(given, dict) and given.keys() == inputs, name, "an object with every input", [*inputs])
        return dict(given)

    def vector(self, entries: Any, read: Any) -> dict[str, Any]:
        """[[state, number], …], known states, each once; zeros are left out."""
        spend(40 * len(entries))
        found = {state: read(value) for state, value in lists(entries, 2)}
        known = len(found) == len(entries) and found.keys() <= self.label.keys()
        need(known, "entries", "known states, each once", entries)
        return {state: value for state, value in found.items() if value}

    @cached_property
    def _row_over(self) -> dict[tuple[str, str | None], Over]:
        return {}

    def a_step_later(self, vector: Vector, asked: str | None) -> Terms:
        """The vector a step later, under an input: a sum of rows."""
        return [(x, self.whole_row(i, asked)) for i, x in vector.items()]

    def whole_row(self, state: str, asked: str | None) -> Over:
        """The row over a positive integer."""
        row = self._row_over.get((state, asked))
        if row is None:
            row = self._row_over[state, asked] = self.field.over_integer(self.rows[state][asked])
        return row

    def after(self, vector: Vector, asked: str | None) -> dict[str, dict[str, Any]]:
        """The vector a step later, under an input, split by label; entries that cancel stay as zeros."""
        bottom, tops = self.field.combined(self.a_step_later(vector, asked))
        split: dict[str, dict[str, Any]] = {}
        for j, x in tops.items():
            split.setdefault(self.label[j], {})[j] = divided(x, bottom)
        return split

    @cached_property
    def _whole(self) -> dict[Any, tuple[Any, dict[str, list[tuple[str, Any]]]]]:
        return {}

    def whole_rows(self, states: frozenset[str], asked: str | None) -> tuple[Any, dict[str, list[tuple[str, Any]]]]:
        """The rows of these states under an input, over one denominator: that, and the numerators."""
        found = self._whole.get((states, asked))
        if found is None:
            bottom, tops = whole({(i, j): p for i in states for j, p in self.rows[i][asked].items()})
            rows = {i: [(j, tops[i, j]) for j in self.rows[i][asked]] for i in states}
            if len(self._whole) >= MOST_KNOWN_ROWS:
                self._whole.clear()
            found = self._whole[states, asked] = bottom, rows
        return found

    def sha256(self) -> str:
        """The content hash of docs/certificate.md."""
        open_ = isinstance(self.field, OnInterval)
        digest = hashlib.sha256()
        if open_:
            digest.update(json.dumps({"parameter": self.field.x}, separators=(",", ":")).encode() + b"\n")
        for state in sorted(self.label):
            rows = {}
            for asked, row in self.rows[state].items():
                said = row.hashed() if not isinstance(row, dict) else (hashed_openly if open_ else hashed_row)(row)
                spend(40 * (1 + len(said)))
                rows[asked] = said
            line = [state, self.label[state], rows.get(None, rows)]
            digest.update(json.dumps(line, separators=(",", ":"), sort_keys=True).encode() + b"\n")
        return digest.hexdigest()


def refined(row: Row, x: Any, factor: int) -> Row:
    """A row in powers of X = Y^factor as one in powers of Y."""
    functions = {j: p for j, p in row.items() if isinstance(p, Quotient)} if isinstance(row, dict) else {}
    parts = {j: (stretched(p.top, factor), stretched(p.bottom, factor)) for j, p in functions.items()}
    return {**row, **{j: Quotient(x, *part) for j, part in parts.items()}} if parts else row


def hashed_row(row: Row) -> list[Any]:
    """The row as it counts in the hash: functions over one denominator, in powers of the least X that will do."""
    functions = [p for p in row.values() if isinstance(p, Quotient)]
    if not functions:
        return sorted([j, text(p)] for j, p in row.items())
    base = functions[0].x
    shared = math.gcd(base, *(i for p in functions for part in (p.top, p.bottom) for i, c in enumerate(part) if c))  # type: ignore[arg-type]
    parts = {j: (part[0][::shared], part[1][::shared]) for j, p in row.items() for part in [ends(p)]}
    common, factors = over_one(bottom for _, bottom in parts.values())
    tops = {j: times(top, factors[bottom]) for j, (top, bottom) in parts.items()}
    return [*sorted([j, [*map(digits, top)]] for j, top in tops.items()), [*map(digits, common)], base // shared]  # type: ignore[operator]


def hashed_openly(row: Row) -> list[Any]:
    """The row as it counts in the hash of a model with a parameter."""
    return sorted(
        [j, *([*map(digits, part)] for part in ends(p))] if isinstance(p, Quotient) else [j, text(p)]
        for j, p in row.items()
    )


# Reading


@dataclass(frozen=True)
class ModelFile:
    """A model in the native format, to be read over the field that a certificate names."""

    data: Any

    def over(self, field: Rationals) -> Model:
        """The chain."""
        return read_model(self.data, field)


def read_model(data: Any, field: Rationals) -> Model:
    """A chain of the native format; states of one label must offer the same inputs."""
    need(isinstance(data, dict) and data.get("format") == "deltachain.chain/1", "model", "a deltachain.chain/1 file")
    need(isinstance(data.get("states"), dict) and data["states"], "model", "an object of states")
    whole_field: Rationals = field
    if "parameter" in data:
        whole_field = interval_of(data["parameter"])
    label: dict[str, str] = {}
    rows: dict[str, dict[str | None, Row]] = {}
    for state, entry in data["states"].items():
        name = f"state {state}"
        need(not (isinstance(entry, dict) and "counts" in entry), name, COUNTS)
        need(isinstance(entry, dict) and ("to" in entry) != ("on" in entry), name, "an object with label, and to or on")
        need(type(entry.get("label")) is str, name, "a label that is text")
        given: Any = entry.get("on", {None: entry})
        need(isinstance(given, dict) and given, name, "a row for each input, at least one")
        need("to" in entry or "rest" not in entry, name, "rest beside to, in the row of each input")
        label[state] = entry["label"]
        rows[state] = {asked: read_row(name, row, asked, data["states"], whole_field) for asked, row in given.items()}
    same_inputs(label, rows)
    return Model(label, rows, whole_field).over(field)


def interval_of(given: Any) -> OnInterval:
    """The parameter of a model, and its interval."""
    need(isinstance(given, dict) and len(given) == 1, "parameter", "an object of one name and its interval")
    ((name, found),) = given.items()
    need(NAME.match(name) and name != "exp", "parameter", "a name", name)
    need(isinstance(found, list) and len(found) == 2, "parameter", "the two ends of an interval")
    low, high = (rational(end, decimals=True) for end in found)
    need(low < high, "parameter", "an interval that is not empty", low, high)
    return OnInterval(name, low, high)


def same_inputs(label: Mapping[str, str], rows: Mapping[str, Mapping[str | None, Row]]) -> None:
    """States of one label offer the same inputs."""
    like: dict[str, str] = {}
    for state in label:
        first = like.setdefault(label[state], state)
        fits = rows[state].keys() == rows[first].keys()
        need(fits, f"state {state}", "the inputs of its label", [*rows[state]], [*rows[first]])


def read_row(name: str, row: Any, asked: str | None, known: Mapping[str, Any], field: Rationals) -> Any:
    """An object of probabilities, formulas among them; or one with such an object as ``to``, and perhaps a ``rest``.

    Under an input both are allowed. They are told apart by the value of ``to``: a target's is no object.
    """
    entries, rest = row, ZERO
    if asked is None or (isinstance(row, dict) and isinstance(row.get("to"), dict)):
        entries, rest = row["to"], rational(row.get("rest", 0), decimals=True)
    need(isinstance(entries, dict), name, "an object of probabilities")
    need(asked is None or not isinstance(row.get("counts"), dict), name, COUNTS)
    need(entries.keys() <= known.keys(), name, "known targets")
    if rest or any(isinstance(p, list) for p in entries.values()):
        from .limits import read_limits  # few models have any

        return read_limits(name, entries, rest)
    return checked_row(name, {target: read_probability(p, field) for target, p in entries.items()}, field)


def checked_row(name: str, row: Row, field: Rationals) -> Row:
    """The positive entries, once none is negative and they add up to 1: of functions, by identity."""
    exact = {target: p for target, p in row.items() if p}
    need(all(field.positive(p) for p in exact.values()), name, "probabilities that are not negative")
    bottom, tops = whole(exact)  # over one denominator, which is sooner done than one sum after the other
    need(sum(tops.values()) == bottom, name, "a row that sums to one", mass(exact), 1)
    return exact


def read_probability(value: Any, field: Rationals) -> Any:
    """A number, or a formula: text that has an exp, the parameter, a parenthesis, * or ^, or a sign after a number."""
    pattern = rf"(?<!\w){re.escape(field.x)}(?!\w)" if isinstance(field.x, str) else FORMULA.pattern
    if isinstance(value, str) and (FORMULA.search(value) or re.search(pattern, value)):
        return field.settled(Formula(value, field.x).read())
    return rational(value, decimals=True)


# Chains that certificates make of the model's


def merged(model: Model, blocks: Any) -> tuple[Model, dict[str, str]]:
    """The quotient by a bisimulation, and the first member of each state's block."""
    listed = [state for block in lists(blocks, 1, more=len(model.label)) for state in block]
    need(len({*listed}) == len(listed) and {*listed} <= model.label.keys(), "merge", "known states, each in one block")
    first = {state: state for state in model.label} | {state: block[0] for block in blocks for state in block}
    rows = {s: {a: into_blocks(row, first) for a, row in by_input.items()} for s, by_input in model.rows.items()}
    for state, name in first.items():
        need(model.label[state] == model.label[name], "merge", "equal labels", state, name)
        need(rows[state] == rows[name], "merge", "equal probability into every block", state, name)
        # Rows in two equal boxes need not be equal.
        points = state == name or all(isinstance(row, dict) for row in rows[state].values())
        need(points, "merge", "exact probability into every block", state, name)
    kept = dict.fromkeys(first.values())
    return Model({s: model.label[s] for s in kept}, {s: rows[s] for s in kept}, model.field), first


def into_blocks(row: Any, first: Mapping[str, str]) -> Any:
    """What a row sends into each block."""
    if not isinstance(row, dict):
        return row.into_blocks(first)
    into: dict[str, Any] = {}
    for target, p in row.items():
        block = first[target]
        into[block] = into[block] + p if block in into else p
    return into


def relabelled(model: Model, labels: Any) -> Model:
    """The chain whose observer sees less: the labels that are named here are shown as others."""
    known = isinstance(labels, dict) and labels.keys() <= {*model.label.values()}
    need(known and all(type(a) is str for a in labels.values()), "labels", "for labels of the chain, coarser ones")
    label = {state: labels.get(a, a) for state, a in model.label.items()}
    same_inputs(label, model.rows)
    return replace(model, label=label)


def extended(model: Model, added: Any, names: Iterable[str]) -> Model:
    """The chain with more states, as a certificate likes: no row of the model leads to them.

    None may have one of the names that states of the chain had before merging: it would be taken for that state.
    """
    label, rows, taken = {**model.label}, {**model.rows}, {*names}
    for state, entry in added.items():
        need(state not in taken, "states", "new names", state)
        need(isinstance(entry, list) and len(entry) == 2 and type(entry[0]) is str, f"state {state}", "label, and rows")
        label[state] = entry[0]
    for state, (_, given) in added.items():
        by_input = given if isinstance(given, dict) else {None: given}
        need(by_input, f"state {state}", "a row for each input, at least one")
        rows[state] = {
            asked: checked_row(f"state {state}", {j: model.field.read(p) for j, p in lists(row, 2)}, model.field)
            for asked, row in by_input.items()
        }
        unknown = {j for row in rows[state].values() for j in row} - label.keys()
        need(not unknown, f"state {state}", "known targets", sorted(unknown)[:9])
    same_inputs(label, rows)
    return Model(label, rows, model.field)


def reached(model: Model, start: Iterable[str]) -> set[str]:
    """The states that these lead to, and they themselves."""
    found: set[str] = set()
    waiting = [*start]
    while waiting:
        state = waiting.pop()
        if state not in found:
            found.add(state)
            waiting.extend(target for row in model.rows[state].values() for target in row)
    return found


def unit(state: str) -> dict[str, Any]:
    """All mass on one state."""
    return {state: Fraction(1)}
