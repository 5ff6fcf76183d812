"""Computations of the explorer: one at a time, each in a process that can be stopped; answers are kept by question.

A job outlives the tab that asked for it. Whoever asks the same question again gets the same job. A process that is
killed, or that does not stop when it is asked to, leaves a job that failed and nothing else behind.
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

from ..errors import SolverError
from .questions import Question

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
    """A question on its way to an answer. ``state``: waiting, working, done, failed."""

    question: Question
    state: str = "waiting"
    told: str = "waiting for another computation to end"
    result: dict[str, Any] = field(default_factory=dict)
    errors: list[dict[str, Any]] = field(default_factory=list)
    process: asyncio.subprocess.Process | None = None
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    stopping: bool = False

    @property
    def over(self) -> bool:
        """Whether there is nothing more to wait for."""
        return self.state in ("done", "failed")

    async def say(self, **news: Any) -> None:
        """Set fields, and wake who waits for them."""
        async with self.changed:
            for name, value in news.items():
                setattr(self, name, value)
            self.changed.notify_all()

    async def news(self) -> AsyncIterator[tuple[str, str]]:
        """(state, text) now and whenever it changes, until the job is over."""
        last = None
        while True:
            now = (self.state, self.told)
            if now != last:
                last = now
                yield now
            if self.over:
                return
            async with self.changed:
                if (self.state, self.told) == last:
                    await self.changed.wait()


class Jobs:
    """All jobs of one server."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def find(self, key: str) -> Job | None:
        """The job of a question's key, if it is remembered."""
        return self._jobs.get(key)

    def ask(self, question: Question) -> Job:
        """The job of the question; a new one where it failed or was stopped before. SolverError if too many wait."""
        known = self._jobs.get(question.key)
        if known is not None and not (known.state == "failed" or (known.over and known.stopping)):
            self._jobs.move_to_end(question.key)
            return known
        if sum(not job.over for job in self._jobs.values()) >= WAITING:
            raise SolverError("too many computations are waiting; stop one, or try again later")
        job = Job(question)
        self._jobs[question.key] = job
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
        await job.say(told="stopping")
        with contextlib.suppress(OSError):
            process.stdin.write(b"stop\n")
            await process.stdin.drain()
        task = asyncio.create_task(_kill_after(process, PATIENCE))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End everything."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, job: Job) -> None:
        async with self._turn:
            if job.stopping:
                await _fail(job, "stopped before it began")
                return
            try:
                await asyncio.wait_for(self._work(job), HARD_LIMIT)
            except TimeoutError:
                await _fail(job, f"given up after {HARD_LIMIT:.0f} seconds; the command line has no such limit")
            except (OSError, ValueError) as error:
                await _fail(job, f"the computation could not be run: {type(error).__name__}")

    async def _work(self, job: Job) -> None:
        command = (
            sys.executable,
            "-P",
            "-m",
            "deltachain.web.worker",
        )  # -P: nothing is imported from the current folder
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, limit=LARGEST_LINE
        )
        job.process = process
        try:
            await job.say(state="working", told="starting")
            await _converse(job, process)
            if not job.over:
                await process.wait()
                ended = f"the computation ended without an answer (code {process.returncode}); nothing was decided"
                await _fail(job, ended)
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            await process.wait()


async def _converse(job: Job, process: asyncio.subprocess.Process) -> None:
    """Hand the question over; take progress and the answer."""
    if process.stdin is None or process.stdout is None:
        raise ValueError("a process without pipes")
    with contextlib.suppress(OSError):
        process.stdin.write(json.dumps(asdict(job.question)).encode() + b"\n")
        await process.stdin.drain()
    while line := await process.stdout.readline():
        message = json.loads(line)
        if "progress" in message and not job.stopping:
            await job.say(told=str(message["progress"]))
        elif "result" in message:
            await job.say(state="done", told="done", result=message["result"])
            return
        elif "error" in message:
            await job.say(state="failed", told="failed", errors=message["error"])
            return


async def _fail(job: Job, what: str) -> None:
    await job.say(state="failed", told="failed", errors=[{"where": "", "what": what, "fix": "", "line": None}])


async def _kill_after(process: asyncio.subprocess.Process, seconds: float) -> None:
    await asyncio.sleep(seconds)
    with contextlib.suppress(ProcessLookupError):
        if process.returncode is None:
            process.kill()
