"""The cases that are measured in a process of their own: ``python -m bench.cases NAME ARGUMENT…`` prints JSON.

Each counts its own seconds and memory, without imports and preparation where the table says so, checks its answer, and
measures its baseline afterwards.
"""

from __future__ import annotations

import json
import math
import random
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import deltachain as dc
from bench import (
    against,
    boxes,
    domains,
    draws,
    interactive,
    mechanisms,
    noise,
    parametric,
    programs,
    sampling,
    scale,
    sweeps,
    ties,
)
from bench.measure import Stopwatch, models
from bench.retransmission import retransmission
from deltachain.certificate.record import Certificate
from deltachain.distances.fixed_point import solve
from deltachain.distances.upper_side import Certified

Result = dict[str, Any]


def load_big(states: str) -> Result:
    """Load a native file of many states and three times as many transitions, then minimise it."""
    from deltachain.model import bisimilarity, is_bisimulation
    from tests.reference.naive_bisimulation import naive_bisimilarity

    n = int(states)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.json"
        _write_big(path, n)
        with Stopwatch() as loading:
            chain = dc.load(path)
        with Stopwatch() as minimising:
            blocks = bisimilarity(chain)
        with Stopwatch() as reading:
            json.loads(path.read_text())
    with Stopwatch() as refining:
        naive = naive_bisimilarity(chain)
    load = {
        "right": len(chain) == n and chain.transitions == 3 * n,
        "baseline": "json.loads of the file, nothing checked",
        "baseline_seconds": reading.seconds,
    }
    minimise = {
        "right": is_bisimulation(chain, blocks) and max(blocks) == max(naive),
        "blocks": max(blocks) + 1,
        "baseline": "refining by signatures in plain Python",
        "baseline_seconds": refining.seconds,
    }
    return loading.found | load | {"minimise": minimising.found | minimise}


def _write_big(path: Path, n: int) -> None:
    chooser = random.Random(1)
    with path.open("w") as file:
        file.write('{"format": "deltachain.chain/1", "states": {')
        for s in range(n):
            a, b, c = chooser.sample(range(n), 3)
            shares = chooser.choice([("1/2", "1/4", "1/4"), ("1/3", "1/3", "1/3"), ("0.7", "0.2", "0.1")])
            row = json.dumps({f"s{t}": p for t, p in zip((a, b, c), shares, strict=True)})
            label = chooser.choice("ab")
            file.write(f'{"," if s else ""}\n"s{s}": {{"label": "{label}", "to": {row}}}')
        file.write("}}\n")


def one_step(n: str, labels: str, degree: str, alpha: str) -> Result:
    """One application of Γ to all pairs, against one full linear program a direction (a sample, scaled)."""
    import numpy as np

    from bench.value_iteration import apply_operator, iterate_from_below
    from deltachain.distances.kinds.bd import BD
    from deltachain.distances.pair_space import PairSpace

    chain = dc.examples.build(f"random,n={n},labels={labels},degree={degree}")
    space = PairSpace.of(chain, Fraction(alpha))
    d, _ = iterate_from_below(space, BD, rounds=3)  # some d in the middle of the iteration; compiles, too
    runs = []
    for _ in range(5):
        with Stopwatch() as ours:
            after = apply_operator(space, BD, d)
        runs.append(ours)
    ours = sorted(runs, key=lambda run: run.seconds)[2]
    u, v = (np.array(space.states)[ends] for ends in space.ends)
    now, next_values = np.ones((len(chain), len(chain))), np.ones((len(chain), len(chain)))
    now[u, v], next_values[u, v] = d, after
    return ours.found | against.full_lp_sweep(chain, Fraction(alpha), now, next_values, most=40)


def all_pairs(n: str, labels: str, degree: str, alpha: str) -> Result:
    """Certified bd of all pairs of a random chain."""
    return _certified(dc.examples.build(f"random,n={n},labels={labels},degree={degree}"), alpha)


def all_pairs_exactly(n: str, alpha: str) -> Result:
    """Exact bd of all pairs of a random chain."""
    return _certified(dc.examples.build(f"random,n={n},labels=3,degree=3"), alpha, exact=True)


def all_pairs_of_retransmission(frames: str, alpha: str) -> Result:
    """Certified bd of all pairs of the retransmission chain."""
    return _certified(retransmission(int(frames)), alpha)


