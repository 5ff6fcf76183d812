"""How a command speaks: the result alone on standard output, notes and progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..cancel import Cancel
from ..formats import Loaded
from ..rational import ExpEpsilon
from ..results.document import document, rendered
from ..results.sections import Rendered, Section, as_text
from ..results.text import printable
from .exits import Exit
from .options import Asked, Check, Option, switch
from .progress import Progress

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
        body = {key: part for key, part in reply.result.document().items() if key not in reply.left_out}
        body |= reply.body
        return rendered(
            document(f"deltachain.{verb}/1", body, model=reply.model, exp_epsilon=reply.at, seconds=seconds)
        )
    sections = () if asked.get(BRIEF) or reply.left_out else reply.result.sections()
    return as_text(reply.result.headline, sections, option_name)
