"""A server that holds the state at the call of `from_code`, and forks a clean process for each task.

It is forked before the function is called, and never calls it. Tasks and answers are JSON lines. A line of an answer
begins with its kind, ``+`` for an answer, ``.`` for progress, ``>`` for output, and the number of its task. A worker
that ends without an answer is the finding: exits, signals, time limits need no other path. Nothing that a worker sends
is read here; it goes to the caller as it is. Between answers the server gives signs of life, ``~``: without them the
caller could not tell it from one that was forked while a lock was held, and waits for that lock for ever.

The server is in a session of its own, so that Ctrl-C is the caller's, who closes the link; it ends with the caller and
its workers with it. What a worker leaves behind, processes that it started included, is killed after its answer.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from . import entropy
from .practice import warm_up
from .processes import (
    SET_CHILD_SUBREAPER,
    SET_PARENT_DEATH_SIGNAL,
    call_prctl,
    detach,
    places_of_output,
    prepare,
    send_output_to,
    silence,
)
from .recording import Subject
from .wire import Json

ANSWER, PROGRESS, OUTPUT, PULSE = b"+", b".", b">", b"~"

TICK = 0.05
"""Seconds between two looks at what workers need."""

SUSPICIOUS = 1.0
"""A worker that has used no time of the processor for so many seconds, and said nothing, may wait for a thread that a
fork does not copy."""

PULSE_SECONDS = 1.0
"""Between two signs of life of a server that has work."""

MOST_WAITS = 200
"""Milliseconds that a worker which has closed its pipe may take to end."""

MOST_KILLED = 5_000
"""Milliseconds that a process which was killed may take to be gone: one that waits for a disk may take for ever."""

leave = os._exit
"""As it is before any code may put something else in its place: a worker that went on would be a second server."""

MOST_OUTPUT = 1 << 16
"""So many bytes of what the first call prints are passed on."""


@dataclass(frozen=True)
class Limits:
    """What ends a worker from outside."""

    seconds: float = 10.0
    """Without a sign of life."""
    megabytes: int = 2048
    """Beyond what the caller has."""
    jobs: int = min(2, os.cpu_count() or 1)


def can_fork() -> bool:
    """Whether processes can be forked here, and looked after: on Linux."""
    return hasattr(os, "fork") and sys.platform == "linux"


def native_threads() -> int:
    """How many threads this process has, those of libraries included."""
    return sum(1 for _ in Path("/proc/self/task").iterdir()) if can_fork() else 1


@dataclass
class Working:
    """A worker, as its server sees it."""

    pid: int
    number: int
    pipe: int
    probing: bool
    heard: float
    moved: float
    """When it was last seen to use the processor."""
    came: bytearray = field(default_factory=bytearray)
    ticks: int = 0
    """Time of the processor that it had used then."""
    outputs: dict[int, bytearray] = field(default_factory=dict)
    answered: bool = False


class ForkServer:
    """The server's side of the link."""

    def __init__(self, link: socket.socket, subject: Subject, limits: Limits, *, threaded: bool) -> None:
        self._link, self._subject, self._limits, self._threaded = link, subject, limits, threaded
        self._selector = selectors.DefaultSelector()
        self._todo: deque[tuple[int, bytes]] = deque()
        self._working: dict[int, Working] = {}
        self._pipes: dict[int, Working] = {}
        self._abandoned: set[int] = set()
        """Children that were killed and are still there."""
        self._incoming, self._outgoing = bytearray(), bytearray()
        self._waiting_to_send = self._warm = False
        self._resident = 0
        self.places = places_of_output()
        # Standard input of workers: a pipe that stays empty, so that who reads it waits, and is ended.
        self._empty, self._never_written = os.pipe()

    def serve(self) -> None:
        """Do what the caller asks for, until the link is closed."""
        gc.freeze()  # a collection in a worker would copy every page that it marks
        self._resident = resident_megabytes("self")  # and of every worker that begins
        self._link.setblocking(False)
        self._selector.register(self._link, selectors.EVENT_READ)
        looked = pulse = time.monotonic()
        self._answer(PULSE, 0, b"")
        self._send()
        while True:
            for key, events in self._selector.select(TICK if self._working else None):
                if key.fileobj is not self._link:
                    self._hear(key.fd)
                elif events & selectors.EVENT_READ and not self._take_in():
                    return
            now = time.monotonic()
            if now - looked >= TICK:
                looked = now
                for worker in list(self._working.values()):
                    self._look_at(worker, now)
            if self._working and now - pulse >= PULSE_SECONDS:
                pulse = now
                self._answer(PULSE, 0, b"")
            while self._todo and len(self._working) < self._limits.jobs:
                self._start(*self._todo.popleft())
            if self._working and not self._warm:
                self._warm_up()
            self._send()

    def _warm_up(self) -> None:
        """Get ready for those that confirm, while the first worker records."""
        warm_up()
        gc.freeze()
        self._warm = True

    def close(self) -> None:
        """End all workers."""
        self._todo.clear()
        for worker in list(self._working.values()):
            self._end(worker)

    # The link.

    def _take_in(self) -> bool:
        """Read tasks; False if the caller is gone."""
        try:
            part = self._link.recv(1 << 16)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if not part:
            return False
        self._incoming += part
        *lines, rest = self._incoming.split(b"\n")
        self._incoming = bytearray(rest)
        for line in lines:
            number, _, task = bytes(line).partition(b" ")
            if task:
                self._todo.append((int(number), task))
            else:  # everything is to be forgotten
                self.close()
        return True

    def _answer(self, kind: bytes, number: int, text: bytes) -> None:
        self._outgoing += b"%b%d %b\n" % (kind, number, text)

    def _send(self) -> None:
        with suppress(BlockingIOError):
            while self._outgoing:
                sent = self._link.send(self._outgoing[: 1 << 20])
                del self._outgoing[:sent]
        if bool(self._outgoing) is not self._waiting_to_send:
            self._waiting_to_send = bool(self._outgoing)
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._outgoing else 0)
            self._selector.modify(self._link, events)

    # Workers.

    def _start(self, number: int, task: bytes) -> None:
        recording = task.startswith(b'{"do": "record"')
        places: list[tuple[int, int]] = []
        try:
            for _ in range(3 if recording else 1):
                places.append(os.pipe())  # noqa: PERF401 - those that are open are closed if one more is too many
            pid = os.fork()
        except OSError as error:  # too many processes or files, or too little memory
            for place in chain.from_iterable(places):
                os.close(place)
            self._answer(ANSWER, number, json.dumps({"ended": "unforked", "why": str(error.strerror)}).encode())
            return
        (into, out), *outputs = places
        if pid == 0:
            try:
                self._link.close()
                self._selector.close()
                os.close(self._never_written)
                work(self._subject, task, number, out, [end for _, end in outputs], self._empty, self.places)
            finally:
                leave(1)
        os.close(out)
        with suppress(OSError):  # it may have done so itself, or have ended
            os.setpgid(pid, pid)
        now = time.monotonic()
        worker = Working(pid, number, into, recording and self._threaded, now, now)
        self._working[pid] = worker
        self._pipes[into] = worker
        self._selector.register(into, selectors.EVENT_READ)
        for end, theirs in outputs:
            os.close(theirs)
            worker.outputs[end] = bytearray()
            self._pipes[end] = worker
            self._selector.register(end, selectors.EVENT_READ)

    def _hear(self, pipe: int) -> None:
        worker = self._pipes.get(pipe)
        if worker is None:  # it was ended by another of its pipes
            return
        part = os.read(pipe, 1 << 16)
        if pipe != worker.pipe:
            if part:
                worker.outputs[pipe] += part[: max(0, MOST_OUTPUT - len(worker.outputs[pipe]))]
            else:
                self._forget_pipe(pipe)
            return
        worker.heard = time.monotonic()
        if not part:
            self._end(worker, {"ended": "exit"})
            return
        worker.came += part
        if b"\n" not in part:
            return
        *lines, rest = worker.came.split(b"\n")
        worker.came = bytearray(rest)
        for line in lines:
            if line[:1] == ANSWER:
                worker.answered = True
                self._pass_on_output(worker)
            self._answer(bytes(line[:1]), worker.number, bytes(line[1:]))
        if worker.answered:
            self._end(worker)
        else:
            worker.probing = False  # it was heard: threads do not keep it from running

    def _pass_on_output(self, worker: Working) -> None:
        if not worker.outputs:
            return
        for pipe in [pipe for pipe in worker.outputs if pipe in self._pipes]:
            os.set_blocking(pipe, False)
            with suppress(BlockingIOError):
                # Whoever goes on printing does not keep this process here.
                while len(worker.outputs[pipe]) < MOST_OUTPUT and (part := os.read(pipe, 1 << 16)):
                    worker.outputs[pipe] += part[: max(0, MOST_OUTPUT - len(worker.outputs[pipe]))]
        texts = [bytes(output).decode("utf-8", "replace") for output in worker.outputs.values()]
        if any(texts):
            self._answer(OUTPUT, worker.number, json.dumps(texts).encode())
        worker.outputs = dict.fromkeys(worker.outputs, bytearray())

    def _look_at(self, worker: Working, now: float) -> None:
        """End a worker that needs too much, or that waits for a thread which is not there."""
        if resident_megabytes(worker.pid) > self._resident + self._limits.megabytes:
            self._end(worker, {"ended": "memory", "megabytes": self._limits.megabytes})
            return
        silent = now - worker.heard
        if silent > self._limits.seconds:
            self._end(worker, {"ended": "silent", "seconds": self._limits.seconds, "threaded": self._threaded})
        elif worker.probing:
            state, ticks = state_of(worker.pid)
            if ticks > worker.ticks or state != "S" or not waits_for_a_thread(worker.pid):
                worker.ticks, worker.moved = ticks, now
            elif now - worker.moved > SUSPICIOUS:
                self._end(worker, {"ended": "hung"})

    def _forget_pipe(self, pipe: int) -> None:
        self._selector.unregister(pipe)
        del self._pipes[pipe]
        os.close(pipe)

    def _end(self, worker: Working, finding: dict[str, Any] | None = None) -> None:
        """Kill a worker with everything that it left, and say how it ended."""
        del self._working[worker.pid]
        status = self._reap(worker.pid, at_once=finding is None or finding["ended"] != "exit")
        if finding is not None:
            if finding["ended"] == "exit":
                signalled = os.WIFSIGNALED(status)
                finding |= {"signal": signal.Signals(os.WTERMSIG(status)).name} if signalled else {}
                finding |= {} if signalled else {"code": os.WEXITSTATUS(status)}
            self._pass_on_output(worker)
            self._answer(ANSWER, worker.number, json.dumps(finding).encode())
        for pipe in (worker.pipe, *worker.outputs):
            if pipe in self._pipes:
                self._forget_pipe(pipe)

    def _reap(self, pid: int, *, at_once: bool) -> int:
        # A worker that has closed its pipe without an answer is about to end: how, is what is to be said.
        status = await_end(pid, 0 if at_once else MOST_WAITS)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        if status is None:
            status = kill_and_reap(pid) or signal.SIGKILL
        self._reap_strays()
        return status

    def _reap_strays(self) -> None:
        """Kill what left the group of its worker, and became a child of this process."""
        end = time.monotonic() + MOST_KILLED / 1000
        while time.monotonic() < end:  # processes that start others may be faster
            listed = read_about(f"self/task/{os.getpid()}/children").split()
            known = self._abandoned.union(self._working)
            strays = [stray for stray in map(int, listed) if stray not in known]
            if not strays:
                return
            self._abandoned |= {stray for stray in strays if kill_and_reap(stray) is None}


