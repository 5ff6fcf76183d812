"""Policy iteration in floats: finds the distance and an optimal policy, proves nothing.

Stops when a round no longer lowers any value by more than a relative 1e-13, or after ``max_rounds``; what it
returns is checked exactly afterwards, so an early stop costs sharpness only.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..kernels import compiled, loaded
from ..watch import Watch
from .closure import Closure, close
from .policy import STILL, Policy, build_system, evaluate, spliced
from .space import Kind, PairSpace
from .step_float import Blocks, Found, Rows, compiled_sweep, sweep
from .unfold import compiled_unfold, unfold

__all__ = ["Bases", "Guide", "apply_step", "best_policy", "find_policy"]

THREADS = 2
CHUNK = 4_000
"""Ordered pairs a task: large enough to keep both cores busy, small enough for progress and memory."""

LITTLE_WORK = 200_000
"""Up to this sum of (width of a step)³, compiled code would take longer to load than the interpreter takes to run."""

FEW_PAIRS = 4000
"""On more pairs than this, compiled code is needed anyway, and pays for small batches too."""

STANDS = 1e-13
ROUGH, FINE = 1e-4, 1e-6
SAME = 1e-14
"""A cost that moved by less than this, relatively, since a pair's step was solved, does not make it worth solving
again.
"""
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
    settled: bool
    """Whether it stopped because nothing fell any more."""


def apply_step(space: PairSpace, todo: Any, closure: Closure) -> Bases:
    """One step for each of the ordered pairs ``todo`` at the closed costs: values and optimal bases."""
    parts = _in_chunks(todo, lambda part: _solved(space, part, closure))
    value, stopped, counts, *entries = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Bases(todo, value, stopped, _heads(counts), *entries)


def best_policy(space: PairSpace, todo: Any, closure: Closure) -> tuple[Policy, Any, Any]:
    """The policy that is greedy at the closed costs, on arcs of d, its steps' values, and where the simplex gave up."""

    def task(part: Any) -> tuple[Any, ...]:
        value, stopped, counts, *entries = _solved(space, part, closure)
        return value, stopped, *_unfolded(space, closure, _heads(counts), *entries)

    parts = _in_chunks(todo, task)
    value, stopped, counts, arc, weight, eta = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Policy(todo, _heads(counts), arc, weight, eta), value, stopped


def _heads(counts: Any) -> Any:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def _in_chunks(todo: Any, task: Callable[[Any], tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    chunks = [todo[i : i + CHUNK] for i in range(0, len(todo), CHUNK)] or [todo]
    if len(chunks) == 1:
        return [task(chunks[0])]
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(task, chunks))


def _solved(space: PairSpace, part: Any, closure: Closure) -> tuple[Any, ...]:
    """(values, stopped, entries a pair, u, v, level, amount) of the steps of some pairs."""
    u, v = space.ends
    sources, sinks = u[part], v[part]
    degree = np.diff(space.csr.indptr)
    widths = degree[sources] + degree[sinks]
    little = len(space) <= FEW_PAIRS and int((widths**3).sum()) <= LITTLE_WORK and not loaded()
    run = sweep if little else compiled_sweep()
    count, width = len(part), int(widths.sum())
    found = Found(
        np.empty(count), np.empty(count, bool), np.empty(count + 1, np.int64), np.empty(width, np.int32),
        np.empty(width, np.int32), np.empty(width, np.int16), np.empty(width),
    )  # fmt: skip
    run(sources, sinks, space.csr, space.blocks, closure.table, found)
    used = int(found.ptr[-1])
    return found.value, found.stopped, np.diff(found.ptr), *(column[:used] for column in found[3:])


def _unfolded(space: PairSpace, closure: Closure, ptr: Any, u: Any, v: Any, level: Any, amount: Any) -> tuple[Any, ...]:
    """(arcs a pair, arcs, weights, η a pair) of bases."""
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
    watch: Watch | None = None,
) -> Guide:
    """Policy iteration over the pairs outside the mask ``zero``; those inside keep the distance 0."""
    todo = np.flatnonzero(~zero)
    d = np.where(zero, 0.0, FIRST_GUESS)
    reached = np.where(zero, 0.0, 1.0)
    closure = close(space, d, complement=kind == "sd")
    policy, _, stopped = best_policy(space, todo, closure)
    seen, steps, start, tolerance = closure, len(todo), None, ROUGH
    for round_number in range(1, max_rounds + 1):
        last = round_number == max_rounds
        value, active = evaluate(build_system(space, kind, policy), start, STILL if last else tolerance)
        new = np.zeros(len(space))
        new[todo] = start = value
        drop = float(np.max((reached - new) / np.maximum(reached, 1e-300), initial=0.0))
        if watch is not None:
            watch.report(
                f"round {round_number}: {steps} steps, {closure.levels} levels of stones, largest fall {drop:.1e}"
            )
            watch.check()
        d = reached = new
        settled = drop <= STANDS and round_number > 1 and tolerance == STILL
        if settled or last:
            break
        # Early rounds need no more of a value than the next policy will leave of it.
        tolerance = STILL if drop <= FINE else max(STILL, min(ROUGH, drop / 1000))
        closure = close(space, d, complement=kind == "sd")
        places, seen = _to_look_at(space, todo, closure, seen)
        steps = len(places)
        better, _, gave_up = best_policy(space, todo[places], closure)
        stopped[places] = gave_up
        policy = spliced(policy, places, better)
    return Guide(d, policy, stopped, closure, active, round_number, settled)


def _to_look_at(space: PairSpace, todo: Any, closure: Closure, seen: Closure) -> tuple[Any, Closure]:
    """The places in ``todo`` of the pairs whose step reads a cost that is not what it was when it was solved last.

    Returns them with a closure that has the costs as they were last seen.
    """
    if closure.exponents != seen.exponents:
        return np.arange(len(todo)), closure
    changed = np.zeros(len(space), bool)
    for now, then, new_via, old_via in zip(closure.cost, seen.cost, closure.via, seen.via, strict=True):
        with np.errstate(invalid="ignore"):  # ∞ − ∞: no change
            changed |= (np.abs(now - then) > SAME * then) | (np.isfinite(now) != np.isfinite(then))
        changed |= (new_via != old_via) & np.isfinite(now)
    cost = np.where(changed, closure.cost, seen.cost)
    reads = np.zeros(len(todo), bool)
    u, v = space.ends
    look = _reads_changed if len(todo) <= FEW_PAIRS and not loaded() else compiled(_reads_changed)
    look(u[todo], v[todo], space.csr, space.blocks, changed, reads)
    return np.flatnonzero(reads), replace(closure, cost=cost)


def _reads_changed(sources: Any, sinks: Any, rows: Rows, blocks: Blocks, changed: Any, reads: Any) -> None:
    """Whether a pair of targets (i, j), i of the source and j of the sink, has a changed cost."""
    for q in range(len(sources)):
        for a in range(rows.indptr[sources[q]], rows.indptr[sources[q] + 1]):
            i = rows.target[a]
            label = blocks.block[i]
            line = blocks.offset[label] + (i - blocks.first[label]) * blocks.size[label] - blocks.first[label]
            for b in range(rows.indptr[sinks[q]], rows.indptr[sinks[q] + 1]):
                j = rows.target[b]
                if blocks.block[j] == label and changed[line + j]:
                    reads[q] = True
                    break
            if reads[q]:
                break
