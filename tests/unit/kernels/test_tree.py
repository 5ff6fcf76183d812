"""Compiled and uncompiled, trees are the same to the last bit: bounds, beliefs, and the order of expansion."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from deltachain import Chain, kernels
from deltachain.beliefs.signed.tables import tables_of
from deltachain.beliefs.signed.tree import root_tree
from deltachain.kernels import step, tree
from deltachain.kernels.records import ENTRIES, EXPANDED, NODES, PLACES, Tables, Tree
from tests.unit.kernels.chains import some_chain


def grown(module: Any, tables: Tables, entries: list[tuple[int, int]], rows: Any) -> Tree:
    """Some expansions, the arena compacted in between, and all bounds anew at the end."""
    found = root_tree(tables, entries)
    for budget in (3, 20):
        module.expand_widest(rows, found, budget)
        module.compact(found, found.values, found.states)
    module.back_up(found)
    return found


def parts(found: Tree) -> dict[str, list[int]]:
    """What a tree holds, without the room that is not in use."""
    used = found.used
    lengths = {"values": used[ENTRIES], "states": used[PLACES], "order": used[EXPANDED], "used": len(used)}
    lists = {name: getattr(found, name)[: lengths.get(name, used[NODES])].tolist() for name in found._fields}
    lists["favoured"] = [k for k, first in zip(lists["favoured"], lists["begin"], strict=True) if first]
    return lists


@pytest.mark.parametrize("seed", range(60))
def test_compiled_and_uncompiled_trees_are_equal(seed: int) -> None:
    tables, _ = tables_of(some_chain(seed, inputs=seed % 3 if seed % 2 else 0))
    first = [i for i in range(len(tables.label)) if tables.label[i] == tables.label[0]]
    unit = 1 << (59 if seed % 4 else 3)
    entries = [(0, unit), (first[-1], -unit - seed)] if len(first) > 1 else [(0, unit)]
    compiled = grown(kernels, tables, entries, kernels.Rows(tables))
    plain = grown(tree, tables, entries, step.Rows(tables))
    assert parts(compiled) == parts(plain)


@pytest.mark.parametrize("seed", range(5))
def test_many_arcs_that_end_in_few_states_make_sparse_children(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltachain.beliefs.signed.tree.FIRST_ROOM", 1024)  # the kernel alone makes no more
    random = Random(seed)
    states = [f"s{i:02}" for i in range(18)]
    rows = {}
    for number, state in enumerate(states):
        weights = [random.randint(1, 9) for _ in range(4)]
        targets = random.sample(states[:5] if number else states[13:], 4)
        rows[state] = {t: Fraction(w, sum(weights)) for t, w in zip(targets, weights, strict=True)}
    tables, _ = tables_of(Chain.from_dicts(rows, dict.fromkeys(states, "l")))
    entries = [(state, random.randint(-(2**57), 2**57)) for state in range(18)]
    roots = [root_tree(tables, entries) for _ in range(2)]
    for root in roots:
        root.spot[0], root.used[PLACES] = -1, 0  # an entry for every state: dense
    kernels.expand_widest(kernels.Rows(tables), roots[0], 4)
    tree.expand_widest(step.Rows(tables), roots[1], 4)
    assert parts(roots[0]) == parts(roots[1])
    assert roots[0].spot[1] == 0, "the first child is sparse"


def test_a_reached_state_whose_sum_is_zero_is_no_entry() -> None:
    """Both states lead to the same one with equal chances: the belief that arrives there is zero, and no child."""
    tables, _ = tables_of(some_chain(0))
    tables = tables._replace(
        first=np.array([0, 2, 3]),
        label=np.array([0, 0, 1]),
        inputs=np.array([1, 1]),
        start=np.array([0, 1, 2, 3]),
        target=np.array([2, 2, 2], np.int32),
        low=np.ones(3, np.int32),
        high=np.ones(3, np.int32),
        denominator=np.ones(3, np.int64),
    )
    for module, rows in ((kernels, kernels.Rows(tables)), (tree, step.Rows(tables))):
        found = root_tree(tables, [(0, 8), (1, -8)])
        assert module.expand_widest(rows, found, 5) == tree.SETTLED
        assert found.used.tolist() == [1, 2, 2, 1]
        assert (found.below[0], found.above[0]) == (0, 0)


def test_a_belief_that_no_input_moves_keeps_what_it_holds() -> None:
    """Every input was skipped, and a node without children counted as 0: an upper bound below δ = 1/2."""
    waits = {name: {"x": {name: 1}, "y": {name: 1}} for name in ("e", "f", "g", "h")}
    rows = {"s": {"e": "3/4", "g": "1/4"}, "t": {"f": "1/4", "h": "3/4"}, **waits}
    labels = {"s": "go", "t": "go", "e": "a", "f": "a", "g": "b", "h": "b"}
    chain = Chain.from_dicts(rows, labels)
    tables, order = tables_of(chain)
    place = {chain.states[i]: k for k, i in enumerate(order)}
    for module, known in ((kernels, kernels.Rows(tables)), (tree, step.Rows(tables))):
        found = root_tree(tables, [(place["s"], 2**40), (place["t"], -(2**40))])
        module.expand_widest(known, found, 50)
        assert found.below[0] <= 2**39 <= found.above[0]
