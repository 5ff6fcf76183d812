"""Extension "measures": divergences, trade-offs and guesses, from where runs end (docs/certificate.md).

With X^1 … X^k the masses that end where nothing more is learned (`graph.Visits`), every convex φ with φ(cz) = c·φ(z)
has the value Σ φ(X^1, …, X^k). Trade-offs, guesses and moments are exact. Logarithms and roots are enclosed in
integers, in units of 2^-PLACES, every quotient rounded outward: this is what has to be believed in addition.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from heapq import nlargest
from typing import Any

from .claims import Claim, name_of
from .document import keys, lists
from .errors import need
from .meter import spend
from .numbers import ONE, ZERO, Rationals, divided, rational, rounded_down, whole

THIRD = Fraction(1, 3)
STEP = 40
PLACES = 256
KEPT = 2 * PLACES
"""How many binary digits are kept of a number of more than twice as many, where only ends are asked for."""
LONG, PRODUCT = 10_000, 2_000
"""Steps of the meter for long numbers: m·n/LONG for a quotient or a common divisor of numbers of m and n bits, and
n^(3/2)/PRODUCT for a product of n bits, for which there is a faster way."""
MOST_ORDER, MOST_ROOT = 4_096, 1_000
"""Of a Rényi order p/q, p and q."""
Ends = tuple[Fraction, Fraction]
Outcome = tuple[Any, ...]
"""The masses that end at one node, from each start."""
KEYS = {
    "renyi": ("pair", "order", "lower", "upper", "moment"),
    "kl": ("pair", "lower", "upper"),
    "tradeoff": ("pair", "corners"),
    "guess": ("secrets", "prior", "guesses", "gains", "lower", "upper"),
}
"""What each claim may have beside ``claim``, ``view``, and ``visits`` or ``split``."""


def logarithm(value: Fraction) -> Ends:
    """Ends of ln(value), value > 0: with value = m·2^k and t = (m − 1)/(m + 1), 2·Σ t^(2n+1)/(2n + 1) + k·ln 2."""
    k = value.numerator.bit_length() - value.denominator.bit_length()
    spend(5_000)
    m = value / Fraction(2) ** k
    k, m = (k - 1, 2 * m) if m < 1 else (k, m)
    low, high = _series((m - 1) / (m + 1))
    two = _series(THIRD) if k else (0, 0)
    both = (low + k * two[0 if k > 0 else 1], high + k * two[1 if k > 0 else 0])
    return Fraction(both[0], 2**PLACES), Fraction(both[1], 2**PLACES)


@lru_cache(maxsize=32)
def _series(t: Fraction) -> tuple[int, int]:
    """Ends of 2·Σ t^(2n+1)/(2n + 1), 0 ≤ t ≤ 1/3, in units; what is left out is at most 9/8 of its first power."""
    square = t * t
    down, up = math.floor(square * 2**PLACES), math.ceil(square * 2**PLACES)
    least, most = math.floor(t * 2**PLACES), math.ceil(t * 2**PLACES)
    low = high = 0
    n = 1
    while least:
        low, high, n = low + least // n, high - (-most // n), n + 2
        least, most = least * down >> PLACES, -(-most * up >> PLACES)
    return 2 * low, 2 * (high + 2 * most)


def near(value: Any) -> Ends:
    """Ends of a number above 0: a Fraction itself unless it is long; else to half of PLACES binary digits at least."""
    if isinstance(value, Fraction):
        if bit_length(value) <= 2 * KEPT:
            return value, value
        top, bottom = value.numerator, value.denominator
        places = KEPT + bottom.bit_length() - top.bit_length()
        low = (top << places) // bottom if places >= 0 else top // (bottom << -places)
        return low / Fraction(2) ** places, (low + 1) / Fraction(2) ** places
    places = PLACES
    while (low := rounded_down(value, places)).bit_length() < PLACES // 2:
        places *= 2
    return Fraction(low, 2**places), Fraction(low + 1, 2**places)


def added(total: Any, term: Any) -> Any:
    """Their sum; functions of e^(1/k) count their steps by themselves."""
    if isinstance(total, Fraction) and isinstance(term, Fraction):
        spend(total.denominator.bit_length() * term.denominator.bit_length() // LONG)
    return total + term


def bit_length(value: Any) -> int:
    """The bits of a Fraction's longer part; functions of e^(1/k) count their steps by themselves."""
    return max(value.numerator, value.denominator).bit_length() if isinstance(value, Fraction) else 0


