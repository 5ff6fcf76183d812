"""Random pairs with costs, for the kernels of distances."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np

from deltachain.distances.closure import Closure, close
from deltachain.distances.kinds.bd import BD
from deltachain.distances.kinds.sd import SD
from deltachain.distances.pair_space import PairSpace
from deltachain.kernels.types import Ints, Reals
from tests.unit.kernels.chains import some_chain

ALPHAS = [
    Fraction(1),
    Fraction(11, 10),
    Fraction(7, 2),
    Fraction(10**6),
    Fraction(1234567890123, 10**12),
    1 + Fraction(1, 10**20),
]


@dataclass(frozen=True)
class Case:
    """A space, costs without symmetry or triangle inequality, their closure, and the options of all pairs."""

    space: PairSpace
    d: Reals
    closure: Closure
    todo: Ints


def some_case(seed: int) -> Case:
    """Costs with many ties, zeros and ones; a third of the chains has inputs, half of the closures complement arcs."""
    random = Random(seed)
    space = PairSpace.of(some_chain(seed, random.choice([0, 0, 3])), random.choice(ALPHAS))
    kinds = [0.0, 0.0, 1.0, random.random(), random.random() * 1e-8, random.randint(0, 8) / 8]
    d = np.array([random.choice(kinds) if random.random() < 0.8 else random.random() for _ in range(len(space))])
    d[space.ends[0] == space.ends[1]] = 0
    return Case(
        space,
        d,
        close(space, d, constraints=(SD if random.random() < 0.5 else BD).constraints),
        space.off_diagonal_options,
    )
