"""``info``: the size and shape of a model."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from ..cancel import Cancel
from ..cli import question as q
from ..cli.command import BRIEF, JSON, Reply, Session, Shown, Verb
from ..cli.options import Asked, switch, value
from ..model import Chain, Loaded, PointRow, bisimilarity, reachable
from ..model.listing import SHOWN_TARGETS, state_lines
from ..numbers.fraction import format_fraction
from ..parameters import whole
from ..results.numbers import decimal, exact_text, json_number, outward
from ..results.sections import Paragraph, Section
from ..results.text import fields, list_first, name_pair, printable

MINIMISED_TRANSITIONS = 30_000
"""Up to here counting bisimulation classes takes well under a second; beyond, it is done when asked for."""
LINE_LENGTH = 240
"""How much of a state's row is shown in text; --json has all of it."""
MOST_SHOWN = 10**9

MINIMISE = switch("--minimise", explained="count bisimulation classes, whatever the size of the model")
STATES = value("--states", "N", whole("states", 0, MOST_SHOWN), "how many states to show (default: 12)").default("12")


def _info(asked: Asked, session: Session) -> Reply:
    """The figures."""
    with session.work() as cancel:
        model = q.load_model(asked, session, cancel)
        classes = _classes(asked, session, model.chain, cancel)
    line = f"{len(model.chain)} states, {model.chain.transitions} transitions" if asked[BRIEF] else ""
    limit = asked[STATES]
    body = _info_body(model, classes, limit) if asked[JSON] else {}
    return Reply(result=Shown(line, body, lambda: _info_sections(model, classes, limit)), model=model)


def _classes(asked: Asked, session: Session, chain: Chain, cancel: Cancel) -> int | None:
    """The number of bisimulation classes, or None where it was too much to count unasked."""
    if chain.transitions > MINIMISED_TRANSITIONS and not asked[MINIMISE]:
        session.note(f"above {MINIMISED_TRANSITIONS} transitions, bisimulation classes are counted with --minimise")
        return None
    return max(bisimilarity(chain, cancel)) + 1


def _info_body(model: Loaded, classes: int | None, limit: int) -> dict[str, Any]:
    chain = model.chain
    degrees = _degrees(chain)
    return {
        "alphabet": {label: len(states) for label, states in sorted(chain.by_label.items())},
        "inputs": {label: list(names) for label, names in sorted(chain.inputs.items())},
        "degree": {
            "least": min(degrees),
            "mean": json_number(Fraction(sum(degrees), len(degrees))),
            "greatest": max(degrees),
        },
        "absorbing": _count_absorbing(chain),
        "greatest_denominator": format_fraction(_greatest_denominator(chain)),
        "classes": classes,
        "relation": [list(pair) for pair in chain.pairs],
        "reachable_from_relation": _reach(chain),
        "states": [_state(chain, state) for state in range(min(limit, len(chain)))],
        "notes": list(model.notes),
    }


def _state(chain: Chain, state: int) -> dict[str, Any]:
    """A state as the native format has it: ``to``, or, where it waits for an input, ``on``."""
    rows = [
        {chain.states[j]: _entry(*map(exact_text, ends)) for j, *ends in row.list_entries()}
        for row in chain.given[state]
    ]
    names = chain.inputs.get(chain.labels[state])
    where: dict[str, Any] = {"to": rows[0]} if names is None else {"on": dict(zip(names, rows, strict=True))}
    values = chain.valuations[state] if chain.valuations else {}
    known = {"valuation": dict(values)} if values else {}
    return {"name": chain.states[state], "label": chain.labels[state], **where, **known}


def _entry(low: str, high: str) -> str | list[str]:
    """A probability, or the two ends of a box."""
    return low if low == high else [low, high]


def _degrees(chain: Chain) -> list[int]:
    return [len(row) for rows in chain.given for row in rows]


