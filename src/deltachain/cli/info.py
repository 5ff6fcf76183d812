"""``deltachain info``: the size and shape of a model."""

from __future__ import annotations

import argparse
import time
from fractions import Fraction

from ..cancel import Cancel
from ..formats import Loaded
from ..model import Chain, bisimilarity, reachable
from ..rational import format_fraction
from ..render.document import document
from ..render.numbers import decimal, json_number
from ..render.results import named
from ..render.table import fields, listed, printable
from .exits import Exit
from .options import add_model, load_model
from .output import add_output, deliver, note, work_of
from .parser import Subparsers, verb_parser

USAGE = """
deltachain info example:coin
deltachain info model.tra --normalise
deltachain info model.json --states 100 --json
"""

SHOWN_TARGETS = 6

MINIMISED_TRANSITIONS = 30_000
"""Up to here counting bisimulation classes takes well under a second; beyond, it is done when asked for."""

LINE_LENGTH = 240
"""How much of a state's row is shown in text; --json has all of it."""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb_parser(subparsers, "info", "Show the size and shape of a model.", USAGE)
    add_model(parser)
    parser.add_argument("--minimise", action="store_true", help="count bisimulation classes whatever the size")
    parser.add_argument("--states", type=_count, default=12, metavar="N", help="how many states to show (default: 12)")
    add_output(parser)
    parser.set_defaults(execute=execute)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of states")
    return int(text)


def execute(args: argparse.Namespace) -> int:
    """Print the figures."""
    started = time.perf_counter()
    with work_of(args) as cancel:
        model = load_model(args, cancel)
        classes = _classes(args, model.chain, cancel)
    seconds = time.perf_counter() - started
    deliver(
        args,
        lambda: document("deltachain.info/1", _body(model, classes, args.states), model=model, seconds=seconds),
        f"{len(model.chain)} states, {model.chain.transitions} transitions" if args.brief else "",
        lambda: _text(model, classes, args.states),
    )
    return Exit.DONE


def _classes(args: argparse.Namespace, chain: Chain, cancel: Cancel) -> int | None:
    """The number of bisimulation classes, or None where it was too much to count unasked."""
    if chain.transitions > MINIMISED_TRANSITIONS and not args.minimise:
        note(
            args,
            f"above {MINIMISED_TRANSITIONS} transitions, bisimulation classes are counted with --minimise",
        )
        return None
    return max(bisimilarity(chain, cancel)) + 1


def _body(model: Loaded, classes: int | None, limit: int) -> dict[str, object]:
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
        "absorbing": _absorbing(chain),
        "greatest_denominator": format_fraction(_greatest_denominator(chain)),
        "classes": classes,
        "relation": [list(pair) for pair in chain.pairs],
        "reachable_from_relation": _reached(chain),
        "states": [_state(chain, state) for state in range(min(limit, len(chain)))],
        "notes": list(model.notes),
    }


def _state(chain: Chain, state: int) -> dict[str, object]:
    """A state as the native format has it: ``to``, or, where it waits for an input, ``on``."""
    rows = [{chain.states[target]: format_fraction(p) for target, p in row} for row in chain.moves[state]]
    names = chain.inputs.get(chain.labels[state])
    where: dict[str, object] = {"to": rows[0]} if names is None else {"on": dict(zip(names, rows, strict=True))}
    values = chain.valuations[state] if chain.valuations else {}
    known: dict[str, object] = {"valuation": dict(values)} if values else {}
    return {"name": chain.states[state], "label": chain.labels[state], **where, **known}


def _degrees(chain: Chain) -> list[int]:
    return [len(row) for rows in chain.moves for row in rows]


def _text(model: Loaded, classes: int | None, limit: int) -> str:
    chain = model.chain
    degrees = _degrees(chain)
    labels = [f"{label or '(empty)'} ({len(states)})" for label, states in sorted(chain.by_label.items())]
    pairs = [named(pair) for pair in chain.pairs]
    mean = decimal(Fraction(sum(degrees), len(degrees)), 4)
    denominator = _greatest_denominator(chain)
    rows = [
        ("model", model.source),
        ("states", str(len(chain))),
        ("transitions", str(chain.transitions)),
        ("labels", f"{len(labels)}: {listed(labels)}"),
        ("out-degree", f"{min(degrees)} to {max(degrees)}, mean {mean}"),
        ("absorbing states", str(_absorbing(chain))),
        ("denominators", f"up to {decimal(denominator, 4)}"),
        ("bisimulation classes", "not counted" if classes is None else str(classes)),
        ("relation", f"{len(pairs)}: {listed(pairs)}" if pairs else "none"),
        ("sha256", chain.sha256),
    ]
    if chain.interactive:
        rows.insert(4, ("inputs", _offered(chain)))
    reached = _reached(chain)
    if reached is not None:
        rows.insert(-1, ("reachable from it", f"{reached} states"))
    text = fields(rows)
    return text + "".join(f"\n{_cut(line)}" for line in _states(chain, limit)) if limit else text


def _offered(chain: Chain) -> str:
    """What may be chosen at which labels."""
    labels: dict[tuple[str, ...], list[str]] = {}
    for label, names in sorted(chain.inputs.items()):
        labels.setdefault(names, []).append(label or "(empty)")
    offers = [f"{listed(list(names))} at {listed(found)}" for names, found in labels.items()]
    return "; ".join(offers[:SHOWN_TARGETS]) + ("; …" if len(offers) > SHOWN_TARGETS else "")


def _states(chain: Chain, limit: int) -> list[str]:
    """The first states with label and row, each on one line, or one line an input."""
    names = list(map(printable, chain.states))
    lines = []
    for state, rows in enumerate(chain.moves[:limit]):
        for name, row in zip(chain.offered(state), rows, strict=True):
            targets = ", ".join(f"{names[j]}: {format_fraction(p)}" for j, p in row[:SHOWN_TARGETS])
            more = f", … ({len(row)} in all)" if len(row) > SHOWN_TARGETS else ""
            asked = "" if name is None else f" {printable(name)}"
            lines.append(f"  {names[state]} [{printable(chain.labels[state])}]{asked} → {targets}{more}")
        values = chain.valuations[state] if chain.valuations else {}
        shown = [f"{printable(name)}={printable(str(value))}" for name, value in values.items()]
        if not all(part in names[state] for part in shown):
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


def _absorbing(chain: Chain) -> int:
    """How many states are never left, whatever is given there."""
    return sum(all(row == ((state, Fraction(1)),) for row in rows) for state, rows in enumerate(chain.moves))


def _greatest_denominator(chain: Chain) -> int:
    return max(p.denominator for rows in chain.moves for row in rows for _, p in row)


def _reached(chain: Chain) -> int | None:
    """How many states the pairs of the relation can reach, these included; None without a relation."""
    return len(reachable(chain, (state for pair in chain.relation for state in pair))) if chain.relation else None
