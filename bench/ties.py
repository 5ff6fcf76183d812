"""Real noise asked at its own ε: exact ties over functions of e^(1/k), against direct sums to fifty digits.

The baseline of the cost is the same chain with a rational ratio near e.
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

ANSWERS = """
def answers(value, rounds):
    for _ in range(rounds):
        announce(randomised_response(value, (0, 1, 2, 3), epsilon=1))
"""
RATIONAL = """
def answers(value, rounds):
    for _ in range(rounds):
        announce(value if flip("19/40") else uniform(0, 3))
"""
LAPLACE = """
def release(count):
    announce(count + discrete_laplace(10))
"""
CLAMPED = """
def clamped(count, rounds):
    for _ in range(rounds):
        announce(min(max(count + discrete_laplace(10), 0), 20))
"""
CANDIDATES = """
def pick(a, b, c, d, e):
    announce(choose((0, 1, 2, 3, 4, 5, 6, 7, 8, 9), weights={
        0: exp(a / 4), 1: exp(b / 4), 2: exp(c / 4), 3: exp(d / 4), 4: exp(e / 4),
        5: exp((1 - a) / 4), 6: exp((1 - b) / 4), 7: exp((1 - c) / 4), 8: exp((1 - d) / 4), 9: exp((1 - e) / 4)}))
"""
BITS = """
def report(item):
    for i in range(8):
        bit = 1 if i == item else 0
        announce(bit if flip(exp("1/2") / (1 + exp("1/2"))) else 1 - bit)
"""


def tie(which: str, epsilon: str, rounds: str = "0") -> Result:
    """δ at ε, from the program's text on; right if it contains the direct sum, exactly 0 where that is 0."""
    text, secrets, truth = PROGRAMS[which]
    constants = {"rounds": int(rounds)} if int(rounds) else {}
    dc.delta(dc.program(LAPLACE).chain([{"count": 0}, {"count": 1}]), epsilon=1, check=False)  # imports
    with Stopwatch() as ours:
        chain = dc.program(text).chain(secrets, constants=constants)
        found = dc.delta(chain, chain.states[0], chain.states[1], epsilon=epsilon, check=False)
    wanted = truth(Fraction(epsilon), int(rounds))
    with localcontext(prec=60):
        ends = [Decimal(end.numerator) / Decimal(end.denominator) for end in (found.lower, found.upper)]
        right = found.exact and found.upper == 0 if wanted == 0 else ends[0] - TINY <= wanted <= ends[1] + TINY
    return ours.found | {"right": right, "lower": float(found.lower), "exact": found.exact}


TINY = Decimal("1e-40")


def rational(rounds: str) -> Result:
    """The same as `tie` of answers, with rational probabilities."""
    dc.program(LAPLACE).chain([{"count": 0}, {"count": 1}])
    with Stopwatch() as ours:
        chain = dc.program(RATIONAL).chain([{"value": 0}, {"value": 1}], constants={"rounds": int(rounds)})
        found = dc.delta(chain, chain.states[0], chain.states[1], epsilon=rounds, check=False)
    return ours.found | {"right": found.exact or found.upper - found.lower < Fraction(1, 10**15)}


def least(which: str) -> Result:
    """The least ε with δ = 0."""
    text, secrets, _ = PROGRAMS[which]
    with Stopwatch() as ours:
        chain = dc.program(text).chain(secrets)
        found = dc.epsilon(chain, chain.states[0], chain.states[1], delta=0, check=False)
    return ours.found | {"right": found.least == Fraction(1, 10), "least": str(found.least)}


def _answers(epsilon: Fraction, rounds: int) -> Decimal:
    """Σ over the numbers of reports "0" and "1" of the positive part of the difference."""
    if epsilon >= rounds:
        return Decimal(0)
    with localcontext(prec=60):
        e, alpha = Decimal(1).exp(), (Decimal(epsilon.numerator) / epsilon.denominator).exp()
        total = Decimal(0)
        for a, b in product(range(rounds + 1), repeat=2):
            if a + b <= rounds:
                ways = comb(rounds, a) * comb(rounds - a, b) * 2 ** (rounds - a - b)
                total += ways * max(e**a - alpha * e**b, Decimal(0))
        return total / (e + 3) ** rounds


