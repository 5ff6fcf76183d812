"""Compiled and uncompiled, steps have the same values and bases to the last bit."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from deltachain import kernels
from deltachain.distances.step_exact import ETA, SLACK
from deltachain.kernels import transport
from deltachain.kernels.records import Bases
from tests.unit.kernels.spaces import Case, some_case


def solved(module: Any, case: Case) -> Bases:
    space, closure = case.space, case.closure
    sources, sinks = space.rows_of(case.todo)
    degree = np.diff(space.tables.indptr)
    count, width = len(case.todo), int(degree[sources].sum() + degree[sinks].sum())
    bases = Bases(
        case.todo, np.zeros(count), np.zeros(count, bool), np.zeros(count), np.zeros(count + 1, np.int64),
        *(np.zeros(width, np.int32) for _ in range(3)), np.zeros(width),
    )  # fmt: skip
    rows = module.PairRows(space.tables)
    module.solve_steps(rows, closure.cost, closure.relative_gains, sources, sinks, bases)
    return bases


@pytest.mark.seeds(30, 80)
def test_compiled_and_uncompiled_steps_are_equal(seed: int) -> None:
    case = some_case(seed)
    compiled, plain = solved(kernels, case), solved(transport, case)
    for name, mine, theirs in zip(Bases._fields, compiled, plain, strict=True):
        assert mine.tolist() == theirs.tolist(), name
    assert set(compiled.level[: compiled.ptr[-1]].tolist()) <= {ETA, SLACK, *range(1, case.closure.levels + 1)}


@pytest.mark.parametrize("seed", range(20))
def test_compiled_and_uncompiled_exchanges_are_equal(seed: int) -> None:
    """From the identity, while something can leave: the same rows leave, and B⁻¹ and the amounts are the same."""
    random = np.random.default_rng(seed)
    chooser, size = Random(seed), 6
    both = [(module, np.eye(size), np.arange(1.0, size + 1)) for module in (kernels, transport)]
    for _ in range(10):
        column = random.integers(-2, 3, size) * random.random(size)
        column[chooser.randrange(size)] = 1.0
        left = [module.exchange_basis(inverse, amount, inverse @ column) for module, inverse, amount in both]
        assert left[0] == left[1]
        assert both[0][1].tolist() == both[1][1].tolist()
        assert both[0][2].tolist() == both[1][2].tolist()
        assert (both[0][2] >= 0).all()


def test_nothing_leaves_where_no_amount_falls() -> None:
    for module in (kernels, transport):
        inverse, amount = np.eye(2), np.ones(2)
        assert module.exchange_basis(inverse, amount, np.array([-1.0, 0.0])) == -1
        assert amount.tolist() == [1.0, 1.0]
