"""Plain text: names that cannot be taken for something else, aligned columns, comma-separated values [RFC 4180]."""

from __future__ import annotations

import csv
import io
import re
import sys
import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

from ..characters import escape_markup as escape_markup
from ..characters import printable as printable


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), width: int | None = None
) -> str:
    """The rows under their header, columns as wide as their widest cell, those in ``right`` flush right.

    Where that is wider than ``width`` (default: the terminal, if there is one), cells are broken into lines.

    >>> print(table(["word", "s0"], [["a b", "0.5"], ["a", "1"]], right=[1]))
    word   s0
    ----  ---
    a b   0.5
    a       1
    """
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"a row of {len(row)} cells under a header of {len(header)}")
    cells = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(header))]
    room = terminal_width() if width is None else width
    while room is not None and sum(widths) + 2 * (len(widths) - 1) > room and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
    cells.insert(1, ["-" * width for width in widths])
    lines = [line for row in cells for line in _wrap(row, widths)]
    return "\n".join(
        "  ".join(_pad(cell, widths[column], column in right) for column, cell in enumerate(row)).rstrip()
        for row in lines
    )


NARROWEST = 10
"""A column is not made narrower than this."""


def terminal_width() -> int | None:
    """The columns of the terminal that is printed to; None where it is a file or a pipe."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size  # brings readers of archives

    return get_terminal_size().columns


def _wrap(row: Sequence[str], widths: Sequence[int]) -> list[list[str]]:
    """The lines that the cells of a row take, each within its column."""
    parts = [_broken(cell, width) for cell, width in zip(row, widths, strict=True)]
    return [list(line) for line in zip_longest(*parts, fillvalue="")]


def _broken(cell: str, width: int) -> list[str]:
    """The cell in pieces that are not wider than the column: at a blank where there is one."""
    pieces = []
    while _width(cell) > width:
        end = next(i for i in range(len(cell), 0, -1) if _width(cell[:i]) <= width or i == 1)
        blank = cell.rfind(" ", 1, end + 1)
        end = blank if blank > 0 else end
        pieces.append(cell[:end].rstrip())
        cell = cell[end:].lstrip()
    return [*pieces, cell]


def fields(rows: Sequence[tuple[str, str]], *, indent: str = "") -> str:
    """Names and values, one pair a line, values aligned.

    >>> print(fields([("states", "3"), ("transitions", "4")]))
    states       3
    transitions  4
    """
    width = max((_width(name) for name, _ in rows), default=0)
    return "\n".join(f"{indent}{_pad(name, width, False)}  {printable(value)}".rstrip() for name, value in rows)


def list_first(items: Sequence[str], limit: int = 8) -> str:
    """The first items, separated by commas, and how many there are when some are left out.

    >>> list_first(["a", "b", "c"], limit=2)
    'a, b, … (3 in all)'
    """
    shown = ", ".join(items[:limit])
    return shown if len(items) <= limit else f"{shown}, … ({len(items)} in all)"


PLAIN_NAME = re.compile(r"[\w.:=+/#@|*^~-]+(?<!:)", re.ASCII)
"""Names that read as one word."""

LONGEST_NAME = 60
"""Longer names of states are cut in a sentence; tables and JSON have them whole."""


def shown_name(state: str) -> str:
    """A state's name in a sentence: on one line, and quoted if it could be taken for a part of the sentence.

    >>> print(shown_name("s0"), shown_name("s1) = 0, exact"))
    s0 's1) = 0, exact'
    """
    return state if PLAIN_NAME.fullmatch(state) else "'" + printable(state).replace("'", "\\'") + "'"


def name_pair(pair: tuple[str, str], longest: int | None = None) -> str:
    """``(s, t)``, each name shown as `shown_name` does, and cut if it is longer than ``longest``."""
    s, t = (name if longest is None else shorten(name, longest) for name in map(shown_name, pair))
    return f"({s}, {t})"


def pairs_text(pairs: Sequence[tuple[str, str]]) -> str:
    """The pairs in a sentence: the one there is, or how many."""
    if len(pairs) != 1:
        return f"the worst of {len(pairs):,} pairs"
    s, t = (shorten(shown_name(state), LONGEST_NAME) for state in pairs[0])
    return f"{s} against {t}"


def runs_text(repeat: int, compose: Sequence[str]) -> str:
    """Of how many independent runs a result is, after a comma; nothing for one.

    >>> runs_text(1, ()), runs_text(1000, ()), runs_text(1, ["example:coin"])
    ('', ', 1,000 independent runs', ', run together with example:coin')
    """
    runs = f", {repeat:,} independent runs" if repeat > 1 else ", run" if compose else ""
    beside = list_first([shorten(printable(source), LONGEST_NAME) for source in compose], 3)
    return runs + (f" together with {beside}" if compose else "")


def shorten(text: str, limit: int) -> str:
    """The two ends of a text that is longer than ``limit`` characters.

    >>> shorten("abcdefghij", 7)
    'abc…hij'
    """
    if len(text) <= limit:
        return text
    end = (limit - 1) // 2
    return f"{text[: limit - 1 - end]}…{text[-end:]}"


def _width(text: str) -> int:
    """The columns that the text takes on a terminal: combining marks none, wide characters two."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, width: int, flush_right: bool) -> str:
    blanks = " " * (width - _width(text))
    return blanks + text if flush_right else text + blanks


FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A cell of text that starts so would be run by a spreadsheet: it gets an apostrophe before it."""


def csv_text(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    r"""The table, lines ended by a line feed; numbers as they are, text guarded.

    >>> csv_text(["state", "loss"], [["=1+1", -0.5]])
    "state,loss\n'=1+1,-0.5\n"
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_guard(cell) for cell in header])
    writer.writerows([[_guard(cell) for cell in row] for row in rows])
    return text.getvalue()


def _guard(cell: object) -> object:
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(FORMULA) else cell
    return repr(cell) if isinstance(cell, float) else cell
