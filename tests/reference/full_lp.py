"""bd and ld by value iteration from 0, with one full linear program for each ordered pair [CMP18, Def. 10,
Lemma 3].

The directed step, for a cost d on pairs of states and two distributions x, y:

    k(d)(x→y) = max { Σ_i f_i (x_i − α y_i) : 0 ≤ f ≤ 1, f_i − α f_j ≤ d_ij for all i ≠ j }

bd is the least fixed point of Γ(d)(s, t) = 1 if the labels differ, else max(k(d)(μ_s→μ_t), k(d)(μ_t→μ_s));
ld is that of Λ(d)(s, t) = 1 if the labels differ, else k(d)(μ_s→μ_t). Each sweep applies the operator once
to every pair, so the iterates climb to the least fixed point from below (up to the rounding of floats). On a
chain whose only cycles are absorbing states of one label each, about as many sweeps as the longest path
reach it.

Floats throughout: a yardstick for tests, compared with a tolerance, never a bound. One sweep solves a
program of n variables for each ordered pair of equal labels: a few seconds at 50 states.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deltachain.model import Chain, Row

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Matrix = NDArray[np.float64]


def bd_by_full_lp(chain: Chain, alpha: Fraction, sweeps: int) -> Matrix:
    """Γ applied ``sweeps`` times to 0, or until nothing changes: [s, t] approaches bd(s, t) from below."""
    d = np.zeros((len(chain), len(chain)))
    for _ in range(sweeps):
        one_way = ld_step(chain, alpha, d)
        after = np.maximum(one_way, one_way.T)
        if np.array_equal(after, d):
            break
        d = after
    return d


def ld_by_full_lp(chain: Chain, alpha: Fraction, sweeps: int) -> Matrix:
    """Λ applied ``sweeps`` times to 0, or until nothing changes: [s, t] approaches ld(s, t) from below."""
    d = np.zeros((len(chain), len(chain)))
    for _ in range(sweeps):
        after = ld_step(chain, alpha, d)
        if np.array_equal(after, d):
            break
        d = after
    return d


def ld_step(chain: Chain, alpha: Fraction, d: Matrix) -> Matrix:
    """Λ(d): entry [s, t] is 1 if the labels differ, else k(d)(μ_s→μ_t)."""
    size = len(chain)
    constraints, right_sides = step_constraints(alpha, d)
    after = np.ones((size, size))
    solved: dict[tuple[Row, Row], float] = {}  # states with equal rows pose the same program
    for s in range(size):
        for t in range(size):
            if chain.labels[s] == chain.labels[t]:
                key = chain.rows[s], chain.rows[t]
                if key not in solved:
                    gains = skewed_difference(chain, alpha, s, t)
                    solved[key] = directed_step(gains, constraints, right_sides)
                after[s, t] = solved[key]
    return after


def skewed_difference(chain: Chain, alpha: Fraction, s: int, t: int) -> Matrix:
    """The objective μ_s − α μ_t, subtracted before it is turned into floats, so that a zero is a zero."""
    exact = [Fraction(0)] * len(chain)
    for state, p in chain.rows[s]:
        exact[state] += p
    for state, p in chain.rows[t]:
        exact[state] -= alpha * p
    return np.array([float(value) for value in exact])


def step_constraints(alpha: Fraction, d: Matrix) -> tuple[csr_array, Matrix]:
    """The rows f_i − α f_j ≤ d_ij, i ≠ j, but those with d_ij ≥ 1: 0 ≤ f ≤ 1 implies them."""
    from scipy.sparse import coo_array, csr_array  # an extra: modules that import this one do without it

    i, j = np.nonzero((d < 1) & ~np.eye(len(d), dtype=bool))
    rows = np.arange(len(i))
    entries = np.concatenate([np.ones(len(i)), np.full(len(i), -float(alpha))])
    positions = (np.concatenate([rows, rows]), np.concatenate([i, j]))
    return csr_array(coo_array((entries, positions), shape=(len(i), len(d)))), d[i, j]


def directed_step(gains: Matrix, constraints: csr_array, right_sides: Matrix) -> float:
    """k(d) by HiGHS: max gains·f under the constraints and 0 ≤ f ≤ 1."""
    if not (gains > 0).any():
        return 0.0  # f = 0 is best
    from scipy.optimize import linprog

    found = linprog(-gains, A_ub=constraints, b_ub=right_sides, bounds=(0, 1), method="highs")
    if found.status != 0:
        raise RuntimeError(f"HiGHS: {found.message}")
    return min(1.0, max(0.0, -float(found.fun)))