def model_quotient(name: str, alpha: str, exact: str) -> Result:
    """All pairs of the quotient of a model file, init and deadlock labels kept."""
    chain = dc.load(models() / f"{name}.tra", normalise=True, keep_labels=True)
    return {"raw_states": len(chain)} | _certified(dc.quotient(chain).chain, alpha, exact == "exact")


def one_pair_of_many(states: str) -> Result:
    """Bd of one pair of a large chain, whose first 200 states lead to each other alone."""
    n, chooser = int(states), random.Random(1)
    rows = []
    for s in range(n):
        a, b = sorted(chooser.sample(range(200 if s < 200 else n), 2))
        rows.append(((a, Fraction(1, 3)), (b, Fraction(2, 3))))
    chain = dc.Chain.of_rows(tuple(f"s{s}" for s in range(n)), tuple(chooser.choice("ab") for _ in range(n)), rows)
    s, t = chain.by_label[chain.labels[0]][:2]
    solve(dc.examples.build("random,n=60"), Fraction("11/10"), exact=False)
    with Stopwatch() as ours:
        found = solve(chain, Fraction("11/10"), pairs=[(s, t)])
    alone = solve(dc.restrict(chain, [s, t]), Fraction("11/10"), exact=False)
    right = abs(found.fraction((s, t)) - alone.fraction((chain.states[s], chain.states[t]))) < 1e-9
    return ours.found | {"right": right, "pairs": len(found.proof.space)}


def _certified(chain: dc.Chain, alpha: str, exact: bool = False) -> Result:
    """Distances of all pairs; every pre-fixed-point inequality is checked exactly by the solver itself.

    A small case is run once before it is measured, so that imports are not. The answer must be a fixed
    point of Γ in floats, as a sample of full linear programs sees it, too; up to 50,000 pairs it is also compared with
    value iteration from below, and up to 3,000 pairs a certificate is given to the independent checker.
    """
    import numpy as np

    from bench.value_iteration import apply_operator, iterate_from_below
    from deltachain.certificate.distances import DistanceEvidence

    solve(dc.examples.build("random,n=60"), Fraction(alpha), exact=False)
    with Stopwatch() as ours:
        found = solve(chain, Fraction(alpha), exact=exact)
    space = found.proof.space
    proof = found.proof if isinstance(found.proof, Certified) else None
    values = np.array([float(found.value(p)) for p in range(len(space))]) if proof is None else proof.values
    moved = float(np.abs(apply_operator(space, found.kind, values) - values).max())
    u, v = (np.array(space.states)[ends] for ends in space.ends)
    d = np.ones((len(chain), len(chain)))
    d[u, v] = values
    swept = against.full_lp_sweep(chain, Fraction(alpha), d, d, most=10)
    swept["right"] &= moved < against.FLOATS_AGREE and found.side == ("exact" if exact else "upper")
    result: Result = {"moved": moved, "gap": None, "pairs": len(space), "states": len(chain), "certificate": False}
    result |= {"rounds": proof and proof.rounds, "levels": proof and proof.levels, "bits": None}
    if exact:
        result["bits"] = max(int(value.q).bit_length() for value in found.lower.values) if found.lower else None
    if len(space) <= 50_000:
        below, _ = iterate_from_below(space, found.kind, rounds=400, change=1e-12)
        result["gap"] = float((values - below).max())
    if len(space) <= 3000:
        pair = int(space.off_diagonal[0])
        dc.verify(chain, DistanceEvidence(found.chain, found, asked=[(int(u[pair]), int(v[pair]))]).certificate())
        result["certificate"] = True
    return ours.found | swept | result


def diners_delta(n: str, alpha: str, how: str = "prefixes") -> Result:
    """The exact δ of n diners. The baseline up to 12 enumerates all words: each alone, or with shared prefixes."""
    from bench.baselines import every_word_alone
    from tests.reference.enumerate_events import tv_alpha_at_depth

    chain = dc.examples.dining_cryptographers(n=int(n))
    dc.delta(dc.examples.dining_cryptographers(n=2), "s0", "s1", exp_epsilon=alpha, check=False)  # imports
    with Stopwatch() as ours:
        found = dc.delta(chain, "s0", "s1", exp_epsilon=alpha, check=False)
    result: Result = {"right": found.exact, "delta": float(found.lower), "nodes": found.nodes, "states": len(chain)}
    name = "enumerating all words, each on its own" if how == "alone" else "enumerating all words, prefixes shared"
    if int(n) > 12:
        return ours.found | result | {"baseline": f"{name}: 2^{n}, not run"}
    with Stopwatch() as baseline:
        if how == "alone":
            brute = every_word_alone(chain, Fraction(alpha), int(n))
        else:
            brute = tv_alpha_at_depth(chain, "s0", "s1", Fraction(alpha), int(n) + 2)
    result |= {"right": found.exact and found.lower == brute, "baseline": name, "baseline_seconds": baseline.seconds}
    return ours.found | result


