"""Mechanisms as people run them: real noise from the program to δ, checked by formulas and sums of their own.

The formulas do not use the compiler, nor its numbers: Python's decimals with 120 digits, sums over 4,000 outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import deltachain as dc
from bench.measure import Row, Stopwatch, in_process

Result = dict[str, Any]

DIGITS = 120
FURTHEST = 2_000
SLACK = Decimal("1e-60")
"""How far a sum in decimals may be from the truth: outcomes that are left out, and rounding."""

LAPLACE = "def laplace(count):\n    announce(count + discrete_laplace(10))\n"
GAUSSIAN = "def gaussian(count):\n    announce(count + discrete_gaussian(2))\n"
RESPONSE = """
def response(answer, rounds=1):
    for _ in range(rounds):
        announce(randomised_response(answer, range(4), epsilon=1))
"""
SPARSE = """
def sparse(answers, epsilon="1/2"):
    bar = discrete_laplace(2 / Fraction(epsilon))
    for answer in answers:
        if answer + discrete_laplace(4 / Fraction(epsilon)) >= bar:
            announce("above")
            return
        announce("below")
"""
COUNTER = """
def counter(events, levels):
    for t in range(1, len(events) + 1):
        size = 1
        while t % (size * 2) == 0:
            size = size * 2
        announce(sum(events[t - size:t]) + discrete_laplace(levels, tail="1e-12"))
"""
CLAMPED = """
def clamped(count, rounds=8):
    for _ in range(rounds):
        announce(count + geometric(exp("-1/10"), -count, 20 - count))
"""
EXPONENTIAL = """
def exponential(scores):
    announce(choose(range(len(scores)), weights=tuple(exp(score / 4) for score in scores)))
"""
ONE_HOT = """
def one_hot(value):
    announce(tuple((i == value) != flip(1 / (1 + exp("1/2"))) for i in range(8)))
"""
ATTRIBUTION = """
def attribution(old, all_charged):
    first = (1, 0) if old else (0, 1)
    for value in first if all_charged else first + (old,):
        announce(value + discrete_laplace(2))
