"""``deltachain sweep``: one verb over the product of parameters, ε and pairs, here or on a cluster."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cancel import interruptible
from ..errors import Defect, InputError
from ..render.document import document
from ..render.plots import refuse_suffix
from ..render.table import table
from .estimate import add_sampling, sampling_readers
from .exits import SEVERITY, Exit
from .families import family_of, settings_of
from .options import add_model, add_pairs
from .output import add_output, deliver, note, work_of
from .parser import Subparsers, verb_parser
from .search import add_limits, limit_readers, limits_of, refuse, refuse_unwritable
from .values import epsilons_of
from .workers import add_workers, worker_readers, workers_of

if TYPE_CHECKING:
    from ..analysis import Sweep

USAGE = """
deltachain sweep example:dining-cryptographers --set n=2,3,4 --set p=0.40:0.50:0.01 --epsilons 0:1:0.05 --out rows.jsonl
deltachain sweep example:survey --set p=0.5:1:0.05 --verb epsilon --delta 0 --plot epsilon.svg
deltachain sweep protocol.py:respond --secret truth=0 --secret truth=1 --set p=1/2,2/3 --epsilons 0,1 --cluster local
"""

OPTIONS = ("gap", "max_nodes", "delta", "precision", "kind", "confidence", "samples", "horizon", "seed")
"""Options that belong to some verbs, by their names in Python."""
SHOWN_ROWS = 40


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb_parser(subparsers, "sweep", "Run a verb over parameters × ε × pairs, a row each.", USAGE)
    add_model(parser)
    add_pairs(parser)
    group = parser.add_argument_group("what to run over")
    group.add_argument("--verb", default="delta", metavar="VERB", help="delta, epsilon, distance or estimate")
    text = "values of a parameter: 2,3,4 or A:B:STEP, ends included; repeatable, all combinations are run"
    group.add_argument("--set", action="append", default=[], dest="settings", metavar="NAME=VALUES", help=text)
    group.add_argument("--epsilons", metavar="VALUES", help="values of ε: 0,0.1,1 or A:B:STEP (not for epsilon)")
    group.add_argument("--delta", metavar="D", help="the δ that the verb epsilon is asked at")
    group.add_argument("--precision", metavar="R", help="where the verb epsilon stops, relative in e^ε")
    group.add_argument("--kind", metavar="KIND", help="the distance: bd, ld or sd")
    files = parser.add_argument_group("rows")
    files.add_argument("--out", metavar="FILE.jsonl", help="write a line for each row as it ends, each on disk at once")
    files.add_argument("--resume", action="store_true", help="skip what is in the file, and go on")
    files.add_argument("--plot", metavar="FILE", help="draw lines over one parameter, a heat map over two or three")
    files.add_argument("--no-check", action="store_true", help="believe the workers of a cluster")
    add_sampling(parser)
    add_limits(parser, each=" for each row")
    add_workers(parser, "all cores")
    add_output(parser)
    parser.set_defaults(execute=execute, confidence=None, seed=None)


def execute(args: argparse.Namespace) -> int:
    """Run the jobs; the worst exit code of the rows that failed, 3 if some are missing."""
    started = time.perf_counter()
    refuse(_readers(args))
    settings, limits = settings_of(args.settings), limits_of(args)
    build = family_of(args, list(settings), travels=args.cluster is not None)
    with work_of(args) as cancel:
        from ..analysis import sweep

        with interruptible(cancel), workers_of(args) as executor:
            found = sweep(
                build,
                parameters=settings,
                verb=args.verb,
                epsilons=_epsilons(args),
                pairs=args.pair or None,
                executor=executor,
                check=args.cluster is not None and not args.no_check,
                out=args.out,
                resume=args.resume,
                job_timeout=limits.timeout,
                cancel=cancel,
                **_options(args),
            )
    seconds = time.perf_counter() - started
    deliver(
        args,
        lambda: document("deltachain.sweep/1", _body(args, found), seconds=seconds),
        _headline(found, seconds),
        lambda: _rows(found) if args.out is None else "",
        lambda: _write(args, found),
    )
    return _code(args, found)


def _readers(args: argparse.Namespace) -> list[Callable[[], object]]:
    """Everything that can be wrong before the work begins."""
    readers: list[Callable[[], object]] = [
        lambda: settings_of(args.settings),
        lambda: _epsilons(args),
        lambda: _options(args),
        *limit_readers(args),
        *worker_readers(args),
        lambda: refuse_unwritable(args, "--out", "--plot"),
    ]
    if args.verb == "estimate":
        filled = argparse.Namespace(**vars(args))
        filled.confidence, filled.seed = args.confidence or "1/2", args.seed or "0"
        readers += sampling_readers(filled)
    if args.plot:
        readers.append(partial(refuse_suffix, Path(args.plot)))
    if args.resume and args.out is None:
        readers.append(partial(_raise, Defect("--resume", "there is no file to resume", "give --out FILE.jsonl")))
    return readers


def _raise(defect: Defect) -> None:
    raise InputError(defect)


def _epsilons(args: argparse.Namespace) -> list[Fraction] | None:
    from ..analysis.jobs import VERBS

    if args.verb not in VERBS:
        raise InputError(Defect("--verb", f"no verb {args.verb!r} to sweep", f"give one of {', '.join(VERBS)}"))
    if args.verb == "epsilon":
        if args.epsilons is not None:
            raise InputError(Defect("--epsilons", "the verb epsilon searches ε", "drop it; give --delta D"))
        return None
    if args.epsilons is None:
        raise InputError(Defect("--epsilons", "no privacy parameter", "give values of ε: 0,0.1,1 or A:B:STEP"))
    return epsilons_of(args.epsilons)


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of the verb that were given; InputError for those of others."""
    from ..analysis.jobs import VERBS

    given = {name: value for name in OPTIONS if (value := getattr(args, name)) is not None}
    meant = VERBS.get(args.verb, frozenset(OPTIONS))
    defects = [
        Defect(f"--{name.replace('_', '-')}", f"it means nothing for --verb {args.verb}", "drop it")
        for name in given
        if name not in meant
    ]
    if args.verb == "epsilon" and "delta" not in given:
        defects.append(Defect("--delta", "the verb epsilon needs it", "give --delta 0 for pure ε"))
    if defects:
        raise InputError(defects)
    return given