def _laplace(epsilon: Fraction, _rounds: int) -> Decimal:
    with localcontext(prec=60):
        ratio, alpha = Decimal("-0.1").exp(), (Decimal(epsilon.numerator) / epsilon.denominator).exp()
        return max((1 - alpha * ratio) / (1 + ratio), Decimal(0)) if epsilon < Fraction(1, 10) else Decimal(0)


def _clamped(epsilon: Fraction, rounds: int) -> Decimal:
    """One step of the count shifts the odds of each report by e^(±1/10): reports at most 3, and the others."""
    if epsilon >= Fraction(rounds, 10):
        return Decimal(0)
    with localcontext(prec=60):
        ratio, alpha = Decimal("-0.1").exp(), (Decimal(epsilon.numerator) / epsilon.denominator).exp()
        more, less = 1 / (1 + ratio), ratio / (1 + ratio)  # P(report ≤ 3) from 3 and from 4
        total = Decimal(0)
        for k in range(rounds + 1):
            x, y = more**k * less ** (rounds - k), less**k * more ** (rounds - k)
            total += comb(rounds, k) * max(x - alpha * y, Decimal(0))
        return total


def _nothing(_epsilon: Fraction, _rounds: int) -> Decimal:
    return Decimal(0)


TWO = [{"count": 0}, {"count": 1}]
PROGRAMS: dict[str, tuple[str, list[dict[str, object]], Callable[[Fraction, int], Decimal]]] = {
    "answers": (ANSWERS, [{"value": 0}, {"value": 1}], _answers),
    "laplace": (LAPLACE, [{"count": 0}, {"count": 1}], _laplace),
    "clamped": (CLAMPED, [{"count": 3}, {"count": 4}], _clamped),
    "candidates": (CANDIDATES, [dict.fromkeys("abcde", 0), dict.fromkeys("abcde", 1)], _nothing),
    "bits": (BITS, [{"item": 0}, {"item": 1}], _nothing),
}

ROWS = (
    ("4-ary randomised response, ε = 1, at 1", ("answers", "1", "1"), 0.3),
    ("the same, 5 rounds at 5", ("answers", "5", "5"), 0.3),
    ("the same, 20 rounds at 20", ("answers", "20", "20"), 0.3),
    ("the same, 20 rounds at 10", ("answers", "10", "20"), 0.5),
    ("discrete Laplace, scale 10, at 1/10", ("laplace", "1/10"), 0.3),
    ("the same at 1/10 − 10^-9", ("laplace", "99999999/1000000000"), 0.3),
    ("noise clamped to 0 … 20, 8 rounds at 8/10", ("clamped", "4/5", "8"), 5.0),
    ("the same at 7/10", ("clamped", "7/10", "8"), 5.0),
    ("exponential mechanism, 10 candidates, at 1/2", ("candidates", "1/2"), 0.3),
    ("eight bits, each flipped with 1/(1 + e^(1/2)), at 1", ("bits", "1"), 0.3),
)
"""Case, what is asked, CPU seconds at most."""


def ties(quick: bool) -> list[Row]:
    """From a program's text to an exact answer."""
    rows = []
    for case, arguments, seconds in ROWS[:2] if quick else ROWS:
        found = in_process("tie", *arguments)
        answer = "δ = 0, exactly" if found.result["lower"] == 0 else f"{found.result['lower']:.12f}"
        rows.append(found.row(case, answer, f"≤ {seconds} s", found.result["cpu_seconds"] <= seconds))
    pure = in_process("least", "laplace")
    rows.append(pure.row("discrete Laplace, the least ε at δ = 0", f"ε = {pure.result['least']}", "exactly 1/10"))
    if not quick:
        ours, theirs = in_process("tie", "answers", "20", "20"), in_process("rational", "20")
        ratio = ours.result["cpu_seconds"] / theirs.result["cpu_seconds"]
        rows.append(ours.row("20 rounds, against a rational ratio", f"{ratio:.1f} times as long", "≤ 5", ratio <= 5))
    return rows
