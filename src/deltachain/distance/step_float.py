"""The directed step k(d)(μ_s→μ_t) for many pairs at once, in floats: a guide, never a bound.

Inside one label, with e_i = x_i − α y_i, *sources* are the states with e_i > 0 and *sinks* those with e_i < 0.
After the closure of `closure` every useful flow runs from a source straight to a sink, so the step is

    min Σ ω_ijl C_l(i,j) + Σ η_i   with   Σ_jl ω_ijl + η_i = e_i,   Σ_il α^l ω_ijl + slack_j = −e_j,

a transport problem with gains α^l. It starts feasible (η and slack basic, basis matrix = identity), so a revised
simplex with a tiny dense inverse solves it. Its dual prices are the f of [CMP18, Lemma 3].

The functions are written in the subset of Python that numba compiles. `compiled` compiles one on first use and
caches the machine code on disk; small problems run them uncompiled, which spares the import.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

__all__ = ["ETA", "SLACK", "compiled", "sweep"]

ETA = 0
"""Level code of a basic η_u in a recorded basis."""
SLACK = -1
"""Level code of a basic slack_u in a recorded basis."""

OPTIMAL = 1e-13
"""A reduced cost above −OPTIMAL counts as non-negative: floats only guide, so this decides no bound."""


def sweep(
    sources: Any,
    sinks: Any,
    indptr: Any,
    target: Any,
    probability: Any,
    value_id: Any,
    tie: Any,
    alpha: float,
    first: Any,
    size: Any,
    offset: Any,
    block: Any,
    cost: Any,
    value: Any,
    basis_ptr: Any,
    basis_u: Any,
    basis_v: Any,
    basis_level: Any,
    basis_amount: Any,
) -> int:
    """Solve the step for every pair (sources[q], sinks[q]); record values and optimal bases.

    Rows are CSR arrays sorted by target, and states are numbered label by label, so that the entries of one label
    are neighbours. ``value_id`` numbers the distinct probabilities exactly and ``tie[a]`` is the number of the
    probability that equals a/α exactly (or −1): x_i = α y_i is decided by numbers, not by floats.
    ``cost[l−1]`` holds C_l of every ordered same-label pair.
    Returns the number of pairs whose simplex was stopped by its pivot limit (their bases are feasible still).
    """
    levels = cost.shape[0]
    width = 1
    for q in range(len(sources)):
        width = max(width, indptr[sources[q] + 1] - indptr[sources[q]] + indptr[sinks[q] + 1] - indptr[sinks[q]])
    gain = np.empty(levels)
    for l in range(levels):  # noqa: E741 (the theory's letter)
        gain[l] = alpha ** (l + 1)
    excess, room = np.empty(width), np.empty(width)
    excess_state, room_state = np.empty(width, np.int64), np.empty(width, np.int64)
    inverse, basic = np.empty((width, width)), np.empty(width, np.int64)
    amount, price, change = np.empty(width), np.empty(width), np.empty(width)
    stopped = 0
    written = 0
    for q in range(len(sources)):
        a, a_end = indptr[sources[q]], indptr[sources[q] + 1]
        b, b_end = indptr[sinks[q]], indptr[sinks[q] + 1]
        basis_ptr[q] = written
        value[q] = 0.0
        while a < a_end or b < b_end:
            if b >= b_end or (a < a_end and target[a] < target[b]):
                label = block[target[a]]
            else:
                label = block[target[b]]
            low, side = first[label], size[label]
            a, b, ns, nt = _gather(
                a, a_end, b, b_end, low + side, target, probability, value_id, tie, alpha, excess, excess_state, room, room_state
            )
            if ns == 0:
                continue
            origin = offset[label] - low * side - low
            stopped += _simplex(
                ns, nt, origin, side, cost, gain, excess, excess_state, room, room_state, inverse, basic, amount, price, change
            )
            for r in range(ns + nt):
                code = basic[r]
                if code < ns:
                    u = v = excess_state[code]
                    level = ETA
                    value[q] += amount[r]
                elif code < ns + nt:
                    u = v = room_state[code - ns]
                    level = SLACK
                else:
                    code -= ns + nt
                    u, v = excess_state[(code // nt) % ns], room_state[code % nt]
                    level = code // (nt * ns) + 1
                    value[q] += amount[r] * cost[level - 1, origin + u * side + v]
                basis_u[written], basis_v[written], basis_level[written] = u, v, level
                basis_amount[written] = amount[r]
                written += 1
    basis_ptr[len(sources)] = written
    return stopped


def _gather(
    a: int,
    a_end: int,
    b: int,
    b_end: int,
    end: int,
    target: Any,
    probability: Any,
    value_id: Any,
    tie: Any,
    alpha: float,
    excess: Any,
    excess_state: Any,
    room: Any,
    room_state: Any,
) -> tuple[int, int, int, int]:
    """Collect the sources and sinks of one label from both rows; returns the new row positions and the two counts."""
    ns = 0
    nt = 0
    while True:
        i = target[a] if a < a_end else end
        j = target[b] if b < b_end else end
        if i >= end and j >= end:
            return a, b, ns, nt
        e = 0.0
        if i < j:
            e = probability[a]
            a += 1
        elif j < i:
            e = -alpha * probability[b]
            b += 1
        else:
            if tie[value_id[a]] != value_id[b]:
                e = probability[a] - alpha * probability[b]
            a += 1
            b += 1
        if e > 0.0:
            excess[ns], excess_state[ns] = e, i
            ns += 1
        elif e < 0.0:
            room[nt], room_state[nt] = -e, j
            nt += 1


def _simplex(
    ns: int,
    nt: int,
    origin: int,
    side: int,
    cost: Any,
    gain: Any,
    excess: Any,
    excess_state: Any,
    room: Any,
    room_state: Any,
    inverse: Any,
    basic: Any,
    amount: Any,
    price: Any,
    change: Any,
) -> int:
    """Revised simplex for one label; leaves ``basic``, ``amount`` and ``price``. Returns 1 if the pivot limit stopped it.

    Variables: 0 … ns−1 are η, ns … m−1 slacks, m + (l·ns + i)·nt + j the arc from source i to sink j at level l+1.
    """
    m = ns + nt
    for r in range(m):
        for c in range(m):
            inverse[r, c] = 0.0
        inverse[r, r] = 1.0
        basic[r] = r
        amount[r] = excess[r] if r < ns else room[r - ns]
        price[r] = 1.0 if r < ns else 0.0
    if nt == 0:
        return 0
    for _ in range(50 * m + 100):
        best = -OPTIMAL
        enter = -1
        for r in range(m):
            reduced = 1.0 - price[r] if r < ns else -price[r]
            if reduced < best:
                best, enter = reduced, r
        for l in range(cost.shape[0]):  # noqa: E741
            for i in range(ns):
                at = origin + excess_state[i] * side
                for j in range(nt):
                    reduced = cost[l, at + room_state[j]] - price[i] - gain[l] * price[ns + j]
                    if reduced < best:
                        best, enter = reduced, m + (l * ns + i) * nt + j
        if enter < 0:
            return 0
        code = enter - m
        for r in range(m):
            if code < 0:
                change[r] = inverse[r, enter]
            else:
                change[r] = inverse[r, (code // nt) % ns] + gain[code // (nt * ns)] * inverse[r, ns + code % nt]
        leave = -1
        ratio = np.inf
        for r in range(m):
            if change[r] > 1e-11 and amount[r] < ratio * change[r]:
                ratio, leave = amount[r] / change[r], r
        if leave < 0:
            return 1
        for c in range(m):
            inverse[leave, c] /= change[leave]
        for r in range(m):
            if r != leave and change[r] != 0.0:
                for c in range(m):
                    inverse[r, c] -= change[r] * inverse[leave, c]
                amount[r] = max(0.0, amount[r] - change[r] * ratio)
        amount[leave] = ratio
        basic[leave] = enter
        # prices = cost of basis · inverse: they change by (reduced cost) · (the new row of the inverse).
        for c in range(m):
            price[c] += best * inverse[leave, c]
    return 1


@cache
def compiled(function: Callable[..., Any], *parts: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` compiled by numba, free of the interpreter lock; ``parts`` are the plain functions that it calls."""
    import numba
    from numba.extending import register_jitable

    for part in parts:
        register_jitable(part)
    return numba.njit(nogil=True, cache=True)(function)  # type: ignore[no-any-return]


def compiled_sweep() -> Callable[..., int]:
    """`sweep` as machine code."""
    return compiled(sweep, _gather, _simplex)
