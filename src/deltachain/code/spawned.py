"""Fresh interpreters: each imports the function and does one task.

Where code hangs after a fork, or cannot be forked, its file is imported anew: by its name, or from its path if it was
run as a script or with ``--execute``. Arguments are pickled here and read there; what comes back is JSON.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from ..cancel import Cancel
from ..draws.source import RECORDING
from . import entropy
from .calls import Called
from .processes import places_of_output, prepare, send_output_to, silence
from .recording import Recipe, Subject
from .server import ANSWER, PROGRESS, PULSE, TICK, Limits, leave, resident_megabytes, write_line
from .watching import CodeRefused
from .wire import Json
from .workers import Workers, refuse_start_of_process

MAIN = "__main__"

START_SECONDS = 60.0
"""How long an interpreter may take until it knows what is to be done: a busy machine is not the code's fault."""

END_SECONDS = 2.0
"""How long an interpreter that was killed may take to be gone."""


def why_not_spawned(subject: Subject) -> str | None:
    """Why a fresh interpreter could not call the function; None if it can."""
    for what, function in (("the function", subject.calls[0].function), ("letter=", subject.letter)):
        if function is not None and find_name(function) is None:
            return f"{what} cannot be imported by its file and name"
    try:
        pickle.dumps([call.arguments for call in subject.calls])
    except Exception as error:
        return f"the arguments cannot be pickled: {error}"
    return None


