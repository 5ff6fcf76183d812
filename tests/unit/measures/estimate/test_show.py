"""The verb `estimate` in Python: what it is asked, what it says, and that it never claims a proof."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

import deltachain as dc
from deltachain.errors import InputError
from tests.amounts import fewer_or_all
from tests.words import says

CHAIN = dc.examples.build("random,n=12,labels=2,degree=3,seed=2")
LARGER = dc.examples.build("random,n=24,labels=2,degree=3,seed=2")
EITHER = fewer_or_all("chain", CHAIN, LARGER)
FEW: dict[str, Any] = {"max_nodes": 60, "samples": 400, "horizon": 12}


@EITHER
def test_it_narrows_what_is_proved_and_says_which_is_which(chain: dc.Chain) -> None:
    found = dc.estimate(chain, 0, 1, exp_epsilon="11/10", **FEW)
    assert found.proved_lower <= found.lower < found.upper <= found.proved_upper
    assert found.upper - found.lower < (found.proved_upper - found.proved_lower) / 2
    assert "not proved" in repr(found)
    assert not found.proved
    assert not hasattr(found, "certificate")
    assert found.to_dict()["proved"] is False
    certified = dc.delta(chain, 0, 1, exp_epsilon="11/10", max_nodes=60)
    assert (found.proved_lower, found.proved_upper) == (certified.lower, certified.upper)


def test_an_estimate_that_was_cut_off_says_so() -> None:
    found = dc.estimate(CHAIN, 0, 1, exp_epsilon="11/10", **FEW)
    cut_off = replace(found, interrupted=True)
    assert [each.to_dict()["interrupted"] for each in (found, cut_off)] == [False, True]
    assert [says(str(each.sections()), "interrupted before all") for each in (found, cut_off)] == [False, True]


def test_a_confidence_is_rounded_down() -> None:
    found = dc.estimate(CHAIN, 0, 1, exp_epsilon="11/10", confidence="2/3", **FEW)
    assert "with confidence 0.666666," in found.headline


@EITHER
def test_seed_and_samples_decide(chain: dc.Chain) -> None:
    again = [dc.estimate(chain, 0, 1, epsilon="0.1", seed=seed, **FEW) for seed in (1, 1, 2)]
    assert again[0] == again[1] != again[2]


@EITHER
def test_several_pairs_share_one_confidence(chain: dc.Chain) -> None:
    pairs = [(s, t) for s in range(6) for t in range(s) if chain.labels[s] == chain.labels[t]][:3]
    apart = next((s, t) for s in range(6) for t in range(s) if chain.labels[s] != chain.labels[t])
    found = dc.estimate(chain, pairs=[*pairs, apart, (0, 0)], exp_epsilon="11/10", **FEW)
    assert len(found.results) == 5
    assert [r.samples for r in found.results] == [800, 800, 800, 0, 0]
    assert (found.results[3].lower, found.results[4].upper) == (1, 0)
    assert found.lower == found.upper == 1
    alone = dc.estimate(chain, pairs=pairs[:1], exp_epsilon="11/10", **FEW)
    shared = found.results[0]
    assert alone.upper - alone.lower < shared.upper - shared.lower


def test_what_is_exact_is_not_estimated() -> None:
    found = dc.estimate(dc.examples.coin(), exp_epsilon=1)
    assert (found.lower, found.upper, found.samples, found.known) == (Fraction(1, 5), Fraction(1, 5), 0, True)
    assert says(repr(found), "nothing was left")


def test_an_enormous_alpha_has_no_tree_to_draw_from() -> None:
    found = dc.estimate(dc.examples.sticky_sensor(), exp_epsilon=2**50, **FEW)
    assert found.proved_lower <= found.lower <= found.upper <= found.proved_upper


@EITHER
def test_more_confidence_is_wider(chain: dc.Chain) -> None:
    widths = []
    for confidence in ("0.5", "0.9", "0.999999"):
        found = dc.estimate(chain, 0, 1, exp_epsilon="11/10", confidence=confidence, **FEW)
        widths.append(found.upper - found.lower)
    assert widths == sorted(widths)
    assert widths[0] < widths[2]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"confidence": 1}, "confidence"),
        ({"confidence": 0}, "confidence"),
        ({"confidence": 1 - Fraction(1, 10**40)}, "above 1"),
        ({"samples": 0}, "samples"),
        ({"samples": 1.5}, "samples"),
        ({"horizon": -1}, "horizon"),
        ({"seed": -1}, "seed"),
        ({"seed": "x"}, "not a number"),
        ({"gap": 0}, "gap"),
    ],
)
def test_what_is_asked_is_checked(wrong: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        dc.estimate(CHAIN, 0, 1, exp_epsilon=2, **wrong)


@EITHER
def test_a_profile_has_a_band_of_the_other_kind(chain: dc.Chain) -> None:
    curve = dc.profile(chain, 0, 1, epsilons=[0, "1/2", 1], estimate=True, **FEW)
    assert curve.estimate is not None
    assert curve.estimate.samples == 800
    for point, (low, high) in zip(curve.points, curve.estimate.bounds, strict=True):
        assert point.lower <= low <= high <= point.upper
    assert all(left[1] >= right[1] for left, right in pairwise(curve.estimate.bounds))
    assert "not proved" in repr(curve)
    assert dc.profile(chain, 0, 1, epsilons=[0], max_nodes=60).estimate is None


def test_where_an_observer_chooses_there_is_nothing_to_draw() -> None:
    chain = dc.examples.build("probe")
    with pytest.raises(dc.errors.InteractiveChain, match="nobody chooses"):
        dc.estimate(chain, exp_epsilon=2)
    with pytest.raises(dc.errors.InteractiveChain, match="nobody chooses"):
        dc.profile(chain, epsilons=[0], estimate=True)
    found = dc.sweep(chain, epsilons=[0, 1], check=True)
    assert [row.checked for row in found] == [True, True], "delta bounds the best strategy, with a certificate"
    assert len(dc.sweep(chain, verb="estimate", epsilons=[0]).failed) == 1
