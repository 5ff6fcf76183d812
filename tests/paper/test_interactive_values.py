"""The values that the examples with inputs state: by formula, by the recursion, by brute force, and by the engine."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

import deltachain as dc
from deltachain import examples
from tests.reference.interactive import (
    brute_force,
    delta_of_system,
    fixed_of_system,
    lv_of_system,
    strategies,
)
from tests.words import refuses

ALPHAS = [Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(7, 2)]


def positive(number: Fraction) -> Fraction:
    return max(number, Fraction(0))


def repeated_response(rounds: int, right: Fraction, alpha: Fraction) -> Fraction:
    """δ of independent randomised responses: words with j answers for the claim."""
    wrong = 1 - right
    return sum(
        (
            comb(rounds, j) * positive(right**j * wrong ** (rounds - j) - alpha * wrong**j * right ** (rounds - j))
            for j in range(rounds + 1)
        ),
        Fraction(0),
    )


# probe


@pytest.mark.parametrize("accuracy", ["3/4", "1/4", "9/10", "1/2", "1"])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_probe_with_two_moves(accuracy: str, alpha: Fraction) -> None:
    chain = examples.probe(accuracy=accuracy)
    m = max(Fraction(accuracy), 1 - Fraction(accuracy))
    wanted = positive(m - alpha * (1 - m))
    assert lv_of_system(chain, "s0", "s1", alpha, 4) == lv_of_system(chain, "s1", "s0", alpha, 4) == wanted
    assert fixed_of_system(chain, "s0", "s1", alpha, 2) == wanted / 2
    found = dc.delta(chain, exp_epsilon=alpha)
    assert (found.lower, found.upper) == (wanted, wanted)


def test_probe_by_all_strategies_and_events() -> None:
    chain = examples.probe()
    assert len(list(strategies(chain, "s0", "s1", 2))) == 9 + 9 + 9
    for alpha, wanted in ((Fraction(1), "1/2"), (Fraction(3, 2), "3/8"), (Fraction(2), "1/4")):
        assert brute_force(chain, "s0", "s1", alpha, 2) == Fraction(wanted)


@pytest.mark.parametrize("moves", [1, 3, 4])
def test_more_moves_are_worth_as_many_answers_at_least(moves: int) -> None:
    chain = examples.probe(moves=moves)
    for alpha in ALPHAS:
        probed = repeated_response(moves - 1, Fraction(3, 4), alpha) if moves > 1 else Fraction(0)
        assert lv_of_system(chain, "s0", "s1", alpha, moves + 2) >= probed


# lockout


def lock_value(x: Fraction, y: Fraction, attempts: int, accuracy: Fraction, alpha: Fraction) -> Fraction:
    """V_k(x, y) of the example's own derivation."""
    if attempts == 0:
        return positive(x - alpha * y)
    a, b = accuracy, 1 - accuracy
    return max(
        positive(a * x - alpha * b * y) + lock_value(b * x, a * y, attempts - 1, accuracy, alpha),
        positive(b * x - alpha * a * y) + lock_value(a * x, b * y, attempts - 1, accuracy, alpha),
    )


@pytest.mark.sample(12)
@pytest.mark.parametrize(("pins", "attempts", "backoff"), [(2, 1, 1), (3, 2, 1), (4, 3, 0), (3, 4, 2), (5, 2, 3)])
@pytest.mark.parametrize("accuracy", ["3/4", "2/3", "1/3", "1"])
def test_lockout(pins: int, attempts: int, backoff: int, accuracy: str) -> None:
    chain = examples.lockout(pins, attempts, accuracy, backoff)
    steps = attempts + backoff * 2**attempts + 1
    for alpha in ALPHAS:
        wanted = lock_value(Fraction(1), Fraction(1), attempts, Fraction(accuracy), alpha)
        assert lv_of_system(chain, "s0", "s1", alpha, steps) == wanted
        assert lv_of_system(chain, "s1", "s0", alpha, steps) == wanted
        found = dc.delta(chain, exp_epsilon=alpha)
        assert (found.lower, found.upper) == (wanted, wanted)


