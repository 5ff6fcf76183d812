"""Chains from counts: how often each state was followed by which, as boxes that hold together at a confidence.

A row from counts declares targets, and everything else is one more class, `rest`. For each class there are k
successes, the steps that went there, in n trials, all steps seen from that state. `proportions.limits` gives an
interval that misses the probability of the class with probability at most

    error = (1 − confidence) / (R · (d + 1)),

R the number of rows from counts and d the number of targets that *this* row declares, whether they were seen or not.
All these intervals hold at once with probability at least ``confidence`` (docs/theory/counts.md).

Rows and targets must be declared before the data are seen: what the error is divided by must not depend on them. What
was seen and not declared counts as `rest`, without a lower limit of its own. A row that was never seen is all `rest`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..errors import Defect, InputError
from ..numbers.fraction import Number, as_fraction, format_fraction
from ..parameters import as_confidence
from .build import AnyRawRow, RawBox, RawEntry, assemble, raw_rows
from .chain import Chain, Valuation

if TYPE_CHECKING:
    from ..proportions import Totals

MAX_TOTAL = 1 << 53
"""Steps that may be counted in a row."""

TOTALS: tuple[Totals, ...] = ("random", "fixed")

Targets = Iterable[str] | Mapping[str, Iterable[str] | Mapping[str, Iterable[str]]]
"""What is declared: targets for every row from counts, or by state, or by state and input."""


@dataclass(frozen=True, slots=True)
class RawCounts:
    """Counts as they were read: steps by target, the targets declared (None: those counted), a limit that is known."""

    counts: Mapping[str, Number]
    targets: Sequence[str] | None = None
    rest: Number = 1

    @property
    def declared(self) -> Sequence[str]:
        """The targets that share the row's part of the error, `rest` apart."""
        return tuple(self.counts) if self.targets is None else self.targets


RawOrCounted = AnyRawRow | RawCounts


def read_confidence(value: Number | None, where: str = "confidence") -> tuple[Fraction, list[Defect]]:
    """The confidence, or 1/2 and what is wrong with it."""
    fix = 'give one between 0 and 1, such as "0.99"'
    if value is None:
        return Fraction(1, 2), [Defect(where, "rows are counts, and no confidence is given", fix)]
    try:
        return as_confidence(value), []
    except InputError as error:
        return Fraction(1, 2), [Defect(where, error.defects[0].what, fix)]


def boxes_from_counts(
    rows: Sequence[RawOrCounted | Mapping[str, RawOrCounted]],
    confidence: Fraction,
    totals: Totals,
    where: Callable[[int], str],
) -> tuple[list[AnyRawRow | Mapping[str, AnyRawRow]], list[Defect]]:
    """The rows with a box in place of each row of counts, and what is wrong with the counts."""
    counted = sum(
        isinstance(row, RawCounts)
        for given in rows
        for row in (given.values() if isinstance(given, Mapping) else (given,))
    )
    found: list[Defect] = []

    def make_box(row: RawOrCounted, place: str) -> AnyRawRow:
        if not isinstance(row, RawCounts):
            return row
        box, defects = _box(row, (1 - confidence) / max(counted, 1), totals)
        found.extend(Defect(place, defect.what, defect.fix) for defect in defects)
        return box

    made: list[AnyRawRow | Mapping[str, AnyRawRow]] = []
    for state, given in enumerate(rows):
        if isinstance(given, Mapping):
            made.append({asked: make_box(row, f"{where(state)}, input {asked!r}") for asked, row in given.items()})
        else:
            made.append(make_box(given, where(state)))
    return made, found


def _box(row: RawCounts, error: Fraction, totals: Totals) -> tuple[RawBox, list[Defect]]:
    """The box of one row, all of whose intervals miss something with probability at most ``error``."""
    from ..proportions import limits  # arb and NumPy are loaded when they are needed

    counts, rest, defects = _read(row)
    total, declared = sum(counts.values()), row.declared
    elsewhere = total - sum(counts.get(target, 0) for target in declared)
    if total >= MAX_TOTAL:
        defects.append(Defect("", f"{total} steps are counted", "at most 2^53 in a row"))
    if elsewhere and not rest:
        what = f"{elsewhere} of {total} steps went to targets that are not declared, and rest is 0"
        defects.append(Defect("", what, "declare them, or drop rest"))
    if not counts and not declared and not defects:
        fix = "count steps by target; for a row that was never seen, give each target a count of 0"
        defects.append(Defect("", "it has neither counts nor targets", fix))
    if defects or (not total and rest >= 1):
        return RawBox((), 1, "counts"), defects
    each = error / (len(declared) + 1)
    entries = [(target, limits(counts.get(target, 0), total, each, totals)) for target in declared]
    return RawBox(entries, min(rest, limits(elsewhere, total, each, totals)[1]), "counts"), []


