"""Value iteration from below: d ← Γ(d) (or Λ(d)) from d = 0, in floats.

Guarantee: in exact arithmetic every iterate is at most the distance, and they converge to it. In floats they are
that up to rounding; either way an iterate is **never an upper bound**, however small the last change was. Use it to
see where the distance lies, or as a baseline; bounds come from `solve`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import fmpq

from deltachain.distances.closure import close
from deltachain.distances.kind import DistanceKind
from deltachain.distances.pair_space import PairSpace
from deltachain.distances.policy_iteration import apply_step

__all__ = ["apply_operator", "iterate_from_below"]


def apply_operator(space: PairSpace[fmpq], kind: DistanceKind, d: Any) -> Any:
    """The operator on every pair of the space, in floats: the largest step of its inputs, for bd of both directions."""
    todo = space.off_diagonal_options
    new = np.zeros(len(space))
    np.maximum.at(
        new, space.pairs_of(todo), apply_step(space, todo, close(space, d, constraints=kind.constraints)).value
    )
    return np.maximum(new, new[space.swapped]) if kind.symmetric else new


def iterate_from_below(
    space: PairSpace[fmpq], kind: DistanceKind, *, rounds: int, change: float = 0.0
) -> tuple[Any, int]:
    """At most ``rounds`` applications of the operator to 0; stops when no value grows by more than ``change``.

    Returns the last iterate and the number of applications.
    """
    d = np.zeros(len(space))
    for count in range(1, rounds + 1):
        new = apply_operator(space, kind, d)
        growth = float(np.max(new - d, initial=0.0))
        d = new
        if growth <= change:
            return d, count
    return d, rounds
