"""Where runs end: the checker's own divergences, trade-offs and guesses, against sums over words and bent numbers."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from math import log
from pathlib import Path
from random import Random
from typing import Any

import pytest
from flint import arb, ctx, fmpq

import deltachain as dc
from deltachain import Chain
from deltachain.beliefs.graph.losses import find_losses
from deltachain.beliefs.question import Budget
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.certificate.verification import Seen, verify_certificate
from deltachain.errors import CertificateRejected
from deltachain_checker import measures
from deltachain_checker.certificate import FORMAT
from deltachain_checker_v1 import CertificateRejected as Rejected
from deltachain_checker_v1 import endings
from tests.reference.random_chains import random_chain
from tests.words import says

from .fixtures import document_of, model_named, proved
from .live import accepted, changed, judged, numbers, written

ORDERS = ("2", "3", "5/2")


def measured(chain: Chain, s: int, t: int, folder: Path) -> dc.Profile:
    return dc.profile(
        chain, s, t, epsilons=[0], orders=ORDERS, kl=True, tradeoff=True, certificates=folder, max_nodes=200
    )


@cache
def random_documents() -> tuple[tuple[Chain, Any], ...]:
    """Certificates of random chains: finite graphs, with circles, classes, bases and splits."""
    from tempfile import TemporaryDirectory

    random, found = Random(11), []
    while len(found) < 24:
        chain = random_chain(random, most_states=6, most_letters=2)
        pairs = [(i, j) for i in range(len(chain)) for j in range(i) if chain.labels[i] == chain.labels[j]]
        if not pairs:
            continue
        pair = random.choice(pairs)
        losses = find_losses(Workspace(chain, [pair]), pair, Budget(200), Cancel())
        if losses is None or all(o.first == o.second for o in losses.outcomes):
            continue
        with TemporaryDirectory() as folder:
            curve = measured(chain, *pair, Path(folder))
        if curve.certificate is not None:
            assert curve.checked_tradeoff.accepted
            assert all(each.checked.accepted for group in curve.divergences for each in group)
            found.append((chain, written(curve.certificate)))
    return tuple(found)


def test_all_rules_occur_in_random_certificates() -> None:
    nodes = {len(node) for _, document in random_documents() for node in document.get("graph", ())}
    assert nodes >= {1, 2}  # leaves, and nodes with children
    parts = {part for _, document in random_documents() for part in document}
    assert {"merge", "visits"} <= parts
    assert {document["format"] for _, document in random_documents()} == {FORMAT}


def test_what_is_proved_of_random_chains_is_what_the_losses_say() -> None:
    for chain, document in random_documents():
        claims = document["proves"]
        assert len(verify_certificate(chain, document)) == len(claims)
        both = {tuple(claim["pair"]) for claim in claims}
        known = {pair: dc.profile(chain, *pair, epsilons=[0], max_nodes=200, check=False).losses for pair in both}
        for claim in claims:
            pairs = [(float(o.first), float(o.second)) for o in known[tuple(claim["pair"])] if o.first]
            if claim["claim"] == "tradeoff" or not all(y for _, y in pairs):
                continue
            if claim["claim"] == "kl":
                near = sum(x * log(x / y) for x, y in pairs)
            else:
                a = float(Fraction(claim["order"]))
                near = log(sum(x**a * y ** (1 - a) for x, y in pairs)) / (a - 1)
            assert float(Fraction(claim["lower"])) - 1e-9 <= near <= float(Fraction(claim["upper"])) + 1e-9


def numbers_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of the numbers of an ending of format 1: masses, visits."""
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if key in ("endings", "nodes", "splits", "groups")}
        return [at for key, inner in kept.items() for at in numbers_of(inner, (*path, key))]
    if isinstance(value, list):
        return [at for key, inner in enumerate(value) for at in numbers_of(inner, (*path, key))]
    digits = isinstance(value, str) and value.replace("/", "").isdigit() and "endings" in path
    return [path] if digits and path[-1] == 1 else []


