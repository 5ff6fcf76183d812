"""Compiled and uncompiled, words and what the filter says of them are the same to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deltachain import kernels
from deltachain.beliefs.signed.forest import Forest
from deltachain.beliefs.signed.tables import tables_of
from deltachain.cancel import Cancel
from deltachain.kernels import filters
from deltachain.kernels.records import Draft, Draws, Strata
from deltachain.measures.estimate.drawn_words import BITS, open_leaves, pair_at_scales, steps_of
from deltachain.numbers.fraction import ExpEpsilon
from tests.unit.kernels.chains import some_chain


def strata_of(seed: int) -> tuple[Strata, np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    """The open leaves of a tree, at one scale; or a pair of states, at several."""
    chain = some_chain(seed)
    if seed % 2:
        forest = Forest(chain, [(0, 1)], ExpEpsilon.exactly(1))
        forest.grow({(0, 1): 5}, Cancel())
        if (leaves := open_leaves(forest, (0, 1))) is not None:
            return leaves.question.strata, leaves.question.scales
    tables, order = tables_of(chain)
    places = order.index(0), order.index(1)
    question = pair_at_scales(tables, *places, [ExpEpsilon.exactly(k) for k in (1, 2, 1000)])
    return question.strata, question.scales


@pytest.mark.parametrize("seed", range(40))
def test_compiled_and_uncompiled_words_are_equal(seed: int) -> None:
    strata, scales = strata_of(seed)
    chain = some_chain(seed)
    steps = steps_of(chain, *tables_of(chain))
    random = np.random.default_rng(seed)
    size, horizon, checkpoints = 12, 24, np.array([1, 3, 20])
    bits = random.integers(0, 1 << BITS, (size, horizon))
    bits[0, 0] = steps.bar[0]  # where the bits do not decide
    tickets = random.integers(0, int(strata.ends[-1]), size)
    draft = Draft(tickets, bits, scales, 1e-3, 1e-9, checkpoints)
    found = []
    for module in (kernels, filters):
        shape = (size, len(scales))
        out = Draws(
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(size, np.int64),
            np.zeros(size, np.int64),
            np.zeros((size, len(checkpoints))),
        )
        module.draw_words(steps, strata, draft, out)
        found.append([array.tolist() for array in out])
    assert found[0] == found[1]


@pytest.mark.parametrize("p", [1.0, 0.5, 0.75, 2.0**61, 2.0**-299, 3e-80, 7.1e55, math.nextafter(1.0, 0.0)])
def test_scales_are_those_of_frexp(p: float) -> None:
    assert filters.power_to_one(p) == math.ldexp(1.0, -math.frexp(p)[1])
