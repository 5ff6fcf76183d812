"""How a verb speaks: the result alone on standard output, notes and progress on standard error."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from ..cancel import Cancel
from ..errors import DeltachainError
from ..render.document import rendered
from ..render.progress import Progress
from ..render.table import printable


def add_output(parser: argparse.ArgumentParser) -> None:
    """``--json``, ``--brief``, ``-q``, ``-v``."""
    group = parser.add_argument_group("output")
    shape = group.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON object; an error is one too")
    shape.add_argument("--brief", action="store_true", help="print the one line that answers")
    loudness = group.add_mutually_exclusive_group()
    loudness.add_argument("-q", "--quiet", action="store_true", help="no notes and no progress")
    loudness.add_argument(
        "-v", "--verbose", action="store_true", help="progress as plain lines, every defect, and tracebacks"
    )
    parser.set_defaults(delivered=False, progress=None)


@contextmanager
def work_of(args: argparse.Namespace, timeout: float | None = None) -> Iterator[Cancel]:
    """The one token of a command's work: its deadline, and its progress line."""
    with Progress(quiet=args.quiet, verbose=args.verbose) as args.progress:
        yield Cancel(timeout, args.progress.update)


def note(args: argparse.Namespace, text: str) -> None:
    """Say something that is not the result, on standard error, unless ``-q`` was given."""
    if not args.quiet:
        if args.progress is not None:
            args.progress.erase()
        print(f"deltachain: note: {printable(text)}", file=sys.stderr)


def deliver(
    args: argparse.Namespace,
    document: Callable[[], Mapping[str, object]],
    headline: str,
    details: Callable[[], str],
    write: Callable[[], Sequence[str]] = lambda: (),
) -> None:
    """Write the files, then print the result in the form that was asked for: ``| head -1`` must not lose a proof.

    ``write`` returns what there is to say of the files, after the result. A file that cannot be written is an error,
    but the result is printed all the same.
    """
    try:
        written = write()
    except (DeltachainError, OSError, KeyboardInterrupt):
        _print(args, document, headline, details)
        raise
    _print(args, document, headline, details)
    for text in written:
        note(args, text)


def _print(
    args: argparse.Namespace,
    document: Callable[[], Mapping[str, object]],
    headline: str,
    details: Callable[[], str],
) -> None:
    args.delivered = True
    if args.json:
        print(rendered(document()), flush=True)
        return
    more = "" if args.brief else details()
    print("\n\n".join(filter(None, [headline, more])), flush=True)
