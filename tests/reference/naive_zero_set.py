"""The zero set and the distance operators by their definitions, with one full exact linear program a pair and input.

Γ(d)(s, t) = 1 if the labels differ, else max(k(d)(μ_s→μ_t), k(d)(μ_t→μ_s)); Λ(d)(s, t) = 1 if they differ, else
k(d)(μ_s→μ_t). Where the observer chooses inputs, both take the largest over all of them. The zero set is the largest
set X of same-label pairs on which the operator maps 1_{not X} to 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from deltachain.model import Chain

from .step_forms import directed_step

Matrix = list[list[Fraction]]
Kind = Literal["bd", "ld"]


def apply_exactly(chain: Chain, alpha: Fraction, kind: Kind, d: Matrix) -> Matrix:
    """Γ(d) or Λ(d), exactly."""
    states = range(len(chain))
    rows = [[dict(row) for row in moves] for moves in chain.moves]

    def step(s: int, t: int) -> Fraction:
        if chain.labels[s] != chain.labels[t]:
            return Fraction(1)
        if s == t:
            return Fraction(0)
        return max(directed_step(d, x, y, alpha) for x, y in zip(rows[s], rows[t], strict=True))

    one_way = [[step(s, t) for t in states] for s in states]
    if kind == "ld":
        return one_way
    return [[max(one_way[s][t], one_way[t][s]) for t in states] for s in states]


def naive_zero_set(chain: Chain, alpha: Fraction, kind: Kind) -> set[tuple[int, int]]:
    """The pairs of distance zero, the diagonal included: delete from all same-label pairs until nothing goes."""
    states = range(len(chain))
    zero = {(s, t) for s in states for t in states if chain.labels[s] == chain.labels[t]}
    while True:
        d = [[Fraction((s, t) not in zero) for t in states] for s in states]
        after = apply_exactly(chain, alpha, kind, d)
        kept = {(s, t) for s, t in zero if after[s][t] == 0}
        if kept == zero:
            return zero
        zero = kept
