"""Rows a second of a sweep: in this process, in pools, on Dask, with one worker and two; what a job costs beside."""

from __future__ import annotations

import time
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from multiprocessing import get_context
from typing import Any

import deltachain as dc
from bench.measure import Row, Stopwatch, in_process
from deltachain.executors import workers

Result = dict[str, Any]
ROUNDS = {"small": 1, "middle": 12, "large": 80}
"""Jobs of about a millisecond, of some more, and of a tenth of a second or two."""


def swept(where: str, count: str, size: str, jobs: str) -> Result:
    """A sweep of ``jobs`` jobs on workers that are up, with their certificates checked where there is a cluster."""
    number, rounds = int(count), ROUNDS[size]
    grid = [f"{k}/{4 * int(jobs)}" for k in range(2 * int(jobs) + 1, 3 * int(jobs) + 1)]
    options: dict[str, Any] = {"epsilons": ["1/10"], "check": where == "checked"}
    with _workers(where, number) as executor:
        dc.sweep(dc.examples.survey, parameters={"p": ["1/2"], "rounds": [rounds]}, executor=executor, **options)
        if executor is not None:  # every worker has imported what it needs
            warm: dict[str, list[Any]] = {"p": [f"{k}/50" for k in range(26, 26 + 6 * number)], "rounds": [rounds]}
            dc.sweep(dc.examples.survey, parameters=warm, executor=executor, **options)
        started = time.process_time()
        with Stopwatch() as ours:
            found = dc.sweep(
                dc.examples.survey, parameters={"p": grid, "rounds": [rounds]}, executor=executor, **options
            )
        parent = time.process_time() - started
    right = len(found) == len(grid) and not found.failed
    return ours.found | {"right": right, "rate": len(found) / ours.seconds, "parent": parent / len(found)}


def _workers(where: str, number: int) -> AbstractContextManager[Executor | None]:
    if where == "here":
        return nullcontext()
    if where == "pool":
        return ProcessPoolExecutor(number, get_context("spawn"))
    return workers(number, "local")


def sweeps(quick: bool) -> list[Row]:
    """The table: the baseline of each row is the same sweep in one process."""
    rows = []
    sizes = (("small", 200), ("middle", 20)) if quick else (("small", 500), ("middle", 60), ("large", 40))
    for size, jobs in sizes:
        base = in_process("swept", "here", 1, size, jobs)
        name = f"{jobs} jobs, survey of {ROUNDS[size]} round{'s' if ROUNDS[size] > 1 else ''}"
        rows.append(base.row(f"{name}, in this process", f"{base.result['rate']:.3g} rows a second"))
        for where, shown in (("pool", "pool of processes"), ("dask", "Dask"), ("checked", "Dask, checked")):
            for count in (1, 2):
                found = in_process("swept", where, count, size, jobs)
                result = found.result | {"baseline": "in this process", "baseline_seconds": base.seconds}
                beside = type(found)(found.seconds, found.peak_mb, result)
                said = f"{result['rate']:.3g} rows a second; the parent works {1000 * result['parent']:.2g} ms a row"
                rows.append(beside.row(f"{name}, {shown}, {count} worker{'s' if count > 1 else ''}", said))
    return rows
