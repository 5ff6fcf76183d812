"""Compiled and uncompiled, the same pairs are apart, and the same options use the pairs that are gone."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from deltachain import kernels
from deltachain.distances.policy_iteration import best_policy
from deltachain.kernels import deletion, transport
from deltachain.kernels.records import Users
from tests.unit.kernels.spaces import Case, some_case

MODULES: list[tuple[Any, Any]] = [(kernels, kernels.PairRows), (deletion, transport.PairRows)]


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_told_apart_by_labels(seed: int) -> None:
    """Compared with sums over labels by hand, too."""
    case = some_case(seed)
    space, clear = case.space, 1e-6
    found = []
    for module, rows in MODULES:
        apart = np.zeros(len(case.todo), np.uint8)
        module.compare_labels(rows(space.tables), *space.rows_of(case.todo), clear, apart)
        found.append(apart.tolist())
    assert found[0] == found[1]
    for q, (u, v) in enumerate(zip(*space.rows_of(case.todo), strict=True)):
        total = 0.0
        for block in range(len(space.first)):
            x, y = (sum(float(p) for i, p in space.rows[row] if space.block[i] == block) for row in (u, v))
            total += max(0.0, x - space.float_alpha * y)
        assert abs(total - clear) < 1e-9 or found[0][q] == (total > clear)


def history(module: Any, case: Case, seed: int) -> list[Any]:
    """Flows are entered in two batches, pairs go, and users are asked for."""
    random, space = Random(seed), case.space
    size = len(space) * space.layers
    flags = (np.zeros(size, np.uint8) for _ in range(2))
    policy = best_policy(space, case.todo, case.closure).policy
    if (policy.arc < 0).any():
        policy = policy._replace(arc=np.where(policy.arc < 0, ~policy.arc, policy.arc))
    room = 2 * len(policy.arc)
    head = np.full(len(space), -1, np.int32)
    users = Users(head, np.zeros((3, room), np.int32), np.zeros(size, np.int32), *flags)
    member = np.ones(len(space), np.uint8)
    pairs, count, seen = space.pairs_of(policy.todo), 0, []
    for clock in (1, 2):
        count = module.link_users(policy, pairs, member, clock, count, users)
        gone = np.array(sorted(random.sample(range(len(space)), len(space) // 4)), np.int64)
        member[gone] = 0
        found = np.zeros(module.collect_users(gone, member, users, np.empty(0, np.int64)), np.int64)
        if len(found):
            module.collect_users(gone, member, users, found)
        seen += [found.tolist(), users.stale.tolist(), users.marked.tolist(), count]
        assert not users.marked.any(), "marks are undone"
        assert len(set(found.tolist())) == len(found)
    return seen


@pytest.mark.parametrize("seed", range(40))
def test_users_are_found(seed: int) -> None:
    case = some_case(seed)
    assert history(kernels, case, seed) == history(deletion, case, seed)
