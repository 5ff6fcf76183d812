"""Storm in one process that forks for every model, for tests: to load it takes longer than to read a small model.

Each model is still read in a process of its own, by the worker that users start, with its limits. With a token
of a test's own it is started as it is for users.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltachain.cancel import Cancel
from deltachain_storm import prism


def serve() -> None:
    """For each folder named on standard input, the exit code of a worker that answers the request in it."""
    from deltachain_storm import storm_worker
    from deltachain_storm.stormpy_models import load_stormpy

    with contextlib.suppress(Exception):  # a worker says what is wrong with it
        load_stormpy()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                sys.argv[1:] = [line.rstrip("\n")]
                storm_worker.main()
                code = 0
            os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


@contextlib.contextmanager
def served() -> Iterator[None]:
    """Models are read by a server, which is started for the first of them, and ended by what is cancelled."""
    alone, servers = prism._run, []

    def run(folder: Path, cancel: Cancel | None) -> int:
        if not _is_plain(cancel):
            return alone(folder, cancel)
        if cancel is not None:
            cancel.check()  # before there is anything to end
        if not servers:
            servers.append(_started())
        (server,) = servers
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            server.stdin.write(f"{folder}\n")
            server.stdin.flush()
            while not select.select([server.stdout], [], [], prism.POLL_SECONDS)[0]:
                if cancel is not None:
                    cancel.check()
            return int(server.stdout.readline())
        except BaseException:
            servers.clear()
            os.killpg(server.pid, signal.SIGKILL)
            server.communicate()
            raise

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(prism, "_run", run)
        yield
    for server in servers:
        server.communicate()


def _is_plain(cancel: Cancel | None) -> bool:
    """Whether neither the token, nor what it is within, is of a test's own."""
    return cancel is None or (type(cancel) is Cancel and _is_plain(cancel._within))


def _started() -> subprocess.Popen[str]:
    root = str(Path(__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {root!r}); from tests.storm_server import serve; serve()"
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    command = [sys.executable, "-P", "-c", code]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, encoding="utf-8", start_new_session=True)
