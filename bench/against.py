"""Ours against what one would use instead: each case runs both on the same input and compares the answers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

import deltachain as dc
from bench import baselines
from bench.baselines import Matrix
from bench.measure import Stopwatch
from bench.scale import warm_up
from deltachain.distances.fixed_point import FixedPoint, solve

Result = dict[str, Any]
FLOATS_AGREE = 1e-8
"""How far baselines that compute in floats, or stop when little changes, may be from our exact or certified values."""
POT_SECONDS = 240
"""Policy iteration with POT is stopped after so much processor time, between two steps; its values come from above."""
MOST_LP_ROWS = 100_000
"""Above this one linear program takes from many seconds to minutes."""


def _beside(ours: Stopwatch, baseline: Stopwatch, name: str, right: bool, **more: object) -> Result:
    return ours.found | {"right": right, "baseline": name, **baseline.as_baseline, **more}


def full_lp_sweep(chain: dc.Chain, alpha: Fraction, d: Matrix, after: Matrix, most: int) -> Result:
    """The cost of one sweep of full linear programs over d, and whether it gives ``after``."""
    rows = sum(len(block) ** 2 for block in chain.by_label.values())
    if rows > MOST_LP_ROWS:
        return {"right": True, "baseline": f"SciPy/HiGHS: {rows:,} rows for each LP, not run"}
    seconds, count, found = baselines.sweep_by_full_lp(chain, alpha, d, most, budget=3)
    s, t = found[:, :2].astype(int).T
    error = float(np.abs(after[s, t] - found[:, 2]).max())
    name = f"SciPy/HiGHS, one sweep of full LPs ({count} pairs, scaled)"
    return {"right": bool(error < FLOATS_AGREE), "baseline": name, "baseline_seconds": seconds, "error": error}


def value_iteration(model: str, alpha: str) -> Result:
    """All of bd, exactly, against value iteration with one full linear program for each ordered pair."""
    chain = dc.examples.build(model)
    _warm_up(alpha)
    with Stopwatch() as ours:
        found = solve(chain, Fraction(alpha))
    with Stopwatch() as baseline:
        values, sweeps = baselines.value_iteration_by_full_lp(chain, Fraction(alpha), change=1e-10)
    error = _error(found, values)
    name = f"SciPy/HiGHS, full LPs, {sweeps} sweeps"
    return _beside(ours, baseline, name, error < FLOATS_AGREE, error=error, side=found.side)


def transport(n: str) -> Result:
    """The bisimilarity distance (α = 1) of all pairs, certified, against policy iteration on POT's transport plans."""
    from deltachain.model import bisimilarity

    chain = dc.examples.build(f"random,n={n}")
    _warm_up("1")
    baselines.policy_iteration_by_transport(*_with_blocks(dc.examples.build("random,n=8")))  # imports
    with Stopwatch() as ours:
        found = solve(chain, Fraction(1), exact=False)
    with Stopwatch() as baseline:
        values, rounds, ended = baselines.policy_iteration_by_transport(chain, bisimilarity(chain), POT_SECONDS)
    error = _error(found, values, above=not ended)
    name = f"policy iteration with POT, {rounds} rounds" + ("" if ended else ", stopped before its end")
    return _beside(ours, baseline, name, error < FLOATS_AGREE, error=error, pairs=len(found.proof.space))


def _with_blocks(chain: dc.Chain) -> tuple[dc.Chain, tuple[int, ...]]:
    from deltachain.model import bisimilarity

    return chain, bisimilarity(chain)


def formula(model: str, alpha: str, timeout: str) -> Result:
    """bd of the model's first pair, exactly, against Z3 told the value and asked bd ≤ v and bd < v."""
    from deltachain.errors import SolverUnknown
    from deltachain_smt.decider import Decider

    chain = dc.examples.build(model)
    s, t = map(chain.number, chain.pairs[0])
    _warm_up(alpha)
    with Stopwatch() as ours:
        value = solve(chain, Fraction(alpha), pairs=[(s, t)], exact=True).fraction((s, t))
    asked = Decider(
        chain, s, t, exp_epsilon=alpha, solver="z3", formula="np", encoding="faithful", timeout=float(timeout)
    )
    with Stopwatch() as baseline:
        try:
            right = asked.decide(value).holds and not asked.decide(value, strict=True).holds
        except SolverUnknown:
            right = None
    more: Result = {"states": len(chain), "value": str(value)}
    if right is None:
        return ours.found | more | {"right": True, "baseline": f"Z3, the paper's formula: not known after {timeout} s"}
    # Z3 runs in a process of its own, whose processor time is not ours to read: it waits for nothing else.
    more["baseline_cpu_seconds"] = baseline.seconds
    return _beside(ours, baseline, "Z3, the paper's formula, told the value", right, **more)


