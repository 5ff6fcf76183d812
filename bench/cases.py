"""The cases that are measured in a process of their own: ``python -m bench.cases NAME ARGUMENT…`` prints JSON.

Each counts its own seconds, without imports and preparation where the table says so, and checks its answer.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import deltachain as dc
from bench.measure import MODELS


def load_big(states: str) -> dict[str, object]:
    """Load a native file of many states and three times as many transitions, then minimise it."""
    from deltachain.chain import bisimilarity, is_bisimulation

    n = int(states)
    chooser = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.json"
        with path.open("w") as file:
            file.write('{"format": "deltachain.chain/1", "states": {')
            for s in range(n):
                a, b, c = chooser.sample(range(n), 3)
                shares = chooser.choice([("1/2", "1/4", "1/4"), ("1/3", "1/3", "1/3"), ("0.7", "0.2", "0.1")])
                row = json.dumps({f"s{t}": p for t, p in zip((a, b, c), shares, strict=True)})
                label = chooser.choice("ab")
                file.write(f'{"," if s else ""}\n"s{s}": {{"label": "{label}", "to": {row}}}')
            file.write("}}\n")
        started = time.perf_counter()
        chain = dc.load(path)
        loaded = time.perf_counter()
    blocks = bisimilarity(chain)
    minimised = time.perf_counter()
    right = len(chain) == n and chain.transitions == 3 * n and is_bisimulation(chain, blocks)
    return {"seconds": loaded - started, "minimise": minimised - loaded, "right": right, "blocks": max(blocks) + 1}


def _random(n: str, labels: str, degree: str) -> dc.Chain:
    return dc.examples.build(f"random,n={n},labels={labels},degree={degree}")


def one_step(n: str, labels: str, degree: str, alpha: str) -> dict[str, object]:
    """One application of Γ to all pairs, against one full linear program a pair (a sample, scaled)."""
    import numpy as np

    from deltachain.distance.space import PairSpace
    from deltachain.distance.value_iteration import apply_operator, iterate_from_below
    from tests.reference.full_lp import directed_step, skewed_difference, step_constraints

    chain = _random(n, labels, degree)
    space = PairSpace.of(chain, Fraction(alpha))
    d, _ = iterate_from_below(space, "bd", rounds=3)  # some d in the middle of the iteration; compiles, too
    times = []
    for _ in range(5):
        started = time.perf_counter()
        after = apply_operator(space, "bd", d)
        times.append(time.perf_counter() - started)
    full = np.ones((len(chain), len(chain)))
    u, v = space.ends
    states = np.array(space.states)
    full[states[u], states[v]] = d
    constraints, sides = step_constraints(space.alpha, full)
    sample = random.Random(2).sample(space.off_diagonal.tolist(), 40)
    started = time.perf_counter()
    errors = []
    for pair in sample:
        s, t = int(states[u[pair]]), int(states[v[pair]])
        both = [
            directed_step(skewed_difference(chain, space.alpha, a, b), constraints, sides) for a, b in ((s, t), (t, s))
        ]
        errors.append(abs(max(both) - after[pair]))
    # Γ of one unordered pair is two programs; there are half as many unordered pairs as ordered ones.
    baseline = (time.perf_counter() - started) / len(sample) * len(space.off_diagonal) / 2
    return {
        "seconds": sorted(times)[2],
        "baseline": baseline,
        "right": max(errors) < 1e-9,
        "pairs": len(space.off_diagonal),
    }


def all_pairs(n: str, labels: str, degree: str, alpha: str, kind: str = "bd") -> dict[str, object]:
    """Certified distances of all pairs; every pre-fixed-point inequality is checked exactly by the solver itself."""
    chain = _random(n, labels, degree)
    started = time.perf_counter()
    found = dc.distance(chain, exp_epsilon=alpha, kind=kind, exact=False)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "right": found.side == "upper", **_checked(found)}


def _checked(found: object) -> dict[str, object]:
    """Have the independent checker accept the proof of one pair, and compare with value iteration from below."""
    from deltachain.certificate.distances import distance_certificate
    from deltachain.distance.value_iteration import iterate_from_below

    space = found.proof.space  # type: ignore[attr-defined]
    values = [float(found.value(p)) for p in range(len(space))]  # type: ignore[attr-defined]
    below, _ = iterate_from_below(space, found.kind, rounds=400, change=1e-12)  # type: ignore[attr-defined]
    gap = max(high - low for high, low in zip(values, below.tolist(), strict=True))
    result: dict[str, object] = {"gap": gap, "pairs": len(space)}
    if len(space) <= 3000:
        u, v = space.ends
        pair = int(space.off_diagonal[0])
        certificate = distance_certificate(found, [(space.states[u[pair]], space.states[v[pair]])])  # type: ignore[arg-type]
        dc.verify(found.chain, certificate)  # type: ignore[attr-defined]
        result["certificate"] = "accepted"
    return result


def model_quotient(name: str, alpha: str, exact: str) -> dict[str, object]:
    """All pairs of the quotient of a model file, init and deadlock labels kept."""
    chain = dc.load(MODELS / f"{name}.tra", normalise=True, keep_labels=True)
    merged = dc.quotient(chain).chain
    started = time.perf_counter()
    found = dc.distance(merged, exp_epsilon=alpha, exact=exact == "exact")
    seconds = time.perf_counter() - started
    right = found.side == ("exact" if exact == "exact" else "upper")
    return {"seconds": seconds, "right": right, "states": len(chain), "quotient": len(merged), **_checked(found)}


def enumerate_diners(n: str, alpha: str) -> dict[str, object]:
    """δ of the diners by enumerating every word, against ours."""
    from tests.reference.enumerate_events import tv_alpha_at_depth

    chain = dc.examples.dining_cryptographers(n=int(n))
    value = Fraction(alpha)
    dc.delta(dc.examples.dining_cryptographers(n=2), "s0", "s1", exp_epsilon=alpha)  # imports
    started = time.perf_counter()
    ours = dc.delta(chain, "s0", "s1", exp_epsilon=alpha)
    middle = time.perf_counter()
    brute = tv_alpha_at_depth(chain, "s0", "s1", value, int(n) + 2)
    end = time.perf_counter()
    return {"seconds": middle - started, "baseline": end - middle, "right": ours.exact and ours.lower == brute}


def diners_delta(n: str, alpha: str) -> dict[str, object]:
    """The exact δ of n diners."""
    started = time.perf_counter()
    chain = dc.examples.dining_cryptographers(n=int(n))
    found = dc.delta(chain, "s0", "s1", exp_epsilon=alpha)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "right": found.exact, "delta": float(found.lower), "nodes": found.nodes}


def diners_profile(n: str, points: str) -> dict[str, object]:
    """A profile on a grid."""
    chain = dc.examples.dining_cryptographers(n=int(n))
    started = time.perf_counter()
    curve = dc.profile(chain, "s0", "s1", epsilons=[Fraction(i, 10 * int(points)) for i in range(int(points))])
    seconds = time.perf_counter() - started
    falls = all(a.upper >= b.upper and a.lower >= b.lower for a, b in zip(curve.points, curve.points[1:], strict=False))
    return {"seconds": seconds, "right": falls and len(curve.points) == int(points)}


def zoo(name: str, alpha: str) -> dict[str, object]:
    """The δ interval of a zoo example at its default parameters, its certificate accepted."""
    chain = dc.examples.build(name)
    started = time.perf_counter()
    found = dc.delta(chain, exp_epsilon=alpha)
    certificate = found.certificate
    seconds = time.perf_counter() - started
    dc.verify(chain, certificate)
    return {
        "seconds": seconds,
        "right": found.lower <= found.upper,
        "exact": found.exact,
        "lower": float(found.lower),
        "upper": float(found.upper),
    }


def model_delta(name: str, s: str, t: str, alpha: str, timeout: str) -> dict[str, object]:
    """A δ interval on a model file."""
    chain = dc.load(MODELS / f"{name}.tra", normalise=True, keep_labels=True)
    started = time.perf_counter()
    found = dc.delta(chain, s, t, exp_epsilon=alpha, gap="0.01", timeout=float(timeout))
    seconds = time.perf_counter() - started
    dc.verify(chain, found.certificate)
    return {
        "seconds": seconds,
        "right": found.lower <= found.upper,
        "lower": float(found.lower),
        "upper": float(found.upper),
        "nodes": found.nodes,
        "method": found.results[0].method,
    }


CASES = {
    f.__name__: f
    for f in (
        load_big,
        one_step,
        all_pairs,
        model_quotient,
        enumerate_diners,
        diners_delta,
        diners_profile,
        zoo,
        model_delta,
    )
}

if __name__ == "__main__":
    print(json.dumps(CASES[sys.argv[1]](*sys.argv[2:])))
