"""The meter of a check: it counts what is done, can end a check, and never turns into a rejection."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from deltachain import delta, distance, examples, profile
from deltachain.certificate.verification import Seen, parse_document, verify_bytes
from deltachain.errors import CertificateRejected as Rejected
from deltachain_checker import measures
from deltachain_checker import meter as today
from deltachain_checker_v1 import CertificateRejected, Meter, Unfinished, endings, verify
from deltachain_checker_v1.meter import metered, spend
from deltachain_checker_v1.read import parse

from .fixtures import KEPT, document_of, model_named
from .live import as_older


@pytest.mark.sample(30)
@pytest.mark.parametrize("name", KEPT["accept"])
def test_the_count_is_the_same_each_time_and_one_step_less_is_not_enough(name: str) -> None:
    model, data = model_named(KEPT["accept"][name]["model"]), parse(json.dumps(document_of("accept", name)))
    first, again = Meter(), Meter()
    proved = verify(model, data, first)
    verify(model_named(KEPT["accept"][name]["model"]), data, again)
    assert first.steps == again.steps > 0
    assert verify(model, data, Meter(first.steps)) == proved
    with pytest.raises(Unfinished) as ended:
        verify(model_named(KEPT["accept"][name]["model"]), data, Meter(first.steps - 1))
    assert ended.value.reason == "steps"


def test_a_check_that_is_stopped_says_so() -> None:
    name, entry = next(iter(KEPT["accept"].items()))
    with pytest.raises(Unfinished) as ended:
        verify(model_named(entry["model"]), parse(json.dumps(document_of("accept", name))), Meter(stopped=lambda: True))
    assert ended.value.reason == "stopped"
    assert not isinstance(ended.value, CertificateRejected)


def test_work_counts_on_the_meter_of_its_own_check() -> None:
    outer, inner = Meter(), Meter()
    with metered(outer):
        spend(3)
        with metered(inner):
            spend(5)
        with metered(None):
            spend(7)
        spend(11)
    spend(13)
    assert (outer.steps, inner.steps) == (14, 5)


@pytest.mark.parametrize("rules", [measures, endings], ids=["of today", "of format 1"])
@pytest.mark.parametrize("order", ["2", "31", "64", "7/2"])
@pytest.mark.parametrize(("count", "length"), [(3, 2000), (12, 200)])
def test_common_divisors_of_long_numbers_are_counted(
    order: str, count: int, length: int, rules: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(5)
    weights = [[random.getrandbits(length) | 1 for _ in range(count)] for _ in range(2)]
    outcomes = [*zip(*([Fraction(each, sum(row)) for each in row] for row in weights), strict=True)]
    taken = 0

    def gcd(*numbers: int) -> int:
        # A step is a tenth of a microsecond, in which some 85,000 products of two bits are done.
        nonlocal taken
        taken += math.prod(number.bit_length() for number in numbers) // 85_000
        return original(*numbers)

    original = math.gcd
    monkeypatch.setattr(math, "gcd", gcd)
    meter = Meter()
    with metered(meter), today.metered(meter):
        rules.renyi(outcomes, Fraction(order))
        if "/" not in order:
            rules.moment(outcomes, int(order))
    assert taken < meter.steps


def test_the_bytes_of_a_file_are_checked_as_they_are() -> None:
    chain = examples.split_coin()
    certificate = delta(chain, exp_epsilon="6/5").certificate
    older = json.dumps(as_older(chain, certificate.document))
    seen = Seen(chain)
    for text, kind, ended, at in (
        ("".join(certificate.chunks()), today.Meter, today.Unfinished, (Fraction(6, 5),)),
        (older, Meter, Unfinished, (Fraction(6, 5), Fraction(6, 5))),
    ):
        data, meter = text.encode(), kind()
        (claim,) = verify_bytes(seen, data, meter)
        assert (claim.measure, claim.lower, claim.upper, claim.at) == ("delta", Fraction(1, 5), Fraction(1, 5), at)
        assert meter.steps > 0
        with pytest.raises(ended):
            verify_bytes(seen, data, kind(meter.steps - 1))
        for wrong in (b"", b"\xff", data[:-3], data.replace(b'"6/5"', b'"7/6"')):
            with pytest.raises(Rejected):
                verify_bytes(seen, wrong)


@pytest.mark.parametrize("kind", ["delta", "sd", "profile"])
def test_the_count_of_the_checker_of_today_is_the_same_each_time(kind: str, tmp_path: Any) -> None:
    chain = examples.dining_cryptographers(n=2)
    certificate: Any
    if kind == "profile":
        certificate = profile(chain, epsilons=[0], orders=[2], kl=True, certificates=tmp_path).certificate
    elif kind == "delta":
        certificate = delta(chain, exp_epsilon="6/5").certificate
    else:
        certificate = distance(chain, exp_epsilon="6/5", kind="sd", exact=True).certificate
    document = parse_document(certificate)
    first, again = today.Meter(), today.Meter()
    proved = Seen(chain).verify(document, first)
    Seen(chain).verify(document, again)
    assert first.steps == again.steps > 0
    assert Seen(chain).verify(document, today.Meter(first.steps)) == proved
    with pytest.raises(today.Unfinished) as ended_at:
        Seen(chain).verify(document, today.Meter(first.steps - 1))
    assert ended_at.value.reason == "steps"
    with pytest.raises(today.Unfinished) as ended_at:
        Seen(chain).verify(document, today.Meter(stopped=lambda: True))
    assert ended_at.value.reason == "stopped"
