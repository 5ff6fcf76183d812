"""Chains over functions of e^(1/k): δ against sums over words to 500 digits; ties are exactly 0, others are not."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

import pytest

import deltachain as dc
from deltachain import Chain, delta, estimate, profile
from deltachain.beliefs.proof import Answer
from deltachain.beliefs.question import Terms
from deltachain.beliefs.search import search
from deltachain.beliefs.signed.forest import Forest
from deltachain.beliefs.signed.tables import tables_of
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.errors import InputError, SolverError
from deltachain.measures.epsilon.least import in_zero_set, ratios
from deltachain.measures.estimate.drawn_words import open_leaves, steps_of
from deltachain.numbers import ball as enclosures
from deltachain.numbers.exponential import Exponential, as_exponential, exp_of
from deltachain.numbers.fraction import ExpEpsilon
from tests.reference.functions import chain_of, function_system, gain, random_functions
from tests.reference.interactive import delta_of_system, fixed_of_system, value
from tests.reference.near_e import replaced, stand_in

F = Fraction


def answer(chain: Chain, **asked: object) -> Answer:
    question = Terms.read(**asked).about(chain, chain.relation)  # type: ignore[arg-type]
    return search(question, Workspace.of(question), Cancel())


def decimal(value: Fraction) -> Decimal:
    with localcontext(prec=530):
        return Decimal(value.numerator) / Decimal(value.denominator)


@pytest.mark.seeds(8, 3000)
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


@pytest.mark.seeds(2, 600)
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


@pytest.mark.seeds(5, 1000)
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


@pytest.mark.seeds(3, 600)
def test_plans_of_questions_are_those_of_a_stand_in(seed: int) -> None:
    """The best plan, and what as many adaptive questions gain: equal with a rational in the place of e."""
    random = Random(seed)
    chain, k = function_system(random)
    alpha = random.choice([exp_of(F(random.randint(0, 3), k)), as_exponential(F(random.randint(10, 30), 10))])
    asked: dict[str, object] = {"exp_epsilon": alpha.rational} if alpha.power is None else {"epsilon": alpha.power}
    questions = random.randint(1, 3)
    rational = stand_in(chain, k)
    try:
        (plan,) = delta(chain, 0, 1, fixed=questions, check=False, max_nodes=2000, **asked).plans  # type: ignore[arg-type]
    except (InputError, SolverError):
        with pytest.raises((InputError, SolverError)):
            delta(rational, 0, 1, exp_epsilon=replaced(alpha, k), fixed=questions, check=False, max_nodes=2000)
        return
    assert plan.exact
    (other,) = delta(rational, 0, 1, exp_epsilon=replaced(alpha, k), fixed=questions, check=False, max_nodes=2000).plans
    bounds = [plan.lower, plan.upper, plan.adaptive_lower, plan.adaptive_upper]
    assert [replaced(bound, k) for bound in bounds] == [
        other.lower,
        other.upper,
        other.adaptive_lower,
        other.adaptive_upper,
    ]
    ways = ((0, 1), (1, 0))
    if any(names == (None,) for names in map(chain.offered, range(len(chain)))):
        return  # steps without a question are not counted
    with suppress(ValueError):  # labels met at one step offer different inputs
        want = max(fixed_of_system(rational, *way, replaced(alpha, k), questions) for way in ways)
        assert replaced(plan.upper, k) == want
        assert replaced(plan.adaptive_upper, k) == delta_of_system(rational, 0, 1, replaced(alpha, k), questions)


@pytest.mark.seeds(12, 600)
def test_words_are_drawn_by_the_functions_themselves(seed: int) -> None:
    """What decides a draw, bit by bit, and the chances along a word are those of the stand-in next to e."""
    chain = chain_of(*random_functions(Random(seed), cyclic=True))
    rational = stand_in(chain, chain.base or 1)
    drawn, wanted = (steps_of(each, *tables_of(each)) for each in (chain, rational))
    assert drawn.bar.tolist() == wanted.bar.tolist()
    assert all(abs(p - q) <= 2**-52 * q for p, q in zip(drawn.chance.tolist(), wanted.chance.tolist(), strict=True))


@pytest.mark.seeds(12, 600)
def test_what_is_left_to_estimate_is_what_open_leaves_are_worth(seed: int) -> None:
    """V is what is known plus the true mean, also where a node has a better bound than its leaves together."""
    random = Random(seed)
    chain = chain_of(*random_functions(random))
    rational, at = stand_in(chain, chain.base or 1), ExpEpsilon.exactly(F(random.randint(10, 25), 10))
    forest = Forest(chain, [(0, 1), (1, 0)], at)
    forest.grow(dict.fromkeys(forest.known, random.randint(1, 6)), Cancel())
    for s, t in forest.known:
        left = open_leaves(forest, (s, t))
        if left is None:
            continue
        strata, worth = left.question.strata, F(0)
        for turn, start, spot, count, label in zip(
            strata.sign, strata.begin, strata.spot, strata.length, strata.label, strict=True
        ):
            first = int(forest.tables.first[label])
            places = strata.states[spot : spot + count].tolist() if spot >= 0 else range(first, first + int(count))
            masses = strata.values[start : start + count].tolist()
            leaf = {forest.order[i]: F(mass * int(turn)) for i, mass in zip(places, masses, strict=True)}
            worth += value(rational, leaf, len(chain)) - max(sum(leaf.values()), F(0))
        mean = worth / (left.gap * 2**forest.bits)
        truth = value(rational, {s: F(1), t: -at.below}, len(chain))
        low, high = left.bounds(mean, mean)
        assert low - F(1, 10**20) <= truth <= high + F(1, 10**20)


@pytest.mark.seeds(3, 200)
def test_estimates_hold_what_the_stand_in_is_proved_to_be(seed: int) -> None:
    random = Random(seed)
    chain = chain_of(*random_functions(random, cyclic=True))
    alpha = F(random.randint(10, 25), 10)
    found = estimate(chain, exp_epsilon=alpha, samples=400, max_nodes=random.choice([2, 10]), confidence="0.999999")
    proved = delta(stand_in(chain, chain.base or 1), 0, 1, exp_epsilon=alpha, max_nodes=4000, check=False)
    assert found.proved_lower <= found.lower <= found.upper <= found.proved_upper
    assert found.lower <= proved.upper + F(1, 10**20)
    assert proved.lower <= found.upper + F(1, 10**20)


@pytest.mark.seeds(3, 600)
def test_curves_with_inputs_are_those_of_a_stand_in(seed: int) -> None:
    """Every corner and every line of δ(ε), where the observer asks."""
    chain, k = function_system(Random(seed))
    exact, rational = (
        profile(each, 0, 1, epsilons=["0", "1/2"], max_nodes=200) for each in (chain, stand_in(chain, k))
    )
    assert (exact.pieces is None) == (rational.pieces is None)
    for piece, other in zip(exact.pieces or (), rational.pieces or (), strict=True):
        assert replaced(piece.begin, k) == other.begin
        assert (piece.end is None) == (other.end is None)
        assert (replaced(piece.constant, k), replaced(piece.slope, k)) == (other.constant, other.slope)


@pytest.mark.seeds(5, 600)
def test_zero_sets_are_those_of_a_stand_in(seed: int) -> None:
    """Where δ = 0 is proved by a zero set: at every ratio of probabilities, and just below it."""
    random = Random(seed)
    chain, k = function_system(random) if seed % 2 else (chain_of(*random_functions(random, cyclic=True)), 10)
    rational = stand_in(chain, k)
    works = Workspace(chain, [(0, 1)]), Workspace(rational, [(0, 1)])
    for alpha in ratios(works[0].quotient.chain, F(1), F(100))[:6]:
        for place in (alpha, (1 + alpha) / 2):
            ours, wanted = (
                in_zero_set(work, at, Cancel()) for work, at in zip(works, (place, replaced(place, k)), strict=True)
            )
            assert ours == wanted


def test_the_least_epsilon_of_noise_that_never_ends_is_proved_by_a_zero_set() -> None:
    """One answer by randomised response, then noise that says nothing, for ever: its beliefs do not end at once."""
    ratio = exp_of(F(1, 2))
    p = ratio / (1 + ratio)
    rows = [{2: p, 3: 1 - p}, {2: 1 - p, 3: p}, {2: p, 3: 1 - p}, {3: p, 2: 1 - p}]
    chain = chain_of(rows, ["go", "go", "a", "b"])
    found = dc.epsilon(chain, delta=0)
    assert found.exp_epsilon_proved is not None
    _, high = enclosures.exp(F(1, 2), 60)
    assert high - F(1, 10**6) <= found.exp_epsilon_proved <= high + F(1, 10**6)


@pytest.mark.seeds(5, 600)
def test_guesses_where_the_observer_asks_are_those_of_a_stand_in(seed: int) -> None:
    chain, k = function_system(Random(seed))
    states = [state for state in range(len(chain)) if chain.labels[state] == chain.labels[0]][:3]
    exact, rational = (dc.guess(each, states, max_nodes=150) for each in (chain, stand_in(chain, k)))
    assert (replaced(exact.lower, k), replaced(exact.upper, k)) == (rational.lower, rational.upper)
    assert exact.strategy == rational.strategy