"""


def _power(value: Fraction | int) -> Decimal:
    exact = Fraction(value)
    return (Decimal(exact.numerator) / Decimal(exact.denominator)).exp()


def _shortfall(one: dict[Any, Decimal], other: dict[Any, Decimal], epsilon: Fraction) -> Decimal:
    """The larger of both directions of Σ (p − e^ε·q)^+."""
    alpha = _power(epsilon)
    ways = ((one, other), (other, one))
    return max(sum((max(p - alpha * b[x], Decimal(0)) for x, p in a.items()), Decimal(0)) for a, b in ways)


def _laplace(scale: Fraction | int, shift: int = 0) -> dict[int, Decimal]:
    q = _power(Fraction(-1) / scale)
    return {z + shift: (1 - q) / (1 + q) * q ** abs(z) for z in range(-FURTHEST - shift, FURTHEST + 1 - shift)}


def _gaussian(shift: int) -> dict[int, Decimal]:
    weights = {z + shift: (-Decimal(z * z) / 8).exp() for z in range(-200 - shift, 201 - shift)}
    whole = sum(weights.values())
    return {x: w / whole for x, w in weights.items()}


def _response(answer: int) -> dict[int, Decimal]:
    e = _power(1)
    return {x: (e if x == answer else Decimal(1)) / (e + 3) for x in range(4)}


def _repeated(one: dict[Any, Decimal], other: dict[Any, Decimal], rounds: int, epsilon: Fraction) -> Decimal:
    """K rounds, when every outcome has one of a few ratios: sums over how often each occurs."""
    ratios: dict[Decimal, list[Decimal]] = {}
    for x, p in one.items():
        key = round((p / other[x]).ln(), 60)
        masses = ratios.setdefault(key, [Decimal(0), Decimal(0)])
        masses[0] += p
        masses[1] += other[x]
    law: dict[Decimal, tuple[Decimal, Decimal]] = {Decimal(0): (Decimal(1), Decimal(1))}
    for _ in range(rounds):
        following: dict[Decimal, tuple[Decimal, Decimal]] = {}
        for loss, (p, q) in law.items():
            for more, (a, b) in ratios.items():
                before = following.get(round(loss + more, 55), (Decimal(0), Decimal(0)))
                following[round(loss + more, 55)] = before[0] + p * a, before[1] + q * b
        law = following
    return _shortfall({x: p for x, (p, _) in law.items()}, {x: q for x, (_, q) in law.items()}, epsilon)


def _sparse(answers: tuple[int, ...]) -> dict[int, Decimal]:
    q = _power(Fraction(-1, 8))

    def at_least(x: int) -> Decimal:
        return q**x / (1 + q) if x > 0 else 1 - q ** (1 - x) / (1 + q)

    law = dict.fromkeys(range(len(answers) + 1), Decimal(0))
    for bar, alive in _laplace(4).items():
        left = alive
        for i, answer in enumerate(answers):
            up = at_least(bar - answer) if abs(bar) < 1500 else Decimal(int(bar < 0))
            law[i] += left * up
            left *= 1 - up
        law[len(answers)] += left
    return law


def _shifts(number: int, scale: int, epsilon: Fraction) -> Decimal:
    """Laplace noise on so many counts, each of which differs by one."""
    q, alpha = _power(Fraction(-1, scale)), _power(epsilon)
    up, down = 1 / (1 + q), q / (1 + q)
    ways = ((comb(number, k), up**k * down ** (number - k), down**k * up ** (number - k)) for k in range(number + 1))
    return sum((n * max(p - alpha * other, Decimal(0)) for n, p, other in ways), Decimal(0))


def _clamped(count: int) -> dict[int, Decimal]:
    law: dict[int, Decimal] = dict.fromkeys(range(21), Decimal(0))
    for x, p in _laplace(10, count).items():
        law[min(max(x, 0), 20)] += p
    return law


def _exponential(scores: tuple[int, ...]) -> dict[int, Decimal]:
    weights = [_power(Fraction(score, 4)) for score in scores]
    return {i: w / sum(weights) for i, w in enumerate(weights)}


def _one_hot(value: int) -> dict[tuple[bool, ...], Decimal]:
    flipped = 1 / (1 + _power(Fraction(1, 2)))
    law = {}
    for bits in range(256):
        shown = tuple(bool(bits >> i & 1) for i in range(8))
        p = Decimal(1)
        for i, bit in enumerate(shown):
            p *= 1 - flipped if bit == (i == value) else flipped
        law[shown] = p
    return law


COUNTS = [{"count": 0}, {"count": 1}]
BITS = (0, 0, 0, 0, 1)
SCORES = ((3, 1, 4, 1, 5, 9, 2, 6, 5, 3), (2, 2, 3, 2, 4, 8, 3, 5, 4, 4))

Case = tuple[str, list[dict[str, Any]], dict[str, Any], Callable[[Fraction], Decimal]]

CASES: dict[str, Case] = {
    "laplace": (LAPLACE, COUNTS, {}, lambda e: _shortfall(_laplace(10), _laplace(10, 1), e)),
    "gaussian": (GAUSSIAN, COUNTS, {}, lambda e: _shortfall(_gaussian(0), _gaussian(1), e)),
    "sparse": (
        SPARSE,
        [{"answers": BITS}, {"answers": tuple(1 - bit for bit in BITS)}],
        {},
        lambda e: _shortfall(_sparse(BITS), _sparse(tuple(1 - bit for bit in BITS)), e),
    ),
    "counter 4": (
        COUNTER,
        [{"events": (0,) * 4}, {"events": (1, 0, 0, 0)}],
        {"levels": 3},
        lambda e: _shifts(3, 3, e),
    ),
    "counter 8": (
        COUNTER,
        [{"events": (0,) * 8}, {"events": (1, *(0,) * 7)}],
        {"levels": 4},
        lambda e: _shifts(4, 4, e),
    ),
    "response": (RESPONSE, [{"answer": 0}, {"answer": 1}], {}, lambda e: _shortfall(_response(0), _response(1), e)),
    "response 20": (
        RESPONSE,
        [{"answer": 0}, {"answer": 1}],
        {"rounds": 20},
        lambda e: _repeated(_response(0), _response(1), 20, e),
    ),
    "clamped": (
        CLAMPED,
        [{"count": 3}, {"count": 4}],
        {},
        lambda e: _repeated(_clamped(3), _clamped(4), 8, e),
    ),
    "exponential": (
        EXPONENTIAL,
        [{"scores": scores} for scores in SCORES],
        {},
        lambda e: _shortfall(_exponential(SCORES[0]), _exponential(SCORES[1]), e),
    ),
    "one-hot": (ONE_HOT, [{"value": 0}, {"value": 3}], {}, lambda e: _shortfall(_one_hot(0), _one_hot(3), e)),
    "all charged": (ATTRIBUTION, [{"old": 0}, {"old": 1}], {"all_charged": True}, lambda e: _shifts(2, 2, e)),
    "one charged": (ATTRIBUTION, [{"old": 0}, {"old": 1}], {"all_charged": False}, lambda e: _shifts(3, 2, e)),
}


def real_noise(which: str, epsilon: str) -> Result:
    """δ of a mechanism with real noise: from its text to the answer."""
    text, secrets, constants, truth = CASES[which]
    dc.delta(dc.program("def coin(x): announce(flip('1/2') == x)").chain([{"x": True}, {"x": False}]), epsilon=1)
    with Stopwatch() as ours:
        chain = dc.program(text).chain(secrets, constants=constants)
        found = dc.delta(chain, epsilon=epsilon, check=False)
    with localcontext() as context:
        context.prec = DIGITS
        expected = truth(Fraction(epsilon))
        low, high = (Decimal(end.numerator) / Decimal(end.denominator) for end in (found.lower, found.upper))
        right = low <= expected + SLACK and expected - SLACK <= high
        width, upper = float(high - low), float(high)
    said = {"right": right, "width": width, "upper": upper, "exact": found.exact, "states": len(chain)}
    return ours.found | {"seconds": ours.cpu_seconds} | said


ROWS: tuple[tuple[str, str, str, float, float], ...] = (
    ("discrete Laplace, scale 10, counts 0 and 1", "laplace", "0", 1e-28, 1),
    ("discrete Laplace, scale 10, counts 0 and 1", "laplace", "1/20", 1e-28, 1),
    ("discrete Laplace, scale 10, counts 0 and 1", "laplace", "1/10", 0, 1),
    ("discrete Gaussian, σ = 2", "gaussian", "1/2", 1e-30, 1),
    ("discrete Gaussian, σ = 2", "gaussian", "1", 1e-30, 1),
    ("sparse vector, c = 1, unbounded", "sparse", "0", 1e-28, 10),
    ("sparse vector, c = 1, unbounded", "sparse", "1/4", 1e-28, 10),
    ("sparse vector, c = 1, unbounded", "sparse", "1/2", 0, 10),
    ("tree counter, T = 4", "counter 4", "1/2", 1e-10, 10),
    ("tree counter, T = 8", "counter 8", "1/2", 1e-10, 10),
    ("4-RR, ε = 1", "response", "1/2", 1e-28, 1),
    ("4-RR, ε = 1", "response", "1", 0, 1),
    ("4-RR, 20 rounds", "response 20", "20", 0, 1),
    ("4-RR, 20 rounds", "response 20", "10", 1e-28, 1),
    ("clamped geometric on 0…20, 8 rounds", "clamped", "8/10", 0, 10),
    ("clamped geometric on 0…20, 8 rounds", "clamped", "7/10", 1e-28, 10),
    ("exponential mechanism, 10 candidates", "exponential", "1/2", 0, 1),
    ("8 bits, one-hot", "one-hot", "1", 0, 1),
    ("attribution, scale 2, all epochs charged", "all charged", "1", 0, 1),
    ("attribution, scale 2, one epoch charged", "one charged", "1", 1e-28, 1),
)
"""Case, its mechanism, ε, the greatest width of the answer, the most seconds; width 0 stands for an exact answer."""


def kept_noise(which: str, size: str) -> Result:
    """A mechanism that keeps noise, from its program to the verdict at its own ε with δ = 0."""
    from tests.reference import kept_programs

    n = int(size)
    ones = (0,) * (n - 1) + (1,)
    program, vectors, constants, epsilon = {
        "first above": (kept_programs.first_above, [ones], {}, Fraction(1, 2)),
        "noisy max": (kept_programs.noisy_max, [ones[::-1]], {"power": 2, "real": True}, Fraction(1, 2)),
        "SVT 1": (kept_programs.svt, None, {"c": 2, "bar_power": 4, "real": True}, Fraction(1)),
        "SVT 2": (kept_programs.svt, None, {"c": 2, "anew": True, "real": True}, Fraction(1)),
        "server": (kept_programs.server, None, {"w": n}, Fraction("1.902415131")),
    }[which]
    opposite = [tuple(1 - answer for answer in vector) for vector in vectors or ()]
    answers = [*vectors, *opposite] if vectors else list(product((0, 1), repeat=n))
    secrets = [{"join": joins} for joins in (0, 1)] if which == "server" else [{"answers": a} for a in answers]
    with Stopwatch() as ours:
        chain = program.chain(secrets, constants=constants)
        found = dc.check(chain, epsilon=epsilon, delta=0)
    said = {"right": found.verdict == "private" and found.upper == 0, "states": len(chain), "pairs": len(found.results)}
    return ours.found | {"seconds": ours.cpu_seconds} | said


KEPT: tuple[tuple[str, str, int, float], ...] = (
    ("above threshold, 10 answers, ε = 1/2", "first above", 10, 0.5),
    ("above threshold, 20 answers, ε = 1/2", "first above", 20, 5),
    ("above threshold, 30 answers, ε = 1/2", "first above", 30, 40),
    ("noisy max, 10 answers, ε = 1/2", "noisy max", 10, 0.5),
    ("noisy max, 20 answers, ε = 1/2", "noisy max", 20, 10),
    ("SVT 1, c = 2, all pairs of 3 answers, ε = 1", "SVT 1", 3, 2.5),
    ("SVT 2, c = 2, all pairs of 3 answers, ε = 1", "SVT 2", 3, 2.5),
    ("k-anonymity server, w = 8, at its least ε", "server", 8, 10),
)
"""Case, its mechanism, its size, and the most seconds."""


def noise(quick: bool) -> list[Row]:
    """Real noise, from the program to δ."""
    rows = []
    for case, kind, size, seconds in KEPT[::5] if quick else KEPT:
        found = in_process("kept_noise", kind, size)
        said = found.result
        pairs = f"{said['pairs']} pair{'s' if said['pairs'] > 1 else ''}"
        answer = f"{'δ = 0, proved' if said['right'] else 'WRONG'}, {pairs}, {said['states']} states"
        rows.append(found.row(case, answer, f"δ = 0, {seconds:g} s", said["right"] and said["seconds"] <= seconds))
    for case, which, epsilon, width, seconds in ROWS[::4] if quick else ROWS:
        found = in_process("real_noise", which, epsilon)
        said = found.result
        wide = said["upper"] == 0 if width == 0 else said["width"] <= width
        limit = f"{'δ = 0, exact' if width == 0 else f'width ≤ {width:g}'}, {seconds:g} s"
        answer = f"{said['upper']:.12g}, {'exact' if said['exact'] else 'width ' + format(said['width'], '.1g')}"
        rows.append(found.row(f"{case}, at {epsilon}", answer, limit, wide and said["seconds"] <= seconds))
    return rows
