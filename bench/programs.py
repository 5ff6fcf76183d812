"""Compiling programs: sums of draws, noise of many values, counters; each law checked by a formula of its own.

The formulas do not use the compiler: binomials, sums over one noise, convolutions, products.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import deltachain as dc
from bench.measure import Row, Stopwatch, in_process
from deltachain.model.words import word_probability

Result = dict[str, Any]
Law = dict[int, Fraction]

SHUFFLE = """
def shuffled(bit, others):
    count = bit if flip("3/4") else 1 - bit
    for _ in range(others):
        count = count + (1 if flip("1/4") else 0)
    announce(count)
"""
SPARSE = """
def sparse(answers, clamp, ratio="9/10"):
    bar = geometric(ratio, -clamp, clamp)
    for answer in answers:
        if answer + geometric(ratio, -clamp, clamp) >= bar:
            announce("above")
            return
        announce("below")
"""
TREE = """
def counter(events, clamp):
    four = two = 0
    for t in range(1, 9):
        size = 1 if t % 2 else 2 if t % 4 else 4 if t % 8 else 8
        noisy = sum(events[t - size:t]) + geometric("1/2", -clamp, clamp)
        if size == 1:
            announce(noisy + two + four)
            two = 0
        elif size == 2:
            two = noisy
            announce(two + four)
        else:
            four = noisy
            announce(four)
"""
HISTOGRAM = """
def histogram(counts):
    announce(tuple(count + geometric("1/2", 0, 1) for count in counts))
"""
POISSON = """
def subsampled(extra, n, ratio="1/2"):
    total = sum(i % 5 for i in range(n) if flip("1/10"))
    if extra and flip("1/10"):
        total = total + 4
    announce(total + geometric(ratio, -20, 20))
