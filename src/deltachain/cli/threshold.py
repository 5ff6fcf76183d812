"""``deltachain threshold``: is bd(s, t) ≤ θ, asked of an SMT solver [CMP18, Section 6].

Codes: 0 it holds for every pair, 1 it does not for some pair, 3 not known. A yes is accepted by the trusted checker
before it is printed. With ``--epsilon`` the distance is the one at a rational α_below ≤ e^ε, as for ``distance``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cancel import interruptible
from ..errors import Defect, InputError
from ..formats import Loaded
from ..rational import ExpEpsilon, as_probability, format_fraction
from ..render.document import document
from ..render.numbers import exactly
from ..render.results import exp_epsilon_field, named
from ..render.table import fields, printable, table
from .exits import Exit
from .options import add_epsilon, add_model, add_pairs, exp_epsilon_of, load_model, pairs_of
from .output import add_output, deliver, note, work_of
from .parser import Subparsers, verb_parser
from .search import refuse, refuse_unwritable, timeout_of, verify_line

if TYPE_CHECKING:
    from ..analysis import Threshold

USAGE = """
deltachain threshold example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002 --theta 1/2500
deltachain threshold model.json --pair s0 s1 --exp-epsilon 6/5 --theta 0.2 --strict --solver cvc5 --formula sigma2
deltachain threshold example:coin --exp-epsilon 3/2 --theta 0 --faithful --emit-smt2 coin.smt2
deltachain threshold example:split-coin --exp-epsilon 6/5 --theta 1/4 --reduced --bits 7
"""


CODES = {"yes": Exit.DONE, "no": Exit.VIOLATED, "unknown": Exit.UNDECIDED}
SPOKEN = {"yes": "yes", "no": "no", "unknown": "not known"}


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    summary = "Ask an SMT solver whether bd ≤ θ, by the paper's formulas."
    parser = verb_parser(subparsers, "threshold", summary, USAGE)
    add_model(parser)
    add_pairs(parser)
    add_epsilon(parser)
    group = parser.add_argument_group("what is asked")
    group.add_argument("--theta", metavar="T", help="the threshold, exact, from 0 to 1: 0.2, 1/2500")
    group.add_argument("--strict", action="store_true", help="ask bd < T instead of bd ≤ T")
    group = parser.add_argument_group("who is asked, and how")
    text = "z3 (default), cvc5, or this program's own engine"
    group.add_argument("--solver", choices=("z3", "cvc5", "engine"), default="z3", help=text)
    text = "np: flows, bilinear (default for z3); sigma2: ∃∀, linear (default for cvc5); least: ∃∀∃, with --faithful"
    group.add_argument("--formula", choices=("np", "sigma2", "least"), help=text)
    encoding = group.add_mutually_exclusive_group()
    for name, text in (
        ("faithful", "the paper's formula to the letter"),
        ("reduced", "an equivalent formula without what cannot matter"),
        ("bounded", "reduced, with exact bounds on every distance (default)"),
    ):
        encoding.add_argument(f"--{name}", dest="encoding", action="store_const", const=name, help=text)
    text = "look for ratios of natural numbers of N bits, with formula np; few bits may find none"
    group.add_argument("--bits", metavar="N", help=text)
    group.add_argument("--timeout", metavar="S", default="60", help="seconds for each call of a solver (default: 60)")
    group = parser.add_argument_group("files")
    group.add_argument("--emit-smt2", metavar="FILE", help="write the formula here too; for one pair")
    group.add_argument("--certificate", metavar="FILE", help="write the proof of a yes here; for one pair")
    add_output(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Ask, check, print."""
    started = time.perf_counter()
    refuse(_readers(args))
    exp_epsilon = exp_epsilon_of(args)
    with work_of(args) as cancel:
        model = load_model(args, cancel)
        pairs = pairs_of(args, model.chain)
        _refuse_several(args, pairs)
        _emit(args, model, exp_epsilon, pairs)
        from ..analysis import threshold

        with interruptible(cancel):
            found = threshold(
                model.chain,
                pairs=pairs,
                theta=_theta(args),
                strict=args.strict,
                epsilon=exp_epsilon.epsilon,
                exp_epsilon=exp_epsilon.below if exp_epsilon.epsilon is None else None,
                solver=args.solver,
                formula=args.formula,
                encoding=args.encoding or "bounded",
                timeout=timeout_of(args),
                bits=_bits(args),
                cancel=cancel,
            )
    seconds = time.perf_counter() - started
    deliver(
        args,
        lambda: document(
            "deltachain.threshold/1", found.to_dict(), model=model, exp_epsilon=exp_epsilon, seconds=seconds
        ),
        _headline(found),
        lambda: _details(found),
        lambda: _write_certificate(args, found),
    )
    return CODES[found.answer]


