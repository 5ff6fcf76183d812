"""Policy iteration in floats: finds the distance and an optimal policy, proves nothing.

Stops when a round no longer lowers any value by more than a relative 1e-13, or after ``max_rounds``; what it
returns is checked exactly afterwards, so an early stop costs sharpness only.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..cancel import Cancel
from ..jit import compiled, loaded
from .closure import Closure, close
from .pair_space import Kind, PairSpace
from .policy import Policy, heads_of, spliced
from .records import Blocks, Found, Rows
from .step_float import compiled_sweep, sweep
from .system import STILL, build_system, evaluate, nodes_of
from .unfold import compiled_unfold, unfold

THREADS = 2
CHUNK = 4_000
"""Ordered pairs a task: large enough to keep both cores busy, small enough for progress and memory."""

LITTLE_WORK = 200_000
"""Up to this sum of (width of a step)³, compiled code would take longer to load than the interpreter takes to run."""

FEW_PAIRS = 4000
"""On more pairs than this, compiled code is needed anyway, and pays for small batches too."""

STANDS = 1e-13
"""A policy stands if a step at its value costs less by no more than this, relatively."""

ROUGH, FINE = 1e-4, 1e-6
AHEAD = 1 / 300
"""A policy is evaluated to within this share of what the last round gained: the next one will change it anyway. Where
a round gains less than `FINE`, relatively, it is evaluated in full.
"""
SAME = 1e-14
"""A cost that moved by less than this, relatively, since it was last seen, does not make a step worth solving again."""
FIRST_GUESS = 0.5
"""Distance assumed off the zero set before the first round. Below 1, so that flows along arcs beat η and the first
policy already chains through the whole chain; any guess is sound, since only the policy's value is used."""


@dataclass(frozen=True)
class Bases:
    """Optimal bases of the step for the ordered pairs ``todo``: entries ``ptr[q]:ptr[q+1]`` belong to ``todo[q]``."""

    todo: Any
    value: Any
    stopped: Any
    """Where the float simplex gave up: the basis is feasible, maybe not optimal."""
    radius: Any
    """How far costs may move before the basis may cease to be optimal."""
    ptr: Any
    u: Any
    v: Any
    level: Any
    amount: Any

    def entries(self, index: int) -> list[tuple[int, int, int]]:
        """The basic variables (u, v, level) of one basis."""
        span = slice(self.ptr[index], self.ptr[index + 1])
        return list(zip(self.u[span].tolist(), self.v[span].tolist(), self.level[span].tolist(), strict=True))


@dataclass(frozen=True)
class Guide:
    """The float fixed point ``d`` by pair, the last policy, and which of its pairs are the directions in force."""

    d: Any
    policy: Policy
    stopped: Any
    """Where the float simplex gave up, for each pair of the policy."""
    closure: Closure
    active: Any
    """Index into the policy of the direction in force, for each of its pairs."""
    rounds: int
    levels: int
    """The largest number of levels of stepping stones in any round."""
    settled: bool
    """Whether it stopped because nothing fell any more."""


class Steps(NamedTuple):
    """What the steps of some options say: the greedy policy on arcs of d, their values, and as in `Bases`."""

    policy: Policy
    value: Any
    stopped: Any
    radius: Any


def apply_step(space: PairSpace, todo: Any, closure: Closure) -> Bases:
    """One step for each of the options ``todo`` at the closed costs: values and optimal bases."""
    parts = _in_chunks(todo, lambda part: _solved(space, part, closure))
    value, stopped, radius, counts, *entries = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Bases(todo, value, stopped, radius, heads_of(counts), *entries)


def best_policy(space: PairSpace, todo: Any, closure: Closure) -> Steps:
    """The policy that is greedy at the closed costs, on arcs of d."""

    def task(part: Any) -> tuple[Any, ...]:
        value, stopped, radius, counts, *entries = _solved(space, part, closure)
        return value, stopped, radius, *_unfolded(space, closure, heads_of(counts), *entries)

    parts = _in_chunks(todo, task)
    value, stopped, radius, counts, arc, weight, eta = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Steps(Policy(todo, heads_of(counts), arc, weight, eta), value, stopped, radius)


