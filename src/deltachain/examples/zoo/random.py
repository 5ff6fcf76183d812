"""A random chain from a seed.

For measuring and for looking for counterexamples.
Protocol: none. Each of the n states gets a label drawn uniformly from ``labels`` many and a row of exactly
``degree`` distinct targets, whose probabilities are a uniformly drawn composition of ``denominators`` into
positive integers, over ``denominators``. With ``inputs`` above 0 every label offers the inputs ``i0``, ``i1``, …, and
each state has such a row for each of them. The same parameters give the same chain on every machine.
Secret: whether the chain started in s0 or in s1, which carry the same label.
Labels: ``a0``, ``a1``, …

Known exactly: with one label there is only one word of each length, so δ = 0 for every pair at every α. With
degree 1 each state has one run (for each sequence of inputs), so at every α δ is 0 if the words agree and 1 if some do
not.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from ...errors import Defect, InputError
from ...model import Chain, PointRow
from ..mechanism import limit_transitions, whole

MAX_STATES = 200_000
MAX_DENOMINATOR = 10**9
MAX_INPUTS = 1_000
MAX_SEED = 2**63 - 1


def random(
    n: int = 10, labels: int = 2, degree: int = 3, denominators: int = 12, seed: int = 0, inputs: int = 0
) -> Chain:
    """A random chain of ``n`` states with out-degree ``degree`` and probabilities k/``denominators``.

    The observer chooses among ``inputs`` inputs at every step; 0 is a chain that runs by itself.

    >>> random(n=5, seed=1) == random(n=5, seed=1)
    True
    """
    n = whole(n, "n", 2, MAX_STATES)
    labels = whole(labels, "labels", 1, n)
    degree = whole(degree, "degree", 1, n)
    denominators = whole(denominators, "denominators", 1, MAX_DENOMINATOR)
    if denominators < degree:
        what = f"{denominators} is below the degree, {degree}"
        raise InputError(Defect("denominators", what, "give each target a share of at least 1/denominators"))
    inputs = whole(inputs, "inputs", 0, MAX_INPUTS)
    limit_transitions(n * degree * max(inputs, 1), "lower n, degree or inputs")
    # Only Random.random() is promised to give the same numbers in every version of Python.
    draw = Random(whole(seed, "seed", 0, MAX_SEED))  # noqa: S311  # nothing secret is drawn
    letters = [0, 0] + [_below(draw, labels) for _ in range(n - 2)]
    shares = {k: Fraction(k, denominators) for k in range(1, denominators + 1)} if denominators <= n else None

    def row() -> PointRow:
        targets = _distinct(draw, n, degree)
        parts = _composition(draw, denominators, degree)
        values = [shares[k] if shares else Fraction(k, denominators) for k in parts]
        return PointRow(tuple(zip(targets, values, strict=True)))

    moves = tuple(tuple(row() for _ in range(max(inputs, 1))) for _ in range(n))
    states, alphabet = tuple(f"s{i}" for i in range(n)), tuple(f"a{letter}" for letter in letters)
    offered = tuple(sorted(f"i{number}" for number in range(inputs)))
    return Chain(states, alphabet, moves, ((0, 1),), None, dict.fromkeys(alphabet, offered) if inputs else {})


def _below(draw: Random, bound: int) -> int:
    return int(draw.random() * bound)


def _distinct(draw: Random, bound: int, count: int) -> list[int]:
    """``count`` distinct numbers below ``bound``, uniformly, in increasing order [Floyd's algorithm]."""
    chosen: set[int] = set()
    for top in range(bound - count, bound):
        pick = _below(draw, top + 1)
        chosen.add(top if pick in chosen else pick)
    return sorted(chosen)


def _composition(draw: Random, total: int, parts: int) -> list[int]:
    """A uniform composition of ``total`` into positive parts: cut at parts − 1 of the total − 1 places."""
    cuts = [cut + 1 for cut in _distinct(draw, total - 1, parts - 1)]
    return [right - left for left, right in zip([0, *cuts], [*cuts, total], strict=True)]
