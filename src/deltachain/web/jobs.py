"""Computations of the explorer: one at a time, each in a process that can be stopped; answers are kept by request.

A job outlives the tab that asked for it. Who sends the same request again gets the same job. A process that is killed,
or that does not stop when it is asked to, leaves a failed job and nothing else behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field
from typing import Any

from ..errors import Defect, SolverError
from .report_request import ReportRequest, defect_message

KEPT = 32
"""Answers that are remembered."""
WAITING = 8
HARD_LIMIT = 90.0
"""Seconds after which a process is killed, whatever it does."""
PATIENCE = 10.0
"""Seconds that a process has to end when it is asked to."""
LARGEST_LINE = 64 * 2**20


@dataclass
class Job:
    """A request on its way to an answer. ``state``: waiting, working, done, failed."""

    request: ReportRequest
    state: str = "waiting"
    progress: str = "waiting for another computation to end"
    result: dict[str, Any] = field(default_factory=dict)
    errors: list[dict[str, Any]] = field(default_factory=list)
    process: asyncio.subprocess.Process | None = None
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    stopping: bool = False

    @property
    def over(self) -> bool:
        """Whether there is nothing more to wait for."""
        return self.state in ("done", "failed")

    async def update(self, **values: Any) -> None:
        """Set fields, and wake who waits for them."""
        async with self.changed:
            for name, value in values.items():
                setattr(self, name, value)
            self.changed.notify_all()

    async def changes(self) -> AsyncIterator[tuple[str, str]]:
        """(state, text) now and whenever it changes, until the job is over."""
        last = None
        while True:
            now = (self.state, self.progress)
            if now != last:
                last = now
                yield now
            if self.over:
                return
            async with self.changed:
                if (self.state, self.progress) == last:
                    await self.changed.wait()


class Jobs:
    """All jobs of one server."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._turn = asyncio.Lock()
        self._spare: asyncio.subprocess.Process | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def find(self, key: str) -> Job | None:
        """The job of a request's key, if it is remembered."""
        return self._jobs.get(key)

    def ask(self, request: ReportRequest) -> Job:
        """The job of the request; a new one where it failed or was stopped before. SolverError if too many wait."""
        known = self._jobs.get(request.key)
        if known is not None and not (known.state == "failed" or (known.over and known.stopping)):
            self._jobs.move_to_end(request.key)
            return known
        if sum(not job.over for job in self._jobs.values()) >= WAITING:
            raise SolverError("too many computations are queued; stop one, or try again later")
        job = Job(request)
        self._jobs[request.key] = job
        task = asyncio.create_task(self._run(job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        for key in [key for key, old in self._jobs.items() if old.over][: max(0, len(self._jobs) - KEPT)]:
            del self._jobs[key]
        return job

    async def stop(self, job: Job) -> None:
        """Ask the job to end with what is proved; kill its process if it does not."""
        if job.over:
            return
        job.stopping = True
        process = job.process
        if process is None or process.stdin is None:
            return
        await job.update(progress="stopping")
        with contextlib.suppress(OSError):
            process.stdin.write(b"stop\n")
            await process.stdin.drain()
        task = asyncio.create_task(_kill_after(process, PATIENCE))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def drop(self, job: Job) -> None:
        """End the job at once, without an answer."""
        if job.over:
            return
        job.stopping = True
        if job.process is not None and job.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                job.process.kill()

    async def prepare(self) -> None:
        """Start the process that the next request is given to, so that it need not wait for that."""
        if self._spare is None or self._spare.returncode is not None:
            self._spare = await _started()

    def _prepare_soon(self) -> None:
        task = asyncio.create_task(self.prepare())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End everything."""
        spare, self._spare = self._spare, None
        if spare is not None and spare.returncode is None:
            spare.kill()
            await spare.wait()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, job: Job) -> None:
        async with self._turn:
            if job.stopping:
                await _fail(job, "stopped before it started")
                return
            try:
                await asyncio.wait_for(self._work(job), HARD_LIMIT)
            except TimeoutError:
                await _fail(job, f"time limit of {HARD_LIMIT:.0f} seconds reached; the command line has none")
            except (OSError, ValueError) as error:
                await _fail(job, f"the computation could not be run: {type(error).__name__}")
            finally:
                self._prepare_soon()

    async def _work(self, job: Job) -> None:
        process, self._spare = self._spare, None
        if process is None or process.returncode is not None:
            process = await _started()
        job.process = process
        try:
            await job.update(state="working", progress="starting")
            await _converse(job, process)
            if not job.over:
                await process.wait()
                ended = f"the computation ended without an answer (exit code {process.returncode}); nothing was proved"
                await _fail(job, ended)
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            await process.wait()


async def _started() -> asyncio.subprocess.Process:
    """A process that waits for a request."""
    command = (sys.executable, "-P", "-m", "deltachain.web.worker")  # -P: no import from the current folder
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, limit=LARGEST_LINE
    )


async def _converse(job: Job, process: asyncio.subprocess.Process) -> None:
    """Send the request; receive progress and the answer."""
    if process.stdin is None or process.stdout is None:
        raise ValueError("a process without pipes")
    with contextlib.suppress(OSError):
        process.stdin.write(json.dumps(asdict(job.request)).encode() + b"\n")
        await process.stdin.drain()
    while line := await process.stdout.readline():
        message = json.loads(line)
        if "progress" in message and not job.stopping:
            await job.update(progress=str(message["progress"]))
        elif "result" in message:
            await job.update(state="done", progress="done", result=message["result"])
            return
        elif "error" in message:
            await job.update(state="failed", progress="failed", errors=message["error"])
            return


async def _fail(job: Job, what: str) -> None:
    await job.update(state="failed", progress="failed", errors=[defect_message(Defect("", what))])


async def _kill_after(process: asyncio.subprocess.Process, seconds: float) -> None:
    await asyncio.sleep(seconds)
    with contextlib.suppress(ProcessLookupError):
        if process.returncode is None:
            process.kill()
