"""Laws of systems whose observer asks, and comparisons with listing every strategy and event."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from random import Random

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from deltachain import Chain, delta, verify
from deltachain.errors import CertificateRejected, InputError
from tests.amounts import part_of
from tests.reference.interactive import (
    brute_force,
    delta_of_system,
    fixed_of_system,
    random_system,
    start,
    word_probabilities,
)
from tests.reference.systems import lively_system, probe_system, value_with_states_shown
from tests.words import refuses

ALPHAS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(5)]
systems = st.integers(0, 10**9).map(lambda seed: lively_system(Random(seed)))
alphas = st.sampled_from(ALPHAS)


def checked(chain: Chain, alpha: Fraction, max_nodes: int) -> tuple[Fraction, Fraction]:
    """The interval of the states 0 and 1, once the checker has accepted it."""
    found = delta(chain, 0, 1, exp_epsilon=alpha, max_nodes=max_nodes)
    verify(chain, found.certificate)
    return found.lower, found.upper


@pytest.mark.seeds(1, 60)
def test_intervals_hold_what_every_strategy_shows(seed: int) -> None:
    """Three thousand systems: no strategy of four steps is above, no observer who sees hidden states is below."""
    kinds = set()
    for number in range(50 * seed, 50 * (seed + 1)):
        random = Random(number)
        chain = random_system(random) if number % 4 == 0 else lively_system(random)
        alpha = random.choice(ALPHAS)
        lower, upper = checked(chain, alpha, random.choice([1, 20, 300]))
        assert delta_of_system(chain, 0, 1, alpha, 4) <= upper, number
        most = max(value_with_states_shown(chain, start(chain, *pair, alpha), 4) for pair in ((0, 1), (1, 0)))
        assert lower <= most, number
        kinds.add((lower == upper, upper > 0))
    assert len(kinds) >= 3, "exact and not, zero and not"


@pytest.mark.sample(20)
@pytest.mark.parametrize("seed", range(40))
def test_brute_force_over_strategies_and_events(seed: int) -> None:
    """The recursion, on which the other tests lean, against lists of all strategies of two steps and their events."""
    random = Random(seed)
    chain = lively_system(random)
    alpha = random.choice(ALPHAS)
    best = max(brute_force(chain, 0, 1, alpha, 2), brute_force(chain, 1, 0, alpha, 2))
    assert best == delta_of_system(chain, 0, 1, alpha, 2)
    assert best <= delta(chain, 0, 1, exp_epsilon=alpha, max_nodes=100).upper


def with_one_input(chain: Chain) -> Chain:
    rows = {
        name: {"go": {chain.states[j]: p for j, p in chain.moves[state][0]}} for state, name in enumerate(chain.states)
    }
    return Chain.from_dicts(rows, dict(zip(chain.states, chain.labels, strict=True)))


@settings(max_examples=part_of(50), deadline=None)
@given(chain=systems, alpha=alphas)
def test_one_input_everywhere_is_the_chain_without(chain: Chain, alpha: Fraction) -> None:
    asking = with_one_input(chain)
    plain = Chain.of_rows(chain.states, chain.labels, asking.layer(0))
    ours, theirs = checked(asking, alpha, 500), checked(plain, alpha, 500)
    assert ours[0] <= theirs[1]
    assert theirs[0] <= ours[1]
    event("exact" if ours[0] == ours[1] else "interval")
    if ours[0] == ours[1] and theirs[0] == theirs[1]:
        assert ours == theirs


def without_an_input(chain: Chain, random: Random) -> Chain | None:
    """The chain with one input fewer at a label that has two or more."""
    several = [label for label, names in chain.inputs.items() if len(names) > 1]
    if not several:
        return None
    label = random.choice(several)
    gone = random.choice(chain.inputs[label])
    rows: dict[str, object] = {}
    for state, name in enumerate(chain.states):
        given = dict(zip(chain.offered(state), chain.moves[state], strict=True))
        named = {asked: {chain.states[j]: p for j, p in row} for asked, row in given.items()}
        if chain.labels[state] == label:
            del named[gone]
        rows[name] = named.get(None, named)
    return Chain.from_dicts(rows, dict(zip(chain.states, chain.labels, strict=True)))  # type: ignore[arg-type]


@settings(max_examples=part_of(50), deadline=None)
@given(chain=systems, alpha=alphas, seed=st.integers(0, 1000))
def test_another_input_never_lowers_delta(chain: Chain, alpha: Fraction, seed: int) -> None:
    fewer = without_an_input(chain, Random(seed))
    if fewer is None:
        return
    assert checked(fewer, alpha, 300)[0] <= checked(chain, alpha, 300)[1]


@settings(max_examples=part_of(40), deadline=None)
@given(chain=systems, alphas=st.tuples(alphas, alphas))
def test_delta_falls_with_epsilon(chain: Chain, alphas: tuple[Fraction, Fraction]) -> None:
    low, high = sorted(alphas)
    assert checked(chain, high, 200)[0] <= checked(chain, low, 200)[1]


@settings(max_examples=part_of(50), deadline=None)
@given(chain=systems, alpha=alphas, nodes=st.sampled_from([1, 30, 400]))
def test_a_witness_is_a_strategy_that_gains_what_it_says(chain: Chain, alpha: Fraction, nodes: int) -> None:
    found = delta(chain, 0, 1, exp_epsilon=alpha, max_nodes=nodes)
    witness = found.witness
    if witness is None or witness.strategy is None:
        event("no witness")
        return
    assert found.lower <= witness.advantage <= found.upper
    assert 0 <= witness.listed <= witness.advantage
    event("whole" if witness.listed == witness.advantage else "part")
    short = witness.strategy.prune(alpha, 6)
    assert 0 <= short.gain(alpha) <= witness.listed
    for step in (witness.strategy, short):
        for word, inputs, end in step.ends():
            if len(word) > 5:
                continue
            offered = [chain.inputs.get(label, (None,)) for label in word[:-1]]
            plan = {word[: i + 1]: offered[i].index(asked) for i, asked in enumerate(inputs)}
            for state, said in ((witness.state, end.probability), (witness.other, end.other)):
                assert probability_along(chain, state, word, plan) == said
            assert end.guess == (end.probability > alpha * end.other)


def probability_along(chain: Chain, state: str, word: tuple[str, ...], plan: dict[tuple[str, ...], int]) -> Fraction:
    """Of the word, where the inputs are given along it; elsewhere the first input is."""

    class Plan(dict[tuple[str, ...], int]):
        def __missing__(self, key: tuple[str, ...]) -> int:
            return 0

    return word_probabilities(chain, state, Plan(plan), len(word) - 1).get(word, Fraction(0))


@settings(max_examples=part_of(50), deadline=None)
@given(seed=st.integers(0, 10**9), alpha=alphas, questions=st.integers(1, 3))
def test_the_best_plan_is_the_best_of_all_plans(seed: int, alpha: Fraction, questions: int) -> None:
    chain = lively_system(Random(seed))
    try:
        want = max(fixed_of_system(chain, *pair, alpha, questions) for pair in ((0, 1), (1, 0)))
    except ValueError:
        return  # labels met at one step offer different inputs, or one of them none
    if any(names == (None,) for names in map(chain.offered, range(len(chain)))):
        return  # steps without a question are not counted
    plan = delta(chain, 0, 1, exp_epsilon=alpha, fixed=questions, max_nodes=3000).plans[0]
    assert plan.lower == plan.upper == want
    assert plan.adaptive_lower == plan.adaptive_upper == delta_of_system(chain, 0, 1, alpha, questions) >= want


@pytest.mark.parametrize(("alpha", "fixed"), [("1", "1/4"), ("3/2", "3/16"), ("2", "1/8")])
def test_what_adaptivity_buys(alpha: str, fixed: str) -> None:
    found = delta(probe_system(), exp_epsilon=alpha, fixed=3)  # the first question only starts the device
    (plan,) = found.plans
    assert plan.lower == plan.upper == Fraction(fixed)
    assert plan.adaptive_lower == plan.adaptive_upper == found.lower == 2 * Fraction(fixed)
    assert len(plan.inputs) <= 3


def test_plans_are_refused_where_labels_offer_different_inputs() -> None:
    likely, unlikely = {"h": "3/4", "l": "1/4"}, {"h": "1/4", "l": "3/4"}
    rows = {
        "s": {"ask": {"a": "1/2", "b": "1/2"}},
        "t": {"ask": {"c": "1/2", "d": "1/2"}},
        "a": {"x": likely},
        "c": {"x": unlikely},
        "b": {"y": likely},
        "d": {"y": unlikely},
        "h": {"h": 1},
        "l": {"l": 1},
    }
    labels = {"s": "menu", "t": "menu", "a": "A", "c": "A", "b": "B", "d": "B", "h": "high", "l": "low"}
    chain = Chain.from_dicts(rows, labels, relation=[("s", "t")])  # type: ignore[arg-type]
    with refuses(InputError, "label 'A' offers"):
        delta(chain, exp_epsilon=1, fixed=2)
    plan = delta(chain, exp_epsilon=1, fixed=1).plans[0]
    assert plan.upper == plan.adaptive_upper == 0


@pytest.mark.parametrize(("fixed", "message"), [(0, "not a whole number"), ("1/2", "not a whole number")])
def test_numbers_of_questions(fixed: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        delta(probe_system(), exp_epsilon=1, fixed=fixed)  # type: ignore[arg-type]


@settings(max_examples=part_of(200), deadline=None)
@given(data=st.data(), seed=st.integers(0, 400))
def test_no_sharpened_bound_of_a_certificate_is_accepted(data: st.DataObject, seed: int) -> None:
    """Where δ is exact, every upper value of the certificate is tight, and so is every lower one."""
    chain = lively_system(Random(seed), loops=seed % 2 == 0)
    found = delta(chain, 0, 1, exp_epsilon="11/10", max_nodes=100)
    document = json.loads("".join(found.certificate.chunks()))
    places = [
        (key, n, 2, side) for key, side in (("upper", -1), ("lower", 1)) for n in range(len(document.get(key, [])))
    ]
    if not found.exact or not places:
        return
    key, n, field, side = data.draw(st.sampled_from(places))
    value = Fraction(document[key][n][field]) + side * data.draw(st.sampled_from([Fraction(1, 10**20), Fraction(1, 9)]))
    bent = copy.deepcopy(document)
    bent[key][n][field] = str(value)
    with pytest.raises(CertificateRejected):
        verify(chain, bent)
