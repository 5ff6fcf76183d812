"""Who runs the code: clean processes that are forked, fresh interpreters, or this process, which is not clean.

All of them are asked the same: a task, of which an answer comes back, both as JSON (`recording`). What ended a worker
from outside becomes an error here.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

from ..cancel import Cancel
from ..errors import Defect, InternalError
from . import entropy
from .processes import SET_CHILD_SUBREAPER, call_prctl, look_regularly, refused_by_guards, standard_places_taken
from .recording import Subject
from .server import (
    ANSWER,
    OUTPUT,
    PROGRESS,
    SUSPICIOUS,
    TICK,
    Limits,
    await_end,
    kill_and_reap,
    live_as_server,
    native_threads,
    state_of,
    waits_for_a_thread,
)
from .watching import CodeRefused, Stop
from .wire import Json

SERVER_SECONDS = 10.0
"""A server that has work, says nothing for so long, and has used no time of the processor meanwhile, is given up."""

CLOSE_MILLISECONDS = 2_000
"""How long a server may take to end its workers."""

AHEAD = 3
"""So many tasks per job are sent before their answers are read."""


class HangsAfterFork(Exception):
    """A forked worker waits for a thread that was not copied."""


class Workers:
    """Processes that do tasks."""

    how = ""
    """What they are, in words."""
    clean = True
    """Whether each task is done by a process in which the function was never called."""

    def __init__(self) -> None:
        self.one_by_one = False
        """Whether only one task may be done at a time: the code has effects beyond its process."""
        self.effects: dict[str, None] = {}
        """What the code does to files and other processes."""
        self.progress = ""
        """What a worker has said last of how far it is."""
        self.raised: BaseException | None = None
        """What the code raised last, as it is, if it ran in this process."""

    def answers(self, tasks: Iterable[Json], cancel: Cancel) -> Iterator[tuple[Json, Json]]:
        """Each task with its answer, in any order; those that are not read are ended.

        Raises:
            CodeRefused: the code ended its process, did not answer, or did what cannot be followed.
            HangsAfterFork: it has to be run in a fresh interpreter.
            Stopped: it was cancelled.
        """
        raise NotImplementedError

    def answer(self, task: Json, cancel: Cancel) -> Json:
        """What comes of one task."""
        for _, answer in self.answers([task], cancel):
            return answer
        raise InternalError("a task without an answer")

    def close(self) -> None:
        """End all processes."""

    def judge(self, task: Json, answer: Json) -> Json:
        """The answer, if the worker could give one; what it says of effects is kept."""
        for effect in answer.get("effects", ()):
            self.effects[effect] = None
            self.one_by_one = True
        if "refused" in answer:
            raise CodeRefused([Defect(*defect) for defect in answer["refused"]])
        if "ended" in answer:
            _refuse_ended(task, answer)
        if "failed" in answer:
            if answer["type"] in ("KeyboardInterrupt", "MemoryError", "RecursionError"):
                raise CodeRefused(Defect("", f"the code raises {answer['type']}", "let it catch that, or need less"))
            raise InternalError(f"a process that ran code failed: {answer['failed']}")
        return answer


def _refuse_ended(task: Json, answer: Json) -> NoReturn:
    """Say what ended a worker."""
    run = task.get("run")
    drawn = [] if run is None else [f"{text} ({file}:{line})" for _, file, line, _, _, text in run["draws"]]
    after = f", with the draws {'; '.join(drawn[:5])}" if drawn else ""
    if answer["ended"] == "hung":
        raise HangsAfterFork
    if answer["ended"] == "unforked":
        refuse_start_of_process(answer["why"])
    if answer["ended"] == "memory":
        what = f"the code takes more than {answer['megabytes']:,} MB beyond what this process holds{after}"
        raise CodeRefused(Defect("", what, "let it need less"))
    if answer["ended"] == "silent":
        what = f"the code gives no answer for {answer['seconds']:g} s{after}"
        fix = "let every call end; code that waits for a thread or a lock: isolate='spawn'"
        raise CodeRefused(Defect("", what, fix))
    if "signal" in answer:
        what = f"the process is ended by {answer['signal']} before the function is over{after}"
        raise CodeRefused(Defect("", what, "let the function return"))
    what = f"the process exits with {answer['code']} before the function is over{after}"
    raise CodeRefused(Defect("", what, "let the function return: no os._exit, and close no files but its own"))


def refuse_start_of_process(why: str | None) -> NoReturn:
    """Say that the machine gives no process for the code."""
    what = f"no process can be started for the code: {why or 'the system refuses'}"
    raise CodeRefused(Defect("", what, "end other processes, or allow more processes, open files or memory"))


def pass_on(texts: tuple[str, str]) -> None:
    """Print what the first call has printed."""
    for text, stream in zip(texts, (sys.stdout, sys.stderr), strict=True):
        if text and stream is not None:
            stream.write(text)
            stream.flush()


class ForkedWorkers(Workers):
    """Clean processes: forks of a process that was forked before the function was called."""

    how = "forks of this process"

    def __init__(self, subject: Subject, limits: Limits) -> None:
        super().__init__()
        self._limits = limits
        call_prctl(SET_CHILD_SUBREAPER, 0)  # what it needs is imported here, once
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # what is in their buffers would be printed by each process
                stream.flush()
        threaded, holders = native_threads() > 1, entropy.find_holders()
        self._came, self._outgoing = bytearray(), bytearray()
        self._number = 0
        self._has_printed = False
        with standard_places_taken(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of forks in a process with threads: whether it hangs is looked at
            self._link, theirs = socket.socketpair()
            try:
                self._pid = os.fork()
            except OSError as error:
                self._link.close()
                theirs.close()
                refuse_start_of_process(error.strerror)
            if self._pid == 0:
                self._link.close()
                live_as_server(theirs, subject, limits, holders, threaded=threaded)
        theirs.close()
        self._ended = self._heard = False
        self._moved, self._ticks = time.monotonic(), 0
        """When the server was last heard, or seen to use the processor, and the time of it that it had used then."""

    def answers(self, tasks: Iterable[Json], cancel: Cancel) -> Iterator[tuple[Json, Json]]:
        """As of all workers."""
        coming, waiting = iter(tasks), dict[int, Json]()
        more = True
        try:
            while True:
                most = 1 if self.one_by_one else AHEAD * self._limits.jobs
                while more and len(waiting) < most:
                    task = next(coming, None)
                    if task is None:
                        more = False
                        break
                    self._number += 1
                    waiting[self._number] = task
                    self._outgoing += b"%d %b\n" % (self._number, json.dumps(task).encode())
                    self._send(cancel)
                if not waiting:
                    return
                kind, number, content = self._line(cancel)
                if number == -1:
                    raise InternalError(f"the server of clean processes failed: {json.loads(content)['failed']}")
                if number not in waiting:
                    continue
                if kind == PROGRESS:
                    self.progress = json.loads(content)
                    cancel.report(self.progress)
                elif kind == OUTPUT:
                    if not self._has_printed:  # the code may be recorded more than once
                        pass_on(json.loads(content))
                    self._has_printed = True
                elif kind == ANSWER:
                    task = waiting.pop(number)
                    yield task, self.judge(task, json.loads(content))
        finally:
            if waiting:
                self._outgoing += b"0 \n"
                with suppress(OSError):  # what is not sent now is sent with the next task
                    self._send_some()

    def _send(self, cancel: Cancel) -> None:
        """Send all that is to be sent: what was cut off in the middle would be no line."""
        while self._outgoing:
            self._await(select.POLLOUT, cancel)
            try:
                self._send_some()
            except BlockingIOError:
                continue
            except OSError:
                _refuse_lost()

    def _send_some(self) -> None:
        sent = self._link.send(self._outgoing, socket.MSG_DONTWAIT)
        del self._outgoing[:sent]

    def _await(self, event: int, cancel: Cancel) -> None:
        """Wait until the link can be read or written, as long as the server lives.

        Its end of the link may be held by others that were forked meanwhile, so that nothing is seen of its end there.
        """
        poll = select.poll()  # `select` takes no file beyond 1,023
        poll.register(self._link, event)
        while True:
            cancel.check()
            if poll.poll(1000 * TICK):
                return
            self._look_at_server()

    def _look_at_server(self) -> None:
        """End the wait for a server that is gone, or that itself waits for what will not come."""
        if self._ended:
            _refuse_lost()
        self._ended = await_end(self._pid, 0) is not None
        if self._ended:
            return  # what it has said last is still to be read
        now = time.monotonic()
        state, ticks = state_of(self._pid)
        if ticks > self._ticks or state in "RD":
            self._moved, self._ticks = now, ticks
        silent = now - self._moved
        # Before its first sign of life it has nothing to wait for.
        if silent > (SERVER_SECONDS if self._heard else SUSPICIOUS) and state == "S" and waits_for_a_thread(self._pid):
            raise HangsAfterFork
        if silent > SERVER_SECONDS:
            _refuse_lost("the server that starts the code's processes gives no sign of life")

    def _line(self, cancel: Cancel) -> tuple[bytes, int, bytes]:
        """The next line that came."""
        searched = 0
        while (end := self._came.find(b"\n", searched)) < 0:
            searched = len(self._came)
            self._await(select.POLLIN, cancel)
            try:
                part = self._link.recv(1 << 18)
            except OSError:
                part = b""
            if not part:
                _refuse_lost()
            self._came += part
            self._heard, self._moved = True, time.monotonic()
        cancel.check()
        line = bytes(self._came[:end])
        del self._came[: end + 1]
        number, _, content = line[1:].partition(b" ")
        return line[:1], int(number), content

    def close(self) -> None:
        """End the server and all its workers."""
        self._link.close()
        if not self._ended and await_end(self._pid, CLOSE_MILLISECONDS) is None:
            kill_and_reap(self._pid)


def _refuse_lost(what: str = "the code ended the server that starts its processes") -> NoReturn:
    raise CodeRefused(Defect("", what, "let it send no signals to other processes"))


class ThisProcess(Workers):
    """This process, in which the function is called again and again: what it keeps may go unseen, and so may hangs."""

    how = "this process"
    clean = False

    def __init__(self, subject: Subject, seconds: float | None = None) -> None:
        """Without ``seconds``, a call may take as long as it does: somebody may be debugging it."""
        super().__init__()
        self._subject, self._seconds = subject, seconds
        self._put_back: Callable[[], None] | None = entropy.watch(entropy.find_holders())

    def answers(self, tasks: Iterable[Json], cancel: Cancel) -> Iterator[tuple[Json, Json]]:
        """As of all workers; the first one too."""
        heard = time.monotonic()

        def tell(text: str) -> None:
            nonlocal heard
            heard = time.monotonic()
            self.progress = text
            cancel.report(text)
            cancel.check()

        def look() -> None:
            cancel.check()
            if self._seconds is not None and time.monotonic() - heard > self._seconds:
                refused_by_guards(f"the code gives no answer for {self._seconds:g} s", "let every call end")
                raise Stop

        def keep(error: BaseException) -> None:
            self.raised = error

        for task in tasks:
            cancel.check()
            heard = time.monotonic()
            with look_regularly(look):
                answer: dict[str, Any] = self._subject.answer(task, tell, keep=keep)
            yield task, self.judge(task, answer)

    def close(self) -> None:
        """Put back what hands out random bytes."""
        if self._put_back is not None:
            self._put_back()
            self._put_back = None
