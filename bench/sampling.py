"""Estimates by sampling: width against time, coverage, and beside them a one-sided tester on the same words.

The tester is what StatDP and DP-Sniper do at their best: it is *given* the best event, a ratio of likelihoods above α,
draws half of the words from either state, and bounds the two probabilities by Clopper and Pearson. That bounds δ from
below.
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import deltachain as dc
from bench.measure import Measured, Row, Stopwatch, in_process
from bench.scale import first_pair

Result = dict[str, Any]
CONFIDENCE = "0.999"


def estimated(spec: str, alpha: str, gap: str, timeout: str) -> Result:
    """An estimate to a width, imports aside; beside it the tester with as many words."""
    dc.estimate(dc.examples.build("random,n=12,labels=2,degree=3,seed=1"), 0, 1, exp_epsilon=alpha, max_nodes=20)
    chain = dc.examples.build(spec)
    pair = first_pair(chain) if spec.startswith("random") else chain.relation[0]
    started = time.process_time()
    limits: dict[str, Any] = {} if gap == "none" else {"gap": gap}
    with Stopwatch() as ours:
        found = dc.estimate(chain, *pair, exp_epsilon=alpha, confidence=CONFIDENCE, timeout=float(timeout), **limits)
    cpu = time.process_time() - started
    (result,) = found.results
    tester = one_sided(chain, pair, alpha, max(result.samples, 2), result.horizon or 8)
    return ours.found | {
        "right": found.proved_lower <= found.lower <= found.upper <= found.proved_upper and tester <= found.upper,
        "cpu": cpu,
        "lower": float(found.lower),
        "upper": float(found.upper),
        "width": float(found.upper - found.lower),
        "proved": [float(found.proved_lower), float(found.proved_upper)],
        "words": result.samples,
        "tester": tester,
    }


def one_sided(chain: dc.Chain, pair: tuple[int, int], alpha: str, words: int, horizon: int) -> float:
    """The tester's lower bound for δ, the better of both directions, at the same confidence."""
    import numpy as np
    from scipy.stats import beta

    from deltachain.beliefs.workspace import Workspace
    from deltachain.measures.estimate.drawn_words import draw, pair_at_scales, steps_of
    from deltachain.numbers.fraction import ExpEpsilon

    work = Workspace(chain, [pair])
    merged = work.merge(pair)
    tables, order = work.tables
    place = {state: i for i, state in enumerate(order)}
    steps = steps_of(work.quotient.chain, tables, order)
    ratio, each = float(Fraction(alpha)), max(words // 4, 1)
    error = float(1 - Fraction(CONFIDENCE)) / 4  # two directions, two probabilities
    best = 0.0
    for which, (s, t) in enumerate((merged, merged[::-1])):
        hits = []
        for side, (first, second, scale) in enumerate(((s, t, ratio), (t, s, 1 / ratio))):
            question = pair_at_scales(tables, place[first], place[second], [ExpEpsilon.exactly(Fraction(1))])
            stream = np.random.default_rng((which, side))
            scales = np.array([[scale, scale]])
            told = draw(steps, question.strata, stream, each, horizon, -1.0, scales).below[:, 0] > 0
            hits.append(int(told.sum()) if side == 0 else int((~told).sum()))
        low = beta.ppf(error, hits[0], each - hits[0] + 1) if hits[0] else 0.0
        high = beta.ppf(1 - error, hits[1] + 1, each - hits[1]) if hits[1] < each else 1.0
        best = max(best, float(low - ratio * high))
    return best


def covered(runs: str) -> Result:
    """How often an interval at confidence 0.9 misses, on chains whose δ is known."""
    from deltachain.numbers.fraction import ExpEpsilon
    from tests.unit.measures.estimate.test_find import KNOWN, barely_searched, missed

    misses = total = 0
    with Stopwatch() as ours:
        for chain, alpha in KNOWN.values():
            truth = dc.delta(chain, pairs=chain.relation[:1], exp_epsilon=alpha, check=False).lower
            answer = barely_searched(chain, ExpEpsilon.exactly(alpha), 1)
            for seed in range(int(runs)):
                misses += missed(answer, truth, 150, seed)[0]
                total += 1
    return ours.found | {"right": misses <= 0.1 * total, "misses": misses, "total": total}


def sampling(quick: bool) -> list[Row]:
    """The table."""
    rows = [
        _narrow("random,n=400,labels=3,degree=4,seed=0", "0.003", 20),
        _narrow("random,n=100,labels=3,degree=4,seed=0", "0.001", 20),
        _narrow("sticky-sensor", "none", 20),
    ]
    if not quick:
        rows.insert(1, _narrow("random,n=400,labels=3,degree=4,seed=0", "none", 60))
        rows.append(_narrow("random,n=100000,labels=2,degree=4,seed=0", "0.15", 120, 4096))
    found = in_process("covered", 200 if quick else 1000)
    said = f"{found.result['misses']} of {found.result['total']} runs miss δ"
    return [*rows, found.row("coverage at confidence 0.9, four chains of known δ", said, "at most 10 %")]


def _narrow(spec: str, gap: str, seconds: int, memory: int = 2048) -> Row:
    found = in_process("estimated", spec, "11/10", gap, 10 * seconds)
    wanted = 1.0 if gap == "none" else float(gap)
    good = found.result["width"] <= wanted and found.result["cpu"] <= 2 * seconds and found.peak_mb <= memory
    limit = "" if gap == "none" else f"width ≤ {gap} in {seconds} s on 2 cores, ≤ {memory / 1024:.0f} GB"
    return found.row(f"{spec}, α=11/10, confidence {CONFIDENCE}", _said(found), limit, good, cpu=found.result["cpu"])


def _said(found: Measured) -> str:
    result = found.result
    return (
        f"[{result['lower']:.6g}, {result['upper']:.6g}], width {result['width']:.2g}, {result['words']:,} words, "
        f"{result['cpu']:.3g} s of CPU; proved [{result['proved'][0]:.6g}, {result['proved'][1]:.6g}]; "
        f"one-sided tester, same words: δ ≥ {result['tester']:.4g}"
    )
