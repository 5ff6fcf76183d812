"""Where work runs: this process, threads, a pool of processes, a Dask cluster; any `concurrent.futures.Executor`.

Many small tasks share one thing, say a chain with its tables. If it is large it travels once to each worker, whatever
the executor is: the first tasks bring it along, later ones name it by its digest, and a worker that does not hold it
(it is new, another one died) says so and is sent the task again with it.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import pickle
import signal
import socket
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .errors import Defect, InputError, WorkersLost, require_extra
from .memory import guard_imports, require_room
from .version import __version__

HELD = 4
"""Shared things that a worker holds, the last ones used."""
SMALL = 64_000
"""Bytes that every task may bring along."""
AHEAD = 2
"""Tasks for each worker that are on their way."""
UNKNOWN_WORKERS = 32
"""Workers that an executor is taken to have which does not say."""
ROOM = 64 * 2**20
"""Bytes that the threads of a pool map, their stacks above all."""
PULSE = 0.1
"""Seconds between two looks at whether the work must end."""
KILLED_ON_DASK = "KilledWorker"
"""What Dask raises of a task whose workers were killed; it may not be installed here."""
SCHEDULER_LOST = "the scheduler of the cluster does not answer any more"
CONNECT_SECONDS = 5
"""How long a scheduler may take to answer, and then to have a worker."""

_held: OrderedDict[str, tuple[Callable[..., Any], Any]] = OrderedDict()
"""What this worker was sent: digest → function and material. The only state that outlives a task."""


@dataclass(frozen=True)
class Shared:
    """A function of some material and a task; a worker is sent both once."""

    function: Callable[[Any, Any], Any]
    material: Any

    @cached_property
    def packed(self) -> bytes:
        """What travels."""
        return pickle.dumps((self.function, self.material), protocol=pickle.HIGHEST_PROTOCOL)

    @cached_property
    def digest(self) -> str:
        """The name that workers hold it by."""
        return hashlib.sha256(self.packed).hexdigest()


class _Missing:
    """A worker's answer: send the material along."""


def _work(digest: str, packed: bytes | None, task: Any) -> Any:
    """One task, on a worker."""
    if packed is not None and digest not in _held:
        _held[digest] = pickle.loads(packed)  # noqa: S301 - from the parent, whose code runs here anyway
        while len(_held) > HELD:
            _held.popitem(last=False)
    if digest not in _held:
        return _Missing()
    _held.move_to_end(digest)
    function, material = _held[digest]
    return function(material, task)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def as_completed(
    shared: Shared,
    tasks: Iterator[Any],
    executor: Executor | None,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[Any, Any]]:
    """(task, result) as they end, until there are no more tasks, or ``stopped()``; without an executor, in turn here.

    Tasks are taken from the iterator as workers come free. What a task raises is raised here. Where a worker process is
    killed, a `Pool` is started again once, and tasks without a result are sent again; after that, and elsewhere, it is
    WorkersLost, as it is where the scheduler of a cluster is gone.
    """
    if executor is None:
        for task in tasks:
            if stopped():
                return
            yield task, shared.function(shared.material, task)
        return
    running: dict[Future[Any], Any] = {}
    again: list[Any] = []  # tasks whose worker is gone
    width = _width(executor)
    most, more, broken = AHEAD * width, True, False
    first = width  # tasks to come that bring the material along
    try:
        while True:
            while (again or more) and not broken and len(running) < most and not stopped():
                task = again.pop() if again else next(tasks, _Missing)
                if task is _Missing:
                    more = False
                    continue
                try:
                    running[_submit(executor, shared, task, first > 0)] = task
                    first = max(first - 1, 0)
                except BrokenExecutor:
                    again.append(task)
                    broken = True
            if stopped():
                return
            if broken and not running:  # only then: what others had done by then still comes in
                _restart(executor)
                first, broken = width, False
                continue
            if not running:
                return
            done = wait(running, PULSE, FIRST_COMPLETED).done
            if not done and isinstance(executor, Pool) and not executor.alive:
                raise _report_lost("the worker processes could not be asked")
            for future in done:
                task = running.pop(future)
                try:
                    result = future.result()
                except BrokenExecutor:
                    again.append(task)
                    broken = True
                    continue
                except CancelledError:  # not by us: a client of Dask does so when it loses its scheduler
                    raise WorkersLost(SCHEDULER_LOST) from None
                except Exception as error:
                    if type(error).__name__ == KILLED_ON_DASK:  # which sends a task to several workers before
                        raise _report_lost("worker processes were killed several times") from None
                    raise
                if isinstance(result, _Missing):
                    again.append(task)
                    first += 1
                else:
                    yield task, result
    finally:
        for future in running:
            future.cancel()


