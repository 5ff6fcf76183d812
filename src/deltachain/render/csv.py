"""Comma-separated values [RFC 4180] that no spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A cell of text that starts so would be run by a spreadsheet: it gets an apostrophe before it."""


def csv_text(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    r"""The table, lines ended by a line feed; numbers as they are, text guarded.

    >>> csv_text(["state", "loss"], [["=1+1", -0.5]])
    "state,loss\n'=1+1,-0.5\n"
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([[_guarded(cell) for cell in row] for row in rows])
    return text.getvalue()


def _guarded(cell: object) -> object:
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(FORMULA) else cell
    return repr(cell) if isinstance(cell, float) else cell
