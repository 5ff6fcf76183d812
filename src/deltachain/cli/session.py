"""A command: what it is asked, how it speaks, and what its exit code says.

The result alone goes to standard output, notes and progress to standard error. Progress is one line that is rewritten
on a terminal, plain lines elsewhere if asked for; nothing is shown in the first second, nothing is left on the screen
at the end, and there is no colour, so ``NO_COLOR`` is honoured. A verdict is never an accident: code 0 is returned
only when the whole result was written, and a reader that closes the pipe early (``| head``) gets 141, which no verdict
uses.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TextIO

from ..cancel import Cancel
from ..results.sections import Rendered, Section, as_text
from ..results.text import printable
from .options import Asked, Check, Option, switch

if TYPE_CHECKING:
    from ..model import Loaded
    from ..rational import ExpEpsilon


class Exit(IntEnum):
    """The process's exit code."""

    DONE = 0
    """Done; for a verdict: private."""
    VIOLATED = 1
    """Violated; for `threshold`: no."""
    BAD_INPUT = 2
    """Bad input or usage."""
    UNDECIDED = 3
    """The asked gap or verdict was not reached, or the run was interrupted."""
    REJECTED = 4
    """A certificate was rejected."""
    INTERNAL = 5
    """An internal error."""
    MISSING = 6
    """A backend or an extra is not installed."""
    BROKEN_PIPE = 141
    """Nobody read the result to its end; what shells report for SIGPIPE."""


EPILOG = """\
exit codes:
  0  done; for a verdict: private
  1  violated; for threshold: no
  2  bad input or usage
  3  undecided: the asked gap or verdict was not reached
  4  a certificate was rejected
  5  internal error
  6  a backend or an extra is not installed
"""


SEVERITY = (Exit.INTERNAL, Exit.MISSING, Exit.REJECTED, Exit.BAD_INPUT, Exit.UNDECIDED, Exit.VIOLATED, Exit.DONE)
"""The worst first: what a sweep returns whose rows failed in several ways."""

JSON = switch("--json", help="print one JSON object; an error is one too", group="output", exclusive="shape")
BRIEF = switch("--brief", help="print the one line that answers", group="output", exclusive="shape")
QUIET = switch("-q", "--quiet", help="no notes and no progress", group="output", exclusive="loudness")
VERBOSE = switch(
    "-v",
    "--verbose",
    help="progress as plain lines, every defect, and tracebacks",
    group="output",
    exclusive="loudness",
)
OUTPUT = (JSON, BRIEF, QUIET, VERBOSE)

SETTINGS = {"to_dict()": "--json", "save()": "--out", "secrets": "--secret"}
"""Names of the library that have another one on the command line."""


def option_name(name: str) -> str:
    """The option of a parameter that the library names: ``max_states`` → --max-states."""
    return SETTINGS.get(name, "--" + name.replace("_", "-"))


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


class Session:
    """One command: how loud it is, and its progress line."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._quiet, self._verbose = quiet, verbose
        self._progress: Progress | None = None

    @contextmanager
    def work(self, timeout: float | None = None) -> Iterator[Cancel]:
        """The one token of a command's work: its deadline, and its progress line."""
        with Progress(quiet=self._quiet, verbose=self._verbose) as self._progress:
            yield Cancel(timeout, self._progress.update)

    def note(self, text: str) -> None:
        """Say something that is not the result, on standard error, unless ``-q`` was given."""
        if not self._quiet:
            if self._progress is not None:
                self._progress.erase()
            print(f"deltachain: note: {printable(text)}", file=sys.stderr)


@dataclass(frozen=True, repr=False)
class Shown(Rendered):
    """A result of the command line alone: a headline, sections, and the keys of its document.

    Attributes:
        line: the headline; the sections are left out with ``--brief``.
        parts: makes the sections.
        body: makes the keys.
    """

    line: str
    parts: Callable[[], Sequence[Section]]
    body: Callable[[], dict[str, Any]]

    @property
    def headline(self) -> str:
        """The one line that answers."""
        return self.line

    def sections(self) -> Sequence[Section]:
        """What follows it."""
        return self.parts()

    def to_dict(self) -> dict[str, Any]:
        """The keys of the document."""
        return self.body()


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a verb answers: a result that shows itself, and what goes with it.

    Attributes:
        result: what is printed.
        code: the exit code.
        model: the model, for the JSON document.
        at: the e^ε that was asked for, likewise.
        body: keys of the document that are not the result's own.
        left_out: the result's parts that a file has instead: keys of the document, and the sections.
        files: writers of the files that were asked for, in order; each returns what to say of its file.
        notes: what to say after the result.
        silent: print nothing: the result went to standard output already.
    """

    result: Rendered
    code: int = Exit.DONE
    model: Loaded | None = None
    at: ExpEpsilon | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    left_out: Sequence[str] = ()
    files: Sequence[Callable[[], str]] = ()
    notes: Sequence[str] = ()
    silent: bool = False


@dataclass(frozen=True)
class Verb:
    """A verb of the command line.

    Attributes:
        name: what it is called.
        summary: one line of help.
        examples: commands, one per line.
        options: in the order of the help; those of `OUTPUT` are added.
        run: answers what is asked.
        check: what can be wrong with several options together, before any work.
        output: the options about how to print.
    """

    name: str
    summary: str
    examples: str
    options: Sequence[Option[Any]]
    run: Callable[[Asked, Session], Reply]
    check: Check | None = None
    output: Sequence[Option[Any]] = OUTPUT

    @property
    def all_options(self) -> tuple[Option[Any], ...]:
        """Its own, and how to print."""
        return (*self.options, *self.output)


def printed(verb: str, reply: Reply, asked: Asked, seconds: float) -> str:
    """The result in the form that was asked for."""
    if asked.get(JSON):
        from ..results.document import document, rendered

        body = {key: part for key, part in reply.result.document().items() if key not in reply.left_out}
        body |= reply.body
        return rendered(
            document(f"deltachain.{verb}/1", body, model=reply.model, exp_epsilon=reply.at, seconds=seconds)
        )
    sections = () if asked.get(BRIEF) or reply.left_out else reply.result.sections()
    return as_text(reply.result.headline, sections, option_name)