def place(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def bent(document: Any, path: tuple[Any, ...], random: Random) -> Any:
    """A copy with another number there; None where it would be the same."""
    before = Fraction(place(document, path))
    after = before * random.choice([Fraction(1, 2), Fraction(101, 100), 3]) + before % 1
    return changed(document, path, str(after)) if after != before else None


def test_no_mass_and_no_visits_can_be_bent() -> None:
    random, rejected = Random(3), Counter[str]()
    for chain, document in random_documents():
        seen = Seen(chain)
        places = [path for path in numbers(document) if path[0] in ("beliefs", "visits", "unseen")]
        assert places
        for path in random.sample(places, min(10, len(places))):
            other = bent(document, path, random)
            if other is None:
                continue
            if not accepted(seen, other):
                rejected[path[0]] += 1
            else:  # where one mass stands alone its size is free: the claims are the same, and hold
                assert judged(seen, other) == judged(seen, document)
    assert min(rejected["beliefs"], rejected["visits"]) > 20, rejected


@pytest.mark.parametrize(("model", "name"), [("coin", "coin"), ("retry", "circle"), ("waiting-room", "split")])
def test_no_number_of_an_ending_of_format_1_can_be_bent(model: str, name: str) -> None:
    random, rejected = Random(3), 0
    document = document_of("accept", f"ending-{name}")
    for path in numbers_of(document):
        other = bent(document, path, random)
        if other is None:
            continue
        try:
            said = proved(model_named(model), other)
        except Rejected:
            rejected += 1
        else:
            assert said == proved(model_named(model), document)
    assert rejected > 2


def test_no_bound_of_a_claim_can_be_narrowed_beyond_the_truth() -> None:
    tried = 0
    for chain, document in random_documents():
        seen = Seen(chain)
        for number, claim in enumerate(document["proves"]):
            if "upper" not in claim or Fraction(claim["upper"]) == 0:
                continue
            low, high = Fraction(claim["lower"]), Fraction(claim["upper"])
            for side, value in (("lower", high + Fraction(1, 10**20)), ("upper", low - Fraction(1, 10**20))):
                other = changed(document, ("proves", number, side), str(max(value, Fraction(0))))
                with pytest.raises(CertificateRejected, match="bound"):
                    judged(seen, other)
                tried += 1
    assert tried > 60


def test_no_corner_can_be_moved() -> None:
    tried = 0
    for chain, document in random_documents():
        seen = Seen(chain)
        for number, claim in enumerate(document["proves"]):
            for k, corner in enumerate(claim.get("corners", ())):
                for end in (0, 1):
                    value = str(Fraction(corner[end]) + Fraction(1, 10**20))
                    assert not accepted(seen, changed(document, ("proves", number, "corners", k, end), value))
                    tried += 1
            if "corners" in claim:
                assert not accepted(seen, changed(document, ("proves", number, "corners"), claim["corners"][:-1]))
    assert tried > 60


@pytest.mark.parametrize("rules", [measures, endings], ids=["format 2", "format 1"])
def test_logarithms_and_roots_enclose(rules: Any) -> None:
    rooted, logarithm = rules.rooted, rules.logarithm
    random, before = Random(1), ctx.prec
    try:
        ctx.prec = 600
        for _ in range(400):
            top, bottom = (random.randint(1, 10 ** random.randint(1, 40)) for _ in range(2))
            value, q = Fraction(top, bottom), random.randint(2, 12)
            low, high = rooted(value.numerator, value.denominator, q)
            assert low**q <= value <= high**q
            assert high - low <= Fraction(1, 2**rules.PLACES)
            down, up = logarithm(value)
            exact = arb(fmpq(top, bottom)).log()
            assert arb(fmpq(down.numerator, down.denominator)) < exact < arb(fmpq(up.numerator, up.denominator))
            assert up - down < Fraction(1, 2 ** (rules.PLACES - 20))
    finally:
        ctx.prec = before
    assert rooted(9, 4, 2) == (Fraction(3, 2), Fraction(3, 2))
    assert rooted(0, 1, 3) == (0, 0)
    assert logarithm(Fraction(1)) == (0, 0)


def test_guesses_of_several_secrets_are_proved() -> None:
    chain = dc.examples.dining_cryptographers(n=4, p="49/100")
    found = dc.guess(chain)
    assert found.checked.accepted
    said = "the best guess in 1 of s0, s1, s2, s3 = 2503/10000, prior 1/4, 1/4, 1/4, 1/4"
    assert [*map(str, verify_certificate(chain, found.certificate))] == [said]
    document = written(found.certificate)
    document["proves"][0]["upper"] = "2502/10000"
    document["proves"][0]["lower"] = "0"
    with pytest.raises(CertificateRejected, match="upper bound"):
        verify_certificate(chain, document)


def test_what_is_not_certified_says_so() -> None:
    curve = dc.profile(dc.examples.survey(), epsilons=[0], orders=[2], zcdp=True, repeat=2)
    assert all("composed" in str(each.checked) for group in curve.divergences for each in group)
    alone = dc.profile(dc.examples.survey(), epsilons=[0], zcdp=True)
    assert says(alone.divergences[0][0].headline, "no rule for")
    assert dc.profile(dc.examples.survey(), epsilons=[0]).renyi(2).checked.accepted is False
    asked = dc.guess(dc.examples.adaptive_survey())
    assert asked.checked.accepted is None
    assert "the observer asks" in asked.headline
    fine = dc.profile(dc.examples.survey(), epsilons=[0], orders=["1.00001"])
    assert "orders p/q" in str(fine.divergences[0][0].checked)


def test_a_finer_base_of_states_that_are_not_reached_is_not_that_of_a_claim(tmp_path: Path) -> None:
    """Claims and endings are written in powers of one X; a state that no secret reaches has no say in which."""
    states = {
        "s": {"label": "go", "to": {"a": "exp(1)/(1+exp(1))", "b": "1/(1+exp(1))"}},
        "t": {"label": "go", "to": {"a": "1/(1+exp(1))", "b": "exp(1)/(1+exp(1))"}},
        "a": {"label": "a", "to": {"a": 1}},
        "b": {"label": "b", "to": {"b": 1}},
        "far": {"label": "go", "to": {"a": "exp(1/2)/(1+exp(1/2))", "b": "1/(1+exp(1/2))"}},
    }
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"format": "deltachain.chain/1", "states": states, "relation": [["s", "t"]]}))
    assert dc.guess(path, ["s", "t"]).checked.accepted
    found = dc.profile(path, epsilons=[0], orders=["2"], kl=True, tradeoff=True)
    assert all(each.checked.accepted for group in found.divergences for each in group)
    assert found.checked_tradeoff.accepted