def enumeration(chain: dc.Chain, found: dc.Delta, budget: float = 2) -> Result:
    """How long listing all words takes to come within 1e-6 of our lower bound, told when to stop."""
    if chain.interactive:
        return {"right": found.lower <= found.upper, "baseline": "words alone are no baseline where the observer asks"}
    alpha, below = found.exp_epsilon.above, Fraction(1, 10**6)
    arrived, best, longest = True, Fraction(0), 0
    with Stopwatch() as baseline:
        for result in found.results:
            pair = chain.number(result.pair[0]), chain.number(result.pair[1])
            reached, length, there = baselines.enumerate_until(chain, pair, alpha, result.lower - below, budget)
            best, longest, arrived = max(best, reached), max(longest, length), arrived and there
            if not there:
                break
    right = found.lower <= found.upper and best <= found.upper
    if arrived:
        name = f"enumerating words of length {longest}, a lower bound"
        return {"right": right, "baseline": name, **baseline.as_baseline}
    return {"right": right, "baseline": f"enumerating words: δ ≥ {float(best):.4g} after {budget:.0f} s"}


def accountant_on_words(rounds: str, alpha: str) -> Result:
    """δ of a survey, exactly, against listing its outcomes for dp-accounting."""
    chain = dc.examples.survey(rounds=int(rounds), p="11/20")
    baselines.accountant()
    warm_up()
    with Stopwatch() as ours:
        found = dc.delta(chain, exp_epsilon=alpha, check=False)
    with Stopwatch() as baseline:
        first, second = (baselines.words_of(chain, chain.number(s), int(rounds) + 1) for s in ("s0", "s1"))
        theirs = baselines.accountant_delta(first, second, Fraction(alpha))
    return _accounted(ours, baseline, f"dp-accounting on its {len(first):,} outcomes", found, theirs)


def laplace_composed(runs: str, scale: str, epsilon: str) -> Result:
    """δ of so many counts with discrete Laplace noise, against dp-accounting."""
    warm_up()
    losses = baselines.accountant()

    @dc.program
    def count(value):  # type: ignore[no-untyped-def]
        announce(value + discrete_laplace(20))  # type: ignore[name-defined]  # noqa: F821

    if scale != "20":
        raise ValueError(scale)
    with Stopwatch() as ours:
        chain = count.chain(secrets=[{"value": 0}, {"value": 1}])
        found = dc.delta(chain, epsilon=epsilon, repeat=int(runs), check=False)
    with Stopwatch() as baseline:
        one = losses.from_discrete_laplace_mechanism(1 / int(scale), value_discretization_interval=1e-3)
        theirs = float(one.self_compose(int(runs)).get_delta_for_epsilon(float(epsilon)))
    return ours.found | {
        "right": -1e-9 <= theirs - float(found.lower) <= 0.05,
        "baseline": "dp-accounting",
        **baseline.as_baseline,
    }


def accountant_composed(rounds: str, alpha: str) -> Result:
    """δ of a survey, exactly, against dp-accounting for one who sees that it is randomised response, composed."""
    chain = dc.examples.survey(rounds=int(rounds), p="11/20")
    losses = baselines.accountant()
    warm_up()
    with Stopwatch() as ours:
        found = dc.delta(chain, exp_epsilon=alpha, check=False)
    with Stopwatch() as baseline:
        one = losses.from_randomized_response(0.9, 2)  # tells the truth with probability 1 − 0.9/2 = 11/20
        theirs = one.self_compose(int(rounds)).get_delta_for_epsilon(math.log(Fraction(alpha)))
    return _accounted(ours, baseline, "dp-accounting, composed by hand", found, float(theirs))


def accountant_on_rows(m: str, alpha: str) -> Result:
    """δ of the truncated geometric mechanism on 0 and 1, exactly, against dp-accounting on the two rows."""
    chain = dc.examples.geometric(m=int(m), ratio="1/2")
    baselines.accountant()
    warm_up()
    with Stopwatch() as ours:
        found = dc.delta(chain, "s0", "s1", exp_epsilon=alpha, check=False)
    with Stopwatch() as baseline:
        x, y = ([Fraction(str(chain.probability(s, f"out{z}"))) for z in range(int(m) + 1)] for s in ("s0", "s1"))
        theirs = max(baselines.accountant_delta(a, b, Fraction(alpha)) for a, b in ((x, y), (y, x)))
    return _accounted(ours, baseline, "dp-accounting on the two rows", found, theirs)


def _accounted(ours: Stopwatch, baseline: Stopwatch, name: str, found: dc.Delta, theirs: float) -> Result:
    """The accountant rounds losses up to multiples of 1e-4, so it may be above us by that order, not below."""
    above = theirs - float(found.upper)
    right = found.upper - found.lower <= Fraction(1, 10**9) and -1e-9 <= above <= 0.01
    return _beside(ours, baseline, name, right, delta=float(found.upper), above=above, exact=found.exact)


def _error(found: FixedPoint, values: Matrix, above: bool = False) -> float:
    """How far ``values`` are from ours at most; if they may be ``above``, how far they are below."""
    number = found.chain.number
    differences = (float(value) - float(values[number(s), number(t)]) for (s, t), value in found.items())
    return max((max(d, 0.0) if above else abs(d) for d in differences), default=0.0)


def _warm_up(alpha: str) -> None:
    """Import everything before the clock starts."""
    solve(dc.examples.build("random,n=60"), Fraction(alpha), exact=False)