def _info_sections(model: Loaded, classes: int | None, limit: int) -> list[Section]:
    chain = model.chain
    degrees = _degrees(chain)
    labels = [f"{label or '(empty)'} ({len(states)})" for label, states in sorted(chain.by_label.items())]
    pairs = [name_pair(pair) for pair in chain.pairs]
    rows = [
        ("model", model.source),
        ("states", str(len(chain))),
        ("transitions", str(chain.transitions)),
        ("labels", f"{len(labels)}: {list_first(labels)}"),
        ("out-degree", f"{min(degrees)} to {max(degrees)}, mean {decimal(Fraction(sum(degrees), len(degrees)), 4)}"),
        ("absorbing states", str(_count_absorbing(chain))),
        ("denominators", f"up to {decimal(_greatest_denominator(chain), 4)}"),
        ("bisimulation classes", "not counted" if classes is None else str(classes)),
        ("relation", f"{len(pairs)}: {list_first(pairs)}" if pairs else "none"),
        ("sha256", chain.sha256),
    ]
    if not chain.rational:
        rows.insert(4, ("rows", _uncertain(chain)))
    if chain.interactive:
        rows.insert(4, ("inputs", _offer(chain)))
    reached = _reach(chain)
    if reached is not None:
        rows.insert(-1, ("reachable from it", f"{reached} states"))
    lines = [_cut(line) for line in _states(chain, limit)] if limit else []
    return [Paragraph("\n".join([fields(rows), *lines]))]


def _uncertain(chain: Chain) -> str:
    """What is not a fraction: how many rows, of which kind, how wide, what may go elsewhere, at which confidence."""
    found = [row for rows in chain.given for row in rows if row.fractions is None]
    total = sum(map(len, chain.given))
    said = Counter(row.said for row in found)
    parts = [f"{count} of {total} {what}" for what, count in sorted(said.items())]
    if chain.base is not None:
        parts.append(f"in powers of e^(1/{chain.base})" if chain.base > 1 else "in powers of e")
    if width := max((hi - lo for row in found for _, lo, hi in row.list_entries()), default=Fraction(0)):
        parts.append(f"up to {outward(width, 'upper')} wide")
    if rest := max(row.missing for row in found):
        parts.append(f"up to {outward(rest, 'upper')} goes to states outside the model")
    if chain.confidence is not None:
        parts.append(f"with confidence {format_fraction(chain.confidence)}")
    return "; ".join(parts)


def _offer(chain: Chain) -> str:
    """What may be chosen at which labels."""
    labels: dict[tuple[str, ...], list[str]] = {}
    for label, names in sorted(chain.inputs.items()):
        labels.setdefault(names, []).append(label or "(empty)")
    offers = [f"{list_first(list(names))} at {list_first(found)}" for names, found in labels.items()]
    return "; ".join(offers[:SHOWN_TARGETS]) + ("; …" if len(offers) > SHOWN_TARGETS else "")


def _states(chain: Chain, limit: int) -> list[str]:
    """The first states with label and row, each on one line, or one line per input."""
    lines: list[str] = []
    for state in range(min(limit, len(chain))):
        lines += state_lines(chain, state, printable)
        values = chain.valuations[state] if chain.valuations else {}
        shown = [f"{printable(name)}={printable(str(value))}" for name, value in values.items()]
        if not all(part in printable(chain.states[state]) for part in shown):
            lines.append("      " + ", ".join(shown))
    if len(chain) > limit:
        lines.append(f"  … and {len(chain) - limit} more states")
    return lines


def _cut(line: str) -> str:
    """The line, if it can be read; else as many of its transitions as can be."""
    if len(line) <= LINE_LENGTH:
        return line
    kept = line[:LINE_LENGTH].rpartition(", ")[0] or line[:LINE_LENGTH]
    return f"{kept}, …{line[line.rindex(' (') :] if line.endswith(' in all)') else ''}"


def _count_absorbing(chain: Chain) -> int:
    """How many states are never left, whatever is given there."""
    one = Fraction(1)
    return sum(
        all(isinstance(row, PointRow) and len(row) == 1 and row.fractions == ((state, one),) for row in rows)
        for state, rows in enumerate(chain.given)
    )


def _greatest_denominator(chain: Chain) -> int:
    """Of the fractions among the probabilities and their limits."""
    # Large models repeat few numbers, each of them one object.
    distinct: dict[int, object] = {}
    for rows in chain.given:
        for row in rows:
            points = row.fractions
            ends = (
                [p for _, p in points]
                if points is not None
                else [end for _, *both in row.list_entries() for end in both]
            )
            distinct.update(zip(map(id, ends), ends, strict=True))
    return max((end.denominator for end in distinct.values() if isinstance(end, Fraction)), default=1)


def _reach(chain: Chain) -> int | None:
    """How many states the pairs of the relation can reach, these included; None without a relation."""
    return len(reachable(chain, (state for pair in chain.relation for state in pair))) if chain.relation else None


INFO = Verb(
    "info",
    """
deltachain info example:coin
deltachain info model.tra --normalise
deltachain info model.json --states 100 --json
""",
    (*q.MODEL_OPTIONS, MINIMISE, STATES),
    _info,
)
