"""The statistics of drawn words by the definition: a run of the chain and a filter, in Fractions, one word at a time.

It is given the same random bits as the engine: a real number in [0, 1) whose first bits are known chooses the next
state; where these bits do not decide, there is no word (None).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from deltachain.model import Chain

Vector = dict[int, Fraction]


def statistics_of(
    chain: Chain, belief: Mapping[int, int], ticket: int, bits: Sequence[int], precision: int, alpha: Fraction
) -> list[tuple[Fraction, Fraction] | None]:
    """After 0, 1, … letters of the word: the statistics from below and from above, exactly."""
    p = {i: Fraction(v) for i, v in belief.items() if v > 0}
    q = {i: Fraction(-v) for i, v in belief.items() if v < 0}
    hidden = _chosen(belief, ticket)
    found: list[tuple[Fraction, Fraction] | None] = [_statistics(p, q, alpha)]
    for number in bits:
        after = _next(chain, hidden, number, precision)
        if after is None:
            return [*found, None]
        hidden = after
        p, q = (_step(chain, vector, chain.labels[hidden]) for vector in (p, q))
        found.append(_statistics(p, q, alpha))
    return found


def _chosen(belief: Mapping[int, int], ticket: int) -> int:
    for state, value in belief.items():
        if value > 0:
            if ticket < value:
                return state
            ticket -= value
    raise ValueError("a ticket beyond the belief")


def _next(chain: Chain, hidden: int, number: int, precision: int) -> int | None:
    least, most = Fraction(number, 2**precision), Fraction(number + 1, 2**precision)
    total = Fraction(0)
    for target, p in chain.rows[hidden]:
        if total <= least and most <= total + p:
            return target
        total += p
    return None


def _step(chain: Chain, vector: Vector, label: str) -> Vector:
    after: Vector = {}
    for i, mass in vector.items():
        for j, p in chain.rows[i]:
            if chain.labels[j] == label:
                after[j] = after.get(j, Fraction(0)) + mass * p
    return after


def _statistics(p: Vector, q: Vector, alpha: Fraction) -> tuple[Fraction, Fraction]:
    whole, zero = sum(p.values()), Fraction(0)
    over = sum((max(mass - alpha * q.get(i, zero), zero) for i, mass in p.items()), zero)
    return max(1 - alpha * sum(q.values()) / whole, zero), over / whole


def value_of(chain: Chain, belief: Mapping[int, int | Fraction], depth: int) -> Fraction:
    """V_h of a signed belief, by the recursion: exact, and exponential in h."""
    if depth == 0 or not belief:
        return max(Fraction(sum(belief.values())), Fraction(0))
    after: dict[str, dict[int, Fraction]] = {}
    for i, mass in belief.items():
        for j, p in chain.rows[i]:
            part = after.setdefault(chain.labels[j], {})
            part[j] = part.get(j, Fraction(0)) + mass * p
    return sum((value_of(chain, part, depth - 1) for part in after.values()), Fraction(0))