def test_lockout_by_all_strategies_and_events() -> None:
    chain = examples.lockout()
    assert brute_force(chain, "s0", "s1", Fraction(2), 3) == Fraction(7, 16)
    assert brute_force(chain, "s1", "s0", Fraction(2), 3) == Fraction(7, 16)


def test_after_a_rejection_no_plan_can_be_made_in_advance() -> None:
    with refuses(ValueError, "labels offer different"):
        fixed_of_system(examples.lockout(), "s0", "s1", Fraction(2), 3)


# query-budget


@pytest.mark.sample(8)
@pytest.mark.parametrize(("people", "questions"), [(1, 3), (2, 1), (2, 2), (3, 2), (2, 4)])
@pytest.mark.parametrize("ratio", ["1/2", "1/3", "0"])
def test_query_budget_of_neighbours(people: int, questions: int, ratio: str) -> None:
    chain = examples.query_budget(people, questions, ratio)
    right = 1 / (1 + Fraction(ratio))
    assert len(chain.pairs) == people * 2 ** (people - 1)
    for alpha in ALPHAS[1:4]:
        wanted = repeated_response(questions, right, alpha)
        for s, t in [chain.pairs[0], chain.pairs[-1]]:
            assert lv_of_system(chain, s, t, alpha, questions + 1) == wanted
            assert lv_of_system(chain, t, s, alpha, questions + 1) == wanted
        found = dc.delta(chain, exp_epsilon=alpha)
        assert (found.lower, found.upper) == (wanted, wanted)


def test_query_budget_by_all_strategies_and_events() -> None:
    chain = examples.query_budget()
    assert len(list(strategies(chain, "s0", "s1", 2))) == 3**2 + 3**2 + 3**3
    assert brute_force(chain, "s0", "s1", Fraction(2), 2) == Fraction(2, 9)
    assert brute_force(chain, "s1", "s0", Fraction(2), 2) == Fraction(2, 9)


def test_a_count_of_those_who_differ_is_best_for_distant_databases() -> None:
    """One question: 00 against 11 is told best by counting both, 01 against 10 by counting one."""
    chain = examples.query_budget(2, 1, "1/2", differ=2)
    assert len(chain.pairs) == 6
    alpha = Fraction(1)
    both = lv_of_system(chain, "s0", "s3", alpha, 1)
    assert both == lv_of_system(chain.choosing({"start": "0+1"}), "s0", "s3", alpha, 1) == Fraction(1, 2)
    one = lv_of_system(chain, "s1", "s2", alpha, 1)
    assert one == lv_of_system(chain.choosing({"start": "0"}), "s1", "s2", alpha, 1) == Fraction(1, 3)
    assert lv_of_system(chain.choosing({"start": "0+1"}), "s1", "s2", alpha, 1) == 0


# adaptive-survey


