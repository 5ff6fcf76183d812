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
from deltachain.certificate.verification import model_of
from deltachain.numbers.fraction import ExpEpsilon
from deltachain_checker import CertificateRejected, ModelFile, describe, parse, read_file, recipes, verify
from deltachain_checker.model import Model
from deltachain_checker.numbers import Rationals, rounded_down
from deltachain_checker.recipes import Recipes
from tests.amounts import part_of
from tests.reference.enumerate_events import lv_at_depth
from tests.reference.interactive import start, value
from tests.words import refuses, says

from .test_two import paths_of

ALPHA = Fraction(11, 10)
NAMES = ("recipe-tree", "recipe-vectors", "recipe-levels", "recipe-grid")
Pair = tuple[str, str]


def model_and_document(name: str) -> tuple[Model, Any]:
    """A kept certificate that is accepted, as plain JSON values, and its chain."""
    model, document = (read_file(path) for path in paths_of("accept", name))
    return ModelFile(model).over(Rationals()), json.loads(json.dumps(document))


def replayed(model: Model, document: Any, alpha: Fraction = ALPHA) -> dict[Pair, tuple[Fraction, Fraction]]:
    """What the recipes of a document prove, by direction."""
    document = parse(json.dumps(document))
    found = Recipes(model, lambda part: document.get(part, []), (alpha, alpha))
    ways = {(s, t): [k for k, other in enumerate(found.data) if other[:2] == [s, t]] for s, t, *_ in found.data}
    return {way: found.bounds("recipes", *way, places) for way, places in ways.items()}


def proved(model: Model, document: Any) -> list[str]:
    return [*map(describe, verify(model, parse(json.dumps(document))))]


def changes(document: Any, random: Random) -> Iterator[dict[str, Any]]:
    """The document with one number, or one letter of a tree, changed."""
    for shift in (-59, -1, 1, 40):
        yield document | {"units": [document["units"][0] + shift, document["units"][1]]}
    for k, recipe in enumerate(document["recipes"]):
        for i in range(3, len(recipe)):
            for other in _other_values(recipe[i], random):
                changed = copy.deepcopy(document)
                changed["recipes"][k][i] = other
                yield changed
    for k, (_, after) in enumerate(document.get("vectors", [])):
        for label in after:
            for other in (0, 1, *range(max(0, k - 2), k + 3)):
                changed = copy.deepcopy(document)
                changed["vectors"][k][1][label] = other
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
    model, document = model_and_document(name)
    chain = _chain_of(model)
    truth = {}
    for s, t, *_ in document["recipes"]:
        truth[s, t] = enclosure(chain, (chain.number(s), chain.number(t)))
    ended: Counter[str] = Counter()
    for changed in changes(document, Random(1)):
        try:
            bounds = replayed(model, changed)
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
    model, document = model_and_document(name)
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
    document = {"units": [forest.bits, 30], "recipes": [[*names, *walked.recipe()], [*names, "tree", "xx.x..x.."]]}
    model, random, compared = model_of(chain), Random(3), 0
    for changed in changes(document, random):
        try:
            lower, upper = replayed(model, changed)[names]
        except CertificateRejected:
            continue
        assert lower <= truth <= upper, changed
        compared += 1
    assert compared > 10


def _chain_of(model: Model) -> Chain:
    return Chain.from_dicts({s: dict(rows[None]) for s, rows in model.rows.items()}, dict(model.label))