def _read(row: RawCounts) -> tuple[dict[str, int], Fraction, list[Defect]]:
    """The counts that are counts, the limit for rest, and what is wrong."""
    counts: dict[str, int] = {}
    defects = []
    for target, number in row.counts.items():
        try:
            value = as_fraction(number, "count")
        except InputError as error:
            defects.append(Defect("", f"{error.defects[0].what}, to {target!r}", "give a whole number"))
            continue
        if value < 0 or value.denominator != 1:
            kind = "negative" if value < 0 else "fractional"
            what = f"{kind} count {format_fraction(value)} to {target!r}"
            defects.append(Defect("", what, "count steps: 0, 1, 2, …"))
        else:
            counts[target] = value.numerator
    for target, times in Counter(row.declared).items():
        if times > 1:
            defects.append(Defect("", f"target {target!r} is declared {times} times", "declare it once"))
    try:
        rest = as_fraction(row.rest, "rest")
    except InputError as error:
        return counts, Fraction(1), [*defects, Defect("", error.defects[0].what, "give a number from 0 to 1")]
    if rest < 0:
        defects.append(Defect("", f"rest is {format_fraction(rest)}", "it is at least 0"))
    return counts, rest, defects


def from_counts(
    counts: Mapping[str, Mapping[str, Number] | Mapping[str, Mapping[str, Number]]],
    labels: Mapping[str, str],
    *,
    confidence: Number,
    totals: Totals = "random",
    targets: Targets | None = None,
    rows: Mapping[str, Mapping[str, RawEntry] | Mapping[str, Mapping[str, RawEntry]]] = MappingProxyType({}),
    rest: Mapping[str, Number] = MappingProxyType({}),
    relation: Iterable[tuple[str, str]] = (),
    valuations: Mapping[str, Valuation] | None = None,
) -> Chain:
    """A chain from how often each state was followed by which: ``{state: {target: steps}}``, or by input.

    Its boxes hold all at once with probability at least ``confidence``. The error 1 − confidence is divided equally
    among the rows from counts, and the part of a row equally among its targets and ``rest``: with R rows, each interval
    of a row with d targets has the error (1 − confidence) / (R·(d + 1)). R and d must be fixed before the data are.

    Args:
        counts: Steps by target. The targets of a row are those that it counts, 0 for one that was not seen. Counts that
            come out of a log, with only what was seen, need ``targets`` as well: dividing by what was seen is wrong.
        labels: The label of every state, in the order of the chain.
        confidence: Above 0 and below 1.
        totals: ``"random"`` if the number of steps counted in a row came out of the runs (at every stopping time);
            ``"fixed"`` only if it was fixed in advance, which gives narrower boxes.
        targets: What was declared before, for all rows or ``{state: targets}``. What was seen and not declared has
            the lower limit 0 and counts as ``rest``, whether the chain has such a state or not. A state that is
            declared here and has no counts was never seen: all of its row is ``rest``.
        rows: Rows of other states, exact or within limits, as for `Chain.from_dicts`.
        rest: What may go elsewhere from a state, where that is known; 0 if there can be no other targets.
        relation: Pairs of states that must look alike.
        valuations: Values of variables by state, for messages.

    Raises:
        ModelError: Every defect at once.

    >>> labels = {"s": "start", "h": "heads", "t": "tails"}
    >>> ends = {"h": {"h": 1}, "t": {"t": 1}}
    >>> coin = from_counts({"s": {"h": 4021, "t": 5979}}, labels, rows=ends, confidence="0.99")
    >>> print(coin)
    Chain: 3 states, 4 transitions, 3 labels, 1 row within limits
      s [start] → h: [0.380202, 0.424262], t: [0.575738, 0.619798], elsewhere: up to 0.00149032
      h [heads] → h: 1
      t [tails] → t: 1
    """
    states = list(dict.fromkeys([*labels, *rows, *counts]))
    defects = [Defect(f"state {s!r}", "it has no label", "add it to labels") for s in states if s not in labels]
    declared = _read_declared(targets, states, rows.keys() - counts.keys(), defects)
    given: list[RawOrCounted | Mapping[str, RawOrCounted]] = []
    for state in states:
        limit = rest.get(state)
        exact = raw_rows(rows[state], limit or 0) if state in rows else None
        counted = _raw_counts(state, counts.get(state), declared.get(state), 1 if limit is None else limit, defects)
        given.append(_together(state, exact, counted, defects))
    found, wrong = read_confidence(confidence)
    if totals not in TOTALS:
        wrong.append(Defect("totals", f"{totals!r} is neither 'random' nor 'fixed'", "'fixed' if fixed in advance"))
    boxes, more = boxes_from_counts(given, found, totals, lambda state: f"state {states[state]!r}")
    return assemble(
        states,
        [labels.get(state, "") for state in states],
        boxes,
        relation=relation,
        valuations=None if valuations is None else [valuations.get(state, {}) for state in states],
        defects=[*defects, *wrong, *more],
        confidence=found,
    )


