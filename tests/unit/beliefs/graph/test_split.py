"""Chains split by where they end: golden values, brute force on both sides, and every way in which it is not done."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import fmpq

import deltachain as dc
from deltachain import Chain, Delta, delta, epsilon, profile, verify
from deltachain.beliefs.graph import split as splits
from deltachain.beliefs.graph.split import Split, find_split
from deltachain.beliefs.search import search
from deltachain.beliefs.signed.search import SignedSearch
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.numbers.fraction import ExpEpsilon
from tests.amounts import fewer_or_all
from tests.asking import question_at
from tests.reference.endless_chains import between, correlated, drawn_ahead, random_endless
from tests.unit.beliefs.cancelling import StoppingAfter

SPLIT = "split by where it ends"
ALPHA = Fraction(11, 10)


def exactly(found: Delta, chain: Chain, value: Fraction | int) -> None:
    """δ is this value, found by a split, and the certificate proves it."""
    assert (found.lower, found.upper) == (value, value)
    assert [result.method for result in found.results] == [SPLIT]
    verify(chain, found.certificate)


@pytest.mark.sample(7)
@pytest.mark.parametrize("alpha", [Fraction(1), ALPHA, Fraction(2), Fraction(3), Fraction(10**9)])
@pytest.mark.parametrize(
    ("p", "q"), [("3/4", "3/4"), ("1/2", "9/10"), ("2/3", "1/5"), ("1", "51/100"), ("9/10", "1/3")]
)
def test_memoised_survey(p: str, q: str, alpha: Fraction) -> None:
    chain = dc.examples.memoised_survey(p=p, q=q)
    exact = max(Fraction(p) - alpha * (1 - Fraction(p)), Fraction(0))
    found = delta(chain, exp_epsilon=alpha)
    assert (found.lower, found.upper) == (exact, exact)
    verify(chain, found.certificate)


def test_memoised_survey_at_its_defaults() -> None:
    chain = dc.examples.memoised_survey()
    exactly(delta(chain, exp_epsilon=ALPHA), chain, Fraction(19, 40))


def test_reports_that_say_nothing_give_nothing_away() -> None:
    assert delta(dc.examples.memoised_survey(q="1/2"), exp_epsilon=1).upper == 0


@pytest.mark.parametrize(
    ("favour", "decide", "accuracy"), [("3/5", "1/2", "3/4"), ("1/4", "1/9", "0"), ("1", "1/3", "2/5")]
)
def test_hidden_absorption(favour: str, decide: str, accuracy: str) -> None:
    chain = dc.examples.waiting_room(favour, decide, accuracy)
    most = max(Fraction(favour), 1 - Fraction(favour))
    found = delta(chain, exp_epsilon=ALPHA)
    exactly(found, chain, max(most - ALPHA * (1 - most), Fraction(0)))
    assert favour != "3/5" or found.lower == Fraction(4, 25)


@pytest.mark.parametrize("p", ["2/3", "1/3", "9/10"])
def test_equal_frequencies_with_different_correlations(p: str) -> None:
    chain, most = correlated(Fraction(p)), max(Fraction(p), 1 - Fraction(p))
    exactly(delta(chain, exp_epsilon=ALPHA), chain, max(most - ALPHA * (1 - most), Fraction(0)))


@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(10**12)])
def test_singular_futures_for_certain_are_told_apart_for_certain(alpha: Fraction) -> None:
    """δ = 1 is proved, though every word that one state can show, the other can show too."""
    chain = correlated(Fraction(1))
    assert between(chain, "s0", "s1", alpha, 8)[0] < 1
    found = delta(chain, exp_epsilon=alpha)
    exactly(found, chain, 1)
    assert found.witness is not None
    assert found.witness.advantage == 1
    assert found.witness.listed < 1


def test_what_is_drawn_ahead_makes_no_difference() -> None:
    """Classes that are trace equivalent, but not bisimilar, form one group; within it, traces are compared."""
    chain = drawn_ahead(Fraction(3, 4), Fraction(3, 4))
    assert len(chain) == 22
    found = delta(chain, exp_epsilon=ALPHA)
    exactly(found, chain, Fraction(19, 40))
    split = Workspace(chain, chain.relation).splitter.split(Cancel())
    assert split is not None
    assert [len(group.classes) for group in split.groups] == [2, 2]


def test_one_recurrent_class_is_not_split() -> None:
    found = delta(dc.examples.sticky_sensor(), exp_epsilon=ALPHA, max_nodes=50)
    assert found.results[0].method == "signed beliefs"
    assert find_split(dc.examples.sticky_sensor(), Cancel()) == ""


def test_equivalent_classes_are_not_told_apart() -> None:
    """Only one of the two ways to draw the coin, and the other, with one permanent answer: nothing to learn."""
    found = find_split(drawn_ahead(Fraction(1), Fraction(1, 2)), Cancel())
    assert isinstance(found, str)
    assert "not distinguished" in found


@fewer_or_all("number, least", (15, 4), (40, 11))
def test_both_sides_of_brute_force_hold(number: int, least: int) -> None:
    random, compared, close = Random(4), 0, 0
    while compared < number:
        chain, alpha = random_endless(random), random.choice([Fraction(1), ALPHA, Fraction(2), Fraction(5)])
        found = delta(chain, "s", "t", exp_epsilon=alpha, max_nodes=60)
        if found.results[0].method == SPLIT:
            verify(chain, found.certificate)
            forth, back = between(chain, "s", "t", alpha, 9), between(chain, "t", "s", alpha, 9)
            assert found.exact
            assert max(forth[0], back[0]) <= found.lower <= max(forth[1], back[1])
            compared += 1
            close += max(forth[1], back[1]) - max(forth[0], back[0]) < Fraction(1, 20)
    assert close >= least


@pytest.mark.slow
def test_signed_beliefs_agree() -> None:
    """The other engine, which knows nothing of splits, closes in on the same values."""
    random, narrow = Random(1), 0
    while narrow < 25:
        chain, alpha = random_endless(random), ExpEpsilon.exactly(random.choice([Fraction(1), ALPHA, Fraction(2)]))
        pair = (chain.number("s"), chain.number("t"))
        work, question = Workspace(chain, [pair]), question_at(alpha, chain, [pair], max_nodes=60)
        found = search(question, work, Cancel()).proofs[0]
        if found.method == SPLIT:
            longer = question_at(alpha, chain, [pair], max_nodes=3000)
            other = SignedSearch(longer, work, [pair], [], Cancel()).finish(None)[pair].interval
            assert other.lower <= found.interval.lower == found.interval.upper <= other.upper
            narrow += other.upper - other.lower < Fraction(1, 1000)


def test_all_epsilon_at_once() -> None:
    chain = dc.examples.waiting_room()
    bound = epsilon(chain, delta="4/25")
    assert bound.exact
    assert (bound.exp_epsilon_proved, bound.refuted) == (ALPHA, ALPHA)
    curve = profile(chain, epsilons=["0", "1/10"])
    assert curve.points[0].lower == curve.points[0].upper == Fraction(1, 5)


def test_for_an_irrational_e_to_the_epsilon_both_sides_are_certified() -> None:
    chain = dc.examples.memoised_survey()
    found = delta(chain, epsilon="1/10")
    assert 0 < found.upper - found.lower < Fraction(1, 10**9)
    verify(chain, found.certificate)


def test_pairs_share_a_split_and_may_be_left_to_other_stages() -> None:
    chain = dc.examples.waiting_room()
    pairs = [
        ("s0", "s1"),
        ("waits0.yes", "waits1.yes"),
        ("for.yes", "against.yes"),
        ("s0", "for.no"),
        ("for.no", "waits0.no"),
    ]
    found = delta(chain, pairs=pairs, exp_epsilon=2, max_nodes=1000)
    assert [result.method for result in found.results][:3] == [SPLIT, SPLIT, SPLIT]
    assert [result.lower for result in found.results][2:4] == [1, 1]
    verify(chain, found.certificate)


def test_a_linear_program_finds_what_no_single_word_shows() -> None:
    """x + 2y is 7/10 on the one side and 1/2 on the other; x, y and z alone overlap."""
    points = ["1/10 3/10 6/10", "5/10 1/10 4/10", "1/10 2/10 7/10", "3/10 1/10 6/10"]
    rows = [[fmpq(*map(int, value.split("/"))) for value in point.split()] for point in points]
    words = [dict(enumerate([fmpq(1)] * 4))] + [{i: row[k] for i, row in enumerate(rows)} for k in range(3)]
    assert splits._threshold([0, 1], [2, 3], words) is None
    weights = splits._separate([0, 1], [2, 3], words)
    assert weights is not None
    phi = [sum(weight * Fraction(str(words[k][i])) for k, weight in weights) for i in range(4)]
    assert min(phi[:2]) > 0 > max(phi[2:])
    assert splits._separate([0, 1], [1, 2], words) is None


def test_classes_that_only_a_combination_of_words_tells_apart() -> None:
    rows = {
        "s": {"a2": "1/3", "b1": "1/3", "b2": "1/3"},
        "t": {"a2": "1/2", "b0": "1/4", "s": "1/4"},
        "a0": {"a0": "3/8", "a1": "5/8"},
        "a1": {"a2": "1"},
        "a2": {"a0": "1"},
        "b0": {"b1": "3/4", "b2": "1/4"},
        "b1": {"b1": "1/2", "b2": "1/2"},
        "b2": {"b0": "1/2", "b1": "1/4", "b2": "1/4"},
    }
    chain = Chain.from_dicts(rows, {state: "y" if state in ("a0", "b1", "b2") else "x" for state in rows})
    split = find_split(chain, Cancel())
    assert isinstance(split, Split)
    assert [len(test.weights) for test in split.tests] == [3]
    found = delta(chain, "s", "t", exp_epsilon=ALPHA)
    assert [result.method for result in found.results] == [SPLIT]
    verify(chain, found.certificate)
    forth, back = between(chain, "s", "t", ALPHA, 10), between(chain, "t", "s", ALPHA, 10)
    assert max(forth[0], back[0]) <= found.lower == found.upper <= max(forth[1], back[1])


def test_chains_too_large_to_split_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = dc.examples.memoised_survey()
    for name, value, said in [
        ("MOST_STATES", 3, "more than 3 states"),
        ("MOST_CLASSES", 1, "more than 1 recurrent classes"),
        ("MOST_NEIGHBOURS", -1, "exceed the limit"),
        ("MOST_WORDS", 1, "not distinguished"),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(splits, name, value)
            target = dc.examples.waiting_room() if name == "MOST_NEIGHBOURS" else chain
            found = delta(target, exp_epsilon=ALPHA, max_nodes=100)
            assert found.results[0].method == "signed beliefs"
            assert found._proof.proofs[0].note.startswith("not split: ")  # type: ignore[union-attr]
            assert said in found._proof.proofs[0].note  # type: ignore[union-attr]
            verify(target, found.certificate)


def test_a_split_that_was_cut_off_may_be_tried_again() -> None:
    splitter = splits.Splitter(dc.examples.memoised_survey())
    assert splitter.split(StoppingAfter(0)) is None
    assert splitter.reason == "cancelled"
    assert isinstance(splitter.split(Cancel()), Split)


def test_the_chain_given_its_end_is_a_chain() -> None:
    split = find_split(dc.examples.waiting_room(), Cancel())
    assert isinstance(split, Split)
    for group in split.groups:
        assert all(sum(p for _, p in row) == 1 for row in group.chain.rows)
    assert all(sum(group.harmonic[i] for group in split.groups) == 1 for i in range(len(split.chain)))
