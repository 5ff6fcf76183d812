"""Systems whose observer asks: intervals, strategies, plans and mutated certificates against the slow recursion."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

from deltachain import delta, verify
from deltachain.certificate.record import claims_of
from deltachain.errors import DeltachainError, InputError, SolverError
from deltachain.model import Chain
from tests.fuzz.driver import FuzzClass
from tests.fuzz.intervals import ALPHAS, alphas_of, mutate
from tests.reference.interactive import delta_of_system, fixed_of_system, start
from tests.reference.systems import lively_system, value_with_states_shown

DEPTH = 4

Case = dict[str, Any]


def random_case(random: Random) -> Case:
    """A seed of `lively_system`, an α, and budgets."""
    return {
        "seed": random.randrange(10**12),
        "loops": random.random() < 0.8,
        "alpha": random.choice(ALPHAS),
        "nodes": random.choice([1, 10, 100, 1000]),
        "questions": random.randint(1, 3),
        "mutations": [(random.randrange(10**6), random.randrange(10**6)) for _ in range(random.choice([1, 1, 2]))],
    }


def chain_of(case: Case) -> Chain:
    """The system of a case."""
    return lively_system(Random(case["seed"]), loops=case["loops"])


def _compare(chain: Chain, alpha: Fraction, lower: Fraction | None, upper: Fraction | None) -> None:
    if upper is not None:
        shown = delta_of_system(chain, 0, 1, alpha, DEPTH)
        assert shown <= upper, f"{DEPTH} questions show {shown}, above the upper bound {upper}"
    if lower is not None:
        most = max(value_with_states_shown(chain, start(chain, *pair, alpha), DEPTH) for pair in ((0, 1), (1, 0)))
        assert lower <= most, f"the lower bound {lower} is above {most}, which even the hidden states do not show"


def check_interval(case: Case) -> str:
    """The interval holds what strategies show; the checker agrees; the strategy listed is worth what it says."""
    chain, alpha = chain_of(case), Fraction(case["alpha"])
    found = delta(chain, 0, 1, exp_epsilon=alpha, max_nodes=case["nodes"])
    _compare(chain, alpha, found.lower, found.upper)
    assert verify(chain, found.certificate)
    witness = found.witness
    assert (witness is None) == (found.lower == 0)
    if witness is not None:
        assert found.lower <= witness.advantage
        assert witness.listed <= witness.advantage <= max(found.upper, witness.listed)
        assert witness.listed <= found.upper
    return "exact" if found.exact else "interval"


def check_plan(case: Case) -> str:
    """The best plan against all plans, where every label offers the same inputs at every step."""
    chain, alpha, questions = chain_of(case), Fraction(case["alpha"]), case["questions"]
    try:
        plan = delta(chain, 0, 1, exp_epsilon=alpha, fixed=questions, max_nodes=3000).plans[0]
    except InputError:
        return "refused"
    except SolverError:
        return "too many"
    assert plan.lower <= plan.upper <= plan.adaptive_upper
    if len(chain.inputs) < len(chain.alphabet):
        return "some labels have none"
    try:
        want = max(fixed_of_system(chain, *pair, alpha, questions) for pair in ((0, 1), (1, 0)))
    except ValueError:
        return "not everywhere the same"
    assert plan.lower == want
    return "agreed"


def check_mutant(case: Case) -> str:
    """A mutated certificate is rejected, or what it now claims is still true."""
    chain, alpha = chain_of(case), Fraction(case["alpha"])
    found = delta(chain, 0, 1, exp_epsilon=alpha, max_nodes=min(case["nodes"], 60))
    document = json.loads("".join(found.certificate.chunks()))
    for where, how in case["mutations"]:
        mutate(document, where, how)
    try:
        verify(chain, document)
    except DeltachainError:
        return "rejected"
    for claim in claims_of(document):
        pair = {chain.states.index(str(name)) for name in claim["pair"]}
        if claim["claim"] != "delta" or pair != {0, 1}:
            continue
        alphas = {side: Fraction(alpha) for side, alpha in alphas_of(document).items()}
        _compare(chain, alphas["lower"], Fraction(claim.get("lower", 0)), None)
        _compare(chain, alphas["upper"], None, Fraction(claim.get("upper", 1)))
    return "accepted and true"


CASES = [
    FuzzClass("interactive intervals", random_case, check_interval),
    FuzzClass("interactive plans", random_case, check_plan),
    FuzzClass("interactive certificates", random_case, check_mutant),
]
