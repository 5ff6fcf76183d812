"""Bisimilarity against the naive refinement, and what a quotient must keep."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltachain.model import Chain, bisimilarity, is_bisimulation, quotient
from deltachain.model.bisimulation import SCALED_BITS
from deltachain.model.words import words
from tests.amounts import part_of
from tests.reference.naive_bisimulation import naive_bisimilarity
from tests.reference.random_chains import random_chain, with_twins

CHAINS_A_SEED = 500


@pytest.mark.seeds(3, 10)
def test_equal_to_naive_refinement_on_random_chains(seed: int) -> None:
    random = Random(seed)
    merged = 0
    for _ in range(CHAINS_A_SEED):
        chain = with_twins(random, random_chain(random, most_states=9), random.randint(0, 4))
        blocks = bisimilarity(chain)
        assert blocks == naive_bisimilarity(chain), chain.summary()
        merged += len(set(blocks)) < len(chain)
    assert 50 < merged < CHAINS_A_SEED, "the chains should be a mixture of minimal and reducible ones"


@pytest.mark.parametrize("seed", range(3))
def test_equal_to_naive_refinement_on_larger_sparse_chains(seed: int) -> None:
    random = Random(seed)
    for _ in range(5):
        size = 150
        rows = [{random.randrange(size): 1} if random.random() < 0.7 else _fair(random, size) for _ in range(size)]
        chain = Chain.from_rows(rows, [random.choice("aaab") for _ in range(size)])
        assert bisimilarity(chain) == naive_bisimilarity(chain)


def _fair(random: Random, size: int) -> dict[int, str | int]:
    first, second = random.sample(range(size), 2)
    return {first: "1/2", second: "1/2"}


def test_numbers_too_large_to_scale_are_compared_exactly() -> None:
    """Denominators whose common multiple passes the scaling limit: the Fraction branch decides, exactly."""
    big = 10**700 + 1
    other = 10**700 + 7
    rows = [
        {0: f"1/{big}", 3: f"{big - 1}/{big}"},
        {1: f"1/{big}", 3: f"{big - 1}/{big}"},
        {2: f"1/{other}", 3: f"{other - 1}/{other}"},
        {3: 1},
    ]
    filler = [{3: f"1/{10**700 + 9 + 2 * k}", 4 + k: f"{10**700 + 8 + 2 * k}/{10**700 + 9 + 2 * k}"} for k in range(4)]
    chain = Chain.from_rows(rows + filler, ["a", "a", "a", "b"] + ["c"] * 4)
    assert math.lcm(*(p.denominator for row in chain.rows for _, p in row)).bit_length() > SCALED_BITS
    blocks = bisimilarity(chain)
    assert blocks[0] == blocks[1] != blocks[2]
    assert blocks == naive_bisimilarity(chain)


@settings(max_examples=part_of(150), deadline=None)
@given(st.randoms(use_true_random=False))
def test_quotient_is_minimal_and_keeps_trace_measures(random: Random) -> None:
    chain = with_twins(random, random_chain(random, most_states=6), random.randint(0, 3))
    merged = quotient(chain)
    assert is_bisimulation(chain, merged.block)
    assert bisimilarity(merged.chain) == tuple(range(len(merged.chain)))
    for number, members in enumerate(merged.members):
        assert [merged.block[state] for state in members] == [number] * len(members)
    assert sorted(state for members in merged.members for state in members) == list(range(len(chain)))
    for state in range(len(chain)):
        assert list(words(chain, state, 4)) == list(words(merged.chain, merged.block[state], 4))


@settings(max_examples=part_of(150), deadline=None)
@given(st.randoms(use_true_random=False))
def test_no_coarser_partition_is_a_bisimulation(random: Random) -> None:
    """Bisimilarity is the greatest bisimulation: merging any two of its blocks breaks the definition."""
    chain = with_twins(random, random_chain(random, most_states=6), random.randint(0, 3))
    blocks = bisimilarity(chain)
    for kept, gone in combinations(sorted(set(blocks)), 2):
        assert not is_bisimulation(chain, [kept if block == gone else block for block in blocks])


@settings(max_examples=part_of(100), deadline=None)
@given(st.randoms(use_true_random=False))
def test_renaming_states_renames_the_blocks(random: Random) -> None:
    chain = with_twins(random, random_chain(random), 2)
    order = list(range(len(chain)))
    random.shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    shuffled = Chain.from_rows(
        [{place[j]: p for j, p in chain.rows[old]} for old in order], [chain.labels[old] for old in order]
    )
    before, after = bisimilarity(chain), bisimilarity(shuffled)
    for i, j in combinations(range(len(chain)), 2):
        assert (before[i] == before[j]) == (after[place[i]] == after[place[j]])
