"""Compiled and uncompiled, one round of longer paths finds the same costs and stones, and the cheapest ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from deltachain import kernels
from deltachain.kernels import stones

IMPROVES = 1 - 1e-10


def extended(module: Any, one: Any, last: Any, limit: Any, gain: float, complement: bool) -> list[Any]:
    limit = limit.copy()
    new, stone = np.full(limit.shape, np.inf), np.zeros(limit.shape, np.int32)
    module.extend_paths(one, last, limit, gain, IMPROVES, new, stone, 7, complement)
    return [new.tolist(), stone.tolist(), limit.tolist()]


@pytest.mark.seeds(13, 80)
def test_compiled_and_uncompiled_paths_are_equal(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 60))
    zeros = float(random.choice([0.0, 0.1, 0.9]))
    one, last = (np.where(random.random((size, size)) < zeros, 0.0, random.random((size, size))) for _ in range(2))
    if random.random() < 0.5:  # many ties
        one, last = np.round(4 * one) / 4, np.round(4 * last) / 4
    last[random.random((size, size)) < float(random.choice([0.0, 0.5]))] = np.inf
    np.fill_diagonal(one, np.inf)
    limit = np.minimum(random.random((size, size)) * 2, 1.0) if random.random() < 0.5 else one.copy()
    gain, complement = float(random.choice([1.0, 1.1, 3.0])), bool(random.random() < 0.5)
    compiled = extended(kernels, one, last, limit, gain, complement)
    assert compiled == extended(stones, one, last, limit, gain, complement)
    # Nothing cheaper was missed, and what is written is the cost of the path that is named.
    through = np.where(np.eye(size, dtype=bool)[:, :, None], np.inf, one[:, :, None] + gain * last[None, :, :])
    cheapest = through.min(axis=1)
    found, stone = np.array(compiled[0]), np.array(compiled[1])
    for i in range(size):
        for j in range(size):
            if i == j or not np.isfinite(found[i, j]):
                assert i == j or cheapest[i, j] >= limit[i, j] * IMPROVES
            else:
                m = (~stone[i, j] if complement else stone[i, j]) - 7
                assert found[i, j] == one[i, m] + gain * last[m, j]
                assert found[i, j] * IMPROVES <= cheapest[i, j]
