"""Compiled and uncompiled, walks modulo a prime meet the same beliefs; room is made before it is needed."""

from __future__ import annotations

from typing import Any

import pytest

from deltachain import kernels
from deltachain.beliefs.graph.lookahead import look_ahead
from deltachain.beliefs.signed.tables import tables_of
from deltachain.cancel import Cancel
from deltachain.examples import build
from deltachain.kernels import lookahead, step
from tests.unit.kernels.chains import some_chain


def walked(module: Any, rows: Any, states: int, limits: tuple[int, int, int]) -> list[object]:
    """The course of a walk that is called again and again, enlarged in between."""
    walk = module.Walk(states, 0, 1)
    course: list[object] = []
    for _ in range(4):
        course += [module.walk_on(rows, walk, *limits), walk.count()]
        walk.enlarge()
    return course


@pytest.mark.parametrize("seed", range(30))
def test_compiled_and_uncompiled_walks_are_equal(seed: int) -> None:
    tables, _ = tables_of(some_chain(seed, inputs=seed % 3 if seed % 2 else 0))
    limits = (60, 400, 100)
    compiled = walked(kernels, kernels.Rows(tables), len(tables.label), limits)
    assert compiled == walked(lookahead, step.Rows(tables), len(tables.label), limits)


@pytest.mark.parametrize("value", [1, 2, 69, step.PRIME - 1, step.PRIME // 2, 123456789])
def test_inverses_and_rests_are_those_of_python(value: int) -> None:
    assert lookahead.inverse_of(value) == pow(value, -1, step.PRIME)
    for product in (value, value * value, value * (step.PRIME - 1), 2**62 - value):
        assert step.reduce_residue(product) == product % step.PRIME


def test_many_inputs_have_room_for_all_their_beliefs() -> None:
    """Release 0.2 made room for one input, and wrote those of the others behind the end of its arrays."""
    tables, _ = tables_of(build("random,n=60,labels=2,degree=20,denominators=30,inputs=80,seed=1"))
    ahead = look_ahead(tables, 0, 1, 200, 10**9, Cancel())
    assert not ahead.ended
    assert ahead.nodes > 200
