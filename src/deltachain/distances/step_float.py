"""The directed step k(d)(μ_s→μ_t) for many pairs at once, in floats: a guide, never a bound.

Inside one label, with e_i = x_i − α y_i, *sources* are the states with e_i > 0 and *sinks* those with e_i < 0.
After the closure of `closure` every useful flow runs from a source straight to a sink, on an arc (i, j, l) of cost
C_l(i,j) that multiplies what it carries by α^k, k the exponent of level l. So the step is

    min Σ ω_ijl C_l(i,j) + Σ η_i   with   Σ_jl ω_ijl + η_i = e_i,   Σ_il α^(k−1) ω_ijl + slack_j = −e_j/α,

a transport problem with gains α^(k−1): the sinks' rows are divided by α, so that direct arcs have none. Plain and
complement arcs differ in their exponent only. Arcs that gain are measured where they arrive, the others where they
leave, so that no coefficient is above 1, and a huge α does no harm. It starts feasible (η and slack basic, basis
matrix = identity), so a revised simplex with a tiny dense inverse solves it. Its dual prices are the f of
[CMP18, Lemma 3]: f_i at a source i, −α f_j at a sink j.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..jit import compiled
from .records import ETA, NONE, SLACK, Blocks, Found, Levels, Rows

OPTIMAL = 1e-13
"""A reduced cost above −OPTIMAL times the numbers it is made of counts as non-negative. Floats only guide, so this
decides no bound; it is relative, so that tiny distances are told apart as well as large ones."""


class _Label(NamedTuple):
    """One label's transport problem: the numbers of sources and sinks, and where its pairs are numbered from."""

    sources: int
    sinks: int
    origin: int
    side: int


class _Desk(NamedTuple):
    """Working space, used again for every label. Rows are the sources, then the sinks.

    ``basic`` has a basic variable a row, as (level, row of the source, row of the sink), the same row twice for η and
    slack. ``radius`` is one number, that of the label's basis.
    """

    excess: Any
    excess_state: Any
    room: Any
    room_state: Any
    inverse: Any
    basic: Any
    amount: Any
    price: Any
    change: Any
    leave: Any
    arrive: Any
    radius: Any


def sweep(sources: Any, sinks: Any, rows: Rows, blocks: Blocks, levels: Levels, found: Found) -> None:
    """Solve the step for every pair (sources[q], sinks[q]); record values and optimal bases."""
    desk = _new_desk(sources, sinks, rows, levels)
    written = 0
    for q in range(len(sources)):
        a, a_end = rows.indptr[sources[q]], rows.indptr[sources[q] + 1]
        b, b_end = rows.indptr[sinks[q]], rows.indptr[sinks[q] + 1]
        found.ptr[q] = written
        found.value[q] = 0.0
        found.stopped[q] = False
        found.radius[q] = np.inf
        while a < a_end or b < b_end:
            from_a = b >= b_end or (a < a_end and rows.target[a] < rows.target[b])
            number = blocks.block[rows.target[a]] if from_a else blocks.block[rows.target[b]]
            low, side = blocks.first[number], blocks.size[number]
            a, b, many, few = _gather(a, a_end, b, b_end, low + side, rows, levels.alpha, desk)
            if many > 0:
                label = _Label(many, few, blocks.offset[number] - low * side - low, side)
                if not _simplex(label, levels, desk):
                    found.stopped[q] = True
                found.radius[q] = min(found.radius[q], desk.radius[0])
                written = _record(label, levels, desk, found, q, written)
    found.ptr[len(sources)] = written


def _new_desk(sources: Any, sinks: Any, rows: Rows, levels: Levels) -> _Desk:
    """Room for the widest pair, and what leaves and arrives on one unit of an arc of each level."""
    width = 1
    for q in range(len(sources)):
        left = rows.indptr[sources[q] + 1] - rows.indptr[sources[q]]
        width = max(width, left + rows.indptr[sinks[q] + 1] - rows.indptr[sinks[q]])
    leave, arrive = np.empty(len(levels.gain)), np.empty(len(levels.gain))
    for level in range(len(levels.gain)):
        leave[level] = 1.0 / max(1.0, levels.gain[level])
        arrive[level] = min(1.0, levels.gain[level])
    return _Desk(
        np.empty(width), np.empty(width, np.int64), np.empty(width), np.empty(width, np.int64),
        np.empty((width, width)), np.empty((width, 3), np.int64), np.empty(width), np.empty(width), np.empty(width),
        leave, arrive, np.empty(1),
    )  # fmt: skip


