"""What probabilities of hidden steps are made of: integers, polynomials in e^(1/k), or intervals.

Weights of a draw stand over one total. Where all probabilities are fractions, weights and totals are ints. Where they
are made from e^q, weights are integer polynomials in X = e^(1/k), and totals are products of a few polynomials that
are kept in factored form: adding masses over different totals then needs no common divisors of polynomials. Where
something is only enclosed, or a tail was cut off, a weight is a `WeightInterval` over 2^`WEIGHT_BITS`, rounded
outwards, and totals are ints again. Ints mix with either, so the hidden steps of a program are folded by one procedure
(`states`), and a row that rational draws alone lead to is a plain row whatever else the program draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from flint import fmpz_poly

from ...errors import InputError
from ...model.rows import AnyRow, BallRow, PointRow, quotients_row
from ...numbers.exponential import as_exponential, function_of, over_one_denominator, quotient_ends
from ...numbers.precision import ROW_BITS, WEIGHT_BITS
from .values import Value

MAX_OUTCOMES = 10_000
"""The most outcomes of one draw."""
MOST_TOLD_APART = 100_000
"""Outcomes of announced noise, each of which is a letter of its own."""

RATIONAL, ENCLOSED = 0, -1
"""In place of k: weights are ints; weights are intervals."""

FIRST_REDUCTION = 1024
"""Up to so many bits a denominator is left as it is."""

MOST_COEFFICIENTS = 500_000
"""How many coefficients the exact rows of one chain may have; beyond, its rows are enclosures."""

MOST_DEGREE = 20_000
"""The largest degree of a numerator on the way."""

Weight = Any
"""An int, an fmpz_poly or an Interval."""
Total = Any
"""An int, an fmpz_poly, or a Factored."""


class TooLong(Exception):
    """Polynomials that have grown beyond the limits: enclosures will do."""


class Law(NamedTuple):
    """Outcomes, with weights that sum to ``total``."""

    values: Sequence[Value]
    weights: tuple[Weight, ...]
    total: Total
    base: int = RATIONAL
    """k of polynomial weights; RATIONAL or ENCLOSED."""
    why: str = ""
    """Why it is enclosed."""


def law_of(values: Sequence[Any], weights: Sequence[Weight], total: Total, base: int = RATIONAL, why: str = "") -> Law:
    """The law; ints in lowest terms."""
    if base == RATIONAL:
        shared = math.gcd(total, *weights)
        weights, total = [weight // shared for weight in weights], total // shared
    return Law(tuple(values), tuple(weights), total, base, why)


class Moves(NamedTuple):
    """Where a drawing configuration goes, each place once, with weights that sum to ``total``."""

    targets: tuple[int, ...]
    weights: tuple[Weight, ...]
    total: Total
    base: int = RATIONAL


def moves_of(targets: Sequence[int], law: Law) -> Moves:
    """Where the outcomes of a law lead, those that lead to the same place together."""
    if len(set(targets)) == len(targets):
        return Moves(tuple(targets), law.weights, law.total, law.base)
    row: dict[int, Weight] = {}
    for target, weight in zip(targets, law.weights, strict=True):
        row[target] = row[target] + weight if target in row else weight
    if law.base != RATIONAL:
        return Moves(tuple(row), tuple(row.values()), law.total, law.base)
    common = math.gcd(*row.values())
    return Moves(tuple(row), tuple(weight // common for weight in row.values()), law.total // common)


class WeightInterval:
    """A number that is not negative, between low and high over 2^WEIGHT_BITS; ints beside it are exact."""

    __slots__ = ("high", "low")

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def __add__(self, other: WeightInterval | int) -> WeightInterval:
        if type(other) is int:
            whole = other << WEIGHT_BITS
            return WeightInterval(self.low + whole, self.high + whole)
        return WeightInterval(self.low + other.low, self.high + other.high)  # type: ignore[union-attr]

    def __mul__(self, other: WeightInterval | int) -> WeightInterval:
        if type(other) is int:
            return WeightInterval(self.low * other, self.high * other)
        # Neither is negative, so ends multiply with ends; rounded outward.
        low, high = self.low * other.low, self.high * other.high  # type: ignore[union-attr]
        return WeightInterval(low >> WEIGHT_BITS, -(-high >> WEIGHT_BITS))

    __radd__, __rmul__ = __add__, __mul__

    def __repr__(self) -> str:
        return f"Interval({self.low}, {self.high})"


class Integers:
    """Weights and totals that are ints."""

    one: Total = 1

    def length(self, total: Total) -> int:
        """How long it is: beyond some length it is worth while to reduce."""
        return int.bit_length(total)

    def adapt(self, moves: Moves) -> Moves:
        """The moves in this arithmetic."""
        return moves

    def reduce(self, numerator: Weight, denominator: Total) -> tuple[Weight, Total]:
        """The same quotient in shorter numbers."""
        common = math.gcd(numerator, denominator)
        return numerator // common, denominator // common

    def cofactors(self, one: Total, other: Total) -> tuple[Weight, Weight, Total]:
        """a, b and the common multiple one·a = other·b."""
        common = math.gcd(one, other)
        return other // common, one // common, one // common * other

    def multiple(self, totals: Iterable[Total]) -> Total:
        """A common multiple."""
        return math.lcm(*totals)

    def quotient(self, multiple: Total, total: Total) -> Weight:
        """How many times the total goes into a multiple of it."""
        return multiple // total

    def shorten(self, weights: dict[int, Weight], total: Total) -> tuple[dict[int, Weight], Total]:
        """The same quotients in shorter numbers."""
        shared = math.gcd(*weights.values())
        return {event: weight // shared for event, weight in weights.items()}, total // shared

    def row(self, found: Mapping[int, Mapping[Total, Weight]], lost: int) -> AnyRow:
        """The row of what is seen: event → total → weights summed; ``lost`` is the event of mass that was cut off."""
        masses = {event: _sum(sums) for event, sums in found.items()}
        rest = masses.pop(lost, None)
        return PointRow(tuple(sorted(masses.items())), rest or Fraction(0))

    def leave(
        self, moves: Mapping[int, Moves], solve: Callable[..., dict[int, dict[int, Any]] | None]
    ) -> dict[int, Moves] | None:
        """The moves that leave a set of configurations, in place of theirs; None if that is too much work."""
        rows = solve(*_split(moves, Fraction))
        if rows is None:
            return None
        found: dict[int, Moves] = {}
        for c, row in rows.items():
            total = math.lcm(*(p.denominator for p in row.values()))
            weights = tuple(p.numerator * (total // p.denominator) for p in row.values())
            found[c] = Moves(tuple(row), weights, total)
        return found


def _split(
    moves: Mapping[int, Moves], number: Callable[[Weight, Total], Any]
) -> tuple[dict[int, dict[int, Any]], dict[int, dict[int, Any]]]:
    """Probabilities of moves inside a set of configurations, and of those that leave it."""
    inner: dict[int, dict[int, Any]] = {}
    outer: dict[int, dict[int, Any]] = {}
    for c, (targets, weights, total, _) in moves.items():
        row = {target: number(weight, total) for target, weight in zip(targets, weights, strict=True)}
        inner[c] = {target: p for target, p in row.items() if target in moves}
        outer[c] = {target: p for target, p in row.items() if target not in moves}
    return inner, outer


def _sum(sums: Mapping[int, int]) -> Fraction:
    """Numerators over several denominators as one fraction."""
    common = math.lcm(*sums)
    return Fraction(sum(numerator * (common // denominator) for denominator, numerator in sums.items()), common)


class Factored(NamedTuple):
    """An integer times powers of polynomials, which are known by number."""

    integer: int
    powers: tuple[tuple[int, int], ...] = ()
    """(number of a polynomial, exponent), by increasing number."""

    def __mul__(self, other: Factored) -> Factored:  # type: ignore[override]
        if not self.powers or not other.powers:
            return Factored(self.integer * other.integer, self.powers or other.powers)
        powers = dict(self.powers)
        for number, exponent in other.powers:
            powers[number] = powers.get(number, 0) + exponent
        return Factored(self.integer * other.integer, tuple(sorted(powers.items())))


class Polynomials:
    """Weights that are integer polynomials in X = e^(1/k), totals that are products of such."""

    one = Factored(1)

    def __init__(self, k: int) -> None:
        self.k = k
        self._poly = fmpz_poly
        self._factors: list[fmpz_poly] = [fmpz_poly([0, 1])]
        self._numbers: dict[tuple[int, ...], int] = {(0, 1): 0}
        self._expanded: dict[Factored, fmpz_poly] = {}
        self._adapted: dict[int, Factored] = {}
        self._coefficients = 0

    def length(self, _: Total) -> int:
        """Totals are never too long: nothing is expanded on the way."""
        return 0

    def adapt(self, moves: Moves) -> Moves:
        """The moves over this k, their total factored."""
        if moves.base == RATIONAL:
            return moves._replace(total=Factored(moves.total))
        stretch = self.k // moves.base
        weights = moves.weights if stretch == 1 else tuple(w.inflate(stretch) for w in moves.weights)
        return Moves(moves.targets, weights, self._factor(moves.total, stretch), self.k)

    def _factor(self, total: fmpz_poly, stretch: int) -> Factored:
        polynomial = total if stretch == 1 else total.inflate(stretch)
        content = int(polynomial.content())
        if polynomial[polynomial.degree()] < 0:  # the sign is the integer's: factors have positive leading coefficients
            content = -content
        coefficients = [int(c) // content for c in polynomial.coeffs()]
        # Powers of X apart, the rest as it is: the totals of one law come again whole, and are shared as one factor.
        shift = next(n for n, c in enumerate(coefficients) if c)
        powers = [(0, shift)] if shift else []
        if len(coefficients) > shift + 1:
            key = tuple(coefficients[shift:])
            number = self._numbers.setdefault(key, len(self._factors))
            if number == len(self._factors):
                self._factors.append(self._poly(list(key)))
            powers.append((number, 1))
        return Factored(content, tuple(powers))

    def expand(self, total: Factored) -> fmpz_poly:
        """The product, as one polynomial."""
        found = self._expanded.get(total)
        if found is None:
            found = self._poly([total.integer])
            for number, exponent in total.powers:
                # X^n by shifting; no other factor is a monomial.
                found = found.left_shift(exponent) if number == 0 else found * self._factors[number] ** exponent
            if found.degree() > MOST_DEGREE:
                raise TooLong
            self._expanded[total] = found
        return found

    def reduce(self, numerator: Weight, denominator: Total) -> tuple[Weight, Total]:
        """The same: there is nothing to gain on the way."""
        return numerator, denominator

    def cofactors(self, one: Factored, other: Factored) -> tuple[Weight, Weight, Factored]:
        """a, b and the common multiple one·a = other·b."""
        common = self.multiple((one, other))
        return self.quotient(common, one), self.quotient(common, other), common

    def multiple(self, totals: Iterable[Factored]) -> Factored:
        """A common multiple, in factored form."""
        integer, powers = 1, dict[int, int]()
        for total in set(totals):
            integer = math.lcm(integer, total.integer)
            for number, exponent in total.powers:
                powers[number] = max(powers.get(number, 0), exponent)
        return Factored(integer, tuple(sorted(powers.items())))

    def quotient(self, multiple: Total, total: Total) -> Weight:
        """A multiple divided by the total, expanded."""
        powers = dict(multiple.powers)
        for number, exponent in total.powers:
            powers[number] -= exponent
        left = tuple((number, exponent) for number, exponent in sorted(powers.items()) if exponent)
        integer = multiple.integer // total.integer
        return self.expand(Factored(integer, left)) if left else integer

    def shorten(self, weights: dict[int, Weight], total: Factored) -> tuple[dict[int, Weight], Factored]:
        """The same."""
        if any(type(weight) is not int and weight.degree() > MOST_DEGREE for weight in weights.values()):
            raise TooLong
        return weights, total

    def row(self, found: Mapping[int, Mapping[Factored, Weight]], lost: int) -> AnyRow:
        """The row of what is seen: exact, with its enclosure; a plain row if X does not occur in it."""
        common = self.multiple(total for sums in found.values() for total in sums)
        bottom = self.expand(common)
        tops: dict[int, fmpz_poly] = {}
        for event, sums in sorted(found.items()):
            weights = (weight * self.quotient(common, total) for total, weight in sums.items())
            tops[event] = sum(weights, self._poly([0]))
        divisor = bottom
        for top in tops.values():
            divisor = divisor.gcd(top)
            if divisor == 1:
                break
        if divisor != 1:
            bottom, tops = bottom // divisor, {event: top // divisor for event, top in tops.items()}
        if bottom[bottom.degree()] < 0:
            bottom, tops = -bottom, {event: -top for event, top in tops.items()}
        if bottom.degree() == 0 and all(top.degree() <= 0 for top in tops.values()):
            plain = {event: {int(bottom[0]): int(top[0])} for event, top in tops.items()}
            return Integers().row(plain, lost)
        self._coefficients += sum(top.degree() + 1 for top in tops.values())
        if self._coefficients > MOST_COEFFICIENTS:
            raise TooLong
        cut_off = function_of(self.k, tops.pop(lost), bottom) if lost in tops else Fraction(0)
        return quotients_row(self.k, tops, bottom, cut_off)

    def leave(
        self, moves: Mapping[int, Moves], solve: Callable[..., dict[int, dict[int, Any]] | None]
    ) -> dict[int, Moves] | None:
        """The moves that leave a set of configurations, in place of theirs; None if that is too much work."""

        def number(weight: Weight, total: Factored) -> Any:
            return function_of(self.k, weight + self._poly([0]), self.expand(total))

        try:
            rows = solve(*_split(moves, number))
            if rows is None:
                return None
            found: dict[int, Moves] = {}
            for c, row in rows.items():
                k, tops, bottom = over_one_denominator([as_exponential(p) for p in row.values()])
                found[c] = self.adapt(Moves(tuple(row), tuple(tops), bottom, k))
            return found
        except InputError:
            raise TooLong from None


class Intervals:
    """Weights that are intervals or ints, totals that are ints."""

    one: Total = 1

    def length(self, total: Total) -> int:
        """How long it is: beyond some length it is worth while to round."""
        return int.bit_length(total)

    def __init__(self) -> None:
        self._exactly = Integers()

    def adapt(self, moves: Moves) -> Moves:
        """Polynomials become intervals; ints stay."""
        if moves.base <= RATIONAL:
            return moves
        both = quotient_ends(moves.base, moves.weights, moves.total, WEIGHT_BITS)
        return Moves(moves.targets, tuple(WeightInterval(low, high) for low, high in both), 1, ENCLOSED)

    def reduce(self, numerator: Weight, denominator: int) -> tuple[Weight, int]:
        """A quotient around the same in shorter numbers."""
        if type(numerator) is int:
            return self._exactly.reduce(numerator, denominator)
        return WeightInterval(numerator.low // denominator, -(-numerator.high // denominator)), 1

    def cofactors(self, one: int, other: int) -> tuple[int, int, int]:
        """a, b and the common multiple one·a = other·b."""
        return self._exactly.cofactors(one, other)

    def multiple(self, totals: Iterable[int]) -> int:
        """A common multiple."""
        return math.lcm(*totals)

    def quotient(self, multiple: Total, total: Total) -> Weight:
        """How many times the total goes into a multiple of it."""
        return multiple // total

    def shorten(self, weights: dict[int, Weight], total: int) -> tuple[dict[int, Weight], int]:
        """Quotients around the same in shorter numbers."""
        if all(type(weight) is int for weight in weights.values()):
            return self._exactly.shorten(weights, total)
        return {event: self.reduce(weight + WeightInterval(0, 0), total)[0] for event, weight in weights.items()}, 1

    def row(self, found: Mapping[int, Mapping[int, Weight]], lost: int) -> AnyRow:
        """The row of what is seen: a box, or a plain row where nothing on the way was enclosed."""
        if all(type(weight) is int for sums in found.values() for weight in sums.values()):
            return self._exactly.row(found, lost)
        unit = 1 << ROW_BITS
        ends: dict[int, tuple[Fraction, Fraction]] = {}
        for event, sums in sorted(found.items()):
            low = high = 0
            for total, weight in sums.items():
                part = weight + WeightInterval(0, 0)
                low += part.low // total
                high -= -part.high // total
            # One unit of the shorter form is 2^(WEIGHT_BITS − ROW_BITS) of the longer.
            low, high = low >> (WEIGHT_BITS - ROW_BITS), -(-high >> (WEIGHT_BITS - ROW_BITS))
            ends[event] = Fraction(low, unit), Fraction(min(high, unit), unit)
        rest = ends.pop(lost, (Fraction(0), Fraction(0)))[1]
        return BallRow(tuple((event, *pair) for event, pair in ends.items()), rest)

    def leave(
        self, moves: Mapping[int, Moves], solve: Callable[..., dict[int, dict[int, Any]] | None]
    ) -> dict[int, Moves] | None:
        """Moves that leave a set of configurations, in place of theirs, enclosed; None if that is too much work.

        The lower sides solve the system of the lower ends, whose least solution only grows with them. The upper ends Q
        of what stays inside may add up to more than 1; their system bounds the truth only if some x > 0 has
        (I − Q)x > 0, for then (I − Q)⁻¹ is the sum of the powers of Q. x is found by solving (I − Q)x = 1, exactly, so
        that x > 0 is all there is to see. Otherwise the upper side of a target is 1 minus the other lower sides.
        """
        if all(type(weight) is int for of in moves.values() for weight in of.weights):
            return self._exactly.leave(moves, solve)
        unit = 1 << WEIGHT_BITS

        def low(weight: Weight, total: int) -> Fraction:
            return Fraction(weight, total) if type(weight) is int else Fraction(weight.low // total, unit)

        def high(weight: Weight, total: int) -> Fraction:
            return Fraction(weight, total) if type(weight) is int else Fraction(-(-weight.high // total), unit)

        below = solve(*_split(moves, low))
        if below is None:
            return None
        inner, outer = _split(moves, high)
        for row in outer.values():
            row[STEPS] = Fraction(1)
        try:
            above = solve(inner, outer)
        except ZeroDivisionError:
            above = None
        if above is not None and not all(row[STEPS] > 0 for row in above.values()):
            above = None
        found: dict[int, Moves] = {}
        for c, row in below.items():
            whole = sum(row.values())
            tops = {t: 1 - (whole - p) for t, p in row.items()}
            if above is not None:
                tops = {t: min(top, above[c][t]) for t, top in tops.items()}
            weights = (WeightInterval(math.floor(row[t] * unit), math.ceil(tops[t] * unit)) for t in row)
            found[c] = Moves(tuple(row), tuple(weights), 1, ENCLOSED)
        return found


STEPS = -10
"""In place of a target: how many steps are taken inside, in a system of upper ends."""

Numbers = Integers | Polynomials | Intervals


def numbers_for(moves: Iterable[Moves]) -> Numbers:
    """The arithmetic in which all these moves can be folded: exact wherever all of them are."""
    bases = {of.base for of in moves}
    if ENCLOSED in bases:
        return Intervals()
    bases.discard(RATIONAL)
    return Polynomials(math.lcm(*bases)) if bases else Integers()
