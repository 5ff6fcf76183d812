"""Certificates over functions of e^(1/k): those of the engine are accepted, and no change makes a false claim accepted.

The truth is known to 500 digits from words (`tests.reference.functions`), for chains that end.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from deltachain import Chain
from deltachain.beliefs.question import Terms
from deltachain.beliefs.search import search
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.certificate.verification import Seen
from deltachain.numbers.exponential import as_exponential, exp_of
from tests.certificates.live import accepted, bent_once, changed, written
from tests.fuzz.driver import FuzzClass
from tests.reference.functions import DIGITS, chain_of, gain, random_functions

Case = dict[str, Any]
CLOSE = Fraction(1, 10**50)
PARTS = ("claims", "beliefs", "graph", "values", "row_bits", "bits")
"""What is changed: whatever it says, no false claim follows. With another alpha a claim would be another one."""


def random_case(random: Random) -> Case:
    """What a case is drawn from; chain and changes are drawn again from the same seed."""
    return {
        "seed": random.randrange(2**40),
        "cyclic": random.random() < 0.3,
        "max_nodes": random.choice([1000, 1000, 3, 1]),
        "epsilon": random.choice([None, "0", "1/2", "1", "3/2", "1/10", "3/10", "2"]),
        "changes": random.randint(1, 3),
    }


def drawn(case: Case) -> tuple[Chain, Any, Fraction | None]:
    """The chain, the engine's certificate as plain JSON values, and δ (None where words do not end)."""
    random = Random(case["seed"])
    rows, labels = random_functions(random, cyclic=case["cyclic"])
    chain = chain_of(rows, labels)
    rational = Fraction(random.randint(4, 12), 4)
    asked: Case = {"exp_epsilon": rational} if case["epsilon"] is None else {"epsilon": case["epsilon"]}
    question = Terms.read(max_nodes=case["max_nodes"], **asked).about(chain, chain.relation)
    answer = search(question, Workspace.of(question), Cancel())
    document = written(answer.certificate())
    if case["cyclic"]:
        return chain, document, None
    alpha = as_exponential(rational) if case["epsilon"] is None else exp_of(Fraction(case["epsilon"]))
    truth = max(gain(rows, labels, way, alpha, 8) for way in ((0, 1), (1, 0)))
    return chain, document, Fraction(truth)


def check_case(case: Case) -> str:
    """AssertionError if the certificate is rejected, or if a false claim is accepted after changes."""
    chain, document, truth = drawn(case)
    seen = Seen(chain)
    assert seen.model.sha256() == seen.older.sha256() == chain.sha256
    assert accepted(seen, document), "the engine's certificate"
    how = "recipes" if "recipes" in document else "nodes" if "graph" in document else "merge"
    if truth is None:
        return f"cyclic, {how}"
    error = Fraction(1, 10 ** (DIGITS - 10))
    listed = "proves" if "proves" in document else "claims"
    (claim,) = document[listed]
    assert Fraction(claim["lower"]) <= truth + error
    assert truth - error <= Fraction(claim["upper"])
    random = Random(f"{case['seed']} changes")
    bent = document
    for _ in range(case["changes"]):
        bent = bent_once(bent, random, PARTS if listed == "proves" else PARTS[-2:])
    for side, false in (("upper", truth - CLOSE), ("lower", truth + CLOSE)):
        lie = changed(bent, (listed, 0, side), str(false))
        lie[listed][0]["lower" if side == "upper" else "upper"] = "0" if side == "upper" else "1"
        assert not accepted(seen, lie), (side, lie)
    return how


CASES = [FuzzClass("functions", random_case, check_case)]