"""


def shuffle(n: str) -> Result:
    """Binary randomised response of n people, shuffled: the law of the count."""
    size = int(n)

    def right(chain: dc.Chain) -> bool:
        mine = {0: Fraction(3, 4), 1: Fraction(1, 4)}
        others = {
            k: Fraction(comb(size - 1, k) * 3 ** (size - 1 - k), 4 ** (size - 1)) for k in (0, size // 4, size - 1)
        }
        wanted = {k: mine[0] * others[k] + mine[1] * _binomial(size - 1, k - 1) for k in others}
        return all(word_probability(chain, 0, ["start", str(k)]) == p for k, p in wanted.items())

    limit = 100_000 if size <= 500 else 400_000
    return _compiled(SHUFFLE, [{"bit": 0}, {"bit": 1}], {"others": size - 1}, right, limit)


def _binomial(n: int, k: int) -> Fraction:
    return Fraction(comb(n, k) * 3 ** (n - k), 4**n) if k >= 0 else Fraction(0)


def sparse(clamp: str) -> Result:
    """The sparse vector technique on four queries: the probability that all are below."""
    most = int(clamp)

    def right(chain: dc.Chain) -> bool:
        noise, answers = _geometric(Fraction(9, 10), most), (0, 1, 0, 1)
        below: dict[int, Fraction] = {}
        total = Fraction(0)
        for z in range(-most, most + 1):
            below[z] = total
            total += noise[z]
        wanted = sum(
            (noise[bar] * _product(below.get(bar - a, Fraction(0)) for a in answers) for bar in noise), Fraction(0)
        )
        return word_probability(chain, 0, ["start", *["below"] * 4]) == wanted

    secrets = [{"answers": (0, 1, 0, 1)}, {"answers": (1, 0, 1, 0)}]
    return _compiled(SPARSE, secrets, {"clamp": most}, right)


def tree_counter() -> Result:
    """The binary tree mechanism over eight steps: the law of the last letter, whose block is all of them."""

    def right(chain: dc.Chain) -> bool:
        here = {0: Fraction(1)}
        for _ in range(8):
            following: Law = {}
            for state, mass in here.items():
                for target, p in chain.rows[state]:
                    following[target] = following.get(target, Fraction(0)) + mass * p
            here = following
        found: Law = {}
        for state, mass in here.items():
            found[int(chain.labels[state])] = found.get(int(chain.labels[state]), Fraction(0)) + mass
        return found == {3 + z: p for z, p in _geometric(Fraction(1, 2), 10).items()}

    secrets = [{"events": (1, 0, 0, 1, 0, 0, 1, 0)}, {"events": (1, 0, 0, 1, 0, 0, 0, 0)}]
    return _compiled(TREE, secrets, {"clamp": 10}, right)


def histogram() -> Result:
    """Ten bins as one tuple: some of the 1,024 letters."""

    def right(chain: dc.Chain) -> bool:
        up = _geometric(Fraction(1, 2), 0, 1)
        letters = [tuple((n * k) % 2 for k in range(10)) for n in range(2)]
        return all(
            word_probability(chain, 0, ["start", str(letter)]) == _product(up[bit] for bit in letter)
            for letter in letters
        )

    return _compiled(HISTOGRAM, [{"counts": (0,) * 10}, {"counts": (1, *(0,) * 9)}], {}, right)


def poisson(n: str) -> Result:
    """A Poisson-subsampled sum of values 0 … 4 with noise: the law of the sum."""
    size = int(n)

    def right(chain: dc.Chain) -> bool:
        law: Law = {0: Fraction(1)}
        for i in range(size):
            law = _convolved(law, {0: Fraction(9, 10), i % 5: Fraction(1, 10)} if i % 5 else {0: Fraction(1)})
        law = _convolved(law, _geometric(Fraction(1, 2), 20))
        return all(word_probability(chain, 0, ["start", str(k)]) == law[k] for k in (min(law), 20, max(law)))

    return _compiled(POISSON, [{"extra": False}, {"extra": True}], {"n": size}, right)


def _compiled(
    text: str, secrets: Any, constants: dict[str, object], right: Callable[[dc.Chain], bool], limit: int = 100_000
) -> Result:
    dc.program("def coin(x): announce(flip('1/2'))").chain([{"x": 0}])  # imports
    with Stopwatch() as ours:
        chain = dc.program(text).chain(secrets, constants=constants, max_states=limit)
    # One thread, so that CPU time is what a quiet machine takes; the rest of the peak is what the other cases import.
    taken = {"seconds": ours.cpu_seconds, "peak_mb": ours.found["grown_mb"]}
    return ours.found | taken | {"right": right(chain), "states": len(chain), "transitions": chain.transitions}


def _geometric(ratio: Fraction, most: int, least: int | None = None) -> Law:
    """Two-sided geometric noise with its tails at the ends: at −most and most, or at ``most`` (low) and ``least``."""
    low, high = (-most, most) if least is None else (most, least)
    law = {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(low, high + 1)}
    law[low] = ratio ** abs(low) / (1 + ratio) if low < 0 else 1 / (1 + ratio) * (1 if low == 0 else 0)
    law[high] = 1 - sum((p for z, p in law.items() if z != high), Fraction(0))
    return law


def _convolved(first: Law, second: Law) -> Law:
    law: Law = {}
    for a, p in first.items():
        for b, q in second.items():
            law[a + b] = law.get(a + b, Fraction(0)) + p * q
    return law


def _product(factors: Any) -> Fraction:
    result = Fraction(1)
    for factor in factors:
        result *= factor
    return result


ROWS: tuple[tuple[str, tuple[str, ...], str, float, float], ...] = (
    ("shuffled randomised response, n = 300", ("shuffle", "300"), "≤ 1.5 s, ≤ 100 MB", 1.5, 100),
    ("shuffled randomised response, n = 2,000", ("shuffle", "2000"), "≤ 75 s, ≤ 1 GB", 75, 1024),
    ("sparse vector, noise clamped at 40", ("sparse", "40"), "≤ 0.4 s", 0.4, 1024),
    ("sparse vector, noise clamped at 120", ("sparse", "120"), "≤ 1.5 s", 1.5, 1024),
    ("sparse vector, noise clamped at 300", ("sparse", "300"), "≤ 8 s", 8, 1024),
    ("tree counter, T = 8, noise clamped at 10", ("tree_counter",), "≤ 1.5 s", 1.5, 1024),
    ("histogram of 10 bins as one tuple", ("histogram",), "≤ 0.3 s", 0.3, 1024),
    ("Poisson-subsampled sum of 0 … 4, n = 100", ("poisson", "100"), "≤ 1.5 s", 1.5, 1024),
)
"""Case, function with its arguments, what must be reached."""


def programs(quick: bool) -> list[Row]:
    """From the text of a program to its chain."""
    rows = []
    for case, (name, *arguments), limit, seconds, megabytes in ROWS:
        if quick and arguments == ["2000"]:
            continue
        found = in_process(name, *arguments)
        within = found.seconds <= seconds and found.peak_mb <= megabytes
        size = f"{found.result['states']:,} states, {found.result['transitions']:,} transitions; the law is exact"
        rows.append(found.row(case, size, limit, within))
    return rows
