"""Ratio matrices: each entry against all short words, its tree against a slow check, and what it makes of ε."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.cancel import Cancel
from deltachain.measures.epsilon.matrix import RatioMatrix, is_affordable, ratio_matrix
from deltachain.model.words import word_probability
from tests.reference.random_chains import random_chain
from tests.reference.word_ratios import largest_word_ratio
from tests.words import says

WIDTH = Fraction(1, 10**6)
ONE = Fraction(1)


def matrix_of(chain: Chain, s: int, t: int, reached: Fraction = ONE) -> RatioMatrix | None:
    return ratio_matrix(chain, [(s, t), (t, s)], reached, WIDTH, Cancel())


def largest_over(x: dict[int, Fraction], y: dict[int, Fraction], bounds: dict[tuple[int, int], Fraction]) -> Fraction:
    """The largest x·f/y·f over the corners f of the cone: every tree of arcs with f_k = R_kl f_l, tried one by one."""
    states = sorted({*x, *y})
    arcs = [(k, m) for k in states for m in states if (k, m) in bounds]
    best = Fraction(0)
    for start in states:
        for chosen in product([None, *arcs], repeat=len(states) - 1):
            f = {start: ONE}
            tight = [arc for arc in chosen if arc is not None]
            for _ in states:
                for k, m in tight:
                    if m in f and k not in f:
                        f[k] = bounds[k, m] * f[m]
                    elif k in f and m not in f:
                        f[m] = f[k] / bounds[k, m]
            full = {k: f.get(k, Fraction(0)) for k in states}
            if all(full[k] <= bound * full[m] for (k, m), bound in bounds.items() if k in full and m in full):
                above, below = (sum((v * full[k] for k, v in each.items()), Fraction(0)) for each in (x, y))
                if below:
                    best = max(best, above / below)
                elif above:
                    return Fraction(10**9)
    return best


def check_tree(chain: Chain, pair: tuple[int, int], tree: Any, bounds: dict[tuple[int, int], Fraction]) -> None:
    """Slowly: at every leaf the bound holds at each corner of the cone; inside, for the words themselves."""
    waiting = [({pair[0]: ONE}, {pair[1]: ONE}, tree)]
    while waiting:
        x, y, inner = waiting.pop()
        assert sum(x.values()) <= bounds[pair] * sum(y.values())
        for letter in sorted(chain.alphabet):
            after = []
            for belief in (x, y):
                found: dict[int, Fraction] = {}
                for i, mass in belief.items():
                    for j, p in chain.rows[i]:
                        if chain.labels[j] == letter:
                            found[j] = found.get(j, Fraction(0)) + mass * p
                after.append(found)
            if not after[0]:
                assert letter not in inner
            elif isinstance(inner.get(letter, ()), tuple):
                assert largest_over(after[0], after[1], bounds) <= bounds[pair]
            else:
                waiting.append((after[0], after[1], inner[letter]))


def pairs_of(seeds: range, most_states: int = 4) -> list[tuple[Chain, int, int]]:
    found = []
    for seed in seeds:
        draw = random.Random(seed)
        chain = random_chain(draw, most_states=most_states, most_letters=2, parts=draw.choice((3, 6, 12)))
        alike = [(s, t) for s in range(len(chain)) for t in range(s) if chain.labels[s] == chain.labels[t]]
        if alike:
            found.append((chain, *draw.choice(alike)))
    return found


def test_every_tree_is_sound_at_the_corners_of_the_cone() -> None:
    checked = deep = 0
    for chain, s, t in pairs_of(range(250)):
        found = matrix_of(chain, s, t)
        if found is None or max(map(len, chain.by_label.values())) > 3:  # of more states there are too many corners
            continue
        bounds = {entry.pair: entry.bound for entry in found.entries}
        for entry in found.entries:
            check_tree(chain, entry.pair, entry.tree, bounds)
            deep += any(isinstance(node, dict) for node in entry.tree.values())
            checked += 1
    assert checked > 100
    assert deep > 5


def test_no_word_is_above_an_entry() -> None:
    seen = 0
    for chain, s, t in pairs_of(range(250, 480), 5):
        found = matrix_of(chain, s, t)
        largest = largest_word_ratio(chain, s, t, 6)
        if found is None:
            continue
        assert largest is not None, "one state alone shows some word"
        assert found.bound([(s, t), (t, s)]) == found.largest >= largest
        for entry in found.entries:
            for length in range(5):
                for letters in product(sorted(chain.alphabet), repeat=length):
                    word = (chain.labels[entry.pair[0]], *letters)
                    x, y = (word_probability(chain, state, word) for state in entry.pair)
                    assert x <= entry.bound * y  # type: ignore[operator]
        seen += bool(found.entries)
    assert seen > 50


def cited(tree: Any) -> set[tuple[int, int]]:
    return {
        pair
        for node in tree.values()
        for pair in (cited(node) if isinstance(node, dict) else {(k, m) for k, m, _ in node})
    }


@pytest.mark.parametrize("seed", [595, 1028, 1146, *range(30)])
def test_every_pair_that_is_cited_has_an_entry(seed: int) -> None:
    """Also by the trees that are made larger once the matrix is there."""
    draw = random.Random(seed)
    letters, parts = draw.choice((1, 2, 3)), draw.choice((3, 4, 6, 12))
    chain = random_chain(draw, most_states=6, most_letters=letters, parts=parts)
    alike = [(s, t) for s in range(len(chain)) for t in range(s) if chain.labels[s] == chain.labels[t]]
    if not alike:
        return
    s, t = draw.choice(alike)
    bound = dc.epsilon(chain, s, t, delta=0, max_nodes=500)
    assert bound.checked.accepted
    for reached in (ONE, bound.refuted):
        found = matrix_of(chain, s, t, reached)
        if found is not None and found.entries:
            assert set().union(*(cited(entry.tree) for entry in found.entries)) <= {e.pair for e in found.entries}


def test_the_sensor_is_three_at_the_start_and_seven_thirds_inside() -> None:
    chain = dc.examples.sticky_sensor()
    found = matrix_of(chain, chain.number("s0"), chain.number("s1"))
    assert found is not None
    bounds = {tuple(chain.states[i] for i in entry.pair): entry.bound for entry in found.entries}
    assert bounds["s0", "s1"] == bounds["s1", "s0"] == 3
    assert {bound for pair, bound in bounds.items() if pair[0] not in ("s0", "s1")} == {Fraction(7, 3)}
    answer = dc.epsilon(chain, delta=0, certificate=True)
    assert (answer.exp_epsilon_proved, answer.refuted, answer.exact) == (3, 3, True)
    assert answer.checked_proved.accepted
    assert answer.checked_refuted.accepted
    assert answer.certificate is not None
    assert says([*map(str, dc.verify(chain, answer.certificate))])


@pytest.mark.parametrize(
    ("seed", "least"), [(7, "87/31"), (8, "30/11"), (9, "5"), (10, "37850035484/6713682357"), (28, "45/4")]
)
def test_what_a_word_reaches_is_proved_exactly_by_a_larger_tree(seed: int, least: str) -> None:
    chain = dc.examples.build(f"random,n=6,labels=2,degree=3,seed={seed}")
    bound = dc.epsilon(chain, delta=0)
    assert bound.exact
    assert bound.exp_epsilon_proved == bound.refuted == Fraction(least)
    assert bound.checked.accepted


@pytest.mark.parametrize("seed", [11, 19, 20, 29, 35])
def test_limits_that_are_not_rational_are_between_near_bounds(seed: int) -> None:
    chain = dc.examples.build(f"random,n=6,labels=2,degree=3,seed={seed}")
    bound = dc.epsilon(chain, delta=0)
    assert bound.exp_epsilon_proved is not None
    assert bound.refuted < bound.exp_epsilon_proved <= bound.refuted * (1 + WIDTH)
    assert bound.checked_proved.accepted
    assert bound.checked_refuted.accepted


def test_pairs_together_have_one_matrix() -> None:
    chain = dc.examples.build("random,n=6,labels=2,degree=3,seed=8")
    pairs = [(s, t) for s in range(6) for t in range(s) if chain.labels[s] == chain.labels[t]]
    alone = [dc.epsilon(chain, s, t, delta=0).exp_epsilon_proved for s, t in pairs]
    together = dc.epsilon(chain, pairs=pairs, delta=0, certificate=True)
    if None in alone:
        assert together.exp_epsilon_proved is None
    else:
        assert together.exp_epsilon_proved is not None
        assert float(together.exp_epsilon_proved) == pytest.approx(float(max(filter(None, alone))), rel=1e-5)
        assert together.certificate is not None
        assert len(dc.verify(chain, together.certificate)) == len(pairs)


def test_where_ratios_have_no_bound_there_is_no_matrix() -> None:
    chain = dc.examples.build("random,n=6,labels=2,degree=3,seed=36")
    assert matrix_of(chain, 0, 1) is None
    assert matrix_of(chain, 0, 1, Fraction(10**12)) is None
    assert is_affordable(chain)
    assert not is_affordable(dc.examples.random(n=80, labels=2, degree=3, seed=1))


def test_merged_states_need_no_entries() -> None:
    found = ratio_matrix(dc.examples.coin(), [], ONE, WIDTH, Cancel())
    assert found is not None
    assert found.largest == 1


def test_a_cancelled_search_has_no_matrix() -> None:
    cancel = Cancel()
    cancel.interrupt()
    chain = dc.examples.sticky_sensor()
    assert ratio_matrix(chain, [(chain.number("s0"), chain.number("s1"))], ONE, WIDTH, cancel) is None


def test_both_ends_of_one_number_are_found_by_unlike_means() -> None:
    for stay, accuracy in (("9/10", "9/16"), ("4/5", "2/3"), ("1/2", "3/4"), ("3/4", "5/8")):
        bound = dc.epsilon(dc.examples.build(f"sticky-sensor,stay={stay},accuracy={accuracy}"), delta=0)
        assert bound.exp_epsilon_proved is not None
        assert bound.exp_epsilon_proved <= bound.refuted * (1 + WIDTH)