def diners_profile(n: str, points: str) -> Result:
    """A profile on a grid, against one enumeration of all words for each point."""
    from tests.reference.enumerate_events import tv_alpha_at_depth

    chain = dc.examples.dining_cryptographers(n=int(n))
    epsilons = [Fraction(i, 10 * int(points)) for i in range(int(points))]
    with Stopwatch() as ours:
        curve = dc.profile(chain, "s0", "s1", epsilons=epsilons, check=False)
    with Stopwatch() as baseline:
        brute = [tv_alpha_at_depth(chain, "s0", "s1", _exp(e), int(n) + 2) for e in epsilons]
    right = all(abs(p.lower - b) < 1e-12 and p.lower <= p.upper for p, b in zip(curve.points, brute, strict=True))
    name = "enumerating all words for each point"
    return ours.found | {"right": right, "baseline": name, "baseline_seconds": baseline.seconds}


def _exp(epsilon: Fraction) -> Fraction:
    """e^ε, to within a float's rounding."""
    return Fraction(math.exp(epsilon))


def zoo(name: str, alpha: str) -> Result:
    """The δ interval of a zoo example at its default parameters, its certificate accepted."""
    chain = dc.examples.build(name)
    scale.warm_up()
    with Stopwatch() as ours:
        found = dc.delta(chain, exp_epsilon=alpha, check=False)
        certificate = found.certificate
    return ours.found | _interval(chain, found, certificate)


def model_delta(name: str, s: str, t: str, alpha: str, timeout: str) -> Result:
    """A δ interval on a model file, imports aside."""
    scale.warm_up()
    chain = dc.load(models() / f"{name}.tra", normalise=True, keep_labels=True)
    with Stopwatch() as ours:
        found = dc.delta(chain, s, t, exp_epsilon=alpha, gap="0.01", timeout=float(timeout), check=False)
        certificate = found.certificate
    return ours.found | _interval(chain, found, certificate)


def _interval(chain: dc.Chain, found: dc.Delta, certificate: Certificate) -> Result:
    dc.verify(chain, certificate)
    return {
        "exact": found.exact,
        "lower": float(found.lower),
        "upper": float(found.upper),
        "nodes": found.nodes,
        "method": found.results[0].method,
    } | against.enumeration(chain, found)


CASES = {
    f.__name__: f
    for f in (
        load_big,
        one_step,
        all_pairs,
        all_pairs_exactly,
        all_pairs_of_retransmission,
        model_quotient,
        one_pair_of_many,
        diners_delta,
        diners_profile,
        zoo,
        model_delta,
        against.value_iteration,
        against.transport,
        against.formula,
        against.accountant_on_words,
        against.accountant_on_rows,
        against.accountant_composed,
        against.laplace_composed,
        scale.measured,
        scale.beside_floats,
        scale.all_pairs_of_diners,
        scale.band,
        scale.repeated,
        scale.certified,
        scale.width_by_expansions,
        interactive.asking,
        interactive.scripted_recursion,
        interactive.query_budgets,
        mechanisms.cut_noise,
        mechanisms.pure_loss,
        mechanisms.sparse_vector,
        boxes.learned,
        noise.kept_noise,
        domains.smallest_noise,
        domains.verified_domain,
        domains.whole_domain,
        draws.drawn,
        noise.real_noise,
        parametric.every_value,
        programs.histogram,
        programs.poisson,
        programs.shuffle,
        programs.sparse,
        programs.tree_counter,
        sampling.estimated,
        sampling.covered,
        sweeps.swept,
        ties.least,
        ties.rational,
        ties.tie,
    )
}

if __name__ == "__main__":
    print(json.dumps(CASES[sys.argv[1]](*sys.argv[2:])))
