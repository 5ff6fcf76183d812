"""Noise on all integers: the probabilities of spans of outcomes, exactly or enclosed.

A span is the outcomes from low to high, one of which or both may be missing, or every n-th of them. `TwoSided` is
P(Z = z) = (1 − r)/(1 + r)·r^|z|, with r = t/b in fractions or in polynomials of e^(1/k): for a ≥ 0,
``Σ_{z ≥ a, z ≡ ρ (mod n)} P(Z = z) = (1 − r)/(1 + r)·r^z₀/(1 − r^n)`` where z₀ is the first such z, so that every span
has an exact probability, and all of them have one denominator, (b + t)·b^R·(b^N − t^N)/(b − t). `Normal` is
P(Z = z) ∝ e^(−z²/2σ²), whose normalising sum is only enclosed: term by term, and what is left by the geometric series
``Σ_{z > m} e^(−z²/2σ²) ≤ e^(−(m+1)²/2σ²) / (1 − e^(−(2m+3)/2σ²))``.

Where outcomes must be told apart one by one, only those up to ``reach`` are, and the others are cut off: their
probability is at most ``tail``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from flint import arb, ctx

from ...numbers.ball import scaled_ends
from ...numbers.exponential import polynomials
from ...numbers.precision import BALL_BITS, WEIGHT_BITS
from ...numbers.real import LARGEST, ExactReal, Real, ball_of, ends, text_of
from .numbers import ENCLOSED, MOST_COEFFICIENTS, MOST_DEGREE, RATIONAL, Total, Weight, WeightInterval
from .source import Problem

LONG_POWERS = 1 << 16
"""Powers of fractions with more bits are enclosed where a tail is cut off, instead of written out."""
MOST_TERMS = 200_000
"""The most terms of the sum that normalises a Gaussian."""


class Span(NamedTuple):
    """The outcomes from low to high, None for no end, that leave ``residue`` when divided by ``step``."""

    low: int | None
    high: int | None
    step: int = 1
    residue: int = 0


Weighed = tuple[list[Weight], Total, int]
"""Weights, what they are parts of, and their base."""


def first_from(low: int, step: int, residue: int) -> int:
    """The least number from ``low`` on that leaves the residue."""
    return low + (residue - low) % step


class Unbounded:
    """Noise on all integers, symmetric about 0."""

    ratio: Hashable = None
    """What tells the ratio of the geometric tails; None if they are not geometric."""
    why: str = ""
    """Why its probabilities are enclosed, where they have no exact form."""

    def __init__(self, name: str, parameter: ExactReal, tail: Fraction) -> None:
        self.name, self.parameter, self.tail = name, parameter, tail

    def __repr__(self) -> str:
        """What is drawn: the ratio of geometric tails, or the parameter of others, and the limit on what is cut off."""
        return f"{self.name}({text_of(self.parameter)}, tail={self.tail})"

    @property
    def reach(self) -> int:
        """How far outcomes are told apart one by one."""
        raise NotImplementedError

    @property
    def core(self) -> tuple[int, int]:
        """The outcomes beyond which the tails begin."""
        return 0, 0

    def roots(self, *, upper: bool) -> tuple[Hashable, ...] | None:  # noqa: ARG002 - noise is symmetric
        """What tells a tail, up to a factor; None if nothing finite does."""
        return None if self.ratio is None else (self.ratio,)

    def tail_named(self, *, upper: bool) -> str:
        """A text that no two different tails share."""
        return repr(self.roots(upper=upper))

    def weigh(self, spans: Sequence[Span], *, cut: bool) -> Weighed:
        """The probabilities of the spans; with ``cut``, enclosed where exact numbers would be long."""
        raise NotImplementedError

    def _halves(self, span: Span, half: Callable[[int, int, int], Any]) -> list[tuple[int, Any]]:
        """A span as sums and differences of half-lines z ≥ a ≥ 0, both ways: (sign, half(first outcome, step, a))."""
        low, high, step, residue = span
        parts: list[tuple[int, Any]] = []
        # The outcomes from 0 on; then those below 0, mirrored.
        for from_, to, left in (
            (0 if low is None else max(low, 0), high, residue),
            (1 if high is None else max(-high, 1), None if low is None else -low, -residue),
        ):
            if to is not None and to < from_:
                continue
            first = first_from(from_, step, left)
            parts.append((1, half(first, step, from_)))
            if to is not None:
                parts.append((-1, half(first_from(to + 1, step, left), step, to + 1)))
        return parts

    def _intervals(self, balls: Sequence[arb]) -> Weighed:
        found = []
        for ball in balls:
            low, high = scaled_ends(ball, WEIGHT_BITS)
            found.append(WeightInterval(low, min(high, 1 << WEIGHT_BITS)))
        return found, 1, ENCLOSED


class TwoSided(Unbounded):
    """P(Z = z) = (1 − r)/(1 + r)·r^|z| for a ratio 0 < r < 1."""

    def __init__(self, ratio: ExactReal, tail: Fraction, name: str) -> None:
        super().__init__(name, ratio, tail)
        self.ratio = ratio.key if isinstance(ratio, Real) else ratio
        self._exact = not isinstance(ratio, Real) or ratio.exact is not None
        self.why = "" if self._exact else f"{text_of(ratio)[:60]} has no exact form"
        self._powers: tuple[list[Any], list[Any]] = ([], [])

    @property
    def exact_ratio(self) -> tuple[Any, Any, int] | None:
        """T and b of r = t/b, and their base; None if the ratio is only enclosed."""
        return self._parts if self._exact else None

    @cached_property
    def _parts(self) -> tuple[Any, Any, int]:
        """T and b of r = t/b, and their base."""
        if isinstance(self.parameter, Real) and self.parameter.exact is not None:
            number = self.parameter.exact
            return (*polynomials(number, number.k), number.k)
        ratio = Fraction(self.parameter)  # type: ignore[arg-type]  # asked of exact ratios alone
        return ratio.numerator, ratio.denominator, RATIONAL

    @cached_property
    def reach(self) -> int:
        """How far outcomes are told apart: no more than ``tail`` is beyond."""
        with ctx.workprec(BALL_BITS):
            r, tail = ball_of(self.parameter), ball_of(self.tail)
            beyond = (tail * (1 + r) / 2).log() / r.log()
            if not beyond < LARGEST:
                raise Problem(f"{self.name}: its outcomes reach too far to be told apart", "clamp the noisy value")
            reach = max(0, math.ceil(ends(beyond)[1]) - 1)
            # The logarithm has guessed; P(|Z| > reach) = 2·r^(reach+1)/(1 + r) decides.
            while not 2 * r ** (reach + 1) <= tail * (1 + r):
                reach += 1
        return reach

    def weigh(self, spans: Sequence[Span], *, cut: bool) -> Weighed:
        """Exact, if the ratio is; with ``cut``, only if it is a fraction, and the numbers are not too long."""
        furthest = max((abs(end) for low, high, *_ in spans for end in (low, high) if end is not None), default=0) + 1
        if not self._exact or (cut and not self._short(furthest)):
            return self._enclose(spans)
        if self._degree * furthest > MOST_DEGREE or self._degree * furthest * len(spans) > MOST_COEFFICIENTS:
            self.why = "powers of e are too long"
            return self._enclose(spans)
        t, b, base = self._parts
        period = math.lcm(*(span.step for span in spans))
        longest = furthest + period
        tops, bottoms = self._powers
        _extend(tops, t, longest + 1)
        _extend(bottoms, b, longest + period + 1)

        def series(step: int, terms: int) -> Any:
            """(b^(step·terms) − t^(step·terms)) / (b^step − t^step)."""
            return sum(
                (tops[step * j] * bottoms[step * (terms - 1 - j)] for j in range(1, terms)), bottoms[step * (terms - 1)]
            )

        factors = {step: series(step, period // step) for step in {span.step for span in spans}}

        def half(first: int, step: int, _: int) -> Any:
            # (1 − r)/(1 + r)·r^first/(1 − r^step), times the total that is returned: no division is left.
            return tops[first] * bottoms[step - first + longest] * factors[step]

        weights = []
        for span in spans:
            (sign, value), *others = self._halves(span, half) or [(1, 0 * t)]
            total = sign * value
            for sign, value in others:
                total = total + value if sign > 0 else total - value
            weights.append(total)
        return weights, (b + t) * bottoms[longest] * series(1, period), base

    @cached_property
    def _degree(self) -> int:
        """The degree of t and b; 0 for fractions."""
        t, b, base = self._parts
        return 0 if base == RATIONAL else max(t.degree(), b.degree())

    def _short(self, furthest: int) -> bool:
        return isinstance(self.parameter, Fraction) and furthest * self.parameter.denominator.bit_length() < LONG_POWERS

    def _enclose(self, spans: Sequence[Span]) -> Weighed:
        with ctx.workprec(BALL_BITS):
            r = ball_of(self.parameter)
            scale = (1 - r) / (1 + r)

            def half(first: int, step: int, _: int) -> arb:
                return scale * r**first / (1 - r**step)

            balls = [sum((sign * value for sign, value in self._halves(span, half)), arb(0)) for span in spans]
            return self._intervals(balls)


def _extend(powers: list[Any], base: Any, last: int) -> None:
    """Add powers of the base to the list, up to the last."""
    if not powers:
        powers.append(base**0)
    while len(powers) <= last:
        powers.append(powers[-1] * base)


class Normal(Unbounded):
    """P(Z = z) ∝ e^(−z²/2σ²)."""

    def __init__(self, sigma: ExactReal, tail: Fraction, name: str) -> None:
        super().__init__(name, sigma, tail)
        self.why = "the sum that normalises a Gaussian has no exact form"
        with ctx.workprec(BALL_BITS):
            ball = ball_of(sigma)
            if not ball < MOST_TERMS:
                raise Problem(f"{name}: a sum of too many terms", f"the limit is {MOST_TERMS}: give a smaller sigma")
            self._inverse = 1 / (2 * ball * ball)
            terms = ends(ball * (2 * (BALL_BITS + 16)))[1]  # more than σ·√(2·ln 2·bits): √(2·ln 2·bits) < 2·bits
            width = ends(ball)[1]
            # √(2·ln 2·528) < 27.1
            self._terms = math.ceil(min(terms, width * 28)) + 2
        if self._terms > MOST_TERMS:
            raise Problem(f"{name}: a sum of {self._terms} terms", f"the limit is {MOST_TERMS}: give a smaller sigma")

    @cached_property
    def _sums(self) -> tuple[list[arb], list[arb], arb]:
        """Terms, sums of all terms from each on, and the sum over all integers."""
        with ctx.workprec(BALL_BITS):
            last = self._terms
            # e^(−(z+1)²c) = e^(−z²c)·e^(−(2z+1)c): two products a term.
            term, step, square = arb(1), (-self._inverse).exp(), (-2 * self._inverse).exp()
            terms = []
            for _ in range(last + 1):
                terms.append(term)
                term, step = term * step, step * square
            # Ratios of neighboring terms only fall, so what is beyond the last lies between 0 and a geometric series.
            left = (term / (1 - step)).union(arb(0))
            sums = [left]
            for found in reversed(terms):
                sums.append(sums[-1] + found)
            sums.reverse()
            return terms, sums, sums[0] + sums[1]

    @cached_property
    def reach(self) -> int:
        """How far outcomes are told apart: no more than ``tail`` is beyond."""
        _, sums, whole = self._sums
        with ctx.workprec(BALL_BITS):
            limit = ball_of(self.tail) * whole
            low, high = -1, self._terms  # beyond high little enough is left, beyond low too much
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if 2 * sums[middle + 1] <= limit else (middle, high)
        return high

    def weigh(self, spans: Sequence[Span], *, cut: bool) -> Weighed:  # noqa: ARG002
        """Enclosed."""
        terms, sums, whole = self._sums
        last = len(terms)
        with ctx.workprec(BALL_BITS):

            def half(first: int, step: int, low: int) -> arb:
                if step == 1:
                    return sums[min(low, last)] if low <= last else sums[last].union(arb(0))
                return sum((terms[z] for z in range(first, last, step)), sums[last].union(arb(0)))

            found = []
            for span in spans:
                value = arb(0)
                if span.low is not None and span.low == span.high and abs(span.low) < last:
                    value = terms[abs(span.low)]
                else:
                    for sign, part in self._halves(span, half):
                        value = value + sign * part
                found.append((value / whole).nonnegative_part())
            return self._intervals(found)
