"""Compiled and uncompiled, policies have the same arcs, equations, components and values to the last bit."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from deltachain import kernels
from deltachain.distances import policy_iteration
from deltachain.distances.kinds.bd import BD
from deltachain.distances.kinds.ld import LD
from deltachain.distances.policy_iteration import apply_step, best_policy, heads_of, nodes_of
from deltachain.kernels import policies, transport
from deltachain.kernels.records import Policy, System
from tests.unit.kernels.spaces import Case, some_case

MODULES: list[tuple[Any, Any]] = [(kernels, kernels.PairRows), (policies, transport.PairRows)]


def unfolded(module: Any, rows: Any, case: Case) -> list[Any]:
    bases = apply_step(case.space, case.todo, case.closure)
    counts, eta = np.zeros(len(case.todo), np.int64), np.zeros(len(case.todo))
    none = Policy(case.todo, counts, np.empty(0, np.int32), np.empty(0), eta)
    module.unfold_bases(rows, bases, case.closure.via, case.closure.steps, counts, none)
    ptr = heads_of(counts)
    policy = Policy(case.todo, ptr, np.zeros(ptr[-1], np.int32), np.zeros(ptr[-1]), eta)
    module.unfold_bases(rows, bases, case.closure.via, case.closure.steps, counts, policy)
    return [column.tolist() for column in policy]


@pytest.mark.parametrize("seed", range(40))
def test_bases_are_unfolded_and_radii_spent_alike(seed: int) -> None:
    case, space = some_case(seed), some_case(seed).space
    (first, first_rows), (second, second_rows) = ((module, rows(space.tables)) for module, rows in MODULES)
    assert unfolded(first, first_rows, case) == unfolded(second, second_rows, case)
    random = np.random.default_rng(seed)
    moved = np.where(random.random(len(space)) < 0.2, random.random(len(space)), 0.0)
    radius = random.random(len(case.todo))
    spent = []
    for module, rows in ((first, first_rows), (second, second_rows)):
        left, look = radius.copy(), np.zeros(len(case.todo), np.uint8)
        module.spend_radius(rows, *space.rows_of(case.todo), moved, left, look)
        spent.append([left.tolist(), look.tolist()])
    assert spent[0] == spent[1]


@pytest.mark.parametrize("seed", range(40))
def test_spans_are_copied_and_arcs_gathered_alike(seed: int) -> None:
    case, random = some_case(seed), Random(seed)
    space, todo = case.space, case.todo
    policy = best_policy(space, todo, case.closure).policy
    chosen = np.array(sorted(random.sample(range(len(todo)), len(todo) // 3)), np.int64)
    source = np.full(len(todo), -1, np.int64)
    source[chosen] = np.arange(len(chosen))
    other = best_policy(space, todo[chosen], case.closure).policy if len(chosen) else policy
    counts = np.diff(policy.ptr)
    counts[chosen] = np.diff(other.ptr)[: len(chosen)]
    nodes = nodes_of(space, random.choice([BD, LD]), todo)
    results = []
    for module in (kernels, policies):
        ptr = heads_of(counts)
        into = Policy(todo, ptr, np.zeros(ptr[-1], np.int32), np.zeros(ptr[-1]), policy.eta)
        module.copy_spans(source, policy, other, into)
        room = np.zeros(len(policy.arc), np.int32), np.zeros(len(policy.arc))
        system = System(nodes.head, np.zeros(len(todo) + 1, np.int64), *room, policy.eta)
        used = module.gather_system(nodes, policy, system)
        results.append([used, *(column.tolist() for column in (*into, *system))])
    assert results[0] == results[1]


def some_system(random: Random, size: int) -> System:
    """Nodes with one to three options; loops, cycles of all lengths, options that leak little or nothing."""
    head, ptr, arc, weight, eta = [0], [0], [], [], []
    for node in range(size):
        for _ in range(random.randint(1, 3)):
            near = range(max(0, node - 3), min(size, node + 3)) if random.random() < 0.7 else range(size)
            targets = random.sample(near, min(len(near), random.randint(0, 3)))
            kept = random.choice([0.5, 0.9, 0.999, 1.0])
            arc += targets
            weight += [kept / len(targets) for _ in targets]
            ptr.append(len(arc))
            eta.append(random.choice([0.0, 0.0, random.random() / 9]))
        head.append(len(eta))
    floats = np.array(weight, float), np.array(eta, float)
    return System(np.array(head, np.int64), np.array(ptr, np.int64), np.array(arc, np.int32), *floats)


@pytest.mark.parametrize("seed", range(60))
def test_systems_are_solved_alike(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By substitution, sweeps, leaps and dense solves."""
    random = Random(seed)
    system = some_system(random, random.choice([1, 6, 40]))
    start = np.full(len(system.head) - 1, 0.5)
    tolerance = random.choice([policy_iteration.STILL, 1e-5])
    monkeypatch.setattr(policy_iteration, "DENSE", random.choice([2, 1500]))
    monkeypatch.setattr(policy_iteration, "SWEEPS", random.choice([2, 30]))
    monkeypatch.setattr(policy_iteration, "SWEEPS_IF_LARGE", 200)
    found = []
    for module in (kernels, policies):
        monkeypatch.setattr(policy_iteration, "kernels", module)
        value, active = policy_iteration.evaluate(system, start, tolerance)
        found.append([value.tolist(), active.tolist()])
    assert found[0] == found[1]


@pytest.mark.parametrize("seed", range(40))
def test_components_are_those_of_mutual_reach_in_order(seed: int) -> None:
    random = Random(seed)
    size = random.randint(1, 30)
    targets = [random.sample(range(size), random.randint(0, min(size, 3))) for _ in range(size)]
    head = heads_of(np.array([len(row) for row in targets], np.int64))
    flat = np.array([j for row in targets for j in row], np.int32)
    found = []
    for module in (kernels, policies):
        order, component, work = np.zeros(size, np.int32), np.zeros(size, np.int32), np.full((5, size), -1, np.int32)
        count = module.arrange_components(head, flat, order, component, work)
        found.append([count, order.tolist(), component.tolist()])
    assert found[0] == found[1]
    reach = np.eye(size, dtype=bool)
    for i, row in enumerate(targets):
        reach[i, row] = True
    for k in range(size):
        reach |= reach[:, [k]] & reach[[k], :]
    count, order, component = found[0]
    place = dict(zip(order, component, strict=True))
    assert sorted(order) == list(range(size))
    assert component == sorted(component)
    assert set(component) == set(range(count))
    for i in range(size):
        for j in range(size):
            assert (place[i] == place[j]) == (reach[i, j] and reach[j, i])
            assert not reach[i, j] or place[j] <= place[i], "what a component leads to comes first"
