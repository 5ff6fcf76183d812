"""What a path of a symbolic run has decided about its noise: differences that are at least, or equal to, a form.

A *bound* (a, b, f) says V_a − V_b ≥ f, where a and b are numbers of noise, or None for 0. The negation of a bound is
one, too: V_b − V_a ≥ 1 − f, as all are integers. Bounds follow from others by adding them up along a chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .affine import Form

ConstraintNode = int | None
"""A number of noise, or None for the number 0."""


class NoiseBound(NamedTuple):
    """V_left − V_right ≥ form."""

    left: ConstraintNode
    right: ConstraintNode
    form: Form

    @property
    def negation(self) -> NoiseBound:
        """V_left − V_right ≤ form − 1."""
        return NoiseBound(self.right, self.left, self.form.negative().shift(1))

    @property
    def reverse(self) -> NoiseBound:
        """V_left − V_right ≤ form."""
        return NoiseBound(self.right, self.left, self.form.negative())


def follows(bound: NoiseBound, known: Iterable[NoiseBound]) -> bool:
    """Whether the bound surely follows: by a chain of known ones from its left end to its right one.

    Forms are only compared where they differ by a constant. A "no" says nothing.
    """
    steps = list(known)
    # Sums along chains without a repeated node; few bounds are known on a path.
    stack: list[tuple[ConstraintNode, Form, frozenset[ConstraintNode]]] = [
        (bound.left, Form(), frozenset([bound.left]))
    ]
    if bound.left == bound.right and not bound.form.parts and bound.form.constant <= 0:
        return True
    while stack:
        node, so_far, seen = stack.pop()
        for left, right, form in steps:
            if left != node:
                continue
            total = so_far.plus(form)
            if right == bound.right and total.parts == bound.form.parts and total.constant >= bound.form.constant:
                return True
            if right not in seen:
                stack.append((right, total, seen | {right}))
    return False


def select_needed(bounds: Sequence[NoiseBound]) -> tuple[NoiseBound, ...]:
    """The bounds without those that follow from others."""
    left = list(dict.fromkeys(bounds))
    for bound in list(left):
        others = [each for each in left if each != bound]
        if follows(bound, others):
            left = others
    return tuple(left)


def join(
    first: Sequence[NoiseBound], second: Sequence[NoiseBound], decision: NoiseBound
) -> tuple[NoiseBound, ...] | None:
    """Bounds R with first = R and ``decision``, second = R and its negation: either of the two is R. Or None."""
    both = [b for b in dict.fromkeys((*first, *second)) if b not in (decision, decision.negation)]
    common = [b for b in both if follows(b, first) and follows(b, second)]
    one, other = [*common, decision], [*common, decision.negation]
    if all(follows(b, one) for b in first) and all(follows(b, other) for b in second):
        return select_needed(common)
    return None
