"""All pairs in one question: those whose states are merged are searched once, in whichever order they are."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deltachain as dc
from deltachain.beliefs.question import Terms
from deltachain.beliefs.search import search
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from tests.amounts import part_of

FINITE = """
def sums(q):
    announce(flip(1/2 if sum(q) == 0 else 1/3 if sum(q) == 1 else 1/5))
"""
ENDLESS = """
def noisy(q):
    s = sum(q)
    while True:
        if flip("1/5"):
            s = 1 - s if s < 2 else 2
        announce(flip("1/3") if s == 0 else flip("1/2") if s == 1 else flip("3/5"))
"""
SECRETS = [{"q": (a, b)} for a in range(2) for b in range(2)]


@pytest.mark.parametrize("text", [FINITE, ENDLESS])
def test_shared_proofs_say_what_a_search_of_the_pair_alone_says(text: str) -> None:
    chain = dc.program(text).chain(SECRETS)
    # In both orders: the pair that comes first leads.
    pairs = [(s, t) for s, t in combinations(range(4), 2)] + [(t, s) for s, t in combinations(range(4), 2)]
    found = dc.delta(chain, pairs=pairs, exp_epsilon="11/10", gap="1e-3")
    assert found.checked.accepted
    assert found.searches < len(pairs)
    for (s, t), result in zip(pairs, found.results, strict=True):
        alone = dc.delta(chain, s, t, exp_epsilon="11/10", gap="1e-3")
        assert result.pair == alone.results[0].pair
        assert max(result.lower, alone.lower) <= min(result.upper, alone.upper)
        assert result.upper - result.lower <= Fraction(1, 1000)
    # (0, 1) and (1, 0) are one state, so that four of the six unordered pairs are two.
    assert found.to_dict()["covers"] == {"pairs": 12, "secrets": 4, "drawn": False, "searches": 5}


def test_the_witness_of_a_shared_proof_names_its_own_states() -> None:
    chain = dc.program(FINITE).chain(SECRETS)
    for pair in (("q=(1, 0)", "q=(1, 1)"), ("q=(1, 1)", "q=(1, 0)")):
        found = dc.delta(chain, pairs=[("q=(0, 1)", "q=(1, 1)"), pair], exp_epsilon=1)
        assert found.searches == 1
        alone = dc.delta(chain, *pair, exp_epsilon=1).witness
        shared = found._proof.proofs[1].witness()  # type: ignore[union-attr]
        assert alone is not None
        assert shared is not None
        assert {shared.state, shared.other} == set(pair)
        chances = {word.word: (word.probability, word.other) for word in shared.words}
        trace = {w: [dc.trace(chain, state, w).probability for state in (shared.state, shared.other)] for w in chances}
        assert all(list(chances[word]) == trace[word] for word in chances)


@settings(max_examples=part_of(40), deadline=None)
@given(st.lists(st.integers(0, 2), min_size=4, max_size=4), st.integers(0, 3))
def test_every_pair_is_proved(kinds: list[int], start: int) -> None:
    rows = {f"s{i}": {"a": Fraction(k + 1, 4), "b": Fraction(3 - k, 4)} for i, k in enumerate(kinds)}
    rows |= {"a": {"a": Fraction(1)}, "b": {"b": Fraction(1)}}
    labels = {f"s{i}": "start" for i in range(4)} | {"a": "a", "b": "b"}
    chain = dc.Chain.from_dicts(rows, labels)  # type: ignore[arg-type]
    order = [*range(start, 4), *range(start)]
    pairs = [(f"s{i}", f"s{j}") for i, j in combinations(order, 2)]
    found = dc.delta(chain, pairs=pairs, exp_epsilon=1)
    assert found.checked.accepted
    for (s, t), result in zip(pairs, found.results, strict=True):
        assert result.lower == result.upper == Fraction(abs(kinds[int(s[1])] - kinds[int(t[1])]), 4)


def test_pairs_that_lead_to_the_same_belief_pairs_are_one_search() -> None:
    # Whatever the first entry is, if it is the same in both runs, its letter scales both alike.
    text = """
def entries(q):
    for x in q:
        announce(flip("1/3" if x == 0 else "1/2" if x == 1 else "4/5"))
"""
    chain = dc.program(text).chain([{"q": (a, b, c)} for a in range(3) for b in range(2) for c in range(2)])
    names = [chain.number(f"q=({a}, {b}, {c})") for a in range(3) for b, c in ((0, 1), (1, 0))]
    pairs = [(names[2 * a], names[2 * a + 1]) for a in range(3)]
    found = dc.delta(chain, pairs=pairs, exp_epsilon=1)
    assert found.checked.accepted
    assert found.searches == 1
    assert len({result.upper for result in found.results}) == 1
    assert found.results[0].upper == dc.delta(chain, *pairs[0], exp_epsilon=1).upper
    # Where the first entries differ, they scale the runs differently.
    others = [(names[0], names[3]), (names[0], names[5])]
    assert dc.delta(chain, pairs=[*pairs, *others], exp_epsilon=1).searches == 3


def test_the_directions_of_a_shared_proof_are_turned_with_its_pair() -> None:
    rows = {"s": {"a": "9/10", "b": "1/10"}, "t": {"a": "1/2", "b": "1/2"}, "a": {"a": 1}, "b": {"b": 1}}
    chain = dc.Chain.from_dicts(rows, {"s": "go", "t": "go", "a": "a", "b": "b"})
    question = Terms.read(exp_epsilon="3/2").about(chain, [(0, 1), (1, 0)])
    one, other = search(question, Workspace.of(question), Cancel()).proofs
    assert one.interval.ways[0] != one.interval.ways[1]
    assert other.interval.ways == one.interval.ways[::-1]
    assert other.interval.direction == 1 - one.interval.direction
