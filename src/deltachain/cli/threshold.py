"""``deltachain threshold``: is bd(s, t) ≤ θ, asked of an SMT solver [CMP18, Section 6].

Codes: 0 it holds for every pair, 1 it does not for some pair, 3 not known. A yes is checked exactly before it is
printed. With ``--epsilon`` the distance is the one at a rational α_below ≤ e^ε, as for ``distance``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import Defect, InputError, SolverUnknown
from ..rational import ExpEpsilon, as_probability, format_fraction
from ..render.document import LoadedModel, document, rendered
from ..render.numbers import exactly, json_number
from ..render.table import fields, printable, table
from .bounds import exp_epsilon_text, named
from .exits import Exit
from .options import (
    add_epsilon,
    add_model,
    add_output,
    add_pairs,
    exp_epsilon_of,
    load_model,
    note,
    pairs_of,
    progress_of,
)
from .parser import Subparsers, verb_parser
from .search import refuse, refuse_unwritable, timeout_of, verify_line

if TYPE_CHECKING:
    from ..smt.threshold import Decider, Decision

__all__ = ["add_parser", "execute"]

USAGE = """
deltachain threshold example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002 --theta 1/2500
deltachain threshold model.json --pair s0 s1 --exp-epsilon 6/5 --theta 0.2 --strict --solver cvc5 --formula sigma2
deltachain threshold example:coin --exp-epsilon 3/2 --theta 0 --faithful --emit-smt2 coin.smt2
"""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer for one pair: yes, no, or None with the reason why it is not known."""

    pair: tuple[str, str]
    holds: bool | None
    decision: Decision | None
    reason: str = ""


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
    theta, timeout = _theta(args), timeout_of(args)
    model = load_model(args)
    exp_epsilon = exp_epsilon_of(args)
    pairs = pairs_of(args, model.chain)
    _refuse_several(args, pairs)
    results = []
    with progress_of(args) as progress:
        for s, t in pairs:
            progress.update(f"{named((model.chain.states[s], model.chain.states[t]))}: {args.solver}")
            results.append(_decided(args, _decider(args, model, exp_epsilon, (s, t), timeout), theta))
    seconds = time.perf_counter() - started
    if args.json:
        print(_json(args, model, exp_epsilon, theta, results, seconds), flush=True)
    else:
        print(_text(args, exp_epsilon, theta, results), flush=True)
    _write_certificate(args, results, pairs)
    holds = _overall(results)
    return Exit.UNDECIDED if holds is None else Exit.DONE if holds else Exit.VIOLATED


def _readers(args: argparse.Namespace) -> list[Callable[[], object]]:
    return [
        lambda: exp_epsilon_of(args),
        lambda: _theta(args),
        lambda: timeout_of(args),
        lambda: _refuse_combinations(args),
        lambda: refuse_unwritable(args, "--emit-smt2", "--certificate"),
    ]


def _theta(args: argparse.Namespace) -> Fraction:
    if args.theta is None:
        raise InputError(Defect("--theta", "no threshold", "give one from 0 to 1"))
    return as_probability(args.theta, "--theta")


def _refuse_combinations(args: argparse.Namespace) -> None:
    defects = []
    if args.solver == "engine":
        given = {"--formula": args.formula, "--emit-smt2": args.emit_smt2, "--certificate": args.certificate}
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


def _decider(
    args: argparse.Namespace, model: LoadedModel, exp_epsilon: ExpEpsilon, pair: tuple[int, int], timeout: float | None
) -> Decider:
    from ..smt.threshold import Decider

    return Decider(
        model.chain,
        *pair,
        exp_epsilon=exp_epsilon.below,
        solver=args.solver,
        formula=args.formula,
        encoding=args.encoding or "bounded",
        timeout=timeout,
    )


def _decided(args: argparse.Namespace, decider: Decider, theta: Fraction) -> Result:
    chain = decider.chain
    pair = chain.states[decider.s], chain.states[decider.t]
    if args.emit_smt2 is not None:
        from ..files import write_atomically

        write_atomically(args.emit_smt2, [decider.script(theta, strict=args.strict)])
        note(args, f"formula: {args.emit_smt2}")
    try:
        decision = decider.decide(theta, strict=args.strict)
    except SolverUnknown as reason:
        return Result(pair, None, None, str(reason))
    return Result(pair, decision.holds, decision)


def _overall(results: list[Result]) -> bool | None:
    """False if some pair fails; else None if some pair is open; else True."""
    answers = [result.holds for result in results]
    return False if False in answers else None if None in answers else True


def _formula(args: argparse.Namespace) -> str | None:
    from ..smt.threshold import default_formula

    return None if args.solver == "engine" else args.formula or default_formula(args.solver)


def _json(
    args: argparse.Namespace,
    model: LoadedModel,
    exp_epsilon: ExpEpsilon,
    theta: Fraction,
    results: list[Result],
    seconds: float,
) -> str:
    formula = _formula(args)
    body: dict[str, object] = {
        "theta": json_number(theta),
        "strict": args.strict,
        "holds": _overall(results),
        "solver": args.solver,
        "formula": formula,
        "encoding": None if formula is None else args.encoding or "bounded",
        "results": [
            {
                "pair": list(result.pair),
                "holds": result.holds,
                "proved": result.decision is not None and result.decision.proof is not None,
                "reason": result.reason or None,
            }
            for result in results
        ],
    }
    return rendered(document("deltachain.threshold/1", body, model=model, exp_epsilon=exp_epsilon, seconds=seconds))


def _text(args: argparse.Namespace, exp_epsilon: ExpEpsilon, theta: Fraction, results: list[Result]) -> str:
    relation = "<" if args.strict else "≤"
    formula = _formula(args)
    rows = [("θ", exactly(theta)), exp_epsilon_text(exp_epsilon)]
    if exp_epsilon.epsilon is not None:
        rows.append(("measured at", f"{format_fraction(exp_epsilon.below)}, just below e^ε"))
    rows.append(
        ("asked", args.solver if formula is None else f"{args.solver}, formula {formula}, {args.encoding or 'bounded'}")
    )
    lines = [[named(result.pair), _answer(result), _ground(result)] for result in results]
    if len(lines) == 1:
        pair, answer, ground = lines[0]
        return printable(f"bd{pair} {relation} {format_fraction(theta)}: {answer} ({ground})") + f"\n\n{fields(rows)}"
    return f"{fields(rows)}\n\n" + table(["pair", f"bd {relation} θ", "because"], lines)


def _answer(result: Result) -> str:
    return "not known" if result.holds is None else "yes" if result.holds else "no"


def _ground(result: Result) -> str:
    if result.decision is None:
        return result.reason
    if result.decision.proof is not None:
        return "a pre-fixed point, checked exactly"
    if result.decision.settled:
        return "exact bounds; nothing was left to the solver"
    return "the exact distance" if result.decision.solver == "engine" else f"{result.decision.solver}: unsat"


def _write_certificate(args: argparse.Namespace, results: list[Result], pairs: list[tuple[int, int]]) -> None:
    if args.certificate is None:
        return
    decision = results[0].decision
    if decision is None or decision.proof is None:
        note(args, "no certificate: only a yes has one")
        return
    from ..certificate.thresholds import threshold_certificate

    threshold_certificate(decision.proof, *pairs[0]).save(args.certificate)
    note(args, f"certificate: {args.certificate} (check it: {verify_line(args)})")
