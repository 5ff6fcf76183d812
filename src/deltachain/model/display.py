"""A chain to look at: the DOT text of its graph, and what a notebook shows.

A notebook shows a small chain as a graph where Graphviz' program ``dot`` is installed, and a table otherwise.
Showing never raises: a picture that fails is a table.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..characters import escape_markup, printable
from .chain import Chain
from .listing import ListedRow, brief, listed_rows, shown_entry

if TYPE_CHECKING:
    from ..numbers.field import Exact

PICTURED_STATES = 30
PICTURED_TRANSITIONS = 120
TABLE_ROWS = 12
LONGEST_TEXT = 60
DOT_SECONDS = 5

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"'})


def dot_pieces(chain: Chain, entry: Callable[[Exact, Exact], str], rest: Callable[[Exact], str]) -> Iterator[str]:
    """The DOT text, in pieces, with these texts for probabilities; related pairs are joined by dashed lines.

    An input is a dot: an edge with its name leads there, and edges with probabilities lead on. Limits are written with
    both ends; a dashed edge that leads nowhere is for mass that may go elsewhere.
    """
    yield "digraph chain {\n"
    for state, (name, label) in enumerate(zip(chain.states, chain.labels, strict=True)):
        yield f'  {state} [label="{escape_dot(name)}\\n{escape_dot(label)}"];\n'
    for state, rows in enumerate(chain.given):
        for number, (asked, row) in enumerate(zip(chain.offered(state), rows, strict=True)):
            source = f"{state}" if asked is None else f"i{state}_{number}"
            if asked is not None:
                yield f"  {source} [shape=point];\n"
                yield f'  {state} -> {source} [label="{escape_dot(asked)}", arrowhead=none];\n'
            for target, lo, hi in row.list_entries():
                yield f'  {source} -> {target} [label="{entry(lo, hi)}"];\n'
            if row.missing:
                yield f'  e{state}_{number} [shape=none, label=""];\n'
                yield f'  {source} -> e{state}_{number} [label="up to {rest(row.missing)}", style=dashed];\n'
    for i, j in chain.relation:
        yield f"  {i} -> {j} [dir=none, style=dashed, constraint=false];\n"
    yield "}\n"


def escape_dot(text: str) -> str:
    """The text inside quotes of DOT, on one line, with what is hidden spelled out."""
    return printable(text).translate(_ESCAPES)


def chain_to_html(chain: Chain) -> str:
    """What a notebook shows: an SVG picture of a small chain, if ``dot`` can draw it, else a table."""
    return _picture(chain) or _table(chain)


def _picture(chain: Chain) -> str | None:
    if len(chain) > PICTURED_STATES or chain.transitions > PICTURED_TRANSITIONS:
        return None
    program = shutil.which("dot")
    if program is None:
        return None
    pieces = dot_pieces(chain, _entry, brief)
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
        (state, row) for state in range(min(TABLE_ROWS, len(chain))) for row in listed_rows(chain, state, entry=_entry)
    ]
    columns = ("state", "label", "input", "goes to") if chain.interactive else ("state", "label", "goes to")
    head = "".join(f"<th>{column}</th>" for column in columns)
    cells = "".join(_table_row(chain, state, row) for state, row in shown)
    hidden = len(chain) - TABLE_ROWS
    more = f"<tr><td colspan={len(columns)}>… {hidden} more</td></tr>" if hidden > 0 else ""
    return f"<table><caption>{escape_markup(repr(chain)[1:-1])}</caption><tr>{head}</tr>{cells}{more}</table>"


def _table_row(chain: Chain, state: int, row: ListedRow) -> str:
    targets = ", ".join(f"{escape_markup(chain.states[target])}: {text}" for target, text in row.targets)
    asked = [escape_markup(row.asked or "")] if chain.interactive else []
    cells = [escape_markup(chain.states[state]), escape_markup(chain.labels[state]), *asked, targets + row.more]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _entry(lo: Exact, hi: Exact) -> str:
    return _short(shown_entry(lo, hi))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