def find_name(function: Callable[..., object]) -> list[str] | None:
    """The module, its file and the name in it that lead to the function; None if nothing does."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", "<locals>")
    home = sys.modules.get(str(module))
    file = getattr(home, "__file__", None)
    found: Any = home
    for part in name.split("."):
        found = getattr(found, part, None)
    if home is None or found is not function or (file is None and module == MAIN):
        return None
    return [str(module), file or "", name]


class FreshInterpreters(Workers):
    """One interpreter for each task."""

    how = "fresh interpreters"

    def __init__(self, subject: Subject, limits: Limits) -> None:
        super().__init__()
        self._limits = limits
        letter = subject.letter
        setup = {
            "path": sys.path,
            "function": find_name(subject.calls[0].function),
            "letter": None if letter is None else find_name(letter),
            "names": [call.name for call in subject.calls],
            "arguments": pickle.dumps([call.arguments for call in subject.calls]).hex(),
            "recipe": subject.recipe.__dict__,
        }
        self._setup = json.dumps(setup).encode() + b"\n"

    def answers(self, tasks: Iterable[Json], cancel: Cancel) -> Iterator[tuple[Json, Json]]:
        """As of all workers."""
        for task in tasks:
            yield task, self.judge(task, self._do(task, cancel))

    def _do(self, task: Json, cancel: Cancel) -> Json:
        cancel.check()
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "deltachain.code.spawned"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, RECORDING: "1"},
            )
        except OSError as error:
            refuse_start_of_process(error.strerror)
        lines: queue.Queue[bytes] = queue.Queue()
        given = self._setup + json.dumps(task).encode() + b"\n"
        # Both wait for the process, which may neither read nor end, while this thread looks at the time. Each closes
        # its own pipe: nobody else can while it is read or written.
        over = threading.Event()
        talking = [
            threading.Thread(target=_write, args=(process.stdin, given, over), daemon=True),
            threading.Thread(target=_read_lines, args=(process.stdout, lines), daemon=True),
        ]
        for thread in talking:
            thread.start()
        try:
            return self._heard(process, lines, cancel)
        finally:
            _end(process)
            over.set()
            for thread in talking:
                thread.join(END_SECONDS)  # it goes on if somebody else still holds the pipe

    def _heard(self, process: subprocess.Popen[bytes], lines: queue.Queue[bytes], cancel: Cancel) -> Json:
        """The answer of a process, or what ended it."""
        heard = time.monotonic()
        before = resident_megabytes("self")
        seconds = START_SECONDS
        while True:
            cancel.check()
            try:
                line = lines.get(timeout=TICK)
            except queue.Empty:
                if resident_megabytes(process.pid) > before + self._limits.megabytes:
                    return {"ended": "memory", "megabytes": self._limits.megabytes}
                if time.monotonic() - heard > seconds:
                    return {"ended": "silent", "seconds": seconds}
                continue
            heard, seconds = time.monotonic(), self._limits.seconds
            if not line:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(1.0)
                code = process.returncode
                if code is not None and code < 0:
                    return {"ended": "exit", "signal": signal.Signals(-code).name}
                return {"ended": "exit", "code": code}
            kind, content = line[:1], json.loads(line[1:])
            if kind == PROGRESS:
                self.progress = content
                cancel.report(content)
            elif kind == ANSWER:
                return content


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and everything that it started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)


def _write(pipe: Any, given: bytes, over: threading.Event) -> None:
    with suppress(BrokenPipeError), pipe:
        pipe.write(given)
        pipe.flush()
        over.wait()  # until then whoever reads more waits, and is ended


def _read_lines(pipe: Any, lines: queue.Queue[bytes]) -> None:
    with pipe:
        for line in pipe:
            lines.put(line)
        lines.put(b"")


# In the fresh interpreter.


def import_module_of(module: str, file: str) -> ModuleType:
    """The module that a function is in: by its name, or from its file if no import finds it."""
    if module != MAIN and module in sys.modules:
        return sys.modules[module]
    if module != MAIN:
        with suppress(ImportError):
            return importlib.import_module(module)
    spec = importlib.util.spec_from_file_location("__mp_main__" if module == MAIN else module, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported")
    found = importlib.util.module_from_spec(spec)
    sys.modules[found.__name__] = found
    if module == MAIN:
        sys.modules[MAIN] = found  # where pickles look for its classes
    spec.loader.exec_module(found)
    return found


def _function(place: list[str]) -> Callable[..., object]:
    module, file, name = place
    found: Any = import_module_of(module, file)
    for part in name.split("."):
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]


def subject_of(setup: Json) -> Subject:
    """The function and its secrets, imported and unpickled."""
    sys.path[:] = setup["path"]
    function = _function(setup["function"])
    letter = None if setup["letter"] is None else _function(setup["letter"])
    arguments = pickle.loads(bytes.fromhex(setup["arguments"]))  # noqa: S301 - of the process that started this one
    calls = [Called(name, given, function) for name, given in zip(setup["names"], arguments, strict=True)]
    return Subject(calls, letter, Recipe(**setup["recipe"]))


def main() -> None:
    """Read what is to be done from standard input, do it, and answer on standard output."""
    setup, task = (json.loads(sys.stdin.buffer.readline()) for _ in range(2))
    out, me = os.dup(1), os.getpid()
    null = os.open(os.devnull, os.O_RDWR)
    send_output_to(null, null, places_of_output())
    write_line(out, me, PULSE, "")

    def tell(text: str) -> None:
        write_line(out, me, PROGRESS, text)

    try:
        subject = subject_of(setup)
        entropy.watch(entropy.find_holders())
        effects = prepare(me)
        answer = subject.answer(task, tell, silence)
        if effects.found:
            answer["effects"] = list(effects.found)[:5]
    except CodeRefused as error:
        answer = {"refused": [[one.where, one.what, one.fix] for one in error.defects]}
    except BaseException as error:
        place = str(Path(setup["function"][1]).name)
        what = f"it cannot be imported in a fresh interpreter: {type(error).__name__}: {error}"[:500]
        answer = {
            "refused": [
                [place, what, "define it at the top of its file, and guard what runs it with if __name__ == '__main__'"]
            ]
        }
        if not isinstance(error, Exception | SystemExit):
            answer = {"failed": traceback.format_exc()[-4000:], "type": type(error).__name__}
    write_line(out, me, ANSWER, answer)
    leave(0)


if __name__ == "__main__":
    main()
