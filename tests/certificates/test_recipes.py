"""Tampering with recipes: whatever a recipe says, what the checker computes from it is true.

A recipe lists no belief: the checker computes every one. So a changed recipe is not a false one, only another one. Each
number and each letter of some recipes is changed; the checker refuses it, or the bounds that it computes contain the
truth, which is known: exactly where words end, and closely elsewhere.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from deltachain import Chain, examples
from deltachain.beliefs.signed.forest import Forest
from deltachain.cancel import Cancel
from deltachain.certificate.older import older_model_of
from deltachain.numbers.fraction import ExpEpsilon
from deltachain_checker_v1 import CertificateRejected, recipes
from deltachain_checker_v1.read import Model, parse
from deltachain_checker_v1.recipes import Recipes
from tests.reference.enumerate_events import lv_at_depth

from .fixtures import document_of, model_named, proved

ALPHA = Fraction(11, 10)
AT = {"upper": ALPHA, "lower": ALPHA}
NAMES = {"recipe-tree": "drift", "recipe-vectors": "drift", "recipe-levels": "sensor", "recipe-grid": "sensor"}


def changes(document: Any, random: Random) -> Iterator[dict[str, Any]]:
    """The document with one number, or one letter of a tree, changed."""
    for shift in (-59, -1, 1, 40):
        yield document | {"bits": int(document["bits"]) + shift}
    for k, recipe in enumerate(document["recipes"]):
        for i in range(3, len(recipe)):
            for value in _other_values(recipe[i], random):
                changed = copy.deepcopy(document)
                changed["recipes"][k][i] = value
                yield changed
    for k, (_, after) in enumerate(document.get("vectors", [])):
        for label in after:
            for value in (0, 1, *range(max(0, k - 2), k + 3)):
                changed = copy.deepcopy(document)
                changed["vectors"][k][1][label] = value
                yield changed


def _other_values(value: Any, random: Random) -> list[Any]:
    if isinstance(value, int):
        return [0, 1, value // 2, value + 1, value + 2]
    texts = []
    for at in range(len(value)):
        letter = random.choice([c for c in "x.0123," if c != value[at]])
        texts += [value[:at] + letter + value[at + 1 :], value[:at] + value[at + 1 :], value[:at] + letter + value[at:]]
    return texts


def enclosure(chain: Chain, pair: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """lv of a direction, closely."""
    forest = Forest(chain, [pair], ExpEpsilon.exactly(ALPHA))
    forest.add_grid([pair], 1024, Cancel())
    forest.grow({pair: 4000}, Cancel())
    return forest.bounds(pair)


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_recipe_proves_nothing_false(name: str) -> None:
    model, document = model_named(NAMES[name]), document_of("accept", name)
    chain = _chain_of(model)
    truth = {}
    for s, t, *_ in document["recipes"]:
        truth[s, t] = enclosure(chain, (chain.number(s), chain.number(t)))
    ended: Counter[str] = Counter()
    for changed in changes(document, Random(1)):
        try:
            bounds = Recipes(model, parse(json.dumps(changed)), AT).proved()
        except CertificateRejected:
            ended["refused"] += 1
            continue
        for pair, (lower, upper) in bounds.items():
            least, most = truth[pair]
            assert lower <= most, changed
            assert upper >= least, changed
        ended["true"] += 1
    assert ended["true"] >= 4
    assert ended["refused"] > 0 or name in ("recipe-levels", "recipe-grid")


@pytest.mark.parametrize("name", NAMES)
def test_claims_sharper_than_a_changed_recipe_are_rejected(name: str) -> None:
    """Where the changed recipe proves less than is claimed, the checker says so."""
    model, document = model_named(NAMES[name]), document_of("accept", name)
    assert proved(model, document)
    rejected = 0
    for changed in changes(document, Random(2)):
        try:
            proved(model, changed)
        except CertificateRejected:
            rejected += 1
    assert rejected >= 4


def test_recipes_of_chains_that_end_contain_the_exact_value() -> None:
    chain = examples.survey(rounds=6, p="11/20")
    s, t = chain.relation[0]
    names = chain.states[s], chain.states[t]
    truth = lv_at_depth(chain, s, t, ALPHA, 9)
    forest = Forest(chain, [(s, t)], ExpEpsilon.exactly(ALPHA))
    forest.add_levels([(s, t)], 10_000, acyclic=True, cancel=Cancel())
    (walked,) = forest.known[s, t].others
    document = {"bits": forest.bits, "recipes": [[*names, *walked.recipe()], [*names, "tree", "xx.x..x.."]]}
    model, random, compared = older_model_of(chain), Random(3), 0
    for changed in changes(document, random):
        try:
            lower, upper = Recipes(model, parse(json.dumps(changed)), AT).proved()[names]
        except CertificateRejected:
            continue
        assert lower <= truth <= upper, changed
        compared += 1
    assert compared > 10


def _chain_of(model: Model) -> Chain:
    return Chain.from_dicts({s: dict(row) for s, row in model.row.items()}, dict(model.label))


@pytest.mark.parametrize("recipe", [["levels", 5000, 0], ["grid", 4096, 5000]])
def test_a_short_recipe_of_endless_work_is_refused(recipe: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    model = older_model_of(examples.sticky_sensor())
    monkeypatch.setattr(recipes, "MOST_STEPS", 5000)
    document = {"bits": 40, "recipes": [["s0", "s1", *recipe]]}
    with pytest.raises(CertificateRejected, match="at most 5000 steps of beliefs"):
        Recipes(model, parse(json.dumps(document)), AT).proved()
