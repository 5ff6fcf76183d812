"""``deltachain VERB …``: run the verb; turn what happens into an exit code and lines on standard error.

With ``--json`` an error is a JSON object on standard output too: ``{"error": {"kind", "messages"}}``.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import SHOWN_DEFECTS, BackendMissing, CertificateRejected, DeltachainError, InputError, SolverError
from ..results.text import printable
from ..version import __version__
from .main import INTERRUPTED
from .options import Parser, Usage, add_to, read
from .session import EPILOG, JSON, QUIET, VERBOSE, Exit, Session, Verb, option_name, printed

VERBS = {
    "delta": "bounds",
    "check": "bounds",
    "estimate": "bounds",
    "epsilon": "bounds",
    "profile": "bounds",
    "sweep": "sweep",
    "report": "bounds",
    "explore": "explore",
    "distance": "distances",
    "threshold": "distances",
    "verify": "models",
    "trace": "trace",
    "info": "models",
    "convert": "models",
    "examples": "models",
}
"""In the order of the help: each verb and the module of this package that has it, under its name in capitals."""


def verb_named(name: str) -> Verb:
    """The verb; its module is imported when it is asked for."""
    found: Verb = getattr(importlib.import_module(f".{VERBS[name]}", __package__), name.upper())
    return found


def build_parser(verbs: Iterable[str] = VERBS) -> argparse.ArgumentParser:
    """The command line, of all verbs or of some: a verb that is not asked for need not be imported."""
    parser = Parser(
        prog="deltachain",
        description="How private is a probabilistic system? Certified (ε, δ) bounds for Markov chains.",
        epilog=f"MODEL is a file, protocol.py:NAME, or example:NAME,key=value,… (deltachain examples).\n\n{EPILOG}",
    )
    parser.add_argument("--version", action="version", version=f"deltachain {__version__}")
    subparsers = parser.add_subparsers(title="verbs", metavar="VERB", dest="command", required=True)
    for name in verbs:
        verb = verb_named(name)
        lines = "\n".join(f"  {line}" for line in verb.examples.strip().splitlines())
        of_verb = subparsers.add_parser(
            name, help=verb.summary, description=verb.summary, epilog=f"examples:\n{lines}\n", others=_other_verbs
        )
        add_to(of_verb, verb.all_options)
    return parser


def _other_verbs(option: str) -> list[str]:
    """The verbs that have an option."""
    return [name for name in VERBS if any(option in known.flags for known in verb_named(name).all_options)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Everything that can go wrong ends here, as a line on standard error."""
    given = sys.argv[1:] if argv is None else list(argv)
    early = _early(given)
    try:
        raw = vars(build_parser(given[:1] if given and given[0] in VERBS else VERBS).parse_args(given))
        return _run(verb_named(raw["command"]), raw)
    except SystemExit as stop:  # argparse has printed the help or the version
        return stop.code if isinstance(stop.code, int) else Exit.BAD_INPUT
    except _AfterResult as after:  # with --json the result is the one object, and an error is text only
        return _failed(after.error, early.verbose, False)
    except Exception as error:
        return _failed(error, early.verbose, early.json)
    except KeyboardInterrupt:
        return _report("interrupted", [INTERRUPTED], early.json)


def _early(given: Sequence[str]) -> argparse.Namespace:
    """How an error is to be reported, also one of the arguments themselves."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add_to(parser, (JSON, VERBOSE))
    return parser.parse_known_args(given)[0]


class _AfterResult(Exception):
    """Something went wrong after the result was printed."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def _run(verb: Verb, raw: Mapping[str, Any]) -> int:
    """Read what is asked, answer it, write the files, then print: ``| head -1`` must not lose a proof."""
    started = time.perf_counter()
    asked = read(verb.all_options, raw, verb.check)
    session = Session(quiet=asked[QUIET], verbose=asked[VERBOSE])
    reply = verb.run(asked, session)
    seconds = time.perf_counter() - started
    written: list[str] = []
    failed: Exception | None = None
    try:
        written += [write() for write in reply.files]
    except (DeltachainError, OSError) as error:  # the result is printed all the same
        failed = error
    except KeyboardInterrupt:
        failed = SolverError(INTERRUPTED)
    if not reply.silent:
        print(printed(verb.name, reply, asked, seconds), flush=True)
    sys.stdout.flush()
    if failed is not None:
        raise _AfterResult(failed)
    for text in (*written, *reply.notes):
        session.note(text)
    return int(reply.code)


def _failed(error: Exception, verbose: bool, as_json: bool) -> int:
    """Report the error; the exit code that it stands for."""
    if isinstance(error, BrokenPipeError):
        return Exit.BROKEN_PIPE
    if isinstance(error, InputError):
        messages = [str(defect) for defect in error.defects]
        shown = messages if verbose else messages[:SHOWN_DEFECTS]
        hidden = len(messages) - len(shown)
        kind = "usage" if isinstance(error, Usage) else "input"
        return _report(kind, messages, as_json, [*shown, f"… and {hidden} more (-v shows them)"] if hidden else shown)
    if isinstance(error, BackendMissing):
        return _report("missing", [str(error)], as_json)
    if isinstance(error, SolverError):
        return _report("undecided", [str(error)], as_json)
    if isinstance(error, CertificateRejected):
        return _report("rejected", [f"certificate rejected: {error}"], as_json)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return _report("input", [f"{place}{error.strerror or error}"], as_json)
    if isinstance(error, MemoryError):
        return _report("undecided", ["out of memory; nothing was decided"], as_json)
    if isinstance(error, DeltachainError):
        return _report("internal", [str(error)], as_json)
    where = "" if verbose else " (-v shows where)"
    code = _report("internal", [f"internal error: {type(error).__name__}: {error}; please report{where}"], as_json)
    if verbose:
        import traceback

        traceback.print_exception(error)
    return code


CODES = {
    "usage": Exit.BAD_INPUT,
    "input": Exit.BAD_INPUT,
    "undecided": Exit.UNDECIDED,
    "interrupted": Exit.UNDECIDED,
    "rejected": Exit.REJECTED,
    "internal": Exit.INTERNAL,
    "missing": Exit.MISSING,
}

SETTING = re.compile(r"`(constants|max_states|normalise|observe|observe_labels)`")


def _with_options(message: str) -> str:
    """The message with options in place of the parameters that the library names: ```max_states``` → --max-states."""
    return SETTING.sub(lambda found: option_name(found[1]), message)


def _report(kind: str, messages: Sequence[str], as_json: bool, shown: Sequence[str] | None = None) -> int:
    """Say what happened, one line a message, names spelled out; the exit code of its kind."""
    messages = [_with_options(message) for message in messages]
    # Nobody may be reading any more; the exit code still has to be the right one.
    with contextlib.suppress(OSError):
        if as_json:
            from ..results.document import rendered

            print(rendered({"error": {"kind": kind, "messages": list(messages)}}), flush=True)
    with contextlib.suppress(OSError):
        for message in messages if shown is None else shown:
            print(f"deltachain: error: {printable(_with_options(message))}", file=sys.stderr, flush=True)
    return CODES[kind]


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
