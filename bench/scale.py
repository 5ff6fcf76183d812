"""δ at scale: signed beliefs against a best-first float script, and against release 0.1 where that was measured.

Each case runs in a process of its own (``python -m bench.cases measured …``) and solves small chains first, for
imports. `bench.scale_rows` has what they must reach.
"""

from __future__ import annotations

import heapq
import json
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import deltachain as dc
from bench.measure import RESULTS, Stopwatch
from deltachain import Chain
from deltachain.beliefs.proof import Proof
from deltachain.beliefs.question import Budget, Question
from deltachain.beliefs.search import search
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.numbers.fraction import ExpEpsilon

Result = dict[str, Any]
SHORT = 1.0
"""Seconds; a case that takes less is run three times."""
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


def float_script(
    chain: Chain, pair: tuple[int, int], alpha: float, times: Sequence[float]
) -> list[tuple[float, float, int]]:
    """Best-first unrolling in floats, both directions in turn: the interval after each of the times, not proved."""
    import numpy as np

    started = time.perf_counter()
    matrix, labels = chain.to_scipy()
    names = sorted(set(labels))
    of = np.array([names.index(label) for label in labels])
    states = [np.flatnonzero(of == k) for k in range(len(names))]
    steps = [[matrix[i][:, j].T.tocsr() for j in states] for i in states]
    place = {int(s): p for group in states for p, s in enumerate(group)}
    searches: list[list[Any]] = []
    for s, t in (pair, pair[::-1]):
        root = np.zeros(len(states[of[s]]))
        root[place[s]] += 1.0
        root[place[t]] -= alpha
        searches.append([[(-1.0, 0, int(of[s]), root)], 0.0, 1.0])
    count, reached = 0, list[tuple[float, float, int]]()
    while len(reached) < len(times):
        if time.perf_counter() - started >= times[len(reached)] or not any(search[0] for search in searches):
            reached.append((max(s[1] for s in searches), max(s[2] for s in searches), count))
            continue
        search = searches[count % 2]
        count += 1
        heap, lower, upper = search
        if not heap:
            continue
        _, _, k, w = heapq.heappop(heap)
        lower, upper = lower - max(w.sum(), 0.0), upper - np.maximum(w, 0.0).sum()
        for j in range(len(names)):
            v = steps[k][j] @ w
            low, high = max(v.sum(), 0.0), np.maximum(v, 0.0).sum()
            lower, upper = lower + low, upper + high
            if high - low > 1e-14:
                heapq.heappush(heap, (low - high, len(heap) + count * 10, j, v))
        search[1], search[2] = lower, upper
    return reached


def bounded(chain: Chain, pair: tuple[int, int], alpha: Fraction, **limits: Any) -> tuple[Proof, Stopwatch]:
    """The answer at α within the limits, and what it took, imports aside."""
    cancel = Cancel(limits.pop("timeout", None))
    budget = Budget(limits.pop("max_nodes", None))
    with Stopwatch() as ours:
        question = Question(chain=chain, pairs=(pair,), at=ExpEpsilon.exactly(alpha), budget=budget, **limits)
        answer = search(question, Workspace.of(question), cancel)
    return answer.proofs[0], ours


def warm_up() -> None:
    """Import everything, with what certificates of each method need."""
    for spec in ("coin", "memoised-survey", "probe"):
        dc.delta(dc.examples.build(spec), exp_epsilon="11/10", check=False).certificate.chunks()
    for spec in ("random,n=12,labels=2,degree=3,seed=1", "sticky-sensor", "survey,rounds=200,p=11/20"):
        chain = dc.examples.build(spec)
        bounded(chain, _pair(spec, chain), Fraction(11, 10), max_nodes=20_000)


