"""A chain to look at: the DOT text of its graph, and what a notebook shows.

A notebook shows a small chain as a graph where Graphviz' program ``dot`` is installed, and a table otherwise.
Showing never raises: a picture that fails is a table.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from fractions import Fraction
from html import escape

from .chain import Chain, brief, shown_entry
from .rows import Box

PICTURED_STATES = 30
PICTURED_TRANSITIONS = 120
TABLE_ROWS = 12
TABLE_TARGETS = 6
LONGEST_TEXT = 60
DOT_SECONDS = 5

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\0": "\\\\0"})


def dot_pieces(
    chain: Chain, entry: Callable[[Fraction, Fraction], str], rest: Callable[[Fraction], str]
) -> Iterator[str]:
    """The DOT text, in pieces, with these texts for probabilities; related pairs are joined by dashed lines.

    An input is a dot: an edge with its name leads there, and edges with probabilities lead on. Limits are written with
    both ends; a dashed edge that leads nowhere is for mass that may go elsewhere.
    """
    yield "digraph chain {\n"
    for state, (name, label) in enumerate(zip(chain.states, chain.labels, strict=True)):
        yield f'  {state} [label="{name.translate(_ESCAPES)}\\n{label.translate(_ESCAPES)}"];\n'
    for state, rows in enumerate(chain.given):
        for number, (asked, row) in enumerate(zip(chain.offered(state), (row.box for row in rows), strict=True)):
            source = f"{state}" if asked is None else f"i{state}_{number}"
            if asked is not None:
                yield f"  {source} [shape=point];\n"
                yield f'  {state} -> {source} [label="{asked.translate(_ESCAPES)}", arrowhead=none];\n'
            for target, lo, hi in row:
                yield f'  {source} -> {target} [label="{entry(lo, hi)}"];\n'
            if row.rest:
                yield f'  e{state}_{number} [shape=none, label=""];\n'
                yield f'  {source} -> e{state}_{number} [label="up to {rest(row.rest)}", style=dashed];\n'
    for i, j in chain.relation:
        yield f"  {i} -> {j} [dir=none, style=dashed, constraint=false];\n"
    yield "}\n"


def chain_to_html(chain: Chain) -> str:
    """What a notebook shows: an SVG picture of a small chain, if ``dot`` can draw it, else a table."""
    return _picture(chain) or _table(chain)


def _picture(chain: Chain) -> str | None:
    if len(chain) > PICTURED_STATES or chain.transitions > PICTURED_TRANSITIONS:
        return None
    program = shutil.which("dot")
    if program is None:
        return None
    pieces = dot_pieces(chain, lambda lo, hi: _short(shown_entry(lo, hi)), brief)
    source = "".join(pieces).encode(errors="replace")
    try:
        done = subprocess.run(  # noqa: S603 - the program found on the path, and no shell
            [program, "-Tsvg"], input=source, capture_output=True, timeout=DOT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    drawn = done.stdout.decode(errors="replace")
    start = drawn.find("<svg")
    return drawn[start:] if start >= 0 else None


def _table(chain: Chain) -> str:
    shown = [
        (state, name, row)
        for state, rows in enumerate(chain.given[:TABLE_ROWS])
        for name, row in zip(chain.offered(state), (row.box for row in rows), strict=True)
    ]
    columns = ("state", "label", "input", "goes to") if chain.interactive else ("state", "label", "goes to")
    head = "".join(f"<th>{column}</th>" for column in columns)
    cells = "".join(_table_row(chain, state, name, row) for state, name, row in shown)
    hidden = len(chain) - TABLE_ROWS
    more = f"<tr><td colspan={len(columns)}>… {hidden} more</td></tr>" if hidden > 0 else ""
    return f"<table><caption>{escape(repr(chain)[1:-1])}</caption><tr>{head}</tr>{cells}{more}</table>"


def _table_row(chain: Chain, state: int, name: str | None, row: Box) -> str:
    shown = row.entries[:TABLE_TARGETS]
    targets = ", ".join(f"{escape(chain.states[j])}: {_short(shown_entry(lo, hi))}" for j, lo, hi in shown)
    asked = [escape(name or "")] if chain.interactive else []
    cells = [escape(chain.states[state]), escape(chain.labels[state]), *asked, targets]
    more = " …" if len(row) > TABLE_TARGETS else ""
    more += f", elsewhere: up to {brief(row.rest)}" if row.rest else ""
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells[:-1])}<td>{cells[-1]}{more}</td></tr>"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
