"""The distance of a chain: which pairs matter, which are zero, the float policy, and its proof.

One direction: `relevant_states` → `PairSpace` → `zero_set` → `find_policy` → `attain` → `solve_exactly` or `certify`.
Where floats are too coarse to certify a sharp bound, exact arithmetic is tried; where that exceeds its budget, the
certified bound is the answer. The budget is one of size and of time: with enough of both, the exact value is always
found. Where it was asked for and is not, the answer has two certified sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from ..cancel import Cancel
from ..errors import InputError, NotConverged, Stopped
from ..model import Chain, reachable
from ..numbers.field import Exact, rational
from .improvement import ExactDistance, attain, solve_exactly
from .kind import DistanceKind
from .kinds import kind_named
from .kinds.bd import BD
from .lower_side import LowerSide, certify_lower
from .pair_space import PairSpace, relevant_states
from .pair_table import PairDistance, PairTable
from .policy_iteration import FloatPoint, find_policy
from .scalars import Scalars, V, scalars_of
from .upper_side import SHARP, Certified, certify
from .zero_set import ZeroSet, zero_set

MAX_EQUATIONS = 3000
"""Exact linear systems of more pairs that depend on each other are refused, unless the caller allows more."""

MANY_PAIRS = 2_000_000
"""Where single pairs are asked for and more pairs than this could matter as stepping stones, stones are taken from the
states that the pairs reach, if that is half as many pairs or fewer; the value is then an upper one."""

MAX_PAIRS = 60_000_000
"""Above this many ordered same-label pairs (about 5 GB of tables), an answer is refused rather than begun."""


@dataclass(frozen=True)
class FixedPoint:
    """bd, ld or sd of the pairs that were asked for, and of all that they depend on, with its proof.

    ``side`` says what the values are: ``"exact"``, or ``"upper"``, certified upper bounds. ``d["s", "t"]`` is a
    Fraction, or, of a chain whose rows are functions of e^(1/k), such a function; pairs of different labels have
    distance 1.
    """

    chain: Chain
    kind: DistanceKind
    exp_epsilon: Exact
    side: Literal["exact", "upper"]
    proof: ExactDistance[Any] | Certified[Any]
    lower: LowerSide[Any] | None = None
    """What proves values from below: the same ones where they are exact; None where nobody asked."""

    def __getitem__(self, pair: tuple[str | int, str | int]) -> Exact:
        s, t = self.chain.number(pair[0]), self.chain.number(pair[1])
        if self.chain.labels[s] != self.chain.labels[t]:
            return Fraction(1)
        if s == t:
            return Fraction(0)
        space = self.proof.space
        if s not in space.position or t not in space.position:
            raise InputError(f"pair {pair} was not computed: ask for it, or for all pairs")
        return self.value(space.pair(space.position[s], space.position[t]))

    def fraction(self, pair: tuple[str | int, str | int]) -> Fraction:
        """The value of a pair of a chain of fractions."""
        return _as_fraction(self[pair])

    def value(self, number: int) -> Exact:
        """The value of a pair of the space, by its number."""
        return self.proof.value(number)

    def lowers(self, pair: tuple[int, int]) -> tuple[Exact, Exact] | None:
        """Lower bounds of the distance of two states of one label, there and back, if there are any."""
        if self.lower is None:
            return None
        u, v = (self.proof.space.position[state] for state in pair)
        there, back = self.proof.space.pair(u, v), self.proof.space.pair(v, u)
        return self.lower.value(there), self.lower.value(back)

    @property
    def sharp(self) -> bool:
        """Whether the values are exact, or within a relative `SHARP` of the float fixed point."""
        return self.proof.sharp

    def items(self) -> Iterator[tuple[tuple[str, str], Exact]]:
        """All computed same-label pairs of different states with their values; of a symmetric kind each once."""
        space = self.proof.space
        u, v = space.ends
        for number in space.off_diagonal.tolist():
            s, t = space.states[u[number]], space.states[v[number]]
            if self.kind.directed or s < t:
                yield (self.chain.states[s], self.chain.states[t]), self.value(number)

    def table(self) -> Sequence[PairDistance]:
        """Every computed pair (s, t), s < t, of one label, with both directions."""
        space, states = self.proof.space, np.array(self.proof.space.states)
        u, v = space.ends
        there = np.flatnonzero(states[u] < states[v])
        back = space.swapped[there]
        s, t = states[u[there]].astype(np.int32), states[v[there]].astype(np.int32)
        if isinstance(self.proof, Certified):
            values = self.proof.values
            lowers = None
            if self.lower is not None:  # they are floats, each of them exactly
                below = np.array([space.scalars.nearest(value) for value in self.lower.values])
                lowers = below[there], below[back]
            return PairTable(self.chain.states, s, t, values[there], values[back], lowers)
        names = self.chain.states
        numbers = zip(s.tolist(), t.tolist(), there.tolist(), back.tolist(), strict=True)
        return tuple(
            PairDistance((names[i], names[j]), self.value(p), self.value(q), self.side) for i, j, p, q in numbers
        )


def _as_fraction(number: Exact) -> Fraction:
    found = rational(number)
    if found is None:
        raise ValueError(f"{number} is not rational: ask only of a chain of fractions")
    return found


def solve(
    chain: Chain,
    alpha: Exact,
    *,
    kind: DistanceKind | str = BD,
    pairs: Iterable[tuple[int, int]] | None = None,
    exact: bool | None = None,
    both: bool = False,
    max_equations: int | None = None,
    cancel: Cancel | None = None,
) -> FixedPoint:
    """The distance bd, ld or sd at α of the chain as given, for ``pairs`` of state numbers (default: all same-label
    pairs). α is a number of the chain's rows, see `Scalars.alpha`; a chain that is not exact is refused.

    ``exact=True`` gives the exact value or raises NotConverged, which carries a FixedPoint of certified upper values,
    with lower ones beside them as far as time allows. It is raised only where a linear system has more than
    ``max_equations`` unknowns (default: `MAX_EQUATIONS`), where more stepping stones matter than can be kept, or where
    time is up.
    ``exact=False`` gives certified upper values: within a relative 1e-9 of the float fixed point (usually 1e-12), or
    exact ones where floats are too coarse for that, or, where exact arithmetic is too slow as well, upper ones that are
    not `sharp`. ``exact=None`` tries the exact value on small chains; with ``both``, where its linear systems are too
    large there, upper values have lower ones beside them. For single pairs of a chain with thousands of
    states per label, values are upper ones over the states that the pairs reach (`MANY_PAIRS`). ``side`` says which one
    it is.
    """
    if alpha < 1:
        raise InputError(f"exp_epsilon: {alpha} is below 1")
    kind = kind_named(kind)
    scalars = scalars_of(chain)
    asked = None if pairs is None else list(pairs)
    states = None if asked is None else relevant_states(chain, asked)
    if asked is not None and states is not None and _count_pairs(chain, states) > MANY_PAIRS:
        near = reachable(chain, {state for pair in asked for state in pair})
        if _count_pairs(chain, near) * 2 <= _count_pairs(chain, states):
            # Stepping stones elsewhere are not used, so the values may lie above the distance of the whole chain.
            close_by = PairSpace.over(chain, scalars, alpha, near, discount=kind.discount)
            nearby = _solve_space(close_by, kind, None, scalars.exact_equations, cancel)
            upper = replace(nearby, side="upper", lower=None)
            if exact:
                count = _count_pairs(chain, states)
                what = f"{count} pairs could matter as stepping stones, above the limit of {MANY_PAIRS}"
                raise NotConverged(f"{what}; a certified upper value without them is attached", upper)
            return upper
    most = (MAX_EQUATIONS if exact else scalars.exact_equations) if max_equations is None else max_equations
    space = PairSpace.over(chain, scalars, alpha, states, discount=kind.discount)
    return _solve_space(space, kind, exact, most, cancel, both)


def solve_over(
    chain: Chain,
    scalars: Scalars[V],
    alpha: Exact,
    kind: DistanceKind,
    pairs: Iterable[tuple[int, int]],
    max_equations: int,
    cancel: Cancel | None = None,
) -> FixedPoint:
    """The exact distance, computed in numbers that hold those of the rows and α; NotConverged if it is too large."""
    space = PairSpace.over(chain, scalars, alpha, relevant_states(chain, pairs), discount=kind.discount)
    return _solve_space(space, kind, True, max_equations, cancel)


def _count_pairs(chain: Chain, states: Iterable[int]) -> int:
    """The number of ordered same-label pairs over some states."""
    return sum(count * count for count in Counter(chain.labels[state] for state in states).values())


def refuse_too_many(space: PairSpace[Any]) -> None:
    """InputError where the tables of the pairs would not fit into memory."""
    if len(space) * space.layers > MAX_PAIRS:
        what = f"{len(space):,} same-label pairs" + (f" with up to {space.layers} inputs" if space.layers > 1 else "")
        fix = "merge bisimilar states first, or ask for a pair that reaches fewer"
        raise InputError(f"{what}, above the limit of {MAX_PAIRS:,}: {fix}")


def _solve_space(
    space: PairSpace[V],
    kind: DistanceKind,
    exact: bool | None,
    max_equations: int,
    cancel: Cancel | None,
    both: bool = False,
) -> FixedPoint:
    """Zero set, float policy, and the proof that was asked for."""
    chain, alpha = space.chain, space.alpha
    refuse_too_many(space)
    zero = zero_set(space, kind, cancel=cancel)
    guide = attain(space, kind, zero, find_policy(space, kind, zero.member, cancel=cancel), cancel)
    upper: FixedPoint | None = None
    tried = exact or (exact is None and len(space) <= space.scalars.exact_pairs)
    if exact or not tried:  # where time may run out, or where this may be the answer
        upper = FixedPoint(chain, kind, alpha, "upper", certify(space, kind, guide, zero, cancel))
        if not tried and upper.sharp:
            return upper
    try:
        proof = _solve(space, kind, guide, zero, max_equations, cancel)
        return FixedPoint(chain, kind, alpha, "exact", proof, proof.lower)
    except NotConverged as reason:
        upper = upper or FixedPoint(chain, kind, alpha, "upper", certify(space, kind, guide, zero, cancel))
        if exact or (both and tried):
            upper = _with_lower(upper, guide, cancel)
        if exact:
            raise NotConverged(f"{reason}; {_attach(upper)}", upper) from None
        return upper
    except Stopped as reason:
        if upper is None:
            raise
        raise NotConverged(f"{reason}; {_attach(upper)}", upper) from None


def _solve(
    space: PairSpace[V],
    kind: DistanceKind,
    guide: FloatPoint[V],
    zero: ZeroSet[V],
    max_equations: int,
    cancel: Cancel | None,
) -> ExactDistance[V]:
    """The exact distance; NotConverged also where a function of e gets too long to be computed with."""
    try:
        return solve_exactly(space, kind, guide, zero, max_equations=max_equations, cancel=cancel)
    except InputError as reason:
        raise NotConverged(f"the exact value is too long: {reason}") from None


def _with_lower(upper: FixedPoint, guide: FloatPoint[Any], cancel: Cancel | None) -> FixedPoint:
    """Certified values from both sides; from above alone where time or stepping stones do not allow for more."""
    try:
        return replace(upper, lower=certify_lower(upper.proof.space, upper.kind, guide, cancel))
    except (NotConverged, Stopped):
        return upper


def _attach(found: FixedPoint) -> str:
    rough = "" if found.sharp else f", but not within a relative {SHARP} of the float fixed point"
    return f"a certified upper value is attached{rough}" + ("" if found.lower is None else ", and a lower one")
