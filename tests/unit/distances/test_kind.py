"""What a kind of distance says of a pair: which one stands for it, and which have its value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deltachain import examples
from deltachain.distances.kind import DistanceKind
from deltachain.distances.kinds import KINDS
from deltachain.distances.pair_space import PairSpace

SPACE = PairSpace.of(examples.random(n=6, labels=2, seed=1), Fraction(6, 5))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_both_orders_are_one_unknown_where_it_is_symmetric(kind: DistanceKind) -> None:
    assert kind.directed is not kind.symmetric
    for pair in range(len(SPACE)):
        back = int(SPACE.swapped[pair])
        assert int(SPACE.swapped[back]) == pair
        assert (kind.node(SPACE, pair) == kind.node(SPACE, back)) == (kind.symmetric or pair == back)
        assert kind.node(SPACE, pair) in (pair, back)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_value_is_put_where_it_belongs(kind: DistanceKind) -> None:
    values = np.ones(len(SPACE))
    pair = next(p for p in range(len(SPACE)) if SPACE.swapped[p] != p)
    kind.put(SPACE, values, pair, 0.5)
    both = {pair, int(SPACE.swapped[pair])} if kind.symmetric else {pair}
    assert set(np.flatnonzero(values == 0.5).tolist()) == both
