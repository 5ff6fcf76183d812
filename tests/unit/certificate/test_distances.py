"""Certificates of distances: accepted as they are, rejected as soon as they claim more."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from deltachain import distance, examples, verify
from deltachain.certificate import inspection
from deltachain.certificate.distances import DistanceEvidence
from deltachain.certificate.record import Certificate
from deltachain.distances.fixed_point import solve
from deltachain.errors import CertificateRejected
from deltachain.measures.distance import verb
from tests.reference.random_chains import random_chain
from tests.words import says


@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
@pytest.mark.parametrize("seed", range(6))
def test_exact_distances_are_proved_from_both_sides(seed: int, kind: str) -> None:
    random = Random(seed)
    chain = random_chain(random, most_states=5)
    while len(chain) < 3:
        chain = random_chain(random, most_states=5)
    alpha = random.choice([Fraction(1), Fraction(6, 5), Fraction(2)])
    found = solve(chain, alpha, kind=kind, exact=True)  # type: ignore[arg-type]
    pairs = [(s, t) for s in range(len(chain)) for t in range(len(chain)) if s != t]
    certificate = DistanceEvidence(found.chain, found, asked=pairs).certificate()
    verify(chain, certificate)
    claims = certificate.document["proves"]
    for pair, claim in zip(pairs, claims, strict=True):
        assert Fraction(claim["upper"]) == Fraction(claim["lower"]) == found[pair]
    for number, claim in enumerate(claims):
        for side, sign in (("upper", -1), ("lower", 1)):
            value = Fraction(claim[side]) + sign * Fraction(1, 10**12)
            if not 0 <= value <= 1:
                continue
            bent = copy.deepcopy(dict(certificate.document))
            bent["proves"][number][side] = str(value)
            with pytest.raises(CertificateRejected):
                verify(chain, Certificate(bent))


def test_only_what_is_cited_is_written() -> None:
    chain = random_chain(Random(5), most_states=6)
    found = solve(chain, Fraction(6, 5), kind="ld", exact=True)
    every = [(s, t) for s in range(len(chain)) for t in range(len(chain)) if s != t]
    whole = DistanceEvidence(found.chain, found, asked=every).certificate().document
    known, fewer = covers_by_pair(whole), 0
    for pair in every:
        part = DistanceEvidence(found.chain, found, asked=[pair]).certificate()
        verify(chain, part)
        kept = covers_by_pair(part.document)
        assert all(known[named] == claim for named, claim in kept.items())
        fewer += len(kept) < len(known)
    assert fewer


def covers_by_pair(document: Mapping[str, Any]) -> dict[Any, Any]:
    """The claims of a certificate by their pairs, which they cite as such."""
    claims = document.get("claims", [])
    pairs = [tuple(pair) for pair, *_ in claims]
    return {
        pair: (value, rule, sorted((pairs[cited], amount) for cited, amount in cover))
        for pair, (_, value, rule, cover) in zip(pairs, claims, strict=True)
    }


def test_the_length_of_a_certificate_is_estimated_before_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = examples.random(n=100, seed=1)
    found = distance(chain, pairs="all", epsilon="1/2", exact=False)
    evidence, length = found._proof, len("".join(found.certificate.chunks()))
    assert evidence is not None
    assert abs(evidence.expected_bytes - length) < length / 5
    assert not evidence.is_beyond(length)
    monkeypatch.setattr(inspection, "MOST_BYTES", length // 2)
    monkeypatch.setattr(verb, "MOST_BYTES", length // 2)
    said = str(distance(chain, pairs="all", epsilon="1/2", exact=False).checked)
    assert says(said)
