"""``deltachain distance``: bd or ld of pairs of states, exact or certified from above.

A value is exact or an upper bound, as its side says, of the distance at ``--exp-epsilon``. With ``--epsilon`` it is the
distance at a rational α_below ≤ e^ε: a bound of δ at e^ε, but not of the distance there, which need not fall with α.
"""

from __future__ import annotations

import argparse
import heapq
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..chain import Chain, Quotient, quotient
from ..errors import Defect, InputError, NotConverged
from ..rational import ExpEpsilon, format_fraction
from ..render.document import LoadedModel, document, rendered
from ..render.intervals import interval
from ..render.numbers import bound, json_number
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
from .search import refuse, refuse_unwritable, verify_line

if TYPE_CHECKING:
    from ..distances.fixed_point import Distance

__all__ = ["add_parser", "execute"]

USAGE = """
deltachain distance example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002
deltachain distance model.json --pair s0 s1 --exp-epsilon 6/5 --kind ld --exact --certificate proof.json
deltachain distance model.tra --all --quotient --epsilon 0.1 --json
"""

SHOWN_PAIRS = 40


@dataclass(frozen=True, slots=True)
class Result:
    """The distance of one pair, by the names that were asked for."""

    pair: tuple[str, str]
    value: Fraction
    side: str


@dataclass(frozen=True, slots=True)
class Question:
    """The chain to measure (perhaps a quotient of the model's), and pairs of its states; None: all of them."""

    model: LoadedModel
    exp_epsilon: ExpEpsilon
    merged: Quotient | None
    asked: list[tuple[int, int]] | None

    @property
    def chain(self) -> Chain:
        """The chain that is measured."""
        return self.model.chain if self.merged is None else self.merged.chain

    @property
    def pairs(self) -> list[tuple[int, int]] | None:
        """The pairs that were asked for, as states of `chain`."""
        if self.merged is None or self.asked is None:
            return self.asked
        return [(self.merged.block[s], self.merged.block[t]) for s, t in self.asked]


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    summary = "Compute bd or ld, the distances that bound δ from above, exactly or with a proof."
    parser = verb_parser(subparsers, "distance", summary, USAGE)
    add_model(parser)
    add_pairs(parser)
    add_epsilon(parser)
    group = parser.add_argument_group("which distance")
    group.add_argument(
        "--kind", choices=("bd", "ld"), default="bd", help="bd: symmetric (default); ld: directed, below bd"
    )
    group.add_argument(
        "--exact", action="store_true", help="the exact value, or a refusal with the certified upper one"
    )
    group.add_argument("--all", action="store_true", help="every pair of states of one label")
    group.add_argument("--quotient", action="store_true", help="merge bisimilar states first; distances may fall")
    group.add_argument("--certificate", metavar="FILE", help="write the proof here; deltachain verify checks it")
    add_output(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Print the distances; 3 when ``--exact`` was asked and only an upper bound was found."""
    started = time.perf_counter()
    refuse([lambda: exp_epsilon_of(args), lambda: _refuse_both(args), lambda: refuse_unwritable(args, "--certificate")])
    question = _question(args)
    found, complaint = _solved(args, question)
    results = _results(question, found)
    seconds = time.perf_counter() - started
    if args.json:
        print(_json(args, question, results, seconds), flush=True)
    else:
        print(_text(args.kind, question, results), flush=True)
    if complaint is not None:
        note(args, f"not the exact value, but a certified upper bound: {complaint}")
    if args.certificate is not None:
        _write_certificate(args, question, found)
    return Exit.DONE if complaint is None else Exit.UNDECIDED


def _refuse_both(args: argparse.Namespace) -> None:
    if args.all and args.pair:
        raise InputError(Defect("--all", "it asks for every pair", "drop it, or drop --pair"))


def _question(args: argparse.Namespace) -> Question:
    model = load_model(args)
    asked = None if args.all else pairs_of(args, model.chain)
    return Question(model, exp_epsilon_of(args), quotient(model.chain) if args.quotient else None, asked)


def _solved(args: argparse.Namespace, question: Question) -> tuple[Distance, str | None]:
    """The distances, and why they are not what was asked for."""
    from .. import analysis

    with progress_of(args) as progress:
        try:
            found = analysis.distance(
                question.chain,
                exp_epsilon=question.exp_epsilon.below,
                kind=args.kind,
                pairs=question.pairs,
                exact=True if args.exact else None,
                report=progress.update,
            )
        except NotConverged as reason:
            from ..distances.fixed_point import Distance

            if not isinstance(reason.upper, Distance):
                raise
            return reason.upper, str(reason)
    return found, None


def _results(question: Question, found: Distance) -> list[Result]:
    side = found.side
    if question.asked is None:
        return [Result(pair, value, side) for pair, value in found.items()]
    names, labels = question.model.chain.states, question.model.chain.labels
    results = []
    for (s, t), pair in zip(question.asked, question.pairs or [], strict=True):
        known = s == t or labels[s] != labels[t]
        results.append(Result((names[s], names[t]), found[pair], "exact" if known else side))
    return results


def _json(args: argparse.Namespace, question: Question, results: list[Result], seconds: float) -> str:
    entries = []
    for result in results:
        value = json_number(result.value, "upper" if result.side == "upper" else None)
        entries.append({"pair": list(result.pair), "value": value, "side": result.side})
    body: dict[str, object] = {"kind": args.kind, "quotient": args.quotient, "states_measured": len(question.chain)}
    body["results"] = entries
    model, exp_epsilon = question.model, question.exp_epsilon
    return rendered(document("deltachain.distance/1", body, model=model, exp_epsilon=exp_epsilon, seconds=seconds))


def _text(kind: str, question: Question, results: list[Result]) -> str:
    rows = [exp_epsilon_text(question.exp_epsilon)]
    if question.exp_epsilon.epsilon is not None:
        below = format_fraction(question.exp_epsilon.below)
        rows.append(("measured at", f"{below}, just below e^ε: it bounds δ at ε, not the distance at e^ε itself"))
    if question.merged is not None:
        count = f"{len(question.chain)} of {len(question.model.chain)} states"
        rows.append(("measured on", f"the bisimulation quotient, {count}"))
    if len(results) == 1:
        return f"{_line(kind, results[0])}\n\n{fields(rows)}{_reason(question, results[0])}"
    rows.insert(0, ("pairs", str(len(results))))
    if not results:
        return f"{kind}: no two states have one label\n\n{fields(rows)}"
    shown = results
    if len(results) > SHOWN_PAIRS:
        shown = heapq.nlargest(SHOWN_PAIRS, results, key=lambda result: result.value)
    text = f"{fields(rows)}\n\n" + table(["pair", kind, "side"], [_cells(question, result) for result in shown])
    if len(shown) < len(results):
        text += f"\n… the {len(shown)} largest of {len(results)} pairs; --json lists all"
    return text


def _line(kind: str, result: Result) -> str:
    name = f"{kind}{named(result.pair)}"
    if result.side == "exact":
        return printable(f"{interval(name, result.value, result.value)}, exact")
    return printable(f"{name} {bound(result.value, 'upper')}, certified")


def _cells(question: Question, result: Result) -> list[str]:
    if result.side == "upper":
        return [named(result.pair), bound(result.value, "upper"), "upper"]
    shown = interval("", result.value, result.value).removeprefix(" ").removeprefix("= ")
    return [named(result.pair), shown, "exact (different labels)" if _apart(question, result) else "exact"]


def _apart(question: Question, result: Result) -> bool:
    chain = question.model.chain
    s, t = map(chain.number, result.pair)
    return chain.labels[s] != chain.labels[t]


def _reason(question: Question, result: Result) -> str:
    if not _apart(question, result):
        return ""
    s, t = result.pair
    shown = [question.model.chain.labels[question.model.chain.number(state)] for state in result.pair]
    text = f"{s} shows {shown[0]!r} and {t} shows {shown[1]!r}: states of different labels have distance 1."
    return f"\n\n{printable(text)}"


def _write_certificate(args: argparse.Namespace, question: Question, found: Distance) -> None:
    from ..certificate.distances import distance_certificate

    pairs = question.pairs
    if pairs is None:
        number = question.chain.number
        pairs = [(number(s), number(t)) for (s, t), _ in found.items()]
    certificate = distance_certificate(
        found, pairs, original=None if question.merged is None else question.model.chain, quotient=question.merged
    )
    certificate.save(args.certificate)
    note(args, f"certificate: {args.certificate} (check it: {verify_line(args)})")