DeclaredRow = Sequence[str] | Mapping[str, Sequence[str]]
"""The targets of a state's row, or of its rows by input."""


def _read_declared(
    targets: Targets | None, states: Sequence[str], exact: Set[str], defects: list[Defect]
) -> dict[str, DeclaredRow]:
    """What was declared, by state; nothing for the states whose rows are given."""
    if targets is None:
        return {}
    if not isinstance(targets, Mapping):
        return dict.fromkeys((state for state in states if state not in exact), _list("targets", targets, defects))
    found: dict[str, DeclaredRow] = {}
    for state, listed in targets.items():
        where = f"targets of {state!r}"
        if state in exact:
            defects.append(Defect(where, "its row is given, and nothing is counted", "drop them, or give counts"))
        elif state not in states:
            defects.append(Defect(where, "there is no such state", "add its label, or drop them"))
        elif isinstance(listed, Mapping):
            found[state] = {asked: _list(where, names, defects) for asked, names in listed.items()}
        else:
            found[state] = _list(where, listed, defects)
    return found


def _list(where: str, names: Iterable[str], defects: list[Defect]) -> Sequence[str]:
    if not isinstance(names, str):
        return tuple(names)
    defects.append(Defect(where, f"the text {names!r} is not a list of states", f"write [{names!r}]"))
    return ()


def _raw_counts(
    state: str,
    counts: Mapping[str, Number] | Mapping[str, Mapping[str, Number]] | None,
    declared: DeclaredRow | None,
    rest: Number,
    defects: list[Defect],
) -> RawCounts | dict[str, RawCounts] | None:
    """The state's row of counts, its rows by input, or nothing where it has none."""
    if counts is None and declared is None:
        return None
    by_input = {asked: row for asked, row in (counts or {}).items() if isinstance(row, Mapping)}
    plain = {target: number for target, number in (counts or {}).items() if not isinstance(number, Mapping)}
    if isinstance(declared, Mapping) and not plain:
        inputs = dict.fromkeys([*by_input, *declared])
        return {asked: RawCounts(by_input.get(asked, {}), declared.get(asked), rest) for asked in inputs}
    if by_input and not plain and not isinstance(declared, Mapping):
        return {asked: RawCounts(row, declared, rest) for asked, row in by_input.items()}
    if by_input or isinstance(declared, Mapping):
        what = "some of its counts, or its targets, are by input and others are not"
        defects.append(Defect(f"state {state!r}", what, "give all by input, or none"))
        declared = None
    return RawCounts(plain, declared, rest)


def _together(
    state: str,
    exact: AnyRawRow | Mapping[str, AnyRawRow] | None,
    counted: RawCounts | Mapping[str, RawCounts] | None,
    defects: list[Defect],
) -> RawOrCounted | Mapping[str, RawOrCounted]:
    """A state's row, from whichever gives it; of a state with inputs, some rows may be given and others counted."""
    if isinstance(exact, Mapping) and isinstance(counted, Mapping) and not exact.keys() & counted.keys():
        return {**exact, **counted}
    if exact is not None and counted is not None:
        defects.append(Defect(f"state {state!r}", "it has counts and a row", "keep one"))
    if exact is None and counted is None:
        fix = "count its steps, with 0 for targets that were not seen, or give its row"
        defects.append(Defect(f"state {state!r}", "it has neither counts nor a row", fix))
        return RawBox((), 1, "counts")
    return counted if exact is None else exact  # type: ignore[return-value]  # one of them is there
