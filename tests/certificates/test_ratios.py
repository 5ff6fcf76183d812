"""Largest likelihood ratios: what the checker accepts holds for all short words, and no number can be bent."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.certificate.kernel import NOT_PROVED, kernel
from deltachain.certificate.older import older_model_of
from deltachain.certificate.verification import claimed_pairs, require_claimed
from deltachain.model.words import word_probability
from deltachain_checker_v1 import CertificateRejected
from deltachain_checker_v1.ratios import primitive
from deltachain_checker_v1.read import parse
from tests.reference.random_chains import random_chain
from tests.reference.word_ratios import largest_word_ratio

from .fixtures import KEPT, document_of, model_named, proved

LETTERS = 5


@cache
def random_documents() -> tuple[tuple[Chain, tuple[int, int], Any], ...]:
    """Certificates about ratios of random chains: matrices with trees, words, limits, pumps, words of one state."""
    found = []
    for seed in range(400):
        draw = Random(seed)
        chain = random_chain(draw, most_states=5, most_letters=2, parts=draw.choice((3, 6, 12)))
        alike = [(s, t) for s in range(len(chain)) for t in range(s) if chain.labels[s] == chain.labels[t]]
        if not alike:
            continue
        pair = draw.choice(alike)
        bound = dc.epsilon(chain, *pair, delta=0, certificate=True, max_nodes=300)
        if bound.certificate is not None:
            document = json.loads("".join(bound.certificate.chunks()))
            if document["claims"][0]["claim"] == "ratio":
                found.append((chain, pair, document))
    return tuple(found)


def holds(chain: Chain, pair: tuple[int, int], claim: Any) -> bool:
    """Whether no short word contradicts a claim."""
    largest = largest_word_ratio(chain, *pair, LETTERS)
    return "upper" not in claim or (largest is not None and largest <= Fraction(claim["upper"]))


def test_every_kind_of_proof_occurs_and_holds() -> None:
    kinds = set()
    for chain, pair, document in random_documents():
        (claim,) = document["claims"]
        assert proved(older_model_of(chain), document)
        assert holds(chain, pair, claim)
        kinds |= claim.keys()
        kinds |= {
            "tree" for entry in document.get("ratios", ()) for node in entry[3].values() if isinstance(node, dict)
        }
        for i, j, bound, _ in document.get("ratios", ()):
            for length in range(LETTERS):
                for letters in product(sorted(chain.alphabet), repeat=length):
                    word = (chain.labels[chain.number(i)], *letters)
                    x, y = (word_probability(chain, chain.number(state), word) for state in (i, j))
                    assert x <= Fraction(bound) * y  # type: ignore[operator]
    assert kinds >= {"upper", "lower", "word", "limit", "pump", "delta", "tree"}


def numbers_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all numbers that are text."""
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if key not in ("model", "format", "pair", "word", "merge")}
        kept = {key: inner for key, inner in kept.items() if key not in ("prefix", "cycle", "first", "class")}
        return [at for key, inner in kept.items() for at in numbers_of(inner, (*path, key))]
    if isinstance(value, list):
        return [at for key, inner in enumerate(value) for at in numbers_of(inner, (*path, key))]
    return [path] if isinstance(value, str) and value.replace("/", "").isdigit() else []


def changed(document: Any, path: tuple[Any, ...], value: str) -> Any:
    copied = copy.deepcopy(document)
    holder = copied
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return copied


def test_no_change_of_a_number_proves_a_falsehood() -> None:
    draw, accepted, rejected = Random(5), 0, 0
    for chain, pair, document in random_documents():
        true = document["claims"][0]
        places = numbers_of(document)
        for path in draw.sample(places, min(12, len(places))):
            before: Any = document
            for key in path:
                before = before[key]
            by = draw.choice([Fraction(1, 2), Fraction(99, 100), Fraction(101, 100), Fraction(3)])
            bent = changed(document, path, str(Fraction(before) * by))
            (claim,) = bent["claims"]
            try:
                proved(older_model_of(chain), bent)
            except CertificateRejected:
                rejected += 1
                continue
            accepted += 1
            # What is still accepted is a weaker claim, or a proof with room.
            assert holds(chain, pair, claim)
            if true.get("lower") == true.get("upper"):
                assert Fraction(claim["lower"]) <= Fraction(true["lower"])
                assert Fraction(claim["upper"]) >= Fraction(true["upper"])
    assert rejected > 200
    assert accepted > 20


@pytest.mark.parametrize("name", ["ratio-sensor", "ratio-tree-and-word", "ratio-coin", "ratio-merge"])
def test_no_bound_of_an_exact_ratio_can_be_sharpened(name: str) -> None:
    model, document = model_named(KEPT["accept"][name]["model"]), document_of("accept", name)
    for side, by in (("upper", Fraction(999_999, 10**6)), ("lower", Fraction(1_000_001, 10**6))):
        bent = copy.deepcopy(document)
        bent["claims"][0][side] = str(Fraction(bent["claims"][0][side]) * by)
        with pytest.raises(CertificateRejected, match=f"the {side} bound"):
            proved(model, bent)


@pytest.mark.parametrize("name", [name for name in KEPT["accept"] if name.startswith("ratio-")])
def test_the_proved_checker_refuses_them_by_name(name: str) -> None:
    model = model_named(KEPT["accept"][name]["model"])
    with pytest.raises(CertificateRejected, match=NOT_PROVED):
        kernel(model, parse(json.dumps(document_of("accept", name))))


def test_claims_of_every_kind_stand_beside_each_other() -> None:
    """One that is about an ε needs it, whatever the others do."""
    delta, ratio = document_of("accept", "coin-delta"), document_of("accept", "ratio-coin")
    both = delta | {"ratios": ratio["ratios"], "claims": delta["claims"] + ratio["claims"]}
    assert len(proved(model_named("coin"), both)) == 2
    del both["exp_epsilon"]
    with pytest.raises(CertificateRejected):
        proved(model_named("coin"), both)


def slowly_primitive(moves: dict[str, set[str]]) -> bool:
    """By one step after the other, more than ever needed."""
    reached = {i: {i} for i in moves}
    for _ in range(len(moves) ** 2 + 2):
        reached = {i: {k for j in there for k in moves[j]} for i, there in reached.items()}
    return all(there == {*moves} for there in reached.values())


def test_primitive_classes_against_single_steps() -> None:
    draw, seen = Random(2), set()
    for _ in range(2000):
        states = "abcde"[: draw.randint(1, 5)]
        moves = {i: {k for k in states if draw.random() < 0.4} for i in states}
        assert primitive(moves) == slowly_primitive(moves)
        seen.add(primitive(moves))
    assert seen == {True, False}


def test_a_claim_about_a_domain_may_be_one_about_ratios() -> None:
    chain = dc.examples.sticky_sensor()
    bound = dc.epsilon(chain, delta=0, certificate=True)
    assert bound.certificate is not None
    assert claimed_pairs(dc.verify(chain, bound.certificate)) == {frozenset(("s0", "s1"))}
    require_claimed(chain, dc.verify(chain, bound.certificate))
