"""Certificates of sd: tight, and rejected when a coefficient, a shift or a kind is not what it must be."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from deltachain import examples, verify
from deltachain.certificate.distances import DistanceEvidence
from deltachain.certificate.record import Certificate
from deltachain.distances.fixed_point import solve
from deltachain.errors import CertificateRejected
from deltachain.model import Chain
from tests.reference.sharp import coin_ahead
from tests.words import says

from .fixtures import document_of
from .live import as_older, written

DINERS = examples.dining_cryptographers(n=2, p="49/100")


def document(chain: Chain, alpha: Fraction, kind: Any = "sd") -> dict[str, Any]:
    pair = chain.number("s0"), chain.number("s1")
    found = solve(chain, alpha, kind=kind, pairs=[pair], exact=True)
    loaded: dict[str, Any] = written(DistanceEvidence(found.chain, found, asked=[pair]).certificate())
    return loaded


@pytest.fixture(scope="module")
def sharp() -> dict[str, Any]:
    return document(DINERS, Fraction("1.0002"))


@pytest.fixture(scope="module")
def traced() -> dict[str, Any]:
    """Of format 1: up to traces nothing is written any more."""
    found: dict[str, Any] = document_of("accept", "sd-up-to-traces")
    return found


def rejected(chain: Chain, data: dict[str, Any], match: str) -> None:
    with pytest.raises(CertificateRejected, match=match):
        verify(chain, Certificate(data))


def complements(data: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """Claims, and the places in their covers, where a claim is cited by a negative coefficient."""
    for at, (_, _, _, cover) in enumerate(data["claims"]):
        yield from ((at, k) for k, (_, c) in enumerate(cover) if Fraction(c) < 0)


def about(data: dict[str, Any], kind: str) -> dict[str, Any]:
    """The same certificate, of another distance."""
    claims = [claim | {"claim": kind} for claim in data["proves"]]
    return data | {"distances": data["distances"] | {"kind": kind}, "proves": claims}


def test_the_certificate_cites_claims_and_their_complements(sharp: dict[str, Any]) -> None:
    assert [*complements(sharp)]
    assert any(Fraction(c) > 0 for _, _, _, cover in sharp["claims"] for _, c in cover)
    assert says(str(verify(DINERS, Certificate(sharp))[0]), "sd(s0")


def test_no_value_can_be_lowered(sharp: dict[str, Any]) -> None:
    lowered = 0
    for at, (_, value, _, _) in enumerate(sharp["claims"]):
        if value != "0":
            data = copy.deepcopy(sharp)
            data["claims"][at][1] = str(Fraction(value) * Fraction(999, 1000))
            rejected(DINERS, data, "what the cover costs")
            lowered += 1
    assert lowered > 1


def test_no_complement_can_be_changed_or_lost(sharp: dict[str, Any]) -> None:
    for at, k in complements(sharp):
        before = Fraction(sharp["claims"][at][3][k][1])
        for after in (0, before / 2, 2 * before, -before):
            data = copy.deepcopy(sharp)
            data["claims"][at][3][k][1] = str(after)
            rejected(DINERS, data, "what the cover costs")
        data = copy.deepcopy(sharp)
        del data["claims"][at][3][k]
        rejected(DINERS, data, "what the cover costs")


@pytest.mark.parametrize("kind", ["bd", "ld"])
def test_complements_prove_nothing_about_other_distances(sharp: dict[str, Any], kind: str) -> None:
    rejected(DINERS, about(sharp, kind), f"no complements in {kind}")


def test_prices_of_ld_are_too_large_for_sd() -> None:
    rejected(DINERS, about(document(DINERS, Fraction("1.0002"), "ld"), "sd"), "complement of")


def test_the_same_holds_of_format_1(sharp: dict[str, Any]) -> None:
    older = as_older(DINERS, sharp)
    assert says(str(verify(DINERS, Certificate(older))[0]), "sd(s0")
    changed = 0
    for at, entry in enumerate(older["distances"]):
        if entry[2] != "0":
            data = copy.deepcopy(older)
            data["distances"][at][2] = str(Fraction(entry[2]) * Fraction(999, 1000))
            rejected(DINERS, data, "R1")
        for arc in range(len(entry[5]) if len(entry) > 5 else 0):
            for factor in (0, Fraction(1, 2), 2, -1):
                data = copy.deepcopy(older)
                data["distances"][at][5][arc][2] = str(Fraction(entry[5][arc][2]) * factor)
                rejected(DINERS, data, "an arc" if factor == -1 else "flow|R1")
                changed += 1
    assert changed
    rejected(DINERS, older | {"kind": "ld"}, "kind's own arcs")
    pair = DINERS.number("s0"), DINERS.number("s1")
    found = solve(DINERS, Fraction("1.0002"), kind="ld", pairs=[pair], exact=True)
    data = as_older(DINERS, written(DistanceEvidence(found.chain, found, asked=[pair]).certificate()))
    rejected(DINERS, data | {"kind": "sd"}, "complement")


def test_up_to_traces_is_said_and_has_no_lower_side(traced: dict[str, Any], sharp: dict[str, Any]) -> None:
    assert "up to traces" in str(verify(coin_ahead(), Certificate(traced))[0])
    rejected(coin_ahead(), traced | {"prices": as_older(DINERS, sharp)["prices"]}, "no basis")
    data = copy.deepcopy(traced)
    data["claims"][0]["lower"] = "1/100"
    rejected(coin_ahead(), data, "lower bound")


def test_a_shift_that_traces_see_is_rejected(traced: dict[str, Any]) -> None:
    shifted = [at for at, entry in enumerate(traced["distances"]) if len(entry) == 7]
    assert shifted
    for at in shifted:
        for k, (_, value) in enumerate(traced["distances"][at][6]):
            data = copy.deepcopy(traced)
            data["distances"][at][6][k][1] = str(Fraction(value) + Fraction(1, 7))
            rejected(coin_ahead(), data, "shift")


def test_a_shift_needs_a_basis_that_is_one(traced: dict[str, Any]) -> None:
    rejected(coin_ahead(), {key: value for key, value in traced.items() if key != "basis"}, "basis")
    data = copy.deepcopy(traced)
    data["basis"]["vectors"] = data["basis"]["vectors"][:1]
    data["basis"]["one"] = data["basis"]["one"][:1]
    data["basis"]["step"] = {a: [row[:1] for row in rows[:1]] for a, rows in data["basis"]["step"].items()}
    rejected(coin_ahead(), data, "R5")
