"""``deltachain VERB …``: what a verb is and answers; run it, print, and turn what happens into an exit code.

The result alone goes to standard output, notes and progress to standard error. A verdict is never an accident: code 0
is returned only when the whole result was written, and a reader that closes the pipe early (``| head``) gets 141, which
no verdict uses. With ``--json`` an error is a JSON object on standard output too: ``{"error": {"kind", "messages"}}``.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import registry
from ..cancel import Cancel
from ..errors import (
    SHOWN_DEFECTS,
    CertificateRejected,
    Defect,
    DeltachainError,
    InputError,
    SolverError,
    exit_code,
    is_out_of_memory,
    shortened_words,
)
from ..files import to_standard_output
from ..results.document import document, render_document
from ..results.sections import Rendered, Section, as_text, assumption_section
from ..results.text import printable
from ..version import __version__
from .main import INTERRUPTED, OUT_OF_MEMORY
from .options import Asked, Check, Option, Parser, Usage, add_to, read, switch
from .progress import Progress

if TYPE_CHECKING:
    from ..model import Loaded
    from ..numbers.fraction import ExpEpsilon


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
MODEL is a file, protocol.py:NAME, or example:NAME,key=value,… (deltachain examples).

exit codes:
  0  done; for a verdict: private
  1  violated; for threshold: no
  2  bad input or usage
  3  undecided: the asked gap or verdict was not reached
  4  a certificate was rejected
  5  internal error
  6  a backend or an extra is not installed
"""

JSON = switch("--json", explained="print one JSON object, also for errors", group="output", exclusive="shape")
BRIEF = switch("--brief", explained="print only the line with the answer", group="output", exclusive="shape")
QUIET = switch("-q", "--quiet", explained="print no notes and no progress", group="output", exclusive="loudness")
LOUD = "print progress as plain lines, exact fractions, every defect, and tracebacks"
VERBOSE = switch("-v", "--verbose", explained=LOUD, group="output", exclusive="loudness")
OUTPUT = (JSON, BRIEF, QUIET, VERBOSE)

SETTINGS = {"from_code": "--execute", "to_dict()": "--json", "save()": "--out", "secrets": "--secret"}
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


class Shown(Rendered):
    """A result of the command line alone: a headline, what makes its sections, and the keys of its document."""

    def __init__(
        self, line: str, body: Mapping[str, Any], sections: Callable[[], Sequence[Section]] = lambda: ()
    ) -> None:
        self._line, self._body, self._sections = line, body, sections

    @property
    def headline(self) -> str:
        """The one line that answers."""
        return self._line

    def sections(self) -> Sequence[Section]:
        """What follows it; left out with ``--brief``."""
        return self._sections()

    def to_dict(self) -> dict[str, Any]:
        """The keys of the document."""
        return dict(self._body)


File = tuple[Path | None, Callable[[Path], object]]
"""Where a file goes (None: it was not asked for), and what writes it; a text that it returns is what to say of it."""


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
        files: the files that were asked for, in order.
        notes: what to say after the result.
        silent: print nothing: the result went to standard output already.
    """

    result: Rendered
    code: int = Exit.DONE
    model: Loaded | None = None
    at: ExpEpsilon | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    left_out: Sequence[str] = ()
    files: Sequence[File] = ()
    notes: Sequence[str] = ()
    silent: bool = False

    def render(self, verb: str, asked: Asked, seconds: float) -> str:
        """The result in the form that was asked for."""
        if asked.get(JSON):
            body = {key: part for key, part in self.result.document().items() if key not in self.left_out}
            schema = f"deltachain.{verb}/2"
            return render_document(
                document(schema, body | dict(self.body), model=self.model, exp_epsilon=self.at, seconds=seconds)
            )
        sections = () if asked.get(BRIEF) or self.left_out else self.result.sections()
        assumes = self.result.assumes or (() if self.model is None else self.model.chain.assumes)
        more = () if asked.get(BRIEF) else assumption_section(assumes)
        return as_text(self.result.headline, (*sections, *more), option_name)


@dataclass(frozen=True)
class Verb:
    """A verb of the command line.

    Attributes:
        name: what it is called.
        examples: commands, one per line.
        options: in the order of the help; those of `OUTPUT` are added.
        run: answers what is asked.
        checks: what can be wrong with several options together, before any work.
        output: the options about how to print.
    """

    name: str
    examples: str
    options: Sequence[Option[Any]]
    run: Callable[[Asked, Session], Reply]
    checks: Sequence[Check] = ()
    output: Sequence[Option[Any]] = OUTPUT

    @property
    def all_options(self) -> tuple[Option[Any], ...]:
        """Its own, and how to print."""
        return (*self.options, *self.output)


def verb_named(name: str) -> Verb:
    """The verb; its module is imported when it is asked for, and of a measure the trunk makes it."""
    home = importlib.import_module(registry.verbs()[name].home)
    found: Verb = getattr(home, name.upper()) if hasattr(home, name.upper()) else home.MEASURE.command()
    return found


def build_parser(verbs: Collection[str] | None = None) -> argparse.ArgumentParser:
    """The command line, with the options of these verbs, or of all: the modules of others need not be imported."""
    what = "How private is a probabilistic system? Certified (ε, δ) bounds for Markov chains."
    parser = Parser(prog="deltachain", description=what, epilog=EPILOG)
    parser.add_argument("--version", action="version", version=f"deltachain {__version__}")
    subparsers = parser.add_subparsers(title="verbs", metavar="VERB", dest="command", required=True)
    for name, entry in registry.verbs().items():
        of_verb = subparsers.add_parser(name, help=entry.summary, description=entry.summary, others=_other_verbs)
        if verbs is None or name in verbs:
            verb = verb_named(name)
            lines = "\n".join(f"  {line}" for line in verb.examples.strip().splitlines())
            of_verb.epilog = f"examples:\n{lines}\n"
            add_to(of_verb, verb.all_options)
    return parser


def _other_verbs(option: str) -> list[str]:
    """The verbs that have an option."""
    return [name for name in registry.verbs() if any(option in known.flags for known in verb_named(name).all_options)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Everything that can go wrong ends here, as a line on standard error."""
    given = sys.argv[1:] if argv is None else list(argv)
    early = _early(given)
    try:
        raw = vars(build_parser(set(given) & set(registry.verbs())).parse_args(given))
        return _run(verb_named(raw["command"]), raw)
    except SystemExit as stop:  # argparse has printed the help or the version
        return stop.code if isinstance(stop.code, int) else Exit.BAD_INPUT
    except _AfterResult as after:  # with --json the result is the one object, and an error is text only
        return _report_failure(after.error, early.verbose, False)
    except Exception as error:
        return _report_failure(error, early.verbose, early.json)
    except KeyboardInterrupt:
        return _report(Exit.UNDECIDED, "interrupted", [INTERRUPTED], early.json)