def _write(args: argparse.Namespace, found: Sweep) -> list[str]:
    if args.plot:
        found.plot(args.plot)
    return [f"wrote {path}" for path in (args.out, args.plot) if path]


def _headline(found: Sweep, seconds: float) -> str:
    rate = f"{len(found) / seconds:.3g} per second"
    failed = f", {len(found.failed)} failed" if found.failed else ""
    return f"{found.verb}: {len(found):,} row{'' if len(found) == 1 else 's'}{failed}, {rate}"


def _rows(found: Sweep) -> str:
    columns = found.to_dict()
    shown = [name for name in columns if not name.endswith("_exact") and name != "verb"]
    cells = [[_cell(columns[name][k]) for name in shown] for k in range(min(len(found), SHOWN_ROWS))]
    hidden = len(found) - len(cells)
    return table(shown, cells) + (f"\n… and {hidden:,} more; --out or --json has all" if hidden > 0 else "")


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _body(args: argparse.Namespace, found: Sweep) -> dict[str, object]:
    body: dict[str, object] = {
        "verb": found.verb,
        "source": args.model,
        "count": len(found),
        "failed": len(found.failed),
        "missing": found.missing,
        "out": args.out,
    }
    return body if args.out is not None else body | {"rows": [row.to_dict() for row in found]}


def _code(args: argparse.Namespace, found: Sweep) -> int:
    if found.missing:
        again = "--resume completes them" if args.out is not None else "with --out they could be resumed"
        note(args, f"stopped early: {found.missing:,} jobs were not run; {again}")
    for row in found.failed[:3]:
        note(args, f"failed: {dict(row.parameters)}: {row.error}")
    codes = {row.code for row in found.failed} | ({Exit.UNDECIDED} if found.missing else set())
    return next((code for code in SEVERITY if code in codes), Exit.DONE)