def _gather(
    a: int, a_end: int, b: int, b_end: int, end: int, rows: Rows, alpha: float, desk: _Desk
) -> tuple[int, int, int, int]:
    """Collect the sources (e_i > 0) and sinks (e_j < 0, as −e_j/α) of one label from both rows.

    Returns the new row positions and the two counts.
    """
    many, few = 0, 0
    while True:
        i = rows.target[a] if a < a_end else end
        j = rows.target[b] if b < b_end else end
        if i >= end and j >= end:
            return a, b, many, few
        if i < j:
            desk.excess[many], desk.excess_state[many] = rows.probability[a, 0], i
            many += 1
            a += 1
        elif j < i:
            desk.room[few], desk.room_state[few] = rows.probability[b, 0], j
            few += 1
            b += 1
        else:
            if rows.tie[rows.value_id[a]] != rows.value_id[b]:
                # Exact where the two are close, which is where cancellation would hurt.
                p, q = rows.probability[a, 0], rows.raised[b, 0]
                e = (p - q) + (rows.probability[a, 1] - rows.raised[b, 1])
                if e > 0.0:
                    desk.excess[many], desk.excess_state[many] = e, i
                    many += 1
                elif e < 0.0:
                    desk.room[few] = -e / alpha if q < 2.0 * p else rows.probability[b, 0] - p / alpha
                    desk.room_state[few] = j
                    few += 1
            a += 1
            b += 1


def _cost(level: int, source: int, sink: int, label: _Label, levels: Levels, desk: _Desk) -> float:
    """The cost of an arc of a level, counted from 0, between two rows."""
    to = desk.room_state[sink - label.sources]
    return levels.cost[level, label.origin + desk.excess_state[source] * label.side + to]  # type: ignore[no-any-return]


def _set_basic(row: int, level: int, source: int, sink: int, desk: _Desk) -> None:
    desk.basic[row, 0], desk.basic[row, 1], desk.basic[row, 2] = level, source, sink


def _simplex(label: _Label, levels: Levels, desk: _Desk) -> bool:
    """Revised simplex for one label; leaves ``basic``, ``amount`` and ``price``. False if it had to give up."""
    size = label.sources + label.sinks
    for r in range(size):
        for c in range(size):
            desk.inverse[r, c] = 0.0
        desk.inverse[r, r] = 1.0
        _set_basic(r, ETA if r < label.sources else SLACK, r, r, desk)
        desk.amount[r] = desk.excess[r] if r < label.sources else desk.room[r - label.sources]
        desk.price[r] = 1.0 if r < label.sources else 0.0
    desk.radius[0] = np.inf
    if label.sinks == 0:
        return True
    if len(levels.gain) == 1 and (label.sources == 1 or label.sinks == 1):
        _fill(label, levels, desk)
        return True
    fresh = True
    for _ in range(50 * size + 100):
        level, source, sink, reduced = _cheapest(label, levels, desk)
        if level != NONE:
            fresh = False
            if not _pivot(label, desk, level, source, sink, reduced):
                desk.radius[0] = 0.0
                return False
        elif fresh:
            _measure(label, levels, desk)
            return True
        else:
            # Updated prices carry the rounding of larger ones before them: look again with new ones.
            fresh = True
            _reprice(label, levels, desk)
    desk.radius[0] = 0.0
    return False


def _measure(label: _Label, levels: Levels, desk: _Desk) -> None:
    """The radius of an optimal basis: the least reduced cost of any other variable over how fast it can fall.

    If every cost moves by at most 1, the price of row c moves by at most Σ_r |inverse[r, c]| over the arcs r of the
    basis; η and slack cost what they do. More variables of reduced cost 0 than are basic: a tie, hence no room.
    """
    ns, nt = label.sources, label.sinks
    ties, least = -(ns + nt), np.inf
    for c in range(ns + nt):
        desk.change[c] = 0.0
    for r in range(ns + nt):
        level = desk.basic[r, 0]
        if level >= 1:
            for c in range(ns + nt):
                desk.change[c] += abs(desk.inverse[r, c]) * desk.leave[level - 1]
    for r in range(ns + nt):
        rest = 1.0 - desk.price[r] if r < ns else -desk.price[r]
        if rest <= OPTIMAL:
            ties += 1
        elif rest < least * desk.change[r]:
            least = rest / desk.change[r]
    for level in range(len(levels.gain)):
        gain = levels.gain[level]
        for i in range(ns):
            at, price = label.origin + desk.excess_state[i] * label.side, desk.price[i]
            for j in range(nt):
                direct, back = levels.cost[level, at + desk.room_state[j]], gain * desk.price[ns + j]
                rest, pace = direct - price - back, 1.0 + desk.change[i] + gain * desk.change[ns + j]
                if direct < np.inf and rest <= OPTIMAL * (direct + price + abs(back)):
                    ties += 1
                elif rest < least * pace:
                    least = rest / pace
    desk.radius[0] = 0.0 if ties > 0 else least


def _fill(label: _Label, levels: Levels, desk: _Desk) -> None:
    """One source or one sink, direct arcs only: the cheapest arcs first, as long as they are cheaper than η."""
    ns, nt = label.sources, label.sinks
    one_source = ns == 1
    hub, first, end = (0, 1, 1 + nt) if one_source else (ns, 0, ns)  # the single state's row, and those opposite
    last, price = -1, 1.0
    while last < 0:
        best, place = 1.0 - OPTIMAL, -1
        for row in range(first, end):
            if desk.basic[row, 0] < 1:
                cost = (
                    _cost(0, hub, row, label, levels, desk) if one_source else _cost(0, row, hub, label, levels, desk)
                )
                if cost < best:
                    best, place = cost, row
        if place < 0:
            break
        source, sink = (hub, place) if one_source else (place, hub)
        if desk.amount[place] < desk.amount[hub]:
            desk.amount[hub] -= desk.amount[place]
            _set_basic(place, 1, source, sink, desk)
        else:
            desk.amount[place] -= desk.amount[hub]
            _set_basic(hub, 1, source, sink, desk)
            last, price = place, best
    # The last arc, or η, sets the price that all others are dearer or cheaper than.
    if last >= 0:
        desk.radius[0] = 1.0 - price
    for row in range(first, end):
        if row != last:
            cost = _cost(0, hub, row, label, levels, desk) if one_source else _cost(0, row, hub, label, levels, desk)
            desk.radius[0] = min(desk.radius[0], abs(cost - price) / 2.0)


