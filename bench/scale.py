"""δ at scale: signed beliefs against a best-first float script, and against release 0.1 where that was measured.

Each case runs in a process of its own (``python -m bench.cases measured …``), loads its kernels on small chains first,
and lets the float script search both directions for the time that ours took.
"""

from __future__ import annotations

import heapq
import json
import time
from fractions import Fraction
from typing import Any

import deltachain as dc
from bench.measure import RESULTS, Stopwatch
from deltachain import Chain
from deltachain.beliefs.intervals import Prepared, Search
from deltachain.rational import ExpEpsilon
from deltachain.watch import Watch

RELEASE = RESULTS / "release-0.1.json"
"""What release 0.1 reached in 60 s, measured on the machine of the time."""


def first_pair(chain: Chain) -> tuple[int, int]:
    """The first two states that share a label."""
    seen: dict[str, int] = {}
    for state, label in enumerate(chain.labels):
        if label in seen:
            return seen[label], state
        seen[label] = state
    raise ValueError("no two states share a label")


def float_script(chain: Chain, pair: tuple[int, int], alpha: float, seconds: float) -> tuple[float, float, int]:
    """Best-first unrolling in floats, both directions in turn: the interval after ``seconds``, proved by nothing."""
    import numpy as np

    matrix, labels = chain.to_scipy()
    names = sorted(set(labels))
    of = np.array([names.index(label) for label in labels])
    states = [np.flatnonzero(of == k) for k in range(len(names))]
    steps = [[matrix[i][:, j].T.tocsr() for j in states] for i in states]
    place = {int(s): p for group in states for p, s in enumerate(group)}
    searches = []
    for s, t in (pair, pair[::-1]):
        root = np.zeros(len(states[of[s]]))
        root[place[s]] += 1.0
        root[place[t]] -= alpha
        searches.append([[(-1.0, 0, int(of[s]), root)], 0.0, 1.0])
    started, count = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        search = searches[count % 2]
        heap, lower, upper = search
        if not heap:
            break
        _, _, k, w = heapq.heappop(heap)
        lower, upper = lower - max(w.sum(), 0.0), upper - np.maximum(w, 0.0).sum()
        for j in range(len(names)):
            v = steps[k][j] @ w
            low, high = max(v.sum(), 0.0), np.maximum(v, 0.0).sum()
            lower, upper = lower + low, upper + high
            if high - low > 1e-14:
                heapq.heappush(heap, (low - high, len(heap) + count * 10, j, v))
        search[1], search[2] = lower, upper
        count += 1
    return max(s[1] for s in searches), max(s[2] for s in searches), count


def bounded(chain: Chain, pair: tuple[int, int], alpha: Fraction, **limits: Any) -> tuple[Any, Stopwatch]:
    """The answer at α within the limits, and what it took, kernels loaded."""
    timeout = limits.pop("timeout", None)
    with Stopwatch() as ours:
        ready = Prepared(chain, [pair])
        answer = ready.bound(ExpEpsilon.exactly(alpha), Search(watch=Watch(timeout), **limits))
    return answer.pairs[0], ours


def warm_up() -> None:
    """Load every kernel."""
    for spec in ("random,n=12,labels=2,degree=3,seed=1", "sticky-sensor", "survey,rounds=200,p=11/20"):
        chain = dc.examples.build(spec)
        bounded(
            chain,
            first_pair(chain) if spec.startswith("random") else chain.relation[0],
            Fraction(11, 10),
            max_nodes=20_000,
        )


def measured(spec: str, alpha: str, gap: str, timeout: str, baseline: str = "no") -> dict[str, Any]:
    """One case: seconds to the width ``gap`` (or the width at the timeout), beside the float script in that time."""
    warm_up()
    chain = dc.examples.build(spec)
    pair = first_pair(chain) if spec.startswith("random") else chain.relation[0]
    found, ours = bounded(chain, pair, Fraction(alpha), gap=Fraction(gap), timeout=float(timeout))
    width = float(found.interval.upper - found.interval.lower)
    result = ours.found | {
        "right": found.interval.lower <= found.interval.upper,
        "lower": float(found.interval.lower),
        "upper": float(found.interval.upper),
        "width": width,
        "nodes": found.nodes,
        "exact": found.interval.lower == found.interval.upper,
    }
    if baseline == "float":
        lower, upper, expanded = float_script(chain, pair, float(Fraction(alpha)), max(ours.seconds, 0.05))
        result |= {"float_width": float(upper - lower), "float_expanded": expanded}
        # Both contain δ, the script up to rounding: they must overlap.
        result["right"] = bool(result["right"] and lower <= result["upper"] + 1e-9 and result["lower"] <= upper + 1e-9)
    return result


def release_width(spec: str) -> float:
    """The width that release 0.1 reached in 60 s."""
    rows = json.loads(RELEASE.read_text("utf-8"))
    return float(next(row["width"] for row in rows if row["model"] == spec))
