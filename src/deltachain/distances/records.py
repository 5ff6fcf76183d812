"""The records that kernels take and fill, and how the variables of a step's basis are written.

A basic variable is an arc (u, v) at a level ≥ 1, or one of two codes below 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

ETA = 0
"""Level code of a basic η_u in a recorded basis."""
SLACK = -1
"""Level code of a basic slack_u in a recorded basis."""
NONE = -2
"""No variable at all."""


class Rows(NamedTuple):
    """The chain's rows as CSR arrays sorted by target.

    ``probability`` and ``raised``, which is α times it, are sums of two floats. ``value_id`` numbers the distinct
    probabilities exactly and ``tie[a]`` is the number of the probability that equals a/α exactly (or −1): x_i = α
    y_i is decided by numbers, not by floats.
    """

    indptr: Any
    target: Any
    probability: Any
    raised: Any
    value_id: Any
    tie: Any


class Blocks(NamedTuple):
    """The labels: first position, size and first pair number of each, and the label of each position."""

    first: Any
    size: Any
    offset: Any
    block: Any


class Levels(NamedTuple):
    """``cost[l]`` holds C of every ordered same-label pair at one level, ``gain[l]`` its α^(exponent − 1)."""

    cost: Any
    gain: Any
    alpha: float


class Found(NamedTuple):
    """What `step_float` writes: values, and bases as entries (u, v, level, amount) from ``ptr[q]`` to ``ptr[q+1]``.

    ``stopped[q]`` says that the simplex gave up on pair q (pivot limit): its basis is feasible, maybe not optimal.
    ``radius[q]`` is how far every cost may move, up or down, before another basis may be better.
    """

    value: Any
    stopped: Any
    radius: Any
    ptr: Any
    u: Any
    v: Any
    level: Any
    amount: Any
