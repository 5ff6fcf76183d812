"""Proofs about the least pure ε itself: certificates that say both ends, and nothing that is not printed."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import deltachain as dc
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.certificate.checked import TooLarge
from deltachain.certificate.inspection import Inspection
from deltachain.errors import RejectedAnswer
from deltachain.measures.epsilon.limit import beyond
from deltachain.measures.epsilon.matrix import RatioMatrix, ratio_matrix
from deltachain.measures.epsilon.none import by_support
from deltachain.measures.epsilon.pure import RatioProof
from deltachain.measures.epsilon.ratio import ratio_word
from tests.words import says

SENSOR = dc.examples.sticky_sensor()


def sensor() -> tuple[Workspace, RatioProof]:
    work = Workspace(SENSOR, SENSOR.relation)
    s, t = work.merge(work.pairs[0])
    word = ratio_word(work, Cancel())
    assert word is not None
    lower = beyond(work.quotient.chain, (s, t), word)
    matrix = ratio_matrix(work.quotient.chain, [(s, t), (t, s)], lower.ratio, Fraction(1, 10**6), Cancel())
    assert matrix is not None
    return work, RatioProof(work, matrix, lower, lower.ratio)


def document(proof: RatioProof) -> Any:
    return json.loads("".join(proof.certificate().chunks()))


def test_one_claim_says_both_ends() -> None:
    _, proof = sensor()
    (claim,) = document(proof)["proves"]
    assert (claim["claim"], claim["pair"], claim["lower"], claim["upper"]) == ("ratio", ["s0", "s1"], "3", "3")
    assert "alpha" not in document(proof), "it is about every ε"
    assert Inspection.of(SENSOR, Cancel()).accept(proof).checked.accepted


def test_each_end_may_stand_alone() -> None:
    work, whole = sensor()
    above = RatioProof(work, whole.matrix, None)
    below = RatioProof(work, None, whole.lower, Fraction(299, 100))
    assert says([*map(str, dc.verify(SENSOR, above.certificate()))])
    assert says([*map(str, dc.verify(SENSOR, below.certificate()))])
    assert Inspection.of(SENSOR, Cancel()).accept(above).checked.accepted
    assert Inspection.of(SENSOR, Cancel()).accept(below).checked.accepted


def test_what_the_checker_rejects_is_never_an_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr("deltachain.certificate.inspection.tempfile.tempdir", str(tmp_path))
    work, whole = sensor()
    too_much = RatioProof(work, None, whole.lower, Fraction(301, 100))
    with pytest.raises(RejectedAnswer, match="the lower bound"):
        Inspection.of(SENSOR, Cancel()).accept(too_much)
    assert whole.matrix is not None
    entries = tuple(entry for entry in whole.matrix.entries if entry.pair != whole.matrix.starts[1])
    with pytest.raises(RejectedAnswer, match="a cover that costs nothing"):
        Inspection.of(SENSOR, Cancel()).accept(RatioProof(work, RatioMatrix(entries, whole.matrix.starts), None))


def test_a_certificate_that_would_be_long_is_given_up() -> None:
    _, proof = sensor()
    with pytest.raises(TooLarge):
        proof.certificate(100)


@pytest.mark.parametrize("example", ["lockout", "clamped-geometric", "partial-sum", "random,n=6,seed=1"])
def test_a_word_of_one_state_alone_is_about_every_epsilon(example: str) -> None:
    chain = dc.examples.build(example)
    reason = by_support(Workspace(chain, chain.relation), Cancel())
    bound = dc.epsilon(chain, delta=0, certificate=True)
    assert bound.impossible or reason is None
    if reason is None:
        return
    proof = RatioProof(Workspace(chain, chain.relation), None, reason)
    (said,) = dc.verify(chain, proof.certificate())
    assert says(str(said), "is infinite, δ")
    assert bound.certificate is not None
    assert dc.verify(chain, bound.certificate)


def test_different_labels_are_told_apart_by_the_first_letter() -> None:
    chain = dc.examples.coin()
    bound = dc.epsilon(chain, 0, len(chain) - 1, delta=0, certificate=True)
    assert bound.impossible
    assert bound.certificate is not None
    (said,) = dc.verify(chain, bound.certificate)
    assert says(str(said), "at every exp_epsilon")
    assert bound.headline.endswith("; checked")


def test_a_larger_least_delta_is_proved_beside_the_word() -> None:
    """Two words of one state alone: each is about every ε, their sum is searched at one."""
    chain = dc.Chain.from_dicts(
        {
            "s": {"a": "1/4", "b": "1/4", "c": "1/2"},
            "t": {"c": 1},
            **{each: {each: 1} for each in "abc"},
        },
        {"s": "s", "t": "s", "a": "a", "b": "b", "c": "c"},
    )
    bound = dc.epsilon(chain, "s", "t", delta=0, certificate=True)
    assert bound.least_delta == Fraction(1, 2)
    assert says(bound.headline, "checked up to")
    assert bound.certificate is not None
    at_one, everywhere = dc.verify(chain, bound.certificate)
    assert says(str(at_one), "at exp_epsilon")
    assert says(str(everywhere))
