"""Where work runs: the same results everywhere, material that travels once, errors and ends that are clean."""

from __future__ import annotations

import operator
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from deltachain import executors
from deltachain.errors import InputError, WorkersLost
from deltachain.executors import Shared, as_completed, cores, in_order, workers
from tests.words import refuses, says


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


posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def die_at_seven(marks: tuple[Path, ...], task: int) -> int:
    """Twice the task; at 7, end the process as the system does when memory runs out, once for each mark."""
    for mark in marks if task == 7 else ():
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return 2 * task


@posix
def test_a_worker_that_was_killed_is_replaced_once(tmp_path: Path) -> None:
    with workers(2) as pool:
        shared = Shared(die_at_seven, (tmp_path / "first",))
        assert list(in_order(shared, list(range(20)), pool)) == [(task, 2 * task) for task in range(20)]
        assert (tmp_path / "first").exists()
        with refuses(WorkersLost, "perhaps because memory"):
            list(in_order(Shared(die_at_seven, (tmp_path / "later",)), list(range(20)), pool))


@posix
def test_a_worker_that_is_killed_again_is_an_error_after_what_was_done(tmp_path: Path) -> None:
    seen: list[int] = []
    with workers(2) as pool:
        found = in_order(Shared(die_at_seven, (tmp_path / "a", tmp_path / "b")), list(range(20)), pool)
        with pytest.raises(WorkersLost):
            seen.extend(task for task, _ in found)
    assert seen == list(range(len(seen)))
    assert len(seen) <= 7


class Forsaken(Executor):
    """As a client of Dask that loses its scheduler: it cancels what it was asked."""

    def submit(self, _fn: Any, /, *_args: Any, **_settings: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


def test_a_scheduler_that_is_gone_is_told() -> None:
    with refuses(WorkersLost, "the scheduler of"):
        list(as_completed(Shared(operator.add, 100), iter(range(3)), Forsaken()))


def refuse() -> None:
    raise RuntimeError("can't start new thread")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_pool_whose_own_thread_has_ended_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where memory runs out: the thread that feeds the workers cannot be started, and the one above it ends."""
    with workers(2) as pool:
        assert isinstance(pool, executors.Pool)
        pool.submit(os.getpid).result()
        assert pool.alive
        monkeypatch.setattr(pool._pool._call_queue, "put", lambda *_: refuse())
        with refuses(WorkersLost, "perhaps because memory"):
            list(as_completed(Shared(operator.add, 100), iter(range(30)), pool))
        assert not pool.alive


@posix
def test_the_pool_of_a_caller_is_not_started_again(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as own:
        with refuses(WorkersLost, "worker process was"):
            list(as_completed(Shared(die_at_seven, (tmp_path / "first",)), iter(range(20)), own))
        with pytest.raises(WorkersLost):
            list(as_completed(Shared(operator.add, 1), iter(range(3)), own))


@posix
def test_a_worker_never_hears_ctrl_c(tmp_path: Path) -> None:
    """It is blocked before the process begins: a worker that is still importing has no handler yet."""
    with workers(2) as pool:
        assert pool is not None
        assert signal.SIGINT in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result()
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
        list(in_order(Shared(die_at_seven, (tmp_path / "first",)), list(range(20)), pool))
        assert signal.SIGINT in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result(), "a later one"


@posix
@pytest.mark.parametrize("end", ["SIGTERM", "SIGKILL"])
def test_nothing_is_said_of_what_a_killed_parent_leaves(end: str) -> None:
    text = f"""
import os, signal
from deltachain.executors import workers
if __name__ == "__main__":
    with workers(2) as pool:
        pool.submit(os.getpid).result()
        os.kill(os.getpid(), signal.{end})
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.Signals[end]
    assert done.stderr == ""


@pytest.mark.parametrize(
    "address",
    [
        *("nowhere", "tcp://", "tcp://localhost:x", "tcp://localhost:99999999", "127.0.0.1:1"),
        *("http://localhost:8787", "https://localhost:8787", "udp://localhost:8786"),
    ],
)
def test_an_address_without_a_scheduler_is_refused_at_once(address: str) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="--cluster") as refused, workers(cluster=address):
        pass
    assert "dask scheduler" in refused.value.defects[0].fix
    assert (says(refused.value.defects[0].what, "that of its")) == address.startswith("http")
