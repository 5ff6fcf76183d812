"""What holds of bd and ld on every chain, and what does not."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltachain.distances.fixed_point import solve
from deltachain.model import Chain, bisimilarity, quotient
from tests.amounts import part_of
from tests.reference.enumerate_events import lv_at_depth, tv_alpha_at_depth
from tests.reference.linear_program import LinearProgram, Row
from tests.reference.naive_zero_set import Matrix, apply_exactly, naive_zero_set
from tests.reference.random_chains import random_chain, with_twins
from tests.reference.strategies import Kind

ALPHAS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(7, 2), Fraction(10**6)]
KINDS: list[Kind] = ["bd", "ld"]
seeds = st.randoms(use_true_random=False)
alphas = st.sampled_from(ALPHAS)


def some_chain(random: Random, most_states: int = 6) -> Chain:
    chain = random_chain(random, most_states=most_states, most_letters=2, parts=random.choice([2, 3, 4, 5]))
    return with_twins(random, chain, random.choice([0, 0, 1, 2]))


def matrix(chain: Chain, alpha: Fraction, kind: Kind) -> Matrix:
    found = solve(chain, alpha, kind=kind, exact=True)
    return [[found[s, t] for t in range(len(chain))] for s in range(len(chain))]


@settings(max_examples=part_of(80), deadline=None)
@given(seeds, alphas)
def test_ld_lies_between_the_true_delta_and_bd(random: Random, alpha: Fraction) -> None:
    """lv ≤ ld at any depth, both directions of ld ≤ bd, tv ≤ bd; bd is symmetric."""
    chain = some_chain(random)
    bd, ld = matrix(chain, alpha, "bd"), matrix(chain, alpha, "ld")
    for s, t in product(range(len(chain)), repeat=2):
        assert ld[s][t] <= bd[s][t] == bd[t][s]
    s, t = random.randrange(len(chain)), random.randrange(len(chain))
    for depth in (1, 2, 4):
        assert lv_at_depth(chain, s, t, alpha, depth) <= ld[s][t]
        assert tv_alpha_at_depth(chain, s, t, alpha, depth) <= bd[s][t]


@settings(max_examples=part_of(80), deadline=None)
@given(seeds, alphas, st.sampled_from(KINDS))
def test_bisimilar_states_have_distance_zero_and_the_quotient_is_closer(
    random: Random, alpha: Fraction, kind: Kind
) -> None:
    chain = some_chain(random)
    block = bisimilarity(chain)
    d, merged = matrix(chain, alpha, kind), matrix(quotient(chain).chain, alpha, kind)
    for s, t in product(range(len(chain)), repeat=2):
        assert d[s][t] == 0 or block[s] != block[t]
        assert merged[block[s]][block[t]] <= d[s][t]


@settings(max_examples=part_of(60), deadline=None)
@given(seeds, alphas, st.sampled_from(KINDS))
def test_renaming_states_changes_nothing(random: Random, alpha: Fraction, kind: Kind) -> None:
    chain = some_chain(random)
    order = list(range(len(chain)))
    random.shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    shuffled = Chain.from_rows(
        [{place[j]: p for j, p in chain.rows[old]} for old in order], [chain.labels[old] for old in order]
    )
    before, after = matrix(chain, alpha, kind), matrix(shuffled, alpha, kind)
    for s, t in product(range(len(chain)), repeat=2):
        assert before[s][t] == after[place[s]][place[t]]


@settings(max_examples=part_of(60), deadline=None)
@given(seeds, alphas, st.sampled_from(KINDS))
def test_the_operator_is_monotone(random: Random, alpha: Fraction, kind: Kind) -> None:
    chain = some_chain(random, most_states=4)
    states = range(len(chain))
    low = [[Fraction(random.randint(0, 4) * (s != t), 4) for t in states] for s in states]
    high = [
        [min(Fraction(1), low[s][t] + Fraction(random.randint(0, 2) * (s != t), 4)) for t in states] for s in states
    ]
    after_low, after_high = (apply_exactly(chain, alpha, kind, d) for d in (low, high))
    assert all(after_low[s][t] <= after_high[s][t] for s in states for t in states)


def coupling_distance(d: Matrix, x: dict[int, Fraction], y: dict[int, Fraction]) -> Fraction:
    """The classic Kantorovich distance: the cheapest coupling of x and y, as a transport program."""
    names = {(i, j): f"w[{i},{j}]" for i in x for j in y}
    one = Fraction(1)
    rows = [Row(f"from {i}", {names[i, j]: one for j in y}, "=", p) for i, p in x.items()]
    rows += [Row(f"to {j}", {names[i, j]: one for i in x}, "=", p) for j, p in y.items()]
    costs = {name: d[i][j] for (i, j), name in names.items()}
    return LinearProgram("min", tuple(costs), costs, tuple(rows)).solve().value


@settings(max_examples=part_of(80), deadline=None)
@given(seeds)
def test_at_alpha_one_it_is_the_classic_bisimilarity_pseudometric(random: Random) -> None:
    """The fixed point of couplings that is zero on bisimilar states only; a pseudometric; ld = bd."""
    chain = some_chain(random)
    d = matrix(chain, Fraction(1), "bd")
    assert matrix(chain, Fraction(1), "ld") == d
    block = bisimilarity(chain)
    states = range(len(chain))
    for s, t in product(states, repeat=2):
        assert (d[s][t] == 0) == (block[s] == block[t])
        if chain.labels[s] == chain.labels[t]:
            assert d[s][t] == coupling_distance(d, dict(chain.rows[s]), dict(chain.rows[t]))
        assert all(d[s][t] <= d[s][m] + d[m][t] for m in states)


@settings(max_examples=part_of(60), deadline=None)
@given(seeds, st.integers(0, 4))
def test_the_true_delta_falls_in_alpha(random: Random, index: int) -> None:
    chain = some_chain(random)
    s, t = random.randrange(len(chain)), random.randrange(len(chain))
    low, high = ALPHAS[index], ALPHAS[index + 1]
    assert lv_at_depth(chain, s, t, high, 4) <= lv_at_depth(chain, s, t, low, 4)
    # So a distance at a smaller α bounds the true δ at a larger one.
    assert tv_alpha_at_depth(chain, s, t, high, 4) <= solve(chain, low, pairs=[(s, t)])[s, t]


RISING = Chain.from_rows(
    [{2: 1}, {1: "1/2", 2: "1/4", 3: "1/4"}, {0: "1/6", 1: "1/6", 2: "1/3", 3: "1/3"}, {1: "1/3", 3: "2/3"}],
    list("aaab"),
)


def test_bd_may_rise_with_alpha() -> None:
    """A larger α lowers x − αy but loosens f_i − α f_j ≤ d_ij; where rows meet again, the second can win."""
    values = [solve(RISING, Fraction(alpha), exact=True)[0, 2] for alpha in ("3/2", "2")]
    assert values == [Fraction(35, 88), Fraction(53, 132)]
    assert values[0] < values[1]
    assert tv_alpha_at_depth(RISING, 0, 2, Fraction(2), 6) <= values[0]


def test_the_zero_set_of_ld_may_shrink_with_alpha() -> None:
    """So pure privacy that is shown at one α may not be shown at a larger one, though it holds there."""
    chain = Chain.from_rows(
        [
            {0: "1/2", 4: "1/2"},
            {0: 1},
            {0: "1/3", 2: "1/9", 3: "1/3", 4: "2/9"},
            {1: "1/4", 3: "1/4", 4: "1/2"},
            {0: "1/3", 2: "1/3", 3: "1/3"},
        ],
        list("abaaa"),
    )
    low, high = Fraction(2), Fraction(5, 2)
    lost = naive_zero_set(chain, low, "ld") - naive_zero_set(chain, high, "ld")
    assert lost
    for s, t in lost:
        assert solve(chain, low, kind="ld", exact=True)[s, t] == 0 < solve(chain, high, kind="ld", exact=True)[s, t]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.seeds(1, 6)
def test_thousands_of_pairs_satisfy_the_order_of_bounds(kind: Kind, seed: int) -> None:
    """ld ≤ bd, certified ≥ exact, and bisimilar ⇒ 0, on every pair of a few hundred chains."""
    random, pairs = Random(17 + seed), 0
    for _ in range(40):
        chain, alpha = some_chain(random), random.choice(ALPHAS)
        exact = solve(chain, alpha, kind=kind, exact=True)
        upper = solve(chain, alpha, kind=kind, exact=False)
        for (s, t), value in exact.items():
            assert value <= upper[s, t] <= value * (1 + Fraction(1, 10**9))
            pairs += 1
    assert pairs > 200