def _restart(executor: Executor) -> None:
    """Start the processes again, if that may help; else WorkersLost."""
    if not isinstance(executor, Pool):
        raise _report_lost("a worker process was killed")
    if executor.restarted:
        raise _report_lost("worker processes were killed twice")
    executor.restart()


def _report_lost(what: str) -> WorkersLost:
    return WorkersLost(f"{what}, perhaps because memory ran out (fewer `jobs` need less)")


def in_order(
    shared: Shared,
    tasks: Sequence[Any],
    executor: Executor | None,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[Any, Any]]:
    """As `as_completed`, in the order of the tasks: when it is stopped, no task is missing before the last one."""
    early: dict[int, Any] = {}
    at = 0
    numbered = Shared(_number, shared)
    for (number, task), result in as_completed(numbered, iter(enumerate(tasks)), executor, stopped):
        early[number] = task, result
        while at in early:
            yield early.pop(at)
            at += 1


def _number(shared: Shared, task: tuple[int, Any]) -> Any:
    return shared.function(shared.material, task[1])


def _submit(executor: Executor, shared: Shared, task: Any, along: bool) -> Future[Any]:
    if isinstance(executor, ThreadPoolExecutor):
        return executor.submit(shared.function, shared.material, task)
    along = along or len(shared.packed) <= SMALL
    return executor.submit(_work, shared.digest, shared.packed if along else None, task)


def _width(executor: Executor) -> int:
    """How many tasks the executor runs at once, as far as it says."""
    client = getattr(executor, "_client", None)
    if client is not None:
        return max(1, int(sum(client.nthreads().values())))
    return int(getattr(executor, "_max_workers", UNKNOWN_WORKERS))


@contextmanager
def workers(jobs: int | None = None, cluster: str | None = None) -> Iterator[Executor | None]:
    """The executor that ``--jobs`` and ``--cluster`` ask for: a pool of processes, a Dask cluster, or None for one job.

    Ctrl-C is for the parent alone: it asks the work to end, keeps what is done, and ends the workers.
    """
    if cluster is not None:
        with _dask(cluster, jobs) as executor:
            yield executor
        return
    jobs = cores() if jobs is None else jobs
    if jobs == 1:
        yield None
        return
    with Pool(jobs) as pool:
        yield pool


