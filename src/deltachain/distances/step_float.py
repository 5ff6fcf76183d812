"""The directed step k(d)(μ_s→μ_t) for many pairs at once, in floats: a guide, never a bound.

Inside one label, with e_i = x_i − α y_i, *sources* are the states with e_i > 0 and *sinks* those with e_i < 0.
After the closure of `closure` every useful flow runs from a source straight to a sink, so the step is

    min Σ ω_ijl C_l(i,j) + Σ η_i   with   Σ_jl ω_ijl + η_i = e_i,   Σ_il α^(l−1) ω_ijl + slack_j = −e_j/α,

a transport problem with gains α^(l−1): the sinks' rows are divided by α, so that direct arcs have none. Arcs with a
gain are measured where they arrive, so that no coefficient is above 1, and a huge α does no harm. It starts
feasible (η and slack basic, basis matrix = identity), so a revised simplex with a tiny dense inverse solves it. Its
dual prices are the f of [CMP18, Lemma 3]: f_i at a source i, −α f_j at a sink j.

The functions are written in the subset of Python that numba compiles. `compiled` compiles one on first use and
caches the machine code on disk; small problems run them uncompiled, which spares the import.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .levels import ETA, SLACK

__all__ = ["compiled", "sweep"]

OPTIMAL = 1e-13
"""A reduced cost above −OPTIMAL times the numbers it is made of counts as non-negative. Floats only guide, so this
decides no bound; it is relative, so that tiny distances are told apart as well as large ones."""


def sweep(
    sources: Any,
    sinks: Any,
    indptr: Any,
    target: Any,
    probability: Any,
    raised: Any,
    value_id: Any,
    tie: Any,
    alpha: float,
    first: Any,
    size: Any,
    offset: Any,
    block: Any,
    cost: Any,
    value: Any,
    stopped: Any,
    basis_ptr: Any,
    basis_u: Any,
    basis_v: Any,
    basis_level: Any,
    basis_amount: Any,
) -> None:
    """Solve the step for every pair (sources[q], sinks[q]); record values and optimal bases.

    Rows are CSR arrays sorted by target, and states are numbered label by label, so that the entries of one label
    are neighbours. ``probability`` and ``raised``, which is α times it, are sums of two floats. ``value_id``
    numbers the distinct probabilities exactly and ``tie[a]`` is the number of the probability that equals a/α exactly
    (or −1): x_i = α y_i is decided by numbers, not by floats.
    ``cost[l−1]`` holds C_l of every ordered same-label pair.
    ``stopped[q]`` says that the simplex gave up on pair q (pivot limit): its basis is feasible, maybe not optimal.
    """
    levels = cost.shape[0]
    width = 1
    for q in range(len(sources)):
        width = max(width, indptr[sources[q] + 1] - indptr[sources[q]] + indptr[sinks[q] + 1] - indptr[sinks[q]])
    gain = np.empty(levels)
    gain[0] = 1.0
    for l in range(1, levels):  # noqa: E741 (the theory's letter)
        gain[l] = min(gain[l - 1] * alpha, 1e300)
    excess, room = np.empty(width), np.empty(width)
    excess_state, room_state = np.empty(width, np.int64), np.empty(width, np.int64)
    inverse, basic = np.empty((width, width)), np.empty(width, np.int64)
    amount, price, change = np.empty(width), np.empty(width), np.empty(width)
    written = 0
    for q in range(len(sources)):
        a, a_end = indptr[sources[q]], indptr[sources[q] + 1]
        b, b_end = indptr[sinks[q]], indptr[sinks[q] + 1]
        basis_ptr[q] = written
        value[q] = 0.0
        stopped[q] = False
        while a < a_end or b < b_end:
            from_a = b >= b_end or (a < a_end and target[a] < target[b])
            label = block[target[a]] if from_a else block[target[b]]
            low, side = first[label], size[label]
            a, b, ns, nt = _gather(
                a, a_end, b, b_end, low + side, target, probability, raised, value_id, tie, alpha,
                excess, excess_state, room, room_state,
            )  # fmt: skip
            if ns == 0:
                continue
            origin = offset[label] - low * side - low
            done = _simplex(
                ns, nt, origin, side, cost, gain, excess, excess_state, room, room_state,
                inverse, basic, amount, price, change,
            )  # fmt: skip
            if not done:
                stopped[q] = True
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
                    amount[r] /= gain[level - 1]
                    value[q] += amount[r] * cost[level - 1, origin + u * side + v]
                basis_u[written], basis_v[written], basis_level[written] = u, v, level
                basis_amount[written] = amount[r]
                written += 1
    basis_ptr[len(sources)] = written


def _gather(
    a: int,
    a_end: int,
    b: int,
    b_end: int,
    end: int,
    target: Any,
    probability: Any,
    raised: Any,
    value_id: Any,
    tie: Any,
    alpha: float,
    excess: Any,
    excess_state: Any,
    room: Any,
    room_state: Any,
) -> tuple[int, int, int, int]:
    """Collect the sources (e_i > 0) and sinks (e_j < 0, as −e_j/α) of one label from both rows.

    Returns the new row positions and the two counts.
    """
    ns = 0
    nt = 0
    while True:
        i = target[a] if a < a_end else end
        j = target[b] if b < b_end else end
        if i >= end and j >= end:
            return a, b, ns, nt
        if i < j:
            excess[ns], excess_state[ns] = probability[a, 0], i
            ns += 1
            a += 1
        elif j < i:
            room[nt], room_state[nt] = probability[b, 0], j
            nt += 1
            b += 1
        else:
            if tie[value_id[a]] != value_id[b]:
                # Exact where the two are close, which is where cancellation would hurt.
                e = (probability[a, 0] - raised[b, 0]) + (probability[a, 1] - raised[b, 1])
                if e > 0.0:
                    excess[ns], excess_state[ns] = e, i
                    ns += 1
                elif e < 0.0:
                    near = raised[b, 0] < 2.0 * probability[a, 0]
                    room[nt] = -e / alpha if near else probability[b, 0] - probability[a, 0] / alpha
                    room_state[nt] = j
                    nt += 1
            a += 1
            b += 1


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
) -> bool:
    """Revised simplex for one label; leaves ``basic``, ``amount`` and ``price``. False if it had to give up.

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
        return True
    fresh = True
    for _ in range(50 * m + 100):
        best = 0.0
        enter = -1
        highest = 0.0
        for r in range(ns):
            highest = max(highest, price[r])
            if 1.0 - price[r] < min(best, -OPTIMAL):
                best, enter = 1.0 - price[r], r
        for r in range(ns, m):
            if -price[r] < min(best, -OPTIMAL * highest):
                best, enter = -price[r], r
        for l in range(cost.shape[0]):  # noqa: E741
            for i in range(ns):
                at = origin + excess_state[i] * side
                for j in range(nt):
                    direct, back = cost[l, at + room_state[j]], gain[l] * price[ns + j]
                    reduced = direct - price[i] - back
                    if reduced < best and reduced < -OPTIMAL * (direct + price[i] + abs(back)):
                        best, enter = reduced, m + (l * ns + i) * nt + j
        if enter < 0:
            if fresh:
                return True
            # Updated prices carry the rounding of larger ones before them: look again with new ones.
            fresh = True
            _reprice(ns, nt, origin, side, cost, gain, excess_state, room_state, inverse, basic, price)
            continue
        fresh = False
        code = enter - m
        if code >= 0:
            best /= gain[code // (nt * ns)]
        for r in range(m):
            if code < 0:
                change[r] = inverse[r, enter]
            else:
                change[r] = inverse[r, (code // nt) % ns] / gain[code // (nt * ns)] + inverse[r, ns + code % nt]
        leave = -1
        ratio = np.inf
        for r in range(m):
            if change[r] > 1e-11 and amount[r] < ratio * change[r]:
                ratio, leave = amount[r] / change[r], r
        if leave < 0:
            return False
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
    return False


def _reprice(
    ns: int,
    nt: int,
    origin: int,
    side: int,
    cost: Any,
    gain: Any,
    excess_state: Any,
    room_state: Any,
    inverse: Any,
    basic: Any,
    price: Any,
) -> None:
    """Set price = (costs of the basic variables) · inverse, from scratch."""
    m = ns + nt
    for c in range(m):
        price[c] = 0.0
    for r in range(m):
        code = basic[r] - m
        weight = 0.0
        if basic[r] < ns:
            weight = 1.0
        elif code >= 0:
            l = code // (nt * ns)  # noqa: E741
            weight = cost[l, origin + excess_state[(code // nt) % ns] * side + room_state[code % nt]] / gain[l]
        if weight != 0.0:
            for c in range(m):
                price[c] += weight * inverse[r, c]


@cache
def compiled(function: Callable[..., Any], *parts: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` compiled by numba, free of the interpreter lock; ``parts`` are the plain functions that it calls."""
    import numba
    from numba.extending import register_jitable

    for part in parts:
        register_jitable(part)
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder to cache in: compiled anew in each process
        return numba.njit(nogil=True)(function)


def compiled_sweep() -> Callable[..., None]:
    """`sweep` as machine code."""
    return compiled(sweep, _gather, _reprice, _simplex)
