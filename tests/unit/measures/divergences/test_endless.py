"""Divergences without an end: pair systems against words, bands of δ against exact sums."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.measures.divergences import endless
from deltachain.measures.divergences.endless import DirectedBands, bounds_of, pair_system
from deltachain.model import Chain
from tests.amounts import fewer_or_all
from tests.reference import divergences as naive
from tests.reference.guessing import value_at_depth
from tests.reference.systems import lively_system
from tests.words import says


def geometric_lengths() -> Chain:
    """s stops each step with 1/2, t with 2/3."""
    rows = {
        "s": {"a": "1/2", "e": "1/2"},
        "a": {"a": "1/2", "e": "1/2"},
        "t": {"b": "1/3", "e": "2/3"},
        "b": {"b": "1/3", "e": "2/3"},
        "e": {"e": 1},
    }
    return Chain.from_dicts(rows, labels={"s": "start", "t": "start", "a": "on", "b": "on", "e": "end"})


def test_geometric_lengths() -> None:
    curve = dc.profile(geometric_lengths(), "s", "t", epsilons=[0], orders=[2, 3], check=False)
    (forth, back), (third, _) = curve.divergences
    assert (forth.moment, back.moment) == (Fraction(3, 2), Fraction(8, 7))
    assert third.infinite
    assert third.reason
    assert curve.renyi(3).pair == ("s", "t")
    assert not curve.renyi(2).infinite


def test_pair_systems_are_limits_of_sums_over_words() -> None:
    draw = random.Random(6)
    finite = infinite = 0
    for _ in range(150):
        n = draw.randint(4, 6)
        labels = ["a", "a", *(draw.choice("ab") for _ in range(n - 3)), "z"]
        rows = []
        for _i in range(n - 1):
            targets = {labels[j]: j for j in draw.sample(range(n), 3)}.values()
            weights = {j: draw.randint(1, 3) for j in targets}
            rows.append([Fraction(weights.get(j, 0), sum(weights.values())) for j in range(n)])
        chain = Chain.from_rows([*rows, [Fraction(int(j == n - 1)) for j in range(n)]], labels)
        system = pair_system(chain, 0, 1)
        assert system is not None
        for order in (2, 3):
            sums = [naive.moment(naive.outcomes_at_depth(chain, 0, 1, depth), order) for depth in (1, 4, 8)]
            found = system.moment(order)
            if found.infinite:
                infinite += 1
                assert None in sums or (sums[2] or 0) > (sums[1] or 0)
            else:
                finite += 1
                assert found.lower == found.upper
                assert found.upper is not None
                assert all(total is not None and total <= found.upper for total in sums)
    assert finite > 10
    assert infinite > 10


def bands(outcomes: naive.Outcomes, places: list[Fraction], blur: Fraction) -> DirectedBands:
    """E of outcomes at some places, with bounds that are not exact."""
    ways = []
    for pairs in (outcomes, [(y, x) for x, y in outcomes]):
        values = [sum((max(x - gamma * y, Fraction(0)) for x, y in pairs), Fraction(0)) for gamma in places]
        blurred = [(max(e - blur, Fraction(0)), min(e + blur, Fraction(1)) if e else e) for e in values]
        ways.append(tuple((gamma, *bounds) for gamma, bounds in zip(places, blurred, strict=True)))
    return DirectedBands(*ways)


@pytest.mark.seeds(2, 30)
@fewer_or_all("fine", 5, 50)
def test_bands_hold_the_exact_sum(seed: int, fine: int) -> None:
    draw = random.Random(seed)
    first, second = ([draw.randint(1, 20) for _ in range(4)] for _ in range(2))
    outcomes = [(Fraction(x, sum(first)), Fraction(y, sum(second))) for x, y in zip(first, second, strict=True)]
    end = max(max(x / y, y / x) for x, y in outcomes)
    places = sorted({1 + (end - 1) * Fraction(k, 24) for k in range(25)})
    for blur in (Fraction(0), Fraction(1, 1000)):
        for order in (2, 3, 5):
            truth = naive.moment(outcomes, order)
            assert truth is not None
            found = bands(outcomes, places, blur).moment(order)
            assert found.lower is not None
            assert found.upper is not None
            assert found.lower <= truth <= found.upper
            if not blur and order == 2:
                assert float(found.upper) - float(found.lower) < 0.05 * float(truth)
        source = bands(outcomes, places, blur)
        for measure, order, value in (
            ("kl", None, naive.kl(outcomes)),
            ("renyi", Fraction(5, 2), naive.renyi(outcomes, 2.5)),
            ("zcdp", None, max(naive.renyi(outcomes, 1 + k / fine) / (1 + k / fine) for k in range(1, 40 * fine))),
        ):
            low, high, _ = bounds_of(source, measure, order)
            assert low is not None
            assert high is not None
            assert float(low) <= value + 1e-12
            assert value <= float(high) + 1e-12


def test_without_a_place_of_zero_there_is_no_upper_bound() -> None:
    outcomes = [(Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 2), Fraction(3, 4))]
    found = bands(outcomes, [Fraction(1), Fraction(3, 2)], Fraction(0)).moment(2)
    assert found.upper is None
    assert found.reason
    assert found.lower is not None
    assert 1 < found.lower <= (naive.moment(outcomes, 2) or 0)


def test_fewer_places_are_a_wider_band(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endless, "STEPS", 12)
    found = dc.profile(dc.examples.sticky_sensor(), epsilons=[0], orders=[2], check=False).renyi(2)
    assert found.lower is not None
    assert found.upper is not None
    assert 0.16 < found.lower < 0.16822 < 0.16866 < found.upper < 0.19


@pytest.mark.slow
def test_sticky_sensor() -> None:
    curve = dc.profile(dc.examples.sticky_sensor(), epsilons=[0], orders=[2, 8], check=False)
    second, eighth = curve.renyi(2), curve.renyi(8)
    for found, (low, high) in ((second, (0.16822, 0.16866)), (eighth, (0.52456, 0.52632))):
        assert found.lower is not None
        assert found.upper is not None
        assert low <= found.lower <= found.upper <= high
    assert math.isclose(float(second.upper or 0), 0.16833, abs_tol=1e-4)


def test_an_order_that_was_not_asked_for_says_so() -> None:
    curve = dc.profile(dc.examples.sticky_sensor(), epsilons=[0], max_nodes=50, check=False)
    assert curve.renyi(2).upper is None
    assert "not finite" in curve.renyi(2).headline


def test_the_largest_over_strategies_where_the_observer_asks() -> None:
    compared = 0
    for seed in range(40):
        chain = lively_system(random.Random(seed), loops=False)
        s, t = chain.relation[0]
        curve = dc.profile(chain, s, t, epsilons=[0], orders=[2, 3], check=False)
        for group in curve.divergences:
            for found in group:
                first, second = (chain.number(name) for name in found.pair)
                order = int(found.order or 0)

                def worth(masses: Sequence[Fraction], order: int = order) -> Fraction:
                    x, y = masses
                    if x and not y:
                        raise ZeroDivisionError
                    return x**order / y ** (order - 1) if x else Fraction(0)

                try:
                    expected = value_at_depth(chain, [first, second], worth, len(chain) + 1)
                except ZeroDivisionError:
                    assert found.infinite
                    continue
                assert found.moment == expected
                assert says(str(found.checked), "where the observer")
                compared += 1
    assert compared > 20


def test_beliefs_that_do_not_end_where_the_observer_asks_are_bounded_from_both_sides() -> None:
    for seed in range(6):
        chain = lively_system(random.Random(seed), loops=True)
        s, t = chain.relation[0]
        few, many = (
            dc.profile(chain, s, t, epsilons=[0], orders=[2], max_nodes=nodes, check=False).divergences[0][0]
            for nodes in (5, 60)
        )
        if few.infinite or many.infinite:
            continue
        assert few.lower is not None
        assert many.lower is not None
        assert few.upper is None or (many.upper is not None and many.lower <= few.upper)
        assert many.upper is None or few.lower <= many.upper


def test_inputs_beside_irrational_rows_have_a_band_and_no_divergence() -> None:
    path = Path(__file__).parents[3] / "certificates" / "models" / "exp-inputs.json"
    chain = dc.load(path)
    pair = next((i, j) for i in range(len(chain)) for j in range(i) if chain.labels[i] == chain.labels[j])
    found = dc.profile(chain, pairs=[pair], epsilons=[0], orders=[2], check=False).divergences[0][0]
    assert found.upper is None
    assert "inputs" in found.headline
