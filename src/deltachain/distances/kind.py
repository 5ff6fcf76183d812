"""What a distance is: the least fixed point of one step for each pair, with these options and along these arcs.

A step of the pair (s, t) is the least cost of a flow from μ_s to μ_t (docs/theory/step.md), for each input if there are
any. A kind of distance says

- which *options* compete for the value of a pair: the step of its own direction, or, if the distance is *symmetric*,
  those of both, so that (s, t) and (t, s) are one unknown;
- along which *arcs* flows run: plain ones, and, if it has *complement* arcs, those too, which say that the complement
  of an event is an event.

Whatever is computed for one kind is computed for all: zero set, float policy, certified bounds and strategy improvement
ask nothing else of it. The kinds that there are stand in `kinds`, one file each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # names and words must not cost the import of the solvers
    from ..kernels.types import Ints, Reals
    from .pair_space import PairSpace


@dataclass(frozen=True)
class DistanceKind:
    """One kind of distance; a value, known by its name."""

    name: str
    symmetric: bool
    """Whether both directions of a pair compete for one value."""
    complement: bool
    """Whether flows may run along complement arcs; at α = 1 they bring nothing, and are left out."""
    brief: str
    """What it is, in a few words behind its name."""
    about: str
    """What it is, as a phrase that follows "bounds δ: "."""
    checked: bool = True
    """Whether the checker has rules for it: then a distance of fractions has a certificate."""

    @property
    def directed(self) -> bool:
        """Whether (s, t) and (t, s) have values of their own."""
        return not self.symmetric

    def node(self, space: PairSpace[Any], pair: int) -> int:
        """The pair that stands for this one among the unknowns."""
        return min(pair, int(space.swapped[pair])) if self.symmetric else pair

    def put(self, space: PairSpace[Any], values: Reals, pairs: int | Ints, value: float) -> None:
        """Give pairs a value, and those that have the same one."""
        values[pairs] = value
        if self.symmetric:
            values[space.swapped[pairs]] = value
