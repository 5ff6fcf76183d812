"""The two checkers: certificates of small systems of every kind, as they are and changed, are judged alike."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from deltachain import delta, distance
from deltachain.certificate.verification import model_of
from deltachain.errors import NotConverged
from deltachain.examples import build
from tests.certificates.two_checkers import agreed, is_built
from tests.fuzz.driver import FuzzClass
from tests.fuzz.intervals import mutate

ALPHAS = ["1", "1001/1000", "11/10", "3/2", "2", "7/3"]
EXAMPLES = [
    "coin", "split-coin", "dining-cryptographers,n=2", "survey,rounds=2", "geometric", "pin-checker", "mix", "crowds",
    "sticky-sensor", "sticky-sensor,stay=12345678901/22345678901", "memoised-survey", "probe",
    "lockout", "adaptive-survey",
]  # fmt: skip

Case = dict[str, Any]


def random_case(random: Random) -> Case:
    """An example or a random system, what is to be certified about it, and changes of the certificate."""
    spec = random.choice(EXAMPLES)
    if random.random() < 0.7:
        inputs, denominators = random.choice([0, 0, 2]), random.choice([2, 4, 12, 10**9])
        spec = f"random,n={random.randint(2, 7)},labels={random.randint(1, 2)},degree=2"
        spec += f",denominators={denominators},inputs={inputs},seed={random.randrange(10**6)}"
    return {
        "spec": spec,
        "alpha": random.choice(ALPHAS),
        "about": random.choice(["delta", "delta", "delta", "bd", "ld", "sd"]),
        "nodes": random.choice([1, 3, 20, 200]),
        "exact": random.random() < 0.5,
        "mutations": [(random.randrange(10**6), random.randrange(10**6)) for _ in range(random.choice([0, 1, 1, 2]))],
    }


def document_of(case: Case) -> tuple[Any, Any]:
    """The model and the certificate of a case."""
    chain = build(case["spec"])
    s, t = chain.relation[0] if chain.relation else (0, 1)
    if case["about"] == "delta":
        found: Any = delta(chain, s, t, exp_epsilon=case["alpha"], max_nodes=case["nodes"])
    else:
        found = distance(chain, s, t, exp_epsilon=case["alpha"], kind=case["about"], exact=case["exact"])
    document = json.loads("".join(found.certificate.chunks()))
    for where, how in case["mutations"]:
        mutate(document, where, how)
    return model_of(chain), document


def check_agreement(case: Case) -> str:
    """How both checkers judge it; vacuous, and said to be, where the proved one is not built."""
    if not is_built():
        return "not built"
    try:
        return agreed(*document_of(case))
    except NotConverged:
        return "no exact distance"  # which is said, and not claimed


CASES = [FuzzClass("two checkers", random_case, check_agreement)]
