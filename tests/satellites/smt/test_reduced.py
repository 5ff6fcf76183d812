"""Reduction and bounds: never a wrong value, never a lost arc that matters."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain import examples
from deltachain.distances.fixed_point import solve
from deltachain.errors import InputError
from deltachain_smt.decider import Decider
from deltachain_smt.formulas import ThresholdQuestion
from deltachain_smt.reduced import look, reduce_question, sweep_bounds
from tests.reference.formulas import ask
from tests.reference.random_chains import random_chain
from tests.words import refuses

ALPHAS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(3)]


def _questions() -> list[ThresholdQuestion]:
    random = Random(5)
    found: list[ThresholdQuestion] = []
    while len(found) < 40:
        chain = random_chain(random, most_states=6, most_letters=2)
        pairs = [(s, t) for group in chain.by_label.values() for s in group for t in group if s < t]
        if pairs:
            found.append(ThresholdQuestion(chain, *random.choice(pairs), random.choice(ALPHAS), Fraction(1)))
    return found


QUESTIONS = _questions()


@pytest.mark.sample(20)
@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_bounds_and_known_values_fit_the_exact_distance(number: int) -> None:
    question = QUESTIONS[number]
    exact = solve(question.chain, question.alpha, kind="bd", pairs=[(question.s, question.t)], exact=True)
    background = look(question)
    bounds = sweep_bounds(background, most_sweeps=6)
    assert all(low <= exact[pair] <= high for pair, (low, high) in bounds.items())
    for some in (background.zero_bounds, bounds):
        reduction = reduce_question(question, some)
        assert all(exact[pair] == value for pair, value in reduction.known.items())
        arcs = [arc for both in reduction.problems.values() for p in both for b in p.blocks for arc in b.arcs]
        assert {(min(arc), max(arc)) for arc in arcs} <= reduction.problems.keys() | reduction.known.keys()


def test_some_questions_are_not_decided_by_reduction_alone() -> None:
    left = [reduce_question(question, look(question).zero_bounds).problems for question in QUESTIONS]
    assert sum(1 for problems in left if problems) >= 5


def test_the_two_diners_reduce_to_one_distance() -> None:
    question = ask(examples.build("dining-cryptographers,n=2"), "s0", "s1", 0, exp_epsilon="1.0002")
    reduction = reduce_question(question, look(question).zero_bounds)
    assert list(reduction.problems) == [(0, 1)]
    arcs = [arc for p in reduction.problems[0, 1] for block in p.blocks for arc in block.arcs]
    assert arcs
    assert all(reduction.known[min(arc), max(arc)] == 0 for arc in arcs), "only free arcs are left"


def test_chains_without_cycles_are_bounded_exactly() -> None:
    question = ask(examples.build("dining-cryptographers,n=3"), "s0", "s2", 0, exp_epsilon="1.0002")
    reduction = reduce_question(question, sweep_bounds(look(question)))
    exact = solve(question.chain, question.alpha, kind="bd", pairs=[(question.s, question.t)], exact=True)
    assert reduction.known[question.s, question.t] == exact[question.s, question.t]
    assert not reduction.problems


def test_states_of_different_labels() -> None:
    question = ask(examples.build("coin"), "s0", "heads", 1, exp_epsilon=1)
    reduction = reduce_question(question, {})
    assert (dict(reduction.known), dict(reduction.problems)) == ({(0, 2): 1}, {})


def test_formulas_that_no_solver_would_read_are_refused() -> None:
    decider = Decider(examples.build("random,n=60,seed=1"), 0, 1, exp_epsilon="6/5", encoding="reduced")
    with refuses(InputError, "flows"):
        decider.script("1/5")
