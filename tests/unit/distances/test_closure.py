"""Stepping stones: the cheapest path of every exponent, against all paths one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations
from random import Random

import numpy as np
import pytest

from deltachain import Chain
from deltachain.distances.closure import close
from deltachain.distances.kinds.bd import BD
from deltachain.distances.kinds.sd import SD
from deltachain.distances.pair_space import PairSpace

SIZE = 4


def space_of(alpha: Fraction) -> PairSpace[object]:
    row = {k: Fraction(1, SIZE) for k in range(SIZE)}
    return PairSpace.of(Chain.from_rows([row] * SIZE, "a" * SIZE), alpha)  # type: ignore[return-value]


def cheapest(d: np.ndarray, alpha: float, complement: bool) -> dict[tuple[int, int, int], float]:
    """The least C of f_i ≤ C + α^k f_j over paths that visit no state twice, by i, j and k."""
    found: dict[tuple[int, int, int], float] = {}
    kinds = [(1, lambda i, j: d[i, j], alpha)]
    if complement:
        kinds.append((-1, lambda i, j: (d[j, i] + alpha - 1) / alpha, 1 / alpha))
    for length in range(2, SIZE + 1):
        for path in permutations(range(SIZE), length):
            ends = {(0.0, 1.0, 0)}
            for i, j in pairwise(path):
                ends = {(c + g * cost(i, j), g * gain, k + step) for c, g, k in ends for step, cost, gain in kinds}
            for c, _, k in ends:
                key = (path[0], path[-1], k)
                found[key] = min(c, found.get(key, np.inf))
    return found


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_no_path_says_more_than_what_is_kept(seed: int, complement: bool) -> None:
    """Each kept entry is the cost of a path; for every path and every f_j, a kept entry says as much."""
    random = Random(seed)
    alpha = random.choice([Fraction(11, 10), Fraction(3, 2), Fraction(2)])
    space = space_of(alpha)
    d = np.array([[0 if i == j else random.randint(1, 20) / 20 for j in range(SIZE)] for i in range(SIZE)])
    closure = close(space, d.reshape(-1).copy(), constraints=(SD if complement else BD).constraints)
    assert closure.complete
    truth = cheapest(d, float(alpha), complement)
    kept: dict[tuple[int, int], list[tuple[float, int]]] = {}
    for level, k in enumerate(closure.exponents):
        for pair, cost in enumerate(closure.cost[level]):
            i, j = (int(end[pair]) for end in space.ends)
            if i != j and cost < np.inf:
                kept.setdefault((i, j), []).append((float(cost), k))
                assert cost >= truth.get((i, j, k), np.inf) - 1e-9 or cost >= 1
    for (i, j, k), cost in truth.items():
        for f in (0.0, 0.25, 0.5, 1.0):
            said = min((c + float(alpha) ** q * f for c, q in kept[i, j]), default=np.inf)
            assert min(said, 1) <= min(cost + float(alpha) ** k * f, 1) + 1e-9


def test_the_first_arc_of_a_path_is_named() -> None:
    """0 → 1 → 2 costs less than the arc 0 → 2 itself."""
    d = np.array([[0, 0.1, 1, 1], [1, 0, 0.1, 1], [1, 1, 0, 1], [1, 1, 1, 0]])
    space = space_of(Fraction(3, 2))
    closure = close(space, d.reshape(-1).copy())
    level = closure.level_of[2]
    assert closure.cost[level - 1, space.pair(0, 2)] == pytest.approx(0.1 + 1.5 * 0.1)
    assert closure.first_arc(0, 2, level) == (1, False, closure.level_of[1])
