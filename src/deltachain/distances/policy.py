"""A policy: one flow for each option of each pair. An option is a direction of the pair (bd) and an input.

A policy's value is the least d with d ≥ Wd + η in every option (`system`): a pre-fixed point of the operator, so an
upper bound of the distance, and the greedy policy at it has a smaller value or is optimal
(docs/theory/fixed-points.md, policy iteration). Here policies and values are floats and guide only; `certify` and
`exact` turn the last policy into exact flows and check it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..jit import compiled, loaded

SMALL = 400
"""Up to this many flows, compiled code would take longer to load than the interpreter takes to run."""


@dataclass(frozen=True)
class Policy:
    """A flow for each of the options ``todo``: arcs ``ptr[q]:ptr[q+1]``, and the constant part of its cost.

    An arc is the number of the pair that it cites, or the bitwise complement of that number for a complement arc,
    whose α − 1 a unit is in ``eta``.
    """

    todo: Any
    ptr: Any
    arc: Any
    weight: Any
    eta: Any


def heads_of(counts: Any) -> Any:
    """Where each of consecutive spans begins, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def spliced(policy: Policy, places: Any, other: Policy) -> Policy:
    """The policy with the flows at ``places`` replaced by those of ``other``, in its order."""
    if len(places) == len(policy.todo):
        return other
    source = np.full(len(policy.todo), -1, np.int64)
    source[places] = np.arange(len(places))
    counts, eta = np.diff(policy.ptr), policy.eta.copy()
    counts[places], eta[places] = np.diff(other.ptr), other.eta
    ptr = heads_of(counts)
    new = Policy(policy.todo, ptr, np.empty(ptr[-1], np.int32), np.empty(ptr[-1]), eta)
    copy = _copy_spans if len(policy.todo) <= SMALL and not loaded() else compiled(_copy_spans)
    spans = ((p.ptr, p.arc, p.weight) for p in (policy, other, new))
    copy(source, *spans)
    return new


def _copy_spans(source: Any, first: Any, second: Any, into: Any) -> None:
    """Span q of ``into`` is span q of the first, or span source[q] of the second where that is not −1."""
    for q in range(len(source)):
        ptr, arc, weight = first if source[q] < 0 else second
        begin = ptr[q] if source[q] < 0 else ptr[source[q]]
        for k in range(into[0][q + 1] - into[0][q]):
            into[1][into[0][q] + k] = arc[begin + k]
            into[2][into[0][q] + k] = weight[begin + k]
