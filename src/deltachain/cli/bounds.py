"""Certified δ intervals as text, and the files that go with them: what ``delta`` and ``check`` share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..errors import SolverError
from ..formats import Loaded
from ..rational import ExpEpsilon
from ..render.document import document, rendered
from ..render.intervals import outward
from ..render.results import exp_epsilon_field, named, shown_name, value_of, witness_body
from ..render.table import fields, table
from .search import verify_line
from .witness import witness_text

if TYPE_CHECKING:
    from ..analysis import Delta, PairDelta
    from ..model import Chain

SHOWN_PAIRS = 40
"""More pairs are counted, and the worst are shown."""


ENDED = {
    "exact": "nothing is left to find",
    "gap": "the interval is as narrow as asked, or the answer is known; --gap asks for a narrower one",
    "nodes": "the budget of expansions is spent; --max-nodes raises it",
    "time": "time ran out; --timeout gives more",
    "interrupted": "interrupted",
}
"""Why a search ended, and what would take it further."""


def details(
    found: Delta,
    chain: Chain,
    *,
    extra: Iterable[tuple[str, str]] = (),
    verdict: Callable[[PairDelta], str] | None = None,
    with_witness: bool = True,
) -> str:
    """Everything after the first line: how the interval was found, every pair, and the witness if it is wanted."""
    several = len(found.results) > 1
    rows = [exp_epsilon_field(found.exp_epsilon), *extra]
    if several:
        rows.append(("worst pair", named(found.worst.pair)))
    if not found.exact:
        rows.append(("width", outward(found.upper - found.lower, "upper", 3)))
        rows.append(("ended", ENDED[found.worst.stopped]))
        rows += _advice(found, chain)
    rows.append(("method", _methods(found)))
    sections = [fields(rows)]
    if several:
        sections.append(_pairs(found, verdict))
    reason = _reason(found, chain)
    if reason:
        sections.append(reason)
    elif with_witness and found.witness is not None:
        sections.append(witness_text(found.witness, exact=found.exact))
    return "\n\n".join(sections)


def _advice(found: Delta, chain: Chain) -> list[tuple[str, str]]:
    """What else may help where a long chain without cycles was not followed to its end."""
    from ..beliefs.workspace import is_acyclic

    if found.worst.stopped in ("exact", "gap") or not is_acyclic(chain):
        return []
    return [("advice", "if the model repeats one run K times, profile --repeat K of that run bounds it closely")]


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
        shown = value_of(result.lower, result.upper)
        rows.append([named(result.pair), shown, result.method] + ([verdict(result)] if verdict else []))
    text = table(header, rows)
    return text + (f"\n… the {SHOWN_PAIRS} worst of {len(found.results)} pairs; --json lists all" if hidden > 0 else "")


def _reason(found: Delta, chain: Chain) -> str | None:
    """Why the answer is what it is, where that can be said without a table of words."""
    result = found.worst
    s, t = map(shown_name, result.pair)
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
    args: argparse.Namespace, found: Delta, model: Loaded, exp_epsilon: ExpEpsilon, seconds: float
) -> list[str]:
    """Write ``--certificate`` and ``--witness``, each all or nothing; what to say of them."""
    written = []
    if args.certificate is not None:
        try:
            found.certificate.save(args.certificate)
        except KeyboardInterrupt:
            what = "interrupted while the certificate was made: it was not written; the result above stands"
            raise SolverError(what) from None
        written.append(f"certificate: {args.certificate} (check it: {verify_line(args)})")
    if args.witness is not None:
        from ..files import write_atomically  # with it come all formats

        body = {"witness": witness_body(found.witness)}
        text = rendered(document("deltachain.witness/1", body, model=model, exp_epsilon=exp_epsilon, seconds=seconds))
        write_atomically(args.witness, [text, "\n"])
        written.append(f"witness: {args.witness}" + ("" if found.witness else " (nothing tells the states apart)"))
    return written