def survey_value(a: Fraction, b: Fraction, f: Fraction, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """What to ask directly first is worth, and what to ask indirectly first: the example's own derivation."""
    once = positive(b - alpha * (1 - b))
    direct = f * positive(a**2 - alpha * (1 - a) ** 2) + (1 - f) * once
    follow = (
        f * (positive(a * b - alpha * (1 - a) * (1 - b)) + positive((1 - a) * b - alpha * a * (1 - b))) + (1 - f) * once
    )
    other = f * positive(a * (1 - b) - alpha * (1 - a) * b)
    return direct, max(positive(b**2 - alpha * (1 - b) ** 2), follow) + other


@pytest.mark.parametrize(("direct", "indirect"), [("3/4", "2/3"), ("9/10", "3/5"), ("2/3", "2/3"), ("1", "3/4")])
@pytest.mark.parametrize("frank", ["1/2", "1/10", "0", "1"])
def test_adaptive_survey_of_two_rounds(direct: str, indirect: str, frank: str) -> None:
    chain = examples.adaptive_survey(2, direct, indirect, frank)
    for alpha in ALPHAS:
        wanted = max(survey_value(Fraction(direct), Fraction(indirect), Fraction(frank), alpha))
        assert delta_of_system(chain, "s0", "s1", alpha, 4) == wanted
        assert lv_of_system(chain, "s0", "s1", alpha, 4) == lv_of_system(chain, "s1", "s0", alpha, 4)
        found = dc.delta(chain, exp_epsilon=alpha)
        assert (found.lower, found.upper) == (wanted, wanted)


def test_adaptive_survey_by_all_strategies_and_events() -> None:
    chain = examples.adaptive_survey()
    alpha = Fraction(3, 2)
    assert brute_force(chain, "s0", "s1", alpha, 2) == Fraction(61, 192)
    assert fixed_of_system(chain, "s0", "s1", alpha, 2) == Fraction(5, 18)
    assert survey_value(Fraction(3, 4), Fraction(2, 3), Fraction(1, 2), alpha) == (Fraction(61, 192), Fraction(5, 18))
    found = dc.delta(chain, exp_epsilon=alpha)
    assert (found.lower, found.upper) == (Fraction(61, 192), Fraction(61, 192))


# random


def test_random_chains_may_have_inputs() -> None:
    chain = examples.random(n=12, labels=3, seed=4, inputs=11)
    assert set(chain.inputs) == {"a0", "a1", "a2"}
    assert chain.inputs["a0"][:3] == ("i0", "i1", "i10")
    assert {len(rows) for rows in chain.moves} == {11}
    assert examples.random(n=12, seed=4, inputs=1).layer(0) == examples.random(n=12, seed=4).rows
    assert not examples.random().interactive


# epoch-budget, window-budget, shared-budget: how many units of e^ε0 = 1/ratio are lost, right and wrong


@pytest.mark.sample(9)
@pytest.mark.parametrize(
    ("spec", "questions", "units"),
    [
        ("epoch-budget", 2, 2),
        ("epoch-budget,questions=3", 3, 2),
        ("epoch-budget,budget=3,questions=3", 3, 3),
        ("epoch-budget,variant=2", 2, 3),
        ("epoch-budget,variant=2,questions=3", 3, 4),
        ("epoch-budget,variant=3", 2, 3),
        ("epoch-budget,variant=3,questions=3", 3, 3),
        ("window-budget", 4, 1),
        ("window-budget,window=3,budget=2", 6, 2),
        ("window-budget,variant=2", 4, 2),
        ("window-budget,variant=2,window=3,budget=2", 6, 3),
        ("shared-budget", 3, 1),
        ("shared-budget,budget=2", 3, 2),
        ("shared-budget,variant=2", 3, 2),
        ("shared-budget,variant=2,questions=5", 5, 3),
        ("shared-budget,variant=2,budget=2,questions=5", 5, 4),
        ("shared-budget,variant=3", 3, 2),
        ("shared-budget,variant=3,budget=2,questions=4", 4, 4),
    ],
)
def test_units_that_budgets_lose(spec: str, questions: int, units: int) -> None:
    """Each unit is a randomised response of accuracy 2/3: what is lost is what so many of them lose."""
    chain = examples.build(spec)
    for alpha in (Fraction(3, 2), Fraction(2), Fraction(4)):
        wanted = repeated_response(units, Fraction(2, 3), alpha)
        found = dc.delta(chain, exp_epsilon=alpha)
        assert (found.lower, found.upper) == (wanted, wanted)
        if questions <= 3:
            assert lv_of_system(chain, "s0", "s1", alpha, questions + 1) == wanted
    assert dc.check(chain, exp_epsilon=2**units, delta=0).verdict == "private"
    assert dc.check(chain, exp_epsilon=2**units - Fraction(1, 100), delta=0).verdict == "violated"
