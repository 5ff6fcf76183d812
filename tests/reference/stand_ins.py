"""Rational stand-ins of real noise: rows over powers of e at X = 2, and unbounded noise clamped far out."""

from __future__ import annotations

import re
from fractions import Fraction

from flint import arb, ctx, fmpq

from deltachain.model import AnyRow, Chain, PointRow
from deltachain.numbers.precision import ROW_BITS
from deltachain.programs import program

NARROW = Fraction(1, 2 ** (ROW_BITS - 24))

# Rational stand-ins. A row over Q(X) is a rational function of X: at X = 2 it must be the row of the program in which
# exp("-1") is 1/2, exactly. This says nothing of e, and everything of the arithmetic.

AT_TWO = {
    "1/2": ('exp("-1")', "(3 - exp(1)) / (4 - exp(1))"),
    "1/3": ("1 / (1 + exp(1))", "(3 - exp(1)) / (5 - exp(1))"),
    "2/3": ("exp(1) / (1 + exp(1))", "2 / (5 - exp(1))"),
    "1/4": ("exp(-2)", "1 / (6 - exp(1))"),
    "3/4": ("1 - exp(-2)", "(5 - exp(1)) / (6 - exp(1))"),
}
"""Probabilities at X = 2 and at X = e alike; the second ones have a leading coefficient of the other sign."""


def irrational(text: str) -> str:
    """The text with fractions in quotes written as functions of e, in one form or the other by where they stand."""

    def function(found: re.Match[str]) -> str:
        forms = AT_TWO[found[1]]
        return f"({forms[found.start() % len(forms)]})"

    return re.sub(r"""["'](1/2|1/3|2/3|1/4|3/4)["']""", function, text)


def at_two(row: AnyRow) -> tuple[tuple[int, Fraction], ...]:
    """The row at X = 2."""
    assert isinstance(row, PointRow)
    exact = row.functions
    if exact is None:
        assert row.fractions is not None
        return row.fractions
    assert exact.total() == exact.bottom
    bottom = value_at(exact.bottom, Fraction(2) ** exact.k)
    return tuple((j, value_at(top, Fraction(2) ** exact.k) / bottom) for j, top in exact.tops)


def value_at(polynomial: tuple[int, ...], x: Fraction) -> Fraction:
    return sum((c * x**n for n, c in enumerate(polynomial)), Fraction(0))


def check_stand_in(text: str, secrets: list[dict[str, object]]) -> Chain:
    rational, real = program(text).chain(secrets), program(irrational(text)).chain(secrets)
    assert real.labels == rational.labels
    assert real.states == rational.states
    for rows, plain in zip(real.given, rational.given, strict=True):
        assert tuple(map(at_two, rows)) == tuple(map(at_two, plain))
        for row in rows:
            check_enclosure(row)
    return real


def check_enclosure(row: AnyRow) -> None:
    """The box of an exact row is around it, and narrow."""
    if isinstance(row, PointRow) and row.functions is not None:
        exact = row.functions
        with ctx.workprec(2000):
            x = arb(fmpq(1, exact.k)).exp()
            bottom = sum((c * x**n for n, c in enumerate(exact.bottom)), arb(0))
            for (j, low, high), (target, top) in zip(row.box, exact.tops, strict=True):
                p = sum((c * x**n for n, c in enumerate(top)), arb(0)) / bottom
                assert j == target
                assert high - low <= NARROW
                if low == high:  # rational, by identity
                    bottom_times = [low.numerator * c for c in exact.bottom]
                    assert [low.denominator * c for c in top] == bottom_times
                    continue
                assert arb(fmpq(low.numerator, low.denominator)) <= p
                assert p <= arb(fmpq(high.numerator, high.denominator))


# Unbounded noise with a rational ratio, against the same noise clamped so far out that it makes no difference.

FAR = 48
DIFFERENCE = Fraction(8, 2**FAR)


def laws(chain: Chain, depth: int, start: int) -> dict[tuple[str, ...], tuple[Fraction, Fraction]]:
    """Words from a state, each with the least and the greatest probability that the rows allow."""
    found: dict[tuple[str, ...], tuple[Fraction, Fraction]] = {}

    def follow(state: int, word: tuple[str, ...], low: Fraction, high: Fraction) -> None:
        if len(word) == depth:
            before = found.get(word, (Fraction(0), Fraction(0)))
            found[word] = before[0] + low, before[1] + high
            return
        for target, least, most in chain.given[state][0].box:
            follow(target, (*word, chain.labels[target]), low * least, high * most)

    follow(start, (), Fraction(1), Fraction(1))
    return found


def told(letter: str, low: int | None, high: int | None) -> str:
    """A letter of the clamped noise, as the labels of tails show it."""
    if re.fullmatch(r"-?\d+", letter):
        if high is not None and int(letter) >= high:
            return f"≥ {high}"
        if low is not None and int(letter) <= low:
            return f"≤ {low}"
    return letter


def check_unbounded(text: str, secrets: list[dict[str, object]], depth: int) -> Chain:
    unbounded = program(text.replace("Z()", 'geometric("1/2", tail="1e-12")')).chain(secrets)
    clamped = program(text.replace("Z()", f'geometric("1/2", {-FAR}, {FAR})')).chain(secrets)
    tails = {label[0]: int(label[2:]) for label in unbounded.labels if label[:2] in ("≥ ", "≤ ")}
    for start in range(len(secrets)):
        expected: dict[tuple[str, ...], Fraction] = {}
        for word, (p, _) in laws(clamped, depth, start).items():
            merged = tuple(told(letter, tails.get("≤"), tails.get("≥")) for letter in word)
            expected[merged] = expected.get(merged, Fraction(0)) + p
        found = laws(unbounded, depth, start)
        rest = max(row.box.rest for rows in unbounded.given for row in rows)
        assert rest <= 4 * Fraction(1, 10**12)  # each draw on the way may be cut off by 1e-12
        for word in expected.keys() | found.keys():
            low, high = found.get(word, (Fraction(0), Fraction(0)))
            p = expected.get(word, Fraction(0))
            assert low - DIFFERENCE <= p <= high + DIFFERENCE + depth * rest, word
    return unbounded
