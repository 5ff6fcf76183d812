"""``--jobs N`` and ``--cluster ADDRESS``: where work runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from ..errors import Defect, InputError
from ..executors import workers

MOST_JOBS = 1024


def add_workers(parser: argparse.ArgumentParser, default: str) -> None:
    """``--jobs`` and ``--cluster``."""
    group = parser.add_argument_group("where it runs")
    group.add_argument("--jobs", metavar="N", help=f"processes of this machine to work in (default: {default})")
    text = "work on a Dask cluster: the address of its scheduler, such as tcp://host:8786, or local to start one"
    group.add_argument("--cluster", metavar="ADDRESS", help=text)


def worker_readers(args: argparse.Namespace) -> list[Callable[[], object]]:
    """Everything that can be wrong with these options."""
    return [lambda: jobs_of(args), lambda: _refuse_both(args)]


def jobs_of(args: argparse.Namespace) -> int | None:
    """``--jobs``; None if it was not given."""
    text: str | None = args.jobs
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 6 and 1 <= int(text) <= MOST_JOBS):
        raise InputError(Defect("--jobs", f"{text!r} is not a number of processes", f"give 1, 2, … {MOST_JOBS}"))
    return int(text)


def _refuse_both(args: argparse.Namespace) -> None:
    if args.jobs is not None and args.cluster not in (None, "local"):
        what = "the workers of a cluster are its own"
        raise InputError(Defect("--jobs", what, "leave it out, or give --cluster local"))


@contextmanager
def workers_of(args: argparse.Namespace, *, here: bool = False) -> Iterator[Executor | None]:
    """The executor asked for; None for this process, which is also the default if ``here``."""
    if here and args.jobs is None and args.cluster is None:
        yield None
        return
    with workers(jobs_of(args), args.cluster) as executor:
        yield executor
