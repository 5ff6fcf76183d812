"""When the explorer starts and ends its processes: by a clock that a test turns, with processes that only pretend."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from deltachain_explore import jobs as module
from deltachain_explore.jobs import DROP_PATIENCE, SPARE_AFTER, Jobs, ReportJob
from deltachain_explore.report_request import ReportRequest


class Pretended:
    """A process that says what a test tells it to."""

    def __init__(self) -> None:
        self.said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.heard: list[str] = []
        self.alive = True
        self.silent = False
        """Killed, which nobody has been told yet: its pipe is closed."""

    async def send(self, line: str) -> None:
        self.heard.append(line)

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        while self.alive and not self.silent:
            message = await self.said.get()
            yield message
            if message.keys() & {"result", "error"}:
                return

    async def end(self) -> int:
        self.kill()
        return -9

    def kill(self) -> None:
        self.alive = False
        self.said.put_nowait({"progress": "killed"})


class Bench:
    """Jobs, their processes, and their clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.sleeping: list[tuple[float, asyncio.Event]] = []
        self.processes: list[Pretended] = []
        self.jobs = Jobs(self.sleep)

        async def started() -> Pretended:
            self.processes.append(Pretended())
            return self.processes[-1]

        monkeypatch.setattr(module.Worker, "start", started)

    async def sleep(self, seconds: float) -> None:
        over = asyncio.Event()
        self.sleeping.append((self.now + seconds, over))
        await over.wait()

    async def pass_time(self, seconds: float) -> None:
        await self.settle()
        self.now += seconds
        for end, over in self.sleeping:
            if end <= self.now:
                over.set()
        await self.settle()

    async def settle(self) -> None:
        """Let everything happen that can happen now."""
        for _ in range(50):
            await asyncio.sleep(0)

    async def begin(self, text: str) -> ReportJob:
        """A job that a process has begun to work at."""
        job = self.jobs.ask(ReportRequest(text=text))
        await self.settle()
        assert isinstance(job.worker, Pretended)
        job.worker.said.put_nowait({"progress": "first bounds"})
        await self.settle()
        return job


def test_a_job_that_is_soon_done_leaves_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check() -> None:
        bench = Bench(monkeypatch)
        for text in ("coin", "survey", "crowds"):
            job = await bench.begin(text)
            await bench.pass_time(0.9 * SPARE_AFTER)
            bench.processes[0].said.put_nowait({"result": {"found": text}})
            await bench.pass_time(10 * SPARE_AFTER)
            assert (job.state, job.result) == ("done", {"found": text})
        assert len(bench.processes) == 1
        await bench.jobs.close()

    asyncio.run(check())


def test_a_job_that_takes_longer_has_one_spare(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check() -> None:
        bench = Bench(monkeypatch)
        job = await bench.begin("coin")
        await bench.pass_time(0.9 * SPARE_AFTER)
        assert len(bench.processes) == 1
        for _ in range(5):
            await bench.pass_time(SPARE_AFTER)
            assert len(bench.processes) == 2, "never more than two"
        bench.processes[0].said.put_nowait({"result": {}})
        await bench.settle()
        assert job.state == "done"
        assert all(process.alive for process in bench.processes)
        await bench.jobs.close()

    asyncio.run(check())


@pytest.mark.parametrize("ends", [True, False])
def test_a_job_that_is_dropped_has_a_while_to_end(monkeypatch: pytest.MonkeyPatch, ends: bool) -> None:
    async def check() -> None:
        bench = Bench(monkeypatch)
        job = await bench.begin("coin")
        await bench.jobs.drop(job)
        assert job.state == "failed"
        assert bench.processes[0].heard[-1] == "stop"
        if ends:
            bench.processes[0].said.put_nowait({"result": {}})
        await bench.pass_time(2 * DROP_PATIENCE)
        assert bench.processes[0].alive is ends
        assert job.result == {}, "nobody waits for it"
        await bench.begin("survey")
        assert len(bench.processes) == (1 if ends else 2)
        await bench.jobs.close()

    asyncio.run(check())


@pytest.mark.parametrize("dead", [1, 2, 10])
def test_a_process_that_was_killed_while_idle_fails_no_job(monkeypatch: pytest.MonkeyPatch, dead: int) -> None:
    """The kernel ends a process before we are told: it still looks alive when it is asked."""

    async def check() -> None:
        bench = Bench(monkeypatch)

        async def started() -> Pretended:
            process = Pretended()
            bench.processes.append(process)
            if len(bench.processes) <= dead:
                process.silent = True
            return process

        monkeypatch.setattr(module.Worker, "start", started)
        job = bench.jobs.ask(ReportRequest(text="coin"))
        await bench.settle()
        if dead > module.MOST_IDLE:
            assert job.state == "failed", "not tried for ever"
            assert "exit code -9" in job.errors[0]["what"]
        else:
            bench.processes[-1].said.put_nowait({"result": {"found": "coin"}})
            await bench.settle()
            assert (job.state, job.result) == ("done", {"found": "coin"})
        await bench.jobs.close()

    asyncio.run(check())
