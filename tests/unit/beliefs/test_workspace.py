"""What all methods share about some pairs: one part of the chain, one quotient, and pairs that mean the same."""

from __future__ import annotations

from random import Random

import pytest

import deltachain as dc
from deltachain.beliefs.workspace import Workspace, is_acyclic
from tests.reference.naive_bisimulation import naive_bisimilarity
from tests.reference.random_chains import random_chain, with_twins


@pytest.mark.parametrize("seed", range(12))
def test_pairs_are_merged_as_naive_refinement_does(seed: int) -> None:
    random = Random(seed)
    chain = with_twins(random, random_chain(random), 2)
    blocks = naive_bisimilarity(chain)
    pairs = [(s, t) for s in range(len(chain)) for t in range(s)]
    work = Workspace(chain, pairs)
    for pair in pairs:
        for other in pairs:
            same = [blocks[s] for s in pair] == [blocks[s] for s in other]
            assert (work.merge(pair) == work.merge(other)) == same
    leaders = work.leaders(pairs)
    for pair, (leader, turned) in leaders.items():
        mine, its = ([blocks[s] for s in p] for p in (pair, leader))
        assert mine == (its[::-1] if turned else its)
        assert leaders[leader] == (leader, False)


def test_acyclic_but_for_states_that_are_never_left() -> None:
    """Against following every arc: no state is met again, but one that leads to itself alone."""
    random, found = Random(1), set()
    for _ in range(200):
        chain = random_chain(random, most_states=4)
        ahead = [{j for j, _ in row} - ({i} if len(row) == 1 else set()) for i, row in enumerate(chain.rows)]
        for _ in range(len(chain)):
            ahead = [there.union(*(ahead[j] for j in there)) for there in ahead]
        truth = all(i not in there for i, there in enumerate(ahead))
        assert is_acyclic(chain) is truth
        found.add(truth)
    assert found == {True, False}


def test_a_loop_that_can_be_left_is_a_cycle() -> None:
    rows = {"s": {"s": "1/2", "e": "1/2"}, "e": {"e": 1}}
    assert not is_acyclic(dc.Chain.from_dicts(rows, {"s": "a", "e": "b"}))
    assert is_acyclic(dc.Chain.from_dicts({"s": {"e": 1}, "e": {"e": 1}}, {"s": "a", "e": "b"}))


def test_what_pairs_never_reach_is_left_out() -> None:
    rows = {"s": {"e": 1}, "t": {"e": 1}, "e": {"e": 1}, "far": {"s": "1/2", "far": "1/2"}}
    chain = dc.Chain.from_dicts(rows, {"s": "a", "t": "a", "e": "b", "far": "c"})
    work = Workspace(chain, [(0, 1)])
    assert set(work.part.states) == {"s", "t", "e"}
    assert len(work.quotient.chain) == 2
