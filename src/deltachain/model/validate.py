"""What makes a description a labelled Markov chain: every defect at once, each with its place and the fix."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from flint import fmpz_poly

from ..errors import Defect
from ..numbers.exponential import sign_at
from ..numbers.fraction import format_fraction
from .rows import AnyRow, PointRow, Polynomial, Quotients, Row, add_polynomials, as_row, trim_zeros

NORMALISE = 'normalise=True, or normalise="any" if it is off by more than 1e-3'
"""How to ask for it from Python; the command line has options instead."""

SHOWN_COEFFICIENTS = 6
ROW_SUM_FIX = f"the row must sum to exactly 1; a row of rounded decimals can be normalised on purpose: {NORMALISE}"


def find_defects(
    states: Sequence[str],
    labels: Sequence[str],
    given: Sequence[Sequence[AnyRow | Row]],
    relation: Sequence[tuple[int, int]],
    valuations: Sequence[Mapping[str, object]] | None = None,
    inputs: Mapping[str, Sequence[str]] = MappingProxyType({}),
    place: Callable[[int], str] | None = None,
) -> list[Defect]:
    """Every way in which this is not a chain, in the order of the states; empty when it is one.

    ``place`` turns a state's number into where it was read (``"model.tra:12"``); by default, its name.
    """
    where = place or (lambda state: f"state {states[state]!r}")
    if not states:
        return [Defect("chain", "it has no states", "give at least one state")]
    defects = _shape_defects(states, labels, given, valuations) + _input_defects(labels, inputs)
    if defects:
        return defects
    sound: set[int] = set()  # boxes, by object: many states may share one
    for state, rows in enumerate(given):
        names = inputs.get(labels[state])
        if len(rows) != (1 if names is None else len(names)):
            what = f"{len(rows)} rows for {1 if names is None else len(names)}"
            defects.append(Defect(where(state), what, "give one row for each input of the label, one if it has none"))
            continue
        for number, row in enumerate(rows):
            asked = "" if names is None else f", input {names[number]!r}"
            # Many states may share a long row; a short one is looked at sooner than it is looked up.
            points = row.fractions if isinstance(row, PointRow) else row
            if isinstance(points, tuple):
                if not _is_distribution(points, len(states)):
                    defects.extend(_row_defects(f"{where(state)}{asked}", points, len(states)))
            elif id(row) not in sound:
                found = _box_defects(f"{where(state)}{asked}", as_row(row), states)
                defects.extend(found)
                sound.update([] if found else [id(row)])
    for i, j in relation:
        if not (0 <= i < len(states) and 0 <= j < len(states)):
            defects.append(
                Defect(
                    "relation",
                    f"pair ({i}, {j}) names a state that does not exist",
                    "name two states of the chain",
                )
            )
    return defects


def _shape_defects(
    states: Sequence[str],
    labels: Sequence[str],
    moves: Sequence[object],
    valuations: Sequence[Mapping[str, object]] | None,
) -> list[Defect]:
    defects = []
    if len(labels) != len(states):
        defects.append(Defect("labels", f"{len(labels)} labels for {len(states)} states", "give one label a state"))
    if len(moves) != len(states):
        defects.append(Defect("rows", f"{len(moves)} rows for {len(states)} states", "give one row per state"))
    if valuations is not None and len(valuations) != len(states):
        defects.append(
            Defect("valuations", f"{len(valuations)} valuations for {len(states)} states", "give one per state")
        )
    if len(set(states)) != len(states):
        twice = (name for name, count in Counter(states).items() if count > 1)
        defects.extend(Defect(f"state {name!r}", "the name is used twice", "rename one") for name in twice)
    given: tuple[tuple[str, Sequence[object]], ...] = (("name", states), ("label", labels))
    for kind, texts in given:
        for i, text in enumerate(texts):
            if not isinstance(text, str):
                defects.append(
                    Defect(f"{kind} of state {i}", f"{text!r} is not text", f"give every {kind} as a string")
                )
    return defects


def _input_defects(labels: Sequence[str], inputs: Mapping[str, Sequence[str]]) -> list[Defect]:
    """Inputs are texts, sorted, each once, of labels that occur."""
    known, defects = set(labels), []
    for label, names in inputs.items():
        where = f"inputs of label {label!r}"
        if label not in known:
            defects.append(Defect(where, "no state has this label", "drop them"))
        elif not names or not all(isinstance(name, str) for name in names):
            defects.append(Defect(where, f"{list(names)!r} are not names", "give at least one, each a string"))
        elif list(names) != sorted(set(names)):
            defects.append(Defect(where, f"{list(names)!r} are repeated or out of order", "sort them, each once"))
    return defects


def _is_distribution(row: Sequence[tuple[int, Fraction]], size: int) -> bool:
    """Whether the row is sound: the checks of `_row_defects` in one pass over integers, for large models."""
    previous, top, bottom = -1, 0, 1
    for target, probability in row:
        if not previous < target < size or not isinstance(probability, Fraction):
            return False
        previous = target
        numerator, denominator = probability.as_integer_ratio()
        if numerator <= 0:
            return False
        if denominator == bottom:
            top += numerator
        else:
            common = math.gcd(bottom, denominator)
            top = top * (denominator // common) + numerator * (bottom // common)
            bottom *= denominator // common
    return top == bottom


def _sign_defects(where: str, row: PointRow, states: Sequence[str]) -> list[Defect]:
    """Exact probabilities that are not above 0, and a part that is cut off and below it."""
    defects = []
    if isinstance(row.numbers, Quotients):
        bottom = _sign(row.numbers.k, row.numbers.bottom)
        signs = [(target, bottom * _sign(row.numbers.k, top)) for target, top in row.numbers.tops]
    else:
        signs = [(target, (p > 0) - (p < 0)) for target, p in row.numbers]
    for target, sign in signs:
        if sign <= 0:
            what = f"the probability to {states[target]!r} is not positive"
            defects.append(Defect(where, what, "probabilities are above 0; leave zeros out"))
    if row.cut_off < 0:
        defects.append(Defect(where, "what is cut off is below 0", "it is at least 0"))
    return defects


def _sign(k: int, polynomial: Polynomial) -> int:
    """The sign at X = e^(1/k); it is seen at once where no coefficient is negative, as in the laws of noise."""
    if all(c >= 0 for c in polynomial):
        return int(any(polynomial))
    return sign_at(k, fmpz_poly(list(polynomial)))


def _sum_defects(where: str, row: PointRow) -> list[Defect]:
    """What an exact row and what it cuts off exceed 1 by."""
    if row.functions is None:
        total: Any = row.cut_off
        for _, p in row:
            total = total + p
        what = f"the row does not sum to 1: with what is cut off it sums to {total}"
        return [] if total == 1 else [Defect(where, what, "the row must sum to 1 by identity")]
    functions = row.functions
    missing = trim_zeros(add_polynomials([tuple(-c for c in functions.bottom), functions.total()]))
    if not missing:
        return []
    shown = ", ".join(map(_show, missing[:SHOWN_COEFFICIENTS])) + (", …" if len(missing) > SHOWN_COEFFICIENTS else "")
    what = f"the row does not sum to 1: the numerators exceed the denominator by [{shown}]"
    what += f" in powers of e^(1/{functions.k})"
    return [Defect(where, what, "the row must sum to 1 by identity")]


def _box_defects(where: str, given: AnyRow, states: Sequence[str]) -> list[Defect]:
    """Targets known and in order; ends in order; some row inside."""
    targets = [target for target, *_ in given]
    if targets != sorted(set(targets)) or not all(0 <= target < len(states) for target in targets):
        return [Defect(where, "its targets are unknown, repeated or out of order", "list each target once")]
    if isinstance(given, PointRow):
        return _sign_defects(where, given, states) or _sum_defects(where, given)
    row = given.box
    numbers: list[object] = [row.rest, *(end for _, *ends in row for end in ends)]
    if not all(isinstance(number, Fraction) for number in numbers):
        return [Defect(where, "an end that is not a Fraction", "read it with as_fraction")]
    defects = []
    for target, lo, hi in row:
        if not 0 <= lo <= hi:
            what = f"the box to {states[target]!r} goes from {_show(lo)} to {_show(hi)}"
            defects.append(Defect(where, what, "give 0 ≤ lo ≤ hi"))
    if row.rest < 0:
        defects.append(Defect(where, f"rest is {_show(row.rest)}", "it is at least 0"))
    if defects:
        return defects
    one, lows, highs = row.scale()
    low, high = Fraction(sum(lows), one), Fraction(sum(highs), one) + row.rest
    if low > 1:
        defects.append(Defect(where, f"no row is inside: the lower ends sum to {_show(low)}", "at most 1"))
    if high < 1:
        what = f"no row is inside: the upper ends, with rest, sum to {_show(high)}"
        defects.append(Defect(where, what, "at least 1; mass that may go elsewhere is `rest`"))
    return defects


def _row_defects(where: str, row: Sequence[tuple[int, Fraction]], size: int) -> list[Defect]:
    defects = []
    previous = -1
    for target, probability in row:
        if not 0 <= target < size:
            defects.append(Defect(where, f"unknown target number {target}", f"targets are 0 to {size - 1}"))
        elif target <= previous:
            defects.append(
                Defect(where, f"target number {target} is repeated or out of order", "list each target once")
            )
        previous = max(previous, target)
        number: object = probability  # callers without types may pass anything
        if not isinstance(number, Fraction):
            defects.append(Defect(where, f"probability {probability!r} is not a Fraction", "read it with as_fraction"))
        elif probability <= 0:
            what = f"probability {format_fraction(probability)} to target number {target} is not positive"
            defects.append(Defect(where, what, "probabilities are above 0; leave zeros out"))
    if not defects:
        total = _sum(row)
        if total != 1:
            what = f"row sums to {_show(total)}" if row else "it has no transitions"
            fix = ROW_SUM_FIX if row else "give an absorbing state a transition to itself with probability 1"
            defects.append(Defect(where, what, fix))
    return defects


def _sum(row: Sequence[tuple[int, Fraction]]) -> Fraction:
    """The row's exact sum, over one common denominator: several times faster than adding Fractions."""
    scale = math.lcm(*(p.denominator for _, p in row))
    return Fraction(sum(p.numerator * (scale // p.denominator) for _, p in row), scale)


def _show(total: Fraction | int) -> str:
    text = format_fraction(total)
    return text if len(text) <= 60 else f"{text[:57]}…"
