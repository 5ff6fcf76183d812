"""Compiled and uncompiled, vectors and the leaves that they bound are the same to the last bit."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from deltachain import kernels
from deltachain.beliefs.signed.tables import tables_of
from deltachain.beliefs.signed.tree import root_tree
from deltachain.kernels import step, vectors
from deltachain.kernels.records import NODES, Choice, Tables, Tree
from tests.unit.kernels.chains import some_chain


def one_step_before(module: Any, classes: Any, tables: Tables, label: int, choice: int, seed: int) -> list[Any]:
    """Vectors one step before a random one, and a random belief one step later."""
    random = np.random.default_rng(seed)
    states, size = len(tables.label), int(tables.first[label + 1] - tables.first[label])
    rows, floats = classes.Rows(tables), classes.FloatRows(tables, tables.low.astype(np.float64))
    exact, found = np.empty(size, np.int64), np.empty(size)
    module.pull_exactly(rows, label, choice, random.integers(0, 2**30, states, endpoint=True), exact)
    module.pull_vector(rows, label, choice, random.random(states), found)
    belief, after, sums = random.normal(size=size), np.empty(states), classes.FloatSums(states)
    belief[0] = 0.0
    pushed = []
    for _ in range(2):  # the sums are left as they were found
        module.push_belief(rows, floats, label, choice, belief, sums, after)
        pushed += after.tolist()
    return [exact.tolist(), found.tolist(), pushed]


@pytest.mark.parametrize("seed", range(40))
def test_compiled_and_uncompiled_steps_are_equal(seed: int) -> None:
    inputs = seed % 3 if seed % 2 else 0
    tables, _ = tables_of(some_chain(seed, inputs=inputs))
    label, choice = int(tables.label[-1]), max(inputs - 1, 0)
    compiled = one_step_before(kernels, kernels, tables, label, choice, seed)
    assert compiled == one_step_before(vectors, step, tables, label, choice, seed)


def bounded(module: Any, rows: Any, tables: Tables, tree: Tree, seed: int) -> list[Any]:
    """The beliefs of the leaves of one label as floats, and their bounds by random vectors."""
    random = np.random.default_rng(seed)
    nodes = int(tree.used[NODES])
    open_leaves = np.flatnonzero((tree.begin[:nodes] == 0) & (tree.widest[:nodes] > 0))
    label = int(tree.label[open_leaves[0]])
    leaves = open_leaves[tree.label[open_leaves] == label]
    size = int(tables.first[label + 1] - tables.first[label])
    beliefs = np.full((len(leaves), size), 7, np.float32)
    module.gather_leaves(rows, tree, leaves, beliefs)
    exact, heights = random.integers(0, 2**30, (3, size), endpoint=True), random.integers(0, 50, 3)
    choice = Choice(leaves, random.integers(0, 3, len(leaves)), exact, heights, np.array([5, 6, 7], np.int32))
    chosen = np.zeros(nodes, np.int32)
    module.raise_below(rows, tree, choice, chosen)
    return [beliefs.tolist(), chosen.tolist(), tree.below[:nodes].tolist()]


def test_compiled_and_uncompiled_bounds_are_equal() -> None:
    compared = 0
    for seed in range(60):
        tables, _ = tables_of(some_chain(seed))
        same = np.flatnonzero(tables.label == tables.label[0])
        unit = 2 ** Random(seed).choice([3, 20, 59])
        if len(same) < 2:
            continue
        trees = [root_tree(tables, [(0, unit), (int(same[-1]), -unit)]) for _ in range(2)]
        for tree in trees:
            kernels.expand_widest(kernels.Rows(tables), tree, 12)
        if trees[0].widest[0] > 0:
            compared += 1
            compiled = bounded(kernels, kernels.Rows(tables), tables, trees[0], seed)
            assert compiled == bounded(vectors, step.Rows(tables), tables, trees[1], seed)
    assert compared > 20