def await_end(pid: int, milliseconds: int) -> int | None:
    """The status of a child that has ended, or ends within this time; None if it goes on."""
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
        while not ended and milliseconds > 0:
            time.sleep(0.001)
            milliseconds -= 1
            ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:  # somebody else has asked, or children are not waited for at all
        return 0
    return status if ended else None


def kill_and_reap(pid: int) -> int | None:
    """End a child; its status, and None if it is not gone after `MOST_KILLED`."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
    return await_end(pid, MOST_KILLED)


def read_about(place: str) -> bytes:
    """What the kernel says of a process.

    After a fork, each page that is written to is copied: files of Python's would touch a hundred.
    """
    file = os.open(f"/proc/{place}", os.O_RDONLY)
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)


def resident_megabytes(pid: int | str) -> int:
    """Memory that a process holds; 0 if it is gone."""
    try:
        return int(read_about(f"{pid}/statm").split()[1]) * os.sysconf("SC_PAGESIZE") >> 20
    except (OSError, IndexError):
        return 0


def state_of(pid: int) -> tuple[str, int]:
    """Whether a process runs ("R"), sleeps ("S") or waits, and the time of the processor that it has used."""
    try:
        fields = read_about(f"{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return "X", 0
    return fields[0].decode(), int(fields[11]) + int(fields[12])


def waits_for_a_thread(pid: int) -> bool:
    """Whether a process waits for a lock, as far as that can be seen; one that sleeps or reads does not."""
    try:
        where = read_about(f"{pid}/wchan")
    except OSError:
        return True
    return where in (b"", b"0") or b"futex" in where


def work(
    subject: Subject, task: bytes, number: int, out: int, outputs: list[int], empty: int, places: list[int]
) -> None:
    """Do one task, answer, and end this process."""
    me = os.getpid()
    os.setpgid(0, 0)
    call_prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    os.dup2(empty, 0)
    if outputs:
        send_output_to(outputs[0], outputs[1], places)
        for end in outputs:
            os.close(end)
    effects = prepare(number)

    def tell(text: str) -> None:
        write_line(out, me, PROGRESS, text)

    try:
        answer = subject.answer(json.loads(task), tell, silence)
    except BaseException as error:
        answer = {"failed": "".join(traceback.format_exception(error))[-4000:], "type": type(error).__name__}
    if effects.found:
        answer["effects"] = list(effects.found)[:5]
    write_line(out, me, ANSWER, answer)
    leave(0)


def write_line(out: int, me: int, kind: bytes, content: Json) -> None:
    """Write a line, if this is still the process that was asked."""
    if os.getpid() != me:  # the code forked, and its child came back here
        leave(0)
    left = memoryview(kind + json.dumps(content).encode() + b"\n")
    while left:
        left = left[os.write(out, left) :]


def live_as_server(
    link: socket.socket, subject: Subject, limits: Limits, holders: list[dict[str, Any]], *, threaded: bool
) -> None:
    """The life of the server's process."""
    try:
        gc.freeze()  # what is garbage by now is the caller's to finalise: it may join threads, or remove files
        detach()
        os.setsid()
        server = ForkServer(link, subject, limits, threaded=threaded)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        send_output_to(null, null, server.places)
        os.close(null)
        call_prctl(SET_CHILD_SUBREAPER, 1)
        entropy.watch(holders)
        try:
            server.serve()
        finally:
            server.close()
    except BaseException:  # nobody would see it otherwise
        with suppress(OSError):
            link.setblocking(True)
            failed = json.dumps({"failed": traceback.format_exc()[-4000:], "type": "server"}).encode()
            link.sendall(b"%b%d %b\n" % (ANSWER, -1, failed))
            link.shutdown(socket.SHUT_WR)
            link.recv(1 << 20)
    finally:
        leave(0)