def _cheapest(label: _Label, levels: Levels, desk: _Desk) -> tuple[int, int, int, float]:
    """The variable of the most negative reduced cost, as (level, source, sink), and that cost, a unit; or `NONE`."""
    ns, nt = label.sources, label.sinks
    best, code, source, sink, highest = 0.0, NONE, -1, -1, 0.0
    for r in range(ns):
        highest = max(highest, desk.price[r])
        if 1.0 - desk.price[r] < min(best, -OPTIMAL):
            best, code, source, sink = 1.0 - desk.price[r], ETA, r, r
    for r in range(ns, ns + nt):
        if -desk.price[r] < min(best, -OPTIMAL * highest):
            best, code, source, sink = -desk.price[r], SLACK, r, r
    scale = 1.0
    for level in range(len(levels.gain)):
        gain = levels.gain[level]
        for i in range(ns):
            at, price = label.origin + desk.excess_state[i] * label.side, desk.price[i]
            for j in range(nt):
                direct, back = levels.cost[level, at + desk.room_state[j]], gain * desk.price[ns + j]
                reduced = direct - price - back
                if reduced < best and reduced < -OPTIMAL * (direct + price + abs(back)):
                    best, code, source, sink = reduced, level + 1, i, ns + j
                    scale = desk.leave[level]
    return code, source, sink, best * scale


def _pivot(label: _Label, desk: _Desk, level: int, source: int, sink: int, reduced: float) -> bool:
    """Bring a variable into the basis; False if nothing can leave it."""
    size = label.sources + label.sinks
    inverse, change, amount = desk.inverse, desk.change, desk.amount
    for r in range(size):
        change[r] = inverse[r, source]
        if level >= 1:
            change[r] = change[r] * desk.leave[level - 1] + inverse[r, sink] * desk.arrive[level - 1]
    leave, ratio = -1, np.inf
    for r in range(size):
        if change[r] > 1e-11 and amount[r] < ratio * change[r]:
            ratio, leave = amount[r] / change[r], r
    if leave < 0:
        return False
    for c in range(size):
        inverse[leave, c] /= change[leave]
    for r in range(size):
        if r != leave and change[r] != 0.0:
            for c in range(size):
                inverse[r, c] -= change[r] * inverse[leave, c]
            amount[r] = max(0.0, amount[r] - change[r] * ratio)
    amount[leave] = ratio
    _set_basic(leave, level, source, sink, desk)
    # prices = cost of basis · inverse: they change by (reduced cost) · (the new row of the inverse).
    for c in range(size):
        desk.price[c] += reduced * inverse[leave, c]
    return True


def _reprice(label: _Label, levels: Levels, desk: _Desk) -> None:
    """Set price = (costs of the basic variables) · inverse, from scratch."""
    size = label.sources + label.sinks
    for c in range(size):
        desk.price[c] = 0.0
    for r in range(size):
        level, weight = desk.basic[r, 0], 0.0
        if level == ETA:
            weight = 1.0
        elif level >= 1:
            weight = _cost(level - 1, desk.basic[r, 1], desk.basic[r, 2], label, levels, desk) * desk.leave[level - 1]
        if weight != 0.0:
            for c in range(size):
                desk.price[c] += weight * desk.inverse[r, c]


def _record(label: _Label, levels: Levels, desk: _Desk, found: Found, q: int, written: int) -> int:
    """Append the basis of one label, amounts as they leave their source, and add its cost to the pair's value."""
    for r in range(label.sources + label.sinks):
        level, source, sink = desk.basic[r, 0], desk.basic[r, 1], desk.basic[r, 2]
        amount = desk.amount[r]
        if level == ETA:
            u = v = desk.excess_state[source]
            found.value[q] += amount
        elif level == SLACK:
            u = v = desk.room_state[sink - label.sources]
        else:
            u, v = desk.excess_state[source], desk.room_state[sink - label.sources]
            amount *= desk.leave[level - 1]
            found.value[q] += amount * levels.cost[level - 1, label.origin + u * label.side + v]
        found.u[written], found.v[written], found.level[written] = u, v, level
        found.amount[written] = amount
        written += 1
    return written


def compiled_sweep() -> Callable[..., None]:
    """`sweep` as machine code."""
    return compiled(
        sweep, _new_desk, _gather, _cost, _set_basic, _fill, _simplex, _measure, _cheapest, _pivot, _reprice, _record
    )
