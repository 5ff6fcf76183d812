"""What verbs share: ε, the limits of a search, files that are refused before the work if they could not be written
after it, and where it runs.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Defect, InputError, SolverError
from ..parameters import (
    DEFAULT_CONFIDENCE,
    MOST_PROCESSES,
    as_confidence,
    as_gap,
    as_horizon,
    as_nodes,
    as_samples,
    as_seconds,
    as_seed,
    as_whole,
)
from ..rational import ExpEpsilon
from .model_argument import MODEL, READ
from .options import Asked, Option, defaulted, epsilons_of, text, value

if TYPE_CHECKING:
    from ..beliefs.question import Terms


def output_file(given: str, place: str) -> Path:
    """A file that can be written; InputError now: hours of work must not end in a lost result."""
    path = Path(given)
    where = f"{place} {path}"
    try:
        if path.is_dir():
            raise InputError(Defect(where, "it is a directory", "give a file name"))
        folder = path.resolve().parent
        if not folder.is_dir():
            raise InputError(Defect(where, "there is no such folder", f"make {folder} first"))
        # A device or pipe is written straight; a file is replaced, which needs its folder.
        _refuse_unwritable(where, path if path.exists() and not path.is_file() else folder, "check its permissions")
    except (OSError, ValueError, RuntimeError) as error:  # a name too long, a null byte, a loop of links
        raise _as_defect(where, error) from None
    return path


def plot_file(given: str, place: str) -> Path:
    """A file that a plot can be written to."""
    from ..results.plots import refuse_suffix

    refuse_suffix(Path(given))
    return output_file(given, place)


def output_folder(given: str, place: str) -> Path:
    """A folder that files can be written to, or that can be made."""
    folder = Path(given)
    where = f"{place} {folder}"
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError(Defect(where, "it is not a folder", "give the name of one"))
        parent = folder if folder.exists() else folder.resolve().parent
        if not parent.is_dir():
            raise InputError(Defect(where, f"{parent} cannot be written", "make it first"))
        _refuse_unwritable(where, parent, "make it first")
    except (OSError, ValueError, RuntimeError) as error:
        raise _as_defect(where, error) from None
    return folder


def _refuse_unwritable(where: str, place: Path, fix: str) -> None:
    if not os.access(place, os.W_OK):
        raise InputError(Defect(where, f"{place} cannot be written", fix))


def _as_defect(where: str, error: Exception) -> InputError:
    if isinstance(error, InputError):  # a ValueError itself
        return error
    what = f"it cannot be written: {getattr(error, 'strerror', None) or error}"
    return InputError(Defect(where.replace("\0", "\\0"), what, "correct the path"))


def check_files(asked: Asked, *options: Option[Any]) -> Iterator[Defect]:
    """Two outputs into one file, or one over the model."""
    given = {option.name: path for option in options if (path := asked[option]) is not None}
    places = {name: path.resolve() for name, path in given.items()}
    files = [place for place in places.values() if place.is_file() or not place.exists()]
    if len(set(files)) < len(files):
        yield Defect(" and ".join(given), "the same file", "give each a name of its own")
    try:
        model = Path(asked[MODEL]).resolve()
    except (OSError, ValueError, RuntimeError):
        return
    for name, place in places.items():
        if place == model and place.is_file():
            yield Defect(name, f"{given[name]} is the model", "give another name")


SEARCH, PROOFS, SAMPLING, RUNS = "how far to search", "proofs", "sampling", "where it runs"

EPSILON = text(
    "--epsilon",
    "E",
    'the privacy parameter ε ≥ 0, exact: 0.1, 1/10, 1e-1; "ln 3" is --exp-epsilon 3',
    exclusive="epsilon",
)
EXP_EPSILON = text("--exp-epsilon", "A", "e^ε ≥ 1 itself, exact: 1.0002, 3/2", exclusive="epsilon")
AT = (EPSILON, EXP_EPSILON)
EPSILONS = value(
    "--epsilons",
    "VALUES",
    epsilons_of,
    "values of ε: 0,0.1,1 or A:B:STEP, ends included (default: chosen to show the curve)",
)

GAP = value("--gap", "G", as_gap, "stop when the interval is at most G wide, say 1e-4", group=SEARCH)
TIMEOUT = value("--timeout", "S", as_seconds, "stop after S seconds, with the interval reached", group=SEARCH)


def max_nodes(each: str = "") -> Any:
    """``--max-nodes``; ``each`` says what it counts for, if not for all."""
    return value(
        "--max-nodes", "N", as_nodes, f"stop after N belief pairs{each}, with the interval reached", group=SEARCH
    )


MAX_NODES = max_nodes()
CERTIFICATE = value(
    "--certificate", "FILE", output_file, "write the proof here; deltachain verify checks it", group=PROOFS
)
WITNESS = value(
    "--witness", "FILE", output_file, "write the event that tells the states apart here, as JSON", group=PROOFS
)

CONFIDENCE = defaulted(
    "--confidence",
    "C",
    as_confidence,
    "the probability that every interval is right, at least (default: 0.999)",
    DEFAULT_CONFIDENCE,
    group=SAMPLING,
)
SAMPLES = value("--samples", "N", as_samples, "words to draw for each direction of a pair", group=SAMPLING)
HORIZON = value("--horizon", "H", as_horizon, "letters of a word, at most (default: chosen on a pilot)", group=SAMPLING)
SEED = defaulted("--seed", "S", as_seed, "the same seed and samples give the same answer", "0", group=SAMPLING)
DRAWN = (CONFIDENCE, SAMPLES, HORIZON, SEED)


def jobs(default: str) -> Any:
    """``--jobs``; ``default`` says where it runs otherwise."""
    what = f"processes of this machine to work in (default: {default})"
    return value("--jobs", "N", lambda given, place: as_whole(given, place, 1, MOST_PROCESSES), what, group=RUNS)


CLUSTER = text(
    "--cluster",
    "ADDRESS",
    "work on a Dask cluster: the address of its scheduler, such as tcp://host:8786, or local to start one",
    group=RUNS,
)


def check_epsilon(asked: Asked) -> Iterator[Defect]:
    """No ε, or one that cannot be read."""
    if asked[EPSILON] is None and asked[EXP_EPSILON] is None:
        yield Defect("--epsilon", "no privacy parameter", "give --epsilon E, or e^E as --exp-epsilon A")
        return
    try:
        at_of(asked)
    except InputError as error:
        yield from error.defects


def at_of(asked: Asked) -> ExpEpsilon:
    """e^ε, exactly or between two rationals."""
    return ExpEpsilon.read(asked[EPSILON], asked[EXP_EPSILON])


def terms_of(asked: Asked, nodes: Any = None, allowed: Any = None) -> Terms:
    """ε, gap, allowed δ and budget; each was read by its option already."""
    from ..beliefs.question import Budget, Terms

    return Terms(at=at_of(asked), gap=asked.get(GAP), allowed=allowed, budget=Budget(asked.get(nodes or MAX_NODES)))


def check_workers(asked: Asked, processes: Any) -> Iterator[Defect]:
    """``--jobs`` beside a cluster that has workers of its own."""
    if asked[processes] is not None and asked[CLUSTER] not in (None, "local"):
        yield Defect("--jobs", "the workers of a cluster are its own", "leave it out, or give --cluster local")


@contextmanager
def workers_of(asked: Asked, processes: Any, *, here: bool = False) -> Iterator[Executor | None]:
    """The executor asked for; None for this process, which is also the default if ``here``."""
    if here and asked[processes] is None and asked[CLUSTER] is None:
        yield None
        return
    from ..executors import workers

    with workers(asked[processes], asked[CLUSTER]) as executor:
        yield executor


def verify_line(asked: Asked, certificate: str) -> str:
    """The command that checks a certificate; it reads the model as this one did."""
    return shlex.join(["deltachain", "verify", asked[MODEL], certificate, *asked.typed(READ)])


def certificate_writer(asked: Asked, result: Any, path: Path | None) -> list[Callable[[], str]]:
    """Writes the certificate of a result, if it was asked for."""
    if path is None:
        return []

    def write() -> str:
        try:
            result.certificate.save(path)
        except KeyboardInterrupt:
            what = "interrupted while the certificate was made: it was not written; the result above stands"
            raise SolverError(what) from None
        return f"certificate: {path} (check it: {verify_line(asked, str(path))})"

    return [write]
