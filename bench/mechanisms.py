"""The mechanisms that testers of differential privacy are tried on: exact losses, verdicts, and what is published.

Published figures are quoted, not measured: they stand in the column of baselines without a time, since they come from
other machines and mostly answer another question (docs/examples.md says which rows can be compared).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import deltachain as dc
from bench.measure import ROOT, Row, Stopwatch, in_process

Result = dict[str, Any]
PROGRAMS = ROOT / "examples" / "mechanisms"
RIGHT = {1: True, 2: True, 3: False, 4: False, 5: False, 6: False}
"""SVT variant → whether it is private as published [Lyu, Su, Li 2017]."""

PURE = (
    ("survey", "3", ""),
    ("survey,p=4/5", "4", "dpCTL*: holds at ln 4, not at ln 3"),
    ("rappor,bits=6", "4750104241/3518743761", "DP-Sniper: ε ≥ 0.2930 in 131 s, 0.3008 in 455 s, at 90 %"),
    ("rappor,bits=6,f=19/20,p=0,q=1", "85766121/47045881", "DP-Sniper: ε ≥ 0.598 to 0.600"),
    ("rappor,bits=6,reports=2", "22164361129/12230590464", ""),
    ("geometric,m=5,ratio=8/9", "9/8", "DP-Sniper: ε ≥ 0.1156"),
    ("geometric-counter,steps=3", "8", ""),
    ("partial-sum", "2", "CheckDP: within 70 s, continuous noise"),
    ("histogram,moved=0", "2", "StatDP: a p-value at ε, continuous noise"),
    ("histogram", "4", "StatDP: a p-value at ε, continuous noise"),
    ("noisy-max,n=3", "116/47", "StatDP, CheckDP: accepted at e^ε = 4, continuous noise"),
    ("noisy-max,n=5,variant=2", "8", "StatDP, CheckDP: rejected, continuous noise"),
    ("noisy-max,n=3,variant=3", "377/62", ""),
)
"""Example, its least e^ε with δ = 0, what is published."""

CUT = (
    ("clamped-geometric,clamp=8", "2", "1/384", ""),
    ("smart-sum,clamp=8", "4", "767/147456", "CheckDP: within 70 s, continuous noise"),
)
"""Examples that no ε makes private, since their noise is cut off: e^ε, the least δ, what is published."""


def pure_loss(spec: str, wanted: str) -> Result:
    """The least e^ε at δ = 0, from the example on."""
    dc.epsilon(dc.examples.coin(p="1/3"), delta=0, check=False)  # imports
    with Stopwatch() as ours:
        found = dc.epsilon(dc.examples.build(spec), delta=0, check=False)
    return ours.found | {"right": found.exp_epsilon_proved == Fraction(wanted), "epsilon": _epsilon(Fraction(wanted))}


def cut_noise(spec: str, exp_epsilon: str, wanted: str) -> Result:
    """δ at e^ε, from the example on."""
    dc.delta(dc.examples.coin(p="1/3"), exp_epsilon=2, check=False)  # imports
    with Stopwatch() as ours:
        found = dc.delta(dc.examples.build(spec), exp_epsilon=exp_epsilon, check=False)
    return ours.found | {"right": found.exact and found.upper == Fraction(wanted)}


def _epsilon(exp_epsilon: Fraction) -> str:
    """Its logarithm, rounded up, as the command prints it."""
    from flint import arb

    return str(float((arb(exp_epsilon.numerator) / exp_epsilon.denominator).log().upper()))[:12]


def sparse_vector(variant: str, n: str, c: str, which: str) -> Result:
    """SVT on ``all`` pairs of answers in {0,1}^n, or on ``one`` pair, from the program's source to the verdict.

    A right variant is proved for every pair; of a wrong one pairs are tried, the most different first, until one is
    violated.
    """
    size, limit = int(n), int(c)
    dc.check(dc.examples.coin(p="1/3"), exp_epsilon=2, delta=0)  # imports
    with Stopwatch() as ours:
        program = dc.load_program(PROGRAMS / "sparse_vector.py", f"svt{variant}")
        vectors = list(product((0, 1), repeat=size)) if which == "all" else _pair(int(variant), size)
        chain = program.chain([{"answers": v} for v in vectors], constants={"c": limit}, max_states=1_000_000)
        private, tried = _verdict(chain, 2 ** (4 * limit), RIGHT[int(variant)])
    said = {"right": private is RIGHT[int(variant)], "tried": tried, "states": len(chain)}
    return ours.found | {"seconds": ours.cpu_seconds} | said


def _verdict(chain: dc.Chain, exp_epsilon: int, right: bool) -> tuple[bool, int]:
    """Whether all pairs are private, and how many were looked at."""
    pairs = chain.pairs
    if right:
        return bool(dc.check(chain, exp_epsilon=exp_epsilon, delta=0)), len(pairs)
    # A state's name is its vector: those that differ in most places come first.
    for number, (s, t) in enumerate(sorted(pairs, key=_agreement), 1):
        if dc.check(chain, s, t, exp_epsilon=exp_epsilon, delta=0).verdict == "violated":
            return False, number
    return True, len(pairs)


def _agreement(pair: tuple[str, str]) -> int:
    return sum(a == b for a, b in zip(*pair, strict=True))


def _pair(variant: int, n: int) -> list[tuple[int, ...]]:
    """Two opposite vectors: one answer against the others, or half against half where ``above`` has no limit."""
    zeros = n // 2 if variant >= 5 else n - 1
    first = (0,) * zeros + (1,) * (n - zeros)
    return [first, tuple(1 - answer for answer in first)]


def mechanisms(quick: bool) -> list[Row]:
    """Exact losses of the zoo's mechanisms, and the six sparse vectors."""
    rows = []
    for spec, exp_epsilon, published in PURE:
        found = in_process("pure_loss", spec, exp_epsilon)
        found.result["baseline"] = published
        rows.append(found.row(spec, f"e^ε = {exp_epsilon} exactly, ε = {found.result['epsilon']}…"))
    for spec, exp_epsilon, delta, published in CUT:
        found = in_process("cut_noise", spec, exp_epsilon, delta)
        found.result["baseline"] = published
        rows.append(found.row(spec, f"δ = {delta} exactly at e^ε = {exp_epsilon}, and no ε is enough for δ = 0"))
    # Three answers are too few for SVT 3 to exceed its claim at c = 2.
    for n, which, limit in ((3, "all", 20),) if quick else ((5, "all", 20), (25, "one", 0)):
        for c in (1,) if quick else (1, 2):
            rows += [_sparse(variant, n, c, which, limit) for variant in RIGHT]
    return rows


def _sparse(variant: int, n: int, c: int, which: str, limit: int) -> Row:
    found = in_process("sparse_vector", variant, n, c, which)
    pairs = f"{found.result['tried']} pair{'s' if found.result['tried'] > 1 else ''}"
    answer = f"{'proved for' if RIGHT[variant] else 'refuted, looking at'} {pairs}; {found.result['states']} states"
    asked = "all pairs of answers" if which == "all" else "one pair"
    if variant == 1:
        found.result["baseline"] = {
            5: "DiPApprox, all pairs: 75.8 s, continuous noise",
            25: "DiPApprox, one pair: 434.1 s, continuous noise",
        }.get(n, "")
    return found.row(
        f"SVT {variant}, n={n}, c={c}, {asked}", answer, f"≤ {limit} s" if limit else "", found.seconds <= limit
    )
