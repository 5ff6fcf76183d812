"""Compiled and uncompiled, levels are the same to the last bit: children, hashes, what is joined and what it costs."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from deltachain import kernels
from deltachain.beliefs.signed.tables import tables_of
from deltachain.kernels import levels, step
from deltachain.kernels.records import Level, Tables
from tests.unit.kernels.chains import some_chain


def some_level(tables: Tables, random: Random) -> Level:
    """Some beliefs, each on one label; a few are multiples of each other."""
    start, label, states, values = [0], [], [], []
    for _ in range(random.randint(1, 6)):
        b = random.randrange(len(tables.first) - 1)
        members = range(int(tables.first[b]), int(tables.first[b + 1]))
        chosen = sorted(random.sample(members, random.randint(1, len(members))))
        masses = [random.randint(-(2**55), 2**55) or 1 for _ in chosen]
        for factor in (1, 3)[: random.randint(1, 2)]:
            label.append(b)
            states += chosen
            values += [mass * factor + random.randint(0, 1) for mass in masses]
            start.append(len(states))
    return Level(*(np.array(numbers, np.int64) for numbers in (start, label, states, values)))


def one_step(module: Any, rows: Any, tables: Tables, level: Level, dust: int) -> list[list[int]]:
    """Expand, group by hash, join."""
    arcs = int((tables.start[level.states + 1] - tables.start[level.states]).sum())
    raw, joined = (Level(np.zeros(arcs + 1, np.int64), *(np.zeros(arcs, np.int64) for _ in range(3))) for _ in "ab")
    hashes, sides = np.zeros(arcs, np.uint64), np.zeros(2, np.int64)
    count = module.expand_level(rows, level, dust, raw, hashes, sides)
    order = np.argsort(hashes[:count], kind="stable")
    same = hashes[order][1:] == hashes[order][:-1]
    heads = np.append(np.flatnonzero(np.append(True, ~same)[:count]), count)
    assert module.join_level(rows, raw, order, heads, joined, sides)
    return [array.tolist() for array in (*raw, *joined, hashes, sides)]


@pytest.mark.parametrize("seed", range(60))
def test_compiled_and_uncompiled_levels_are_equal(seed: int) -> None:
    random = Random(seed)
    tables, _ = tables_of(some_chain(seed))
    level = some_level(tables, random)
    dust = random.choice([0, 1, 2**50])
    compiled = one_step(kernels, kernels.Rows(tables), tables, level, dust)
    assert compiled == one_step(levels, step.Rows(tables), tables, level, dust)


@pytest.mark.parametrize("other", [[0, 2], [0]])
def test_beliefs_on_other_states_are_not_added_up(other: list[int]) -> None:
    """One hash may stand for both; their entries were added up place by place."""
    tables, _ = tables_of(some_chain(0))
    start, states = [0, 2, 2 + len(other)], [0, 1, *other]
    raw = Level(*(np.array(numbers, np.int64) for numbers in (start, [0, 0], states, [5, -3, 7, -2][: len(states)])))
    for module, rows in ((kernels, kernels.Rows(tables)), (levels, step.Rows(tables))):
        joined = Level(*(np.zeros(8, np.int64) for _ in range(4)))
        order, heads = np.array([0, 1], np.int64), np.array([0, 2], np.int64)
        assert module.join_level(rows, raw, order, heads, joined, np.zeros(2, np.int64)) is False


@pytest.mark.parametrize("up", [False, True])
def test_shares_of_a_product_are_those_of_python(up: bool) -> None:
    random = Random(7)
    for _ in range(3000):
        c = random.getrandbits(random.randint(1, 62)) | 1
        a, b = random.randint(0, c), random.choice([0, c, random.randint(0, c)])
        assert levels.product_over(a, b, c, up) == (-(-a * b // c) if up else a * b // c)
