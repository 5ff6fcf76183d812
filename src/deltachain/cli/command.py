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
from collections.abc import Sequence

from ..errors import BackendMissing, CertificateRejected, DeltachainError, InputError, SolverError
from ..render.document import rendered
from ..render.table import printable
from ..version import __version__
from .exits import EPILOG, Exit
from .main import INTERRUPTED
from .parser import Parser, Usage

VERBS = (
    "delta",
    "check",
    "estimate",
    "epsilon",
    "profile",
    "sweep",
    "report",
    "explore",
    "distance",
    "threshold",
    "verify",
    "trace",
    "info",
    "convert",
    "examples",
)
"""In the order of the help; each is a module of this package with ``add_parser`` and ``execute``."""

SHOWN_DEFECTS = 20


def build_parser(verbs: Sequence[str] = VERBS) -> argparse.ArgumentParser:
    """The command line, of all verbs or of some: a verb that is not asked for need not be imported."""
    parser = Parser(
        prog="deltachain",
        description="How private is a probabilistic system? Certified (ε, δ) bounds for Markov chains.",
        epilog=f"MODEL is a file, protocol.py:NAME, or example:NAME,key=value,… (deltachain examples).\n\n{EPILOG}",
    )
    parser.add_argument("--version", action="version", version=f"deltachain {__version__}")
    subparsers = parser.add_subparsers(title="verbs", metavar="VERB", dest="verb", required=True)
    for verb in verbs:
        importlib.import_module(f".{verb}", __package__).add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Everything that can go wrong ends here, as a line on standard error."""
    given = sys.argv[1:] if argv is None else list(argv)
    as_json = "--json" in given
    verbose = "-v" in given or "--verbose" in given
    args = None
    try:
        args = build_parser(given[:1] if given and given[0] in VERBS else VERBS).parse_args(given)
        code = int(args.execute(args))
        sys.stdout.flush()
    except SystemExit as stop:  # argparse has printed the help or the version
        return stop.code if isinstance(stop.code, int) else Exit.BAD_INPUT
    except Exception as error:
        return _failed(error, verbose, as_json and not _delivered(args))
    except KeyboardInterrupt:
        return _report("interrupted", [INTERRUPTED], as_json and not _delivered(args))
    return code


def _delivered(args: argparse.Namespace | None) -> bool:
    """Whether the result was printed already: with ``--json`` it is the one object, and an error is text only."""
    return args is not None and bool(args.delivered)


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
    return SETTING.sub(lambda found: "--" + found[1].replace("_", "-"), message)


def _report(kind: str, messages: Sequence[str], as_json: bool, shown: Sequence[str] | None = None) -> int:
    """Say what happened, one line a message, names spelled out; the exit code of its kind."""
    messages = [_with_options(message) for message in messages]
    # Nobody may be reading any more; the exit code still has to be the right one.
    with contextlib.suppress(OSError):
        if as_json:
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