def _turned_policy(space: PairSpace, todo: Any, closure: Closure) -> Steps:
    """`best_policy` at α = 1 and symmetric costs, where a flow turned round is one for the pair turned round.

    Both leave as much open, since both rows sum to 1; so half of the steps are solved.
    """
    pairs = space.pairs_of(todo)
    solved, place = np.unique(np.minimum(todo, space.swapped[pairs] + (todo - pairs)), return_inverse=True)
    steps = best_policy(space, solved, closure)
    counts = np.diff(steps.policy.ptr)[place]
    ptr = heads_of(counts)
    chosen = np.arange(ptr[-1]) + np.repeat(steps.policy.ptr[place] - ptr[:-1], counts)
    arc = steps.policy.arc[chosen]
    arc = np.where(np.repeat(todo != solved[place], counts), space.swapped[arc].astype(np.int32), arc)
    policy = Policy(todo, ptr, arc, steps.policy.weight[chosen], steps.policy.eta[place])
    return Steps(policy, steps.value[place], steps.stopped[place], steps.radius[place])


def _in_chunks(todo: Any, task: Callable[[Any], tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    chunks = [todo[i : i + CHUNK] for i in range(0, len(todo), CHUNK)] or [todo]
    if len(chunks) == 1:
        return [task(chunks[0])]
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(task, chunks))


def _solved(space: PairSpace, part: Any, closure: Closure) -> tuple[Any, ...]:
    """(values, stopped, radius, entries a step, u, v, level, amount) of the steps of some options."""
    sources, sinks = space.rows_of(part)
    degree = np.diff(space.csr.indptr)
    widths = degree[sources] + degree[sinks]
    little = len(space) <= FEW_PAIRS and int((widths**3).sum()) <= LITTLE_WORK and not loaded()
    run = sweep if little else compiled_sweep()
    count, width = len(part), int(widths.sum())
    found = Found(
        np.empty(count), np.empty(count, bool), np.empty(count), np.empty(count + 1, np.int64),
        np.empty(width, np.int32), np.empty(width, np.int32), np.empty(width, np.int16), np.empty(width),
    )  # fmt: skip
    run(sources, sinks, space.csr, space.blocks, closure.table, found)
    used = int(found.ptr[-1])
    return found.value, found.stopped, found.radius, np.diff(found.ptr), *(column[:used] for column in found[4:])


def _unfolded(space: PairSpace, closure: Closure, ptr: Any, u: Any, v: Any, level: Any, amount: Any) -> tuple[Any, ...]:
    """(arcs a step, arcs, weights, η a step) of bases."""
    little = len(space) <= FEW_PAIRS and len(u) <= LITTLE_WORK // 100 and not loaded()
    run = unfold if little else compiled_unfold()
    counts, eta = np.zeros(len(ptr) - 1, np.int64), np.zeros(len(ptr) - 1)
    bases = (ptr, u, v, level, amount)
    none = np.empty(0, np.int32), np.empty(0)
    run(*bases, space.blocks, closure.via, closure.steps, space.float_alpha, counts, *none, eta)
    arc, weight = np.empty(int(counts.sum()), np.int32), np.empty(int(counts.sum()))
    run(*bases, space.blocks, closure.via, closure.steps, space.float_alpha, counts, arc, weight, eta)
    return counts, arc, weight, eta


def find_policy(
    space: PairSpace,
    kind: Kind,
    zero: Any,
    *,
    max_rounds: int = 60,
    cancel: Cancel | None = None,
) -> Guide:
    """Policy iteration over the pairs outside the mask ``zero``; those inside keep the distance 0."""
    todo = space.options_of(~zero)
    nodes = nodes_of(space, kind, todo)
    d = np.where(zero, 0.0, FIRST_GUESS)
    closure = close(space, d, complement=kind == "sd")
    improve = _turned_policy if kind == "bd" and space.alpha == 1 else best_policy
    steps = improve(space, todo, closure)
    policy, stopped, left = steps.policy, steps.stopped, steps.radius
    seen, levels = closure, closure.levels
    start, tolerance = np.full(len(nodes.head) - 1, FIRST_GUESS), ROUGH
    for round_number in range(1, max_rounds + 1):
        tolerance = STILL if round_number == max_rounds else tolerance
        start, active = evaluate(build_system(nodes, policy), start, tolerance)
        d = np.append(start, 0.0)[nodes.of_pair]
        closure = close(space, d, complement=kind == "sd")
        levels = max(levels, closure.levels)
        places, seen = _to_look_at(space, todo, left, closure, seen)
        steps = improve(space, todo[places], closure)
        gain = _gain(space, todo, d, places, steps.value, nodes.place[active])
        if cancel is not None:
            cancel.report(f"round {round_number}: largest improvement {gain:.0e}")
            cancel.check()
        settled = gain <= STANDS and tolerance == STILL
        if settled or round_number == max_rounds:
            break
        tolerance = STILL if gain <= FINE else min(ROUGH, gain * AHEAD)
        stopped[places], left[places] = steps.stopped, steps.radius
        policy = spliced(policy, places, steps.policy)
    return Guide(d, policy, stopped, closure, nodes.place[active], round_number, levels, settled)


def _gain(space: PairSpace, todo: Any, d: Any, places: Any, value: Any, active: Any) -> float:
    """By how much steps at d undercut the options in force, relatively, at most."""
    in_force = np.zeros(len(todo), bool)
    in_force[active] = True
    mine = in_force[places]
    cost = d[space.pairs_of(todo[places[mine]])]
    return float(np.max((cost - value[mine]) / np.maximum(cost, 1e-300), initial=0.0))


def _to_look_at(space: PairSpace, todo: Any, left: Any, closure: Closure, seen: Closure) -> tuple[Any, Closure]:
    """The places in ``todo`` whose steps read costs that moved, since they were solved, by more than their radius.

    ``left`` is what remains of each radius, and is lowered. Returns the places, with a closure that has the costs as
    they were last seen.
    """
    moved = np.zeros(len(space))
    cost = closure.cost.copy()
    for level, exponent in enumerate(closure.exponents):
        if exponent not in seen.level_of:
            moved[np.isfinite(closure.cost[level])] = np.inf
            continue
        then = seen.cost[seen.level_of[exponent] - 1]
        now, via = closure.cost[level], closure.via[level] != seen.via[seen.level_of[exponent] - 1]
        with np.errstate(invalid="ignore"):  # ∞ − ∞: no change
            change = np.abs(now - then)
            change[~(change > SAME * then)] = 0.0
        change[via & np.isfinite(now)] = np.inf
        np.maximum(moved, change, out=moved)
        cost[level] = np.where(change > 0.0, now, then)
    for level, exponent in enumerate(seen.exponents):
        if exponent not in closure.level_of:
            moved[np.isfinite(seen.cost[level])] = np.inf
    look = np.zeros(len(todo), bool)
    kernel = _spend if len(todo) <= FEW_PAIRS and not loaded() else compiled(_spend)
    kernel(*space.rows_of(todo), space.csr, space.blocks, moved, left, look)
    return np.flatnonzero(look), replace(closure, cost=cost)


def _spend(sources: Any, sinks: Any, rows: Rows, blocks: Blocks, moved: Any, left: Any, look: Any) -> None:
    """Take the largest move of the costs (i, j), i a target of the source and j of the sink, off what is left."""
    for q in range(len(sources)):
        most = 0.0
        for a in range(rows.indptr[sources[q]], rows.indptr[sources[q] + 1]):
            i = rows.target[a]
            label = blocks.block[i]
            line = blocks.offset[label] + (i - blocks.first[label]) * blocks.size[label] - blocks.first[label]
            for b in range(rows.indptr[sinks[q]], rows.indptr[sinks[q] + 1]):
                j = rows.target[b]
                if blocks.block[j] == label and moved[line + j] > most:
                    most = moved[line + j]
        look[q] = most > 0.0 and most >= left[q]
        left[q] = 0.0 if look[q] else left[q] - most
