"""Compiled and uncompiled, the gamblers own the same, wherever their wealth leaves the range of floats."""

from __future__ import annotations

import numpy as np
import pytest

from deltachain import kernels
from deltachain.kernels import betting


@pytest.mark.parametrize("seed", range(30))
def test_compiled_and_uncompiled_agree(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.choice([0.0, 1.0, 3.5, 1e-7], size=3000) * random.random(3000)
    values.flags.writeable = False
    shares = random.choice([0.001, 0.1, 0.5], size=4)
    weights = np.full(4, 0.25)
    mean = float(random.choice([1e-100, 1e-3, 0.5, 10.0]))
    assert kernels.wealth_of_gamblers(values, mean, shares, weights) == betting.wealth_of_gamblers(
        values, mean, shares, weights
    )
