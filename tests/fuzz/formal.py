"""The two checkers: certificates of small systems of every kind, as they are and changed, are judged alike.

Exact systems, recipes over boxes with claims at what they prove or one unit beyond it, and the certificates over
functions of e^(1/k) and over boxes that are kept as files.
"""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

from deltachain import delta, distance
from deltachain.certificate.older import older_model_of
from deltachain.errors import CertificateRejected, NotConverged
from deltachain.examples import build
from deltachain_checker_v1.read import parse, read_file, read_model
from deltachain_checker_v1.recipes import Recipes
from deltachain_checker_v1.rules import opened
from tests.certificates.fixtures import KEPT, model_path
from tests.certificates.fixtures import document_of as kept_document
from tests.certificates.live import as_older, written
from tests.certificates.two_checkers import NOT_PROVED, agreed, is_built
from tests.fuzz import boxes
from tests.fuzz.driver import FuzzClass
from tests.fuzz.intervals import mutate
from tests.reference.boxes import random_boxes

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
    """The model and the certificate of a case, in the words of format 1."""
    chain = build(case["spec"])
    s, t = chain.relation[0] if chain.relation else (0, 1)
    if case["about"] == "delta":
        found: Any = delta(chain, s, t, exp_epsilon=case["alpha"], max_nodes=case["nodes"])
    else:
        found = distance(chain, s, t, exp_epsilon=case["alpha"], kind=case["about"], exact=case["exact"])
    document = as_older(chain, written(found.certificate))
    for where, how in case["mutations"]:
        mutate(document, where, how)
    return older_model_of(chain), document


def check_agreement(case: Case) -> str:
    """How both checkers judge it; vacuous, and said to be, where the proved one is not built."""
    if not is_built():
        return "not built"
    try:
        model, document = document_of(case)
    except NotConverged:
        return "no exact distance"  # which is said, and not claimed
    except CertificateRejected as reason:
        if NOT_PROVED not in reason.rule:
            raise
        return "refused"
    return agreed(model, document)


# Recipes over boxes.

KINDS = ["tree", "tree", "-tree", "-tree", "levels", "-levels", "first", "first"]


def box_case(random: Random) -> Case:
    """A chain of boxes, a kind of recipe, whether to claim more than it proves, and changes of the certificate."""
    case = boxes.random_case(random) | {"inputs": random.random() < 0.2, "two_modes": False}
    case |= {"kind": random.choice(KINDS), "beyond": random.choice(["", "", "lower", "upper"])}
    return case | {"mutations": _mutations(random)}


def _mutations(random: Random) -> list[tuple[int, int]]:
    return [(random.randrange(10**6), random.randrange(10**6)) for _ in range(random.choice([0, 0, 1, 1, 2]))]


def box_document(case: Case) -> tuple[Any, Any]:
    """The model, and a certificate by one kind of recipe in both directions, with claims at what they prove."""
    random = Random(case["seed"])
    chain = random_boxes(random, inputs=case["inputs"])
    kind = case["kind"] if not chain.interactive or "tree" in case["kind"] else "tree"
    made, model = boxes.document_of(chain, case, random), older_model_of(chain)
    recipes = [recipe for recipe in made["recipes"] if recipe[2] == kind]
    if "tree" in kind:
        reader = Recipes(model, parse(json.dumps(made)), {side: Fraction(case[side]) for side in ("upper", "lower")})
        recipes.append(boxes.tree_recipe(reader, "1", "0", kind, random))
    else:
        recipes += [["1", "0", *more] for _, _, *more in recipes]
    document: Any = made | {"recipes": recipes, "format": "deltachain.certificate/1", "model": chain.sha256}
    document["exp_epsilon"] = {side: case[side] for side in ("upper", "lower")}
    claim: dict[str, Any] = {"claim": "delta", "pair": ["0", "1"]}
    document["claims"] = [claim]
    found = opened(model, parse(json.dumps(document)))[0].recipes
    unit = Fraction(1, 1 << case["bits"])
    low, high = max(low for low, _ in found.values()), max(high for _, high in found.values())
    claim["lower"] = str(low + unit * (case["beyond"] == "lower"))
    claim["upper"] = str(high - unit * (case["beyond"] == "upper"))
    for where, how in case["mutations"]:
        mutate(document, where, how)
    return model, document


def check_boxes(case: Case) -> str:
    """How both judge it."""
    return agreed(*box_document(case)) if is_built() else "not built"


# Certificates that are kept as files.

NAMES = [name for name in KEPT["accept"] if name.startswith(("functions-", "box-", "values-", "split-"))]


def kept_case(random: Random) -> Case:
    """A certificate over functions, boxes or by splits, of which the upper side alone is proved, and changes of it."""
    name = random.choice(NAMES)
    return {"name": name, "above": name.startswith("split-"), "mutations": _mutations(random)}


def check_kept(case: Case) -> str:
    """How both judge it."""
    if not is_built():
        return "not built"
    document = kept_document("accept", case["name"])
    if case["above"]:
        document["claims"] = [claim | {"lower": 0} for claim in document["claims"]]
    for where, how in case["mutations"]:
        mutate(document, where, how)
    return agreed(read_model(read_file(str(model_path("accept", case["name"])))), document)


CASES = [
    FuzzClass("two checkers", random_case, check_agreement),
    FuzzClass("two checkers, boxes", box_case, check_boxes),
    FuzzClass("two checkers, kept files", kept_case, check_kept),
]