@pytest.mark.parametrize("recipe", [["levels", 5000, 0], ["grid", 4096, 5000]])
def test_a_short_recipe_of_endless_work_is_refused(recipe: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(examples.sticky_sensor())
    monkeypatch.setattr(recipes, "MOST_STEPS", 5000)
    with refuses(CertificateRejected, "steps of beliefs"):
        replayed(model, {"units": [40, 30], "recipes": [["s0", "s1", *recipe]]})


def test_a_tree_of_endless_sums_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model, document = model_and_document("recipe-inputs")
    monkeypatch.setattr(recipes, "MOST_OPEN", 2)
    with refuses(CertificateRejected, "are not complete"):
        replayed(model, document)


# Random chains against the recursion that lists every belief


def random_model(random: Random, *, loops: bool) -> Chain:
    """States 0 and 1 of one label; some labels with inputs, some rows with denominators that are rounded.

    Without ``loops`` every step leads to a later state, and events end after as many steps as there are states.
    """
    size, letters = random.randint(4, 6) if loops else random.randint(6, 9), "abc"[: random.randint(2, 3)]
    labels = ["a", "a", *(random.choice(letters) for _ in range(size - 2))]
    asked = {letter: random.choice((0, 0, 0, 2)) for letter in letters}

    def row(i: int) -> dict[str, Fraction]:
        targets = range(size) if loops else range(min(max(i + 1, 2), size - 1), size)
        chosen = random.sample(targets, random.randint(1, min(3, len(targets))))
        weights = [random.randint(1, random.choice((3, 3, 10**12))) for _ in chosen]
        return {str(j): Fraction(weight, sum(weights)) for j, weight in zip(chosen, weights, strict=True)}

    rows = {
        str(i): {f"i{k}": row(i) for k in range(asked[label])} if asked[label] else row(i)
        for i, label in enumerate(labels)
    }
    return Chain.from_dicts(rows, {str(i): label for i, label in enumerate(labels)})  # type: ignore[arg-type]


def random_tree(found: Recipes, m: Any, depth: int, random: Random) -> str:
    """The text of a tree of at most this depth; some leaves name a vector of their label."""
    if depth == 0 or random.random() < 0.2:
        label = found.model.label[found.names[next(iter(m))]]
        fitting = [k for k, vector in enumerate(found.vectors) if vector.label in (None, label)]
        return random.choice((".", f"{random.choice(fitting)},"))
    inputs = found.inputs(m)
    steps = (found.step(m, asked)[0] for asked in inputs)
    return "x" + "".join(random_tree(found, after[a], depth - 1, random) for after in steps for a in sorted(after))


def random_recipes(chain: Chain, random: Random, alpha: Fraction, depth: int) -> Any:
    """Of at most so many steps: coarse units, vectors of one or two steps, and a recipe of each kind for "0", "1"."""
    vectors: list[Any] = []
    for _ in range(random.randint(0, 4)):
        label = random.choice(chain.alphabet)
        after = {b: random.choice((0, 1)) for b in chain.alphabet if random.random() < 0.7}
        if vectors and random.random() < 0.5 and len(vectors[0]) < 4:
            after[vectors[0][0]] = 2
        vectors.append([label, after, *([random.choice(chain.inputs[label])] if label in chain.inputs else [])])
    document = {"units": [random.choice((60, random.randint(6, 60))), random.randint(4, 30)], "vectors": vectors}
    found = Recipes(model_of(chain), lambda part: document.get(part, []), (alpha, alpha))  # type: ignore[arg-type,return-value]
    unit = 1 << found.bits
    one, other = ({0: 1, 1: -alpha}, {0: -1, 1: alpha})
    rooted = [
        {found.state[str(i)]: rounded_down(x * Fraction(1), found.bits) for i, x in w.items()} for w in (one, other)
    ]
    assert rooted[0][found.state["0"]] == unit
    trees = [random_tree(found, dict(m), min(depth, 4), random) for m in rooted]
    kinds: list[list[Any]] = [["tree", trees[0]], ["-tree", trees[1]]]
    if not chain.interactive:
        dust = random.choice((0, 0, unit >> 5))
        kinds += [["levels", depth, dust], ["-levels", depth, dust], ["grid", random.randint(2, 9), depth]]
    return document | {"recipes": [["0", "1", *kind] for kind in kinds]}


@pytest.mark.parametrize("seed", range(part_of(200)))
def test_recipes_of_random_chains_contain_what_events_gain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random, loops = Random(seed), seed % 2 == 0
    monkeypatch.setattr(recipes, "DIRECTION", random.choice((0, 1, 3, 12)))  # so that beliefs are joined
    chain, alpha = random_model(random, loops=loops), random.choice((Fraction(1), ALPHA, Fraction(7, 3)))
    # Three steps, and vectors of two, end after five: V_5 is at least what is proved from below.
    depth, ended = (3, 5) if loops else (len(chain), len(chain))
    document = random_recipes(chain, random, alpha, depth)
    truth = value(chain, start(chain, "0", "1", alpha), ended)
    for recipe in document["recipes"]:
        try:
            bounds = replayed(model_of(chain), document | {"recipes": [recipe]}, alpha)
        except CertificateRejected as reason:
            assert recipe[2] == "grid"
            assert says(str(reason), "beliefs over two")  # noqa: PT017
            continue
        lower, upper = bounds["0", "1"]
        assert lower <= truth <= upper, (seed, recipe)


def test_a_vector_that_is_rounded_down_gains_no_more_than_its_event() -> None:
    """At t the event has probability 1/3, and the vector a little less, which must not count as a gain."""
    rows = {"s": {"h": "1/2", "e": "1/2"}, "t": {"h": "1/3", "e": "2/3"}, "h": {"h": 1}, "e": {"e": 1}}
    chain = Chain.from_dicts(rows, {"s": "go", "t": "go", "h": "heads", "e": "tails"})
    document = {"units": [59, 30], "vectors": [["go", {"heads": 1}]], "recipes": [["s", "t", "tree", "2,"]]}
    lower, _ = replayed(model_of(chain), document, Fraction(1))["s", "t"]
    assert Fraction(1, 6) - Fraction(1, 1 << 28) < lower <= Fraction(1, 6)


def test_beliefs_that_are_joined_cost_what_they_differ_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """After x the signs are one way round, after y the other: added up, nothing could be gained."""
    rows = {
        "s": {"x1": "3/8", "x2": "1/8", "y1": "1/8", "y2": "3/8"},
        "t": {"x1": "1/8", "x2": "3/8", "y1": "3/8", "y2": "1/8"},
    }
    labels = {"s": "go", "t": "go", "a": "a", "b": "b"}
    for seen, other in (("x1", "a"), ("x2", "b"), ("y1", "a"), ("y2", "b")):
        rows[seen], labels[seen] = {"i" if other == "a" else "j": "1"}, seen[0]
    for hidden, (to_a, to_b) in {"i": ("9/10", "1/10"), "j": ("1/10", "9/10")}.items():
        rows[hidden], labels[hidden] = {"a": to_a, "b": to_b}, "hidden"
    rows |= {"a": {"a": "1"}, "b": {"b": "1"}}
    chain = Chain.from_dicts(rows, labels)
    truth = lv_at_depth(chain, "s", "t", Fraction(1), 6)
    monkeypatch.setattr(recipes, "direction_of", lambda m, _: tuple(m))
    _, upper = replayed(model_of(chain), {"units": [50, 30], "recipes": [["s", "t", "levels", 5, 0]]}, Fraction(1))[
        "s", "t"
    ]
    assert upper >= truth > Fraction(1, 4)
