"""Progress on standard error: one line that is rewritten on a terminal, plain lines elsewhere if asked for.

Nothing is shown in the first second, nothing is left on the screen at the end, and there is no colour, so ``NO_COLOR``
is honoured.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import TextIO

PATIENCE = 1.0
"""Seconds before anything is shown."""

REDRAW = 0.1
"""Seconds between two pictures of the rewritten line."""

PLAIN_INTERVAL = 1.0
"""Seconds between two plain lines."""


class Progress:
    """Says how far a computation has come, on standard error; a context manager that erases its line when it ends.

    ``update`` is cheap to call often: the text may be a function, which is called only when it is shown.
    ``quiet`` shows nothing; ``verbose`` shows plain lines where there is no terminal.
    """

    def __init__(
        self,
        *,
        quiet: bool = False,
        verbose: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._terminal = self._stream.isatty()
        self._shown = not quiet and (self._terminal or verbose)
        self._next = clock() + PATIENCE
        self._drawn = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *reason: object) -> None:
        self.erase()

    def update(self, text: str | Callable[[], str]) -> None:
        """Show ``text`` in place of the last one, if it is time to."""
        if not self._shown or self._clock() < self._next:
            return
        line = " ".join((text if isinstance(text, str) else text()).split())
        if self._terminal:
            self._redraw(line)
        else:
            self._write(f"deltachain: {line}\n")
        self._next = self._clock() + (REDRAW if self._terminal else PLAIN_INTERVAL)

    def erase(self) -> None:
        """Clear the line, so that something else may be printed; the next update draws it again."""
        if self._drawn:
            self._write("\r" + " " * self._drawn + "\r")
            self._drawn = 0

    def _redraw(self, line: str) -> None:
        # Blanks, not escape codes, clear the rest: they work on every terminal. A full line would wrap.
        line = line[: shutil.get_terminal_size().columns - 1]
        self._write("\r" + line.ljust(self._drawn))
        self._drawn = len(line)

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._shown = False  # nobody is listening; the computation goes on