def _early(given: Sequence[str]) -> argparse.Namespace:
    """How an error is to be reported, also one of the arguments themselves."""
    return argparse.Namespace(**{option.dest: not set(option.flags).isdisjoint(given) for option in (JSON, VERBOSE)})


class _AfterResult(Exception):
    """Something went wrong after the result was printed."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def _run(verb: Verb, raw: Mapping[str, Any]) -> int:
    """Read what is asked, answer it, write the files, then print: ``| head -1`` must not lose a proof."""
    started = time.perf_counter()
    asked = read(verb.all_options, raw, verb.checks)
    session = Session(quiet=asked[QUIET], verbose=asked[VERBOSE])
    try:
        reply = verb.run(asked, session)
    except InputError as error:
        error.defects = tuple(_at_option(defect, verb) for defect in error.defects)
        raise
    seconds = time.perf_counter() - started
    written: list[str] = []
    failed: Exception | None = None
    try:
        for path, write in reply.files:
            if path is not None:
                said = write(path)
                written.append(said if isinstance(said, str) else f"wrote {path}")
    except (DeltachainError, OSError) as error:  # the result is printed all the same
        failed = error
    except KeyboardInterrupt:
        failed = SolverError(INTERRUPTED)
    shown = [] if reply.silent else [reply.render(verb.name, asked, seconds)]
    with to_standard_output():
        print(*shown, sep="", end="\n" if shown else "", flush=True)
    if failed is not None:
        raise _AfterResult(failed)
    for text in (*written, *reply.notes):
        session.note(_with_options(text))
    return int(reply.code)


def _at_option(defect: Defect, verb: Verb) -> Defect:
    """The defect, at the option of the verb if the library names its parameter."""
    flag = option_name(defect.where)
    known = defect.where.isidentifier() and any(flag in option.flags for option in verb.all_options)
    return replace(defect, where=flag) if known else defect


KINDS = {2: "input", 3: "undecided", 4: "rejected", 5: "internal", 6: "missing"}
"""Exit code → what an error in JSON is called."""


def _report_failure(error: Exception, verbose: bool, as_json: bool) -> int:
    """Report the error; the exit code that it stands for."""
    if isinstance(error, BrokenPipeError):
        return Exit.BROKEN_PIPE
    code = exit_code(error)
    kind = "usage" if isinstance(error, Usage) else KINDS[code]
    messages = _messages(error, verbose)
    _report(code, kind, messages, as_json, len(messages) if verbose else SHOWN_DEFECTS)
    if verbose and not isinstance(error, DeltachainError | OSError | MemoryError):
        traceback.print_exception(error)
    return code


def _messages(error: Exception, verbose: bool) -> list[str]:
    if isinstance(error, InputError):
        return [str(defect) for defect in error.defects]
    if isinstance(error, CertificateRejected):
        return [f"certificate rejected: {error}"]
    if isinstance(error, DeltachainError):
        return [str(error)]
    if is_out_of_memory(error):
        return [OUT_OF_MEMORY]
    if isinstance(error, OSError):
        return [(f"{error.filename}: " if error.filename else "") + (error.strerror or str(error))]
    where = "" if verbose else " (-v shows where)"
    return [f"internal error: {type(error).__name__}: {error}; please report{where}"]


SETTING = re.compile(
    r"`(constants|from_code|jobs|max_nodes|max_states|normalise|observe|observe_labels|uniform_choice)`"
)


def _with_options(text: str) -> str:
    """Options in place of the library's parameters, and no word too long to be read."""
    return SETTING.sub(lambda found: option_name(found[1]), shortened_words(text))


def _report(code: int, kind: str, messages: Sequence[str], as_json: bool, most: int = SHOWN_DEFECTS) -> int:
    """Say what happened, one line per message, with options in place of the library's parameters; the exit code."""
    messages = [_with_options(message) for message in messages]
    # Nobody may be reading any more; the exit code still has to be the right one.
    with contextlib.suppress(OSError):
        if as_json:
            print(render_document({"error": {"kind": kind, "messages": messages}}), flush=True)
    hidden = [f"… and {len(messages) - most} more (-v shows them)"] if len(messages) > most else []
    with contextlib.suppress(OSError):
        for message in [*messages[:most], *hidden]:
            print(f"deltachain: error: {printable(message)}", file=sys.stderr, flush=True)
    return code


def finish(code: int) -> int:
    """Write out what is still buffered; the exit code, or 141 for a success that nobody read to its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            # What is still buffered cannot be written; keep the interpreter from trying again on its way out.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if stream is sys.stdout and code == Exit.DONE:
                code = Exit.BROKEN_PIPE
    return code
