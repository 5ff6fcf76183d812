"""Flows on closed arcs (u, v, level) as flows on arcs of d: each path of `closure` taken apart, in floats.

What leaves a state along a plain arc arrives multiplied by α; the arc (i, j) cites d_ij and carries what leaves i. What
leaves along a complement arc arrives divided by α; an arc from j to i cites d_ij and carries what arrives at i, so that
its cost is d_ij + α − 1 a unit (docs/theory/step.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..jit import compiled
from .records import ETA, Blocks


def unfold(
    ptr: Any,
    u: Any,
    v: Any,
    level: Any,
    amount: Any,
    blocks: Blocks,
    via: Any,
    steps: Any,
    alpha: float,
    counts: Any,
    arc: Any,
    weight: Any,
    eta: Any,
) -> None:
    """Count the arcs of each basis into ``counts``; if ``arc`` has room, write them, with weights and constant costs.

    ``via`` and ``steps`` are those of the closure. A complement arc is written as the bitwise complement of its pair.
    """
    write = len(arc) > 0
    written = 0
    for q in range(len(ptr) - 1):
        begin = written
        eta[q] = 0.0
        for entry in range(ptr[q], ptr[q + 1]):
            here, goal, carried = u[entry], v[entry], amount[entry]
            if level[entry] == ETA:
                eta[q] += carried
            if level[entry] < 1 or carried <= 0.0:
                continue
            b = blocks.block[here]
            low, side, origin = blocks.first[b], blocks.size[b], blocks.offset[b]
            l = level[entry] - 1  # noqa: E741 (the theory's letter)
            while here != goal:
                stone = via[l, origin + (here - low) * side + goal - low]
                back = stone < 0
                stone = ~stone if back else stone
                if back:
                    carried /= alpha
                    eta[q] += carried * (alpha - 1.0)
                if write:
                    pair = (
                        origin + (stone - low) * side + here - low
                        if back
                        else origin + (here - low) * side + stone - low
                    )
                    arc[written] = ~pair if back else pair
                    weight[written] = carried
                written += 1
                if not back:
                    carried *= alpha
                l = steps[l, 1 if back else 0]  # noqa: E741
                here = stone
        counts[q] = written - begin


def compiled_unfold() -> Callable[..., None]:
    """`unfold` as machine code."""
    return compiled(unfold)
