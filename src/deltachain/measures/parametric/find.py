"""δ as a function of one parameter u on an open interval (docs/theory/beliefs.md, all ε at once).

Where the graph of beliefs over the rational functions of u is finite, with X_B(u), Y_B(u) the probabilities of ending
in B from s and from t,

    δ(u) = max( Σ_B max(X_B − αY_B, 0), Σ_B max(Y_B − αX_B, 0) )   at every u of the interval:

each direction is a sum of functions that change sign at finitely many places. Between two of these it is one rational
function of u; roots are isolated by Bernstein coefficients, so that every sign is known everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from flint import arb, ctx, fmpq, fmpz_poly

from ...errors import SolverError
from ...numbers.ball import ends
from ...numbers.bernstein import Isolated, bernstein, isolate, refine, sign_at_point
from ...numbers.parameter import NOTHING, OpenParameter, Ratio

FINE = Fraction(1, 10**40)
"""How closely breaks are isolated."""
BITS = 400
"""The precision of values at breaks."""


@dataclass(frozen=True)
class DeltaCurve:
    """δ(u) of one pair in one direction: the sum of the positive parts of its terms."""

    interval: OpenParameter
    terms: tuple[Ratio, ...]

    def at(self, u: Fraction) -> Fraction:
        """Its value at a point of the interval."""
        return sum((max(term.at(u), Fraction(0)) for term in self.terms), Fraction(0))

    def formula(self, u: Fraction) -> Ratio:
        """The rational function that it is around a point that is not a break."""
        found = NOTHING
        for term in self.terms:
            if term.at(u) > 0:
                found = found.plus(term, self.interval.middle)
        return found

    @cached_property
    def breaks(self) -> tuple[fmpz_poly, ...]:
        """The irreducible polynomials at whose roots a term may change sign inside the interval."""
        return tuple(_find_turning_points((term.top for term in self.terms), self.interval))

    def exceeds(self, u: Fraction, allowed: Fraction) -> bool:
        """Whether it is above the limit at a point of the interval."""
        if allowed == 0:  # denominators are positive: one sign of a numerator is enough
            return any(sign_at_point(term.top, u) > 0 for term in self.terms)
        return self.at(u) > allowed

    @cached_property
    def zero(self) -> bool:
        """Whether it is 0 everywhere: no Bernstein coefficient of any term is positive, or each sign is known."""
        low, high = self.interval.low, self.interval.high
        return all(max(bernstein(term.top, low, high), default=0) <= 0 for term in self.terms) or (
            not self.breaks and all(term.at(self.interval.middle) <= 0 for term in self.terms)
        )


def _find_turning_points(polynomials: Iterable[fmpz_poly], interval: OpenParameter) -> list[fmpz_poly]:
    """Their irreducible factors that have roots inside the interval, each once: no two of them share a root."""
    found: dict[tuple[int, ...], fmpz_poly] = {}
    low, high = interval.low, interval.high
    for p in {tuple(map(int, p.coeffs())): p for p in polynomials}.values():
        if p.degree() > 0 and isolate(p, low, high):
            factors = (factor for factor, _ in p.factor()[1])
            found |= {tuple(map(int, f.coeffs())): f for f in factors if isolate(f, low, high)}
    return list(found.values())


@dataclass(frozen=True)
class Cuts:
    """The interval cut at the roots of some polynomials."""

    interval: OpenParameter
    factor: Mapping[Isolated, fmpz_poly]
    """The roots, in order, each with its irreducible polynomial: what vanishes there too is a multiple of it."""
    samples: tuple[Fraction, ...]
    """A point inside each part."""

    @classmethod
    def at(cls, polynomials: Iterable[fmpz_poly], interval: OpenParameter) -> Cuts:
        """At all roots inside the interval, each once."""
        factors = _find_turning_points(polynomials, interval)
        roots = [(root, f) for f in factors for root in isolate(f, interval.low, interval.high)]
        width = FINE
        while True:
            roots = sorted(((refine(f, root, width), f) for root, f in roots), key=lambda each: each[0])
            points = [interval.low, *(end for root, _ in roots for end in root), interval.high]
            between = list(zip(points[::2], points[1::2], strict=True))
            if all(low < high for low, high in between):
                break
            width = width * width  # isolating intervals touch each other, or an end: their roots are closer than that
        # From the end of one isolating interval to the start of the next there is no root: no sign changes there.
        return cls(interval, dict(roots), tuple(short_between(*part) for part in between))

    @property
    def parts(self) -> list[tuple[Isolated, Isolated]]:
        """The ends of each part."""
        first, last = (Isolated(end, end) for end in (self.interval.low, self.interval.high))
        return list(pairwise([first, *self.factor, last]))


def short_between(low: Fraction, high: Fraction) -> Fraction:
    """A point strictly between two others, near their middle, with few digits."""
    fine = 4
    while (high - low) * fine <= 4:
        fine *= 2
    return Fraction(round((low + high) / 2 * fine), fine)


@dataclass(frozen=True)
class FormulaPiece:
    """A rational function of u between two ends."""

    start: Isolated
    end: Isolated
    formula: Ratio


@dataclass(frozen=True)
class Supremum:
    """The least upper bound of δ over the interval, between two numbers, and where it is approached."""

    lower: Fraction
    upper: Fraction
    where: Isolated
    attained: bool | None
    """Whether some value of the parameter reaches it; None if an end and a point inside are too close to tell."""


def crossings(curves: Sequence[DeltaCurve], allowed: Fraction) -> Cuts:
    """The interval cut wherever a term of a curve changes sign, or a curve crosses the limit."""
    interval = curves[0].interval
    limit = Ratio(fmpz_poly([allowed.numerator]), fmpz_poly([allowed.denominator]))
    found: list[fmpz_poly] = []
    for curve in curves:
        if curve.zero:
            continue
        found += curve.breaks
        if allowed:  # 0 is crossed where a term changes sign
            samples = Cuts.at(curve.breaks, interval).samples
            found += (curve.formula(sample).minus(limit, interval.middle).top for sample in samples)
    return Cuts.at(found, interval)


def violations(curves: Sequence[DeltaCurve], allowed: Fraction) -> list[tuple[Isolated, Isolated]]:
    """The open intervals in which some curve is above ``allowed``, in order."""
    cuts = crossings(curves, allowed)
    curves = [curve for curve in curves if not curve.zero]
    found: list[tuple[Isolated, Isolated]] = []
    for (start, end), sample in zip(cuts.parts, cuts.samples, strict=True):
        over = [curve for curve in curves if curve.exceeds(sample, allowed)]
        if not over:
            continue
        # A break inside a violated stretch belongs to it unless every curve only touches the limit there.
        joined = bool(found) and found[-1][1] == start and any(not meets(c, sample, allowed, start, cuts) for c in over)
        found = [*found[:-1], (found[-1][0], end)] if joined else [*found, (start, end)]
    return found


def meets(curve: DeltaCurve, sample: Fraction, allowed: Fraction, root: Isolated, cuts: Cuts) -> bool:
    """Whether the formula around the sample is the limit at a root of the cuts: a multiple of its polynomial."""
    limit = Ratio(fmpz_poly([allowed.numerator]), fmpz_poly([allowed.denominator]))
    difference = curve.formula(sample).minus(limit, curve.interval.middle).top
    factor = cuts.factor[root]
    return bool(difference.gcd(factor).degree() == factor.degree())


def pieces(curves: Sequence[DeltaCurve]) -> list[FormulaPiece]:
    """The largest of the curves, piece by piece."""
    interval = curves[0].interval
    cuts = Cuts.at([p for curve in curves for p in curve.breaks], interval)
    crossing = [*cuts.factor.values()]
    for sample in cuts.samples:
        formulas = list({f.key: f for f in (curve.formula(sample) for curve in curves)}.values())
        crossing += [f.minus(g, interval.middle).top for i, f in enumerate(formulas) for g in formulas[:i]]
    cuts = Cuts.at(crossing, interval)
    found: list[FormulaPiece] = []
    for (start, end), sample in zip(cuts.parts, cuts.samples, strict=True):
        best = max(curves, key=lambda curve: curve.at(sample)).formula(sample)
        if found and found[-1].formula.key == best.key:
            found[-1] = FormulaPiece(found[-1].start, end, best)
        else:
            found.append(FormulaPiece(start, end, best))
    return found


class _Place(NamedTuple):
    """Where a supremum may be: the value there, between two numbers, and the formula."""

    where: Isolated
    lower: Fraction
    upper: Fraction
    formula: Ratio


def supremum(of: Sequence[FormulaPiece], interval: OpenParameter) -> Supremum:
    """The supremum of a continuous function that is given by its pieces: at breaks, where slopes vanish, or at ends."""
    outer = (interval.low, interval.high)
    inside: list[_Place] = []
    limits: list[_Place] = []
    for piece in of:
        places = [piece.start, piece.end]
        low, high, slope = piece.start.high, piece.end.low, piece.formula.slope
        if slope:
            places += [refine(slope, root, FINE) for root in isolate(slope, low, high)] if low < high else []
        else:
            places.append(Isolated((low + high) / 2, (low + high) / 2))  # constant: attained everywhere
        for place in places:
            # The interval is open: what is approached at its ends is not attained there.
            at_end = place.low == place.high and place.low in outer
            found = _Place(place, *_enclose(piece.formula, place), piece.formula)
            (limits if at_end else inside).append(found)
    lower, upper = (max(getattr(place, side) for place in (*inside, *limits)) for side in ("lower", "upper"))
    most = max(inside, key=lambda place: place.lower, default=None)
    beyond = max((place.upper for place in limits), default=Fraction(-1))
    attained: bool | None = None
    if most is not None and most.lower >= beyond:
        attained = True
    elif most is None or max(place.upper for place in inside) < max(place.lower for place in limits):
        attained = False
    if not attained or most is None:
        return Supremum(lower, upper, max(limits, key=lambda place: place.lower).where, attained)
    if most.where.low < most.where.high:
        # A value that one point is known to have: an event's advantage is at most δ, wherever its formula came from.
        value = most.formula.at((most.where.low + most.where.high) / 2)
        lower = min(upper, Fraction(value.numerator << BITS, value.denominator) // 1 / Fraction(1 << BITS))
    return Supremum(lower, upper, most.where, attained)


def _enclose(formula: Ratio, place: Isolated) -> tuple[Fraction, Fraction]:
    """The function on all of an isolating interval; its value, or its limit at an end of the interval, exactly."""
    if place.low == place.high:
        value = formula.at(place.low)
        return value, value
    with ctx.workprec(BITS):
        bottom = _value(formula.bottom, place)
        if 0 in bottom:
            raise SolverError("a value of the parameter that is too close to a pole outside of the interval")
        return ends(_value(formula.top, place) / bottom)


def _value(p: fmpz_poly, place: Isolated) -> arb:
    """P on all of the isolating interval, as a ball."""
    middle, radius = (place.low + place.high) / 2, (place.high - place.low) / 2
    centre = arb(fmpq(middle.numerator, middle.denominator))
    width = arb(fmpq(radius.numerator, radius.denominator))
    # arb(0, 1) is the ball from −1 to 1.
    return p(centre + width * arb(0, 1))
