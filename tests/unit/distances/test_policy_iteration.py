"""Policies: their value solves their equations and is an upper bound at every round; slow components are solved too."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from bench.value_iteration import apply_operator, iterate_from_below
from deltachain import examples
from deltachain.distances import policy_iteration
from deltachain.distances.fixed_point import solve
from deltachain.distances.kinds import kind_named
from deltachain.distances.kinds.bd import BD
from deltachain.distances.pair_space import PairSpace
from deltachain.distances.policy_iteration import evaluate, find_policy, heads_of
from deltachain.distances.zero_set import zero_set
from deltachain.kernels.records import System
from tests.reference.random_chains import random_chain
from tests.reference.strategies import Kind

ALPHAS = [Fraction(1), Fraction(6, 5), Fraction(2)]


def system(nodes: list[list[tuple[float, dict[int, float]]]]) -> System:
    """Nodes as lists of options (η, {node: weight})."""
    options = [option for node in nodes for option in node]
    targets = np.array([target for _, arcs in options for target in arcs], np.int32)
    weights = np.array([w for _, arcs in options for w in arcs.values()])
    eta = np.array([e for e, _ in options], float)
    head, ptr = (heads_of(np.array([len(part) for part in parts])) for parts in (nodes, [arcs for _, arcs in options]))
    return System(head, ptr, targets, weights, eta)


def test_substitution_and_loops() -> None:
    value, _ = evaluate(system([[(0.25, {})], [(0.0, {0: 0.5, 1: 0.5})], [(0.1, {1: 2.0})], [(0.9, {2: 1.0})]]))
    assert value.tolist() == [0.25, 0.25, 0.6, 1.0]


def test_the_larger_option_is_active() -> None:
    value, active = evaluate(system([[(0.1, {}), (0.3, {})], [(0.3, {}), (0.2, {})]]))
    assert value.tolist() == [0.3, 0.3]
    assert active.tolist() == [1, 2]


def test_options_that_only_agree_with_each_other_do_not_become_active() -> None:
    """Both nodes may copy each other (options 0 and 2) or stand on their own: one must stand on its own."""
    copying = [[(0.0, {1: 1.0}), (0.5, {})], [(0.0, {0: 1.0}), (0.5, {})]]
    value, active = evaluate(system(copying))
    assert value.tolist() == [0.5, 0.5]
    assert active.tolist() != [0, 2]


@pytest.mark.parametrize("leak", [1e-3, 1e-6, 1e-9])
def test_a_component_that_crawls_is_solved(leak: float) -> None:
    """Two nodes that pass mass to each other and lose a share ``leak`` a round, half of it to η."""
    crawling = [[(0.0, {1: 1.0})], [(leak / 2, {0: 1 - leak})]]
    value, _ = evaluate(system(crawling))
    assert value == pytest.approx([0.5, 0.5], rel=1e-6)


def test_directions_are_switched_while_solving_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [[(0.0, {1: 0.9}), (0.05, {1: 0.7})], [(0.01, {0: 0.95}), (0.0, {0: 0.999})]]
    swept, chosen = evaluate(system(nodes))
    monkeypatch.setattr(policy_iteration, "SWEEPS", 1)
    solved, active = evaluate(system(nodes))
    assert solved == pytest.approx(swept, rel=1e-12)
    assert active.tolist() == chosen.tolist()


def exact_values(space: PairSpace, kind: Kind) -> Any:
    found = solve(space.chain, space.alpha, kind=kind, exact=True)
    return np.array([float(found[space.states[u], space.states[v]]) for u, v in zip(*space.ends, strict=True)])


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
@pytest.mark.parametrize("seed", range(3))
def test_every_round_is_an_upper_bound_and_rounds_fall(seed: int, kind: Kind) -> None:
    random = Random(seed)
    for _ in range(15):
        chain = random_chain(random, most_states=7, most_letters=2, parts=5)
        space = PairSpace.of(chain, random.choice(ALPHAS))
        exact = exact_values(space, kind)
        zero = zero_set(space, kind_named(kind)).member
        previous = np.ones(len(space))
        for rounds in range(1, 20):
            guide = find_policy(space, kind_named(kind), zero, max_rounds=rounds)
            assert (guide.d >= exact * (1 - 1e-12)).all()
            assert (guide.d <= previous * (1 + 1e-12)).all()
            previous = guide.d
            if guide.settled:
                break
        assert guide.settled
        assert guide.d == pytest.approx(exact, rel=1e-11)


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", ["bd", "ld"])
@pytest.mark.parametrize("seed", range(3))
def test_value_iteration_climbs_from_below(seed: int, kind: Kind) -> None:
    random = Random(seed)
    for _ in range(10):
        chain = random_chain(random, most_states=7, most_letters=2, parts=5)
        space = PairSpace.of(chain, random.choice(ALPHAS))
        exact = exact_values(space, kind)
        d = np.zeros(len(space))
        for _ in range(12):
            after = apply_operator(space, kind_named(kind), d)
            assert (after >= d - 1e-15).all()
            assert (after <= exact + 1e-12).all()
            d = after
        assert iterate_from_below(space, kind_named(kind), rounds=12)[0] == pytest.approx(d, abs=1e-15)


def test_value_iteration_stops_when_nothing_grows() -> None:
    space = PairSpace.of(examples.coin("1/3"), Fraction(1))
    d, rounds = iterate_from_below(space, BD, rounds=100)
    assert rounds == 2
    assert d.max() == pytest.approx(1 / 3, abs=1e-15)
