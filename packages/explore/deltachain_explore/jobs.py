"""Computations of the explorer: one at a time, in a process that can be stopped; answers are kept by request.

A job outlives the tab that asked for it. Who sends the same request again gets the same job. A process that is killed,
or that does not stop when it is asked to, leaves a failed job and nothing else behind.

A process takes one request after the other, because starting one takes longer than an answer about a small model. While
a job takes longer than `SPARE_AFTER`, another process is started: whoever drops the job need not wait for that. There
are never more than two.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import asdict, dataclass, field
from typing import Any

from deltachain.errors import Defect, SolverError

from .report_request import ReportRequest, defect_message

KEPT = 32
"""Answers that are remembered."""
WAITING = 8
HARD_LIMIT = 90.0
"""Seconds after which a process is killed, whatever it does."""
PATIENCE = 10.0
"""Seconds that a process has to end when it is asked to."""
DROP_PATIENCE = 0.3
"""The same where nobody waits for the answer."""
SPARE_AFTER = 0.5
"""Seconds of a job after which another process is started, in case that this one is killed."""
MOST_IDLE = 2
"""Processes that can be idle at once: the one that has answered, and the spare that was started meanwhile."""
LARGEST_LINE = 64 * 2**20
WORKER = (sys.executable, "-P", "-m", "deltachain_explore.worker")  # -P: no import from the current folder
WAITING_TEXT, STARTING_TEXT = "waiting for another computation to end", "starting"


@dataclass
class ReportJob:
    """A request on its way to an answer. ``state``: waiting, working, done, failed."""

    request: ReportRequest
    state: str = "waiting"
    progress: str = WAITING_TEXT
    result: dict[str, Any] = field(default_factory=dict)
    errors: list[dict[str, Any]] = field(default_factory=list)
    worker: Worker | None = None
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    stopping: bool = False
    dropped: bool = False
    tabs: set[str] = field(default_factory=set)
    """Who asked, and has not dropped it since."""

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


class Worker:
    """A process that answers one request after the other; it is started once and ended once."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("a process without pipes")
        self._process, self._stdin, self._stdout = process, process.stdin, process.stdout

    @classmethod
    async def start(cls) -> Worker:
        """A new one, which loads what it needs before it reads its first request."""
        pipe = asyncio.subprocess.PIPE
        return cls(
            await asyncio.create_subprocess_exec(
                *WORKER, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, limit=LARGEST_LINE
            )
        )

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.returncode is None

    async def send(self, line: str) -> None:
        """Write a line to it; nothing happens if it has ended."""
        with contextlib.suppress(OSError):
            self._stdin.write(line.encode() + b"\n")
            await self._stdin.drain()

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """What it says, up to the answer of one request or the end of the process."""
        while line := await self._stdout.readline():
            message: dict[str, Any] = json.loads(line)
            yield message
            if message.keys() & {"result", "error"}:
                return

    async def end(self) -> int:
        """Kill it if it is alive; its exit code."""
        if self.alive:
            self.kill()
        return await self._process.wait()

    def kill(self) -> None:
        """End it at once, whatever it does."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()


class Jobs:
    """All jobs of one server."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """``sleep`` is the clock of everything that happens after some seconds."""
        self._sleep = sleep
        self._jobs: OrderedDict[str, ReportJob] = OrderedDict()
        self._turn = asyncio.Lock()
        self._idle: list[Worker] = []
        self._starting = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def find(self, key: str) -> ReportJob | None:
        """The job of a request's key, if it is remembered."""
        return self._jobs.get(key)

    def ask(self, request: ReportRequest, tab: str = "") -> ReportJob:
        """The job of the request; a new one where it failed or was stopped before. SolverError if too many wait."""
        known = self._jobs.get(request.key)
        if known is not None and not (known.state == "failed" or (known.over and known.stopping)):
            self._jobs.move_to_end(request.key)
            known.tabs.add(tab)
            return known
        if sum(not job.over for job in self._jobs.values()) >= WAITING:
            raise SolverError("too many computations are queued; stop one, or try again later")
        job = ReportJob(request, tabs={tab})
        self._jobs[request.key] = job
        self._begin(self._run(job))
        for key in [key for key, old in self._jobs.items() if old.over][: max(0, len(self._jobs) - KEPT)]:
            del self._jobs[key]
        return job

    async def stop(self, job: ReportJob) -> None:
        """Ask the job to end with what is proved; kill its process if it does not."""
        if job.over:
            return
        await job.update(stopping=True, progress="stopping")
        await self._interrupt(job, PATIENCE)

    async def drop(self, job: ReportJob, tab: str = "") -> None:
        """End the job at once, without an answer, unless another tab waits for it. A process that stops is kept."""
        job.tabs.discard(tab)
        if job.over or job.tabs:
            return
        job.stopping = job.dropped = True
        await _fail(job, "canceled: a newer question was asked")
        await self._interrupt(job, DROP_PATIENCE)

    async def _interrupt(self, job: ReportJob, patience: float) -> None:
        if job.worker is not None:
            await job.worker.send("stop")
            self._begin(self._kill_after(patience, job, job.worker))

    async def _kill_after(self, seconds: float, job: ReportJob, worker: Worker) -> None:
        """Kill the process if it still works on the job then."""
        await self._sleep(seconds)
        if job.worker is worker:
            worker.kill()

    async def prepare(self) -> None:
        """See to it that a process waits for the next request, so that it need not wait for one to start."""
        async with self._starting:
            self._idle = [worker for worker in self._idle if worker.alive]
            if not self._idle:
                self._idle.append(await Worker.start())

    async def close(self) -> None:
        """End everything."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for worker in self._idle:
            await worker.end()

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _run(self, job: ReportJob) -> None:
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
                self._begin(self.prepare())

    async def _work(self, job: ReportJob) -> None:
        """Let an idle process answer. One that was killed while it was idle may look alive yet: then another does."""
        for _ in range(1 + MOST_IDLE):
            heard, code = await self._let_answer(job)
            if heard or job.over or job.stopping:
                break
        if not job.over:
            what = f"the computation ended without an answer (exit code {code}); nothing was proved"
            await _fail(job, what)

    async def _let_answer(self, job: ReportJob) -> tuple[bool, int | None]:
        """Let one process answer: whether it said anything, and its exit code; None where it is idle again."""
        await self.prepare()
        worker, code, heard = self._idle.pop(), None, False
        job.worker, free = worker, False
        spare = self._begin(self._spare(job))
        try:
            await job.update(state="working", progress=STARTING_TEXT)
            heard, free = await _converse(job, worker)
        finally:
            spare.cancel()
            job.worker = None
            if free:
                self._idle.append(worker)  # taken first: it has loaded more than a spare
            else:
                code = await worker.end()
        return heard, code

    async def _spare(self, job: ReportJob) -> None:
        async with job.changed:
            await job.changed.wait_for(lambda: job.progress not in (WAITING_TEXT, STARTING_TEXT))
        await self._sleep(SPARE_AFTER)
        # Who cancels this means the waiting alone: a process that has begun to start is kept.
        await asyncio.shield(self._begin(self.prepare()))


async def _converse(job: ReportJob, worker: Worker) -> tuple[bool, bool]:
    """Send the request; receive progress and the answer. Whether the process said anything; whether it waits now."""
    await worker.send(json.dumps(asdict(job.request)))
    heard = False
    async for message in worker.messages():
        heard = True
        if "progress" in message and not job.stopping:
            await job.update(progress=str(message["progress"]))
        if "result" in message and not job.dropped:
            await job.update(state="done", progress="done", result=message["result"])
        if "error" in message and not job.dropped:
            await job.update(state="failed", progress="failed", errors=message["error"])
        if message.keys() & {"result", "error"}:
            return True, "last" not in message
    return heard, False


async def _fail(job: ReportJob, what: str) -> None:
    if not job.over:
        await job.update(state="failed", progress="failed", errors=[defect_message(Defect("", what))])
