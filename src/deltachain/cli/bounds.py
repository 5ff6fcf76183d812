"""Certified δ intervals as text and JSON, and the files that go with them: what ``delta`` and ``check`` share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..errors import SolverError
from ..rational import ExpEpsilon
from ..render.document import LoadedModel, document, rendered
from ..render.intervals import interval, outward
from ..render.numbers import exactly, json_number
from ..render.table import fields, printable, table
from .options import note
from .search import verify_line
from .witness import witness_body, witness_text

if TYPE_CHECKING:
    from ..analysis import Delta, PairDelta

__all__ = ["bounds_body", "details", "exp_epsilon_text", "named", "worst", "write_files"]

SHOWN_PAIRS = 40
"""More pairs are counted, and the worst are shown."""


def named(pair: tuple[str, str]) -> str:
    """``(s, t)``."""
    return f"({pair[0]}, {pair[1]})"


def worst(found: Delta) -> PairDelta:
    """The pair that the witness speaks of; where none differs, the one with the largest upper bound."""
    return max(found.results, key=lambda result: (result.lower, result.upper))


def exp_epsilon_text(exp_epsilon: ExpEpsilon) -> tuple[str, str]:
    """The privacy parameter as it was given: its name and its value."""
    if exp_epsilon.epsilon is None:
        return "e^ε", exactly(exp_epsilon.below)
    return "ε", exactly(exp_epsilon.epsilon)


def bounds_body(found: Delta, entry: Callable[[PairDelta], dict[str, object]]) -> dict[str, object]:
    """The keys that the JSON of ``delta`` and ``check`` share; ``entry(result)`` adds to a pair's own."""
    results = [
        {
            "pair": list(result.pair),
            "lower": json_number(result.lower, "lower"),
            "upper": json_number(result.upper, "upper"),
            "exact": result.exact,
            "nodes": 0 if result.method == "different labels" else found.nodes,
            "method": result.method,
            "stopped": result.stopped,
            **entry(result),
        }
        for result in found.results
    ]
    return {
        "lower": json_number(found.lower, "lower"),
        "upper": json_number(found.upper, "upper"),
        "exact": found.exact,
        "results": results,
        "witness": witness_body(found.witness),
    }


def details(
    found: Delta,
    exp_epsilon: ExpEpsilon,
    *,
    extra: Iterable[tuple[str, str]] = (),
    verdict: Callable[[PairDelta], str] | None = None,
    telling: bool = True,
) -> str:
    """Everything after the first line: how the interval was found, every pair, and, if ``telling``, the witness."""
    one = found.results[0] if len(found.results) == 1 else None
    rows = [exp_epsilon_text(exp_epsilon), *extra]
    if one is None:
        rows.append(("worst pair", named(worst(found).pair)))
    if not found.exact:
        rows.append(("width", outward(found.upper - found.lower, "upper", 3)))
    rows.append(("method", _methods(found)))
    parts = [fields(rows)]
    if one is None:
        parts.append(_pairs(found, verdict))
    reason = _reason(found, worst(found))
    if reason:
        parts.append(printable(reason))
    elif telling and found.witness is not None:
        parts.append(witness_text(found.witness, exact=found.exact))
    return "\n\n".join(parts)


def _methods(found: Delta) -> str:
    methods = list(dict.fromkeys(result.method for result in found.results))
    nodes = "1 belief pair" if found.nodes == 1 else f"{found.nodes} belief pairs"
    return "; ".join(methods) + (f" ({nodes})" if found.nodes else "")


def _pairs(found: Delta, verdict: Callable[[PairDelta], str] | None) -> str:
    results = list(found.results)
    hidden = len(results) - SHOWN_PAIRS
    if hidden > 0:
        results = sorted(results, key=lambda result: (result.upper, result.lower), reverse=True)[:SHOWN_PAIRS]
    header = ["pair", "δ", "method"] + (["verdict"] if verdict else [])
    rows = []
    for result in results:
        shown = interval("δ", result.lower, result.upper).removeprefix("δ = ").replace("δ ≈", "≈")
        rows.append([named(result.pair), shown, result.method] + ([verdict(result)] if verdict else []))
    text = table(header, rows)
    return text + (f"\n… the {SHOWN_PAIRS} worst of {len(found.results)} pairs; --json lists all" if hidden > 0 else "")


def _reason(found: Delta, result: PairDelta) -> str | None:
    """Why the answer is what it is, where that can be said without a table of words."""
    chain = found.answer.chain
    s, t = result.pair
    if result.method == "different labels":
        shown = [chain.labels[chain.number(state)] for state in result.pair]
        return f"{s} shows {shown[0]!r} and {t} shows {shown[1]!r}: the first thing seen tells them apart, so δ = 1."
    if found.upper > 0:
        return None if found.lower > 0 else "No event was found that tells the states apart by more than ε allows."
    if result.method == "bisimilar states":
        same = "one state" if s == t else "bisimilar"
        return f"{s} and {t} are {same}: whatever is seen is as likely from either, so δ = 0 at every ε."
    return "No event, however long, tells the states apart by more than ε allows: an attacker gains nothing."


def write_files(
    args: argparse.Namespace, found: Delta, model: LoadedModel, exp_epsilon: ExpEpsilon, seconds: float
) -> None:
    """Write ``--certificate`` and ``--witness``, each all or nothing; the result has been printed by now."""
    if args.certificate is not None:
        try:
            found.certificate.save(args.certificate)
        except KeyboardInterrupt:
            what = "interrupted while the certificate was made: it was not written; the result above stands"
            raise SolverError(what) from None
        note(args, f"certificate: {args.certificate} (check it: {verify_line(args)})")
    if args.witness is not None:
        from ..files import write_atomically  # with it come all formats

        body = {"witness": witness_body(found.witness)}
        text = rendered(document("deltachain.witness/1", body, model=model, exp_epsilon=exp_epsilon, seconds=seconds))
        write_atomically(args.witness, [text, "\n"])
        note(args, f"witness: {args.witness}" + ("" if found.witness else " (nothing tells the states apart)"))