def powered(value: int, exponent: int) -> int:
    """The number to a whole power ≥ 0."""
    multiplied(exponent * value.bit_length())
    found: int = value**exponent
    return found


def multiplied(length: int) -> None:
    """Count the steps of a product of so many bits."""
    spend(length * math.isqrt(length) // PRODUCT)


def quotient(x: Fraction, y: Fraction, order: Fraction) -> tuple[int, int]:
    """x^p·y^(q−p) for an order p/q, as numerator and denominator; not in lowest terms, which would take the longest."""
    p, rest = order.numerator, order.numerator - order.denominator
    multiplied(2 * (p * bit_length(x) + rest * bit_length(y)))
    top = powered(x.numerator, p) * powered(y.denominator, rest)
    return top, powered(x.denominator, p) * powered(y.numerator, rest)


def rooted(top: int, bottom: int, q: int) -> Ends:
    """Ends of the q-th root of top/bottom ≥ 0, by whole roots in units of 2^-PLACES."""
    spend(500 + max(top.bit_length() - bottom.bit_length() + q * PLACES, 0) * bottom.bit_length() // LONG)
    shifted = (top << q * PLACES) // bottom
    spend(shifted.bit_length() ** 2 // 2_000 if q > 1 else 0)
    # Newton's rule, from above, falls until it is at the root, rounded down.
    root = 1 << shifted.bit_length() // q + 1 if shifted else 0
    while root and (lower := ((q - 1) * root + shifted // root ** (q - 1)) // q) < root:
        root = lower
    exact = root**q * bottom == top << q * PLACES
    return Fraction(root, 2**PLACES), Fraction(root if exact else root + 1, 2**PLACES)


def renyi(outcomes: Sequence[Outcome], order: Fraction) -> Ends | None:
    """Ends of D_a = ln(Σ X^a Y^(1−a))/(a − 1), a > 1, which is not negative; None if it is infinite."""
    p, q = order.numerator, order.denominator
    need(order > 1 and p <= MOST_ORDER and q <= MOST_ROOT, "order", f"p/q above 1, p ≤ {MOST_ORDER}, q ≤ {MOST_ROOT}")
    live = [(x, y) for x, y in outcomes if x]
    if not all(y for _, y in live):
        return None
    if all(x == y for x, y in outcomes):
        return ZERO, ZERO
    low = high = ZERO
    for x, y in live:
        (least_x, most_x), (least_y, most_y) = near(x), near(y)
        low += rooted(*quotient(least_x, most_y, order), q)[0]
        high += rooted(*quotient(most_x, least_y, order), q)[1]
    return max(logarithm(low)[0], ZERO) / (order - 1), logarithm(high)[1] / (order - 1)


def moment(outcomes: Sequence[Outcome], order: int) -> tuple[Any, Any]:
    """Σ X^a Y^(1−a) exactly, for a whole order at which it is finite: numerator and denominator."""
    live = [(x, y) for x, y in outcomes if x]
    if any(not isinstance(value, Fraction) for pair in live for value in pair):
        found: Any = ZERO
        for x, y in live:
            found = found + function_powered(x, order) / function_powered(y, order - 1)
        return found, 1
    # One denominator for all masses, so that the terms have only their own Y below them; then two by two.
    unit, tops = whole({(n, k): value for n, pair in enumerate(live) for k, value in enumerate(pair)})
    terms = [(powered(tops[n, 0], order), powered(tops[n, 1], order - 1)) for n in range(len(live))]
    while len(terms) > 1:
        terms = [joined(terms[n : n + 2]) for n in range(0, len(terms), 2)]
    top, bottom = terms[0] if terms else (0, 1)
    return top, bottom * unit


def check_moment(name: str, outcomes: Sequence[Outcome], order: int, claimed: Any) -> None:
    """Whether the moment is the one claimed: multiplied out, for lowest terms would take the longest."""
    top, bottom = moment(outcomes, order)
    if isinstance(top, int) and isinstance(claimed, Fraction):
        spend(bit_length(claimed) * bottom.bit_length() // LONG)
        if top * claimed.denominator == claimed.numerator * bottom:
            return
    need(divided(top, bottom) == claimed, name, "its moment, exactly", divided(top, bottom), claimed)


def joined(terms: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The sum of two quotients, or the one that is left; not in lowest terms."""
    if len(terms) == 1:
        return terms[0]
    (a, b), (c, d) = terms
    multiplied(2 * (max(a, b).bit_length() + max(c, d).bit_length()))
    return a * d + c * b, b * d


def function_powered(value: Any, exponent: int) -> Any:
    """A function of e^(1/k), or a Fraction beside one, to a whole power ≥ 0."""
    found: Any = ONE
    for bit in f"{exponent:b}":
        found = found * found * value if bit == "1" else found * found
    return found


def kullback_leibler(outcomes: Sequence[Outcome]) -> Ends | None:
    """Ends of Σ X ln(X/Y), which is not negative; None if it is infinite."""
    live = [(x, y) for x, y in outcomes if x]
    if not all(y for _, y in live):
        return None
    if all(x == y for x, y in outcomes):
        return ZERO, ZERO
    low = high = ZERO
    for x, y in live:
        spend(bit_length(x) * bit_length(y) // LONG)
        (least, most), ratio = near(x), near(x / y)
        down, up = logarithm(ratio[0])[0], logarithm(ratio[1])[1]
        low += min(least * down, most * down)
        high += max(least * up, most * up)
    return max(low, ZERO), high


def corners_of(outcomes: Sequence[Outcome], field: Rationals) -> list[tuple[Any, Any]]:
    """The corners (ΣX, 1 − ΣY) of the best tests, outcomes by rising X/Y, those of one ratio together."""
    longest = max((bit_length(value) for each in outcomes for value in each), default=0)

    def by_ratio(one: Outcome, other: Outcome) -> int:
        spend(longest * longest // LONG)
        left, right = one[0] * other[1], other[0] * one[1]
        return 0 if left == right else 1 if field.positive(left - right) else -1

    found: list[tuple[Any, Any]] = [(ZERO, ONE)]
    last: Outcome | None = None
    for x, y in sorted(outcomes, key=cmp_to_key(by_ratio)):
        a, b = found.pop() if last is not None and by_ratio(last, (x, y)) == 0 else found[-1]
        found.append((added(a, x), added(b, -y)))
        last = x, y
    return found


def guessed(outcomes: Sequence[Outcome], terms: Mapping[str, Any], field: Rationals) -> Any:
    """Σ over outcomes of what the best guess is worth there."""
    prior = terms["prior"]
    need(sum(prior, ZERO) == 1 and min(prior) >= 0, "prior", "probabilities that sum to one", sum(prior, ZERO))
    need(("gains" in terms) != ("guesses" in terms), "guess", "a table of gains, or a number of guesses")

    def compared(one: Any, other: Any) -> int:
        gap = one - other
        return 1 if field.positive(gap) else -int(field.positive(-gap))

    order = cmp_to_key(compared)
    total: Any = ZERO
    if "guesses" in terms:
        count = terms["guesses"]
        need(1 <= count <= len(prior), "guesses", "from 1 to the number of secrets", count)
        for each in outcomes:
            for worth in nlargest(count, [p * x for p, x in zip(prior, each, strict=True)], key=order):
                total = added(total, worth)
        return total
    table = terms["gains"]
    need(table, "gains", "a row of gains at least")
    spend(STEP * len(table) * len(prior) * len(outcomes))
    for each in outcomes:
        weighted = [p * x for p, x in zip(prior, each, strict=True)]
        total = added(total, max((inner(row, weighted) for row in table), key=order))
    return total


def inner(row: Sequence[Any], column: Sequence[Any]) -> Any:
    """Σ row·column."""
    return sum((g * w for g, w in zip(row, column, strict=True)), ZERO)


# Claims.


def stated(claim: Any, field: Rationals) -> Claim:
    """A claim as it is written, its keys known and its numbers read; nothing of it is shown yet."""
    what = claim["claim"]
    keys(claim, what, "claim", "view", "visits", "split", *KEYS[what])
    terms: dict[str, Any] = {}
    if what == "guess":
        states = claim["secrets"]
        known = isinstance(states, list) and all(isinstance(s, str) for s in states) and len({*states}) == len(states)
        need(known and len(states) > 1, what, "secrets, two or more, each once")
        if "gains" in claim:
            terms["gains"] = [[rational(g) for g in row] for row in lists(claim["gains"], len(states))]
        if "guesses" in claim:
            need(type(claim["guesses"]) is int, what, "a number of guesses")
            terms["guesses"] = claim["guesses"]
        prior = terms["prior"] = [rational(p) for p in claim["prior"]]
        need(len(prior) == len(states), "prior", "a probability for each secret", len(prior))
    else:
        ((s, t),) = lists([claim["pair"]], 2)
        states = [s, t]
    if what == "renyi":
        terms["order"] = rational(claim["order"])
    if what == "tradeoff":
        terms["corners"] = [(field.read(a), field.read(b)) for a, b in lists(claim["corners"], 2)]
    if "moment" in claim:
        terms["moment"] = field.read(claim["moment"])
    found = Claim(measure=what, subject=tuple(states), terms=terms)
    if what == "tradeoff":
        return found
    if claim.get("lower") == "infinity":
        need("upper" not in claim, what, "no upper bound beside an infinite lower one")
        return replace(found, infinite=True)
    lower = field.read(claim.get("lower", "0"))
    return replace(found, lower=lower, upper=field.read(claim["upper"]) if "upper" in claim else None)


def conclude(said: Claim, outcomes: list[Outcome], field: Rationals) -> Claim:
    """The claim, if it follows from the outcomes of its subject."""
    name, terms = name_of(said), said.terms
    need(not isinstance(field.x, str), name, "one value of the parameter")
    if said.measure == "tradeoff":
        need(terms["corners"] == corners_of(outcomes, field), name, "the corners of the best tests")
        return said
    found: Any
    if said.measure == "guess":
        found = (guessed(outcomes, terms, field),) * 2
    elif said.measure == "kl":
        found = kullback_leibler(outcomes)
    else:
        order = terms["order"]
        found = renyi(outcomes, order)
        if "moment" in terms:
            need(order.denominator == 1, name, "a whole order, where the moment is claimed")
            need(found is not None, name, "no moment: it is infinite", terms["moment"])
            check_moment(name, outcomes, order.numerator, terms["moment"])
    if found is None:
        need(said.upper is None, name, "the upper bound: it is infinite", said.upper)
        return said
    need(not said.infinite, name, "the lower bound: it is finite", found[1])
    need(said.upper is None or field.nonneg(said.upper - found[1]), name, "the upper bound", found[1], said.upper)
    need(field.nonneg(found[0] - said.lower), name, "the lower bound", said.lower, found[0])
    return replace(said, value=found[0] if found[0] == found[1] else None)
