"""One exact step of a belief: the mass of each state goes along its row, and what arrives is split by the label shown.

The numbers may be of any ring: Fractions, or integers over a common denominator that the caller knows. The rounded
steps of the inner loops are in `kernels.step`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from ..numbers.field import Ring

Mass = TypeVar("Mass", bound="Ring")


def step(
    belief: Iterable[tuple[int, Mass]],
    rows: Sequence[Sequence[tuple[int, Mass]]] | Mapping[int, Sequence[tuple[int, Mass]]],
    labels: Sequence[str],
) -> dict[str, dict[int, Mass]]:
    """Label → state → mass after one step.

    Args:
        belief: (state, mass), each state once.
        rows: the row of each state of the belief, as (target, probability).
        labels: the label of each state.
    """
    after: dict[str, dict[int, Mass]] = {}
    for state, mass in belief:
        for target, p in rows[state]:
            label = labels[target]
            part = after.get(label)
            if part is None:
                part = after[label] = {}
            part[target] = part[target] + mass * p if target in part else mass * p
    return after
