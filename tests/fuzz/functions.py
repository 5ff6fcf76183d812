"""Certificates over functions of e^(1/k): those of the engine are accepted, and no change makes a false claim accepted.

The truth is known to 500 digits from words (`tests.reference.functions`), for chains that end.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from deltachain import Chain
from deltachain.beliefs.question import Terms
from deltachain.beliefs.search import search
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.certificate.record import claims_of
from deltachain.certificate.verification import Seen, parse_document
from deltachain.errors import CertificateRejected
from deltachain.numbers.exponential import as_exponential, exp_of
from tests.fuzz.driver import FuzzClass
from tests.reference.functions import DIGITS, chain_of, gain, random_functions

Case = dict[str, Any]
Path = tuple[Any, ...]
CLOSE = Fraction(1, 10**50)
PARTS = ("beliefs", "graph", "values", "nodes", "upper", "lower", "row_bits", "bits")
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
    document = json.loads("".join(answer.certificate().chunks()))
    if case["cyclic"]:
        return chain, document, None
    alpha = as_exponential(rational) if case["epsilon"] is None else exp_of(Fraction(case["epsilon"]))
    truth = max(gain(rows, labels, way, alpha, 8) for way in ((0, 1), (1, 0)))
    return chain, document, Fraction(truth)


def numbers(value: Any, at: Path = ()) -> Iterator[tuple[Path, int]]:
    """The places of whole numbers inside, and the numbers."""
    if isinstance(value, dict | list):
        for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(inside, (*at, key))
    elif isinstance(value, int) or (isinstance(value, str) and value.lstrip("-").isdigit()):
        yield at, int(value)


def functions(value: Any, at: Path = ()) -> Iterator[tuple[Path, str]]:
    """The places of functions of e^(1/k) inside, as coefficients, and their texts."""
    if isinstance(value, dict | list):
        for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
            yield from functions(inside, (*at, key))
    elif isinstance(value, str) and re.fullmatch(r"[-\d]+( [-\d]+)*(/[-\d]+( [-\d]+)*)?", value) and " " in value:
        yield at, value


def changed(document: Any, place: Path, value: Any) -> Any:
    """A copy with another value there."""
    found = copy.deepcopy(document)
    inside = found
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    return found


def accepted(seen: Seen, document: Any) -> bool:
    try:
        seen.verify(parse_document(document))
    except CertificateRejected:
        return False
    return True


def check_case(case: Case) -> str:
    """AssertionError if the certificate is rejected, or if a false claim is accepted after changes."""
    chain, document, truth = drawn(case)
    seen = Seen(chain)
    assert seen.model.sha256() == chain.sha256
    assert accepted(seen, document), "the engine's certificate"
    how = "recipes" if "recipes" in document else "graph" if "graph" in document else "merge"
    if truth is None:
        return f"cyclic, {how}"
    error = Fraction(1, 10 ** (DIGITS - 10))
    (claim,) = claims_of(document)
    assert Fraction(claim["lower"]) <= truth + error
    assert truth - error <= Fraction(claim["upper"])
    random = Random(f"{case['seed']} changes")
    places = [place for place, _ in numbers({part: document[part] for part in PARTS if part in document})]
    bent = document
    for place in random.sample(places, min(len(places), case["changes"])):
        known = dict(numbers(bent))[place]
        bent = changed(bent, place, str(known + random.choice([-1, 1, 1, 2, -known])))
    texts = [place for place, _ in functions({part: bent[part] for part in PARTS if part in bent})]
    for place in random.sample(texts, min(len(texts), case["changes"])):
        pieces = re.split(r"([ /])", dict(functions(bent))[place])
        n = 2 * random.randrange((len(pieces) + 1) // 2)
        pieces[n] = str(int(pieces[n]) + random.choice([-1, 1, 2]))
        bent = changed(bent, place, "".join(pieces))
    for side, false in (("upper", truth - CLOSE), ("lower", truth + CLOSE)):
        lie = copy.deepcopy(bent)
        claims_of(lie)[0].update({"lower": "0", "upper": "1", side: str(false)})
        assert not accepted(seen, lie), (side, lie)
    return how


CASES = [FuzzClass("functions", random_case, check_case)]
