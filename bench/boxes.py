"""Rows known from counts: bounds over all chains inside, with counts drawn from fixed seeds.

Each answer must hold δ of the chain that the counts were drawn from (which is inside its boxes at these seeds), and lie
within the bounds that are asked for.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import deltachain as dc
from bench.measure import Row, Stopwatch, in_process

Result = dict[str, Any]


def counted(chain: dc.Chain, steps: int, seed: int = 1) -> dc.Chain:
    """The chain as it is known from so many steps of each row, at 99 %, totals fixed, no other targets possible."""
    random = np.random.default_rng(seed)
    names = chain.states
    counts, known = {}, {}
    for state, row in enumerate(chain.rows):
        if len(row) == 1:
            known[names[state]] = {names[row[0][0]]: 1}
            continue
        seen = random.multinomial(steps, [float(p) for _, p in row]).tolist()
        counts[names[state]] = {names[j]: n for (j, _), n in zip(row, seen, strict=True)}
    labels = dict(zip(names, chain.labels, strict=True))
    none = dict.fromkeys(counts, 0)
    return dc.Chain.from_counts(
        counts, labels, confidence="0.99", totals="fixed", rows=known, rest=none, relation=chain.pairs
    )


def drifting_survey() -> dc.Chain:
    """Five kinds of respondents that answer yes or no for ever, each with its own bias, and drift slowly."""
    bias = [Fraction(k, 10) for k in (3, 4, 5, 6, 7)]
    rows: dict[str, dict[str, Fraction]] = {}
    labels = {}
    for i in range(5):
        near = [j for j in (i - 1, i + 1) if 0 <= j < 5]
        for letter in ("yes", "no"):
            rows[f"{i}.{letter}"] = _shown(bias, i, Fraction(8, 10))
            for j in near:
                rows[f"{i}.{letter}"] |= _shown(bias, j, Fraction(2, 10) / len(near))
            labels[f"{i}.{letter}"] = letter
    for name, i in (("s", 1), ("t", 3)):
        rows[name], labels[name] = _shown(bias, i, Fraction(1)), "start"
    return dc.Chain.from_dicts(rows, labels, relation=[("s", "t")])


def _shown(bias: list[Fraction], i: int, weight: Fraction) -> dict[str, Fraction]:
    return {f"{i}.yes": bias[i] * weight, f"{i}.no": (1 - bias[i]) * weight}


CHAINS = {
    "survey": lambda: dc.examples.survey(5, "5/8"),
    "sensor": dc.examples.sticky_sensor,
    "drifting": drifting_survey,
}


def learned(which: str, steps: str, exp_epsilon: str) -> Result:
    """δ over all chains that so many counts leave possible."""
    chain = CHAINS[which]()
    boxes = counted(chain, int(steps))
    with Stopwatch() as ours:
        found = dc.delta(boxes, exp_epsilon=exp_epsilon, check=False)
    truth = dc.delta(chain, exp_epsilon=exp_epsilon, gap="1e-3", check=False)
    right = found.lower <= truth.upper and truth.lower <= found.upper
    return ours.found | {"right": right, "lower": float(found.lower), "upper": float(found.upper)}


ROWS = (
    ("survey, 5 rounds, e^ε = 4, 10^4 steps per row", ("survey", "10000", "4"), "within [0.030, 0.212]", 0.030, 0.212),
    ("survey, 5 rounds, e^ε = 4, 10^6", ("survey", "1000000", "4"), "within [0.0970, 0.1135]", 0.097, 0.1135),
    ("sticky sensor, e^ε = 1.1, 10^4", ("sensor", "10000", "11/10"), "upper ≤ 0.21", 0.0, 0.21),
    ("drifting survey, e^ε = 1.1, 10^4", ("drifting", "10000", "11/10"), "not wider than 0.529", -1.0, 0.529),
)
"""Case, chain with its counts and e^ε, what must be reached; a lower end of −1 stands for a width."""


def boxes(quick: bool) -> list[Row]:
    """Bounds over all chains that counts leave possible."""
    rows = []
    for case, arguments, limit, low, high in ROWS[:1] if quick else ROWS:
        found = in_process("learned", *arguments)
        lower, upper = found.result["lower"], found.result["upper"]
        within = upper - lower <= high if low < 0 else low <= lower and upper <= high
        rows.append(found.row(case, f"[{lower:.4f}, {upper:.4f}]", limit, within))
    return rows
