"""The zero set against its definition, and the flows that prove it."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain import examples
from deltachain.distances.kinds import kind_named
from deltachain.distances.pair_space import PairSpace
from deltachain.distances.zero_set import zero_set
from deltachain.model import Chain, bisimilarity
from tests.reference.naive_zero_set import naive_zero_set
from tests.reference.random_chains import random_chain, with_twins
from tests.reference.strategies import Kind
from tests.unit.distances.test_step_exact import check_flow

ALPHAS = [
    Fraction(1),
    1 + Fraction(1, 10**9),
    Fraction(3, 2),
    Fraction(2),
    Fraction(3),
    Fraction(10**6),
    Fraction(10**40),
]


def members(chain: Chain, alpha: Fraction, kind: Kind) -> set[tuple[int, int]]:
    """Z by the engine, each pair with a checked exact flow of cost zero on pairs of Z."""
    space = PairSpace.of(chain, alpha)
    found = zero_set(space, kind_named(kind))
    u, v = space.ends
    for pair in space.off_diagonal.tolist():
        if found.member[pair]:
            flow = found.flow(pair)
            check_flow(space, pair, flow)
            assert not flow.eta
            assert all(found.member[space.pair(a, b)] for a, b, _ in flow.arcs)
    return {(space.states[a], space.states[b]) for a, b, zero in zip(u, v, found.member, strict=True) if zero}


@pytest.mark.seeds(2, 8)
@pytest.mark.parametrize("kind", ["bd", "ld"])
def test_equal_to_the_definition(seed: int, kind: Kind) -> None:
    random = Random(seed)
    sizes = set()
    for _ in range(25):
        chain = with_twins(random, random_chain(random, most_states=5, most_letters=2), random.randint(0, 1))
        alpha = random.choice(ALPHAS)
        zero = members(chain, alpha, kind)
        assert zero == naive_zero_set(chain, alpha, kind), chain.summary()
        sizes.add(len(zero) - len(chain))
    assert len(sizes) > 3


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(4))
def test_at_alpha_one_it_is_bisimilarity(seed: int) -> None:
    random = Random(seed)
    for _ in range(30):
        chain = with_twins(random, random_chain(random, most_states=8), random.randint(0, 3))
        block = bisimilarity(chain)
        same = {(s, t) for s in range(len(chain)) for t in range(len(chain)) if block[s] == block[t]}
        assert members(chain, Fraction(1), "bd") == members(chain, Fraction(1), "ld") == same


@pytest.mark.parametrize("seed", range(3))
def test_bd_is_zero_only_where_ld_is_both_ways(seed: int) -> None:
    random = Random(seed)
    for _ in range(40):
        chain, alpha = random_chain(random), random.choice(ALPHAS)
        one_way = members(chain, alpha, "ld")
        assert members(chain, alpha, "bd") <= {(s, t) for s, t in one_way if (t, s) in one_way}


def test_ties_are_decided_exactly() -> None:
    """3/5 = 3/2 · 2/5 is zero; a 10^-30 less than 3/2 is not."""
    chain = examples.coin()
    s, t = chain.number("s0"), chain.number("s1")
    assert (s, t) in members(chain, Fraction(3, 2), "bd")
    assert (s, t) not in members(chain, Fraction(3, 2) - Fraction(1, 10**30), "bd")