class Pool(Executor):
    """Worker processes, which can be started again when one of them was killed: nothing else mends a broken pool."""

    def __init__(self, jobs: int) -> None:
        self._max_workers = jobs
        self._pool = self._start()
        self.restarted = False

    def _start(self) -> ProcessPoolExecutor:
        from multiprocessing import get_context

        require_room(ROOM)  # a thread that cannot be started, one of the pool's own, ends nothing but itself
        _start_tracker()
        return ProcessPoolExecutor(self._max_workers, get_context("spawn"), initializer=_serve)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As ever; a process that is started by it does not hear Ctrl-C, not even while it imports."""
        with _interrupts_held_back():
            return self._pool.submit(fn, *args, **kwargs)

    @property
    def alive(self) -> bool:
        """Whether tasks that were submitted will come back: the thread that hands them out ends with what it raises."""
        thread: Any = self._pool._executor_manager_thread
        return thread is None or bool(thread.is_alive())

    def restart(self) -> None:
        """Start new processes in place of those that are left."""
        self.restarted = True
        self.shutdown()
        self._pool = self._start()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """End the processes: at once where somebody interrupted, for nobody waits for what they are at."""
        pool = self._pool
        busy = list(pool._processes.values()) if pool._pending_work_items else []
        pool.shutdown(wait=wait and not busy, cancel_futures=cancel_futures)
        for process in busy:
            process.terminate()
        for process in busy:
            process.join()


def _start_tracker() -> None:
    """Start the process by which Python removes what a killed parent leaves, so that it does not warn that it does."""
    tracker: Any = importlib.import_module("multiprocessing.resource_tracker")
    before = sys.warnoptions[:]
    sys.warnoptions.append("ignore::UserWarning:multiprocessing.resource_tracker")  # it inherits them
    try:
        tracker.ensure_running()
    finally:
        sys.warnoptions[:] = before


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Within it this thread does not hear Ctrl-C, nor does, ever, a process that is started; one that comes waits."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve() -> None:
    """Make this process a worker: Ctrl-C is left to the parent, and it ends as soon as its parent does.

    A parent that is killed cannot end its workers, and one that is busy with a task does not notice by itself.
    """
    from multiprocessing import parent_process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    guard_imports()
    parent = parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@contextmanager
def _dask(address: str, jobs: int | None) -> Iterator[Executor]:
    """The executor of the Dask scheduler at the address, or of one that is started here (``local``)."""
    with require_extra("distributed", "cluster"):
        distributed: Any = importlib.import_module("distributed")
    if address == "local":
        before = signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # workers inherit it
        try:
            # Port 0: any that is free, on this machine alone; the usual one may be another cluster's.
            settings = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
            started = distributed.LocalCluster(n_workers=jobs or cores(), threads_per_worker=1, **settings)
        finally:
            signal.signal(signal.SIGINT, before)
        with started, distributed.Client(started) as client, _large_tasks():
            yield client.get_executor(pure=False)
        return
    where = f"--cluster {address}"
    _refuse_silence(address, where, importlib.import_module("distributed.comm.registry").backends)
    with _without_logs():
        try:
            client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError) as error:
            fix = "start one with `dask scheduler`, or give --cluster local"
            raise InputError(Defect(where, f"no scheduler answers there ({_first_line(error)})", fix)) from None
        with client, _large_tasks():
            _refuse_other_versions(client, where)
            yield client.get_executor(pure=False)


def _without_logs() -> Any:
    """Within it Dask does not print what it does about a connection that is lost: we say what that means."""
    return importlib.import_module("distributed.utils").silence_logging_cmgr(logging.CRITICAL)


def _large_tasks() -> Any:
    """Within it Dask does not warn that a task is large: that is so once a worker."""
    dask: Any = importlib.import_module("dask")
    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "4GB"})


def _refuse_silence(address: str, where: str, known: Collection[str]) -> None:
    """InputError at once for an unknown protocol, and where nobody listens: a client would go on trying."""
    protocol, _, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535 or (protocol and protocol not in known):
        page = ", which may be that of its page" if protocol in ("http", "https") else ""
        fix = "write tcp://HOST:PORT, as `dask scheduler` prints it, or tls://HOST:PORT, or local"
        raise InputError(Defect(where, f"this is not the address of a scheduler{page}", fix))
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except OSError as error:
        fix = "start one with `dask scheduler`, or give --cluster local"
        what = f"no scheduler answers there ({error.strerror or _first_line(error)})"
        raise InputError(Defect(where, what, fix)) from None


def _refuse_other_versions(client: Any, where: str) -> None:
    """InputError unless there is a worker, and all have this version of deltachain."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        versions = client.run(_version)
    except TimeoutError:
        raise InputError(Defect(where, "the scheduler has no workers", "start one with `dask worker`")) from None
    except ImportError as error:
        raise InputError(Defect(where, f"a worker cannot run deltachain: {error}", "install it there too")) from None
    others = sorted({version for version in versions.values() if version != __version__})
    if others:
        what = f"workers have deltachain {', '.join(others)}, this is {__version__}"
        raise InputError(Defect(where, what, "install the same version everywhere"))


def _version() -> str:
    return __version__


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
