"""Where work runs: the same results everywhere, material that travels once, errors and ends that are clean."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

from deltachain import executors
from deltachain.errors import InputError
from deltachain.executors import Shared, as_completed, cores, in_order, workers


class Recording(Executor):
    """Runs in this process at once, as a worker that was just started would; keeps what was sent."""

    def __init__(self, seems: int = 1) -> None:
        self.sent: list[int] = []
        self._max_workers = seems

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.sent.append(sum(len(arg) for arg in args if isinstance(arg, bytes)))
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        yield executor


def test_results_are_the_same_everywhere(pool: Executor) -> None:
    shared = Shared(operator.add, 100)
    wanted = [(task, 100 + task) for task in range(30)]
    with ThreadPoolExecutor(3) as threads:
        for executor in (None, threads, pool, Recording()):
            assert sorted(as_completed(shared, iter(range(30)), executor)) == wanted
            assert list(in_order(shared, list(range(30)), executor)) == wanted


def test_material_travels_once_to_a_worker() -> None:
    executor, shared = Recording(), Shared(operator.getitem, list(range(10_000, 40_000)))
    assert [found for _, found in in_order(shared, list(range(50)), executor)] == list(range(10_000, 10_050))
    assert sum(size > 0 for size in executor.sent) == 1
    assert len(executor.sent) == 50


def test_a_worker_without_the_material_is_sent_it() -> None:
    executor, shared = Recording(), Shared(operator.getitem, list(range(10_000, 45_000)))
    found = in_order(shared, list(range(50)), executor)
    assert next(found) == (0, 10_000)
    executors._held.clear()  # another worker has taken its place
    assert len(list(found)) == 49
    assert 2 <= sum(size > 0 for size in executor.sent) <= 1 + executors.AHEAD


def test_a_worker_forgets_what_was_long_ago() -> None:
    executor = Recording()
    for again in range(2):
        for k in range(6):
            shared = Shared(operator.getitem, [k] * 40_000)
            assert list(in_order(shared, [again], executor)) == [(again, k)]
            assert len(executors._held) <= executors.HELD


def test_what_a_task_raises_is_raised(pool: Executor) -> None:
    with ThreadPoolExecutor(1) as threads:
        for executor in (None, threads, pool):
            with pytest.raises(ZeroDivisionError):
                list(as_completed(Shared(operator.floordiv, 1), iter([1, 0, 1]), executor))


def test_when_stopped_no_task_is_missing_before_the_last() -> None:
    with ThreadPoolExecutor(3) as threads:
        for executor in (None, threads):
            seen: list[int] = []
            for task, _ in in_order(Shared(operator.add, 1), list(range(200)), executor, lambda: len(seen) >= 20):  # noqa: B023
                seen.append(task)
            assert seen == list(range(len(seen)))
            assert 20 <= len(seen) < 200


def test_one_job_needs_no_pool_and_more_get_one() -> None:
    with workers(1) as executor:
        assert executor is None
    with workers(2) as executor:
        assert executor is not None
        assert executor.submit(os.getpid).result() != os.getpid()
    assert cores() >= 1


@pytest.mark.parametrize(
    "address", ["nowhere", "tcp://", "tcp://localhost:x", "tcp://localhost:99999999", "127.0.0.1:1"]
)
def test_an_address_without_a_scheduler_is_refused_at_once(address: str) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="--cluster"), workers(cluster=address):
        pass
