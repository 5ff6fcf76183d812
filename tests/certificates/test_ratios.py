"""Largest likelihood ratios: what the checker accepts holds for all short words, and no number can be bent."""

from __future__ import annotations

import copy
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.certificate.verification import Seen, claimed_pairs, require_claimed
from deltachain.errors import CertificateRejected
from deltachain.model.words import word_probability
from deltachain_checker_v1 import CertificateRejected as Rejected
from deltachain_checker_v1.ratios import primitive
from tests.reference.random_chains import random_chain
from tests.reference.word_ratios import largest_word_ratio

from .fixtures import KEPT, document_of, model_named, proved
from .live import accepted, at, changed, judged, numbers, text, written

LETTERS = 5


@cache
def random_documents() -> tuple[tuple[Chain, tuple[int, int], Any], ...]:
    """Certificates about ratios of random chains: covers, words, limits, pumps, words of one state."""
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
            document = written(bound.certificate)
            if [claim["claim"] for claim in document.get("proves", ())] == ["ratio"]:
                found.append((chain, pair, document))
    return tuple(found)


def holds(chain: Chain, pair: tuple[int, int], claim: Any) -> bool:
    """Whether no short word contradicts a claim, and no word a δ at every ε."""
    largest = largest_word_ratio(chain, *pair, LETTERS)
    if "delta" in claim:
        x, y = (word_probability(chain, chain.number(state), claim["words"]) for state in first_of(claim))
        return not y and Fraction(claim["delta"]) <= x
    return "upper" not in claim or (largest is not None and largest <= Fraction(claim["upper"]))


def first_of(claim: Any) -> list[str]:
    """The states of a claim, that of which the words show more first."""
    return [claim["first"], *(state for state in claim["pair"] if state != claim["first"])]


def kind_of(claim: Any) -> str:
    """By what it is proved from below."""
    if not isinstance(claim.get("words"), dict):
        return "word" if "words" in claim else "none"
    return "pump" if "more" in claim["words"] else "limit"


def test_every_kind_of_proof_occurs_and_holds() -> None:
    kinds, cited = set(), 0
    for chain, pair, document in random_documents():
        (claim,) = document["proves"]
        assert judged(chain, document)
        assert holds(chain, pair, claim)
        kinds |= claim.keys() | {kind_of(claim)}
        for w, value, rule, cover in document.get("claims", ()):
            # Of value 0: no word gains on w, that is, the ratio of masses of words is at most what w says.
            assert (value, rule) == ("0", "step")
            cited += len(cover)
            for length in range(LETTERS):
                for letters in product(sorted(chain.alphabet), repeat=length):
                    word = (chain.labels[chain.number(w[0][0])], *letters)
                    masses = [(Fraction(x), word_probability(chain, chain.number(state), word)) for state, x in w]
                    assert sum(x * y for x, y in masses) <= 0
    assert kinds >= {"upper", "lower", "covers", "word", "limit", "pump", "delta"}
    assert cited > 20


def test_no_change_of_a_number_proves_a_falsehood() -> None:
    draw, rejected, kept = Random(5), Counter[str](), 0
    for chain, pair, document in random_documents():
        true, seen = document["proves"][0], Seen(chain)
        places = [path for path in numbers(document) if at(document, path) != "0"]
        for path in draw.sample(places, min(25, len(places))):
            by = draw.choice([Fraction(1, 2), Fraction(99, 100), Fraction(101, 100), Fraction(3), Fraction(-1)])
            bent = changed(document, path, text(Fraction(at(document, path)) * by))
            (claim,) = bent["proves"]
            if not accepted(seen, bent):
                rejected[kind_of(true)] += 1
                continue
            kept += 1
            # What is still accepted is a weaker claim, or a proof with room.
            assert holds(chain, pair, claim)
            if true.get("lower") == true.get("upper"):
                assert Fraction(claim["lower"]) <= Fraction(true["lower"])
                assert Fraction(claim["upper"]) >= Fraction(true["upper"])
    assert min(rejected["word"], rejected["limit"]) > 20, rejected
    assert rejected["pump"] > 10
    assert kept > 20


def test_no_bound_that_is_exact_can_be_sharpened() -> None:
    tried = 0
    for chain, _, document in random_documents():
        claim = document["proves"][0]
        if "upper" in claim and claim.get("lower") == claim["upper"] and "words" in claim:
            for side, by in (("upper", -1), ("lower", 1)):
                bent = changed(document, ("proves", 0, side), text(Fraction(claim[side]) + Fraction(by, 10**30)))
                with pytest.raises(
                    CertificateRejected, match=f"the {side} bound|a cover that costs nothing|at least 1"
                ):
                    judged(chain, bent)
                tried += 1
    assert tried > 20


@pytest.mark.parametrize("name", ["ratio-sensor", "ratio-tree-and-word", "ratio-coin", "ratio-merge"])
def test_no_bound_of_an_exact_ratio_can_be_sharpened(name: str) -> None:
    model, document = model_named(KEPT["accept"][name]["model"]), document_of("accept", name)
    for side, by in (("upper", Fraction(999_999, 10**6)), ("lower", Fraction(1_000_001, 10**6))):
        bent = copy.deepcopy(document)
        bent["claims"][0][side] = str(Fraction(bent["claims"][0][side]) * by)
        with pytest.raises(Rejected, match=f"the {side} bound"):
            proved(model, bent)


def test_claims_of_every_kind_stand_beside_each_other() -> None:
    """One that is about an ε needs it, whatever the others do."""
    delta, ratio = document_of("accept", "coin-delta"), document_of("accept", "ratio-coin")
    both = delta | {"ratios": ratio["ratios"], "claims": delta["claims"] + ratio["claims"]}
    assert len(proved(model_named("coin"), both)) == 2
    del both["exp_epsilon"]
    with pytest.raises(Rejected):
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
