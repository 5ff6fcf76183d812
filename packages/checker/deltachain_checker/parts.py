"""Extension "parts": δ at every value of a parameter in a part of its interval, from where runs end.

With X and Y the masses that end where nothing more is learned (`graph.Visits`), δ is at each u the larger of
Σ (X − αY)^+ and Σ (Y − αX)^+. From above, what has no settled sign on the part is counted, and left out, in every way.
From below, an event is enough: that of what is positive in the middle of the part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

from .claims import Claim, name_of
from .document import shown
from .errors import need
from .numbers import ZERO, OnInterval, Quotient, rational, text

MOST_MIXED = 6
"""Outcomes of no settled sign on a part, at most."""
KEYS = ("from", "after", "to", "before")
"""The ends of a part; ``after`` and ``before`` are left out."""
SIDES = {"upper": (1, False), "below": (1, True), "lower": (-1, False), "above": (-1, True)}
"""The bounds of a claim: from above or below, and whether they are strict."""
Ending = tuple[Any, tuple[Any, ...]]
"""How much arrives where runs end, and the masses of the beliefs there."""


class Outcome(NamedTuple):
    """What an ending gains, and what a unit of its mass does, which tells its sign."""

    weight: Any
    share: Any
    gain: Any


def part_of(name: str, claim: Mapping[str, Any], whole: Any) -> OnInterval:
    """The part of the interval that a claim is about."""
    need(isinstance(whole, OnInterval), name, "a part, where the certificate is about every value of a parameter")
    ends = []
    for closed, opened in (KEYS[:2], KEYS[2:]):
        need((closed in claim) != (opened in claim), name, f"one of {closed} and {opened}")
        ends.append((rational(claim[closed if closed in claim else opened]), closed in claim))
    (low, first), (high, last) = ends
    first, last = first and (low > whole.low or whole.closed[0]), last and (high < whole.high or whole.closed[1])
    inside = whole.low <= low <= high <= whole.high and (low < high or (first and last))
    need(inside, name, "a part of the interval, not empty", f"({low}, {high})", f"({whole.low}, {whole.high})")
    return OnInterval(whole.x, low, high, (first, last))


def conclude(said: Claim, claim: Mapping[str, Any], endings: Sequence[Ending], whole: Any, alpha: Any) -> Claim:
    """The claim, if each of its bounds follows from where runs end."""
    name = name_of(said)
    part = part_of(name, claim, whole)
    bounds = {side: whole.read(claim[side]) for side in SIDES if side in claim}
    need(bounds, name, "a bound: upper, below, lower or above")
    ways = [outcomes_of(endings, alpha, way) for way in (1, -1)]
    for side, bound in bounds.items():
        sign, strict = SIDES[side]
        proved = (is_at_most if sign > 0 else is_at_least)(name, ways, part, bound, strict)
        where = f"for every {part.x} from {text(part.low)} to {text(part.high)}"
        need(proved, name, f"the {side} bound, {shown(str(bound))}, {where}")
    terms = {**said.terms, "part": (part.low, part.high, (not part.closed[0], not part.closed[1]))}
    terms |= {side: bounds[side] for side in ("below", "above") if side in bounds}
    return replace(said, lower=bounds.get("lower"), upper=bounds.get("upper"), terms=terms)


def outcomes_of(endings: Sequence[Ending], alpha: Any, way: int) -> list[Outcome]:
    """What the endings gain in a direction; those of one share together, which have one sign."""
    found: dict[Any, Outcome] = {}
    for weight, masses in endings:
        x, y = masses[::way]
        gap = x - alpha * y
        if gap:
            share, gain = gap / (x + y), weight * gap
            key = (share.top, share.bottom) if isinstance(share, Quotient) else share
            known = found.get(key)
            found[key] = Outcome(weight, share, gain if known is None else known.gain + gain)
    return [*found.values()]


def is_at_most(name: str, ways: Sequence[Sequence[Outcome]], part: OnInterval, most: Any, strict: bool) -> bool:
    """Whether δ ≤ most, or below it, on the whole part."""
    holds = part.positive if strict else part.nonneg
    for outcomes in ways:
        base, mixed = ZERO, []
        for outcome in outcomes:
            if part.nonneg(-outcome.share):
                continue
            if part.nonneg(outcome.share):
                base = base + outcome.gain
            else:
                mixed.append(outcome.gain)
        need(len(mixed) <= MOST_MIXED, name, f"at most {MOST_MIXED} outcomes that change sign on a part", len(mixed))
        for size in range(len(mixed) + 1):
            for some in combinations(mixed, size):
                if not holds(most - sum(some, base)):
                    return False
    return True


def is_at_least(_name: str, ways: Sequence[Sequence[Outcome]], part: OnInterval, least: Any, strict: bool) -> bool:
    """Whether δ ≥ least, or above it, on the whole part."""
    middle = (part.low + part.high) / 2
    there = OnInterval(part.x, middle, middle, (True, True))
    for outcomes in ways:
        chosen = [outcome for outcome in outcomes if there.positive(outcome.share)]
        if not least and any(part.positive(each.share) and part.positive(each.weight) for each in chosen):
            return True
        room = sum((each.gain for each in chosen), ZERO) - least
        if part.positive(room) if strict else part.nonneg(room):
            return True
    return False
