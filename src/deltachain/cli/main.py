"""The console script: from the first moment on, Ctrl-C ends it without a traceback.

Nothing of ours but this module and `memory`, which is small, is imported before the handler stands, so that a Ctrl-C
in the first tenth of a second, while the rest is still being imported, is as clean as a later one.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import sys
from types import FrameType
from typing import NoReturn, TextIO, cast

from ..memory import guard_imports

INTERRUPTED = "interrupted; nothing was decided"
OUT_OF_MEMORY = "out of memory; nothing was decided"
UNDECIDED, INTERNAL = 3, 5


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    """End now, in the words that a later interruption uses; nothing was computed that could be lost."""
    if "--json" in sys.argv:
        os.write(1, b'{"error": {"kind": "interrupted", "messages": ["%s"]}}\n' % INTERRUPTED.encode())
    os.write(2, f"deltachain: error: {INTERRUPTED}\n".encode())
    os._exit(UNDECIDED)


def _give_up(error: BaseException) -> NoReturn:
    """End now, for what was raised outside of a verb: left to the interpreter, it would be code 1, a verdict."""
    with contextlib.suppress(Exception):
        from ..errors import is_out_of_memory

        if not is_out_of_memory(error):
            sys.excepthook(type(error), error, error.__traceback__)
            os._exit(INTERNAL)
    os.write(2, f"deltachain: error: {OUT_OF_MEMORY}\n".encode())
    os._exit(UNDECIDED)


class _Closed(io.TextIOBase):
    """Standard output that the caller closed: to write there is an error, for a result that is lost is no success."""

    def __init__(self) -> None:
        os.open(os.devnull, os.O_WRONLY)  # takes the free number, so that no file of ours gets it

    def write(self, _text: str) -> int:
        """Refuse."""
        raise OSError(errno.EBADF, "it is closed, so the result was not written", "standard output")

    @property
    def buffer(self) -> NoReturn:
        """Refuse."""
        self.write("")
        raise AssertionError


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - lives as long as the process


def run() -> NoReturn:
    """Run the command line; the process ends with its exit code."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # not where Ctrl-C is ignored, as under nohup
        signal.signal(signal.SIGINT, _end)
    # A stream that the caller closed is None here, and print(file=None) would write to the other one.
    sys.stdout = sys.stdout or cast("TextIO", _Closed())
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ≤ gets \u2264: the sign is part of the result and must not be lost.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    try:
        guard_imports()
        from .command import finish, main

        if before is not None:
            signal.signal(signal.SIGINT, before)
        code = main()
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the verdict stands; what is left is to write it out
        code = finish(code)
    except KeyboardInterrupt:
        _end(signal.SIGINT, None)
    except SystemExit:
        raise
    except BaseException as error:  # whatever it is, it is no verdict
        _give_up(error)
    sys.exit(code)
