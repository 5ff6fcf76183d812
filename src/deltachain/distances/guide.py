"""Policy iteration in floats: finds the distance and an optimal policy, proves nothing.

Stops when a round no longer lowers any value by more than a relative 1e-13, or after ``max_rounds``; what it
returns is checked exactly afterwards, so an early stop costs sharpness only.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from .closure import Closure, close
from .policy import Bases, System, build_system, evaluate
from .space import Kind, PairSpace
from .step_float import compiled_sweep, sweep

__all__ = ["Guide", "apply_step", "find_policy"]

THREADS = 2
CHUNK = 20_000
"""Ordered pairs a task: large enough to keep both cores busy, small enough for progress and memory."""

LITTLE_WORK = 200_000
"""Up to this sum of (width of a step)³, compiled code would take longer to load than the interpreter takes to run."""

STANDS = 1e-13
FIRST_GUESS = 0.5
"""Distance assumed off the zero set before the first round. Below 1, so that flows along arcs beat η and the first
policy already chains through the whole chain; any guess is sound, since only the policy's value is used."""


@dataclass(frozen=True)
class Guide:
    """The float fixed point ``d`` by pair, the last policy, its equations, and the active option of each node."""

    d: Any
    bases: Bases
    closure: Closure
    system: System
    active: Any
    rounds: int
    settled: bool
    """Whether it stopped because nothing fell any more."""


def apply_step(space: PairSpace, todo: Any, closure: Closure) -> Bases:
    """One step for each of the ordered pairs ``todo`` at the closed costs: values and optimal bases."""
    u, v = space.ends
    indptr, target, probability, raised, value_id, tie = space.csr
    degree = np.diff(indptr)
    work = int(((degree[u[todo]] + degree[v[todo]]) ** 3).sum())
    run = sweep if work <= LITTLE_WORK else compiled_sweep()

    def task(part: Any) -> tuple[Any, ...]:
        sources, sinks = u[part], v[part]
        width = int((degree[sources] + degree[sinks]).sum())
        value, stopped, ptr = np.empty(len(part)), np.empty(len(part), bool), np.empty(len(part) + 1, np.int64)
        bu, bv = np.empty(width, np.int32), np.empty(width, np.int32)
        level, amount = np.empty(width, np.int16), np.empty(width)
        run(
            sources, sinks, indptr, target, probability, raised, value_id, tie, space.float_alpha,
            space.first, space.size, space.offset, space.block, closure.cost,
            value, stopped, ptr, bu, bv, level, amount,
        )  # fmt: skip
        used = int(ptr[-1])
        return value, stopped, np.diff(ptr), *(part[:used].copy() for part in (bu, bv, level, amount))

    chunks = [todo[i : i + CHUNK] for i in range(0, len(todo), CHUNK)] or [todo]
    if len(chunks) == 1:
        results = [task(chunks[0])]
    else:
        with ThreadPoolExecutor(THREADS) as pool:
            results = list(pool.map(task, chunks))
    value, stopped, counts, bu, bv, level, amount = (np.concatenate(part) for part in zip(*results, strict=True))
    return Bases(todo, value, stopped, np.concatenate(([0], np.cumsum(counts))), bu, bv, level.astype(np.int64), amount)


def find_policy(
    space: PairSpace,
    kind: Kind,
    zero: Any,
    *,
    max_rounds: int = 60,
    report: Callable[[str], None] | None = None,
) -> Guide:
    """Policy iteration over the pairs outside the mask ``zero``; those inside keep the distance 0."""
    todo = np.flatnonzero(~zero)
    d = np.where(zero, 0.0, FIRST_GUESS)
    reached = np.where(zero, 0.0, 1.0)
    for round_number in range(1, max_rounds + 1):
        closure = close(space, d)
        bases = apply_step(space, todo, closure)
        system = build_system(space, kind, bases, closure)
        value, active = evaluate(system)
        new = np.zeros(len(space))
        new[todo] = value[system.node_of[todo]]
        drop = float(np.max((reached - new) / np.maximum(reached, 1e-300), initial=0.0))
        if report is not None:
            report(f"round {round_number}: {len(todo)} steps, largest fall {drop:.1e}")
        d = reached = new
        settled = drop <= STANDS and round_number > 1
        if settled:
            break
    return Guide(d, bases, closure, system, active, round_number, settled)
