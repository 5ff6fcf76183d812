"""Beliefs over one denominator, what they lead to, and R4: whether that is a multiple of another belief.

A certificate about many pairs has few beliefs in many nodes. Each is kept once here, as integers (or polynomials of
e^(1/k)) over one denominator, and what is found out about it is found out once. (x'_a, y'_a) is c times (x, y), with
one c for both, if x'_a is c times x and y'_a is c times y; so everything is about one belief at a time. Part of the
trusted base.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .meter import spend
from .read import Belief, Model, Vector, coordinates, divided, whole

ZERO = Fraction(0)
STEP, LONG = 40, 10_000
"""Steps of the meter for an entry of a row where a belief takes a step, or for a letter after it. Numbers of n bits
take n²/LONG steps more, for their greatest common divisors."""
MOST_KNOWN = 10_000
"""Of so many beliefs it is kept what they lead to: a certificate may have any number."""


@dataclass(frozen=True, eq=False, slots=True)
class WholeBelief:
    """A belief, without zeros, as ``tops`` over ``bottom``; ``mass`` is its own. Equal only to itself."""

    bottom: Any
    tops: Mapping[str, Any]
    mass: Fraction

    @classmethod
    def of(cls, belief: Belief) -> WholeBelief:
        """It over the least denominator that all its entries have."""
        return cls.over(*whole(belief))

    @classmethod
    def over(cls, bottom: Any, tops: Mapping[str, Any]) -> WholeBelief:
        """It, and its mass."""
        return cls(bottom, tops, divided(sum(tops.values()), bottom))

    def exact(self) -> Belief:
        """Its entries, as numbers."""
        return {state: divided(top, self.bottom) for state, top in self.tops.items()}


EMPTY = WholeBelief(1, {}, ZERO)
Pair = tuple[WholeBelief, WholeBelief]


@dataclass(frozen=True)
class BeliefSteps:
    """What beliefs of a model lead to; of the last ones it is known."""

    model: Model
    _after: dict[tuple[WholeBelief, str | None], dict[str, WholeBelief]] = field(default_factory=dict)
    _ratios: dict[tuple[WholeBelief, WholeBelief], Fraction | None] = field(default_factory=dict)

    def after(self, belief: WholeBelief, asked: str | None) -> Mapping[str, WholeBelief]:
        """What is left of the belief after each letter that may come next, under an input."""
        found = self._after.get((belief, asked))
        if found is None:
            if len(self._after) >= MOST_KNOWN:
                self._after.clear()
                self._ratios.clear()
            below, rows = self.model.whole_rows(frozenset(belief.tops), asked)
            spend(STEP * sum(len(rows[state]) for state in belief.tops))
            bottom = belief.bottom * below
            longest = bottom.bit_length() if isinstance(bottom, int) else 0  # functions spend by themselves
            split = self.model.step(belief.tops, rows)
            spend((STEP + longest * longest // LONG) * len(split))
            found = self._after[belief, asked] = {a: WholeBelief.over(bottom, tops) for a, tops in split.items()}
        return found

    def multiple(self, parts: Pair, goals: Pair, basis: list[Vector] | None) -> Fraction | None:
        """The one c for which both parts, of `after`, are c times their goals, which are not both empty; else None."""
        both = [*zip(parts, goals, strict=True)]
        if any(part.tops for part, goal in both if not goal.tops):
            return None
        ratios = [self._ratio(part, goal, basis) for part, goal in both if goal.tops]
        return ratios[0] if all(ratio == ratios[0] for ratio in ratios) else None

    def _ratio(self, part: WholeBelief, goal: WholeBelief, basis: list[Vector] | None) -> Fraction | None:
        if (part, goal) not in self._ratios:
            alike = proportional(part, goal, basis)
            self._ratios[part, goal] = part.mass / goal.mass if alike else None
        return self._ratios[part, goal]


def proportional(one: WholeBelief, other: WholeBelief, basis: list[Vector] | None) -> bool:
    """Whether one·|other| = other·|one|; where there is a basis, in its coordinates (R5)."""
    mine, its = sum(one.tops.values()), sum(other.tops.values())
    rest = {i: one.tops.get(i, 0) * its - other.tops.get(i, 0) * mine for i in {*one.tops, *other.tops}}
    return not any(coordinates(rest, basis))
