"""``deltachain VERB …``: run the verb; turn what happens into an exit code and lines on standard error."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn, TextIO

from ..errors import CertificateRejected, DeltachainError, InputError, SolverError
from ..version import __version__
from .exits import EPILOG, Exit
from .parser import Parser

__all__ = ["VERBS", "build_parser", "main", "run"]

VERBS = (
    "delta",
    "check",
    "epsilon",
    "profile",
    "distance",
    "threshold",
    "verify",
    "trace",
    "info",
    "convert",
    "examples",
)
"""In the order of the help; each is a module of this package with ``add_parser`` and ``execute``."""


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = Parser(
        prog="deltachain",
        description="How private is a probabilistic system? Certified (ε, δ) bounds for Markov chains.",
        epilog=f"MODEL is a file, protocol.py:NAME, or example:NAME,key=value,… (deltachain examples).\n\n{EPILOG}",
    )
    parser.add_argument("--version", action="version", version=f"deltachain {__version__}")
    subparsers = parser.add_subparsers(title="verbs", metavar="VERB", dest="verb", required=True)
    for verb in VERBS:
        importlib.import_module(f".{verb}", __package__).add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Everything that can go wrong ends here, as a line on standard error."""
    try:
        args = build_parser().parse_args(argv)
    except SystemExit as stop:  # argparse has printed the usage error, the help or the version
        return stop.code if isinstance(stop.code, int) else Exit.BAD_INPUT
    verbose = bool(getattr(args, "verbose", False))
    try:
        code = int(args.execute(args))
        sys.stdout.flush()
    except Exception as error:
        return _failed(error, verbose)
    except KeyboardInterrupt:
        _say("interrupted; nothing was decided")
        return Exit.UNDECIDED
    return code


def _failed(error: Exception, verbose: bool) -> int:
    """Report the error; the exit code that it stands for."""
    if isinstance(error, BrokenPipeError):
        return Exit.BROKEN_PIPE
    if isinstance(error, InputError):
        lines = [str(defect) for defect in error.defects] if verbose else str(error).splitlines()
        for line in lines:
            _say(line)
        return Exit.BAD_INPUT
    if isinstance(error, SolverError):
        _say(str(error))
        return Exit.UNDECIDED
    if isinstance(error, CertificateRejected):
        _say(f"certificate rejected: {error}")
        return Exit.INTERNAL
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        _say(f"{place}{error.strerror or error}")
        return Exit.BAD_INPUT
    if isinstance(error, MemoryError):
        _say("out of memory; nothing was decided")
        return Exit.UNDECIDED
    if isinstance(error, DeltachainError):
        _say(str(error))
        return Exit.INTERNAL
    _say(f"internal error: {type(error).__name__}: {error}; please report" + ("" if verbose else " (-v shows where)"))
    if verbose:
        import traceback

        traceback.print_exception(error)
    return Exit.INTERNAL


def _say(message: str) -> None:
    # Nobody may be reading any more; the exit code still has to be the right one.
    with contextlib.suppress(OSError):
        print(f"deltachain: error: {message}", file=sys.stderr, flush=True)


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - lives as long as the process


def run() -> NoReturn:
    """The console script."""
    # A stream that the caller closed is None here, and print(file=None) would write to the other one.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ≤ gets \u2264: the sign is part of the result and must not be lost.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            # What is still buffered cannot be written; keep the interpreter from trying again on its way out.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if stream is sys.stdout and code == Exit.DONE:
                code = Exit.BROKEN_PIPE
    sys.exit(code)
