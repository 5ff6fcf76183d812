"""Chains over functions of e^(1/k): δ against sums over words to 500 digits; ties are exactly 0, others are not."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

import pytest

from deltachain import Chain, profile
from deltachain.beliefs.proof import Answer
from deltachain.beliefs.question import Terms
from deltachain.beliefs.search import search
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.numbers import ball as enclosures
from deltachain.numbers.exponential import Exponential, as_exponential, exp_of
from tests.reference.functions import chain_of, gain, random_functions

F = Fraction


def answer(chain: Chain, **asked: object) -> Answer:
    question = Terms.read(**asked).about(chain, chain.relation)  # type: ignore[arg-type]
    return search(question, Workspace.of(question), Cancel())


def decimal(value: Fraction) -> Decimal:
    with localcontext(prec=530):
        return Decimal(value.numerator) / Decimal(value.denominator)


def seeds(fast: int, slow: int) -> list[object]:
    return [*range(fast), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(fast, slow))]


@pytest.mark.parametrize("seed", seeds(30, 3000))
def test_acyclic_chains_agree_with_their_words(seed: int) -> None:
    random = Random(seed)
    rows, labels = random_functions(random)
    epsilon = F(random.randint(0, 4), random.choice([1, 2, 10]))
    found = answer(chain_of(rows, labels), epsilon=epsilon)
    truth = max(gain(rows, labels, way, exp_of(epsilon), 8) for way in ((0, 1), (1, 0)))
    with localcontext(prec=530):
        assert decimal(found.lower) - Decimal("1e-400") <= truth <= decimal(found.upper) + Decimal("1e-400")
    assert found.upper - found.lower < F(1, 10**30)
    assert (found.upper == 0) == (truth < Decimal("1e-400"))


@pytest.mark.parametrize("seed", seeds(6, 600))
def test_bands_agree_with_words_at_their_points_and_between(seed: int) -> None:
    """What is proved at e^ε is not proved at the rationals around it: lines of a band must not begin there."""
    random = Random(seed)
    rows, labels = random_functions(random)
    grid = sorted({F(random.randint(0, 8), 4) for _ in range(4)})
    curve = profile(chain_of(rows, labels), epsilons=grid, max_nodes=random.choice([1, 3, 1000]))
    for epsilon in sorted({*grid, *(F(random.randint(0, 40), 16) for _ in range(3))}):
        point = curve.delta(epsilon=epsilon)
        truth = max(gain(rows, labels, way, exp_of(epsilon), 8) for way in ((0, 1), (1, 0)))
        assert point.lower <= point.upper
        with localcontext(prec=530):
            assert decimal(point.lower) - Decimal("1e-400") <= truth <= decimal(point.upper) + Decimal("1e-400")


@pytest.mark.parametrize("seed", seeds(20, 1000))
def test_cyclic_chains_hold_what_their_words_show(seed: int) -> None:
    random = Random(seed)
    rows, labels = random_functions(random, cyclic=True)
    epsilon = F(random.randint(0, 3), 2)
    question = Terms.read(epsilon=epsilon, max_nodes=300).about(chain_of(rows, labels), [(0, 1)])
    found = search(question, Workspace.of(question), Cancel())
    seen = max(gain(rows, labels, way, exp_of(epsilon), 5) for way in ((0, 1), (1, 0)))
    with localcontext(prec=530):
        assert seen <= decimal(found.upper) + Decimal("1e-400")
    assert found.lower <= found.upper


def randomised_response(k: int, ratio: Exponential) -> Chain:
    """One report of k values: the true one with weight ratio, each other with weight 1."""
    law = [ratio / (ratio + k - 1), 1 / (ratio + k - 1)]
    rows = [{2 + o: law[0 if o == s else 1] for o in range(k)} for s in (0, 1)]
    rows += [{2 + o: as_exponential(1)} for o in range(k)]
    return chain_of(rows, ["start", "start", *map(str, range(k))])


def test_randomised_response_at_its_own_epsilon_is_private() -> None:
    found = answer(randomised_response(4, exp_of(F(1))), epsilon=1)
    assert found.lower == found.upper == 0
    assert found.proofs[0].stopped == "finished"


def test_a_band_holds_between_its_points() -> None:
    """δ at e^ε itself was taken for δ at the rationals on both sides: lines through these two said δ ≥ 0.187, not 0."""
    chain, (least, most) = randomised_response(4, exp_of(F(1))), enclosures.exp(F(1), 400)
    band = profile(chain, epsilons=[0, "1/2", 1, 2])
    for point in (band.points[2], band.delta(epsilon=1)):
        assert point.lower == point.upper == 0
    dense = profile(chain, epsilons=[F(i, 20) for i in range(21)])
    for point in (*dense.points, *(band.delta(epsilon=F(i, 25)) for i in range(26))):
        low, high = enclosures.exp(point.epsilon, 400)
        assert point.upper >= (least - high) / (most + 3)
        assert point.lower <= max((most - low) / (least + 3), F(0))


def test_a_near_miss_is_no_tie() -> None:
    slightly = exp_of(F(1)) * (1 + F(1, 10**60))
    found = answer(randomised_response(4, slightly), epsilon=1)
    assert 0 < found.lower <= found.upper < F(1, 10**59)
    below = answer(randomised_response(4, exp_of(F(1))), epsilon=1 - F(1, 10**3))
    assert below.lower > 0


def test_the_value_of_the_theory() -> None:
    found = answer(randomised_response(4, exp_of(F(1))), epsilon="1/2")
    assert found.lower < F("0.187042295193614456") < found.upper + F(1, 10**15)
    assert found.upper - found.lower < F(1, 10**30)


def test_bisimilar_states_merge_by_identity() -> None:
    x = exp_of(F(1, 2))
    rows = [{2: as_exponential(1)}, {3: as_exponential(1)}, {4: 1 / (1 + x), 5: x / (1 + x)}]
    rows += [{4: (x - 1) / (x**2 - 1), 5: 1 - 1 / (1 + x)}, {4: as_exponential(1)}, {5: as_exponential(1)}]
    found = answer(chain_of(rows, ["start", "start", "a", "a", "h", "t"]), epsilon=0)
    assert found.upper == 0
    assert found.proofs[0].method == "bisimilar states"
