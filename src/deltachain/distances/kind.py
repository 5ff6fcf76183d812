"""What a distance is: the least fixed point of one step for each pair of states, as an object that gives the step.

The step of a pair (s, t) is the largest Σ f_i (x_i − α y_i) over the functions f that satisfy its constraints, for the
rows x of s and y of t; as a flow from x to y, its least cost (docs/theory/step.md). A kind of distance says

- its *constraints*: which inequalities f satisfies for each pair of states, and so along which arcs flows run, at which
  price and with which gain (`StepConstraint`);
- its *directions*: whether the steps of both directions compete for one value, so that (s, t) and (t, s) are one
  unknown, or each direction has its own;
- its *discount* β ≤ 1: a step counts β times, as if both rows had only β of their mass.

With inputs, each of them is an option of its own. Whatever is computed for one kind is computed for all: zero set,
float policy, certified bounds and strategy improvement ask nothing else of it. Those that can be asked for by name
stand in `kinds`, one file each; docs/add-a-distance.md adds others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:  # names and words must not cost the import of the solvers
    from ..kernels.types import Ints, Reals
    from .pair_space import PairSpace
    from .scalars import V

Row = TypeVar("Row")

ONE = Fraction(1)


@dataclass(frozen=True, eq=False)
class StepConstraint:
    """An inequality f_i ≤ price + α^exponent · f_j for all i ≠ j of a label, and the arc from i to j that is its dual.

    Attributes:
        name: what it is called.
        exponent: 1 or −1: what leaves i arrives at j multiplied by α^exponent.
        price: its price by d(i, j), d(j, i) and α; of exact numbers, and of arrays of floats.
    """

    name: str
    exponent: Literal[1, -1]
    price: Callable[[Any, Any, Any], Any]


PLAIN = StepConstraint("plain", 1, lambda there, back, alpha: there)  # noqa: ARG005
"""f_i − α f_j ≤ d(i, j)."""

COMPLEMENT = StepConstraint("complement", -1, lambda there, back, alpha: (back + (alpha - 1)) / alpha)  # noqa: ARG005
"""(1 − f_j) − α (1 − f_i) ≤ d(j, i): the complement of an event is an event. At α = 1 it is what `PLAIN` says of (j, i)
where d is symmetric, and is left out."""


@dataclass(frozen=True)
class DistanceKind:
    """One kind of distance; a value, known by its name."""

    name: str
    brief: str
    """What it is, in a few words behind its name."""
    about: str
    """What it is, as a phrase that follows "bounds δ: "."""
    constraints: tuple[StepConstraint, ...] = (PLAIN,)
    directions: Literal["each", "both"] = "each"
    """Whether each direction of a pair has its own value, or the steps of both compete for one."""
    discount: Fraction = ONE
    """How much a step counts. A discounted distance is below the one without, and bounds no δ."""
    checked: bool = True
    """Whether the checker has rules for it: then a distance of fractions has a certificate."""

    def __post_init__(self) -> None:
        if not 0 < self.discount <= 1:
            raise ValueError(f"a discount of {self.discount} is not above 0 and at most 1")
        if self.checked and self.discount != 1:
            raise ValueError("the checker has no rules for discounted distances")

    def at_discount(self, discount: Fraction) -> DistanceKind:
        """This kind with a discount β: its own values, each step counted β times."""
        name = f"{self.name} discounted by {discount}"
        return replace(self, name=name, brief=name, about=f"{name}: no bound", discount=discount, checked=False)

    # What shares a value.

    @property
    def symmetric(self) -> bool:
        """Whether (s, t) and (t, s) are one unknown."""
        return self.directions == "both"

    @property
    def directed(self) -> bool:
        """Whether (s, t) and (t, s) have values of their own."""
        return self.directions == "each"

    def node(self, space: PairSpace[Any], pair: int) -> int:
        """The pair that stands for this one among the unknowns."""
        return min(pair, int(space.swapped[pair])) if self.symmetric else pair

    def with_shared(self, space: PairSpace[Any], pairs: Ints) -> Ints:
        """Pairs, and those that have the same value, maybe twice."""
        if self.directed:
            return pairs
        import numpy as np

        return np.concatenate((pairs, space.swapped[pairs]))

    def list_shared(self, space: PairSpace[Any], pair: int) -> list[int]:
        """The pair, and the one that has the same value, if there is one."""
        return [pair] if self.directed else [pair, int(space.swapped[pair])]

    def put(self, space: PairSpace[Any], values: Reals, pairs: int | Ints, value: float) -> None:
        """Give pairs a value, and those that have the same one."""
        values[pairs] = value
        if self.symmetric:
            values[space.swapped[pairs]] = value

    def of_steps(self, x: Row, y: Row) -> Sequence[tuple[Row, Row]]:
        """Between which rows the steps of a pair with these rows are: one, or one for each direction."""
        return [(x, y)] if self.directed else [(x, y), (y, x)]

    # What its constraints say.

    @property
    def complement(self) -> bool:
        """Whether flows may run along complement arcs."""
        return COMPLEMENT in self.constraints

    def second_price_scale(self, space: PairSpace[V]) -> V:
        """What prices of cost-free flows are multiplied by so that they satisfy all constraints at positive costs."""
        alpha, one = space.exact_alpha, space.scalars.one
        return (alpha - one) / alpha if self.complement and alpha > one else one
