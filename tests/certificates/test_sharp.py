"""Certificates of sd: tight, and rejected when an arc, a shift or a kind is not what it must be."""

from __future__ import annotations

import copy
import json
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

from .fixtures import document_of

DINERS = examples.dining_cryptographers(n=2, p="49/100")


def document(chain: Chain, alpha: Fraction, **options: Any) -> dict[str, Any]:
    pair = chain.number("s0"), chain.number("s1")
    found = solve(chain, alpha, kind="sd", pairs=[pair], **options)
    loaded: dict[str, Any] = json.loads(
        "".join(DistanceEvidence(found.chain, found, asked=[pair]).certificate().chunks())
    )
    return loaded


@pytest.fixture(scope="module")
def sharp() -> dict[str, Any]:
    return document(DINERS, Fraction("1.0002"), exact=True)


@pytest.fixture(scope="module")
def traced() -> dict[str, Any]:
    found: dict[str, Any] = document_of("accept", "sd-up-to-traces")
    return found


def rejected(chain: Chain, data: dict[str, Any], match: str) -> None:
    with pytest.raises(CertificateRejected, match=match):
        verify(chain, Certificate(data))


def test_the_certificate_has_both_kinds_of_arcs(sharp: dict[str, Any]) -> None:
    assert any(entry[3] for entry in sharp["distances"])
    assert any(entry[5] for entry in sharp["distances"])
    assert str(verify(DINERS, Certificate(sharp))[0]).startswith("sd(s0, s1) = 7501/25000000")


def test_no_value_can_be_lowered(sharp: dict[str, Any]) -> None:
    for at, entry in enumerate(sharp["distances"]):
        data = copy.deepcopy(sharp)
        if entry[2] != "0":
            data["distances"][at][2] = str(Fraction(entry[2]) * Fraction(999, 1000))
            rejected(DINERS, data, "R1")


def test_no_complement_arc_can_be_changed_or_lost(sharp: dict[str, Any]) -> None:
    for at, entry in enumerate(sharp["distances"]):
        for arc in range(len(entry[5])):
            for factor in (0, Fraction(1, 2), 2):
                data = copy.deepcopy(sharp)
                data["distances"][at][5][arc][2] = str(Fraction(entry[5][arc][2]) * factor)
                rejected(DINERS, data, "flow|R1")
            data = copy.deepcopy(sharp)
            data["distances"][at][5][arc][2] = "-1"
            rejected(DINERS, data, "an arc")


def test_complement_arcs_prove_nothing_about_ld(sharp: dict[str, Any]) -> None:
    rejected(DINERS, sharp | {"kind": "ld"}, "kind's own arcs")


def test_prices_of_ld_are_too_large_for_sd() -> None:
    pair = DINERS.number("s0"), DINERS.number("s1")
    found = solve(DINERS, Fraction("1.0002"), kind="ld", pairs=[pair], exact=True)
    data = json.loads("".join(DistanceEvidence(found.chain, found, asked=[pair]).certificate().chunks()))
    rejected(DINERS, data | {"kind": "sd"}, "complement")


def test_up_to_traces_is_said_and_has_no_lower_side(traced: dict[str, Any], sharp: dict[str, Any]) -> None:
    assert "up to traces" in str(verify(coin_ahead(), Certificate(traced))[0])
    rejected(coin_ahead(), traced | {"prices": sharp["prices"]}, "no basis")
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
