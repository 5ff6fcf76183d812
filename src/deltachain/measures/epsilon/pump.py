"""Cycles along which a likelihood ratio grows without end (docs/theory/divergences.md, "No ε at all").

The ratio of s to t grows without end along u, uv, uvv, … if there are x̃ ≥ 0, not 0, and ỹ, and λ > μ > 0 with

    x̃ ≤ c·x_u P_v^m,   x̃ P_v ≥ λ x̃,   ỹ ≥ y_u,   ỹ P_v ≤ μ ỹ,

where c > 0 and m are any numbers: then ν_s(u v^n)/ν_t(u v^n) ≥ C·(λ/μ)^n. It also does if λ = μ, and z ≥ 0 in place of
x̃ is at most c·x_u P_v^m, with z P_v ≥ λz + x̃: then it is at least C·n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from ...model import Chain
from ...model.components import components
from ...model.words import Word
from ...numbers.flint import to_flint, to_fraction
from ...numbers.fraction import simplest_between

ITERATIONS = 200
"""Powers of P_v that a belief is followed through."""
CLOSE, NEAR = 1e-9, Fraction(1, 10**11)
"""Two factors that floats do not tell apart, and a fraction that may be one."""
ZERO = Fraction(0)
PumpMasses = dict[int, Fraction]
PumpRows = dict[int, PumpMasses]


@dataclass(frozen=True, slots=True)
class Pump:
    """Why a ratio grows without end along u, uv, uvv, …, by states of the quotient.

    Attributes:
        growth: λ: what the one state shows is multiplied by at least this with each v, but for a constant.
        decay: μ: what the other shows, by at most this.
        more: x̃, with x̃ P_v ≥ λ x̃.
        less: ỹ ≥ y_u, with ỹ P_v ≤ μ ỹ.
        times: m: a multiple of x̃, or of ``feeds``, is at most x_u P_v^m.
        feeds: where λ = μ: z ≥ 0 with z P_v ≥ λz + x̃, so that z P_v^n ≥ n λ^(n−1) x̃; empty where λ > μ.
    """

    growth: Fraction
    decay: Fraction
    more: PumpMasses
    less: PumpMasses
    times: int = 0
    feeds: PumpMasses = field(default_factory=dict)


def find_pump(chain: Chain, s: int, t: int, u: Word, v: Word) -> Pump | None:
    """Why the ratio of s to t grows without end along u v^n; None if that is not proved.

    Floats choose λ, μ and x̃; each inequality is checked in fractions.
    """
    x, y = (after({state: Fraction(1)}, chain, u) for state in (s, t))
    if not (x and y):
        return None
    rows, others = powers(chain, x, v), powers(chain, y, v)
    if len(rows) == len(others) == 1:  # one state each, to which v leads back: x̃ = x_u and ỹ = y_u
        growth, decay = (sum(moves[i].values(), ZERO) for moves in (rows, others) for i in moves)
        return Pump(growth, decay, x, y) if growth > decay > 0 else None
    return _faster(rows, others, x, y) or _fed(rows, others, x, y)


def _faster(rows: PumpRows, others: PumpRows, x: PumpMasses, y: PumpMasses) -> Pump | None:
    """With λ > μ."""
    fast, guess = _grow(rows, x)
    slow, _ = _grow(others, y)
    if not fast > slow > 0:
        return None
    # Strictly between the two factors, so that both inequalities have room for what floats and short fractions miss.
    growth, decay = (Fraction(fast * share + slow * (1 - share)).limit_denominator(10**4) for share in (0.9, 0.1))
    grows = bool(guess) and all(_through(guess, rows).get(i, 0) >= growth * mass for i, mass in guess.items())
    times = _rounds(x, rows, guess) if growth > decay > 0 and grows else None
    less = None if times is None else _bound(y, others, decay)
    return None if times is None or less is None else Pump(growth, decay, guess, less, times)


def _fed(rows: PumpRows, others: PumpRows, x: PumpMasses, y: PumpMasses) -> Pump | None:
    """With λ = μ, where a class of states that keeps its mass, up to λ, feeds another that does.

    With l P_v = λl on the first, z = l + l P_v/λ + … + l (P_v/λ)^(m−1) has z P_v = λz + λ(l (P_v/λ)^m − l), and what is
    in brackets is 0 on the first class and positive on the second, if m is large enough.
    """
    mine, theirs = _classes(rows), _classes(others)
    fast, slow = (max((radius for _, radius in each), default=0.0) for each in (mine, theirs))
    if not 0 < slow <= fast * (1 + CLOSE) or fast > slow * (1 + CLOSE):
        return None
    near = Fraction(fast)
    growth = simplest_between(near * (1 - NEAR), near * (1 + NEAR))
    less = _critical_bound(y, others, [group for group, radius in theirs if radius > fast * (1 - CLOSE)], growth)
    critical = [group for group, radius in mine if radius > fast * (1 - CLOSE)]
    if less is None:
        return None
    for first in critical:
        left = eigenvector(_transpose(rows, first), growth)
        if left is None:
            continue
        feeds, here = dict(left), left
        for _ in range(2 * len(rows)):
            here = {k: mass / growth for k, mass in _through(here, rows).items()}
            for second in critical:
                base = eigenvector(_transpose(rows, second), growth) if second is not first else None
                if base is None or not all(k in here for k in base):
                    continue
                share = min(growth * here[k] / mass for k, mass in base.items())
                times = _rounds(x, rows, feeds)
                if times is not None:
                    more = {k: mass * share for k, mass in base.items()}
                    return Pump(growth, growth, more, less, times, feeds)
            feeds = {k: feeds.get(k, ZERO) + here.get(k, ZERO) for k in {**feeds, **here}}
    return None


def _classes(rows: PumpRows) -> list[tuple[list[int], float]]:
    """The classes of states that lead to each other with v, and by what the mass of each is multiplied in the end."""
    states = list(rows)
    place = {i: n for n, i in enumerate(states)}
    found = []
    for group in components([[place[k] for k in rows[i]] for i in states]):
        matrix = np.array([[float(rows[states[n]].get(states[m], 0)) for m in group] for n in group])
        found.append(([states[n] for n in group], float(max(abs(np.linalg.eigvals(matrix))))))
    return found


def _transpose(rows: PumpRows, group: Sequence[int]) -> PumpRows:
    """The columns of P_v at a class: what comes to each state of it from the others."""
    return {k: {i: rows[i][k] for i in group if k in rows[i]} for k in group}


def _critical_bound(
    belief: PumpMasses, rows: PumpRows, critical: list[list[int]], decay: Fraction
) -> PumpMasses | None:
    """ỹ as of `_bound`, where classes keep their mass, up to μ: they must not be fed, neither by each other.

    On such a class ỹ is a multiple of its own vector, elsewhere (y + what classes send there)·(I − P_v/μ)^-1.
    """
    inside = {i for group in critical for i in group}
    found: PumpMasses = {}
    for group in critical:
        left = eigenvector(_transpose(rows, group), decay)
        fed = any(k in group for i in rows if i not in group for k in rows[i])
        if left is None or fed or len(left) < len(group):
            return None
        scale = max([ZERO, *(belief.get(i, ZERO) / mass for i, mass in left.items())])
        found |= {i: mass * scale for i, mass in left.items() if scale}
    rest = {i: {k: p for k, p in row.items() if k not in inside} for i, row in rows.items() if i not in inside}
    sent = {i: mass / decay for i, mass in _through(found, rows).items() if i not in inside}
    start = {i: belief.get(i, ZERO) + sent.get(i, ZERO) for i in rest}
    below = _bound({i: mass for i, mass in start.items() if mass}, rest, decay)
    return None if below is None else found | below


def eigenvector(rows: PumpRows, factor: Fraction) -> PumpMasses | None:
    """R ≥ 0 with P r = λr, if λ has one of them, but for multiples; where it is positive."""
    size, place = len(rows), {i: n for n, i in enumerate(rows)}
    matrix = fmpq_mat(size, size)
    for i, row in rows.items():
        for k, p in row.items():
            matrix[place[i], place[k]] = to_flint(p)
        matrix[place[i], place[i]] = matrix[place[i], place[i]] - to_flint(factor)
    reduced, rank = matrix.rref()
    if rank != size - 1:
        return None
    # One column has no pivot: with 1 there, the others follow.
    pivots = [next(c for c in range(size) if reduced[r, c]) for r in range(rank)]
    free = next(c for c in range(size) if c not in pivots)
    found = [fmpq(0)] * size
    found[free] = fmpq(1)
    for r, c in enumerate(pivots):
        found[c] = -reduced[r, free]
    if any(value < 0 for value in found):
        return None
    return {i: to_fraction(found[n]) for i, n in place.items() if found[n]}


def after(belief: PumpMasses, chain: Chain, word: Word) -> PumpMasses:
    """Where a belief leads with a word."""
    for letter in word:
        found: PumpMasses = {}
        for i, mass in belief.items():
            for j, p in chain.rows[i]:
                if chain.labels[j] == letter:
                    found[j] = found.get(j, ZERO) + mass * p
        belief = found
    return belief


def powers(chain: Chain, belief: PumpMasses, v: Word) -> PumpRows:
    """The rows of P_v that the belief can come to."""
    rows: PumpRows = {}
    waiting = list(belief)
    for i in waiting:
        if i not in rows:
            rows[i] = after({i: Fraction(1)}, chain, v)
            waiting += rows[i]
    return rows


def _through(belief: PumpMasses, rows: PumpRows) -> PumpMasses:
    found: PumpMasses = {}
    for i, mass in belief.items():
        for j, p in rows[i].items():
            found[j] = found.get(j, ZERO) + mass * p
    return found


def _grow(rows: PumpRows, belief: PumpMasses) -> tuple[float, PumpMasses]:
    """About the factor by which the belief grows with each v in the end, and its shape then, rounded."""
    place = {i: k for k, i in enumerate(rows)}
    matrix = np.zeros((len(rows), len(rows)))
    for i, row in rows.items():
        for j, p in row.items():
            matrix[place[i], place[j]] = float(p)
    shape = np.zeros(len(rows))
    for i, mass in belief.items():
        shape[place[i]] = float(mass)
    factor, total = 0.0, np.zeros(len(rows))
    for count in range(ITERATIONS):
        shape = shape @ matrix
        factor = float(shape.sum())
        if factor == 0:
            return 0.0, {}
        shape = shape / factor
        if count >= ITERATIONS // 2:  # an average: the powers may go round in circles
            total += shape
    total = total / total.sum()
    found = {i: Fraction(total[k]).limit_denominator(10**9) for i, k in place.items() if total[k] > 1e-9}
    fastest = float(max(abs(np.linalg.eigvals(matrix)), default=0.0))
    return min(factor, fastest) if factor else 0.0, found


def _rounds(belief: PumpMasses, rows: PumpRows, goal: PumpMasses) -> int | None:
    """The power of v that brings the belief to all states of the goal; None if none does, as far as was looked."""
    reached = set(belief)
    for count in range(len(rows) + 2):
        if set(goal) <= reached:
            return count
        reached = {j for i in reached for j in rows[i]}
    return None


def _bound(belief: PumpMasses, rows: PumpRows, decay: Fraction) -> PumpMasses | None:
    """ỹ = belief·(I − P_v/μ)^-1, if it is ≥ 0: then ỹ = belief + ỹ P_v/μ is at least the belief, and ỹ P_v ≤ μ ỹ."""
    place = {i: k for k, i in enumerate(rows)}
    size = len(rows)
    matrix = fmpq_mat(size, size)
    for i, k in place.items():
        matrix[k, k] = fmpq(1)
        for j, p in rows[i].items():
            share = p / decay
            # Transposed: ỹ is a row vector, and systems are solved for columns.
            matrix[place[j], k] = matrix[place[j], k] - fmpq(share.numerator, share.denominator)
    right = fmpq_mat(size, 1)
    for i, mass in belief.items():
        right[place[i], 0] = fmpq(mass.numerator, mass.denominator)
    try:
        solved = matrix.solve(right)
    except ZeroDivisionError:
        return None
    found = {i: to_fraction(solved[k, 0]) for i, k in place.items() if solved[k, 0]}
    return found if all(mass > 0 for mass in found.values()) else None