def _readers(args: argparse.Namespace) -> list[Callable[[], object]]:
    return [
        lambda: exp_epsilon_of(args),
        lambda: _theta(args),
        lambda: timeout_of(args),
        lambda: _bits(args),
        lambda: _refuse_combinations(args),
        lambda: refuse_unwritable(args, "--emit-smt2", "--certificate"),
    ]


def _theta(args: argparse.Namespace) -> Fraction:
    if args.theta is None:
        raise InputError(Defect("--theta", "no threshold", "give one from 0 to 1"))
    return as_probability(args.theta, "--theta")


def _bits(args: argparse.Namespace) -> int | None:
    if args.bits is None:
        return None
    if not (args.bits.isascii() and args.bits.isdecimal() and 1 <= len(args.bits) <= 6):
        raise InputError(Defect("--bits", f"{args.bits!r} is no number of bits", "such as 8"))
    return int(args.bits)


def _refuse_combinations(args: argparse.Namespace) -> None:
    defects = []
    if args.solver == "engine":
        given = {"--formula": args.formula, "--bits": args.bits}
        given |= {"--emit-smt2": args.emit_smt2, "--certificate": args.certificate}
        if args.encoding is not None:
            given[f"--{args.encoding}"] = args.encoding
        for option in (option for option, value in given.items() if value is not None):
            fix = "use deltachain distance --certificate" if option == "--certificate" else "drop it, or name a solver"
            defects.append(Defect(option, "the engine reads no formula", fix))
    if args.formula == "least" and args.encoding != "faithful":
        defects.append(Defect("--formula least", "it has only the paper's form", "add --faithful"))
    if defects:
        raise InputError(defects)


def _refuse_several(args: argparse.Namespace, pairs: list[tuple[int, int]]) -> None:
    given = {"--emit-smt2": args.emit_smt2, "--certificate": args.certificate}
    defects = [
        Defect(option, f"one file for {len(pairs)} pairs", "name one pair with --pair S T")
        for option, value in given.items()
        if value is not None and len(pairs) != 1
    ]
    if defects:
        raise InputError(defects)


def _emit(args: argparse.Namespace, model: Loaded, exp_epsilon: ExpEpsilon, pairs: list[tuple[int, int]]) -> None:
    """Write the formula of the one pair, before anybody is asked about it."""
    if args.emit_smt2 is None:
        return
    from ..analysis.thresholds import deciders
    from ..files import write_atomically

    encoding = args.encoding or "bounded"
    settings = (args.solver, args.formula, encoding, timeout_of(args), _bits(args))
    (decider,) = deciders(model.chain, pairs, exp_epsilon, *settings)
    write_atomically(args.emit_smt2, [decider.script(_theta(args), strict=args.strict)])
    note(args, f"formula: {args.emit_smt2}")


def _headline(found: Threshold) -> str:
    asked = f"{'<' if found.strict else '≤'} {format_fraction(found.theta)}"
    if len(found.results) == 1:
        result = found.results[0]
        return f"bd{named(result.pair)} {asked}: {SPOKEN[result.answer]} ({printable(result.ground)})"
    return f"bd {asked} for all {len(found.results)} pairs: {SPOKEN[found.answer]}"


def _details(found: Threshold) -> str:
    rows = [("θ", exactly(found.theta)), exp_epsilon_field(found.exp_epsilon)]
    if found.exp_epsilon.epsilon is not None:
        rows.append(("measured at", f"{format_fraction(found.exp_epsilon.below)}, just below e^ε"))
    how = "" if found.formula is None else f", formula {found.formula}, {found.encoding}"
    how += "" if found.bits is None else f", integers of {found.bits} bits"
    rows.append(("asked", f"{found.solver}{how}"))
    if len(found.results) == 1:
        return fields(rows)
    lines = [[named(r.pair), SPOKEN[r.answer], r.ground] for r in found.results]
    return f"{fields(rows)}\n\n" + table(["pair", "answer", "because"], lines)


def _write_certificate(args: argparse.Namespace, found: Threshold) -> list[str]:
    if args.certificate is None:
        return []
    if not found.results[0].proved:
        return ["no certificate: only a yes has one"]
    found.certificate.save(args.certificate)
    return [f"certificate: {args.certificate} (check it: {verify_line(args)})"]
