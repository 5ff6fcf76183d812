"""The options that bound a search, and the files that its answer may be written to; all checked before any work."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ..errors import Defect, InputError
from ..rational import as_fraction
from .front_ends import reading_options
from .hiding import hiding_options
from .options import add_epsilon, add_model, add_pairs, exp_epsilon_of
from .output import add_output

LONGEST = 10**9
"""Seconds; more is a slip of the pen."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to be content, and when to give up."""

    gap: Fraction | None
    timeout: float | None
    max_nodes: int | None


def add_question(parser: argparse.ArgumentParser) -> None:
    """What ``delta`` and ``check`` share: the model, pairs, ε, the limits of the search, and where proofs go."""
    add_model(parser)
    add_pairs(parser)
    add_epsilon(parser)
    add_limits(parser)
    group = parser.add_argument_group("proofs")
    group.add_argument("--certificate", metavar="FILE", help="write the proof here; deltachain verify checks it")
    group.add_argument("--witness", metavar="FILE", help="write the event that tells the states apart here, as JSON")
    add_output(parser)


def add_limits(parser: argparse.ArgumentParser, *, gap: bool = True, each: str = "") -> None:
    """``--gap``, ``--timeout`` and ``--max-nodes``; ``each`` says what the last one counts for, if not for all."""
    group = parser.add_argument_group("how far to search")
    if gap:
        group.add_argument("--gap", metavar="G", help="be content with an interval at most G wide, say 1e-4")
    else:
        parser.set_defaults(gap=None)
    group.add_argument("--timeout", metavar="S", help="give up after S seconds, with the interval reached")
    group.add_argument(
        "--max-nodes", metavar="N", help=f"give up after N belief pairs{each}, with the interval reached"
    )


def refuse(readers: list[Callable[[], object]]) -> None:
    """InputError with the defects of every reader that raises one."""
    defects: list[Defect] = []
    for read in readers:
        try:
            read()
        except InputError as error:
            defects += error.defects
    if defects:
        raise InputError(defects)


def search_readers(args: argparse.Namespace) -> list[Callable[[], object]]:
    """Everything that can be wrong with the options of `add_question` before the model is read."""
    return [
        lambda: exp_epsilon_of(args),
        *limit_readers(args),
        lambda: refuse_unwritable(args, "--certificate", "--witness"),
    ]


def limit_readers(args: argparse.Namespace) -> list[Callable[[], object]]:
    """Everything that can be wrong with the options of `add_limits`."""
    return [lambda: _gap(args), lambda: timeout_of(args), lambda: _max_nodes(args)]


def limits_of(args: argparse.Namespace) -> Limits:
    """The limits, read."""
    return Limits(_gap(args), timeout_of(args), _max_nodes(args))


def verify_line(args: argparse.Namespace) -> str:
    """The command that checks the certificate; it reads the model as this one did."""
    return shlex.join(
        ["deltachain", "verify", args.model, args.certificate, *reading_options(args), *hiding_options(args)]
    )


def _gap(args: argparse.Namespace) -> Fraction | None:
    if args.gap is None:
        return None
    gap = as_fraction(args.gap, "--gap")
    if gap <= 0:
        raise InputError(Defect("--gap", f"{args.gap} is not above 0", "leave it out for the best that can be had"))
    return gap


def timeout_of(args: argparse.Namespace) -> float | None:
    """``--timeout`` in seconds; None if it was not given."""
    if args.timeout is None:
        return None
    seconds = as_fraction(args.timeout, "--timeout")
    if not 0 < seconds <= LONGEST:
        raise InputError(Defect("--timeout", f"{args.timeout} seconds", f"give a number above 0, at most {LONGEST:,}"))
    return float(seconds)


def _max_nodes(args: argparse.Namespace) -> int | None:
    text: str | None = args.max_nodes
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 12 and int(text) > 0):
        raise InputError(Defect("--max-nodes", f"{text!r} is not a number of nodes", "give 1, 2, …"))
    return int(text)


def refuse_unwritable(args: argparse.Namespace, *options: str) -> None:
    """InputError now for each file that could not be written later: hours of work must not end in a lost result."""
    chosen = {option: getattr(args, option.removeprefix("--").replace("-", "_")) for option in options}
    given = {option: Path(text) for option, text in chosen.items() if text is not None}
    defects = [defect for option, path in given.items() for defect in _unwritable(option, path)]
    if not defects:
        places = [path.resolve() for path in given.values()]
        files = [place for place in places if place.is_file() or not place.exists()]
        if len(set(files)) < len(files):
            defects.append(Defect(" and ".join(given), "the same file", "give each a name of its own"))
        model = Path(args.model)
        for option, place in zip(given, places, strict=True):
            if place == model.resolve() and place.is_file():
                defects.append(Defect(option, f"{given[option]} is the model", "give another name"))
    if defects:
        raise InputError(defects)


def refuse_folder(text: str | None) -> None:
    """InputError now if ``--certificates`` is no folder that files can be written to, or can be made."""
    if text is None:
        return
    folder = Path(text)
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError(Defect(f"--certificates {folder}", "it is not a folder", "give the name of one"))
        place = folder if folder.exists() else folder.resolve().parent
        if not place.is_dir() or not os.access(place, os.W_OK):
            raise InputError(Defect(f"--certificates {folder}", f"{place} cannot be written", "make it first"))
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(Defect(f"--certificates {text!r}", f"it cannot be written: {error}", "correct it")) from None


def _unwritable(option: str, path: Path) -> list[Defect]:
    where = f"{option} {path}"
    try:
        if path.is_dir():
            return [Defect(where, "it is a directory", "give a file name")]
        folder = path.resolve().parent
        if not folder.is_dir():
            return [Defect(where, "there is no such folder", f"make {folder} first")]
        # A device or pipe is written straight; a file is replaced, which needs its folder.
        place = path if path.exists() and not path.is_file() else folder
        if not os.access(place, os.W_OK):
            return [Defect(where, f"{place} cannot be written", "check its permissions")]
    except (OSError, ValueError, RuntimeError) as error:  # a name too long, a null byte, a loop of links
        return [Defect(where, f"it cannot be written: {getattr(error, 'strerror', None) or error}", "correct the path")]
    return []