def measured(spec: str, alpha: str, gap: str, timeout: str) -> Result:
    """Seconds to the width ``gap``, or the width at the timeout; a short one is the middle of three fresh runs."""
    warm_up()
    runs = []
    for _ in range(3):
        chain = dc.examples.build(spec)
        runs.append(bounded(chain, _pair(spec, chain), Fraction(alpha), gap=Fraction(gap), timeout=float(timeout)))
        if runs[0][1].seconds > SHORT:
            break
    found, ours = sorted(runs, key=lambda run: run[1].seconds)[len(runs) // 2]
    return ours.found | _interval(found)


def _interval(found: Proof) -> Result:
    lower, upper = found.interval.lower, found.interval.upper
    return {
        "right": lower <= upper,
        "lower": float(lower),
        "upper": float(upper),
        "width": float(upper - lower),
        "nodes": found.nodes,
        "exact": lower == upper,
        "method": found.method,
    }


def beside_floats(spec: str, alpha: str, times: str) -> Result:
    """The widths after each of the times, ours and those of the float script, in one run.

    Ours is a fresh run for each time, the middle of three for short ones; the script's is one run, looked at.
    """
    warm_up()
    moments = [float(moment) for moment in times.split(",")]
    chain = dc.examples.build(spec)
    pair = _pair(spec, chain)
    with Stopwatch() as ours:
        found = [_after(chain, pair, Fraction(alpha), moment) for moment in moments]
    theirs = float_script(chain, pair, float(Fraction(alpha)), moments)
    rows = []
    for moment, (answer, cancel), (lower, upper, count) in zip(moments, found, theirs, strict=True):
        grown = expansions(answer)
        # Both contain δ, the script up to rounding: they must overlap.
        overlap = lower <= answer.interval.upper + 1e-9 and answer.interval.lower <= upper + 1e-9
        rows.append(
            {
                "seconds": moment,
                "took": cancel.seconds,
                "width": float(answer.interval.upper - answer.interval.lower),
                "rate": grown / cancel.seconds,
                "float_width": float(upper - lower),
                "float_expanded": count,
                "overlap": bool(overlap),
            }
        )
    return ours.found | {"right": all(row["overlap"] for row in rows), "rows": rows}


def _after(chain: Chain, pair: tuple[int, int], alpha: Fraction, seconds: float) -> tuple[Proof, Stopwatch]:
    """The answer after so many seconds."""
    count = 3 if seconds < SHORT else 1
    runs = [bounded(chain, pair, alpha, gap=Fraction(1, 10**6), timeout=seconds) for _ in range(count)]
    return sorted(runs, key=lambda run: run[0].interval.upper - run[0].interval.lower)[count // 2]


def expansions(found: Proof) -> int:
    """How many beliefs the trees of an answer expanded."""
    from deltachain.beliefs.signed.search import SignedProof

    return sum(known.expansions for known in found.forest.known.values()) if isinstance(found, SignedProof) else 0


def all_pairs_of_diners(n: str, alpha: str) -> Result:
    """δ of every pair of payers; the worst must be that of the first pair alone, by symmetry of none in particular."""
    chain = dc.examples.dining_cryptographers(n=int(n))
    dc.delta(dc.examples.dining_cryptographers(n=2), exp_epsilon=alpha, check=False)
    with Stopwatch() as ours:
        found = dc.delta(chain, exp_epsilon=alpha, check=False)
    alone = dc.delta(chain, *found.worst.pair, exp_epsilon=alpha, check=False)
    exact = all(result.exact for result in found.results)
    return ours.found | {
        "right": exact and alone.lower == found.lower,
        "pairs": len(found.results),
        "delta": float(found.lower),
    }


def band(spec: str, last: str, step: str) -> Result:
    """A profile on a grid from 0; every tenth point must contain the point searched on its own."""
    warm_up()
    chain = dc.examples.build(spec)
    epsilons = [i * Fraction(step) for i in range(int(Fraction(last) / Fraction(step)) + 1)]
    with Stopwatch() as ours:
        curve = dc.profile(chain, epsilons=epsilons, check=False)
    right = True
    for point in curve.points[::20]:
        alone = dc.delta(chain, epsilon=point.epsilon, gap="1e-5", check=False)
        right &= point.lower <= alone.upper and alone.lower <= point.upper
    width = max(point.upper - point.lower for point in curve.points)
    reached = all(point.reached for point in curve.points)
    return ours.found | {"right": right and reached, "points": len(curve.points), "width": float(width)}


def repeated(runs: str, p: str, epsilon: str) -> Result:
    """K runs of a survey from the losses of one, against dp-accounting, and against one chain of all rounds."""
    from bench import baselines

    chain = dc.examples.survey(p=p)
    losses = baselines.accountant()
    dc.profile(chain, epsilons=[0], repeat=2, check=False)
    with Stopwatch() as ours:
        curve = dc.profile(chain, epsilons=[epsilon], repeat=int(runs), check=False)
    point = curve.points[0]
    noise = float(2 * (1 - Fraction(p)))
    with Stopwatch() as baseline:
        one = losses.from_randomized_response(noise, 2)
        theirs = float(one.self_compose(int(runs)).get_delta_for_epsilon(float(Fraction(epsilon))))
    result = {
        "right": point.lower <= point.upper and -1e-9 <= theirs - float(point.lower) <= 0.5,
        "baseline": "dp-accounting",
        **baseline.as_baseline,
        "delta": float(point.upper),
        "width": float(point.upper - point.lower),
        "above": theirs - float(point.upper),
    }
    if int(runs) <= 1000:
        whole = dc.delta(dc.examples.survey(rounds=int(runs), p=p), epsilon=epsilon, check=False)
        result["right"] = bool(result["right"] and whole.lower <= point.upper and point.lower <= whole.upper)
    return ours.found | result


def certified(spec: str, alpha: str, gap: str) -> Result:
    """The certificate of a width: its size, and how long the standard-library checker takes."""
    warm_up()
    chain = dc.examples.build(spec)
    s, t = _pair(spec, chain)
    found = dc.delta(chain, s, t, exp_epsilon=alpha, gap=gap, check=False)
    text = "".join(found.certificate.chunks())
    with Stopwatch() as ours:
        proved = dc.verify(chain, found.certificate)
    narrow = found.upper - found.lower <= Fraction(gap)
    return ours.found | {
        "right": len(proved) == 1 and narrow,
        "bytes": len(text),
        "width": float(found.upper - found.lower),
    }


def width_by_expansions(spec: str, alpha: str, budgets: str) -> Result:
    """The width after each number of expansions, both directions together."""
    warm_up()
    chain = dc.examples.build(spec)
    pair = _pair(spec, chain)
    widths, seconds, upper, lower = [], [], Fraction(1), Fraction(0)
    with Stopwatch() as ours:
        for budget in budgets.split(","):
            found, cancel = bounded(chain, pair, Fraction(alpha), max_nodes=int(budget))
            widths.append(float(found.interval.upper - found.interval.lower))
            seconds.append(cancel.seconds)
            upper, lower = min(upper, found.interval.upper), max(lower, found.interval.lower)
    return ours.found | {"right": lower <= upper, "widths": widths, "seconds_each": seconds}


def _pair(spec: str, chain: Chain) -> tuple[int, int]:
    return first_pair(chain) if spec.startswith("random") else chain.relation[0]


def release_width(spec: str) -> float:
    """The width that release 0.1 reached in 60 s."""
    rows = json.loads(RELEASE.read_text("utf-8"))
    return float(next(row["width"] for row in rows if row["model"] == spec))
